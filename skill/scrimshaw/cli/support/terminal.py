"""The only way for text to the terminal: what is printed is seen, and is never obeyed.

Names, paths and lines come from transcripts and files that others write. A terminal would take the control
characters in them for commands; `cat` has the same weakness, a tool that shows memory should not.

Messages name commands as `scrimshaw VERB`. They are printed as they can be typed here: a checkout's command
is no `scrimshaw` on the PATH, a step that cannot be pasted is none, and one that leaves out the workspace
that was named asks about another. What is quoted (a line of the memory, a message, a file) is not ours to
change: it goes through `as_said`.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import click

from scrimshaw.cli.verbs import WHERE
from scrimshaw.errors import UserError
from scrimshaw.resources import program, script

CALLED = "SCRIMSHAW_CALLED"  # set by scripts/scrimshaw: how to call it from where the person is

_NAME = "scrimshaw"
_QUOTED = f"{_NAME}\0"
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_COMMAND = re.compile(  # not "python -m scrimshaw", nor a path
    rf"(?<![\w/.-])(?<!-m ){_NAME} (?P<verb>{'|'.join(sorted(WHERE, key=len, reverse=True))})(?![\w-])"
)
_SCRIPT = re.compile(r"scripts/(?=(?:un)?install\b)")
_NAMED = re.compile(rf"(?:(?!{_NAME} )[^\n;`])*?--(?:agent|workspace)\b")


def printable(text: str) -> str:
    """Return *text* with a visible sign for each character that a terminal would act on."""
    return _OBEYED.sub("\ufffd", text.replace("\r\n", "\n"))


def tell(*lines: str, is_error: bool = False, repeats: bool = True) -> None:
    """Print *lines*; what they name as a command as it can be typed here, about whom this one was asked.

    *repeats*: with the options of this command that say so.
    """
    called = os.environ.get(CALLED, "")
    context = click.get_current_context(silent=True)
    given = context.params if context and repeats else {}
    for line in lines:
        put(printable(plain(as_called(line, called, given))), is_error=is_error)


def put(text: str, *, is_error: bool = False) -> None:
    """Print *text*; raises UserError where it cannot be, such as into a file on a full disk."""
    try:
        click.echo(text, err=is_error)
    except BrokenPipeError:
        raise
    except OSError as error:
        # What is left in the buffer would fail once more when the process ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), (sys.stderr if is_error else sys.stdout).fileno())
        raise UserError(
            f"The answer cannot be printed ({error.strerror}). What was done before is kept.",
            next_step="make room where it is written to, then ask again",
        ) from error


def as_said(text: str) -> str:
    """Return *text*, which others wrote, for a message: what looks like a command in it stays as it is."""
    return _SCRIPT.sub("scripts\0/", _COMMAND.sub(rf"{_QUOTED} \g<verb>", text))


def in_a_row(text: str) -> str:
    """Return *text*, which others wrote, for a row of a list: a table of the person's is one line there."""
    return as_said(" ".join(part.strip() for part in text.splitlines()))


def plain(text: str) -> str:
    """Return *text* without the marks of `as_said`."""
    return text.replace(_QUOTED, _NAME).replace("scripts\0/", "scripts/")


def as_called(text: str, called: str, given: Mapping[str, object] = MappingProxyType({})) -> str:
    """Return *text* with each `scrimshaw VERB` of ours as *called*, when that is known.

    It, or the checkout's script of that name (`resources.script`), is about whom the options *given* name; a
    command that names an agent itself keeps to that one.
    """

    def typed(found: re.Match[str]) -> str:
        named = ("workspace", "agent") if _NAMED.match(text, found.end()) else ()
        return " ".join([called or _NAME, found["verb"], *_where(found["verb"], given, named)])

    told = _COMMAND.sub(typed, text)
    for verb in ("install", "uninstall") if _SCRIPT.search(told) else ():
        if command := script(verb):
            asked = " ".join([command, *_where(verb, given)])
            told = re.sub(rf"(?<![\w/.]){re.escape(command)}(?![\w/-])", asked.replace("\\", r"\\"), told)
    return told


def _where(verb: str, given: Mapping[str, object], named: tuple[str, ...] = ()) -> list[str]:
    """Return the options of *verb* that say about whom it is, as *given*, without those *named* already."""
    return [
        f"--{name.replace('_', '-')} {shlex.quote(str(given[name]))}"
        for name in WHERE[verb]
        if given.get(name) and name not in named
    ]


def how_called(env: Mapping[str, str], started_as: str) -> str:
    """Return what to type for this program, which was *started_as* `sys.argv[0]` says."""
    if "/" not in started_as or shutil.which(_NAME, path=env.get("PATH")):
        return _NAME
    return shlex.join(program()) if Path(started_as).name == "__main__.py" else shlex.quote(started_as)
