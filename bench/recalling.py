"""Recall for the benches: what the product's search finds for a question, over some lines.

Ten hits, at most 4,000 units, as the retention measure says. The index of words, the model for meanings, the
way both are put in order are the product's own. Lines that no longer hold come below, withdrawn and deleted
ones are not found, and a hit shows its date.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from bench.beam import utf16_units
from bench.pipeline import Memory
from scrimshaw.core.search.fusion import settle, tie_breaker
from scrimshaw.core.section.render import shown
from scrimshaw.core.types import Closed, Line
from scrimshaw.index import embedding
from scrimshaw.index.words import IndexedDocument, Words
from scrimshaw.services.search.meanings import Meaning
from scrimshaw.services.search.search import CANDIDATES, ranked

if TYPE_CHECKING:
    from scrimshaw.index.embedding import Embedder
    from scrimshaw.index.vectors import Vectors

HITS, MOST_UNITS = 10, 4_000
_NEVER_FOUND = frozenset((Closed.WITHDRAWN, Closed.DELETED, Closed.FORGOTTEN))
_DAY_MS = 86_400_000


class Findable(NamedTuple):
    """A line: what is searched, what a hit shows."""

    text: str
    shown: str
    tie: float = 0.0
    is_replaced: bool = False


class Recall:
    """A search over *lines*; the vectors are made when meaning is first asked for. An answer is kept."""

    def __init__(self, lines: Sequence[Findable]) -> None:
        self._found: dict[tuple[str, bool], list[str]] = {}
        self._lines = lines
        self._words = Words()
        self._words.add(IndexedDocument(key, one.text) for key, one in enumerate(lines, start=1))
        self._ties = {key: one.tie for key, one in enumerate(lines, start=1)}
        self._replaced = frozenset(key for key, one in enumerate(lines, start=1) if one.is_replaced)

    def by_words(self, question: str) -> list[str]:
        """Return the hits of a lexical search."""
        if (question, False) not in self._found:
            self._found[question, False] = self._hits(question, None)
        return self._found[question, False]

    def by_both(self, question: str) -> list[str]:
        """Return the hits of a hybrid search; `embedder` must find a model."""
        if (question, True) not in self._found:
            model = embedder()
            assert model
            self._found[question, True] = self._hits(question, Meaning(self._vectors, model))
        return self._found[question, True]

    @cached_property
    def _vectors(self) -> Vectors:
        from scrimshaw.index.vectors import Vectors

        model = embedder()
        assert model
        vectors = Vectors(None, model.name, model.dimensions)
        vectors.add(range(1, len(self._lines) + 1), model.embed([one.text for one in self._lines]))
        return vectors

    def _hits(self, question: str, meaning: Meaning | None) -> list[str]:
        found = ranked(question, self._words, meaning, depth=CANDIDATES)
        settled = settle(found, ties=self._ties, replaced=self._replaced)
        return bounded(self._lines[one.key - 1].shown for one in settled)


class _Remembering:
    """A model that makes the vector of a question once."""

    def __init__(self, model: Embedder) -> None:
        self.name, self.dimensions = model.name, model.dimensions
        self.embed = model.embed
        self.embed_query = lru_cache(maxsize=4096)(model.embed_query)


@lru_cache(maxsize=1)
def embedder() -> Embedder | None:
    """Return the model for meanings that is installed, None without one."""
    model = embedding.find_embedder()
    return _Remembering(model) if model else None


def recall_among(sentences: Sequence[str]) -> Recall:
    """Return a search over raw *sentences*."""
    return Recall([Findable(one, one) for one in sentences])


def recall_of(memory: Memory) -> Recall:
    """Return the search over what an observer noted."""
    lines = [line for line in memory.lines.values() if line.standing.closed not in _NEVER_FOUND]
    newest = max((line.observation.said_at_ms for line in lines), default=0)
    return Recall([_findable(line, newest) for line in lines])


def bounded(texts: Iterable[str]) -> list[str]:
    """Return the first *texts* that fit in MOST_UNITS, HITS at most."""
    chosen: list[str] = []
    size = 0
    for text in texts:
        size += utf16_units(text) + 1
        if size > MOST_UNITS or len(chosen) == HITS:
            break
        chosen.append(text)
    return chosen


def _findable(line: Line, newest_ms: int) -> Findable:
    one, standing = line
    age_days = (newest_ms - one.said_at_ms) / _DAY_MS
    tie = tie_breaker(age_days=age_days, priority=one.priority, is_pinned=standing.is_pinned)
    return Findable(one.text, f"{one.local_date} {shown(line)}", tie, not standing.is_live)
