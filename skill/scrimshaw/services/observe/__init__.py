"""From new messages to lines in the ledger and a section in MEMORY.md.

`run` is one run for a workspace, `sessions` the conversations in turn, `session` one of them window by
window, `verify` the gate for each proposal, `model_observer` the model that proposes.
"""
