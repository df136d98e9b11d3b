"""Lines of the author `program`: what a memory of the working layer becomes when it moves into the ledger.

It is the program's word and nobody else's: found by search, put into a context with where it comes from, and
no candidate for the section until a person has pinned it. A long text becomes several lines. Their ids come
from the memory's id, its version and their words, so that a memory that moves twice is there once. Lines are
what a search looks through; the text of the memory is kept with them to the last character (`exact`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from scrimshaw.core.ledger.exact import exact_of, whole_of
from scrimshaw.core.ledger.observations import observation_id
from scrimshaw.core.ledger.pieces import cuts_of
from scrimshaw.core.transcript.windows import estimate_tokens
from scrimshaw.core.types import Author, Kind, Line, Observation, Place, Role
from scrimshaw.core.working import (
    DEFAULT_CONFIDENCE,
    DEFAULT_IMPORTANCE,
    Category,
    EmbeddingStatus,
    Knowledge,
    KnowledgeStatus,
    MemoryType,
    StoredMemory,
)

FILE_SESSION = "memvid:"  # begins what stands for the conversation of another program's file
_SCOPE = "program"
_CONFIDENCE, _SALIENCE = 0.5, 0.2
_PRIORITIES = 4  # above the lowest


@dataclass(frozen=True, slots=True)
class Origin:
    """What the ledger still knows of the memory that a line was."""

    memory_id: str
    type: str
    importance: float
    owner_id: str
    metadata: Mapping[str, Any]
    agent: str = ""  # whose it is; "" where no more is known than the ledger it is in
    learnt: Learnt | None = None  # where it was knowledge


class Learnt(NamedTuple):
    """What the ledger still knows of a piece of knowledge."""

    category: Category
    confidence: float
    source: str
    status: KnowledgeStatus  # as it was when it moved


def lines_of(
    memory: StoredMemory, zone: str, run_id: str, knowledge: Knowledge | None = None
) -> tuple[Observation, ...]:
    """Return the lines that *memory* becomes, one for each piece of its text, each piece once.

    *knowledge* is the same where it is a piece of knowledge.
    """
    local = memory.created_at.astimezone(ZoneInfo(zone))
    learnt = knowledge and {
        "category": knowledge.category.value,
        "confidence": knowledge.confidence,
        "source": knowledge.source,
        "status": knowledge.status.value,
    }
    origin = {
        "memory_id": memory.id,
        "type": memory.type.value,
        "importance": memory.importance,
        "owner_id": memory.owner_id,
        "agent": memory.agent,
        "metadata": dict(memory.metadata),
        **(learnt or {}),
    }
    return tuple(
        _line(text, memory, local, zone, run_id, json.dumps({**origin, **exact}, ensure_ascii=False))
        for text, exact in exact_of(memory.content, cuts_of(memory.content)).items()
    )


def anew(line: Observation) -> Observation:
    """Return *line* under an id that follows from its own, for what is stored again after forgetting."""
    return replace(line, id=observation_id(_SCOPE, (line.id,), line.text))


def is_foreign(line: Observation) -> bool:
    """Whether *line* came from another program, or its file: it is nobody's word."""
    return line.author is Author.PROGRAM or line.session_id.startswith(FILE_SESSION)


def is_put_away(line: Line) -> bool:
    """Whether a person's own act keeps *line*, which holds, out of the section."""
    return line.standing.is_live and line.standing.is_set_aside and not is_foreign(line.observation)


def origin_of(line: Observation) -> Origin | None:
    """Return what memory *line* was; None for a line of anybody else. An imported line may say anything."""
    return origin_in(line.metadata) if line.author is Author.PROGRAM else None


def origin_in(metadata: str) -> Origin:
    """Return what the *metadata* of a program's line tell of the memory it was."""
    try:
        told = json.loads(metadata or "{}")
    except (ValueError, RecursionError):
        told = {}
    told = told if isinstance(told, dict) else {}
    kind, importance, about = told.get("type"), told.get("importance"), told.get("metadata")
    return Origin(
        str(told.get("memory_id", "")),
        kind if kind in tuple(MemoryType) else MemoryType.EPISODIC.value,
        _share(importance),
        str(told.get("owner_id", "")),
        about if isinstance(about, dict) else {},
        str(told.get("agent", "")),
        _learnt(told),
    )


def memory_of(lines: Sequence[Line], id_: str, version: int, agent: str) -> StoredMemory:
    """Return the memory *id_* of *agent* that became *lines*, or that said the same as one of them."""
    first, standing = lines[0]
    content = whole_of(line.observation for line in lines)
    origin = origin_of(first) or Origin("", MemoryType.EPISODIC.value, _importance(first), "", {})
    said = _moment(first.said_at_ms)
    return StoredMemory(
        id=id_,
        owner_id=origin.owner_id,
        agent=origin.agent or agent,
        type=MemoryType(origin.type),
        content=content if origin.memory_id == id_ else content.strip(),
        metadata=origin.metadata,
        importance=origin.importance,
        access_count=standing.recalled,
        pinned=standing.is_pinned,
        embedding_status=EmbeddingStatus.READY,  # a search makes what is missing
        created_at=said,
        updated_at=said,
        last_accessed_at=max(said, _moment(standing.renewed_at_ms)),
        expires_at=None,
        version=version,
        category=origin.learnt.category if origin.learnt else None,
        layer="episodic",
    )


def knowledge_of(memory: StoredMemory, learnt: Learnt) -> Knowledge:
    """Return *memory*, which became a line, as the knowledge it was."""
    return Knowledge(
        id=memory.id,
        owner_id=memory.owner_id,
        content=memory.content,
        metadata=memory.metadata,
        created_at=memory.created_at,
        updated_at=memory.updated_at,
        version=memory.version,
        **learnt._asdict(),
    )


def archive_of(line: Observation) -> str:
    """Return which archive *line* goes into: "shared", "system", or "" for its agent's own."""
    origin = origin_of(line)
    return archive_for(origin.type, origin.agent) if origin else ""


def archive_for(type_: str, agent: str) -> str:
    """Return which archive a memory of *agent* goes into, as `archive_of` does."""
    if type_ == MemoryType.SYSTEM:
        return "system"
    return "shared" if agent == "shared" else ""


def _learnt(told: Mapping[str, Any]) -> Learnt | None:
    category, status = told.get("category"), told.get("status")
    if category not in tuple(Category):
        return None
    return Learnt(
        Category(category),
        _share(told.get("confidence"), DEFAULT_CONFIDENCE),
        str(told.get("source", "")),
        KnowledgeStatus(status) if status in tuple(KnowledgeStatus) else KnowledgeStatus.ACTIVE,
    )


def _importance(line: Observation) -> float:
    return (line.priority - 1) / _PRIORITIES


def _moment(at_ms: int) -> datetime:
    return datetime.fromtimestamp(at_ms / 1000, UTC)


def _share(said: object, default: float = DEFAULT_IMPORTANCE) -> float:
    return float(said) if isinstance(said, int | float) and 0 <= said <= 1 else default


def _line(
    text: str, memory: StoredMemory, local: datetime, zone: str, run_id: str, origin: str
) -> Observation:
    # The first version has no number in its id, as before there were any.
    version = (f"version {memory.version}",) if memory.version > 1 else ()
    return Observation(
        id=observation_id(_SCOPE, (memory.id, *version), text),
        text=text,
        kind=Kind.FACT,
        priority=1 + round(_PRIORITIES * memory.importance),
        place=Place.LOG,
        done=False,
        author=Author.PROGRAM,
        session_id="",
        sources=(),
        speaker=Role.TOOL,
        said_at_ms=round(memory.created_at.timestamp() * 1000),
        local_date=f"{local:%Y-%m-%d}",
        local_time=f"{local:%H:%M}",
        zone=zone,
        confidence=_CONFIDENCE,
        salience=_SALIENCE,
        run_id=run_id,
        tokens=estimate_tokens(text),
        metadata=origin,
    )
