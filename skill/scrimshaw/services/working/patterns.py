"""Patterns that several agents of a home have: kept in its agent `shared`, where the owner wants that.

Each agent that has it switched on offers what the reflector made a pattern of, or what stands for good, by a
mark of the words and of whom they are about; nothing that is private, and no program's word. What two offer
alike is a memory of the agent `shared`, of the same owner; it moves into `shared.mv2` as every memory does.
Once fewer than two offer it, it is taken back. What one of them forgets goes there, too.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

from scrimshaw.clock import milliseconds
from scrimshaw.config import seconds
from scrimshaw.core.consolidation.duplicates import comparable
from scrimshaw.core.conversation import session_id_of
from scrimshaw.core.ledger.program_lines import origin_of
from scrimshaw.core.text.normalize import marks
from scrimshaw.core.types import Author, Event, EventType, Line, Place
from scrimshaw.core.working import MemoryType, expiry_ms
from scrimshaw.errors import UserError
from scrimshaw.home import SHARED, make_agent
from scrimshaw.layout import Layout
from scrimshaw.locks import write_lock
from scrimshaw.services.fleet.link import Outgoing
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.working import conversations, memories, offers
from scrimshaw.working.database import WorkingDatabase
from scrimshaw.working.memories import NewMemory
from scrimshaw.workspace import Target

log = logging.getLogger(__name__)

_IMPORTANCE = 0.7
_LOCK_SECONDS = 15.0
_ID_CHARS = 32


class _Offered(NamedTuple):
    """A line that may be a pattern of several agents, and whom it is about."""

    line: Line
    owner_id: str


def share_patterns(target: Target, ledger: Ledger, now: datetime) -> None:
    """Offer *target*'s patterns to its home, and keep what several agents have; best effort."""
    home = target.agents[0].home
    if home is None or target.is_shared:
        return
    is_wanted = target.config.settings.memory_consolidation_share_patterns
    if not is_wanted and not Layout(home / SHARED).working.exists():
        return
    try:
        shared = make_agent(home, SHARED).workspace
        db = WorkingDatabase(Layout(shared).working)
        try:
            _settle(target, db, Layout(shared), _offers(target, ledger) if is_wanted else {}, now)
        finally:
            db.close()
    except (UserError, OSError) as error:
        log.warning("job=patterns agent=%s problem=%r", target.agent_id, str(error))


def _offers(target: Target, ledger: Ledger) -> dict[str, _Offered]:
    outgoing = Outgoing(target, ledger, None)
    owners = _owners(target)
    found: dict[str, _Offered] = {}
    for line in ledger.live_lines():
        one = line.observation
        stands = bool(one.level and one.pattern) or line.standing.place is Place.STANDING
        if not stands or one.author is Author.PROGRAM or not outgoing.goes(one.id):
            continue
        rests_on = [outgoing.lines[id_].observation for id_ in one.supports if id_ in outgoing.lines]
        whose = {owners.get(each.session_id, "") for each in (rests_on or [one])}
        if len(whose) == 1:  # what rests on talk with several people is nobody's alone
            (owner_id,) = whose
            found.setdefault(_mark_of(one.text, owner_id), _Offered(line, owner_id))
    return found


def _owners(target: Target) -> dict[str, str]:
    """Return with whom each conversation is."""
    if not target.layout.working.exists():
        return {}
    db = WorkingDatabase(target.layout.working)
    try:
        return {session_id_of(one.thread_id): one.resource_id for one in conversations.states(db)}
    finally:
        db.close()


def _mark_of(text: str, owner_id: str) -> str:
    """Return what tells the words of *text*, but for fillers, and its owner from all others."""
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
        ids = {_id_of(mark) for mark in gone}
        memories.remove(db, ids)
        memories.forget_imported(db, ids)
    _withdraw(shared, ids, now)
    if fresh or ids:
        log.info("job=patterns agent=%s shared=%d taken_back=%d", target.agent_id, len(fresh), len(ids))


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
    return f"pattern-{mark}"


def _lines_in(ledger: Ledger, ids: Collection[str]) -> dict[str, list[str]]:
    """Return the lines in the ledger of `shared` that were the memories *ids*, by memory."""
    found: dict[str, list[str]] = {}
    for line in ledger.live_lines() if ids else ():
        origin = origin_of(line.observation)
        if origin is not None and origin.memory_id in ids:
            found.setdefault(origin.memory_id, []).append(line.observation.id)
    return found


def _withdraw(shared: Layout, ids: Collection[str], now: datetime) -> None:
    """Withdraw what has moved into the ledger by now."""
    with open_ledger(shared.ledger, create=False) as ledger:
        lines = [id_ for every in _lines_in(ledger, ids).values() for id_ in every]
        if lines:
            at_ms = milliseconds(now)
            with write_lock(shared.state, by="patterns", now=now, timeout_seconds=_LOCK_SECONDS):
                ledger.append([Event(EventType.WITHDRAWN, one, at_ms, "patterns") for one in lines])


@contextmanager
def forgetting_patterns(target: Target, ids: Collection[str]) -> Iterator[list[str]]:
    """Yield what the home's agent `shared` keeps of the lines *ids*, each a line or memory there to forget.

    What was forgotten by the end of the block does not come back.
    """
    home = target.agents[0].home
    shared = Layout(home / SHARED) if home else None
    if shared is None or not ids or target.is_shared or not shared.working.exists():
        yield []
        return
    db = WorkingDatabase(shared.working)
    try:
        offered = offers.offered(db, target.agent_id)
        gone = {mark for mark, line_id in offered.items() if line_id in ids}
        kept = {_id_of(mark) for mark in gone}
        with open_ledger(shared.ledger, create=False, read_only=True) as ledger:
            moved = _lines_in(ledger, kept)
        still = [one for one in sorted(kept - moved.keys()) if memories.by_id(db, one)]
        yield [*still, *(line for every in moved.values() for line in every)]
        offers.take_back(db, target.agent_id, gone)
    finally:
        db.close()
