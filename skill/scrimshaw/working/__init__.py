"""The working layer: what programs have stored recently, in one SQLite file beside the ledger."""
