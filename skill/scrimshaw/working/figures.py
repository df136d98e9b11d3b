"""What the working layer holds, in numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from scrimshaw.working import memories, vectors
from scrimshaw.working.database import WorkingDatabase


class WorkingFigures(NamedTuple):
    """Sizes, and what consolidations have come to."""

    memories: int
    knowledge: int
    conversations: int
    size_bytes: int
    embeddings_cached: int
    consolidations: int
    consolidation_ms: int
    archived: int
    duplicates: int
    cache_read_tokens: Mapping[str, int]  # by model, as programs have reported


def figures(db: WorkingDatabase) -> WorkingFigures:
    """Return what *db* holds; a fraction of a millisecond at its largest."""
    memories_count, knowledge = memories.counts(db)
    rounds = db.row(
        "select count(*), coalesce(sum(duration_ms), 0), coalesce(sum(memories_archived), 0), "
        "coalesce(sum(memories_deduped), 0) from consolidation"
    )
    assert rounds
    talks = db.rows("select count(*) from conversation")[0][0]
    size = db.rows("select page_count * page_size from pragma_page_count, pragma_page_size")[0][0]
    by_model = db.rows("select model, sum(cache_read_input_tokens) from usage group by model")
    sizes = (memories_count, knowledge, talks, size, vectors.count(db))
    return WorkingFigures._make([*sizes, *rounds, dict(by_model)])
