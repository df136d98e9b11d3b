"""Which conversations programs have handed in, and what the memory of one holds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from scrimshaw.clock import milliseconds
from scrimshaw.errors import Exit, NotFoundError, usage_error
from scrimshaw.services.conversations.due import should_observe, should_reflect
from scrimshaw.services.results import WorkspaceResult
from scrimshaw.working import conversations
from scrimshaw.working.conversations import ConversationState, LogState, LogVersion
from scrimshaw.working.database import WorkingDatabase
from scrimshaw.workspace import Target


@dataclass(frozen=True, slots=True)
class ConversationMemory(WorkspaceResult):
    """What is kept of one conversation: its state and its log of observations."""

    state: ConversationState
    log: LogState
    versions: tuple[LogVersion, ...]
    should_observe: bool
    should_reflect: bool

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it: `memoryState`, `observationLog` and the counts."""
        state, log = self.state, self.log
        return {
            **self.head(),
            "thread_id": state.thread_id,
            "resource_id": state.resource_id,
            "memoryState": {
                "lock_version": state.lock_version,
                "observed_cursor_message_id": state.observed_cursor_message_id or None,
                "unobserved_token_count": state.unobserved_token_count,
                "observation_token_count": log.observation_token_count,
                "last_observer_run": state.last_observer_run_ms,
                "last_reflector_run": log.last_reflector_run_ms,
                "messages": state.last_position,
                "closed_at": state.closed_at_ms,
                "archived_messages": state.archived_position,
                "should_observe": self.should_observe,
                "should_reflect": self.should_reflect,
            },
            "observationLog": {
                "version": log.version,
                "tokenCount": log.observation_token_count,
                "textLength": len(log.text),
            },
            "observationCount": log.observation_count,
            "totalObservationTokens": sum(one.token_count for one in self.versions),
        }


@dataclass(frozen=True, slots=True)
class ConversationList(WorkspaceResult):
    """The conversations that programs have handed in, the newest message first; *after* asks for more."""

    conversations: tuple[ConversationMemory, ...]
    after: str | None  # None: there are no more

    def to_dict(self) -> dict[str, Any]:
        rows = [one.to_dict() for one in self.conversations]
        head = self.head()
        told = [{k: row[k] for k in row if k not in head} for row in rows]
        return {**head, "conversations": told, "after": self.after}


def conversation(target: Target, db: WorkingDatabase, now: datetime, thread_id: str) -> ConversationMemory:
    """Return what is kept of *thread_id*; raises NotFoundError where nobody has said anything in it."""
    return _told(target, db, now, conversation_known(db, thread_id))


def conversation_known(db: WorkingDatabase, thread_id: str) -> ConversationState:
    """Return *thread_id* as it stands; raises NotFoundError where nobody has said anything in it."""
    state = conversations.state(db, thread_id)
    if state is None:
        raise NotFoundError(
            f"No conversation {thread_id} is known here.",
            next_step="scrimshaw conversations lists those that programs have handed in",
            exit_code=Exit.USAGE,
        )
    return state


def conversation_page(
    target: Target, db: WorkingDatabase | None, now: datetime, limit: int, after: str | None
) -> ConversationList:
    """Return the *limit* conversations that were gone on with last, behind *after* of an earlier page."""
    place = _place(after)
    if db is None:  # no program has stored anything yet
        return ConversationList(target, (), None)
    states = conversations.states_behind(db, limit + 1, place)
    last = states[limit - 1] if len(states) > limit else None
    told = tuple(_told(target, db, now, state) for state in states[:limit])
    return ConversationList(target, told, f"{last.newest_at_ms}:{last.number}" if last else None)


def _place(after: str | None) -> tuple[int, int] | None:
    if after is None:
        return None
    at, _, number = after.partition(":")
    if not all(one.isascii() and one.isdigit() and len(one) < 16 for one in (at, number)):
        raise usage_error(
            f"after: {after[:80]!r} is no place that a page has told. Nothing was read.",
            next_step="take `after` of the page before, or none for the first",
        )
    return -int(at), int(number)


def _told(target: Target, db: WorkingDatabase, now: datetime, state: ConversationState) -> ConversationMemory:
    settings = target.config.settings
    owner = state.owner(settings.scope)
    log = conversations.log_state(db, owner)
    versions = tuple(conversations.log_versions(db, owner))
    return ConversationMemory(
        target,
        state,
        log,
        versions,
        should_observe(db, state, settings),
        should_reflect(log, settings, milliseconds(now)),
    )
