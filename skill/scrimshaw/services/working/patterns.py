"""Patterns that several agents of a home share: kept in its agent `shared`, if the owner wants that.

Each agent that has this switched on offers its patterns and standing lines, as a hash of the words and of the
person they are about; nothing private, and nothing that only a program said. What two agents offer becomes a
memory of the agent `shared`, with the same owner; it moves into `shared.mv2` like any memory. When fewer than
two offer it, it is withdrawn, and returns when two do again: each round corrects the ledger of `shared`,
whatever an earlier round missed. Forgetting by one agent also applies there.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

from scrimshaw.clock import milliseconds
from scrimshaw.config import seconds
from scrimshaw.core.consolidation.duplicates import comparable
from scrimshaw.core.ledger.lifecycle import spell
from scrimshaw.core.ledger.program_lines import Origin, origin_of
from scrimshaw.core.text.normalize import marks
from scrimshaw.core.types import Author, Closed, Event, EventType, Line, Observation, Place
from scrimshaw.core.working import MemoryType, expiry_ms
from scrimshaw.errors import UserError
from scrimshaw.home import SHARED, make_agent
from scrimshaw.layout import Layout
from scrimshaw.locks import write_lock
from scrimshaw.services.fleet.link import Outgoing
from scrimshaw.services.working.whose import Owners
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.working import memories, offers
from scrimshaw.working.database import WorkingDatabase
from scrimshaw.working.memories import NewMemory
from scrimshaw.workspace import Target

log = logging.getLogger(__name__)

_IMPORTANCE = 0.7
_LOCK_SECONDS = 15.0
_ID_CHARS = 32
_PREFIX = "pattern-"
_BY = "patterns"


class _Offered(NamedTuple):
    """A line that may be a pattern of several agents, and the person it is about."""

    line: Line
    owner_id: str


def share_patterns(target: Target, ledger: Ledger, now: datetime) -> None:
    """Offer *target*'s patterns to its home, and store those of several agents; errors are only logged."""
    home = target.agents[0].home
    if home is None or target.is_shared:
        return
    is_wanted = target.config.settings.memory_consolidation_share_patterns
    if not is_wanted and not Layout(home / SHARED).working.exists():
        return
    try:
        shared = Layout(make_agent(home, SHARED).workspace)
        with closing(WorkingDatabase(shared.working)) as db:
            _settle(target, db, shared, _offers(target, ledger) if is_wanted else {}, now)
    except (UserError, OSError) as error:
        log.warning("job=patterns agent=%s problem=%r", target.agent_id, str(error))


def _offers(target: Target, ledger: Ledger) -> dict[str, _Offered]:
    outgoing = Outgoing(target, ledger, None)
    owners = Owners(target)
    reworded: dict[str, list[str]] = {}
    for line in outgoing.lines.values():
        if line.standing.closed is Closed.EDITED:
            reworded.setdefault(line.standing.closed_by, []).append(line.observation.id)
    found: dict[str, _Offered] = {}
    for line in ledger.live_lines():
        one = line.observation
        stands = bool(one.level and one.pattern) or line.standing.place is Place.STANDING
        if not stands or one.author is Author.PROGRAM or not outgoing.goes(one.id):
            continue
        whose = _whose(one.id, outgoing.lines, reworded, owners)
        if len(whose) == 1 and None not in whose:  # of several people: nobody's alone
            owner_id = str(*whose)
            found.setdefault(_mark_of(one.text, owner_id), _Offered(line, owner_id))
    return found


def _whose(
    line_id: str, lines: Mapping[str, Line], reworded: Mapping[str, list[str]], owners: Owners
) -> set[str | None]:
    """Return the people that all sources of a line are about; None in it for somebody unknown."""
    found: set[str | None] = set()
    seen, left = set[str](), [line_id]
    while left:
        id_ = left.pop()
        if id_ in seen:
            continue
        seen.add(id_)
        if id_ not in lines:
            return {None}
        one = lines[id_].observation
        below = [*one.supports, *reworded.get(id_, ())]
        left += below
        if one.session_id or not below:
            found.add(owners.named(one.session_id))
    return found


def _mark_of(text: str, owner_id: str) -> str:
    """Return a hash of the words of *text*, without fillers, and its owner."""
    ready = comparable(text)
    words = [[token.key for token in sentence if not token.is_filler] for sentence in ready.sentences]
    told = repr((words, marks(text, ready.lower), owner_id))
    return sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:_ID_CHARS]


def _settle(
    target: Target, db: WorkingDatabase, shared: Layout, mine: dict[str, _Offered], now: datetime
) -> None:
    with db.transaction():
        before = offers.offered(db, target.agent_id)
        offers.offer(db, target.agent_id, {mark: one.line.observation.id for mark, one in mine.items()})
        agreed = offers.agreed(db, mine)
        new = [_memory(mark, mine[mark], agents, target, now) for mark, agents in sorted(agreed.items())]
        fresh = memories.never_imported(db, new)
        memories.put(db, fresh)
        memories.note_imported(db, fresh)
        gone = before.keys() - mine.keys()
        gone -= offers.agreed(db, gone).keys()
        # What left this layer is corrected in the ledger; what was forgotten there never comes back.
        ids = {one for one in map(_id_of, gone) if memories.by_id(db, one)}
        memories.remove(db, ids)
        memories.forget_imported(db, ids)
    set_right = _set_right(db, shared, now)
    if fresh or ids or set_right:
        told = target.agent_id, len(fresh), len(ids), set_right
        log.info("job=patterns agent=%s shared=%d taken_back=%d set_right=%d", *told)


def _memory(mark: str, one: _Offered, agents: list[str], target: Target, now: datetime) -> NewMemory:
    at_ms, observation = milliseconds(now), one.line.observation
    ttl_s = seconds(target.config.settings.memory_working_ttl)
    return NewMemory(
        id=_id_of(mark),
        owner_id=one.owner_id,
        agent=SHARED,
        type=MemoryType.EPISODIC,
        content=observation.text,
        metadata={"pattern": observation.pattern or observation.kind.value, "agents": agents},
        importance=_IMPORTANCE,
        pinned=False,
        created_at_ms=at_ms,
        expires_at_ms=expiry_ms(at_ms, ttl_s, importance=_IMPORTANCE, is_pinned=False),
    )


def _id_of(mark: str) -> str:
    return f"{_PREFIX}{mark}"


def _patterns_in(ledger: Ledger) -> Iterator[tuple[Origin, Line]]:
    """Yield the lines in the ledger of `shared` that were patterns, also closed ones; no forgotten ones."""
    for line in ledger.all_lines():
        origin = origin_of(line.observation) if line.standing.closed is not Closed.FORGOTTEN else None
        if origin is not None and origin.memory_id.startswith(_PREFIX) and "agents" in origin.metadata:
            yield origin, line


def _set_right(db: WorkingDatabase, shared: Layout, now: datetime) -> int:
    """Withdraw lines of `shared` that are no longer agreed on, and bring back those that are again."""
    at_ms = milliseconds(now)
    with open_ledger(shared.ledger, create=False) as ledger:
        if not _owed(db, ledger, at_ms):
            return 0
        with write_lock(shared.state, by=_BY, now=now, timeout_seconds=_LOCK_SECONDS):
            owed = _owed(db, ledger, at_ms)
            ledger.append(owed)
    return len(owed)


def _owed(db: WorkingDatabase, ledger: Ledger, at_ms: int) -> list[Event]:
    found = [(origin.memory_id.removeprefix(_PREFIX), line) for origin, line in _patterns_in(ledger)]
    agreed = offers.agreed(db, {mark for mark, _ in found})
    out = {line.observation.id for _, line in found if line.standing.closed is Closed.WITHDRAWN}
    withdrawn = [one.event for one in ledger.past.events_of(out) if one.event.type is EventType.WITHDRAWN]
    last_by = {event.observation_id: event.by for event in withdrawn}
    owed = []
    for mark, (one, standing) in found:
        if standing.is_kept:
            continue  # a person has undone such a step
        if standing.is_live and not standing.is_shown and mark not in agreed:  # shown: a person chose it
            owed.append(Event(EventType.WITHDRAWN, one.id, at_ms, _BY))
        elif last_by.get(one.id) == _BY and mark in agreed:
            again = replace(standing, closed=None, closed_by="", closed_at_ms=0)
            owed.append(Event(EventType.SET_BACK, one.id, at_ms, _BY, reason=spell(again)))
    return owed


@contextmanager
def forgetting_patterns(target: Target, gone: Collection[Observation]) -> Iterator[list[str]]:
    """Yield the ids of the memories and lines of the agent `shared` that come from the lines *gone*.

    Covers what this agent offers now, and what was made while it was offering. What was forgotten by the end
    of the block does not come back.
    """
    home = target.agents[0].home
    shared = Layout(home / SHARED) if home else None
    if shared is None or not gone or target.is_shared or not shared.working.exists():
        yield []
        return
    with closing(WorkingDatabase(shared.working)) as db:
        offered = offers.offered(db, target.agent_id)
        line_ids = {one.id for one in gone}
        marks = {mark for mark, line_id in offered.items() if line_id in line_ids}
        marks |= _marks_of(gone, Owners(target))
        ids = {_id_of(mark) for mark in marks}
        own = {_id_of(mark) for mark in marks & offered.keys()}

        def is_meant(id_: str, metadata: Mapping[str, object]) -> bool:
            agents = metadata.get("agents")
            return id_ in own or (id_ in ids and isinstance(agents, list) and target.agent_id in agents)

        kept = filter(None, (memories.by_id(db, id_) for id_ in sorted(ids)))
        still = [one.id for one in kept if is_meant(one.id, one.metadata)]
        with open_ledger(shared.ledger, create=False, read_only=True) as ledger:
            moved = list(_patterns_in(ledger))
        yield [*still, *(one.id for was, (one, _) in moved if is_meant(was.memory_id, was.metadata))]
        offers.take_back(db, target.agent_id, marks)


def _marks_of(lines: Iterable[Observation], owners: Owners) -> set[str]:
    """Return the hashes under which *lines* may have been offered."""
    every = {"", *owners.of_sessions.values()}  # a person's wording may be of a line about any of them
    return {
        _mark_of(one.text, owner_id)
        for one in lines
        for owner_id in ([owners.named(one.session_id)] if one.session_id else every)
        if owner_id is not None
    }
