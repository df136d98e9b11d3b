"""`scrimshaw as-of`: the section as it stood at some time, or what was known then."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from scrimshaw.cli.render.history import line_row, local, look
from scrimshaw.cli.support.options import as_json, which
from scrimshaw.cli.support.terminal import printable, tell
from scrimshaw.core.text.moments import EXAMPLES
from scrimshaw.services.history.revisions import KnownAt, SectionAsOf, answers_at, is_by_hand, section_as_of


@click.command(epilog=f"DATE is a day or a time: {EXAMPLES}. A day means the end of that day.")
@click.argument("date")
@which
@click.option(
    "--search",
    "question",
    metavar="QUERY",
    help="Search what was known then, instead of printing the section.",
)
@click.option(
    "--limit", type=click.IntRange(1, 1000), default=10, show_default=True, help="At most this many results."
)
@as_json
def command(
    date: str,
    workspace: Path | None,
    agent: str | None,
    state_dir: Path | None,
    question: str | None,
    limit: int,
    wants_json: bool,
) -> int:
    """Print the section exactly as the agent saw it at DATE; with --search what had been said by then."""

    if question is None:
        return look(
            workspace,
            agent,
            state_dir,
            wants_json=wants_json,
            asks=lambda target, now: section_as_of(target, date, now),
            say=_say,
        )
    return look(
        workspace,
        agent,
        state_dir,
        wants_json=wants_json,
        asks=lambda target, now: answers_at(target, date, question, limit, now),
        say=_say_hits,
    )


def _say(stood: SectionAsOf) -> None:
    """Print the body alone on standard output, so that it can be compared; what it is beside it."""
    if stood.revision is None:
        tell(f"{stood.at:%Y-%m-%d %H:%M}: {stood.why}", is_error=True)
        return
    revision = stood.revision
    what = "a person's edit, as it was found" if is_by_hand(revision) else f"in {revision.place}"
    told = f"The section as of {stood.at:%Y-%m-%d %H:%M}: revision {revision.number}"
    tell(f"{told} of {local(revision.at_ms, stood.target.zone)}, {what}", is_error=True)
    is_seen = sys.stdout.isatty()
    click.echo(printable(revision.body) if is_seen else revision.body)


def _say_hits(found: KnownAt) -> None:
    tell(
        f"Known at {found.at:%Y-%m-%d %H:%M}: everything said by then, also if noted later; what was taken "
        "back is marked."
    )
    if found.why:
        tell(f"  {found.why}")
    for one in found.hits:
        day = one.line.observation.local_date
        tell(f"  {day}  {line_row(one.line)}")
