"""Progress on standard error: a bar on a terminal, a plain line now and then where there is none.

Standard output holds the result and nothing else, so that `--json` can be piped.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

T = TypeVar("T")
_SECONDS_BETWEEN_LINES = 10.0


class Counter(Protocol):
    """Takes note of steps that are done."""

    def __call__(self, steps: int = 1, *, doing: str = "") -> None: ...


def track(items: Collection[T], what: str) -> Iterator[T]:
    """Yield *items* one by one, showing how many are done."""
    with counting(what, len(items)) as done:
        for item in items:
            yield item
            done()


@contextmanager
def counting(what: str, total: int) -> Iterator[Counter]:
    """Show the progress of *total* steps; call what is given after each."""
    if sys.stderr.isatty():
        with _bar() as bar:
            task = bar.add_task(what, total=total)

            def advance(steps: int = 1, *, doing: str = "") -> None:
                bar.update(task, advance=steps, description=f"{what} {doing}".rstrip())

            yield advance
    else:
        yield _Lines(what, total)


def _bar() -> Progress:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(compact=True),
    )
    return Progress(*columns, console=Console(stderr=True), transient=True)


class _Lines:
    def __init__(self, what: str, total: int) -> None:
        self._what, self._total, self._done = what, total, 0
        self._said_at = time.monotonic()

    def __call__(self, steps: int = 1, *, doing: str = "") -> None:
        self._done += steps
        if time.monotonic() - self._said_at >= _SECONDS_BETWEEN_LINES:
            self._said_at = time.monotonic()
            print(f"{self._what}: {self._done}/{self._total} {doing}".rstrip(), file=sys.stderr, flush=True)
