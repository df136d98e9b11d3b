"""Having a conversation observed before it is due."""

from __future__ import annotations

from scrimshaw.services.conversations.listing import conversation_known
from scrimshaw.services.observe.task import ObserveOptions
from scrimshaw.working import conversations
from scrimshaw.working.database import WorkingDatabase
from scrimshaw.workspace import Target


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
