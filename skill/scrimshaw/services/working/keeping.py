"""Programs' access to single entries of the working layer: paged lists, changes, deletion; and knowledge.

A change may name the version that was read: if there is a newer one, nothing is written.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from scrimshaw.clock import milliseconds
from scrimshaw.config import seconds
from scrimshaw.core.ledger.program_lines import Learnt
from scrimshaw.core.working import (
    DEFAULT_CONFIDENCE,
    DEFAULT_IMPORTANCE,
    Category,
    Knowledge,
    KnowledgeStatus,
    MemoryType,
    StoredMemory,
    expiry_ms,
)
from scrimshaw.errors import usage_error
from scrimshaw.services.results import WorkspaceResult
from scrimshaw.services.working.by_old_id import moved_knowledge, moved_memory
from scrimshaw.services.working.cleaning import check_name, check_share, clean_metadata, clean_text
from scrimshaw.services.working.layer import WorkingLayer
from scrimshaw.services.working.store import moved_already, store_anew, taken, there_already
from scrimshaw.store.database import Value
from scrimshaw.working import changes, memories
from scrimshaw.working.memories import MemoryFilter, NewMemory
from scrimshaw.workspace import Target


@dataclass(frozen=True, slots=True)
class MemoryPage(WorkspaceResult):
    """A page of memories of the working layer, the newest first; *after* asks for the next page."""

    memories: tuple[StoredMemory, ...]
    after: str | None  # None: there are no more

    def to_dict(self) -> dict[str, Any]:
        return {**self.head(), "memories": [one.to_dict() for one in self.memories], "after": self.after}


@dataclass(frozen=True, slots=True)
class KnowledgePage(WorkspaceResult):
    """A page of knowledge, the newest first; *after* asks for the next page."""

    knowledge: tuple[Knowledge, ...]
    after: str | None  # None: there is no more

    def to_dict(self) -> dict[str, Any]:
        return {**self.head(), "knowledge": [one.to_dict() for one in self.knowledge], "after": self.after}


@dataclass(frozen=True, slots=True)
class MemoryProvenance(WorkspaceResult):
    """Where a memory of the working layer comes from."""

    memory: StoredMemory | Knowledge

    @property
    def checked(self) -> str:
        """Which checks the memory has passed, in a sentence."""
        return "a program's word, in the working layer: not checked against anything, and not in the section"

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of `scrimshaw why --json` for a memory."""
        told = {"layer": "working", **self.memory.to_dict(), "checked": self.checked}
        return {**self.head(zone=True), **told, "exit_code": int(self.exit_code)}


def provenance(target: Target, layer: WorkingLayer, id_: str) -> MemoryProvenance | None:
    """Return where the entry *id_* comes from; None when the working layer has no such entry."""
    known = memories.knowledge_by_id(layer.db, id_) or memories.by_id(layer.db, id_)
    return MemoryProvenance(target, known) if known else None


def memory_page(
    target: Target, layer: WorkingLayer, limit: int, after: str | None, narrowed: MemoryFilter
) -> MemoryPage:
    """Return up to *limit* memories after *after*, the mark of an earlier page."""
    found = memories.page(layer.db, limit + 1, _place(after), narrowed)
    return MemoryPage(target, tuple(found[:limit]), _next(found, limit))


def knowledge_page(
    target: Target, layer: WorkingLayer, limit: int, after: str | None, narrowed: MemoryFilter
) -> KnowledgePage:
    """Return up to *limit* pieces of knowledge after *after*, the mark of an earlier page."""
    found = memories.knowledge_page(layer.db, limit + 1, _place(after), narrowed)
    return KnowledgePage(target, tuple(found[:limit]), _next(found, limit))


def _next(found: Sequence[StoredMemory | Knowledge], limit: int) -> str | None:
    last = found[limit - 1] if len(found) > limit else None
    return f"{milliseconds(last.created_at)}:{last.id}" if last else None


def _place(after: str | None) -> tuple[int, str] | None:
    if after is None:
        return None
    at, _, id_ = after.partition(":")
    if not (at.isascii() and at.isdigit() and len(at) < 16 and id_):
        raise usage_error(
            f"after: {after[:80]!r} is not the `after` of any page. Nothing was read.",
            next_step="take `after` of the page before, or none for the first",
        )
    return int(at), id_


def one_memory(layer: WorkingLayer, id_: str, agent: str) -> StoredMemory | Knowledge:
    """Return the entry with this id, in the ledger if it has moved there; raises NotFoundError."""
    known = (
        memories.knowledge_by_id(layer.db, id_)
        or memories.by_id(layer.db, id_)
        or moved_knowledge(layer, id_, agent)
        or moved_memory(layer, id_, agent)
    )
    if known is None:
        raise changes.unknown(id_)
    return known


def change_memory(
    target: Target,
    layer: WorkingLayer,
    id_: str,
    now: datetime,
    *,
    content: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    importance: float | None = None,
    pinned: bool | None = None,
    if_version: int | None = None,
) -> StoredMemory:
    """Set the fields of a memory that are not None, and return it.

    Raises NotFoundError, OutdatedError, and UserError for what cannot be stored; nothing is written then.
    """
    columns = _cleaned(target, content, metadata)
    if importance is not None:
        stated = check_share("importance", importance)
        columns |= {"importance": stated, "stated_importance": stated}
    at_ms, ttl = milliseconds(now), seconds(target.config.settings.memory_working_ttl)
    with layer.db.transaction():
        before = memories.by_id(layer.db, id_)
        if before is None or before.category is not None:
            raise changes.unknown(id_)
        is_pinned = before.pinned if pinned is None else pinned
        lasting = before.importance if importance is None else importance
        expires = expiry_ms(at_ms, ttl, importance=lasting, is_pinned=is_pinned)
        columns |= {"pinned": int(is_pinned), "expires_at_ms": expires}
        changes.change(layer.db, id_, columns, at_ms, if_version)
        after = memories.by_id(layer.db, id_)
    layer.embed()
    assert after
    return after if target.config.settings.memory_embedding_async else memories.by_id(layer.db, id_) or after


def change_knowledge(
    target: Target,
    layer: WorkingLayer,
    id_: str,
    now: datetime,
    *,
    content: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    category: Category | None = None,
    confidence: float | None = None,
    status: KnowledgeStatus | None = None,
    if_version: int | None = None,
) -> Knowledge:
    """Set the fields of a piece of knowledge that are not None, return it; raises like `change_memory`."""
    columns = _cleaned(target, content, metadata)
    if confidence is not None:
        columns["confidence"] = check_share("confidence", confidence)
    columns |= {} if category is None else {"category": category.value}
    columns |= {} if status is None else {"status": status.value}
    with layer.db.transaction():
        if memories.knowledge_by_id(layer.db, id_) is None:
            raise changes.unknown(id_)
        changes.change(layer.db, id_, columns, milliseconds(now), if_version)
        after = memories.knowledge_by_id(layer.db, id_)
    layer.embed()
    assert after
    return after


def _cleaned(target: Target, content: str | None, metadata: Mapping[str, Any] | None) -> dict[str, Value]:
    settings, columns = target.config.settings, {}
    if content is not None:
        columns["content"] = clean_text(content, settings)
    if metadata is not None:
        columns["metadata"] = json.dumps(clean_metadata(metadata, settings), ensure_ascii=False)
    return {**columns}


def learn(
    target: Target,
    layer: WorkingLayer,
    content: str,
    now: datetime,
    *,
    category: Category = Category.FACT,
    confidence: float = DEFAULT_CONFIDENCE,
    source: str = "conversation",
    metadata: Mapping[str, Any] | None = None,
    owner_id: str = "",
    supersedes: str | None = None,
    id_: str = "",
) -> Knowledge:
    """Store a piece of knowledge and return it; the one that it *supersedes* no longer holds.

    Raises UserError, with nothing stored, for an invalid text, and NotFoundError for an unknown id.
    """
    settings = target.config.settings
    new = NewMemory(
        id=check_name("id", id_) or str(uuid.uuid4()),
        owner_id=check_name("owner_id", owner_id),
        agent=target.agent_id,
        type=MemoryType.SEMANTIC,
        content=clean_text(content, settings),
        metadata=clean_metadata(metadata, settings),
        importance=DEFAULT_IMPORTANCE,
        pinned=False,
        created_at_ms=milliseconds(now),
        expires_at_ms=None,
        category=category,
        confidence=check_share("confidence", confidence),
        source=check_name("source", source),
        status=KnowledgeStatus.ACTIVE,
    )
    if supersedes == new.id:
        raise usage_error(
            "supersedes: this is the id of what is stored itself. Nothing was stored.",
            next_step="name another piece of knowledge by its id, or change this one: update_knowledge",
        )
    with layer.db.transaction():
        if not memories.put(layer.db, [new]):
            if memories.by_id(layer.db, new.id):
                return there_already(memories.knowledge_by_id(layer.db, new.id), new)
            if was := moved_already(layer, new):
                learnt = Learnt(category, float(confidence), source, KnowledgeStatus.ACTIVE)
                if known := moved_knowledge(layer, was.id, was.agent, learnt):
                    return replace(known, content=was.content)
                raise taken()
            store_anew(layer, new)
        if supersedes is not None:
            if memories.knowledge_by_id(layer.db, supersedes) is None:
                raise changes.unknown(supersedes)
            retired = {"status": KnowledgeStatus.SUPERSEDED.value}
            changes.change(layer.db, supersedes, retired, milliseconds(now), None)
        kept = memories.knowledge_by_id(layer.db, new.id)
    assert kept
    layer.wake_beyond_cap()
    layer.embed()
    return kept
