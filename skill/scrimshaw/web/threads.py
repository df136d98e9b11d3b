"""The threads that answer requests: few, so that requests queue instead of competing.

Python runs one thread at a time; with many at work each waits for most others, some for very long. What is
done in a moment the event loop waits for; work of minutes, or waiting for such work, has threads of its own.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import copy_context
from functools import partial, wraps
from typing import Any, ParamSpec, TypeVar

import anyio.from_thread
import anyio.to_thread

from scrimshaw.web.problems import Problem

P = ParamSpec("P")
T = TypeVar("T")

_FEW = 4
_MOMENT_SECONDS = 0.02


class _Moments:
    """The pool whose answers the event loop waits for; a forked process has one of its own."""

    def __init__(self) -> None:
        self.renew()
        os.register_at_fork(after_in_child=self.renew)

    def renew(self) -> None:
        self.pool = ThreadPoolExecutor(_FEW, thread_name_prefix="answers")


_moments = _Moments()
_MOST_AT_LENGTH = 8
_at_length = threading.BoundedSemaphore(_MOST_AT_LENGTH)


def limit_threads() -> None:
    """Limit the threads of this event loop that answer at once."""
    anyio.to_thread.current_default_thread_limiter().total_tokens = _FEW


def in_a_moment(answer: Callable[P, T]) -> Callable[P, Coroutine[Any, Any, T]]:
    """Let the event loop stand still while a thread runs *answer*, a route, for a moment at the most.

    While both run they take the interpreter from each other a dozen times a request, which costs more than
    a short search or store does. After the moment the loop goes on, and does not wait for the next call
    either, until one has been short again: a database may be locked, a model may be far away.
    """
    is_short = True

    def timed(*args: P.args, **kwargs: P.kwargs) -> T:
        nonlocal is_short
        began = time.perf_counter()
        try:
            return answer(*args, **kwargs)
        finally:
            is_short = time.perf_counter() - began < _MOMENT_SECONDS

    @wraps(answer)
    async def answered(*args: P.args, **kwargs: P.kwargs) -> T:
        made = _moments.pool.submit(copy_context().run, partial(timed, *args, **kwargs))
        if is_short:
            with suppress(TimeoutError):
                return made.result(_MOMENT_SECONDS)
        return await asyncio.wrap_future(made)

    # For FastAPI, which would look for the names of types in this module.
    answered.__signature__ = inspect.signature(answer, eval_str=True)  # type: ignore[attr-defined]
    return answered


@contextmanager
def beside_the_few() -> Iterator[None]:
    """Free this thread's place for another request while the block runs; for a thread that answers."""
    anyio.from_thread.run_sync(_add, 1)
    try:
        yield
    finally:
        anyio.from_thread.run_sync(_add, -1)


@contextmanager
def at_length() -> Iterator[None]:
    """Do what may take minutes; raises Problem 503 while as many others do so as may at once."""
    if not _at_length.acquire(blocking=False):
        raise Problem(
            503,
            "Too many long requests are running already.",
            next_step="ask again when one of them is done",
            headers={"Retry-After": "10"},
        )
    try:
        with beside_the_few():
            yield
    finally:
        _at_length.release()


def _add(places: int) -> None:
    anyio.to_thread.current_default_thread_limiter().total_tokens += places
