"""Conversations that programs store: messages, contexts, observing, and their state."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from scrimshaw.clock import milliseconds
from scrimshaw.core.conversation import Message
from scrimshaw.memory import Memory
from scrimshaw.web.access import Reader, Writer
from scrimshaw.web.problems import Problem, paging
from scrimshaw.web.threads import at_length, in_a_moment
from scrimshaw.web.v2 import shapes
from scrimshaw.web.v2.replies import PREFIX, IdempotencyKey, id_from, json_answer, responses

router = APIRouter(prefix=PREFIX, tags=["conversations"])


@router.post(
    "/conversations/{thread_id:path}/messages",
    status_code=201,
    responses=responses(shapes.MessageTold, 201),
)
@in_a_moment
def add_message(
    thread_id: shapes.ThreadId,
    asked: shapes.MessageAsked,
    caller: Writer,
    idempotency_key: IdempotencyKey = None,
) -> JSONResponse:
    """Store what one side said, and tell whether observing is due; the same id twice is one message."""
    memory = caller.memory(asked.agent, makes=True)
    done = memory.add_message(
        asked.content,
        thread_id=thread_id,
        role=asked.role,
        resource_id=asked.resource_id,
        message_id=asked.id or id_from(idempotency_key, memory.agent, f"message {thread_id}"),
        timestamp=asked.timestamp,
    )
    if idempotency_key and not asked.id and not done.is_new and not _is_same(memory, done.message, asked):
        raise Problem(409, "This Idempotency-Key stands for another message.", state="Nothing was stored.")
    return json_answer(done.to_dict(), 201)


def _is_same(memory: Memory, known: Message, asked: shapes.MessageAsked) -> bool:
    """Return whether *asked* is the message *known*; without a time it is of any."""
    from scrimshaw.services.conversations.messages import kept_text, said_at  # it loads long

    at_ms = milliseconds(said_at(asked.timestamp, memory.target)) if asked.timestamp else known.at_ms
    text, _ = kept_text(memory.target, asked.content)
    return (known.role, known.content, known.at_ms) == (asked.role, text, at_ms)


@router.post("/conversations/{thread_id:path}/context", responses=responses(shapes.OfAgentTold))
@in_a_moment
def context(thread_id: shapes.ThreadId, asked: shapes.ContextAsked, caller: Reader) -> JSONResponse:
    """Return what to send to a model in the next turn; nothing is written."""
    told = asked.model_dump(exclude={"agent"})
    return json_answer(caller.memory(asked.agent).get_context(thread_id, **told).to_dict())


@router.post("/conversations/{thread_id:path}/observe", responses=responses(shapes.OfAgentTold))
def observe(thread_id: shapes.ThreadId, asked: shapes.AgentAsked, caller: Writer) -> JSONResponse:
    """Observe the conversation now, even if only little is waiting."""
    with at_length():
        return json_answer(caller.memory(asked.agent).force_observe(thread_id).to_dict())


@router.post("/conversations/{thread_id:path}/reflect", responses=responses(shapes.OfAgentTold))
def reflect(thread_id: shapes.ThreadId, asked: shapes.AgentAsked, caller: Writer) -> JSONResponse:
    """Condense the conversation's log of observations, whatever its size."""
    with at_length():
        return json_answer(caller.memory(asked.agent).reflect(thread_id=thread_id).to_dict())


@router.post("/conversations/{thread_id:path}/close", responses=responses(shapes.ConversationTold))
def close(thread_id: shapes.ThreadId, asked: shapes.AgentAsked, caller: Writer) -> JSONResponse:
    """End the conversation: the next consolidation archives all of it."""
    return json_answer(caller.memory(asked.agent).close_conversation(thread_id).to_dict())


@router.get("/conversations/{thread_id:path}/memory", responses=responses(shapes.ConversationTold))
def conversation(thread_id: shapes.ThreadId, caller: Reader, agent: shapes.AgentQuery = None) -> JSONResponse:
    """Return the state of a conversation, and the size of its log."""
    return json_answer(caller.memory(agent).conversation(thread_id).to_dict())


@router.get("/conversations", responses=responses(shapes.ConversationsTold))
def conversations(
    caller: Reader,
    agent: shapes.AgentQuery = None,
    limit: shapes.Limit = 100,
    cursor: shapes.Cursor = None,
) -> JSONResponse:
    """List the conversations, the most recent first."""
    with paging():
        told = caller.memory(agent).conversations(limit, after=cursor).to_dict()
    following = told.pop("after")
    return json_answer({**told, "next_cursor": following})


@router.post("/usage", status_code=204, responses=responses(None, 204))
def usage(asked: shapes.UsageAsked, caller: Writer, idempotency_key: IdempotencyKey = None) -> Response:
    """Record the tokens of a call of the caller's model; `scrimshaw spend` shows what the cache saved."""
    memory = caller.memory(asked.agent)
    once = id_from(idempotency_key, memory.agent, "usage")
    memory.report_usage(**asked.model_dump(exclude={"agent"}), id=once)
    return Response(status_code=204)
