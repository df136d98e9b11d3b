"""Search over the ledger, its index and the transcripts.

`log` is one search of a workspace, and what is noted of it; `search` puts words and meanings together,
`index` and `meanings` keep the index up to date, `transcripts` looks through messages.
"""
