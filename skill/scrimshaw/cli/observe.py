"""`scrimshaw observe`: read what is new, note what matters, bring MEMORY.md up to date. Once."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import click

from scrimshaw.cli.support.options import about_old_sessions, as_json, consent, wanted, which
from scrimshaw.cli.support.running import Way, go
from scrimshaw.errors import UserError


@click.command()
@which
@click.option(
    "--since",
    metavar="DATE",
    help="Ignore messages before this day. They are marked as read and never processed later.",
)
@click.option("--dry-run", is_flag=True, help="Show what would change in MEMORY.md and write nothing.")
@click.option("--if-due", is_flag=True, help="Do nothing unless enough is waiting (for timers).")
@click.option("--now", "takes_all", is_flag=True, help="Do not wait for an exchange that is still going on.")
@click.option(
    "--session",
    default="",
    metavar="KEY",
    help="Process this conversation first (session key or id), and take its last exchange as finished.",
)
@click.option(
    "--through-daemon",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Ask a running daemon. If it has not answered after half of SECONDS, run here instead.",
)
@click.option(
    "--show-request",
    is_flag=True,
    help="Print exactly what would be sent to a model next. Nothing is sent or written.",
)
@about_old_sessions
@consent
@as_json
def command(
    workspace: Path | None,
    agent: str | None,
    state_dir: Path | None,
    since: str | None,
    dry_run: bool,
    if_due: bool,
    takes_all: bool,
    session: str,
    through_daemon: float | None,
    show_request: bool,
    old_sessions: str | None,
    yes: bool,
    wants_json: bool,
) -> int:
    """Read new messages, note what matters and bring MEMORY.md up to date."""
    if show_request:
        from scrimshaw.cli.render.request import show_requests  # what it takes to ask a model

        return show_requests(
            wanted(workspace, agent, state_dir),
            os.environ,
            session=session.strip(),
            waits=not takes_all,
            wants_json=wants_json,
        )
    way = Way(
        dry_run=dry_run,
        if_due=if_due,
        waits=not takes_all,
        yes=yes,
        wants_json=wants_json,
        since=_day(since),
        daemon_seconds=through_daemon or 0.0,
        session=session.strip(),
        old_sessions=old_sessions or "",
    )
    return go(wanted(workspace, agent, state_dir), way, os.environ)


def _day(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        # Midnight of the reader's day; which zone that is, the target knows (cli/support/running).
        return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo("UTC"))
    except ValueError:
        raise UserError(
            f"--since {text}: this is not a date.", next_step="write it like 2026-11-20"
        ) from None
