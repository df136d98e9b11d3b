"""The section of MEMORY.md: which lines it shows, how they are written, and what a person did to them.

Writing: `budget` says how much room there is and why, `select` which lines are worth it (by `rank`),
`render` how a line is written and read back; `markers` puts the body between its markers and takes it out
again. Reading: `diff` compares the text found with what was written, `edits` makes ledger entries of the
difference. `block` is the like for files of others: a marked block at their end.
"""
