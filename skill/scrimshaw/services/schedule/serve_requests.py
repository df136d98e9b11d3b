"""What somebody asked the daemon for, done and answered (services/schedule/ask_daemon is the other side).

What a request asks for is done whole, in the middle of a conversation too: whoever asked is waiting, before a
compaction for instance. One about a single session is answered as soon as that one is done; what waits
elsewhere is for the ordinary course.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from time import monotonic
from typing import Any

from scrimshaw.clock import milliseconds
from scrimshaw.config import OFFLINE
from scrimshaw.errors import Exit, UserError
from scrimshaw.services.observe.run import ObserveResult, problems_of, run
from scrimshaw.services.observe.task import ObserveOptions, RunStopped
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.records import QueuedRequest
from scrimshaw.workspace import Target

# Whoever asked has long gone on without an answer; what they wanted is an ordinary look by now.
_STALE = timedelta(minutes=10)
_LOOK_SECONDS = 0.5


def wanted(ledger: Ledger, moment: datetime) -> list[QueuedRequest]:
    """Return the requests that somebody may be waiting for; older ones are answered with that."""
    requests = ledger.pending_requests("observe")
    since_ms = milliseconds(moment - _STALE)
    stale = [request.number for request in requests if request.at_ms < since_ms]
    if stale:
        problem = "This was asked for too long ago; it is done in the ordinary course."
        told = {"exit_code": int(Exit.PARTLY), "problems": [problem], "next": "scrimshaw status"}
        _settle(ledger, stale, moment, told)
    return [request for request in requests if request.number not in stale]


def next_of(requests: Sequence[QueuedRequest]) -> list[QueuedRequest]:
    """Return those of *requests* that one run answers: all about one session, these before the others."""
    session = next((request.session for request in requests if request.session), "")
    return [request for request in requests if request.session == session]


def answer(
    target: Target,
    ledger: Ledger,
    requests: Sequence[QueuedRequest],
    moment: datetime,
    options: ObserveOptions,
) -> ObserveResult | None:
    """Do what *requests* ask for and say what came of it to those who wait.

    None: they have not waited and do it themselves, while a model was being asked; that call was given up.
    """
    numbers = [request.number for request in requests]
    is_stopped = options.is_stopped
    if options.opens is not None and target.config.settings.observer_model != OFFLINE:
        are_taken = _AreTaken(ledger.path, numbers)
        options = replace(options, is_stopped=lambda: is_stopped() or are_taken())
    told: dict[str, Any] = {
        "exit_code": int(Exit.DEFECT),
        "problems": ["The daemon met a defect of its own."],
    }
    try:
        report = run(target, moment, options)
        # That the rules had to do it is the owner's matter, not that of those who wait.
        waited_for = replace(report, observed=replace(report.observed, needs_owner=False))
        unreadable = [one for error in report.observed.unreadable.values() for one in error.problems]
        told = {
            "exit_code": int(waited_for.exit_code),
            "noted": report.observed.accepted,
            "section": report.published.result.value,
            "is_session_known": report.observed.is_session_known,
            "problems": [*problems_of(report), *unreadable],
        }
        return report
    except RunStopped:
        numbers = []  # for the next daemon, or with whoever has taken them
        if is_stopped():
            raise
        return None
    except UserError as error:
        told = {"exit_code": int(error.exit_code), "problems": list(error.problems), "next": error.next_step}
        raise
    finally:
        _settle(ledger, numbers, moment, told)


class _AreTaken:
    """Whether requests were taken over by those who asked; looked up now and then, from any thread."""

    def __init__(self, ledger_path: Path, numbers: Sequence[int]) -> None:
        self._path, self._numbers = ledger_path, numbers
        self._next_look, self._are_taken = 0.0, False

    def __call__(self) -> bool:
        if not self._are_taken and (moment := monotonic()) >= self._next_look:
            self._next_look = moment + _LOOK_SECONDS
            with open_ledger(self._path, create=False, read_only=True) as ledger:
                self._are_taken = all(ledger.answer(number) is not None for number in self._numbers)
        return self._are_taken


def _settle(ledger: Ledger, numbers: Sequence[int], moment: datetime, told: dict[str, Any]) -> None:
    ledger.settle_requests(numbers, outcome=json.dumps(told), at_ms=milliseconds(moment))
