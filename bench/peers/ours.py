"""Our own search on bare texts: the product's index, model and order, without a ledger around them.

A text's key is its place + 1, so that neighbours in a conversation are neighbours for the order, too. What a
model makes of the texts is kept in a folder that the systems of one run share: embedding is timed once, and
its time is added to whoever loads it, so that building shows the whole cost.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from scrimshaw.core.search.fusion import Scored
from scrimshaw.errors import UserError
from scrimshaw.index import embedding, reranking
from scrimshaw.index.words import IndexedDocument, Words
from scrimshaw.services.search.meanings import Meaning
from scrimshaw.services.search.search import ranked

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from scrimshaw.index.embedding import Embedder


class ByWords:
    """`scrimshaw search --mode lexical`."""

    seconds_elsewhere = 0.0

    def build(self, texts: Sequence[str]) -> None:
        """Make *texts* findable."""
        self.words = Words()
        self.words.add(IndexedDocument(place + 1, text) for place, text in enumerate(texts))

    def search(self, question: str, limit: int) -> list[int]:
        """Return the places of the best *limit*."""
        return _places(question, self.words, None, limit)


class ByMeaning:
    """`scrimshaw search --mode semantic`, with the model that is found, in a folder, or an Ollama model."""

    def __init__(self, shared: Path, model: str = "") -> None:
        self._shared, self._model = shared, model
        self.seconds_elsewhere = 0.0

    @cached_property
    def embedder(self) -> Embedder:
        """The model."""
        found = find_model(self._model)
        assert found
        return found

    def build(self, texts: Sequence[str]) -> None:
        """Make *texts* findable."""
        from scrimshaw.index.vectors import Vectors

        rows = self._rows(texts)
        vectors = Vectors(None, self.embedder.name, self.embedder.dimensions)
        vectors.add(range(1, len(texts) + 1), rows)
        self.meaning = Meaning(vectors, self.embedder)

    def search(self, question: str, limit: int) -> list[int]:
        """Return the places of the best *limit*."""
        return _places(question, None, self.meaning, limit)

    def _rows(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of *texts*, made now or by another system of this run."""
        import numpy as np

        content = json.dumps([self.embedder.name, *texts]).encode("utf-8", "surrogatepass")
        file = self._shared / f"{hashlib.sha256(content).hexdigest()[:32]}.npz"
        if file.exists():
            with np.load(file) as kept:
                self.seconds_elsewhere += float(kept["seconds"])
                return np.asarray(kept["rows"], np.float32)
        began = time.perf_counter()
        rows = self.embedder.embed(texts)
        with file.open("xb") as out:
            np.savez(out, rows=rows, seconds=time.perf_counter() - began)
        return rows


class ByBoth:
    """`scrimshaw search`: both lists, fused."""

    def __init__(self, shared: Path, model: str = "") -> None:
        self._by_words, self._by_meaning = ByWords(), ByMeaning(shared, model)

    @property
    def seconds_elsewhere(self) -> float:
        """What other systems have already spent on embedding these texts."""
        return self._by_meaning.seconds_elsewhere

    def build(self, texts: Sequence[str]) -> None:
        """Make *texts* findable."""
        self._by_words.build(texts)
        self._by_meaning.build(texts)

    def search(self, question: str, limit: int) -> list[int]:
        """Return the places of the best *limit*."""
        return _places(question, self._by_words.words, self._by_meaning.meaning, limit)

    def lists(self, question: str, limit: int) -> tuple[list[Scored], list[Scored]]:
        """Return both lists as they are before they become one."""
        vectors, embedder = self._by_meaning.meaning
        return self._by_words.words.search(question, limit), vectors.search(
            embedder.embed_query(question), limit
        )


class Reranked(ByBoth):
    """`scrimshaw search --deep`: the first of both lists read again, each beside the question."""

    def build(self, texts: Sequence[str]) -> None:
        """Make *texts* findable."""
        super().build(texts)
        self._texts = texts
        self._reranker = reranking.find_reranker()

    def search(self, question: str, limit: int) -> list[int]:
        """Return the places of the best *limit*."""
        assert self._reranker
        places = super().search(question, limit)
        first = places[: reranking.READ_AGAIN]
        scores = self._reranker.scores(question, [self._texts[place] for place in first])
        order = sorted(range(len(first)), key=lambda at: -scores[at])
        return [first[at] for at in order] + places[reranking.READ_AGAIN :]


def find_model(model: str) -> Embedder | None:
    """Return the embedder called *model*: "" the one found by itself, a folder, or ollama/NAME."""
    if not model or model.startswith(f"{embedding.OLLAMA}/"):
        return embedding.find_embedder(model or embedding.AUTO)
    return embedding.find_embedder(embedding.AUTO, Path(model))


def why_no_meaning() -> str:
    """Return why there is no model by default, "" when there is one."""
    return embedding.why_none()


def why_no_model(model: str) -> str:
    """Return why *model* cannot be used, "" when it can."""
    try:
        found = find_model(model)
        return "" if found and found.dimensions else f"{model}: no such model"
    except UserError as error:
        return error.problems[0]


def why_no_reranker() -> str:
    """Return why there is no reranker, "" when there is one."""
    return reranking.why_none()


def _places(question: str, words: Words | None, meaning: Meaning | None, limit: int) -> list[int]:
    return [one.key - 1 for one in ranked(question, words, meaning)[:limit]]
