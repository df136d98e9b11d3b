"""Memories and knowledge of the working layer: their values, and how long they stay.

A memory expires a time after it was last used; one that is pinned, or important enough, never does. What
nobody reads loses importance night by night, and gets it back with use. What may leave for the ledger is a
memory of type episodic or system whose time has come; the rest stays until there is no room, the least worth
first. Pure: times and sizes come in as arguments.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

LASTING_IMPORTANCE = 0.9  # from here on a memory never expires, and its importance does not fall
DEFAULT_IMPORTANCE = 0.5
DEFAULT_CONFIDENCE = 0.8
_FALL = 0.97  # of importance, each night: half after three weeks
_LEAST_IMPORTANCE = 0.05
_RETURN = 0.1  # with each use, up to what it was stored with
_DAY_MS = 86_400_000
_HALF_LIFE_DAYS = 7
_USES = 3  # so many reads are worth half of the most that use can be worth


class MemoryType(StrEnum):
    """What sort of memory it is; the first and the last move into the ledger when they expire."""

    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"
    SYSTEM = "system"


MOVING = (MemoryType.EPISODIC, MemoryType.SYSTEM)


class EmbeddingStatus(StrEnum):
    """How far the vector of a text is; "pending" also where there is no model."""

    PENDING = "pending"
    QUEUED = "queued"
    READY = "ready"
    FAILED = "failed"


class Category(StrEnum):
    """What sort of knowledge it is."""

    FACT = "fact"
    PREFERENCE = "preference"
    SOLUTION = "solution"
    PATTERN = "pattern"


class KnowledgeStatus(StrEnum):
    """Whether knowledge still holds."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"


@dataclass(frozen=True, slots=True)
class StoredMemory:
    """A memory as a program sees it. Times are UTC; without *expires_at* it never expires."""

    id: str
    owner_id: str
    agent: str
    type: MemoryType
    content: str
    metadata: Mapping[str, Any]
    importance: float  # 0..1
    access_count: int
    pinned: bool
    embedding_status: EmbeddingStatus
    created_at: datetime
    updated_at: datetime
    last_accessed_at: datetime
    expires_at: datetime | None
    version: int = 1  # grows with each change that somebody asks for; being read is none
    category: Category | None = None  # of knowledge that is among memories, in what a search finds
    layer: str = "working"  # "episodic" once it has moved into the ledger

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it: times in ISO 8601, and the layer it is in."""
        return {
            "id": self.id,
            "layer": self.layer,
            "owner_id": self.owner_id,
            "agent": self.agent,
            "type": self.type.value,
            "content": self.content,
            "metadata": dict(self.metadata),
            "importance": round(self.importance, 4),
            "access_count": self.access_count,
            "pinned": self.pinned,
            "embedding_status": self.embedding_status.value,
            "created_at": iso(self.created_at),
            "updated_at": iso(self.updated_at),
            "last_accessed_at": iso(self.last_accessed_at),
            "expires_at": iso(self.expires_at) if self.expires_at else None,
            "version": self.version,
        }

    def __str__(self) -> str:
        """Return it as JSON."""
        return json.dumps(self.to_dict())


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Something that was learnt: kept until it is replaced, or there is no room."""

    id: str
    owner_id: str
    category: Category
    content: str
    metadata: Mapping[str, Any]
    confidence: float  # 0..1
    source: str
    status: KnowledgeStatus
    created_at: datetime
    updated_at: datetime
    version: int = 1  # grows with each change

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {
            "id": self.id,
            "owner_id": self.owner_id,
            "category": self.category.value,
            "content": self.content,
            "metadata": dict(self.metadata),
            "confidence": self.confidence,
            "source": self.source,
            "status": self.status.value,
            "created_at": iso(self.created_at),
            "updated_at": iso(self.updated_at),
            "version": self.version,
        }

    def __str__(self) -> str:
        """Return it as JSON."""
        return json.dumps(self.to_dict())


def iso(moment: datetime) -> str:
    """Return *moment* in ISO 8601, in UTC, to the millisecond."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def expiry_ms(used_at_ms: int, ttl_seconds: int, *, importance: float, is_pinned: bool) -> int | None:
    """Return when a memory expires that was used last at *used_at_ms*; None for never."""
    if is_pinned or importance >= LASTING_IMPORTANCE:
        return None
    return used_at_ms + ttl_seconds * 1000


def faded(importance: float, nights: int) -> float:
    """Return the importance after so many nights in which nobody asked for it; what is less stays."""
    if importance >= LASTING_IMPORTANCE:
        return importance
    return max(min(importance, _LEAST_IMPORTANCE), importance * _FALL**nights)


def come_back(importance: float, stated: float) -> float:
    """Return the importance after a use; never more than it was stored with."""
    return max(importance, min(stated, importance + _RETURN))


def worth(importance: float, access_count: int, age_days: float) -> float:
    """Return what a memory is worth beside others, 0..1: its importance, its use, how lately it was used."""
    use = access_count / (access_count + _USES)
    recency = float(0.5 ** (max(0.0, age_days) / _HALF_LIFE_DAYS))
    return 0.5 * importance + 0.2 * use + 0.3 * recency


def days_between(earlier_ms: int, later_ms: int) -> float:
    """Return the days from one time to another."""
    return (later_ms - earlier_ms) / _DAY_MS
