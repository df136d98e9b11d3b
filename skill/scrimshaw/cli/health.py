"""The commands `health` and `clean`: how sound the memory is, and taking out what is none."""

from __future__ import annotations

import click

from scrimshaw.cli.render import health as render
from scrimshaw.cli.support.command import NOT_SET_UP, CommandCall, command, print_json, write_now
from scrimshaw.errors import Exit

_FAULTS = click.Choice(["junk", "doubled", "unverifiable"])


@command(error_object={})
@click.option(
    "--fail-under", type=click.IntRange(0, 100), metavar="N", help="End with 1 where the score is below N."
)
def health(call: CommandCall, fail_under: int | None) -> int:
    """Score the memory from 0 to 100, and name the lines and the command behind each lost point."""
    there = call.set_up(f"{NOT_SET_UP}there is nothing to score.")
    found = [memory.health() for memory in there]
    is_low = fail_under is not None and any(one.score < fail_under for one in found)
    code = Exit.MENDABLE if is_low else Exit.OK
    if call.wants_json:
        told = [{**one.to_dict(), "exit_code": int(code)} for one in found]
        print_json(told[0] if len(told) == 1 else {"workspaces": told, "exit_code": int(code)})
    for one in found:
        call.say(*render.health_lines(one))
    return int(code)


@command(error_object={})
@click.option("--dry-run", is_flag=True, help="Only show what would go.")
@click.option(
    "--only", type=_FAULTS, multiple=True, help="Only lines with this fault. Default: junk, doubled."
)
@write_now
def clean(call: CommandCall, dry_run: bool, only: tuple[str, ...], is_now: bool) -> int:
    """Take out chatter and what is told twice, as one revision that `scrimshaw undo` takes back."""
    memory = call.memory("Nothing was changed.")
    return call.answer(memory.clean(only=only, dry_run=dry_run, at_once=is_now), render.cleaning_lines)
