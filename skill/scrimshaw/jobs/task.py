"""What an observe run is asked to do, and what it did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from scrimshaw.core.model import Deferred, Reply, Window
from scrimshaw.errors import UserError
from scrimshaw.sources.reading import ReadProblem

if TYPE_CHECKING:
    from scrimshaw.core.claims import Known  # a run with nothing new does without

_MOST_PROBLEMS = 200


T = TypeVar("T")


class Unreadable(Exception):  # noqa: N818  # a state to be expected of a store, not a fault
    """A store could not be read; what else goes wrong meanwhile (a full disk, say) is not its doing."""

    def __init__(self, error: UserError) -> None:
        self.error = error
        super().__init__(str(error))


def read_from(source: Iterable[T]) -> Iterator[T]:
    """Yield what *source* yields; its UserError comes out as Unreadable."""
    items = iter(source)
    while True:
        try:
            item = next(items)
        except StopIteration:
            return
        except UserError as error:
            raise Unreadable(error) from error
        yield item


class Observer(Protocol):
    """Proposes what is worth noting in a window; what it says is untrusted."""

    def __call__(self, window: Window, known: Known) -> Reply | Deferred:
        """Return proposals for *window*, or why it waits; *known* holds the live lines they may refer to."""
        ...


class Stopped(Exception):  # noqa: N818  # asked for, not a fault
    """The process is to end; the stretch at hand was not accepted and will be read again."""


class Task(NamedTuple):
    """One observe run: what, when, and from when on.

    With *session* (a key or an id) that conversation comes first, and its last exchange counts as finished.
    When it is done and others wait, *on_session* is called; then *is_late* is asked before each of the
    others, and when it is, they are left for another run.
    """

    run_id: str
    now: datetime
    since_ms: int | None = None  # older entries are set aside: covered, and not observed
    waits: bool = True  # for an exchange that is still going on; False when asked to take all there is
    on_read: Callable[[int], None] = lambda _bytes: None  # told the bytes read, for a progress bar
    is_stopped: Callable[[], bool] = lambda: False  # asked between windows; what was accepted so far stays
    observer: Observer | None = None  # None: the rules
    session: str = ""
    on_session: Callable[[Observed], None] = lambda _done: None
    is_late: Callable[[], bool] = lambda: False
    is_out_of_time: Callable[[], bool] = lambda: False  # asked between stretches: the rest is for another run


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
    sessions: set[str] = field(default_factory=set)  # of which something was observed
    unreadable: dict[str, UserError] = field(default_factory=dict)  # stores not read at all, by id
    is_session_known: bool = False  # the session of the task is one of the host's
    left_waiting: int = 0  # sessions with something new that there was no time for, or not for all of it

    def tell(self, problems: Iterable[ReadProblem]) -> None:
        """Keep the first problems and count them all."""
        for problem in problems:
            self.problem_count += 1
            if len(self.problems) < _MOST_PROBLEMS:
                self.problems.append(problem)
