"""Search as far as it is decided, whatever the index.

`query` says what a question asks for, `fusion` in which order hits of words and of meaning stand, and
`relevance` whether any of them answers at all; `layers` joins the hits of the working layer and the ledger,
`tongue` tells whether a question is English.
"""
