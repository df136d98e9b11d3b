"""What a language model was taught on top of the numbers that its package brings, as a file of ours.

A file holds, of each matrix of the model, two narrow ones whose product is added to it (low-rank adaptation),
new biases and norms, and a layer that answers what core/weighing asks. It fits the one file of numbers that
was taught, told by its SHA-256. Written by `training.teaching`.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

_STEPS = 64  # of a unit of log-odds, to which answers are rounded


class Matrix(NamedTuple):
    """What is added to a matrix: (rows, rank), (rank, columns), and a unit of each rank."""

    left: Array
    right: Array
    step: Array

    def product(self) -> Array:
        """Return what is added, (rows, columns)."""
        found: Array = (self.left * self.step) @ self.right
        return found


class Taught:
    """What the bytes *file* hold, for a model whose numbers are the bytes *taught_on*.

    Raises ValueError where it was learned on others, and what numpy raises of a damaged file.
    """

    def __init__(self, file: bytes, taught_on: bytes | bytearray) -> None:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # heard by a numpy that is not loaded yet
        import numpy as np

        from scrimshaw.core.weighing.weigher import ANSWERS  # a search needs none of it

        with np.load(io.BytesIO(file), allow_pickle=False) as read:
            self.held: dict[str, Array] = {one: read[one] for one in read.files}
        if hashlib.sha256(taught_on).digest() != self.held["model"].tobytes():
            raise ValueError("what was learned is for another model than the one that is installed")
        self._head, self._bias = self.held["head"].astype(np.float32), self.held["bias"]
        if self._bias.shape != (ANSWERS,) or self._head.shape[1:] != (ANSWERS,):
            raise ValueError("what was learned answers something else than this version asks")

    def plain(self) -> Iterator[Array]:
        """Yield the biases and norms one by one, each of as many numbers as it has."""
        import numpy as np

        start = 0
        for size in self.held["plain_size"].tolist():
            yield self.held["plain"][start : start + size].astype(np.float32)
            start += size

    def matrices(self) -> Iterator[Matrix]:
        """Yield what is added to each matrix."""
        import numpy as np

        left_at = right_at = 0
        shapes = self.held["matrix_shape"].tolist()
        for (rows, columns), step in zip(shapes, self.held["step"].astype(np.float32), strict=True):
            rank = len(step)
            left = self.held["left"][left_at : left_at + rows * rank].reshape(rows, rank)
            right = self.held["right"][right_at : right_at + rank * columns].reshape(rank, columns)
            yield Matrix(left.astype(np.float32), right.astype(np.float32), step)
            left_at, right_at = left_at + rows * rank, right_at + rank * columns

    def answers(self, meaning: Array) -> list[float]:
        """Return the answers as log-odds, in the order of core/weighing's Weight.

        *meaning* is what the taught model makes of a sentence. Raises ValueError where that is no number.
        """
        import numpy as np

        scores = meaning @ self._head + self._bias
        if not np.isfinite(scores).all():
            raise ValueError("the model answered with what is no number")
        found: list[float] = (np.round(scores * _STEPS) / _STEPS).tolist()
        return found
