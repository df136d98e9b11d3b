"""What `status` shows.

`status` gathers it, `backlog` tells what waits, `hook_health` whether the hook works, `sizes` how much
there is.
"""
