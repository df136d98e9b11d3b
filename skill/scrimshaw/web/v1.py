"""Version 1, for older programs: only the working layer, with the older answers.

Lists are plain arrays of rows, created rows come back with 201, an error is `{"error": …}`. Each answer says
that the version is deprecated (Deprecation, Link), and so does the log.
"""

from __future__ import annotations

import logging
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field, JsonValue

from scrimshaw.web.access import Reader, Writer
from scrimshaw.web.problems import V1_HEADERS
from scrimshaw.web.v2 import shapes

log = logging.getLogger(__name__)
router = APIRouter(prefix="/api", tags=["version 1"], deprecated=True)
_DEFAULT_ROWS = 100
_OF_VERSION_2 = ("layer", "version")
_Rows = Annotated[int, Query(ge=1, le=shapes.MOST_PAGE)]


class MemoryRow(BaseModel):
    """A memory to store; what is not known is left alone."""

    content: shapes.Content
    type: shapes.Type = "episodic"
    owner_id: Annotated[str, Field(max_length=200)] = ""
    agent: shapes.Agent
    metadata: dict[str, JsonValue] | None = None
    importance: Annotated[float, Field(ge=0, le=1)] = 0.5
    pinned: bool = False


class KnowledgeRow(BaseModel):
    """Something that was learnt."""

    content: shapes.Content
    category: Literal["fact", "preference", "solution", "pattern"] = "fact"
    owner_id: Annotated[str, Field(max_length=200)] = ""
    agent: shapes.Agent
    metadata: dict[str, JsonValue] | None = None
    confidence: Annotated[float, Field(ge=0, le=1)] = 0.8
    source: Annotated[str, Field(max_length=200)] = "conversation"


class MemoryRowTold(BaseModel):
    """A memory, with the fields that it has always had."""

    id: str
    owner_id: str
    agent: str
    type: shapes.Type
    content: str
    metadata: dict[str, Any]
    importance: float
    access_count: int
    pinned: bool
    embedding_status: Literal["pending", "queued", "ready", "failed"]
    created_at: datetime
    updated_at: datetime
    last_accessed_at: datetime
    expires_at: datetime | None


class ErrorTold(BaseModel):
    """An error."""

    error: str


def _responses(model: Any, status: int = 200) -> dict[int | str, dict[str, Any]]:  # noqa: ANN401  # a type
    codes = (400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 503)
    return {status: {"model": model}, **{code: {"model": ErrorTold} for code in codes}}


@router.get("/memories", responses=_responses(list[MemoryRowTold]))
def memories(caller: Reader, agent: shapes.AgentQuery = None, limit: _Rows = _DEFAULT_ROWS) -> JSONResponse:
    """List memories, the newest first."""
    return _told([one.to_dict() for one in caller.memory(agent).memories(limit).memories])


@router.post("/memories", status_code=201, responses=_responses(MemoryRowTold, 201))
def store(row: MemoryRow, caller: Writer) -> JSONResponse:
    """Store a memory."""
    stored = caller.memory(row.agent, makes=True).store(
        row.content,
        type=row.type,
        importance=row.importance,
        metadata=row.metadata,
        pin=row.pinned,
        owner_id=row.owner_id,
    )
    return _told(stored.to_dict(), 201)


@router.get("/memories/search", responses=_responses(list[MemoryRowTold]))
def search(
    caller: Reader,
    q: Annotated[str, Query(max_length=2_000)],
    agent: shapes.AgentQuery = None,
    limit: _Rows = _DEFAULT_ROWS,
) -> JSONResponse:
    """List the memories that contain q, ignoring case."""
    return _told([one.to_dict() for one in caller.memory(agent).memories(limit, text=q).memories])


@router.get("/knowledge", responses=_responses(list[shapes.KnowledgeTold]))
def knowledge(caller: Reader, agent: shapes.AgentQuery = None, limit: _Rows = _DEFAULT_ROWS) -> JSONResponse:
    """List the knowledge, the newest first."""
    found = caller.memory(agent).knowledge(limit, status=None)
    return _told([one.to_dict() for one in found.knowledge])


@router.post("/knowledge", status_code=201, responses=_responses(shapes.KnowledgeTold, 201))
def learn(row: KnowledgeRow, caller: Writer) -> JSONResponse:
    """Store a piece of knowledge."""
    known = caller.memory(row.agent, makes=True).learn(
        row.content,
        category=row.category,
        confidence=row.confidence,
        source=row.source,
        metadata=row.metadata,
        owner_id=row.owner_id,
    )
    return _told(known.to_dict(), 201)


def _told(rows: Any, status: int = 200) -> JSONResponse:  # noqa: ANN401  # JSON
    log.info("event=version-1 note='asked by a program of the one before'")
    told = [_row(one) for one in rows] if isinstance(rows, list) else _row(rows)
    return JSONResponse(told, status, V1_HEADERS)


def _row(one: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in one.items() if name not in _OF_VERSION_2}
