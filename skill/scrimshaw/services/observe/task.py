"""What an observe run may do, and what it did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar, runtime_checkable

from scrimshaw.core.types import UNREAD, Deferred, Readings, Reply, Window
from scrimshaw.errors import UserError
from scrimshaw.models.model import Opens
from scrimshaw.sources.reading import ReadProblem

if TYPE_CHECKING:
    from scrimshaw.core.ledger.known_lines import KnownLines  # a run with nothing new does without
    from scrimshaw.services.models.client import Used

_MOST_PROBLEMS = 200

RULES = "rules"  # who notes without a model


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


class Proposed(NamedTuple):
    """What was proposed for one window in several replies, the one that counts most first.

    With *needs_rules* nobody has proven to have covered the window: the rules note it, too, after them.
    """

    replies: tuple[Reply, ...]
    by: str  # who, for people: a model's name, or RULES
    needs_rules: bool = False
    trouble: str = ""  # why the rules do it and not the model; "" when that is as it should be
    needs_owner: bool = False  # that trouble does not pass by itself
    readings: Readings = UNREAD  # what a second reading said of their lines
    mended: frozenset[str] = frozenset()  # texts that do not hold, and in whose place another of them stands


class Observer(Protocol):
    """Proposes what is worth noting in a window; what it says is untrusted."""

    def __call__(self, window: Window, known: KnownLines) -> Reply | Proposed | Deferred:
        """Return proposals for *window*, or why it waits; *known* holds the live lines they may refer to."""
        ...


@runtime_checkable
class SharingObserver(Observer, Protocol):
    """One that may be asked about short windows of several conversations at once."""

    def may_share(self, window: Window) -> bool:
        """Tell whether *window* may be asked about together with others."""
        ...

    def together(self, those: Sequence[Window], known: KnownLines) -> Sequence[Proposed] | Deferred | None:
        """Return what is proposed for each of *those*, or why all of them wait; None: each alone, then."""
        ...


class AskedModel(Protocol):
    """A model that observes: what its questions have cost, and when a deferred one may be tried again."""

    unread: int  # replies whose second reading came to nothing
    again_in_seconds: float | None

    @property
    def used(self) -> Used:
        """What its questions have cost so far."""
        ...


class RunStopped(Exception):  # noqa: N818  # asked for, not a fault
    """The process is to end; the window or stretch at hand was not accepted and will be read again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObserveOptions:
    """How one observe run goes; as they stand, the options are those of `scrimshaw observe`.

    With *session* (a key or an id) that conversation comes first, and its last exchange counts as finished.
    When it is done, *is_late* is asked before each of the others: once it is, they are left for another run.
    """

    since: datetime | None = None  # older entries are set aside for good: covered, and not observed
    session: str = ""
    thread_id: str = ""  # of a program's conversation: that one alone
    waits: bool = True  # for an exchange that is still going on; False takes all there is
    is_waited_for: bool = False  # somebody waits: no model is asked
    edits_are_accepted: bool = False  # a large change of the section by hand was meant
    edits_are_refused: bool = False  # … or was not
    brings_back: bool = False  # a section that was removed by hand
    observes: bool = True  # False: only bring the files up to date
    writes_section: bool = True  # False: MEMORY.md is left for later (rule 14)
    may_wait_for_model: bool = True  # False: what the model cannot do at once, the rules do
    makes_folder: bool = True  # False: a state folder that was taken away is not made again
    is_routine: bool = False  # when nothing came of it, no row and no line tells of it
    trigger: str = "command"
    observer: Observer | None = None  # None: the model of the settings, if it may be opened, else the rules
    opens: Opens | None = None  # None: no model is asked, the rules observe
    on_read: Callable[[int], None] = lambda _bytes: None  # told how many more bytes were read
    on_window: Callable[[Observed], None] = lambda _done: None  # after each that an observer was asked about
    is_stopped: Callable[[], bool] = lambda: False  # RunStopped between windows; what was accepted stays
    is_interrupted: Callable[[], bool] = lambda: False  # the same, and what is done is published
    is_late: Callable[[], bool] = lambda: False
    is_out_of_time: Callable[[], bool] = lambda: False  # what is not read by then is for another run


DEFAULTS = ObserveOptions()


def time_limit(seconds: float) -> Callable[[], bool]:
    """Return what tells that *seconds* have gone by since now: for `is_late` and `is_out_of_time`."""
    ends_at = monotonic() + seconds
    return lambda: monotonic() >= ends_at


class Task(NamedTuple):
    """One observe run under way. When its session is done and others wait, *on_session* is called."""

    run_id: str
    now: datetime
    options: ObserveOptions
    observer: Observer | None = None  # None: the rules
    model: AskedModel | None = None  # the observer, when it is one
    on_session: Callable[[Observed], None] = lambda _done: None


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
    pending: int = 0  # lines that wait for the owner's review
    stood_in: int = 0  # lines in the words said, in place of a model's that did not hold
    closed: int = 0  # earlier lines that were replaced, taken back or done
    declined: int = 0  # those that a model would have closed, too: kept for the owner's review
    noted_by: Counter[str] = field(default_factory=Counter)  # windows, by who noted them
    deferred: Counter[str] = field(default_factory=Counter)  # sessions that wait for a model, by why
    model_trouble: str = ""  # why the rules noted what a model was to note
    needs_owner: bool = False  # and it does not pass by itself
    used: Used | None = None  # of a model
    unread: int = 0  # its replies whose second reading came to nothing
    again_in_seconds: float | None = None  # when a deferred one may be tried again, if that is known
    is_interrupted: bool = False  # by the person: what was done until then stands

    def tell(self, problems: Iterable[ReadProblem]) -> None:
        """Keep the first problems and count them all."""
        for problem in problems:
            self.problem_count += 1
            if len(self.problems) < _MOST_PROBLEMS:
                self.problems.append(problem)
