"""When a model that failed is asked again: at once, within one call, or after a pause that lasts. Pure.

Within a call there are at most three tries, within a total time. The pauses grow and are drawn by chance over
their whole length, so that many who failed together do not come back together. When the wait that the other
side names does not fit into the time that is left, the failure is the answer.

Three failed calls in a row open the breaker: nobody asks for five minutes, then one try is let through, and
after each that fails the pause doubles, up to an hour. What does not pass by itself (a wrong key, a refused
request, a missing program) pauses for an hour at once. A wait that the other side names is kept, up to a day.
One answer closes the breaker. A changed model, place or key is another model. Services keep breakers in the
ledger; one that was noted in the future, by a clock since set back, says nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import NamedTuple

from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.models.model import PASSING, Answer, Failure, Model, Trouble

MOST_TRIES = 3
AGAIN = frozenset({Trouble.RATE, Trouble.SERVER, Trouble.TIMEOUT, Trouble.CONNECTION, Trouble.REPLY})

_FIRST_PAUSE_SECONDS = 2.0
_LONGEST_PAUSE_SECONDS = 30.0
_LEAST_TRY_SECONDS = 1.0  # with less time left no try is worth its price
_LOOK_SECONDS = 0.1


def ask_patiently(
    model: Model,
    prompt: Prompt,
    *,
    total_seconds: float,
    is_stopped: Callable[[], bool],
    monotonic: Callable[[], float],
    sleep: Callable[[float], None],
    chance: Callable[[], float],
    most_tries: int = MOST_TRIES,
) -> Answer | Failure:
    """Return the first answer of *model*, or its last failure, within *total_seconds*, pauses included.

    *chance* returns a number from 0 up to 1.
    """
    end = monotonic() + total_seconds
    tries = 0
    while True:
        if is_stopped():
            return Failure(Trouble.STOPPED, "Scrimshaw was told to end; the model was not asked.")
        tries += 1
        said = model.ask(prompt, timeout_seconds=max(0.0, end - monotonic()), is_stopped=is_stopped)
        if isinstance(said, Answer) or said.trouble not in AGAIN or tries >= most_tries:
            return said
        asked = named_pause_seconds(said)
        longest = end - _LEAST_TRY_SECONDS - monotonic()
        if longest <= asked:
            return said
        grown = min(_LONGEST_PAUSE_SECONDS, _FIRST_PAUSE_SECONDS * 2 ** (tries - 1))
        pause(min(asked + grown * chance(), longest), is_stopped, monotonic, sleep)


def named_pause_seconds(failure: Failure) -> float:
    """Return the wait that the other side asked for; 0 for none, and for what is no length of time."""
    asked = failure.retry_after_seconds
    return asked if asked is not None and isfinite(asked) and asked > 0 else 0.0


def pause(
    seconds: float,
    is_stopped: Callable[[], bool],
    monotonic: Callable[[], float],
    sleep: Callable[[float], None],
) -> None:
    """Wait *seconds*, or until told to stop."""
    end = monotonic() + seconds
    while not is_stopped() and (left := end - monotonic()) > 0:
        sleep(min(left, _LOOK_SECONDS))


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
        return self.trouble in PASSING


def breaker_after(failure: Failure, before: Breaker | None, name: str, now_ms: int) -> Breaker | None:
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
