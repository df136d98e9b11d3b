"""What requests about conversations hold, and their answers in the description."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Path
from pydantic import Field

from scrimshaw.web.v2.shapes import TEXT, Agent, OfAgentTold, RequestBody

ThreadId = Annotated[str, Path(min_length=1, max_length=180, examples=["support-17"])]


class MessageAsked(RequestBody):
    """What one side said."""

    content: Annotated[
        str, Field(min_length=1, max_length=1_000_000, pattern=TEXT, examples=["My flight is at 7."])
    ]
    role: Literal["user", "assistant", "system", "tool"] = "user"
    agent: Agent
    resource_id: Annotated[str, Field(max_length=180, description="Whom the conversation is with.")] = ""
    id: Annotated[str, Field(max_length=180, description="Left out: one is made.")] = ""
    timestamp: datetime | None = None


class MessageTold(OfAgentTold):
    """A message as it is kept."""

    id: str
    role: str
    content: str
    thread_id: str
    resource_id: str
    timestamp: datetime
    token_count: int
    is_new: bool
    should_observe: bool


class ContextAsked(RequestBody):
    """What to put into a context."""

    agent: Agent
    resource_id: Annotated[str, Field(max_length=180)] = ""
    shape: Literal["anthropic", "openai", "text"] = "anthropic"
    identity: Annotated[str, Field(max_length=200_000)] = ""
    system_prompt: Annotated[str, Field(max_length=1_000_000)] = ""
    channel_hint: Annotated[str, Field(max_length=10_000)] = ""
    query: Annotated[str | None, Field(max_length=2_000)] = None
    memories: Annotated[int, Field(ge=0, le=100)] = 8
    observations: Annotated[int, Field(ge=0, le=20)] = 0
    reflections: Annotated[int, Field(ge=0, le=10)] = 0


class ConversationTold(OfAgentTold):
    """What is kept of a conversation."""

    thread_id: str
    memoryState: dict[str, Any]  # noqa: N815  # the names that programs know
    observationLog: dict[str, Any]  # noqa: N815
    observationCount: int  # noqa: N815
    totalObservationTokens: int  # noqa: N815


class ConversationsTold(OfAgentTold):
    """A page of conversations, the one with the newest message first."""

    conversations: list[dict[str, Any]]
    next_cursor: str | int | None


class UsageAsked(RequestBody):
    """What an answer of the caller's model used."""

    agent: Agent
    input_tokens: Annotated[int, Field(ge=0, le=10**9)]
    output_tokens: Annotated[int, Field(ge=0, le=10**9)]
    cache_creation_input_tokens: Annotated[int, Field(ge=0, le=10**9)] = 0
    cache_read_input_tokens: Annotated[int, Field(ge=0, le=10**9)] = 0
    model: Annotated[str, Field(max_length=200, pattern=r"^[ -~]*$")] = ""
