"""`scrimshaw as-of`: the section as it stood at some time, or what was known then."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from scrimshaw.cli.render.history import line_object, line_row, local, look, revision_object
from scrimshaw.cli.support.options import as_json, which
from scrimshaw.cli.support.terminal import printable, tell
from scrimshaw.clock import milliseconds
from scrimshaw.core.text.moments import EXAMPLES
from scrimshaw.core.types import Line
from scrimshaw.services.history.revisions import (
    Known,
    Stood,
    as_of,
    first_said_ms,
    is_by_hand,
    known_at,
    search_known,
    span_of,
)
from scrimshaw.store.ledger import Ledger
from scrimshaw.workspace import Target

Told = tuple[dict[str, Any], Callable[[], None]]


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

    def tells(target: Target, ledger: Ledger, now: datetime) -> Told:
        stood = as_of(target, ledger, span_of(date, now, target.zone, "DATE"), now)
        if question is None:
            return _object(stood), lambda: _say(stood, target.zone)
        known = known_at(ledger, milliseconds(stood.at))
        found = search_known(known, question, limit)
        hits = [{**line_object(one.line), "score": round(one.score, 3)} for one in found]
        why = "" if found else _why_nothing(known, first_said_ms(ledger), target.zone)
        told = {"answers": "known", "at": stood.at.isoformat(), "hits": hits, "why": why}
        return told, lambda: _say_hits(stood.at, found, why)

    return look(workspace, agent, state_dir, wants_json=wants_json, tells=tells)


def _object(stood: Stood) -> dict[str, Any]:
    return {
        "answers": "section",
        "at": stood.at.isoformat(),
        "revision": revision_object(stood.revision) if stood.revision else None,
        "body": stood.revision.body if stood.revision else "",
        "why": stood.why,
    }


def _say(stood: Stood, zone: str) -> None:
    """Print the body alone on standard output, so that it can be compared; what it is beside it."""
    if stood.revision is None:
        tell(f"{stood.at:%Y-%m-%d %H:%M}: {stood.why}", is_error=True)
        return
    revision = stood.revision
    what = "a person's edit, as it was found" if is_by_hand(revision) else f"in {revision.place}"
    told = f"The section as of {stood.at:%Y-%m-%d %H:%M}: revision {revision.number}"
    tell(f"{told} of {local(revision.at_ms, zone)}, {what}", is_error=True)
    is_seen = sys.stdout.isatty()
    click.echo(printable(revision.body) if is_seen else revision.body)


def _why_nothing(known: list[Line], first_ms: int | None, zone: str) -> str:
    if known:
        return "Nothing found."
    if first_ms is None:
        return "Nothing is noted here yet."
    return f"Nothing that is noted had been said yet; the first of it is of {local(first_ms, zone)}."


def _say_hits(at: datetime, found: list[Known], why: str) -> None:
    tell(
        f"Known at {at:%Y-%m-%d %H:%M}: everything said by then, also if noted later; what was taken back "
        "is marked."
    )
    if why:
        tell(f"  {why}")
    for one in found:
        day = one.line.observation.local_date
        tell(f"  {day}  {line_row(one.line)}")
