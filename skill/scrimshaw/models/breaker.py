"""When a model that failed is let alone, and until when. Pure; services keep it in the ledger.

Three failed calls in a row open the breaker: nobody asks for five minutes, then one try is let through, and
after each that fails the pause doubles, up to an hour. What does not pass by itself (a wrong key, a refused
request, a missing program) pauses for an hour at once. A time that the other side named is kept, up to a day.
One answer closes it. A changed model, place or key is another model.

A clock that was set back must not make a pause longer: what was noted in the future says nothing.
"""

from __future__ import annotations

from typing import NamedTuple

from scrimshaw.models.model import PASSING, Failure, Trouble
from scrimshaw.models.patience import named_pause_seconds

FAILURES_IN_A_ROW = 3
FIRST_PAUSE_SECONDS = 300
LONGEST_PAUSE_SECONDS = 3_600
LONGEST_NAMED_SECONDS = 86_400  # no word of the other side's keeps us away for longer

_CLOCKS_APART_MS = 60_000
# These say nothing about the model.
_NO_FAULT = frozenset({Trouble.CAP, Trouble.PAUSED, Trouble.STOPPED})


class Breaker(NamedTuple):
    """A row of failed calls of one model. *until_ms* 0, or past: it may be asked."""

    name: str
    trouble: Trouble
    detail: str  # of the newest failure, for a person
    failures: int
    since_ms: int  # when the row began
    at_ms: int  # when this was noted
    until_ms: int = 0
    pause_seconds: int = 0  # the newest pause of our own, which the next one doubles

    @property
    def is_open(self) -> bool:
        """Whether it had failed too often: then one try, by one of us, is enough to find out."""
        return self.pause_seconds > 0

    def left_seconds(self, now_ms: int) -> float:
        """Return how long the model is still let alone; 0 when it may be asked."""
        if self.at_ms > now_ms + _CLOCKS_APART_MS:
            return 0.0
        return max(0, self.until_ms - now_ms) / 1000

    @property
    def is_passing(self) -> bool:
        """Whether waiting may help."""
        return self.trouble in PASSING


def after(failure: Failure, before: Breaker | None, name: str, now_ms: int) -> Breaker | None:
    """Return what stands after *failure* of a model; *before* unchanged when it says nothing about it."""
    if failure.trouble in _NO_FAULT:
        return before
    failures = (before.failures if before else 0) + 1
    own = _own_pause(failure, failures, before)
    pause = max(own, min(named_pause_seconds(failure), LONGEST_NAMED_SECONDS))
    return Breaker(
        name,
        failure.trouble,
        failure.detail,
        failures,
        min(before.since_ms, now_ms) if before else now_ms,
        now_ms,
        now_ms + int(pause * 1000) if pause else 0,
        own,
    )


def _own_pause(failure: Failure, failures: int, before: Breaker | None) -> int:
    if not failure.is_passing:
        return LONGEST_PAUSE_SECONDS
    if failures < FAILURES_IN_A_ROW:
        return 0
    doubled = 2 * before.pause_seconds if before else 0
    return min(LONGEST_PAUSE_SECONDS, max(FIRST_PAUSE_SECONDS, doubled))


def probing(before: Breaker, now_ms: int, seconds: float) -> Breaker:
    """Return *before* as it stands while one try is made: the others wait *seconds* for what comes of it."""
    return before._replace(at_ms=now_ms, until_ms=now_ms + int(seconds * 1000))
