"""What the verbs that look back have in common: one workspace, read only, and how things are named."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import click

from scrimshaw.cli.support.one_workspace import one_target
from scrimshaw.cli.support.options import wanted
from scrimshaw.cli.support.terminal import as_said, in_a_row
from scrimshaw.clock import now
from scrimshaw.core.types import Closed, Line
from scrimshaw.errors import Exit, UserError
from scrimshaw.services.edit.find_line import ID_SHOWN
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.records import Revision, Run
from scrimshaw.workspace import Target

_BECAME = {
    Closed.SUPERSEDED: "replaced since",
    Closed.WITHDRAWN: "withdrawn: it was never so",
    Closed.COMPLETED: "done since",
    Closed.MERGED: "told by another line since",
    Closed.DELETED: "taken out by hand",
    Closed.EDITED: "changed by hand",
    Closed.DROPPED: "retired",
    Closed.UNDONE: "undone",
    Closed.FORGOTTEN: "forgotten",
}
_WHY = {
    "command": "scrimshaw observe",
    "observe": "scrimshaw observe",
    "reflect": "a reflection",
    "note": "a note by hand",
    "hand": "an edit by hand",
    "undo": "an undo",
}

Tells = Callable[[Target, Ledger, datetime], tuple[dict[str, Any], Callable[[], None]]]


def look(
    workspace: Path | None, agent: str | None, state_dir: Path | None, *, wants_json: bool, tells: Tells
) -> int:
    """Open one workspace's ledger to read, and print what *tells* makes of it: an object, or for a person."""
    try:
        target = one_target(wanted(workspace, agent, state_dir), os.environ, undone="Nothing was shown.")
        with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
            told, say = tells(target, ledger, now(os.environ))
    except UserError as error:
        if not wants_json:
            raise
        problems = {"error": list(error.problems), "next_step": error.next_step}
        click.echo(json.dumps({**problems, "exit_code": int(error.exit_code)}))
        return int(error.exit_code)
    if wants_json:
        head = {"agent": target.agent_id, "workspace": str(target.layout.workspace), "zone": target.zone}
        click.echo(json.dumps({**head, **told, "exit_code": int(Exit.OK)}))
    else:
        say()
    return int(Exit.OK)


def local(at_ms: int, zone: str) -> str:
    """Return a time as its owner reads it."""
    return f"{datetime.fromtimestamp(at_ms / 1000, ZoneInfo(zone)):%Y-%m-%d %H:%M}"


def why(revision: Revision, run: Run | None) -> str:
    """Return why a revision was written, in words, with who noted."""
    reason = as_said(_WHY.get(revision.reason, revision.reason))  # told, and not to be typed
    who = f", noted by {run.observer}" if run and run.counts.accepted and run.observer != "hand" else ""
    return f"{reason}{who}"


def revision_object(revision: Revision) -> dict[str, Any]:
    """Return what a program is told of a revision."""
    return {
        "number": revision.number,
        "at_ms": revision.at_ms,
        "run_id": revision.run_id,
        "reason": revision.reason,
        "place": revision.place,
        "state": revision.state.value,
    }


def line_object(line: Line) -> dict[str, Any]:
    """Return what a program is told of a line."""
    observation, standing = line
    return {
        "id": observation.id,
        "text": observation.text,
        "kind": observation.kind.value,
        "priority": observation.priority,
        "done": observation.done,
        "place": standing.place.value,
        "date": observation.local_date,
        "time": observation.local_time,
        "said_at_ms": observation.said_at_ms,
        "author": observation.author.value,
        "closed": standing.closed.value if standing.closed else None,
        "is_shown": standing.is_live and standing.is_shown,
    }


def line_row(line: Line) -> str:
    """Return a line for a list of one day: mark, time, text, what became of it, and the id to name it by."""
    observation, standing = line
    mark = (
        "✅"
        if observation.done
        else "🔴"
        if observation.priority >= 4
        else "🟡"
        if observation.priority == 3
        else "🟢"
    )
    time = f"{observation.local_time} " if observation.local_time else ""
    became = f" ({became_of(line)})" if standing.closed else ""
    return f"{mark} {time}{in_a_row(observation.text)}{became}  [{observation.id[:ID_SHOWN]}]"


def became_of(line: Line) -> str:
    """Return what became of a closed line; "" for one that holds."""
    return _BECAME[line.standing.closed] if line.standing.closed else ""
