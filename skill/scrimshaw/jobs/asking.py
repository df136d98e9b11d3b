"""Ask the daemon of a workspace to observe now, and wait for its answer (rule 10).

The request is a row in the ledger; touching the wake file only makes it noticed sooner. Without a daemon, or
when it goes away meanwhile, the caller observes by itself.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any, Literal

from scrimshaw.clock import milliseconds
from scrimshaw.errors import Exit
from scrimshaw.jobs.target import Target
from scrimshaw.locks import presence
from scrimshaw.store.ledger import open_ledger

_POLL_SECONDS = 0.02
_PRESENCE_SECONDS = 1.0


def ask(
    target: Target,
    now: datetime,
    *,
    by: str,
    timeout_seconds: float,
    monotonic: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> dict[str, Any] | Literal["nobody", "late"]:
    """Return the daemon's answer, "nobody" without a daemon, "late" when the time is up; the request stays.

    Keys of an answer: exit_code; noted (how many lines) and section (jobs/order: Result) when it was done;
    problems (sentences) and next when it was not, or not well.
    """
    if presence(target.layout.state) is None:
        return "nobody"
    with open_ledger(target.layout.ledger, create=False) as ledger:
        number = ledger.put_request("observe", by=by, at_ms=milliseconds(now))
        target.layout.wake.touch(mode=0o600)
        began = checked = monotonic()
        while (moment := monotonic()) - began < timeout_seconds:
            answer = ledger.answer(number)
            if answer is not None:
                told: dict[str, Any] = json.loads(answer)
                return told
            if moment - checked >= _PRESENCE_SECONDS:
                checked = moment
                if presence(target.layout.state) is None:
                    outcome = json.dumps({"exit_code": int(Exit.OK)})  # the caller does it
                    ledger.settle_requests([number], outcome=outcome, at_ms=milliseconds(now))
                    return "nobody"
            sleep(_POLL_SECONDS)
    return "late"
