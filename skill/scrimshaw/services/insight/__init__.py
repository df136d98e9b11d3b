"""What is known, how fresh, and what contradicts itself.

`look` has the figures, `conflicts` and `deciding` the contradictions, `clean` the junk, `health` the score,
`alerts` tells a daemon's owner; `remembered` keeps the last result.
"""
