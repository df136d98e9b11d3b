"""Reduce the lines of the ledger without losing what they say.

`rules` is the offline reflector: it merges duplicates, closes lines that were replaced or done, and promotes
what was repeated. `apply_plan` checks a model's plan (merges, patterns, supersessions, drops) against the
current lines and applies what passes. `coverage` checks that a merged line still says what its lines say,
`supersede` decides which line makes an earlier one untrue, `duplicates` whether one line says all that
another says, `expiry` what expires with time. `subjects` groups lines for the model.
"""
