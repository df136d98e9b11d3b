"""Ask the daemon of a workspace to observe now, and wait for its answer (rule 10).

The request is a row in the ledger; touching the wake file only makes it noticed sooner. Without a daemon, or
when it goes away meanwhile, the caller observes by itself. So it does when the daemon has not answered in
half of the time: it may sit in a slow call of a model, over which nobody holds the write lock. The request
is taken over in the ledger, so that a daemon that has not begun will not begin; one that has finds, in the
transaction in which its result would become true, that these entries are covered, and adds nothing.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any, Literal

from scrimshaw.clock import milliseconds
from scrimshaw.errors import Exit
from scrimshaw.locks import presence
from scrimshaw.store.ledger import open_ledger
from scrimshaw.workspace import Target

_POLL_SECONDS = 0.02
_PRESENCE_SECONDS = 1.0
_PATIENCE = 0.5  # of the time there is; the rest is for doing it oneself


def ask(
    target: Target,
    now: datetime,
    *,
    by: str,
    timeout_seconds: float,
    session: str = "",
    monotonic: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> dict[str, Any] | Literal["nobody", "busy"]:
    """Return the daemon's answer, or why there is none and the caller is to do it: no daemon, or a busy one.

    Keys of an answer: exit_code; noted (how many lines), section (services/publish/result: Result) and
    is_session_known when it was done; problems (sentences) and next when it was not, or not well.
    """
    if presence(target.layout.state) is None:
        return "nobody"
    with open_ledger(target.layout.ledger, create=False) as ledger:
        number = ledger.put_request("observe", by=by, at_ms=milliseconds(now), session=session)
        target.layout.wake.touch(mode=0o600)
        began = checked = monotonic()
        why: Literal["nobody", "busy"] = "busy"
        while (moment := monotonic()) - began < timeout_seconds * _PATIENCE:
            if answer := ledger.answer(number):
                return _told(answer)
            if moment - checked >= _PRESENCE_SECONDS:
                checked = moment
                if presence(target.layout.state) is None:
                    why = "nobody"
                    break
            sleep(_POLL_SECONDS)
        outcome = json.dumps({"exit_code": int(Exit.OK)})  # the caller does it
        if ledger.take_request(number, outcome=outcome, at_ms=milliseconds(now)):
            return why
        return _told(ledger.answer(number) or outcome)  # answered at the last moment


def _told(answer: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(answer)
    return told
