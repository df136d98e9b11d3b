"""Store a memory in the working layer: checked, without secrets and private parts, in one transaction.

What a program stores is its word, not the person's. Storing never waits for the ledger, and for a vector only
if the owner wants that.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeVar

from scrimshaw.clock import milliseconds
from scrimshaw.config import Settings, seconds
from scrimshaw.core.transcript.privacy import CUT, cut, read_patterns
from scrimshaw.core.working import (
    DEFAULT_IMPORTANCE,
    EmbeddingStatus,
    Knowledge,
    MemoryType,
    StoredMemory,
    expiry_ms,
)
from scrimshaw.errors import Exit, UserError
from scrimshaw.redaction import redact
from scrimshaw.services.working.by_old_id import moved_memory
from scrimshaw.services.working.layer import WorkingLayer
from scrimshaw.working import memories, moved
from scrimshaw.working.memories import NewMemory

MOST_CHARS = 100_000  # of a memory
MOST_METADATA_CHARS = 16_000  # as JSON
MOST_NAME_CHARS = 200  # of an id, an owner, a source
_DEEPEST = 8


Known = TypeVar("Known", StoredMemory, Knowledge)


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
        metadata=clean_metadata(asked.metadata or {}, settings),
        importance=check_share("importance", asked.importance),
        pinned=asked.pin,
        created_at_ms=at_ms,
        expires_at_ms=expiry_ms(
            at_ms, seconds(settings.memory_working_ttl), importance=asked.importance, is_pinned=asked.pin
        ),
    )
    if not memories.put(layer.db, [new]):
        before = memories.by_id(layer.db, new.id)
        if before is not None:
            return there_already(before, new)
        known = moved_already(layer, new)
        if known is not None:
            return known
        store_anew(layer, new)
    layer.embed()
    is_made = not settings.memory_embedding_async
    return (memories.by_id(layer.db, new.id) if is_made else None) or _stored(new)


def there_already(before: Known | None, new: NewMemory) -> Known:
    """Return the entry with the id of *new*; raises UserError if it has another content."""
    if before is None or (before.version == 1 and before.content != new.content):
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


def check_name(name: str, text: str) -> str:
    """Return *text*, a name or ""; raises UserError if it cannot be a name."""
    if len(text) > MOST_NAME_CHARS or not (text.isprintable() and _is_text(text)):
        raise UserError(
            f"{name}: should be at most {MOST_NAME_CHARS} printable characters. Nothing was stored.",
            next_step="name it shortly; what belongs to it goes into metadata",
            exit_code=Exit.USAGE,
        )
    return text


def check_share(name: str, value: float) -> float:
    """Return *value*; raises ValueError if it is not within 0..1."""
    if not 0 <= value <= 1:
        raise ValueError(f"{name}: {value} is not within 0..1")
    return float(value)


def clean_text(text: str, settings: Settings) -> str:
    """Return *text* without secrets and private parts; raises UserError if it is no text, or too large."""
    if not text.strip() or len(text) > MOST_CHARS or "\0" in text or not _is_text(text):
        what = f"more than {MOST_CHARS:,} characters" if len(text) > MOST_CHARS else "no text"
        raise UserError(
            f"This cannot be stored: it is {what}. Nothing was stored.",
            next_step="store text, several things one by one",
            exit_code=Exit.USAGE,
        )
    kept = clean(text.strip(), settings)
    if any(map(str.isalnum, kept.replace(CUT, ""))):
        return kept
    if any(map(str.isalnum, text)):
        raise UserError(
            "All of it is private, and what is private is never noted. Nothing was stored.",
            next_step="store what may be known, outside of <private>…</private> and your private_patterns",
            exit_code=Exit.USAGE,
        )
    raise UserError(
        "This cannot be stored: it has no letter and no digit, so nothing would find it. Nothing was stored.",
        next_step="store it with words beside it",
        exit_code=Exit.USAGE,
    )


def clean(text: str, settings: Settings) -> str:
    """Return *text* without secrets and private parts."""
    patterns = read_patterns(settings.private_patterns).compiled if settings.private_patterns else ()
    return redact(cut(text, patterns)[0]).text


def clean_metadata(metadata: Mapping[str, Any], settings: Settings) -> dict[str, Any]:
    """Return a small JSON object, cleaned like a text; raises UserError for anything else."""
    if not metadata:
        return {}
    try:
        told = json.dumps(metadata, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise _bad_metadata("it is no JSON") from error
    if len(told) > MOST_METADATA_CHARS or not _is_text(told):
        raise _bad_metadata(f"as JSON it is no text of at most {MOST_METADATA_CHARS:,} characters")
    cleaned = clean_value(json.loads(told), settings)
    assert isinstance(cleaned, dict)
    return cleaned


def clean_value(value: Any, settings: Settings, depth: int = 0) -> Any:  # noqa: ANN401  # JSON of any shape
    """Return a JSON value with every text in it cleaned; raises UserError if it is nested too deeply."""
    if depth > _DEEPEST:
        raise _bad_metadata(f"it is nested deeper than {_DEEPEST}")
    match value:
        case str():
            return clean(value, settings)
        case dict():
            return {clean(key, settings): clean_value(one, settings, depth + 1) for key, one in value.items()}
        case list():
            return [clean_value(one, settings, depth + 1) for one in value]
        case _:
            return value


def _bad_metadata(why: str) -> UserError:
    return UserError(
        f"The metadata cannot be stored: {why}. Nothing was stored.",
        next_step="metadata is a small JSON object",
        exit_code=Exit.USAGE,
    )


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate: no file can hold it
        return False
    return True


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
