"""How the lines of the ledger become fewer without a loss.

`rules` is the offline reflector: duplicates, what was replaced or done, promotions. `apply_plan` holds a
model's plan (merges, patterns, supersessions, drops) against the lines as they are and does what stands up to
it. `coverage` judges a merged line, `supersede` which line makes an earlier one untrue, `duplicates` whether
one says all that another says, `expiry` what time does. `subjects` groups lines for the model.
"""
