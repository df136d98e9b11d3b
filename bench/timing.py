"""What `bench speed` is made of: figures, and the rounds in which they are timed.

All ways of one kind are run in turn, round after round, so that a machine that is busy slows all of them
alike; the median counts. What is timed is processor time, a child's included: on a shared machine the clock
says more about the others. A way that takes longer than PATIENCE_SECONDS is run once.
"""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

Work = Callable[[], object]
PATIENCE_SECONDS = 20.0
FACTORS = (1, 10, 100)


class Point(NamedTuple):
    """A median of *runs* runs at one size."""

    size: float
    value: float
    worst: float
    runs: int


class Figure(NamedTuple):
    """One quantity at growing sizes. *peer_of*: the way of ours that it stands beside."""

    what: str
    unit: str  # of the values: "s", "ms", "MB" …
    of: str  # what the sizes count: "MB", "lines"; "" for one size
    points: tuple[Point, ...]
    most: float | None = None  # the goal, for the largest size
    peer_of: str = ""
    least_ratio: float | None = (
        None  # of a peer: how many times its figure is to be ours, at the largest size
    )

    @property
    def largest(self) -> Point:
        """The figure at the largest size."""
        return self.points[-1]


def medians(
    ways: Mapping[str, Work], size: float, runs: int, *, unit_seconds: float = 1.0
) -> dict[str, Point]:
    """Return each way's median of *runs* rounds, in units of *unit_seconds*; each is run once before."""
    first = {name: seconds_of(work) for name, work in ways.items()}
    times = {name: [took] if took > PATIENCE_SECONDS else [] for name, took in first.items()}
    slow = {name for name, took in first.items() if took > PATIENCE_SECONDS}
    for _ in range(runs):
        for name, work in ways.items():
            if name not in slow:
                times[name].append(seconds_of(work))
    return {
        name: Point(size, statistics.median(found) / unit_seconds, max(found) / unit_seconds, len(found))
        for name, found in times.items()
    }


def seconds_of(work: Work) -> float:
    """Return the seconds one call takes: what it says itself when it gives a float, else of processor."""
    began = _spent()
    told = work()
    return told if isinstance(told, float) else _spent() - began


def _spent() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def collected(
    found: Mapping[str, list[Point]], unit: str, of: str, goals: Mapping[str, float] | None = None
) -> list[Figure]:
    """Return a figure for each name of *found*."""
    return [Figure(name, unit, of, tuple(points), (goals or {}).get(name)) for name, points in found.items()]
