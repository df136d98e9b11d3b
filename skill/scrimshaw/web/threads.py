"""The threads that answer requests: few, so that requests queue instead of competing.

Python runs one thread at a time; with many at work each waits for most others, some for very long. Work of
minutes, or waiting for such work, has threads of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import anyio.from_thread
import anyio.to_thread

from scrimshaw.web.problems import Problem

_FEW = 4
_MOST_AT_LENGTH = 8
_at_length = threading.BoundedSemaphore(_MOST_AT_LENGTH)


def limit_threads() -> None:
    """Limit the threads of this event loop that answer at once."""
    anyio.to_thread.current_default_thread_limiter().total_tokens = _FEW


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
