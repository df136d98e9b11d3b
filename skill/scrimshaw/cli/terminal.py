"""The only way for text to the terminal: what is printed is seen, and is never obeyed.

Names, paths and lines come from transcripts and files that others write. A terminal would take the control
characters in them for commands; `cat` has the same weakness, a tool that shows memory should not.
"""

from __future__ import annotations

import re

import click

_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """Return *text* with a visible sign for each character that a terminal would act on."""
    return _OBEYED.sub("\ufffd", text.replace("\r\n", "\n"))


def tell(text: str, *, is_error: bool = False) -> None:
    """Print *text* and a line break."""
    click.echo(printable(text), err=is_error)
