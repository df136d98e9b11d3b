"""What search rests on: words and meanings. Derived from the ledger; may be deleted at any time."""
