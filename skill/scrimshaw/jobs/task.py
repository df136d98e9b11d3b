"""What an observe run is asked to do, and what it did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from scrimshaw.errors import UserError
from scrimshaw.sources.reading import ReadProblem

_MOST_PROBLEMS = 200


class Task(NamedTuple):
    """One observe run: what, when, and from when on."""

    run_id: str
    now: datetime
    since_ms: int | None = None  # older entries are set aside: covered, and not observed
    waits: bool = True  # for an exchange that is still going on; False when asked to take all there is
    on_read: Callable[[int], None] = lambda _bytes: None  # told the bytes read, for a progress bar


@dataclass
class Observed:
    """What an observe run did, for the person and for the log."""

    entries: int = 0
    windows: int = 0
    accepted: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    redacted: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)  # entries that are no evidence, by reason
    left_out: Counter[str] = field(default_factory=Counter)  # sessions, by kind
    problems: list[ReadProblem] = field(default_factory=list)
    problem_count: int = 0
    held_back: int = 0  # sessions whose last exchange is still going on
    set_aside: int = 0  # entries older than --since
    unreadable: dict[str, UserError] = field(default_factory=dict)  # stores not read at all, by id

    def tell(self, problems: Iterable[ReadProblem]) -> None:
        """Keep the first problems and count them all."""
        for problem in problems:
            self.problem_count += 1
            if len(self.problems) < _MOST_PROBLEMS:
                self.problems.append(problem)
