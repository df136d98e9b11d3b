"""One key of a person at a terminal."""

from __future__ import annotations

import click


def key() -> str:
    """Return the key that is pressed; Ctrl-D where there is nobody any more."""
    try:
        return click.getchar()
    except EOFError:
        return "\x04"
