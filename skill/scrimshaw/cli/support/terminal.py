"""The only way for text to the terminal: what is printed is seen, and is never obeyed.

Names, paths and lines come from transcripts and files that others write. A terminal would take the control
characters in them for commands; `cat` has the same weakness, a tool that shows memory should not.

Messages name commands as `scrimshaw VERB`. They are printed as they can be typed here: a checkout's command
is no `scrimshaw` on the PATH, and a step that cannot be pasted is none. What is quoted (a line of the memory,
a message, a file) is not ours to change: it goes through `as_said`.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path

import click

from scrimshaw.cli.verbs import VERBS
from scrimshaw.resources import program

CALLED = "SCRIMSHAW_CALLED"  # set by scripts/scrimshaw: how to call it from where the person is

_NAME = "scrimshaw"
_QUOTED = f"{_NAME}\0"
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_COMMAND = re.compile(  # not "python -m scrimshaw", nor a path
    rf"(?<![\w/.-])(?<!-m ){_NAME} (?=(?:{'|'.join(sorted(VERBS, key=len, reverse=True))})(?![\w-]))"
)


def printable(text: str) -> str:
    """Return *text* with a visible sign for each character that a terminal would act on."""
    return _OBEYED.sub("\ufffd", text.replace("\r\n", "\n"))


def tell(*lines: str, is_error: bool = False) -> None:
    """Print *lines*; what they name as a command as it can be typed here."""
    called = os.environ.get(CALLED, "")
    for line in lines:
        click.echo(printable(plain(as_called(line, called))), err=is_error)


def as_said(text: str) -> str:
    """Return *text*, which others wrote, for a message: what looks like a command in it stays as it is."""
    return _COMMAND.sub(f"{_QUOTED} ", text)


def in_a_row(text: str) -> str:
    """Return *text*, which others wrote, for a row of a list: a table of the person's is one line there."""
    return as_said(" ".join(part.strip() for part in text.splitlines()))


def plain(text: str) -> str:
    """Return *text* without the marks of `as_said`."""
    return text.replace(_QUOTED, _NAME)


def as_called(text: str, called: str) -> str:
    """Return *text* with each `scrimshaw VERB` of ours as *called*, when that is known."""
    return _COMMAND.sub(lambda _: f"{called} ", text) if called else text


def how_called(env: Mapping[str, str], started_as: str) -> str:
    """Return what to type for this program, which was *started_as* `sys.argv[0]` says."""
    if "/" not in started_as or shutil.which(_NAME, path=env.get("PATH")):
        return _NAME
    return shlex.join(program()) if Path(started_as).name == "__main__.py" else shlex.quote(started_as)
