"""What the ledger holds and how it changes: observations, append-only, and the events that happen to them.

`observations` makes a verified or accepted proposal a line with a stable id; `lifecycle` replays events into
a standing, today's or that of an earlier time; `known_lines` finds the live lines that a new statement may
change; `undo` takes back a revision; `forget` finds everything that goes with a forgotten statement;
`merge_ledgers` joins an imported ledger; `import_checks` and `import_notes` judge what comes from other
files.
"""
