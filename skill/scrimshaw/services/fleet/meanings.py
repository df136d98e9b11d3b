"""Vectors for a fleet: those of the search index, and that of a query; of the bundled model.

Vectors of different models cannot be compared, so the server holds those of one model. The lines of a machine
without that model are found by words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scrimshaw.errors import UserError
from scrimshaw.index import embedding, vectors
from scrimshaw.services.search import index
from scrimshaw.services.search.chosen import lines_model
from scrimshaw.workspace import Target

if TYPE_CHECKING:
    from scrimshaw.index.vectors import Floats

_FORM_WITH_VECTORS = 3  # the migration that adds the table for them


def vectors_waiting(target: Target, after: int, form: int) -> bool:
    """Whether the index has vectors of lines with numbers above *after*; loads nothing."""
    if form < _FORM_WITH_VECTORS:
        return False
    folder = index.vectors_folder(target.layout) / vectors.folder_of(embedding.BUNDLED)
    return folder.is_dir() and vectors.last_key_in(folder) > after


def vectors_after(target: Target, after: int) -> tuple[list[int], Floats]:
    """Return the numbers of lines above *after*, and their vectors."""
    from scrimshaw.fleet.search import DIMENSIONS

    opened = vectors.Vectors(index.vectors_folder(target.layout), embedding.BUNDLED, DIMENSIONS)
    return opened.after(after)


def vector_of(target: Target, query: str, form: int) -> tuple[Sequence[float] | None, str]:
    """Return the vector of *query*; else None, and why the search uses words only."""
    if form < _FORM_WITH_VECTORS:
        return None, "Searched by words alone: the server has no pgvector."
    settings = target.config.settings
    is_off = lines_model(settings).model == embedding.OFF
    wanted = embedding.OFF if is_off else embedding.BUNDLED
    try:
        model = embedding.find_embedder(wanted, is_brief=True)
    except (UserError, OSError):
        model = None
    if model is None:
        return None, f"Searched by words alone: {embedding.why_none(wanted) or 'no such model'}."
    return model.embed_query(query).tolist(), ""
