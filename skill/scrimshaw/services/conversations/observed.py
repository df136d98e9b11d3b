"""A conversation's observations and reflections one by one, as programs see them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, NamedTuple

from scrimshaw.core.conversation import (
    MOST_OBSERVATIONS,
    MOST_REFLECTIONS,
    count_tokens,
    session_id_of,
    thread_id_of,
)
from scrimshaw.core.types import Line, Place
from scrimshaw.services.conversations.context import ConversationRead
from scrimshaw.store.ledger import open_ledger
from scrimshaw.working import conversations
from scrimshaw.working.database import WorkingDatabase
from scrimshaw.workspace import Target


class ObservedLines(NamedTuple):
    """The newest observations of a log, and the newest reflections that rest on its conversations' lines."""

    observations: tuple[dict[str, Any], ...] = ()
    reflections: tuple[dict[str, Any], ...] = ()


def observed_lines(
    target: Target, db: WorkingDatabase, read: ConversationRead, observations: int, reflections: int
) -> ObservedLines:
    """Return up to *observations* (at most 20) and *reflections* (at most 10), the newest first."""
    wanted = min(observations, MOST_OBSERVATIONS), min(reflections, MOST_REFLECTIONS)
    if not any(wanted):
        return ObservedLines()
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        sessions = [session_id_of(one) for one in conversations.threads_of(db, read.owner)]
        lines = [*ledger.lines(read.logged).values(), *ledger.lines_of_sessions(sessions)]
    every = {line.observation.id: line for line in lines if line.standing.is_live}
    newest = sorted(every.values(), key=lambda one: -one.observation.said_at_ms)
    plain = [one for one in newest if not one.observation.level and one.observation.id in read.logged]
    concluded = [one for one in newest if one.observation.level]
    resource_id = read.state.resource_id
    return ObservedLines(
        tuple(_observation_dict(one, resource_id) for one in plain[: wanted[0]]),
        tuple(_reflection_dict(one, resource_id) for one in concluded[: wanted[1]]),
    )


def _observation_dict(line: Line, resource_id: str) -> dict[str, Any]:
    one = line.observation
    return {
        **_common(line, resource_id),
        "priority": one.priority,
        "task_state": "done" if one.done else "open" if line.standing.place is Place.OPEN else None,
        "tags": ["".join(part.title() for part in one.kind.value.split("-"))],
        "source_range": {"source_message_from": one.sources[0], "source_message_to": one.sources[-1]}
        if one.sources
        else None,
        "thread_id": thread_id_of(one.session_id),
    }


def _reflection_dict(line: Line, resource_id: str) -> dict[str, Any]:
    one = line.observation
    return {
        **_common(line, resource_id),
        "pattern": one.pattern or None,
        "source_obs": list(one.supports),
    }


def _common(line: Line, resource_id: str) -> dict[str, Any]:
    one = line.observation
    return {
        "id": one.id,
        "content": one.text,
        "timestamp": datetime.fromtimestamp(one.said_at_ms / 1000, UTC).isoformat(),
        "resource_id": resource_id,
        "token_count": count_tokens(one.text),
    }
