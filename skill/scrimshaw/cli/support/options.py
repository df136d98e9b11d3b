"""Options that several verbs share, and how they find what to work on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from scrimshaw.workspace import Wanted

F = TypeVar("F", bound=Callable[..., object])

_FOLDER = click.Path(file_okay=True, path_type=Path)


def which(function: F) -> F:
    """Add --workspace, --agent and --state-dir."""
    for option in (
        click.option(
            "--state-dir", type=_FOLDER, metavar="FOLDER", help="OpenClaw's state folder, if not ~/.openclaw."
        ),
        click.option("--agent", metavar="ID", help="Only this agent."),
        click.option("--workspace", type=_FOLDER, metavar="FOLDER", help="Only this agent's workspace."),
    ):
        function = option(function)
    return function


def as_json(function: F) -> F:
    """Add --json."""
    return click.option("--json", "wants_json", is_flag=True, help="Print one JSON object and nothing else.")(
        function
    )


def consent(function: F) -> F:
    """Add --yes."""
    return click.option("--yes", is_flag=True, help="Write without asking first.")(function)


def about_old_sessions(function: F) -> F:
    """Add --old-sessions."""
    return click.option(
        "--old-sessions",
        type=click.Choice(["private", "leave"]),
        help="Say what old conversations without a name were: private includes them, leave stops asking.",
    )(function)


def wanted(workspace: Path | None, agent: str | None, state_dir: Path | None) -> Wanted:
    """Return what the person named."""
    return Wanted(workspace, agent, state_dir)
