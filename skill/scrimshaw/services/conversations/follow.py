"""Logs and cursors brought up to what the ledger holds: after an observation, and after a reflection.

The ledger comes first: there the observer's lines are true together with the messages that they cover. A log
and its cursor follow in one transaction of the working layer. Killed in between, the messages are still in
the tail, and whoever comes next goes on from here: what a log has held is not appended again.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import takewhile
from typing import NamedTuple

from scrimshaw.clock import milliseconds
from scrimshaw.core.conversation import condensed, log_piece, session_id_of, thread_id_of
from scrimshaw.core.section.rank import newest_ms, worth
from scrimshaw.core.types import Line
from scrimshaw.services.conversations.due import should_observe, should_reflect
from scrimshaw.services.conversations.listing import conversation_known
from scrimshaw.services.observe.task import ObserveOptions
from scrimshaw.store.ledger import Ledger
from scrimshaw.working import conversations
from scrimshaw.working.conversations import Owner, Stale, State
from scrimshaw.working.database import WorkingDatabase
from scrimshaw.workspace import Target

CONDENSED_SHARE = 0.6  # of its size: what the reflector aims at
_ENDED = timedelta(days=1)  # of silence
_MOST_TRIES = 5


class Followed(NamedTuple):
    """What was moved on."""

    threads: int = 0
    lines: int = 0


def ask_for_ended(target: Target, now: datetime) -> None:
    """Have conversations that nobody has gone on with for a day observed to their end."""
    if target.layout.working.exists():
        db = WorkingDatabase(target.layout.working)
        conversations.ask_for_idle(db, milliseconds(now - _ENDED))
        db.close()


def asked_for(target: Target, db: WorkingDatabase, thread_id: str) -> ObserveOptions:
    """Note that *thread_id* is to be observed, however little waits; return how a run does that alone.

    Raises UserError where nobody has said anything in it.
    """
    conversation_known(db, thread_id)
    conversations.ask_for(db, thread_id)
    # A host that shows MEMORY.md has it written in its pauses, not whenever a program asks.
    is_shown = any(agent.stores for agent in target.agents)
    return ObserveOptions(
        trigger="force_observe", thread_id=thread_id, waits=False, writes_section=not is_shown
    )


def follow(target: Target, ledger: Ledger, sessions: Iterable[str], now: datetime, run_id: str) -> Followed:
    """Append what was noted of *sessions*, and of what a killed run has left, and move their cursors."""
    if not target.layout.working.exists():
        return Followed()
    db = WorkingDatabase(target.layout.working)
    try:
        settings = target.config.settings
        named = {thread for one in sessions if (thread := thread_id_of(one))}
        every = [
            one
            for one in conversations.states(db)
            if one.unobserved_token_count and (one.thread_id in named or should_observe(db, one, settings))
        ]
        lines = sum(_advance(target, ledger, db, one.thread_id, now, run_id) for one in every)
        return Followed(len(every), lines)
    finally:
        db.close()


def _advance(
    target: Target, ledger: Ledger, db: WorkingDatabase, thread_id: str, now: datetime, run_id: str
) -> int:
    scope = target.config.settings.scope
    for _ in range(_MOST_TRIES):
        state = conversations.state(db, thread_id)
        assert state
        to = _covered_to(ledger, db, state)
        if to is None:
            return 0
        owner = state.owner(scope)
        log = conversations.log_state(db, owner)
        known = conversations.logged(db, owner)
        lines = _lines(ledger, db, owner)
        fresh = [one for one in lines if one.observation.id not in known and not one.observation.level]
        piece = log_piece(fresh, log.day)
        try:
            conversations.advance(
                db, state, owner, to, piece, expected=log.version, at_ms=milliseconds(now), run_id=run_id
            )
        except Stale:
            continue
        return len(piece.ids)
    return 0


def _covered_to(ledger: Ledger, db: WorkingDatabase, state: State) -> tuple[int, str] | None:
    """Return how far the ledger covers *state* without a gap; None where that is nothing new."""
    waiting = [one for one in conversations.unobserved(db, state) if one[1].role != "system"]
    left = ledger.uncovered(session_id_of(state.thread_id), [one.id for _, one in waiting])
    covered = takewhile(lambda one: one[1].id not in left, waiting)
    *_, last = (None, *covered)
    return (last[0], last[1].id) if last else None


def _lines(ledger: Ledger, db: WorkingDatabase, owner: Owner) -> list[Line]:
    """Return the live lines of *owner*'s conversations, what was concluded from them included."""
    return ledger.lines_of_sessions([session_id_of(one) for one in conversations.threads_of(db, owner)])


def condense(
    target: Target, ledger: Ledger, db: WorkingDatabase, owner: Owner, now: datetime, run_id: str
) -> bool:
    """Put a new version in the place of *owner*'s log, of about 60 % of its size; what goes is in the ledger.

    Lines that were merged, replaced or completed since are left out; then those worth least.
    """
    log = conversations.log_state(db, owner)
    known = conversations.logged(db, owner)
    lines = [one for one in _lines(ledger, db, owner) if one.observation.id in known or one.observation.level]
    at_ms, half_life = newest_ms(lines), target.config.settings.ttl_days
    values = {one.observation.id: worth(one, at_ms, half_life) for one in lines}
    most = int(log.observation_token_count * CONDENSED_SHARE)
    piece = log_piece(condensed(lines, most, values))
    try:
        conversations.replace_log(
            db, owner, piece, expected=log.version, at_ms=milliseconds(now), run_id=run_id
        )
    except Stale:
        return False  # the observer has appended meanwhile: the next round
    return True


def condense_due(target: Target, ledger: Ledger, now: datetime, run_id: str, thread_id: str = "") -> int:
    """Condense every log that is over its threshold, and that of *thread_id*; return how many were."""
    if not target.layout.working.exists():
        return 0
    db = WorkingDatabase(target.layout.working)
    try:
        return sum(
            condense(target, ledger, db, owner, now, run_id) for owner in _wanted(target, db, now, thread_id)
        )
    finally:
        db.close()


def _wanted(target: Target, db: WorkingDatabase, now: datetime, thread_id: str) -> set[Owner]:
    named = conversation_known(db, thread_id).owner(target.config.settings.scope) if thread_id else None
    return {*due_logs(target, db, now), *([named] if named else [])}


def due_logs(target: Target, db: WorkingDatabase, now: datetime) -> list[Owner]:
    """Return whose logs are over their threshold; one whose observer is due waits for that."""
    settings = target.config.settings
    found = {one.owner(settings.scope): one for one in conversations.states(db)}
    return [
        owner
        for owner, one in found.items()
        if should_reflect(conversations.log_size(db, owner), settings, milliseconds(now))
        and not should_observe(db, one, settings)
    ]
