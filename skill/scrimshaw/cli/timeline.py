"""`scrimshaw timeline`: what was noted, day by day."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from scrimshaw.cli.render.history import line_object, line_row, local, look
from scrimshaw.cli.support.options import as_json, which
from scrimshaw.cli.support.terminal import tell
from scrimshaw.core.text.moments import EXAMPLES, Span
from scrimshaw.core.text.plural import counted
from scrimshaw.core.types import Line
from scrimshaw.errors import Exit, UserError
from scrimshaw.services.history.revisions import noted_between, span_of, unfinished_between
from scrimshaw.store.ledger import Ledger
from scrimshaw.store.records import Working
from scrimshaw.workspace import Target

_DAYS = 14
_MOST = 500


@click.command(epilog=f"A time is: {EXAMPLES}.")
@which
@click.option("--from", "since", metavar="DATE", help=f"From then on. Default: the last {_DAYS} days.")
@click.option("--to", "until", metavar="DATE", help="Up to then, that day included. Default: now.")
@click.option(
    "--limit", type=click.IntRange(1, 1_000_000), default=_MOST, show_default=True, help="How many."
)
@as_json
def command(
    workspace: Path | None,
    agent: str | None,
    state_dir: Path | None,
    since: str | None,
    until: str | None,
    limit: int,
    wants_json: bool,
) -> int:
    """List what was noted, day by day, each line with what became of it."""

    def tells(target: Target, ledger: Ledger, now: datetime) -> tuple[dict[str, Any], Callable[[], None]]:
        span = _span(since, until, now, target.zone)
        every = noted_between(ledger, span)
        found = every[-limit:]
        unfinished = unfinished_between(ledger, span)
        told = {
            "from": span.start.isoformat(),
            "to": span.end.isoformat(),
            "lines": [line_object(line) for line in found],
            "left_out": len(every) - len(found),
            "unfinished": [_object(one) for one in unfinished],
        }
        return told, lambda: _say(target, span, found, len(every) - len(found), unfinished)

    return look(workspace, agent, state_dir, wants_json=wants_json, tells=tells)


def _span(since: str | None, until: str | None, now: datetime, zone: str) -> Span:
    today = span_of("today", now, zone, "now")
    end = span_of(until, now, zone, "--to").end if until else today.end
    if since:
        start = span_of(since, now, zone, "--from").start
    else:
        start = min(today.start, end) - timedelta(days=_DAYS - 1)
    if start >= end:
        raise UserError(
            f"--from ({start:%Y-%m-%d %H:%M}) is not before --to ({end:%Y-%m-%d %H:%M}).",
            next_step="name an earlier day first",
            exit_code=Exit.USAGE,
        )
    return Span(start, end)


def _object(one: Working) -> dict[str, Any]:
    return {
        "session_id": one.session_id,
        "said_at_ms": one.said_at_ms,
        "task": one.state.task,
        "next": one.state.next,
    }


def _say(target: Target, span: Span, found: list[Line], left_out: int, unfinished: list[Working]) -> None:
    last = span.end - timedelta(milliseconds=1)
    tell(
        f"{target.agent_id}  {span.start:%Y-%m-%d %H:%M} to {last:%Y-%m-%d %H:%M}  (times are {target.zone})"
    )
    if not found:
        tell("  Nothing was noted then.\nNext: scrimshaw timeline --from DATE looks further back")
    if left_out:
        tell(f"  … {counted(left_out, 'older one')}; more with --limit")
    for day, lines in groupby(found, key=lambda line: line.observation.local_date):
        tell(day)
        for line in lines:
            tell(f"  {line_row(line)}")
    if unfinished:
        tell("Left unfinished then, as the model told it")
    for one in unfinished:
        task, then = one.state.task, one.state.next and f"next: {one.state.next}"
        tell(f"  {local(one.said_at_ms, target.zone)}  {'; '.join(filter(None, (task, then)))}")
