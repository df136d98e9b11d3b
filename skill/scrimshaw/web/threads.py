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
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import copy_context
from functools import partial, wraps
from typing import Any, NamedTuple, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

import anyio.from_thread
import anyio.to_thread

from scrimshaw.web.problems import Problem

P = ParamSpec("P")
T = TypeVar("T")

_FEW = 4
_MOMENT_SECONDS = 0.02
_AT_ONCE = 8  # requests: what they take together stays within the moment


class _Moments:
    """The threads whose answers the event loop waits for; a forked process has its own."""

    def __init__(self) -> None:
        self.renew()
        os.register_at_fork(after_in_child=self.renew)

    def renew(self) -> None:
        self._quick = ThreadPoolExecutor(1, thread_name_prefix="moments")
        self._others = ThreadPoolExecutor(_FEW, thread_name_prefix="answers")
        self._overdue: Future[Any] | None = None  # what has kept the quick thread for longer than a moment
        self._waiting: WeakKeyDictionary[asyncio.AbstractEventLoop, deque[_Call]] = WeakKeyDictionary()

    def call(self, run: Callable[[], T], *, is_short: bool) -> asyncio.Future[T]:
        """Return what a thread makes of *run*."""
        if not is_short or not self._is_free():
            return asyncio.wrap_future(self._others.submit(run))
        loop = asyncio.get_running_loop()
        waiting = self._waiting.setdefault(loop, deque())
        told = loop.create_future()
        waiting.append(_Call(run, told))
        if len(waiting) == 1:
            loop.call_soon(self._hand_over, waiting)
        return told

    def _is_free(self) -> bool:
        return self._overdue is None or self._overdue.done()

    def _hand_over(self, waiting: deque[_Call]) -> None:
        """Let the quick thread make the calls that have come together, while the loop stands still."""
        loop = asyncio.get_running_loop()
        calls = [waiting.popleft() for _ in range(min(len(waiting), _AT_ONCE))]
        if waiting:
            loop.call_soon(self._hand_over, waiting)
        if self._is_free():
            made = [self._quick.submit(one.run) for one in calls]
            with suppress(TimeoutError):
                made[-1].exception(_MOMENT_SECONDS)  # made in turn, so then all are done
            self._overdue = next((one for one in made if not one.done()), None)
        else:
            made = [self._others.submit(one.run) for one in calls]
        for call, one in zip(calls, made, strict=True):
            # What has not begun does not wait for the one that takes long.
            found = self._others.submit(call.run) if one.cancel() else one
            # By itself: whatever befalls it, the others get theirs.
            loop.call_soon(_deliver, found, call.told)


class _Call(NamedTuple):
    run: Callable[[], Any]
    told: asyncio.Future[Any]


def _deliver(made: Future[Any], told: asyncio.Future[Any]) -> None:
    """Give *told* what was *made*, now or when it is; in the thread of the event loop."""
    if not made.done():
        loop = told.get_loop()
        made.add_done_callback(lambda one: loop.call_soon_threadsafe(_deliver, one, told))
    elif not told.done():  # the request may have been cancelled meanwhile
        error = made.exception()
        if error is None:
            told.set_result(made.result())
        else:
            told.set_exception(error)


_moments = _Moments()
_MOST_AT_LENGTH = 8
_at_length = threading.BoundedSemaphore(_MOST_AT_LENGTH)


def limit_threads() -> None:
    """Limit the threads of this event loop that answer at once."""
    anyio.to_thread.current_default_thread_limiter().total_tokens = _FEW


def in_a_moment(answer: Callable[P, T]) -> Callable[P, Coroutine[Any, Any, T]]:
    """Let the event loop stand still while a thread runs *answer*, a route, for a moment at the most.

    While both run they take the interpreter from each other a dozen times a request, which costs more than
    a short search or store does; and a thread that is woken costs as much, so requests that have come
    together are handed over together. After the moment the loop goes on, and does not wait for the next call
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
        run = partial(copy_context().run, partial(timed, *args, **kwargs))
        return await _moments.call(run, is_short=is_short)

    # For FastAPI, which would look for the names of types in this module.
    answered.__signature__ = inspect.signature(answer, eval_str=True)  # type: ignore[attr-defined]
    return answered


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
        anyio.from_thread.run_sync(_add, 1)  # this thread's place is another request's meanwhile
        try:
            yield
        finally:
            anyio.from_thread.run_sync(_add, -1)
    finally:
        _at_length.release()


def _add(places: int) -> None:
    anyio.to_thread.current_default_thread_limiter().total_tokens += places
