"""The working layer, a fast store for programs' memories.

`store` and `keeping` write and read, `search` searches this layer and the ledger together, `consolidate`
moves expired memories into the ledger, `cortex` imports another program's memories.
"""
