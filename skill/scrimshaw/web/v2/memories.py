"""Memories and knowledge: store, search, recall, consolidate, and one by one."""

from __future__ import annotations

import time
from typing import Annotated

from fastapi import APIRouter, Header, Query, Response
from fastapi.responses import JSONResponse

from scrimshaw.memory import Memories, Memory
from scrimshaw.services.search.log import SearchResult
from scrimshaw.web.access import Reader, Writer
from scrimshaw.web.problems import Problem, calling, paging
from scrimshaw.web.threads import at_length, in_a_moment
from scrimshaw.web.v2 import shapes
from scrimshaw.web.v2.replies import PREFIX, IdempotencyKey, id_from, json_answer, responses

router = APIRouter(prefix=PREFIX, tags=["memories"])
IfMatch = Annotated[str | None, Header(max_length=200, description="The ETag that was read; * for any.")]


@router.post("/store", status_code=201, responses=responses(shapes.MemoryTold, 201))
@in_a_moment
def store(asked: shapes.StoreAsked, caller: Writer, idempotency_key: IdempotencyKey = None) -> JSONResponse:
    """Store a memory in the working layer; the same Idempotency-Key twice makes one memory."""
    memory = caller.memory(asked.agent, makes=True)
    stored = memory.store(
        asked.content,
        type=asked.type,
        importance=asked.importance,
        metadata=asked.metadata,
        pin=asked.pin,
        id=id_from(idempotency_key, memory.agent, "memory"),
    )
    return json_answer(stored.to_dict(), 201, ETag=_etag(stored.version))


@router.post("/search", responses=responses(shapes.SearchTold))
@in_a_moment
def search(asked: shapes.SearchAsked, caller: Reader) -> JSONResponse:
    """Find what answers a question, in both layers; without an agent in all that the token may see."""
    return _found(caller.memories(asked.agent), asked)[0]


@router.get("/recall", responses=responses(shapes.SearchTold))
@in_a_moment
def recall(
    caller: Reader,
    q: Annotated[str, Query(max_length=2_000, pattern=shapes.TEXT, examples=["when is the dentist?"])],
    agent: shapes.AgentQuery = None,
    top_k: Annotated[int, Query(ge=1, le=shapes.MOST_PAGE)] = 10,
    mode: shapes.Mode = "hybrid",
) -> JSONResponse:
    """Search by query string; what is found is kept longer."""
    memories = caller.memories(agent)
    answer, found = _found(memories, shapes.SearchAsked(query=q, mode=mode, top_k=top_k, agent=agent))
    for memory, one in zip(memories, found, strict=True):
        memory.record_recall(one)
    return answer


@router.post("/consolidate", responses=responses(shapes.ConsolidateTold))
def consolidate(asked: shapes.ConsolidateAsked, caller: Writer) -> JSONResponse:
    """Move expired memories into the ledger."""
    with at_length():
        done = caller.memory(asked.agent).consolidate(dry_run=asked.dry_run, ttl_override=asked.ttl_override)
    return json_answer(done.to_dict())


@router.get("/memories", responses=responses(shapes.MemoriesTold))
@in_a_moment
def list_memories(
    caller: Reader,
    agent: shapes.AgentQuery = None,
    limit: shapes.Limit = 100,
    cursor: shapes.Cursor = None,
    text: Annotated[str, Query(max_length=2_000, description="Only those that hold it as it is.")] = "",
    type: shapes.Type | None = None,  # noqa: A002  # the name that programs know
) -> JSONResponse:
    """List an agent's memories of the working layer, the newest first."""
    with paging():
        page = caller.memory(agent).memories(limit, after=cursor, text=text, type=type)
    return json_answer({"memories": [one.to_dict() for one in page.memories], "next_cursor": page.after})


@router.get("/memories/{id}", responses=responses(shapes.MemoryTold))
@in_a_moment
def read_memory(id: shapes.Id, caller: Reader, agent: shapes.AgentQuery = None) -> JSONResponse:  # noqa: A002
    """Return one memory, with its ETag."""
    found = caller.memory(agent).memory(id)
    return json_answer(found.to_dict(), ETag=_etag(found.version))


@router.patch("/memories/{id}", responses=responses(shapes.MemoryTold, 200, 412, 428))
@in_a_moment
def change_memory(
    id: shapes.Id,  # noqa: A002
    asked: shapes.MemoryChange,
    caller: Writer,
    agent: shapes.AgentQuery = None,
    if_match: IfMatch = None,
) -> JSONResponse:
    """Change a memory if it is still as it was read; omitted fields stay."""
    version = _version(if_match)
    changed = caller.memory(agent).update_memory(
        id, **asked.model_dump(exclude_unset=True), if_version=version
    )
    return json_answer(changed.to_dict(), ETag=_etag(changed.version))


@router.delete("/memories/{id}", status_code=204, responses=responses(None, 204, 412, 428))
@in_a_moment
def delete_memory(
    id: shapes.Id,  # noqa: A002
    caller: Writer,
    agent: shapes.AgentQuery = None,
    if_match: IfMatch = None,
) -> Response:
    """Delete a memory or a piece of knowledge from the working layer."""
    caller.memory(agent).delete_memory(id, if_version=_version(if_match))
    return Response(status_code=204)


@router.get("/knowledge", responses=responses(shapes.KnowledgeListTold))
@in_a_moment
def list_knowledge(
    caller: Reader,
    agent: shapes.AgentQuery = None,
    limit: shapes.Limit = 100,
    cursor: shapes.Cursor = None,
    category: shapes.Category | None = None,
) -> JSONResponse:
    """List an agent's knowledge that still holds, the newest first."""
    with paging():
        page = caller.memory(agent).knowledge(limit, after=cursor, category=category)
    return json_answer({"knowledge": [one.to_dict() for one in page.knowledge], "next_cursor": page.after})


@router.post("/knowledge", status_code=201, responses=responses(shapes.KnowledgeTold, 201))
@in_a_moment
def learn(asked: shapes.LearnAsked, caller: Writer, idempotency_key: IdempotencyKey = None) -> JSONResponse:
    """Store a piece of knowledge in the working layer."""
    memory = caller.memory(asked.agent, makes=True)
    told = asked.model_dump(exclude={"agent", "content"})
    known = memory.learn(asked.content, **told, id=id_from(idempotency_key, memory.agent, "knowledge"))
    return json_answer(known.to_dict(), 201, ETag=_etag(known.version))


@router.patch("/knowledge/{id}", responses=responses(shapes.KnowledgeTold, 200, 412, 428))
@in_a_moment
def change_knowledge(
    id: shapes.Id,  # noqa: A002
    asked: shapes.KnowledgeChange,
    caller: Writer,
    agent: shapes.AgentQuery = None,
    if_match: IfMatch = None,
) -> JSONResponse:
    """Change a piece of knowledge if it is still as it was read."""
    version = _version(if_match)
    changed = caller.memory(agent).update_knowledge(
        id, **asked.model_dump(exclude_unset=True), if_version=version
    )
    return json_answer(changed.to_dict(), ETag=_etag(changed.version))


def _etag(version: int) -> str:
    return f'"{version}"'


def _version(if_match: str | None) -> int | None:
    """Return the version that If-Match names, None for any; raises Problem 428 and 412."""
    if if_match is None:
        raise Problem(
            428,
            "Which version is meant? It may have been changed since.",
            next_step="send If-Match with the ETag that you have read, or * for any",
        )
    said = if_match.strip()
    if said == "*":
        return None
    number = said.strip('"')
    if said != f'"{number}"' or not (number.isascii() and number.isdigit() and len(number) < 16):
        raise Problem(412, "If-Match names no version of it.", next_step="send the ETag that you have read")
    return int(number)


def _found(memories: list[Memory], asked: shapes.SearchAsked) -> tuple[JSONResponse, list[SearchResult]]:
    began = time.perf_counter()
    when = asked.time_range or shapes.TimeRange()
    with calling(since="time_range.after", until="time_range.before"):
        found = Memories(memories).search(
            asked.query,
            mode=asked.mode,
            limit=asked.top_k,
            min_score=asked.min_score,
            since=when.after,
            until=when.before,
            layers=asked.layers,
        )
    results = sorted((hit for one in found for hit in one.results), key=lambda hit: -hit.score)[: asked.top_k]
    told = [hit.to_dict() for hit in results]
    working = sum(one["source"] == "working" for one in told)
    answer = {
        "query": asked.query,
        "mode": found[0].found.mode.value if found else asked.mode,
        "results": told,
        "search_ms": round((time.perf_counter() - began) * 1000, 3),
        "working_count": working,
        "episodic_count": len(told) - working,
        "notes": list(dict.fromkeys(note for one in found for note in one.notes)),
    }
    return json_answer(answer), found
