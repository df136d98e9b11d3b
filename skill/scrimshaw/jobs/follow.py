"""One look at a workspace and what it found due: what the daemon does, again and again, for each of them.

What is due is core/policy's to say. Each part is a run of its own and safe to be killed in; what a request
asked for is done whole, in the middle of a conversation too. Reflecting comes before writing, so that
MEMORY.md changes once.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from scrimshaw.clock import milliseconds
from scrimshaw.errors import Exit, UserError
from scrimshaw.jobs.backlog import Outlook, Reflects, look
from scrimshaw.jobs.reflect import reflect
from scrimshaw.jobs.run import Asked, Report, run
from scrimshaw.jobs.target import Target
from scrimshaw.jobs.task import Observer
from scrimshaw.store.ledger import Ledger, open_ledger

_MOST_STEPS = 5
# Nothing came of it (an exchange that goes on, a store that cannot be read): not again at once.
_RETRY_SECONDS = 60.0


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


def follow(
    target: Target,
    moment: datetime,
    terms: Terms = Terms(),  # noqa: B008  # frozen
    reflects: Reflects = Reflects.WHEN_DUE,
) -> Followed:
    """Do everything that is due in *target*'s workspace at *moment*; raises UserError, and Stopped."""
    did: list[str] = []
    reports: list[Report] = []
    for _ in range(_MOST_STEPS):
        with open_ledger(target.layout.ledger, create=False) as ledger:
            if requests := [request.number for request in ledger.pending_requests("observe")]:
                reports.append(_answer(target, ledger, requests, moment, terms))
                did += ["observed", "published"]
                continue
            outlook = look(target, ledger, moment, reflects)
            if outlook.reflect.is_due and not outlook.observe.is_due:
                did.append("reflected")
                reflect(target, ledger, now=moment, trigger=outlook.reflect.reason)
                reflects = Reflects.WHEN_LARGE
                continue
        asked = _asked(outlook, moment, terms)
        if asked is None:
            return _followed(did, reports, outlook.in_seconds)
        reports.append(run(target, asked))
        did.append("observed" if asked.observes else "published")
        if asked.observes and not reports[-1].observed.entries:
            return _followed(did, reports, _RETRY_SECONDS)
    return _followed(did, reports, _RETRY_SECONDS)


def _asked(outlook: Outlook, moment: datetime, terms: Terms) -> Asked | None:
    """Return the run that is due, None when none is."""
    if outlook.observe.is_due:
        return Asked(
            moment,
            trigger=outlook.observe.reason,
            waits=not outlook.backlog.has_ended,
            writes_section=outlook.may_publish.is_due and not outlook.reflect.is_due,
            is_stopped=terms.is_stopped,
            observer=terms.observer,
        )
    if outlook.publishes:
        return Asked(moment, trigger=outlook.may_publish.reason, observes=False)
    return None


def _answer(target: Target, ledger: Ledger, numbers: list[int], moment: datetime, terms: Terms) -> Report:
    """Do what was asked for and say what came of it to those who wait."""
    asked = Asked(
        moment, trigger="a request", waits=False, is_stopped=terms.is_stopped, observer=terms.observer
    )
    try:
        report = run(target, asked)
    except UserError as error:
        answer = {
            "exit_code": int(error.exit_code),
            "problems": list(error.problems),
            "next": error.next_step,
        }
        ledger.settle_requests(numbers, outcome=json.dumps(answer), at_ms=milliseconds(moment))
        raise
    told = {
        "exit_code": int(report.exit_code),
        "noted": report.observed.accepted,
        "section": report.published.result.value,
    }
    ledger.settle_requests(numbers, outcome=json.dumps(told), at_ms=milliseconds(moment))
    return report


def _followed(did: list[str], reports: list[Report], in_seconds: float) -> Followed:
    problems = [
        *(
            text
            for report in reports
            for error in report.observed.unreadable.values()
            for text in error.problems
        ),
        *(text for report in reports for text in report.published.problems),
    ]
    worst = max((report.exit_code for report in reports), default=Exit.OK)
    wait = _RETRY_SECONDS if worst is not Exit.OK else in_seconds
    return Followed(tuple(dict.fromkeys(did)), wait, tuple(dict.fromkeys(problems)), worst)
