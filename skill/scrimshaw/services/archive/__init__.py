"""The dated `.mv2` archives, exports and imports.

`write` keeps the archives up to the ledger, `check` looks at them, `export` and `import_` carry a memory to
another machine; `read` takes an archive apart, and nothing in it is believed.
"""
