"""One key of a person at a terminal, and their way out."""

from __future__ import annotations

import click


class Leaving(Exception):  # noqa: N818  # asked for, not a fault
    """The person wants to leave."""


def key() -> str:
    """Return the key that is pressed; Ctrl-D where there is nobody any more."""
    try:
        return click.getchar()
    except EOFError:
        return "\x04"
