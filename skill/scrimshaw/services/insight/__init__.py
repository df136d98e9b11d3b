"""Figures about the memory, how current its facts are, and contradictions in it.

`look` computes figures, `conflicts` and `deciding` handle contradictions, `clean` removes small talk,
`health` computes the score, `alerts` notifies the owner; `remembered` stores the last result.
"""
