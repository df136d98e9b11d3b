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
from scrimshaw.errors import UserError
from scrimshaw.services.edit.find_line import ID_SHOWN
from scrimshaw.services.results import WorkspaceResult
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

Asks = Callable[[Target, datetime], WorkspaceResult]


def look(
    workspace: Path | None,
    agent: str | None,
    state_dir: Path | None,
    *,
    wants_json: bool,
    asks: Asks,
    say: Callable[[Any], None],
) -> int:
    """Print what *asks* of one workspace brings, as an object or as *say* says it."""
    try:
        target = one_target(wanted(workspace, agent, state_dir), os.environ, undone="Nothing was shown.")
        found = asks(target, now(os.environ))
    except UserError as error:
        if not wants_json:
            raise
        problems = {"error": list(error.problems), "next_step": error.next_step}
        click.echo(json.dumps({**problems, "exit_code": int(error.exit_code)}))
        return int(error.exit_code)
    if wants_json:
        click.echo(json.dumps(found.to_dict()))
    else:
        say(found)
    return int(found.exit_code)


def local(at_ms: int, zone: str) -> str:
    """Return a time as its owner reads it."""
    return f"{datetime.fromtimestamp(at_ms / 1000, ZoneInfo(zone)):%Y-%m-%d %H:%M}"


def why(revision: Revision, run: Run | None) -> str:
    """Return why a revision was written, in words, with who noted."""
    reason = as_said(_WHY.get(revision.reason, revision.reason))  # told, and not to be typed
    who = f", noted by {run.observer}" if run and run.counts.accepted and run.observer != "hand" else ""
    return f"{reason}{who}"


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
