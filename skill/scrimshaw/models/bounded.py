"""A call that ends when its time is up, whatever the other side does.

Clients have time-outs for each read, so an answer that comes a byte at a time never passes one. So the call
runs in a thread of its own and is left alone when its time is up or when we are to end; `Attempt` is what
the two sides share. What is left alone ends by itself at the next byte that comes, or at the client's own
time-out, and its answer is for nobody. Knows nothing of models beyond what a call returns.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from scrimshaw.models.model import Answer, Failure, Trouble, Usage

_LOOKS_SECONDS = 0.05  # how often is_stopped is asked


class Attempt:
    """One call under way: until when, whether somebody still waits for it, and how far it has come."""

    def __init__(self, timeout_seconds: float) -> None:
        self._ends_at = time.monotonic() + timeout_seconds
        self._is_given_up = False
        self.is_sent = False  # something may have been billed
        self.received_tokens = 0  # of text, as estimated

    @property
    def remaining_seconds(self) -> float:
        """What is left of its time; never less than nothing."""
        return max(0.0, self._ends_at - time.monotonic())

    @property
    def is_over(self) -> bool:
        """Whether nobody waits for its answer any more."""
        return self._is_given_up or self.remaining_seconds <= 0

    def give_up(self) -> None:
        """Say that nobody waits any more."""
        self._is_given_up = True


Call = Callable[[Attempt], Answer | Failure]


def bounded(
    call: Call,
    *,
    timeout_seconds: float,
    is_stopped: Callable[[], bool],
    tokens_in: Callable[[], int],
    who: str,
) -> Answer | Failure:
    """Return what *call* returns, or the failure that its time is up or that we are to end.

    *tokens_in* counts what the request holds: once it was sent it may be billed, answer or not.
    What *call* raises is raised here; only a client library that cannot be loaded is a failure.
    """
    if is_stopped():
        return Failure(Trouble.STOPPED, f"{who} was not asked: the program is ending.")
    attempt = Attempt(timeout_seconds)
    outcome = _Outcome(call, attempt)
    outcome.start()
    while not outcome.is_there(min(_LOOKS_SECONDS, attempt.remaining_seconds)):
        stopped = is_stopped()
        if not stopped and not attempt.is_over:
            continue
        attempt.give_up()
        billed = Usage(tokens_in(), attempt.received_tokens, is_estimated=True) if attempt.is_sent else None
        if stopped:
            return Failure(Trouble.STOPPED, f"{who} was let go of: the program is ending.", usage=billed)
        return Failure(
            Trouble.TIMEOUT, f"{who} did not answer within {timeout_seconds:.3g} seconds.", usage=billed
        )
    try:
        return outcome.taken()
    except ImportError as error:
        # Clients are imported when they are used, and half a library is found like a whole one.
        lacks = f"{type(error).__name__}: {error.name or 'a part of it'}"
        told = f"The client library for {who} cannot be loaded ({lacks}). Next: reinstall that library"
        return Failure(Trouble.ABSENT, told)


class _Outcome:
    """Carries what a call returned or raised from its thread to whoever waits."""

    def __init__(self, call: Call, attempt: Attempt) -> None:
        self._call = call
        self._attempt = attempt
        self._returned: Answer | Failure | None = None
        self._raised: BaseException | None = None
        self._is_there = threading.Event()

    def start(self) -> None:
        # A daemon thread: a program that ends does not wait for a server that hangs.
        threading.Thread(target=self._run, name="model call", daemon=True).start()

    def is_there(self, seconds: float) -> bool:
        return self._is_there.wait(seconds)

    def taken(self) -> Answer | Failure:
        if self._raised is not None:
            raise self._raised
        if self._returned is None:
            raise RuntimeError("a model call returned nothing")
        return self._returned

    def _run(self) -> None:
        with self:
            self._returned = self._call(self._attempt)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self._raised = error
        self._is_there.set()
        return True  # it is raised where the answer is taken
