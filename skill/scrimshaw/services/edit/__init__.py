"""What a person or an agent changes by a command.

`add` checks and notes a line, `pin`, `reword` and `undo` change one, `review` and `recheck` decide on what
was refused, `forget` erases for good (`forget_files` and `forget_resume` finish what a kill left).
"""
