"""Whom a line or a memory is about: the owner named by a program, or the other side of a conversation."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from typing import Any, NamedTuple

from scrimshaw.core.conversation import session_id_of, thread_id_of
from scrimshaw.core.ledger.program_lines import archive_for, origin_in
from scrimshaw.core.types import Author
from scrimshaw.core.working import StoredMemory
from scrimshaw.working import conversations
from scrimshaw.working.database import WorkingDatabase
from scrimshaw.workspace import Target


class Whose(NamedTuple):
    """The agent and the owner of a text: texts with equal words but different ones are different."""

    agent: str
    owner_id: str  # "" for the agent's own


class Kin(NamedTuple):
    """What texts have in common, besides their words, that are one memory."""

    whose: Whose
    archive: str  # as `archive_of` names it
    about: str  # the metadata that a program gave, as JSON; "" for none


def kin_of(memory: StoredMemory) -> Kin:
    """Return what another text must share with *memory* to be the same."""
    archive = archive_for(memory.type, memory.agent)
    return Kin(Whose(memory.agent, memory.owner_id), archive, _as_json(memory.metadata))


class Owners:
    """The owners of one agent's lines, as its conversations are known when this is created."""

    def __init__(self, target: Target) -> None:
        self._agent = target.agent_id
        self.of_sessions: dict[str, str] = {}
        if target.layout.working.exists():
            with closing(WorkingDatabase(target.layout.working)) as db:
                states = conversations.states(db)
            self.of_sessions = {session_id_of(one.thread_id): one.resource_id for one in states}

    def named(self, session_id: str) -> str | None:
        """Return the other side of a conversation: "" for the agent's own, None if no program named one."""
        return (self.of_sessions.get(session_id) or None) if thread_id_of(session_id) else ""

    def kin(self, author: str, session_id: str, metadata: str) -> Kin:
        """Return what another text must share with a line of the ledger to be the same."""
        origin = origin_in(metadata) if author == Author.PROGRAM else None
        if origin is None:
            return Kin(Whose(self._agent, self.named(session_id) or ""), "", "")
        whose = Whose(origin.agent or self._agent, origin.owner_id)
        return Kin(whose, archive_for(origin.type, whose.agent), _as_json(origin.metadata))


def _as_json(about: Mapping[str, Any]) -> str:
    return json.dumps(about, sort_keys=True) if about else ""
