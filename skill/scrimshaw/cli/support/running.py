"""Runs as the command line makes them: every workspace in turn, consent first, progress on a terminal."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from math import inf
from time import monotonic
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo

import click

from scrimshaw.cli.render.run_report import diff, report_lines
from scrimshaw.cli.support.progress import Telling, about_windows, interruptible, reading_bar, windows_bar
from scrimshaw.cli.support.terminal import as_said, tell
from scrimshaw.clock import now
from scrimshaw.config import OFFLINE
from scrimshaw.errors import Exit, UserError
from scrimshaw.logs import logging_to
from scrimshaw.services.edit.author import is_agents_shell
from scrimshaw.services.observe import old_sessions
from scrimshaw.services.observe.run import ObserveResult, rehearse, run
from scrimshaw.services.observe.task import ObserveOptions
from scrimshaw.services.publish.result import Result
from scrimshaw.services.schedule.ask_daemon import ask
from scrimshaw.services.status.backlog import is_due
from scrimshaw.setup.choosing import Chosen
from scrimshaw.workspace import Target, Wanted, find_targets, is_set_up, own_folder

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
    chooses: Callable[[Target], Chosen | None] | None = None  # who notes; asked in a new workspace alone
    is_first: bool = False  # a model that was just chosen begins: somebody waits for the first section
    old_sessions: str = ""  # "private" or "leave": what nameless old conversations were


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
            report = _one(target, way, moment, env)
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
            results.append(report.to_dict())
    code = max(codes, default=Exit.OK) if len(set(codes)) <= 1 else Exit.PARTLY
    if way.wants_json:
        click.echo(json.dumps({"workspaces": results, "notes": list(notes), "exit_code": int(code)}))
    return int(code)


def _one(target: Target, way: Way, moment: datetime, env: Mapping[str, str]) -> ObserveResult | None:
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
    if not is_set_up(target.layout):
        if not way.yes and not _agrees(target, way, moment):
            return None
        if way.chooses is not None:
            own_folder(target)
            if chosen := way.chooses(target):
                target = chosen.target
                if chosen.is_ready and not chosen.overruled:
                    way = way._replace(brings_back=False, is_first=True)  # nothing was removed here yet
    _settle_old_sessions(target, way, env)
    ends_at = monotonic() + rest_seconds

    stops_at = began + (way.daemon_seconds * _READING_SHARE or inf)

    with logging_to(target.layout), interruptible(asks_model(target, way)) as is_interrupted:

        def work(telling: Telling) -> ObserveResult:
            asked = replace(
                _asked(target, way, moment, telling),
                is_late=lambda: monotonic() >= ends_at,
                is_out_of_time=lambda: monotonic() >= stops_at,
            )
            if asks_model(target, way):
                from scrimshaw.models.opening import opener  # only where a model is to be asked

                asked = replace(asked, opens=opener(env), is_interrupted=is_interrupted)
            return run(target, moment, asked)

        report = _with_progress(target, way, moment, work)
    for line in report_lines(report):
        _say(way, line)
    if report.observed.is_interrupted:
        raise click.Abort  # no other workspace is begun
    return report


def _settle_old_sessions(target: Target, way: Way, env: Mapping[str, str]) -> None:
    """Ask once what conversations without a name were; what the command says counts for all of them."""
    if way.old_sessions:
        if is_agents_shell(env):
            raise UserError(
                "An agent's shell cannot say for the person which conversations were private. "
                "Nothing was changed.",
                next_step="ask the person to run this in their own terminal: "
                f"scrimshaw observe --old-sessions {way.old_sessions}",
                exit_code=Exit.REFUSED,
            )
        found = old_sessions.nameless(target)
        old_sessions.decide(target, found, are_private=way.old_sessions == "private")
        return
    is_else = way.edits_are_accepted or way.edits_are_refused or way.if_due or way.daemon_seconds
    if is_else or way.yes or way.wants_json or not sys.stdin.isatty():
        return
    if is_agents_shell(env) or not (found := old_sessions.undecided(target)):
        return
    zone = ZoneInfo(target.zone)
    first, last = (datetime.fromtimestamp(one.newest_at_ms / 1000, zone) for one in (found[0], found[-1]))
    tell(
        f"{len(found)} old conversation(s) of {target.agent_id}, last used {first:%Y-%m-%d} to "
        f"{last:%Y-%m-%d}, carry no name any more, and nothing in them proves that only you and the agent "
        "spoke there. MEMORY.md is private: what was said in a group has to stay out of it."
    )
    are_private = click.confirm("Were they all private?", default=False)
    old_sessions.decide(target, found, are_private=are_private)


def asks_model(target: Target, way: Way) -> bool:
    """Tell whether a model may be asked: not where somebody waits, only looks, or is about something else."""
    is_else = way.edits_are_accepted or way.edits_are_refused or way.brings_back
    is_waited_for = bool(way.session or way.daemon_seconds)
    return is_set_up_with_model(target) and not (way.dry_run or is_else or is_waited_for)


def is_set_up_with_model(target: Target) -> bool:
    """Tell whether the owner has chosen a model to note."""
    return target.config.settings.observer_model != OFFLINE


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


def _rehearsed(target: Target, way: Way, moment: datetime) -> ObserveResult:
    report = _with_progress(
        target, way, moment, lambda telling: rehearse(target, moment, _asked(target, way, moment, telling))
    )
    for line in report_lines(report):
        _say(way, line)
    changes = diff(report.published)
    if changes:
        _say(way, f"\n{as_said(changes)}")
    _say(way, "Nothing was written (--dry-run).")
    return report


def _agrees(target: Target, way: Way, moment: datetime) -> bool:
    """Show what a first run would write and ask (rule 12)."""
    if way.wants_json or not sys.stdin.isatty():
        from scrimshaw.setup.receipt import setting_up  # only where it is needed

        command = setting_up(os.environ, target.agents[0].state_dir)
        raise UserError(
            f"{target.layout.workspace}: Scrimshaw has not written here before, and there is nobody to ask. "
            "Nothing was written.",
            next_step=f"look first with: scrimshaw preview; agree with: {command} --yes",
        )
    report = _with_progress(
        target, way, moment, lambda telling: rehearse(target, moment, _asked(target, way, moment, telling))
    )
    for line in report_lines(report):
        _say(way, line)
    if report.published.result is Result.SHOWN:
        _say(
            way,
            f"\nThis would be the section of {report.published.path}:\n\n{as_said(report.published.body)}\n",
        )
    folder = target.layout.workspace
    tell(f"Beside it, in {folder}: .scrimshaw (the ledger) and memory/observations (dated files).")
    if asks_model(target, way):
        tell(
            f"These are the rules' lines, and nothing was sent. With your yes "
            f"{target.config.settings.observer_model} gets to see these conversations and writes its own."
        )
    if click.confirm("Write them?", default=False):
        return True
    _say(way, "Nothing was written.")
    return False


def _asked(target: Target, way: Way, moment: datetime, telling: Telling) -> ObserveOptions:
    since = way.since.replace(tzinfo=ZoneInfo(target.zone)) if way.since else None
    if since and since > moment:
        # What is older is set aside for good: a slip of the pen would set everything aside.
        raise UserError(
            f"--since {since:%Y-%m-%d}: this day is still to come. Nothing was read or written.",
            next_step="name a day in the past, like 2026-11-20",
        )
    return ObserveOptions(
        since=since,
        waits=way.waits,
        edits_are_accepted=way.edits_are_accepted,
        edits_are_refused=way.edits_are_refused,
        brings_back=way.brings_back,
        on_read=telling.on_read,
        on_window=telling.on_window,
        # With a model, what waits is its to note: a word about the section is no reason to do without it.
        observes=not ((way.edits_are_accepted or way.edits_are_refused) and is_set_up_with_model(target)),
        session=way.session,
        may_wait_for_model=not way.is_first,  # what it cannot do now, the rules do
    )


def _with_progress(
    target: Target, way: Way, moment: datetime, work: Callable[[Telling], ObserveResult]
) -> ObserveResult:
    if way.wants_json or not sys.stderr.isatty():
        return work(Telling())
    if asks_model(target, way):
        with windows_bar(target.config.settings.observer_model, about_windows(target, moment)) as telling:
            return work(telling)
    with reading_bar() as telling:
        return work(telling)


def _say(way: Way, text: str) -> None:
    if not way.wants_json:
        tell(text)
