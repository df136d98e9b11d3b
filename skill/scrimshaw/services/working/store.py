"""Store a memory in the working layer: checked, without secrets and private parts, in one transaction.

What a program stores is its word, not the person's. Storing never waits for the ledger, and for a vector only
if the owner wants that.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeVar

from scrimshaw.clock import milliseconds
from scrimshaw.config import Settings, seconds
from scrimshaw.core.working import (
    DEFAULT_IMPORTANCE,
    EmbeddingStatus,
    Knowledge,
    MemoryType,
    StoredMemory,
    expiry_ms,
)
from scrimshaw.errors import UserError
from scrimshaw.services.working.by_old_id import moved_memory
from scrimshaw.services.working.cleaning import check_name, check_share, clean_metadata, clean_text
from scrimshaw.services.working.layer import WorkingLayer
from scrimshaw.working import memories, moved
from scrimshaw.working.memories import NewMemory

Known = TypeVar("Known", StoredMemory, Knowledge)

_NEVER_CHANGED = "type", "source"  # of an entry, whatever is changed of it
_CHANGED = "content", "metadata", "category", "confidence"


class StoreRequest(NamedTuple):
    """What a program wants to store."""

    content: str
    type: MemoryType = MemoryType.EPISODIC
    importance: float = DEFAULT_IMPORTANCE
    metadata: Mapping[str, Any] | None = None
    pin: bool = False
    owner_id: str = ""
    id: str = ""  # "": one is made


def store(
    layer: WorkingLayer, settings: Settings, agent: str, asked: StoreRequest, now: datetime
) -> StoredMemory:
    """Store a memory and return it; raises UserError, with nothing stored, for invalid input."""
    at_ms = milliseconds(now)
    new = NewMemory(
        id=check_name("id", asked.id) or str(uuid.uuid4()),
        owner_id=check_name("owner_id", asked.owner_id),
        agent=agent,
        type=asked.type,
        content=clean_text(asked.content, settings),
        metadata=clean_metadata(asked.metadata, settings),
        importance=check_share("importance", asked.importance),
        pinned=asked.pin,
        created_at_ms=at_ms,
        expires_at_ms=expiry_ms(
            at_ms, seconds(settings.memory_working_ttl), importance=asked.importance, is_pinned=asked.pin
        ),
    )
    if not memories.put(layer.db, [new]):
        if before := memories.by_id(layer.db, new.id):
            return there_already(before, new)
        if known := moved_already(layer, new):
            return known
        store_anew(layer, new)
    layer.wake_beyond_cap()
    layer.embed()
    is_made = not settings.memory_embedding_async
    return (memories.by_id(layer.db, new.id) if is_made else None) or _stored(new)


def there_already(before: Known | None, new: NewMemory) -> Known:
    """Return the entry with the id of *new*; raises UserError if something else was stored with it.

    What a change alters is compared as long as there was none. How important it is, and whether it is pinned,
    makes nothing else of it.
    """
    if before is None:
        raise taken()
    compared = _NEVER_CHANGED if before.version > 1 else (*_NEVER_CHANGED, *_CHANGED)
    is_same = all(getattr(before, one) == getattr(new, one) for one in compared if hasattr(before, one))
    if not is_same:
        raise taken()
    return before


def moved_already(layer: WorkingLayer, new: NewMemory) -> StoredMemory | None:
    """Return the entry with the id of *new* that has moved into the ledger; None if none is there.

    Raises UserError if it had another content.
    """
    before = moved.find(layer.db, new.id)
    is_same = before is not None and before.mark == moved.mark_of(new.id, new.content)
    if before and before.version == 1 and not is_same:
        raise taken()
    known = moved_memory(layer, new.id, new.agent)
    return replace(known, content=new.content) if known and is_same else known


def store_anew(layer: WorkingLayer, new: NewMemory) -> None:
    """Store *new*, whose id belonged to something that is no longer in the ledger."""
    with layer.db.transaction():
        moved.forget(layer.db, [new.id], ())
        memories.put(layer.db, [new])


def taken() -> UserError:
    """Return the error for an id that something else has."""
    return UserError(
        "This id or Idempotency-Key stands for something else that was stored. Nothing was stored.",
        next_step="use a new one for each thing, and the same one only to try again",
    )


def note_used(layer: WorkingLayer, settings: Settings, ids: Collection[str], now: datetime) -> None:
    """Record that memories were used; errors are only logged."""
    with suppress(UserError):
        memories.use(layer.db, ids, milliseconds(now), seconds(settings.memory_working_ttl))


def _stored(new: NewMemory) -> StoredMemory:
    at = datetime.fromtimestamp(new.created_at_ms / 1000, UTC)
    return StoredMemory(
        id=new.id,
        owner_id=new.owner_id,
        agent=new.agent,
        type=new.type,
        content=new.content,
        metadata=new.metadata,
        importance=new.importance,
        access_count=0,
        pinned=new.pinned,
        embedding_status=EmbeddingStatus.PENDING,
        created_at=at,
        updated_at=at,
        last_accessed_at=at,
        expires_at=None
        if new.expires_at_ms is None
        else datetime.fromtimestamp(new.expires_at_ms / 1000, UTC),
    )
