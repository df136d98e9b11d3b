"""`scrimshaw timeline`: what was noted, day by day."""

from __future__ import annotations

from datetime import timedelta
from itertools import groupby
from pathlib import Path

import click

from scrimshaw.cli.render.history import line_row, local, look
from scrimshaw.cli.support.options import as_json, which
from scrimshaw.cli.support.terminal import tell
from scrimshaw.core.text.moments import EXAMPLES
from scrimshaw.core.text.plural import counted
from scrimshaw.services.history.revisions import Timeline, timeline

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

    return look(
        workspace,
        agent,
        state_dir,
        wants_json=wants_json,
        asks=lambda target, now: timeline(target, now, since=since, until=until, limit=limit),
        say=_say,
    )


def _say(shown: Timeline) -> None:
    target, found, left_out, unfinished = shown.target, shown.lines, shown.left_out, shown.unfinished
    last = shown.end - timedelta(milliseconds=1)
    tell(
        f"{target.agent_id}  {shown.start:%Y-%m-%d %H:%M} to {last:%Y-%m-%d %H:%M}  (times are {target.zone})"
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
