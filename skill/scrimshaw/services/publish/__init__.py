"""Writing MEMORY.md and the dated files.

`run` keeps the write order (intent, archive, section, cursor); `hand_edits` takes up what a person changed,
`expiry` what time does, `state` and `intents` what a kill may have left.
"""
