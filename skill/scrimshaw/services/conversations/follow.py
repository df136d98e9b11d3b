"""Logs and cursors brought up to what the ledger holds: after an observation, and after a reflection.

The ledger comes first: there the observer's lines are true together with the messages that they cover. A log
and its cursor follow in one transaction of the working layer. Killed in between, the messages are still in
the tail, and whoever comes next goes on from here: what a log has held is not appended again.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from itertools import takewhile

from scrimshaw.clock import milliseconds
from scrimshaw.core.conversation import Piece, condensed, log_piece, session_id_of, thread_id_of
from scrimshaw.core.section.rank import newest_ms, worth
from scrimshaw.core.types import Line
from scrimshaw.errors import UserError
from scrimshaw.services.conversations.archive import ENDED
from scrimshaw.services.conversations.due import should_observe, should_reflect
from scrimshaw.services.conversations.listing import conversation_known
from scrimshaw.store.ledger import Ledger
from scrimshaw.working import conversations
from scrimshaw.working.conversations import ConversationState, Owner, Stale
from scrimshaw.working.database import WorkingDatabase
from scrimshaw.workspace import Target

log = logging.getLogger(__name__)

CONDENSED_SHARE = 0.6  # of its size: what the reflector aims at
_MOST_TRIES = 5


@contextmanager
def _working_layer(target: Target) -> Iterator[WorkingDatabase]:
    """Open *target*'s working layer; where it cannot be used that is logged, and the block is left.

    A damaged one must not keep the conversations of the host from being noted. Nothing is lost by that: the
    next run goes on.
    """
    try:
        with closing(WorkingDatabase(target.layout.working)) as db:
            yield db
    except UserError as error:
        log.warning("job=conversations agent=%s left=%r", target.agent_id, " ".join(error.problems))


def ask_for_ended(target: Target, now: datetime) -> None:
    """Have conversations that nobody has gone on with for a day observed to their end."""
    if target.layout.working.exists():
        with _working_layer(target) as db:
            conversations.ask_for_idle(db, milliseconds(now - ENDED))


def follow(target: Target, ledger: Ledger, sessions: Iterable[str], now: datetime, run_id: str) -> None:
    """Append what was noted of *sessions*, and of what a killed run has left, and move their cursors."""
    if not target.layout.working.exists():
        return
    settings = target.config.settings
    named = {thread for one in sessions if (thread := thread_id_of(one))}
    with _working_layer(target) as db:
        states = conversations.states(db)
        owners = {one.owner(settings.scope) for one in states}
        behind = {thread for owner in owners for thread in conversations.behind(db, owner)}
        for one in states:
            is_waiting = one.thread_id in named or should_observe(db, one, settings)
            if is_waiting or one.thread_id in behind:
                _advance(target, ledger, db, one.thread_id, now, run_id)


def _advance(
    target: Target, ledger: Ledger, db: WorkingDatabase, thread_id: str, now: datetime, run_id: str
) -> None:
    scope = target.config.settings.scope
    for _ in range(_MOST_TRIES):
        state = conversations.state(db, thread_id)
        assert state
        owner = state.owner(scope)
        to = _covered_to(ledger, db, state)
        if to is None and thread_id in conversations.behind(db, owner):
            to = (state.observed_position, state.observed_cursor_message_id)
        if to is None:
            return
        held = conversations.log_state(db, owner)
        piece = fresh_piece(ledger, db, owner, conversations.logged(db, owner), held.day)
        try:
            conversations.advance(
                db, state, owner, to, piece, expected=held.version, at_ms=milliseconds(now), run_id=run_id
            )
        except Stale:
            continue
        return


def _lines_of(ledger: Ledger, db: WorkingDatabase, owner: Owner) -> list[Line]:
    """Return the live lines of *owner*'s conversations, what was concluded from them included."""
    return ledger.lines_of_sessions([session_id_of(one) for one in conversations.threads_of(db, owner)])


def fresh_piece(ledger: Ledger, db: WorkingDatabase, owner: Owner, known: Collection[str], day: str) -> Piece:
    """Return what comes next in *owner*'s log, which ends under the day *day*: lines not *known* to it."""
    lines = _lines_of(ledger, db, owner)
    return log_piece(
        [one for one in lines if one.observation.id not in known and not one.observation.level], day
    )


def _covered_to(ledger: Ledger, db: WorkingDatabase, state: ConversationState) -> tuple[int, str] | None:
    """Return how far the ledger covers *state* without a gap; None where that is nothing new.

    A program's instructions are never observed: they are passed with what is said behind them, or alone.
    """
    waiting = conversations.unobserved(db, state)
    said = [one for one in waiting if one[1].role != "system"]
    left = ledger.uncovered(session_id_of(state.thread_id), [one.id for _, one in said])
    covered = list(takewhile(lambda one: one[1].id not in left, said)) if left else waiting
    return (covered[-1][0], covered[-1][1].id) if covered else None


def condense(
    target: Target, ledger: Ledger, db: WorkingDatabase, owner: Owner, now: datetime, run_id: str
) -> None:
    """Put a new version in the place of *owner*'s log, of about 60 % of its size; what goes is in the ledger.

    Lines that were merged, replaced or completed since are left out; then those worth least.
    """
    held = conversations.log_size(db, owner)
    known = conversations.logged(db, owner)
    lines = [
        one for one in _lines_of(ledger, db, owner) if one.observation.id in known or one.observation.level
    ]
    at_ms, half_life = newest_ms(lines), target.config.settings.ttl_days
    values = {one.observation.id: worth(one, at_ms, half_life) for one in lines}
    most = int(held.observation_token_count * CONDENSED_SHARE)
    piece = log_piece(condensed(lines, most, values))
    try:
        conversations.replace_log(
            db, owner, piece, expected=held.version, at_ms=milliseconds(now), run_id=run_id
        )
    except Stale:
        return  # the observer has appended meanwhile: the next round


def condense_due(target: Target, ledger: Ledger, now: datetime, run_id: str, thread_id: str = "") -> None:
    """Condense every log that is over its threshold, and that of *thread_id*."""
    if target.layout.working.exists():
        with _working_layer(target) as db:
            scope = target.config.settings.scope
            named = conversation_known(db, thread_id).owner(scope) if thread_id else None
            for owner in {*due_logs(target, db, now), *([named] if named else [])}:
                condense(target, ledger, db, owner, now, run_id)


def is_reflection_due(target: Target, now: datetime) -> bool:
    """Tell whether a log is over its threshold, and may be condensed now."""
    if target.layout.working.exists():
        with _working_layer(target) as db:
            return bool(due_logs(target, db, now))
    return False


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
