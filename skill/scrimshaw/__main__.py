"""`python -m scrimshaw`: the command, where no script is on the PATH."""

from scrimshaw.cli import main

main()
