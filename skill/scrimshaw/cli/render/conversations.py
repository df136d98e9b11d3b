"""How conversations that programs hand in are worded, and the context of one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from scrimshaw.cli.support.command import head
from scrimshaw.clock import local_minute
from scrimshaw.core.text.plural import counted

if TYPE_CHECKING:
    from scrimshaw.services.conversations.context import ConversationContext
    from scrimshaw.services.conversations.listing import ConversationList, ConversationMemory

_DUE = "scrimshaw observe"


def list_lines(found: ConversationList) -> list[str]:
    if not found.conversations:
        return [head(found), "No program has handed in a conversation."]
    return [head(found), *(f"  {_in_a_line(one)}" for one in found.conversations)]


def _in_a_line(one: ConversationMemory) -> str:
    state = one.state
    whom = f" ({state.resource_id})" if state.resource_id else ""
    due = "; due" if one.should_observe else ""
    due += "; closed" if state.closed_at_ms else ""
    due += "; archived" if state.archived_position and state.archived_position == state.last_position else ""
    return (
        f"{local_minute(state.newest_at_ms, one.target.zone)}  {state.thread_id}{whom}: "
        f"{counted(state.last_position, 'message')}, "
        f"{counted(one.log.observation_count, 'observation')}, "
        f"{counted(state.unobserved_token_count, 'token')} not observed yet{due}"
    )


def conversation_lines(one: ConversationMemory) -> list[str]:
    state, log, zone = one.state, one.log, one.target.zone
    ran = local_minute(state.last_observer_run_ms, zone) if state.last_observer_run_ms else "never"
    condensed = local_minute(log.last_reflector_run_ms, zone) if log.last_reflector_run_ms else "never"
    return [
        head(one),
        f"  {_in_a_line(one)}",
        f"  observed   up to {state.observed_cursor_message_id or 'nothing'}; last {ran}",
        f"  log        version {log.version}, {counted(log.observation_token_count, 'token')}, "
        f"{counted(len(log.text), 'character')}; condensed {condensed}",
        *([f"Next: {_DUE}"] if one.should_observe else []),
    ]


def context_lines(told: ConversationContext) -> list[str]:
    """Return the context as a model gets it, and what it takes."""
    request = told.request
    text = request["text"] if "text" in request else json.dumps(request, ensure_ascii=False, indent=2)
    parts = ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in told.tokens.items() if count)
    return [
        *text.splitlines(),
        "",
        f"About {counted(told.tokens['total'], 'token')}{f' ({parts})' if parts else ''}.",
        *([f"The observer is due. Next: {_DUE}"] if told.should_observe else []),
        *(["The log is full. Next: scrimshaw reflect"] if told.should_reflect else []),
    ]
