"""Memories: store, search, recall, consolidate."""

from __future__ import annotations

import time
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse

from scrimshaw.memory import Memories, Memory
from scrimshaw.services.search.log import SearchResult
from scrimshaw.web.access import Reader, Writer
from scrimshaw.web.v2 import shapes
from scrimshaw.web.v2.replies import json_answer, responses

router = APIRouter(tags=["memories"])


@router.post("/store", status_code=201, responses=responses(shapes.MemoryTold, 201))
def store(asked: shapes.StoreAsked, caller: Writer) -> JSONResponse:
    """Put a memory into the working layer."""
    memory = caller.memory(asked.agent, makes=True)
    stored = memory.store(
        asked.content, type=asked.type, importance=asked.importance, metadata=asked.metadata, pin=asked.pin
    )
    return json_answer(stored.to_dict(), 201)


@router.post("/search", responses=responses(shapes.SearchTold))
def search(asked: shapes.SearchAsked, caller: Reader) -> JSONResponse:
    """Find what answers a question, in both layers; without an agent in all that the token may see."""
    return _found(caller.memories(asked.agent), asked)[0]


@router.get("/recall", responses=responses(shapes.SearchTold))
def recall(
    caller: Reader,
    q: Annotated[shapes.Words, Query()],
    agent: shapes.AgentQuery = None,
    top_k: Annotated[int, Query(ge=1, le=shapes.MOST_PAGE)] = 10,
    mode: shapes.Mode = "hybrid",
) -> JSONResponse:
    """Find it by query string; what was found is kept longer for it."""
    memories = caller.memories(agent)
    answer, found = _found(memories, shapes.SearchAsked(query=q, mode=mode, top_k=top_k, agent=agent))
    for memory, one in zip(memories, found, strict=True):
        memory.record_recall(one)
    return answer


@router.post("/consolidate", responses=responses(shapes.ConsolidateTold))
def consolidate(asked: shapes.ConsolidateAsked, caller: Writer) -> JSONResponse:
    """Move memories whose time has come into the ledger."""
    done = caller.memory(asked.agent).consolidate(dry_run=asked.dry_run, ttl_override=asked.ttl_override)
    return json_answer(done.to_dict())


def _found(memories: list[Memory], asked: shapes.SearchAsked) -> tuple[JSONResponse, list[SearchResult]]:
    began = time.perf_counter()
    when = asked.time_range or shapes.TimeRange()
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
    return json_answer(
        {
            "query": asked.query,
            "mode": found[0].found.mode.value if found else asked.mode,
            "results": told,
            "search_ms": round((time.perf_counter() - began) * 1000, 3),
            "working_count": working,
            "episodic_count": len(told) - working,
            "notes": list(dict.fromkeys(note for one in found for note in one.notes)),
        }
    ), found
