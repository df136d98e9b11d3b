"""Asking again, a little later, when that may help: at most three tries, within a total time.

The pauses grow and are drawn by chance over their whole length, so that many who failed together do not
come back together. What the other side says about when to come back is heeded: when that does not fit into
the time that is left, nobody waits and the failure is the answer. Clock, sleep and chance come in as
arguments; a pause ends within a tenth of a second of being told to stop.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite

from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.models.model import Answer, Failure, Model, Trouble

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
