"""Which lines are nearest to the newest ones by meaning, from vectors that are there already.

No model is loaded and no vector is made: the vectors of the search index lie on the disk. Without the extra
or without vectors there is nothing, and conflicts are found by words alone.
"""

from __future__ import annotations

from scrimshaw.services.search.index import vectors_folder
from scrimshaw.store.ledger import Ledger
from scrimshaw.workspace import Target

_NEWEST, _NEAREST = 200, 5


def nearest_pairs(target: Target, ledger: Ledger) -> dict[tuple[str, str], float]:
    """Return pairs of ids, the one accepted earlier first, with their cosine; {} without vectors."""
    try:
        from scrimshaw.index.vectors import opened_of

        vectors = opened_of(vectors_folder(target.layout))
        found = vectors.nearest_of_newest(_NEWEST, _NEAREST) if vectors else []
    except (ImportError, OSError, ValueError):
        return {}
    lines = ledger.numbered.lines({key for one, other, _ in found for key in (one, other)})
    return {
        (lines[one].observation.id, lines[other].observation.id): round(cosine, 2)
        for one, other, cosine in found
        if one in lines and other in lines
    }
