"""An embedder without a model: a word is a direction, and words of one meaning are the same direction."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

import numpy as np

SAME = {
    "dog": "animal",
    "puppy": "animal",
    "car": "vehicle",
    "van": "vehicle",
    "pay": "money",
    "invoice": "money",
}


class FakeEmbedder:
    """Counts what it was asked for in *texts*."""

    def __init__(self, name: str = "fake", dimensions: int = 512) -> None:
        self.name, self.dimensions = name, dimensions
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.texts += texts
        return np.stack([self._row(text) for text in texts])

    def embed_query(self, text: str) -> np.ndarray:
        return self._row(text)

    def _row(self, text: str) -> np.ndarray:
        row = np.full(self.dimensions, 1e-3, np.float32)
        for word in text.lower().split():
            seed = sha256(SAME.get(word, word).encode()).digest()
            row[int.from_bytes(seed[:4], "little") % self.dimensions] += 1.0
        found: np.ndarray = row / np.linalg.norm(row)
        return found
