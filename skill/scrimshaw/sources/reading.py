"""What every source of transcripts hands out, and how stored bytes become an event.

A source reads and never writes. It lists sessions, and pages through one of them from a cursor: an
opaque text that is stored with what was observed and that proves by itself whether it still holds.
A cursor that no longer holds means reading again from the start, said in the page's problems; the
ledger knows what is covered, so reading twice is harmless and skipping is not.

Nothing unreadable is fatal and nothing is silent: it is counted and named with its place. Memory is
bounded by MAX_PAGE_BYTES and MAX_EVENT_BYTES whatever the store's size.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

import orjson

from scrimshaw.core.transcript.entries import TurnState, read_event
from scrimshaw.core.transcript.events import UNPARSABLE, TranscriptEvent, parse, parse_lines, repaired
from scrimshaw.core.types import Entry, Session

MAX_PAGE_ROWS = 1000  # host stores are read in short transactions (rule 23)
MAX_PAGE_BYTES = 4 << 20
MAX_EVENT_BYTES = 16 << 20
MAX_PROBLEMS_PER_PAGE = 100  # a page of garbage names the first ones and counts the rest


# A reset or a compaction, in the raw bytes. Quotes inside of texts are escaped, so a text that speaks of one
# is none; a field of another name that holds one is taken for it, which does no harm.
ENDS = re.compile(rb'"type"\s*:\s*"(?:reset|compaction)"')


class SessionState(NamedTuple):
    """A session that a source holds. *position* changes whenever it grew or was rewritten."""

    session: Session
    newest_at_ms: int
    position: str
    size_hint: int  # rows or bytes: good for a progress bar, nothing else
    is_passed_over: bool = False  # another session holds all of it, or more of it is awaited: nothing is news


class ReadProblem(NamedTuple):
    """Something that could not be read as it stands."""

    place: str  # "file:line" or "session seq"
    what: str


class Unopened(Exception):  # noqa: N818  # a state to be expected of a file, not a fault
    """A session's transcript cannot be opened now; what was read of it before stays, the rest waits."""

    def __init__(self, problem: ReadProblem) -> None:
        self.problem = problem
        super().__init__(f"{problem.place}: {problem.what}")


class Page(NamedTuple):
    """A stretch of one session: its evidence, what was passed over and why, and where to go on."""

    entries: tuple[Entry, ...]
    cursor: str
    skipped: dict[str, int]
    problems: tuple[ReadProblem, ...]
    read_bytes: int


class Source(Protocol):
    """A reader of one agent's transcripts in one store."""

    id: str
    agent_id: str
    kind: str

    def sessions(self) -> list[SessionState]:
        """Return every session that may be observed, oldest first."""

    def pages(self, state: SessionState, cursor: str | None) -> Iterator[Page]:
        """Yield what *state*'s session holds after *cursor* (None: from the start); raises Unopened."""

    def unread_bytes(self, state: SessionState, cursor: str | None) -> int:
        """Return about how many stored bytes lie after *cursor*, without reading them."""

    def unread_since_ms(self, state: SessionState, cursor: str | None) -> int:
        """Return when the first entry after *cursor* was stored; 0 when that cannot be told cheaply."""

    def changed_at_ms(self, state: SessionState) -> int:
        """Return when what holds *state*'s session was last written, by the clock of its disk; 0 if unknown.

        For a session whose own times lie in the future.
        """

    def is_over(self, state: SessionState) -> bool:
        """Tell whether the host has gone on from *state*'s session to another; unread or not."""

    def has_ended(self, state: SessionState, cursor: str | None) -> bool:
        """Tell whether *state*'s session came to an end in what lies after *cursor*.

        An end is a reset, a compaction, or that the session's key went on to another session. False
        without reading when nothing is unread: an end that was read is not an end anew. Whatever cannot
        be told at a bounded look is True: it only means observing sooner.
        """

    def goes_on(self, state: SessionState) -> bool:
        """Tell whether something was said in *state*'s session since its last reset or compaction.

        False where the store does not tell what kind an entry is of.
        """

    def warnings(self) -> list[str]:
        """Return what the owner should know about this store, found so far."""

    def deleted_sessions(self) -> frozenset[str]:
        """Return the sessions that the host deleted and that still leave a trace."""

    def close(self) -> None:
        """Let go of the store."""


class PageBuilder:
    """Collects one page; the only place where events become entries, so all sources count alike.

    *place_of* names a position for a person.
    """

    def __init__(self, session: Session, turn: TurnState, place_of: Callable[[int], str]) -> None:
        self._session = session
        self._turn = turn
        self._place_of = place_of
        self._entries: list[Entry] = []
        self._skipped: dict[str, int] = {}
        self._problems: list[ReadProblem] = []
        self._unnamed = 0

    def add_lines(self, block: bytes, first: int) -> int:
        """Read and class the lines of *block*, of which the first has position *first*; return how many.

        None of them may be empty.
        """
        try:
            with paused_collector():
                events = parse_lines(block)
                self._class(events, range(first, first + len(events)))
                return len(events)
        except UNPARSABLE:
            lines = block.split(b"\n")  # one at a time tells which
        self.add(lines, range(first, first + len(lines)))
        return len(lines)

    def add(self, raws: Sequence[bytes], positions: Sequence[int]) -> None:
        """Read and class stored events, each with its position."""
        with paused_collector():
            try:
                self._class([parse(raw) for raw in raws], positions)
            except UNPARSABLE:
                found = [
                    (event, at)
                    for raw, at in zip(raws, positions, strict=True)
                    if (event := self._parse(raw, at))
                ]
                self._class([event for event, _ in found], [at for _, at in found])

    def _parse(self, raw: bytes, position: int) -> TranscriptEvent | None:
        try:
            return parse(raw)
        except UNPARSABLE:
            return self._repair(raw, position)

    def _class(self, events: Iterable[TranscriptEvent], positions: Iterable[int]) -> None:
        append, skipped, session, turn = self._entries.append, self._skipped, self._session, self._turn
        for event, position in zip(events, positions, strict=False):
            found = read_event(event, session, position, turn)
            if isinstance(found, Entry):
                append(found)
            else:
                reason = found.reason
                skipped[reason] = skipped.get(reason, 0) + 1

    def _repair(self, raw: bytes, position: int) -> TranscriptEvent | None:
        event, problem = repaired(raw)
        if event is None:
            self.reject(position, problem)
        elif problem:
            self.problem(self._place_of(position), problem)
        return event

    def reject(self, position: int, what: str) -> None:
        """Count an event that cannot be read, and name its place."""
        self.skip("malformed")
        self.problem(self._place_of(position), what)

    def skip(self, reason: str) -> None:
        """Count what was passed over."""
        self._skipped[reason] = self._skipped.get(reason, 0) + 1

    def problem(self, place: str, what: str) -> None:
        """Name what could not be read as it stands; beyond a bound only count it."""
        if len(self._problems) < MAX_PROBLEMS_PER_PAGE:
            self._problems.append(ReadProblem(place, what))
        else:
            self._unnamed += 1

    def page(self, cursor: str, read_bytes: int) -> Page:
        """Return what was collected and start the next page."""
        if self._unnamed:
            self._problems.append(ReadProblem("", f"{self._unnamed} more like these"))
        done = Page(tuple(self._entries), cursor, self._skipped, tuple(self._problems), read_bytes)
        self._entries, self._skipped, self._problems, self._unnamed = [], {}, [], 0
        return done


def marks_end(raw: bytes) -> bool:
    """Tell whether the stored entries in *raw* hold an end."""
    return ENDS.search(raw) is not None


@contextmanager
def paused_collector() -> Iterator[None]:
    """Keep the cyclic collector from running meanwhile: decoding makes many containers and no cycle."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def cursor_to_json(kind: str, fields: Iterable[object]) -> str:
    """Return a position in a store of this *kind* as the ledger keeps it."""
    return orjson.dumps({kind: list(fields)}).decode()


def cursor_from_json(kind: str, text: str) -> Any:  # noqa: ANN401  # JSON of any shape
    """Return what `cursor_to_json` was given; None when *text* is none of this *kind*."""
    try:
        return orjson.loads(text)[kind]
    except (ValueError, KeyError, TypeError):
        return None


def turn_to_json(turn: TurnState) -> list[object]:
    """Return *turn* as a source stores it in its cursor."""
    return [turn.is_internal, turn.hidden_calls, turn.at_ms]


def turn_from_json(stored: object) -> TurnState:
    """Return the Turn of a cursor; a new one when it is not readable."""
    match stored:
        case [bool(is_internal), list(hidden), int(at_ms)]:
            return TurnState(is_internal, [str(call) for call in hidden], at_ms)
        case _:
            return TurnState()
