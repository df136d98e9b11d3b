"""Conversations that programs have handed in, as transcripts: read from the working layer.

One is news only where it is due (core/conversation: Thresholds), or somebody has asked for it; until then
more of it is awaited. What a program calls `system` is its own instruction, and no evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from scrimshaw.core.conversation import KIND
from scrimshaw.core.transcript.entries import OLDEST_MS
from scrimshaw.sources.plugin import Conversation, ConversationMessage, PluginSource
from scrimshaw.working import conversations
from scrimshaw.working.conversations import ConversationState
from scrimshaw.working.database import WorkingDatabase

IsDue = Callable[[WorkingDatabase, ConversationState], bool]


def open_program_source(path: Path, agent_id: str, is_due: IsDue, *, thread_id: str = "") -> PluginSource:
    """Return the conversations in the working layer at *path*, or one of them alone."""
    return PluginSource(KIND, path, agent_id, _Reader(path, is_due, thread_id))


class _Reader:
    def __init__(self, path: Path, is_due: IsDue, thread_id: str) -> None:
        self._db = WorkingDatabase(path)
        self._is_due = is_due
        self._thread_id = thread_id

    def conversations(self) -> Iterator[Conversation]:
        for one in conversations.states(self._db):
            if self._thread_id in ("", one.thread_id):
                is_due = self._is_due(self._db, one)
                newest_ms = max(one.newest_at_ms, OLDEST_MS)
                yield Conversation(one.thread_id, newest_ms, str(one.last_position), is_awaited=not is_due)

    def messages(self, conversation_id: str, after: str | None) -> Iterator[ConversationMessage]:
        while found := conversations.messages_after(self._db, conversation_id, after):
            after = found[-1].id
            for one in found:
                if one.role != "system":
                    yield ConversationMessage(one.id, one.at_ms, one.role, one.content)

    def close(self) -> None:
        self._db.close()
