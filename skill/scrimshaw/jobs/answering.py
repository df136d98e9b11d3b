"""What somebody asked the daemon for, done and answered (jobs/asking is the other side).

What a request asks for is done whole, in the middle of a conversation too: whoever asked is waiting, before a
compaction for instance. One about a single session is answered as soon as that one is done; what waits
elsewhere is for the ordinary course.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from scrimshaw.clock import milliseconds
from scrimshaw.errors import Exit, UserError
from scrimshaw.jobs.run import Asked, Report, problems_of, run
from scrimshaw.jobs.target import Target
from scrimshaw.jobs.task import Stopped
from scrimshaw.store.ledger import Ledger
from scrimshaw.store.records import Request

# Whoever asked has long gone on without an answer; what they wanted is an ordinary look by now.
_STALE = timedelta(minutes=10)


def wanted(ledger: Ledger, moment: datetime) -> list[Request]:
    """Return the requests that somebody may be waiting for; older ones are answered with that."""
    requests = ledger.pending_requests("observe")
    since_ms = milliseconds(moment - _STALE)
    stale = [request.number for request in requests if request.at_ms < since_ms]
    if stale:
        problem = "This was asked for too long ago; it is done in the ordinary course."
        told = {"exit_code": int(Exit.PARTLY), "problems": [problem], "next": "scrimshaw status"}
        _settle(ledger, stale, moment, told)
    return [request for request in requests if request.number not in stale]


def next_of(requests: Sequence[Request]) -> list[Request]:
    """Return those of *requests* that one run answers: all about one session, these before the others."""
    session = next((request.session for request in requests if request.session), "")
    return [request for request in requests if request.session == session]


def answer(target: Target, ledger: Ledger, requests: Sequence[Request], asked: Asked) -> Report:
    """Do what was *asked* for by *requests* and say what came of it to those who wait."""
    numbers, moment = [request.number for request in requests], asked.now
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
            "is_session_known": report.observed.is_session_known,
            "problems": [*problems_of(report), *_unreadable(report)],
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


def _unreadable(report: Report) -> list[str]:
    return [problem for error in report.observed.unreadable.values() for problem in error.problems]
