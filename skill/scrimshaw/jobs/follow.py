"""One look at a workspace and what it found due: what the daemon does, again and again, for each of them.

What is due is core/policy's to say. Each part is a run of its own and safe to be killed in; what a request
asked for is done whole, in the middle of a conversation too. Reflecting comes before writing, so that
MEMORY.md changes once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from scrimshaw.clock import milliseconds
from scrimshaw.config import seconds
from scrimshaw.errors import Exit, UserError
from scrimshaw.jobs import folded
from scrimshaw.jobs.backlog import Outlook, Reflects, look
from scrimshaw.jobs.order import REFUSED, Result
from scrimshaw.jobs.reflect import reflect
from scrimshaw.jobs.run import Asked, Report, run
from scrimshaw.jobs.target import Target
from scrimshaw.jobs.task import Observer, Stopped
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.records import Request

_MOST_STEPS = 6
# Nothing came of it (an exchange that goes on, a store that cannot be read): not again at once.
RETRY_SECONDS = 60.0
_LEAST_SECONDS = 30.0
# Whoever asked has long gone on without an answer; what they wanted is an ordinary look by now.
_STALE = timedelta(minutes=10)


class Terms(NamedTuple):
    """How the runs of a look go: when they stop early, and who observes."""

    is_stopped: Callable[[], bool] = lambda: False
    observer: Observer | None = None


class Followed(NamedTuple):
    """What was done, and when to look again if nothing happens before."""

    did: tuple[str, ...]  # "observed", "reflected", "published"
    in_seconds: float  # inf: only something new makes anything due
    problems: tuple[str, ...] = ()
    exit_code: Exit = Exit.OK
    has_published: bool = False  # so that what was told of the section before no longer holds
    tired_seconds: float = 0.0  # how long what waits of an exchange that goes on is let alone


def follow(
    target: Target,
    moment: datetime,
    terms: Terms = Terms(),  # noqa: B008  # frozen
    reflects: Reflects = Reflects.WHEN_DUE,
    *,
    is_tired: bool = False,
) -> Followed:
    """Do everything that is due in *target*'s workspace at *moment*; raises UserError, and Stopped.

    *is_tired*: it was so a moment ago (Followed).
    """
    did: list[str] = []
    reports: list[Report] = []
    outlook: Outlook | None = None
    has_read_end = is_fruitless = False
    tired = 0.0
    for _ in range(_MOST_STEPS):
        with open_ledger(target.layout.ledger, create=False) as ledger:
            if requests := _wanted(ledger, moment):
                reports.append(_answer(target, ledger, requests, moment, terms))
                did += ["observed", "published"]
                continue
            outlook = look(target, ledger, moment, reflects, is_tired=is_tired)
            if has_read_end and not outlook.backlog.has_ended:
                folded.note_ended(ledger)
                has_read_end = False
                continue
            observes = outlook.observe.is_due and not is_fruitless
            if outlook.reflect.is_due and not observes:
                did.append("reflected")
                reflect(target, ledger, now=moment, trigger=outlook.reflect.reason)
                reflects = Reflects.WHEN_LARGE
                continue
        asked = _asked(outlook, moment, terms, observes=observes)
        if asked is None:
            break
        report = run(target, asked)
        reports.append(report)
        did.append("observed" if asked.observes else "published")
        if asked.observes:
            is_fruitless = not report.observed.entries
            has_read_end = outlook.backlog.has_ended
            tired = _tired_seconds(target, report)
            is_tired = is_tired or tired > 0
    return _followed(did, reports, outlook, tired)


def _asked(outlook: Outlook, moment: datetime, terms: Terms, *, observes: bool) -> Asked | None:
    """Return the run that is due, None when none is."""
    if observes:
        return Asked(
            moment,
            trigger=outlook.observe.reason,
            waits=not outlook.backlog.has_ended,
            writes_section=outlook.may_publish.is_due and not outlook.reflect.is_due,
            is_routine=True,
            is_stopped=terms.is_stopped,
            observer=terms.observer,
        )
    if outlook.publishes:
        return Asked(moment, trigger=outlook.may_publish.reason, observes=False, is_routine=True)
    return None


def _wanted(ledger: Ledger, moment: datetime) -> list[Request]:
    """Return the requests that somebody may be waiting for; older ones are answered with that."""
    requests = ledger.pending_requests("observe")
    since_ms = milliseconds(moment - _STALE)
    stale = [request.number for request in requests if request.at_ms < since_ms]
    if stale:
        told = {"exit_code": int(Exit.PARTLY), "problems": ["No daemon ran when this was asked for."]}
        _settle(ledger, stale, moment, told)
    return [request for request in requests if request.number not in stale]


def _answer(
    target: Target, ledger: Ledger, requests: Sequence[Request], moment: datetime, terms: Terms
) -> Report:
    """Do what was asked for and say what came of it to those who wait."""
    numbers = [request.number for request in requests]
    asked = Asked(
        moment, trigger="a request", waits=False, is_stopped=terms.is_stopped, observer=terms.observer
    )
    told: dict[str, Any] = {
        "exit_code": int(Exit.DEFECT),
        "problems": ["The daemon met a defect of its own."],
    }
    try:
        report = run(target, asked)
        told = {
            "exit_code": int(report.exit_code),
            "noted": report.observed.accepted,
            "section": report.published.result.value,
            "problems": list(problems_of([report])),
        }
        return report
    except Stopped:
        numbers = []  # for the next daemon
        raise
    except UserError as error:
        told = {"exit_code": int(error.exit_code), "problems": list(error.problems), "next": error.next_step}
        raise
    finally:
        _settle(ledger, numbers, moment, told)


def _settle(ledger: Ledger, numbers: Sequence[int], moment: datetime, told: dict[str, Any]) -> None:
    ledger.settle_requests(numbers, outcome=json.dumps(told), at_ms=milliseconds(moment))


def _followed(
    did: list[str], reports: list[Report], outlook: Outlook | None, tired_seconds: float
) -> Followed:
    unreadable = outlook.problems if outlook else ()
    worst = max((report.exit_code for report in reports), default=Exit.OK)
    in_seconds = outlook.in_seconds if outlook else 0.0
    if unreadable or worst is not Exit.OK:
        in_seconds = RETRY_SECONDS
    if tired_seconds:
        # Not at once, though silence or an end may come before the time is over.
        in_seconds = min(max(in_seconds, _LEAST_SECONDS), tired_seconds)
    return Followed(
        did=tuple(dict.fromkeys(did)),
        in_seconds=in_seconds,
        problems=tuple(dict.fromkeys([*problems_of(reports), *unreadable])),
        exit_code=max(worst, Exit.MENDABLE) if unreadable else worst,
        has_published=any(report.published.result is not Result.LATER for report in reports),
        tired_seconds=tired_seconds,
    )


def _tired_seconds(target: Target, report: Report) -> float:
    """Return how long to let alone what a run has left: a piece every few seconds is no window."""
    if not report.observed.entries:
        return RETRY_SECONDS
    return float(seconds(target.config.settings.idle_interval)) if report.observed.held_back else 0.0


def problems_of(reports: Sequence[Report]) -> tuple[str, ...]:
    """Return what the owner should mend, in sentences."""
    told: list[str] = []
    for report in reports:
        told += [problem for error in report.observed.unreadable.values() for problem in error.problems]
        told += report.published.problems if report.published.result in REFUSED | {Result.NO_ROOM} else ()
    return tuple(dict.fromkeys(told))
