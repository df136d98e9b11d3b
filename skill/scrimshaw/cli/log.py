"""`scrimshaw log`: the revisions of the section, the newest first."""

from __future__ import annotations

from pathlib import Path

import click

from scrimshaw.cli.render.history import local, look, why
from scrimshaw.cli.support.options import as_json, which
from scrimshaw.cli.support.terminal import tell
from scrimshaw.core.text.plural import counted
from scrimshaw.services.history.revisions import LogEntry, RevisionLog, log

_SHOWN = 20


@click.command()
@which
@click.option("--limit", type=click.IntRange(1, 100_000), default=_SHOWN, show_default=True, help="How many.")
@as_json
def command(
    workspace: Path | None, agent: str | None, state_dir: Path | None, limit: int, wants_json: bool
) -> int:
    """List what was written to the section: when, why, by which run, and how much changed."""

    return look(
        workspace,
        agent,
        state_dir,
        wants_json=wants_json,
        asks=lambda target, _now: log(target, limit),
        say=lambda found: _say(found, limit),
    )


def _say(log_: RevisionLog, limit: int) -> None:
    target, found = log_.target, log_.entries
    tell(f"{target.agent_id}  {target.layout.workspace}  (times are {target.zone})")
    if not found:
        tell("  Nothing was written to MEMORY.md yet.\nNext: scrimshaw observe")
        return
    for one in found:
        tell(f"  {_row(one, target.zone)}")
    if len(found) == limit:
        tell(f"The newest {limit}; more with --limit.")
    tell("See one: scrimshaw diff REV. Take one back: scrimshaw undo REV")


def _row(one: LogEntry, zone: str) -> str:
    revision = one.revision
    told = f"{revision.number:>5}  {local(revision.at_ms, zone)}  lines +{one.added} -{one.removed}"
    told += f", {one.moved} moved" if one.moved else ""
    told += f"  {counted(one.units, 'unit')}  {why(revision, one.run)}"
    if one.undoes:
        told += f" of {one.undoes}"
    if one.undone_by:
        told += f"; undone by {one.undone_by}"
    if revision.place != "MEMORY.md":
        told += f"; in {revision.place}"
    return told
