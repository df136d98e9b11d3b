"""Whom a line or a memory is about: the owner named by a program, or the other side of a conversation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from scrimshaw.core.conversation import session_id_of, thread_id_of
from scrimshaw.core.ledger.program_lines import origin_in
from scrimshaw.core.types import Author, Observation
from scrimshaw.working import conversations
from scrimshaw.working.database import WorkingDatabase
from scrimshaw.workspace import Target


class Whose(NamedTuple):
    """The agent and the owner of a text: texts with equal words but different ones are different."""

    agent: str
    owner_id: str  # "" for the agent's own


class Owners:
    """The owners of one agent's lines, as its conversations are known when this is created."""

    def __init__(self, target: Target) -> None:
        self._agent = target.agent_id
        self.of_sessions = _of_sessions(target)

    def named(self, session_id: str) -> str | None:
        """Return the other side of a conversation: "" for the agent's own, None if no program named one."""
        return (self.of_sessions.get(session_id) or None) if thread_id_of(session_id) else ""

    def whose(self, author: str, session_id: str, metadata: str) -> Whose:
        """Return the agent and owner of a line of the ledger."""
        origin = origin_in(metadata) if author == Author.PROGRAM else None
        if origin is None:
            return Whose(self._agent, self.named(session_id) or "")
        return Whose(origin.agent or self._agent, origin.owner_id)

    def whose_line(self, line: Observation) -> Whose:
        """Return the agent and owner of *line*."""
        return self.whose(line.author, line.session_id, line.metadata)


def _of_sessions(target: Target) -> Mapping[str, str]:
    if not target.layout.working.exists():
        return {}
    db = WorkingDatabase(target.layout.working)
    try:
        return {session_id_of(one.thread_id): one.resource_id for one in conversations.states(db)}
    finally:
        db.close()
