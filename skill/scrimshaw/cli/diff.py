"""`scrimshaw diff`: what a revision of the section changed, or what differs between two."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from scrimshaw.cli.render.history import local, look, revision_object
from scrimshaw.cli.support.options import as_json, which
from scrimshaw.cli.support.terminal import as_said, tell
from scrimshaw.services.history.revisions import changed, difference, pair
from scrimshaw.store.ledger import Ledger
from scrimshaw.store.records import Revision
from scrimshaw.workspace import Target


@click.command()
@click.argument("revisions", nargs=-1, metavar="[REV] [REV]")
@which
@as_json
def command(
    revisions: tuple[str, ...],
    workspace: Path | None,
    agent: str | None,
    state_dir: Path | None,
    wants_json: bool,
) -> int:
    """Show what changed: in the newest revision, in REV, or from one REV to another.

    REV is a number of `scrimshaw log`, or a time: yesterday, "last Tuesday".
    """
    if len(revisions) > 2:
        raise click.UsageError("At most two revisions can be compared.")

    def tells(target: Target, ledger: Ledger, now: datetime) -> tuple[dict[str, Any], Callable[[], None]]:
        before, after = pair(target, ledger, revisions, now)
        names = (_name(before, target.zone), _name(after, target.zone))
        old = before.body if before else ""
        text = difference(old, after.body, names)
        added, removed = changed(old, after.body)
        told = {
            "before": revision_object(before) if before else None,
            "after": revision_object(after),
            "added": added,
            "removed": removed,
            "diff": text,
        }
        return told, lambda: tell(
            as_said(text.rstrip("\n")) or f"Nothing differs between {names[0]} and {names[1]}."
        )

    return look(workspace, agent, state_dir, wants_json=wants_json, tells=tells)


def _name(revision: Revision | None, zone: str) -> str:
    if revision is None:
        return "no section"
    return f"revision {revision.number} ({local(revision.at_ms, zone)})"
