"""The quick layer in which programs store memories.

`store` and `keeping` write and read, `search` asks this layer and the ledger at once, `consolidate` moves
what expired into the ledger, `cortex` imports another program's memory.
"""
