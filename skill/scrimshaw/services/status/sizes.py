"""How much a memory holds and how much room that takes: both layers, and which model makes the vectors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from scrimshaw.index import embedding
from scrimshaw.services.archive.check import inspect_archives
from scrimshaw.services.results import WorkspaceResult
from scrimshaw.services.search.chosen import memories_model
from scrimshaw.store.ledger import open_ledger
from scrimshaw.working.database import WorkingDatabase
from scrimshaw.working.figures import figures
from scrimshaw.workspace import Target

_SHARED = "shared"  # how the archives begin that several agents share


class ArchiveSize(NamedTuple):
    """Frames, and bytes on the disk."""

    frames: int = 0
    file_size: int = 0

    def plus(self, other: ArchiveSize) -> ArchiveSize:
        """Return both together."""
        return ArchiveSize(self.frames + other.frames, self.file_size + other.file_size)


@dataclass(frozen=True, slots=True)
class MemorySizes(WorkspaceResult):
    """How much one memory holds."""

    memories: int
    knowledge: int
    conversations: int
    embeddings: int
    working_bytes: int
    archive: ArchiveSize
    shared: ArchiveSize
    model: str  # "" without one
    dimensions: int  # 0: not known yet
    source: str  # "local", "ollama" or ""

    def to_dict(self) -> dict[str, Any]:
        """Return it as `GET /stats` answers for one agent."""
        return {**self.head(), **told_together([self])}


def sizes(target: Target, db: WorkingDatabase | None) -> MemorySizes:
    """Return how much *target* holds; *db* is its working layer, None where there is none."""
    model, source = _model(target)
    held = figures(db) if db else None
    own, shared = ArchiveSize(), ArchiveSize()
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        for file in inspect_archives(target, ledger).files:
            one = ArchiveSize(len(ledger.frames.stretches(file.name)), file.size_bytes)
            if file.name.startswith(_SHARED):
                shared = shared.plus(one)
            else:
                own = own.plus(one)
    return MemorySizes(
        target,
        held.memories if held else 0,
        held.knowledge if held else 0,
        held.conversations if held else 0,
        held.embeddings_cached if held else 0,
        held.size_bytes if held else 0,
        own,
        shared,
        model,
        db.number("select dimensions from vector order by number desc limit 1") if db and model else 0,
        source,
    )


def told_together(several: Iterable[MemorySizes]) -> dict[str, Any]:
    """Return what several memories hold as JSON has it: the working layer in sum, archives by agent."""
    every = list(several)
    shared = ArchiveSize()
    for one in every:
        shared = shared.plus(one.shared)
    model = next((one for one in every if one.model), None)
    return {
        "working": {
            "total_memories": sum(one.memories for one in every),
            "total_knowledge": sum(one.knowledge for one in every),
            "total_conversations": sum(one.conversations for one in every),
            "embeddings_cached": sum(one.embeddings for one in every),
            "db_size_bytes": sum(one.working_bytes for one in every),
        },
        "episodic": {
            "agents": {one.agent: one.archive._asdict() for one in every},
            "shared": shared._asdict(),
        },
        "embedding": {
            "model": model.model if model else None,
            "dimensions": next((one.dimensions for one in every if one.dimensions), None),
            "source": model.source if model else None,
            "status": "available" if model else "unavailable",
        },
    }


def _model(target: Target) -> tuple[str, str]:
    asked = memories_model(target.config.settings)
    wanted, folder = asked[:2]
    if embedding.why_none(wanted, folder):
        return "", ""
    if asked.is_server:
        return wanted.partition("/")[2], embedding.OLLAMA
    if wanted == embedding.AUTO:
        wanted = folder.name if folder else embedding.BUNDLED
    return wanted, "local"
