"""Moving memories into the ledger: first what a line says already is found, then they move, a few at once.

Finding waits for models, so it is done without a lock. The move holds the write locks of both files, over
nothing else: each memory is read again, and one that was deleted, used or changed meanwhile stays as it is.
The ledger is committed first and the working layer second, where the memory is deleted.

A kill between the two leaves a memory in both, which is noted before (working/moved). The next round deletes
a memory that is as it was. If its program has changed or deleted it since, its line is closed instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from scrimshaw.clock import milliseconds
from scrimshaw.core.ledger.exact import exactly
from scrimshaw.core.ledger.lifecycle import spell
from scrimshaw.core.ledger.program_lines import anew, lines_of
from scrimshaw.core.search.layers import has_same_figures
from scrimshaw.core.text.normalize import normal
from scrimshaw.core.text.signs import signs
from scrimshaw.core.types import Closed, Event, EventType, Line, Observation
from scrimshaw.core.working import KnowledgeStatus
from scrimshaw.errors import UserError
from scrimshaw.services.publish.result import PublishRequest
from scrimshaw.services.search.chosen import lines_model, memories_model
from scrimshaw.services.search.meanings import Meanings
from scrimshaw.services.working.layer import WorkingLayer
from scrimshaw.services.working.whose import Kin, Owners, kin_of
from scrimshaw.store.ledger import Ledger
from scrimshaw.store.records import Batch, RunCounts
from scrimshaw.working import memories, moved
from scrimshaw.working.database import WorkingDatabase
from scrimshaw.working.memories import Kept
from scrimshaw.workspace import Target

if TYPE_CHECKING:
    from scrimshaw.index.vectors import Floats

_NEAREST = 10  # lines compared with a memory; the nearest may belong to other owners
# What is moved under one lock, which every store waits for: some hundredths of a second.
_MEMORIES_AT_ONCE = 100
_LINES_AT_ONCE = 500
_LEFT_BEHIND = "its memory was changed or deleted before it had moved"


class Move(NamedTuple):
    """A memory that may move, and its lines."""

    kept: Kept
    lines: tuple[Observation, ...]
    says_same: str = ""  # the id of the line that says the same already; the memory's own are not needed

    @property
    def line_ids(self) -> tuple[str, ...]:
        """Return the ids of the lines that will stand for the memory."""
        return (self.says_same,) if self.says_same else tuple(line.id for line in self.lines)


@dataclass
class MoveTally:
    """How many memories a round has looked at, and what became of them."""

    seen: int = 0
    archived: int = 0
    deduplicated: int = 0

    @property
    def moved(self) -> int:
        """Return how many left the working layer."""
        return self.archived + self.deduplicated

    def count(self, moves: Sequence[Move]) -> None:
        """Count what has left, or would."""
        repeated = sum(bool(one.says_same) for one in moves)
        self.deduplicated += repeated
        self.archived += len(moves) - repeated


class Moves:
    """The moves of one round, with the ledger open."""

    def __init__(self, target: Target, layer: WorkingLayer, ledger: Ledger, order: PublishRequest) -> None:
        self._target, self._layer, self._ledger, self._order = target, layer, ledger, order
        settings = target.config.settings
        self._threshold = settings.memory_consolidation_dedup_threshold
        self._owners = Owners(target)
        self._said = _said(ledger, self._owners)
        self._is_one_model = memories_model(settings) == lines_model(settings)
        meanings = Meanings(target.layout, settings)
        self._meaning, _ = meanings.current(ledger, order.now)
        self._embedder = meanings.embedder(ledger)
        self._new: list[tuple[Floats, Kept, str]] = []  # of this round, with vectors and the ids of lines

    def find(self, batch: Sequence[Kept]) -> list[Move]:
        """Return how *batch* would move; what cannot become a line is missing."""
        found = []
        own, known = self._own(batch)
        for kept in batch:
            lines = own[kept.number]
            is_new = any(line.id not in known for line in lines)
            if lines:
                found.append(Move(kept, lines, self._said_by(kept, lines) if is_new else ""))
        return found

    def _own(self, batch: Sequence[Kept]) -> tuple[dict[int, tuple[Observation, ...]], set[str]]:
        """Return the lines that each of *batch* becomes, by its number, and the ids of those that are there.

        A forgotten line says nothing: what is stored again after forgetting becomes another.
        """
        zone, run_id = self._target.zone, self._order.run_id
        own = {one.number: lines_of(one.memory, zone, run_id, one.knowledge) for one in batch}
        known: set[str] = set()
        asked = {line.id for lines in own.values() for line in lines}
        while asked:
            there = self._ledger.lines(asked)
            forgotten = _forgotten(there)
            known |= there.keys() - forgotten
            own = {
                number: tuple(anew(line) if line.id in forgotten else line for line in lines)
                for number, lines in own.items()
            }
            asked = {line.id for lines in own.values() for line in lines} - asked if forgotten else set()
        return own, known

    def move(self, moves: Sequence[Move]) -> list[Move]:
        """Move memories into the ledger, and return those that did: one in use stays for a later round."""
        return [one for part in _parts(moves) for one in self._moved(part)]

    def _moved(self, part: Sequence[Move]) -> list[Move]:
        db = self._layer.db
        moved.intend(db, [(one.kept, one.line_ids) for one in part if not one.says_same])
        with ExitStack() as held:
            # The ledger's lock first: whoever has it may keep it for long, and stores wait for the other.
            with self._ledger.transaction():
                held.enter_context(db.transaction())
                done = self._note([one for one in part if memories.is_as_read(db, one.kept)])
            memories.leave(db, [one.kept for one in done])
            for one in done:
                moved.note_done(db, one.kept.memory, one.line_ids)
        return done

    def _note(self, moves: Sequence[Move]) -> list[Move]:
        """Note the lines of *moves* in the ledger; return those that lines now stand for."""
        known = self._ledger.lines({id_ for one in moves for id_ in one.line_ids})
        gone = _forgotten(known)  # since they were found
        moves = [one for one in moves if gone.isdisjoint(one.line_ids)]
        noted: list[Observation] = []
        events: list[Event] = []
        for one in moves:
            own = () if one.says_same else one.lines
            fresh = [line for line in own if line.id not in known]
            noted += fresh
            if one.kept.status != KnowledgeStatus.ACTIVE:  # no longer true: search finds it marked so
                events += [self._event(EventType.WITHDRAWN, line.id, one.kept.status) for line in fresh]
            events += self._reopened([known[line.id] for line in own if line.id in known])
        if noted or events:
            counts = RunCounts(accepted=len(noted))
            at_ms = milliseconds(self._order.now)
            self._ledger.accept(Batch(self._order.run_id, at_ms, tuple(noted), tuple(events), counts=counts))
        there = {line.id for line in noted} | {id_ for id_, line in known.items() if line.standing.is_live}
        return [one for one in moves if not one.says_same or one.says_same in there]

    def _reopened(self, own: Sequence[Line]) -> list[Event]:
        """Return what opens lines that `close_stale` has closed; the same was stored once more since."""
        closed = {one.observation.id: one for one in own if one.standing.closed is Closed.WITHDRAWN}
        last = {stored.event.observation_id: stored.event for stored in self._ledger.past.events_of(closed)}
        return [
            self._event(
                EventType.SET_BACK,
                id_,
                spell(replace(closed[id_].standing, closed=None, closed_by="", closed_at_ms=0)),
            )
            for id_, event in last.items()
            if (event.type, event.reason) == (EventType.WITHDRAWN, _LEFT_BEHIND)
        ]

    def _event(self, type_: EventType, line_id: str, reason: str) -> Event:
        return Event(type_, line_id, milliseconds(self._order.now), self._order.run_id, reason=reason)

    def _said_by(self, kept: Kept, own: tuple[Observation, ...]) -> str:
        """Return the line that says what *kept* says; if "", remember its own for the next memories."""
        if len(own) > 1:
            return ""  # a long text says more than a line can
        text, kin, vector = kept.memory.content, kin_of(kept.memory), self._vector(kept)
        mark = _mark(kin, text)
        signed = _signed(mark, text)
        said = self._same(mark, signed, text)
        if said is None and vector is not None:
            said = self._like(vector, text, kin)
        if said is not None:
            return said
        if kept.status == KnowledgeStatus.ACTIVE:
            self._said[signed] = own[0].id
            if vector is not None:
                self._new.append((vector, kept, own[0].id))
        return ""

    def _same(self, mark: bytes, signed: bytes, text: str) -> str | None:
        for said in (self._said.get(signed), self._said.get(mark)):
            if isinstance(said, str):
                return said
            for line, _ in self._ledger.numbered.lines([said] if said else []).values():
                if signs(exactly(line.text, line.author, line.metadata)) == signs(text):
                    return line.id
        return None

    def _like(self, vector: Floats, text: str, kin: Kin) -> str | None:
        for other, kept, id_ in self._new:
            is_near = float(vector @ other) > self._threshold
            if is_near and kin_of(kept.memory) == kin and has_same_figures(text, kept.memory.content):
                return id_
        if self._meaning is None:
            return None
        near = self._meaning.vectors.search(vector, _NEAREST)
        found = self._ledger.numbered.lines([one.key for one in near if one.score > self._threshold])
        for line, standing in found.values():
            said = exactly(line.text, line.author, line.metadata)
            its_kin = self._owners.kin(line.author, line.session_id, line.metadata)
            if standing.is_live and its_kin == kin and has_same_figures(text, said):
                return line.id
        return None

    def _vector(self, kept: Kept) -> Floats | None:
        if self._embedder is None:
            return None
        with suppress(UserError, OSError):  # the model's server is away: compare words only
            with self._layer.scan(self._embedder) as scan:
                found = scan.vector(kept.number)
            if found is None and not self._is_one_model:
                found = self._embedder.embed([kept.memory.content])[0]
            return found
        return None


def close_stale(db: WorkingDatabase, ledger: Ledger, order: PublishRequest) -> None:
    """Close the lines that a kill has left of memories that were changed or deleted since."""
    found = moved.stale(db)
    if not found:
        return
    lines = ledger.lines({one.line_id for one in found})
    at_ms = milliseconds(order.now)
    ledger.append(
        [
            Event(EventType.WITHDRAWN, id_, at_ms, order.run_id, reason=_LEFT_BEHIND)
            for id_, one in lines.items()
            if one.standing.is_live and not one.standing.is_pinned  # a pinned line is the person's
        ]
    )
    moved.drop(db, found)


def _forgotten(lines: Mapping[str, Line]) -> set[str]:
    return {id_ for id_, line in lines.items() if line.standing.closed is Closed.FORGOTTEN}


def _parts(moves: Sequence[Move]) -> Iterator[list[Move]]:
    """Yield *moves* in parts of so few memories and lines that their move takes no time."""
    part: list[Move] = []
    lines = 0
    for one in moves:
        lines += len(one.lines)
        if part and (len(part) == _MEMORIES_AT_ONCE or lines > _LINES_AT_ONCE):
            yield part
            part, lines = [], len(one.lines)
        part.append(one)
    if part:
        yield part


def _said(ledger: Ledger, owners: Owners) -> dict[bytes, int | str]:
    """Return what the ledger's lines say, as hashes: a ledger may have a million lines.

    The first line of the same words is found by `_mark`, the others by `_signed`: symbols are compared only
    where there is something to compare.
    """
    said: dict[bytes, int | str] = {}
    for number, text, author, session_id, metadata in ledger.numbered.live_texts():
        whole = exactly(text, author, metadata)
        mark = _mark(owners.kin(author, session_id, metadata), whole)
        if said.setdefault(mark, number) != number:
            said[_signed(mark, whole)] = number
    return said


def _mark(kin: Kin, text: str) -> bytes:
    """Return a hash of the words of *text*, their owner, and what else a program said of them."""
    return _hash((*kin.whose, kin.archive, kin.about, normal(text)))


def _signed(mark: bytes, text: str) -> bytes:
    """Return a hash of the text with this mark that tells its symbols, too."""
    return _hash((mark.hex(), *signs(text)))


def _hash(told: Iterable[str]) -> bytes:
    return blake2b("\0".join(told).encode("utf-8", "surrogatepass"), digest_size=16).digest()
