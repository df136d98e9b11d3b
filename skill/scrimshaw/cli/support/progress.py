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
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING

from scrimshaw.cli.render.run_report import cost_of
from scrimshaw.cli.support.command import CommandCall
from scrimshaw.memory import Memory, Progress

if TYPE_CHECKING:
    from rich.progress import ProgressColumn

    from scrimshaw.services.observe.run import ObserveResult
    from scrimshaw.services.observe.task import Observed, ObserveOptions

Tells = Callable[[Progress], None]
_PATIENCE_SECONDS = 0.7  # before a bar is worth a look


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


def observed(
    call: CommandCall,
    memory: Memory,
    options: ObserveOptions,
    should_stop: Callable[[], bool] | None = None,
    *,
    dry_run: bool = False,
) -> ObserveResult:
    """Run, or rehearse, with a bar on a terminal; the person has agreed to writing."""

    def work(tells: Tells | None) -> ObserveResult:
        return memory.observe(
            options, dry_run=dry_run, consent=True, on_progress=tells, should_stop=should_stop
        )

    if call.wants_json or not sys.stderr.isatty():
        return work(None)
    with _windows_bar(memory) if memory.asks_model(options) and not dry_run else _reading_bar() as tells:
        return work(tells)


@contextmanager
def _reading_bar() -> Iterator[Tells]:
    """Show how much has been read, once it is more than a moment's work."""
    from rich.progress import FileSizeColumn, TimeElapsedColumn  # rich: only on a terminal

    with _bar("Reading transcripts", FileSizeColumn(), TimeElapsedColumn()) as updates:
        yield lambda far: updates(completed=far.read_bytes)


@contextmanager
def counting_bar(label: str) -> Iterator[Callable[[int, int], None] | None]:
    """Yield what is told how many are done, of how many; None without a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import MofNCompleteColumn

    with _bar(label, MofNCompleteColumn()) as updates:
        yield lambda done, of: updates(completed=done, total=of)


@contextmanager
def patient_bar(label: str) -> Iterator[Callable[[int, int], None] | None]:
    """Show a bar once the block has taken most of a second; yield what is told how much is done, of how much.

    Nothing is shown, and None yielded, without a terminal. Until something is told, the bar only moves.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bars

    bars = Bars(console=Console(stderr=True), transient=True)
    task = bars.add_task(label, total=None)
    timer = threading.Timer(_PATIENCE_SECONDS, bars.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda done, of: bars.update(task, completed=done, total=of)
    finally:
        timer.cancel()
        timer.join()
        if bars.live.is_started:
            bars.stop()


@contextmanager
def _bar(label: str, *columns: ProgressColumn) -> Iterator[Callable[..., None]]:
    """Show a bar on the error output; yield what changes its `completed`, `total` and `description`."""
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bars

    shown = (TextColumn("{task.description}"), BarColumn(), *columns)
    with Bars(*shown, console=Console(stderr=True), transient=True) as bars:
        yield partial(bars.update, bars.add_task(label, total=None))


@contextmanager
def _windows_bar(memory: Memory) -> Iterator[Tells]:
    """Show how many windows are noted, of about how many, and what that has cost."""
    from rich.progress import TimeElapsedColumn

    settings = memory.target.config.settings
    about = -(-memory.waiting_tokens() // settings.window_tokens)

    def told(done: Observed | None) -> str:
        count = done.windows if done else 0
        windows = f"{count} of about {max(about, count)}" if about else f"{count}"
        cost = f", {cost_of(done.used)}" if done and done.used else ""
        return f"Noting with {settings.observer_model}: windows {windows}{cost}"

    with _bar(told(None), TimeElapsedColumn()) as updates:
        updates(total=about or None)

        def tells(far: Progress) -> None:
            if done := far.observed:
                total = max(about, done.windows) if about else None
                updates(description=told(done), completed=done.windows, total=total)

        yield tells
