"""The threads that answer: few, so that requests wait in their order and not for each other's turns.

Python runs one thread at a time; with many at work each waits for most others, and some for very long. What
takes minutes, or waits for what does, has a place beside the few.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import anyio.from_thread
import anyio.to_thread

_FEW = 4


def limit_threads() -> None:
    """Let few threads of this event loop answer at once."""
    anyio.to_thread.current_default_thread_limiter().total_tokens = _FEW


@contextmanager
def beside_the_few() -> Iterator[None]:
    """Leave this thread's place to another request while the block runs; for a thread that answers."""
    anyio.from_thread.run_sync(_add, 1)
    try:
        yield
    finally:
        anyio.from_thread.run_sync(_add, -1)


def _add(places: int) -> None:
    anyio.to_thread.current_default_thread_limiter().total_tokens += places
