"""The commands that look back: `log`, `diff`, `as-of`, `timeline` and `why`. They write nothing."""

from __future__ import annotations

import click

from scrimshaw.cli.render import history as render
from scrimshaw.cli.support.command import CommandCall, command, pasted
from scrimshaw.core.text.moments import EXAMPLES

_NOTHING = "Nothing was shown."


@command()
@click.option("--limit", type=click.IntRange(1, 100_000), default=20, show_default=True, help="How many.")
def log(call: CommandCall, limit: int) -> int:
    """List what was written to the section: when, why, by which run, and how much changed."""
    return call.answer(call.memory(_NOTHING).log(limit), lambda found: render.log_lines(found, limit))


@command()
@click.argument("revs", nargs=-1, metavar="[REV] [REV]")
def diff(call: CommandCall, revs: tuple[str, ...]) -> int:
    """Show what changed: in the newest revision, in REV, or from one REV to another.

    REV is a number of `scrimshaw log`, or a time: yesterday, "last Tuesday".
    """
    if len(revs) > 2:
        raise click.UsageError("At most two revisions can be compared.")
    return call.answer(call.memory(_NOTHING).diff(*revs), render.diff_lines)


@command(epilog=f"DATE is a day or a time: {EXAMPLES}. A day means the end of that day.")
@click.argument("date")
@click.option(
    "--search",
    "question",
    metavar="QUERY",
    help="Search what was known then, instead of printing the section.",
)
@click.option(
    "--limit", type=click.IntRange(1, 1000), default=10, show_default=True, help="At most this many results."
)
def as_of(call: CommandCall, date: str, question: str | None, limit: int) -> int:
    """Print the section exactly as the agent saw it at DATE; with --search what had been said by then."""
    memory = call.memory(_NOTHING)
    if question is not None:
        return call.answer(memory.known_at(date, question, limit=limit), render.known_lines)
    return call.answer(memory.as_of(date), render.print_section)


@command(epilog=f"A time is: {EXAMPLES}.")
@click.option("--from", "since", metavar="DATE", help="From then on. Default: the last 14 days.")
@click.option("--to", "until", metavar="DATE", help="Up to then, that day included. Default: now.")
@click.option("--limit", type=click.IntRange(1, 1_000_000), default=500, show_default=True, help="How many.")
@click.option("--fleet", "in_fleet", is_flag=True, help="Of all memories of the fleet that you may read.")
def timeline(call: CommandCall, since: str | None, until: str | None, limit: int, in_fleet: bool) -> int:
    """List what was noted, day by day, each line with what became of it."""
    if in_fleet:
        from scrimshaw.cli.render.fleet import found_lines

        found = call.fleet_memory(_NOTHING).fleet_timeline(since=since, until=until, limit=limit)
        return call.answer(found, found_lines)
    shown = call.memory(_NOTHING).timeline(since=since, until=until, limit=limit)
    return call.answer(shown, render.timeline_lines)


@command(pastable=True)
@click.argument("text")
@click.option("--fleet", "in_fleet", is_flag=True, help="Ask the fleet which machine the line came from.")
def why(call: CommandCall, text: str, in_fleet: bool) -> int:
    """Show the messages, run and checks behind the line that TEXT names: its words, its id, a memory's id."""
    if in_fleet:
        from scrimshaw.cli.render.fleet import origin_lines

        return call.answer(call.fleet_memory(_NOTHING).fleet_origin(pasted(text)), origin_lines)
    memory = call.memory(_NOTHING)
    if held := memory.why_memory(text):
        return call.answer(held, render.why_memory_lines)
    return call.answer(memory.why(pasted(text)), render.why_lines)
