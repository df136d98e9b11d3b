"""Runs as the command line makes them: every workspace in turn, consent first, progress on a terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from math import inf
from time import monotonic
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo

import click

from scrimshaw.cli.telling import as_object, diff, report_lines
from scrimshaw.cli.terminal import tell
from scrimshaw.clock import milliseconds, now
from scrimshaw.errors import Exit, UserError
from scrimshaw.jobs.asking import ask
from scrimshaw.jobs.backlog import is_due
from scrimshaw.jobs.order import Result
from scrimshaw.jobs.run import Asked, Report, rehearse, run
from scrimshaw.jobs.target import Target, Wanted, find_targets, is_set_up
from scrimshaw.logs import logging_to

# How much of the time may go to other conversations, when one was asked for: its host waits meanwhile.
_REST_SHARE = 0.25
_READING_SHARE = 0.8  # … and for everything: what is noted by then is still to be written


class Way(NamedTuple):
    """How a run goes."""

    dry_run: bool = False
    if_due: bool = False
    waits: bool = True
    yes: bool = False
    wants_json: bool = False
    since: datetime | None = None  # a naive day in the reader's zone, carried as UTC
    edits_are_accepted: bool = False
    edits_are_refused: bool = False
    brings_back: bool = False  # a section that was removed by hand
    daemon_seconds: float = 0.0  # how long a daemon and we have for it; 0: it is done here, without haste
    session: str = ""  # a conversation's key or id: it comes first


def go(wanted: Wanted, way: Way, env: Mapping[str, str]) -> int:
    """Run for every wanted workspace and return the exit code; one that fails does not stop the others."""
    targets, notes = find_targets(wanted, env)
    moment = now(env)
    results: list[dict[str, object]] = []
    codes: list[int] = []
    for note in notes:
        _say(way, note)
    for target in targets:
        try:
            report = _one(target, way, moment)
        except UserError as error:
            if len(targets) == 1 and not way.wants_json:
                raise
            _say(way, f"{target.agent_id}  {target.layout.workspace}\n{error}")
            codes.append(error.exit_code)
            results.append(
                {
                    "agent": target.agent_id,
                    "workspace": str(target.layout.workspace),
                    "error": list(error.problems),
                    "next_step": error.next_step,
                    "exit_code": int(error.exit_code),
                }
            )
            continue
        codes.append(report.exit_code if report else Exit.OK)
        if report:
            results.append(as_object(report))
    code = max(codes, default=Exit.OK) if len(set(codes)) <= 1 else Exit.PARTLY
    if way.wants_json:
        click.echo(json.dumps({"workspaces": results, "notes": list(notes), "exit_code": int(code)}))
    return int(code)


def _one(target: Target, way: Way, moment: datetime) -> Report | None:
    """Run for one workspace; None when it was not due or not agreed to."""
    began = monotonic()
    if way.if_due and is_set_up(target.layout):
        due = is_due(target, moment)
        if not due.is_due:
            _say(way, f"{target.agent_id}  {target.layout.workspace}\n  Not due: {due.reason}.")
            return None
    if way.dry_run:
        return _rehearsed(target, way, moment)
    rest_seconds = way.daemon_seconds * _REST_SHARE if way.session and way.daemon_seconds else inf
    if way.daemon_seconds and not way.since and is_set_up(target.layout):
        match _through_daemon(target, way, moment):
            case "done":
                return None
            case "busy" if way.session:
                rest_seconds = 0.0  # what waits elsewhere is the daemon's
    if not is_set_up(target.layout) and not way.yes and not _agrees(target, way, moment):
        return None
    ends_at = monotonic() + rest_seconds

    stops_at = began + (way.daemon_seconds * _READING_SHARE or inf)

    def asked(on_read: Callable[[int], None]) -> Asked:
        return replace(
            _asked(target, way, moment, on_read),
            is_late=lambda: monotonic() >= ends_at,
            is_out_of_time=lambda: monotonic() >= stops_at,
        )

    with logging_to(target.layout):
        report = _with_progress(way, lambda on_read: run(target, asked(on_read)))
    for line in report_lines(report):
        _say(way, line)
    return report


def _through_daemon(target: Target, way: Way, moment: datetime) -> Literal["done", "busy", "nobody"]:
    """Ask the daemon, if one runs, and tell what it did; raises UserError when it failed."""
    answer = ask(target, moment, by="observe", timeout_seconds=way.daemon_seconds, session=way.session)
    if answer == "busy":
        _say(way, f"{target.agent_id}  {target.layout.workspace}")
        _say(way, "  The daemon is busy with something else; this is done without it.")
    if isinstance(answer, str):
        return answer
    if code := Exit(answer["exit_code"]):
        problems = answer.get("problems") or ["The daemon has done it, but not everything went well."]
        raise UserError(*problems, next_step=answer.get("next") or "scrimshaw status", exit_code=code)
    _say(way, f"{target.agent_id}  {target.layout.workspace}")
    if way.session and not answer.get("is_session_known"):
        _say(way, f"  No conversation {way.session} is known here: an ordinary run was made.")
    _say(way, f"  Done by the daemon: {answer['noted']} noted, section {answer['section']}.")
    return "done"


def _rehearsed(target: Target, way: Way, moment: datetime) -> Report:
    report = _with_progress(way, lambda on_read: rehearse(target, _asked(target, way, moment, on_read)))
    for line in report_lines(report):
        _say(way, line)
    changes = diff(report.published)
    if changes:
        _say(way, f"\n{changes}")
    _say(way, "Nothing was written (--dry-run).")
    return report


def _agrees(target: Target, way: Way, moment: datetime) -> bool:
    """Show what a first run would write and ask (rule 12)."""
    if way.wants_json or not sys.stdin.isatty():
        raise UserError(
            f"{target.layout.workspace}: Scrimshaw has not written here before, and there is nobody to ask. "
            "Nothing was written.",
            next_step="look first with: scrimshaw preview; agree with: scrimshaw init --yes",
        )
    report = _with_progress(way, lambda on_read: rehearse(target, _asked(target, way, moment, on_read)))
    for line in report_lines(report):
        _say(way, line)
    if report.published.result is Result.SHOWN:
        _say(way, f"\nThis would be the section of {report.published.path}:\n\n{report.published.body}\n")
    folder = target.layout.workspace
    tell(f"Beside it, in {folder}: .scrimshaw (the ledger) and memory/observations (dated files).")
    if click.confirm("Write them?", default=False):
        return True
    _say(way, "Nothing was written.")
    return False


def _asked(target: Target, way: Way, moment: datetime, on_read: Callable[[int], None]) -> Asked:
    since = way.since.replace(tzinfo=ZoneInfo(target.zone)) if way.since else None
    if since and since > moment:
        # What is older is set aside for good: a slip of the pen would set everything aside.
        raise UserError(
            f"--since {since:%Y-%m-%d}: this day is still to come. Nothing was read or written.",
            next_step="name a day in the past, like 2026-11-20",
        )
    return Asked(
        moment,
        since_ms=milliseconds(since) if since else None,
        waits=way.waits,
        edits_are_accepted=way.edits_are_accepted,
        edits_are_refused=way.edits_are_refused,
        brings_back=way.brings_back,
        on_read=on_read,
        session=way.session,
    )


def _with_progress(way: Way, work: Callable[[Callable[[int], None]], Report]) -> Report:
    if way.wants_json or not sys.stderr.isatty():
        return work(lambda _bytes: None)
    with _bar() as on_read:
        return work(on_read)


@contextmanager
def _bar() -> Iterator[Callable[[int], None]]:
    """Show how much has been read, once it is more than a moment's work."""
    from rich.console import Console  # rich: only on a terminal
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("Reading transcripts"), BarColumn(), DownloadColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=None)
        yield lambda read: progress.update(task, advance=read)


def _say(way: Way, text: str) -> None:
    if not way.wants_json:
        tell(text)
