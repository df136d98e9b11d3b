"""What a person sees and can do while a run takes its time: a bar on a terminal, and Ctrl-C.

With a model a backlog may take hours and money. The first Ctrl-C gives up the question at hand and has the
rest of the run go its way, so that what was noted reaches MEMORY.md; the second one ends at once.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from types import FrameType
from typing import NamedTuple

from scrimshaw.cli.render.run_report import cost_of
from scrimshaw.errors import UserError
from scrimshaw.services.observe.task import Observed
from scrimshaw.services.status.backlog import look, waiting
from scrimshaw.services.stores import open_sources
from scrimshaw.store.ledger import open_ledger
from scrimshaw.workspace import Target, is_set_up


class Telling(NamedTuple):
    """Whom a run tells how far it is."""

    on_read: Callable[[int], None] = lambda _bytes: None
    on_window: Callable[[Observed], None] = lambda _done: None


@contextmanager
def interruptible(is_wanted: bool) -> Iterator[Callable[[], bool]]:
    """Have SIGINT and SIGTERM ask instead of end; yield what tells whether one has."""
    numbers: list[int] = []

    def take(number: int, _frame: FrameType | None) -> None:
        if numbers:
            raise KeyboardInterrupt
        numbers.append(number)
        sys.stderr.write("\nStopping; what is noted is kept. Once more to end at once.\n")

    if not is_wanted or threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = {number: signal.signal(number, take) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: bool(numbers)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def about_windows(target: Target, moment: datetime) -> int:
    """Return about how many windows wait, 0 when that cannot be told."""
    try:
        if is_set_up(target.layout):
            with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
                tokens = look(target, ledger, moment).backlog.tokens
        else:
            with open_sources(target, {}) as sources:
                tokens = waiting(target, None, sources, moment).backlog.tokens
    except UserError:
        return 0  # the run itself will say what is wrong
    return -(-tokens // target.config.settings.observation_threshold)


@contextmanager
def reading_bar() -> Iterator[Telling]:
    """Show how much has been read, once it is more than a moment's work."""
    from rich.console import Console  # rich: only on a terminal
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("Reading transcripts"), BarColumn(), DownloadColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=None)
        yield Telling(on_read=lambda read: progress.update(task, advance=read))


@contextmanager
def windows_bar(model: str, about: int) -> Iterator[Telling]:
    """Show how many windows are noted, of about how many, and what that has cost."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    def told(done: Observed) -> str:
        windows = f"{done.windows} of about {max(about, done.windows)}" if about else f"{done.windows}"
        cost = f", {cost_of(done.used)}" if done.used else ""
        return f"Noting with {model}: windows {windows}{cost}"

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(told(Observed()), total=about or None)

        def on_window(done: Observed) -> None:
            total = max(about, done.windows) if about else None
            progress.update(task, description=told(done), completed=done.windows, total=total)

        yield Telling(on_window=on_window)
