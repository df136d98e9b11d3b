"""The working layer: what programs hand in and what is recent, in one SQLite file beside the ledger."""
