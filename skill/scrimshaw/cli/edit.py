"""The commands that change single lines: `add`, `pin`, `unpin` and `undo`."""

from __future__ import annotations

import sys
from typing import Literal

import click

from scrimshaw.cli.render import edit as render
from scrimshaw.cli.support.command import REFUSED, CommandCall, command, pasted, write_now
from scrimshaw.core.types import Kind
from scrimshaw.errors import usage_error

_KINDS = click.Choice([kind.value for kind in Kind])
_DIGITS = 16  # that no number of a revision has
_MOST_TYPED_BYTES = 64 * 1024  # of standard input: far more than a note may have


@command(error_object=REFUSED, pastable=True)  # a note may begin with a list mark or a minus
@click.argument("text")
@click.option("--kind", type=_KINDS, help="The kind of note, if the words do not show it.")
@click.option("--important", "emphasis", flag_value="important", help="Keep it longer and show it first.")
@click.option("--minor", "emphasis", flag_value="minor", help="Drop it first where room is short.")
@click.option(
    "--by", type=click.Choice(["person", "agent"]), help="Whose note it is. Default: whose shell it is."
)
@write_now
def add(
    call: CommandCall,
    text: str,
    kind: str | None,
    emphasis: Literal["important", "minor"] | None,
    by: Literal["person", "agent"] | None,
    is_now: bool,
) -> int:
    """Add TEXT as a note (one line; "-": from standard input). An agent's note is checked first."""
    memory = call.memory("Nothing was noted.")
    typed = pasted(text)
    typed = sys.stdin.read(_MOST_TYPED_BYTES).strip("\r\n") if typed == "-" else typed
    done = memory.add(typed, kind=kind, importance=emphasis, author=by, at_once=is_now)
    return call.answer(done, render.add_lines)


@command(pastable=True)
@click.argument("text")
@write_now
def pin(call: CommandCall, text: str, is_now: bool) -> int:
    """Pin the line that TEXT names (words of it, or its id): shown first, never merged away."""
    memory = call.memory("Nothing was changed.")
    return call.answer(memory.pin(pasted(text), at_once=is_now), render.pin_lines)


@command(pastable=True)
@click.argument("text")
@write_now
def unpin(call: CommandCall, text: str, is_now: bool) -> int:
    """Unpin the line that TEXT names (words of it, or its id): it is ranked like any other again."""
    memory = call.memory("Nothing was changed.")
    return call.answer(memory.unpin(pasted(text), at_once=is_now), render.pin_lines)


@command()
@click.argument("revision", required=False, metavar="[REV]")
@click.option("--dry-run", is_flag=True, help="Show what would change; write nothing.")
def undo(call: CommandCall, revision: str | None, dry_run: bool) -> int:
    """Undo revision REV (see `scrimshaw log`), or the newest one that still counts."""
    number = _number(revision) if revision is not None else None
    done = call.memory("Nothing was undone.").undo(number, dry_run=dry_run)
    return call.answer(done, render.undo_lines)


def _number(said: str) -> int:
    """Return the number of a revision; raises UserError for what is none."""
    number = said.removeprefix("#")
    if not (number.isascii() and number.isdigit() and len(number) < _DIGITS):
        raise usage_error(
            f"{said[:80]!r} is no revision: each has a number. Nothing was undone.",
            next_step="scrimshaw log lists them; for example: scrimshaw undo 3",
        )
    return int(number)
