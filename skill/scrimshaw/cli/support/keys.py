"""One key of a person at a terminal."""

from __future__ import annotations

import click

CTRL_D = "\x04"


def key() -> str:
    """Return the key that is pressed; Ctrl-D where there is nobody any more."""
    try:
        return click.getchar()
    except EOFError:
        return CTRL_D
