"""The only way for text to the terminal: what is printed is seen, and is never obeyed.

Names, paths and lines come from transcripts and files that others write. A terminal would take the control
characters in them for commands; `cat` has the same weakness, a tool that shows memory should not.
"""

from __future__ import annotations

import os
import re

import click

CALLED = "SCRIMSHAW_CALLED"  # set by scripts/scrimshaw: how to call it from where the person is

_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_STEP = re.compile(r"^.*?\bNext: .*$|^ +\d\. .*$", re.MULTILINE)
_COMMAND = re.compile(r"(?<![\w/.-])(?<!-m )scrimshaw (?=[a-z])")  # not "python -m scrimshaw"


def printable(text: str) -> str:
    """Return *text* with a visible sign for each character that a terminal would act on."""
    return _OBEYED.sub("\ufffd", text.replace("\r\n", "\n"))


def tell(text: str, *, is_error: bool = False) -> None:
    """Print *text* and a line break; a next step as it can be typed here."""
    click.echo(as_called(printable(text), os.environ.get(CALLED, "")), err=is_error)


def as_called(text: str, called: str) -> str:
    """Return *text* with `scrimshaw VERB` in lines that name a next step as *called*, when that is known.

    A checkout's command is no `scrimshaw` on the PATH, and a step that cannot be pasted is none.
    """
    if not called:
        return text
    return _STEP.sub(lambda line: _COMMAND.sub(lambda _: called + " ", line[0]), text)
