"""The index of meanings: a vector for each document, found by a scan over all of them.

A folder for each model (its name, made safe, is the folder's), so that another model's vectors grow beside
the old ones, which serve until they are whole. Two files: `rows`, a byte for each dimension, and `marks`,
each row's key and the factor that gives back its values; rows are written first, and what has no mark does
not count, so a kill in between costs the last batch. One writer at a time (the caller's lock); readers map
the files and see what was there when they opened them. A row that is removed becomes zeros at once, in place.

A scan, not a graph: exact, nothing to build, 4 ms for 100,000 lines with numkong (which comes with the
bundled model's package), 11 ms with numpy alone. Bytes instead of floats change a cosine by less than .005
and make a quarter of what has to be read, which is what a scan costs.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrimshaw.core.search.fusion import Scored

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from scrimshaw.index.embedding import Embedder

    Floats = NDArray[np.float32]

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_MARK = [("key", "<i8"), ("factor", "<f4")]
_MARK_BYTES = 12
_TOP = 127
_CHUNK = 2048
GONE = 0  # the key of a row that was removed


def fill(vectors: Vectors, embedder: Embedder, keys: Sequence[int], texts: Sequence[str]) -> None:
    """Make and add a vector for each of *texts*; an empty one is never asked for and is like nothing."""
    import numpy as np

    rows = np.zeros((len(keys), embedder.dimensions), np.float32)
    shown = [at for at, text in enumerate(texts) if text]
    if shown:
        rows[shown] = embedder.embed([texts[at] for at in shown])
    vectors.add(keys, rows)


def folder_of(name: str) -> str:
    """Return the folder's name for the model *name*."""
    return _UNSAFE.sub("_", name).strip(".") or "model"


class Vectors:
    """The vectors that one model made, in *folder* / its name; in memory alone with None."""

    def __init__(self, folder: Path | None, model: str, dimensions: int) -> None:
        import numpy as np

        self.model = model
        self.dimensions = dimensions
        self._folder = folder / folder_of(model) if folder else None
        self._rows: NDArray[np.int8] = np.empty((0, dimensions), np.int8)
        self._marks: NDArray[Any] = np.empty(0, np.dtype(_MARK))
        self.reload()

    def reload(self) -> None:
        """See what others have written since this was opened."""
        import numpy as np

        if self._folder is None or not (self._folder / "marks").exists():
            return
        marks = np.fromfile(self._folder / "marks", dtype=np.dtype(_MARK), count=self._whole(self._folder))
        self._marks = marks
        if len(marks):
            self._rows = np.memmap(
                self._folder / "rows", dtype=np.int8, mode="r", shape=(len(marks), self.dimensions)
            )
        else:
            self._rows = np.empty((0, self.dimensions), np.int8)

    def _whole(self, folder: Path) -> int:
        """Return how many vectors *folder* holds with both their row and their mark."""
        return min(_size(folder / "rows") // self.dimensions, _size(folder / "marks") // _MARK_BYTES)

    def last_key(self) -> int:
        """Return the largest key that was added, 0 when there is none."""
        return int(self._marks["key"].max()) if len(self._marks) else 0

    def count(self) -> int:
        return int((self._marks["key"] != GONE).sum())

    def after(self, key: int) -> tuple[list[int], Floats]:
        """Return the keys larger than *key*, in order, and their vectors."""
        import numpy as np

        at = np.flatnonzero(self._marks["key"] > key)
        at = at[np.argsort(self._marks["key"][at])]
        rows: Floats = self._rows[at].astype(np.float32) * self._marks["factor"][at][:, None]
        return self._marks["key"][at].tolist(), rows

    def add(self, keys: Sequence[int], rows: Floats) -> None:
        """Add a vector of length 1 for each of *keys*, none of which is here yet."""
        import numpy as np

        tops = np.maximum(np.abs(rows).max(axis=1), 1e-9)
        bytes_ = np.rint(rows * (_TOP / tops)[:, None]).astype(np.int8)
        marks = np.empty(len(keys), np.dtype(_MARK))
        marks["key"], marks["factor"] = keys, tops / _TOP
        if self._folder is None:
            self._rows = np.concatenate([self._rows, bytes_])
            self._marks = np.concatenate([self._marks, marks])
            return
        self._folder.parent.mkdir(exist_ok=True, mode=0o700)
        self._folder.mkdir(exist_ok=True, mode=0o700)
        count = self._whole(self._folder)
        _put(self._folder / "rows", count * self.dimensions, bytes_.tobytes())
        _put(self._folder / "marks", count * _MARK_BYTES, marks.tobytes())
        self.reload()

    def search(self, question: Floats, limit: int, among: Collection[int] | None = None) -> list[Scored]:
        """Return the *limit* nearest to a question's vector, best first, with their cosines.

        With *among* only documents of these keys are looked at.
        """
        import numpy as np

        if not len(self._marks):
            return []
        cosines = _products(self._rows, question) * self._marks["factor"]
        cosines[self._marks["key"] == GONE] = -2.0
        if among is not None:
            cosines[~np.isin(self._marks["key"], np.fromiter(among, np.int64, len(among)))] = -2.0
        kept = min(limit, len(cosines))
        best = np.argpartition(cosines, -kept)[-kept:]
        found = [Scored(int(self._marks["key"][at]), float(cosines[at])) for at in best if cosines[at] > 0]
        found.sort(key=lambda one: (-one.score, -one.key))
        return found

    def nearest_of_newest(self, newest: int, limit: int) -> list[tuple[int, int, float]]:
        """Return, of the *newest* documents, each with its *limit* nearest: their keys, and the cosine."""
        import numpy as np

        found: dict[tuple[int, int], float] = {}
        for at in np.flatnonzero(self._marks["key"] != GONE)[-newest:].tolist():
            key = int(self._marks["key"][at])
            question = self._rows[at].astype(np.float32) * float(self._marks["factor"][at])
            for other, cosine in self.search(question, limit + 1):
                if other != key:
                    found[min(key, other), max(key, other)] = cosine
        return [(one, other, cosine) for (one, other), cosine in found.items()]

    def cosines(self, question: Floats, keys: Collection[int]) -> dict[int, float]:
        """Return the cosines of a question's vector with a few documents; those without one are missing."""
        import numpy as np

        at = np.flatnonzero(np.isin(self._marks["key"], [key for key in keys if key != GONE]))
        if not len(at):
            return {}
        found = _products(np.ascontiguousarray(self._rows[at]), question) * self._marks["factor"][at]
        return dict(zip(self._marks["key"][at].tolist(), found.tolist(), strict=True))


def count_in(place: Path) -> int:
    """Return how many vectors a model's folder holds, removed ones included; needs no numpy."""
    return _size(place / "marks") // _MARK_BYTES


def opened_of(folder: Path) -> Vectors | None:
    """Return the vectors in *folder* of the model that has most; None where there are none."""
    places = [place for place in folder.iterdir() if place.is_dir()] if folder.is_dir() else []
    place = max(places, key=count_in, default=None)
    count = count_in(place) if place else 0
    width = _size(place / "rows") // count if place and count else 0
    return Vectors(folder, place.name, width) if place and width else None


def last_key_in(place: Path) -> int:
    """Return the largest key in a model's folder, 0 when there is none; needs no numpy."""
    count = _size(place / "marks") // _MARK_BYTES
    try:
        with (place / "marks").open("rb") as file:
            # Keys only grow; rows removed since then have none.
            for at in range(count - 1, -1, -1):
                file.seek(at * _MARK_BYTES)
                if key := int.from_bytes(file.read(8), "little", signed=True):
                    return key
    except OSError:
        pass
    return 0


def remove_from(place: Path, keys: Collection[int]) -> None:
    """Write zeros over the vectors of *keys* in a model's folder, whatever the model; needs no numpy."""
    count, wanted = _size(place / "marks") // _MARK_BYTES, set(keys)
    if not count:
        return
    width = _size(place / "rows") // count
    marks = (place / "marks").read_bytes()
    for at in range(count):
        if int.from_bytes(marks[at * _MARK_BYTES : at * _MARK_BYTES + 8], "little") in wanted:
            _put(place / "rows", at * width, bytes(width), is_last=False)
            _put(place / "marks", at * _MARK_BYTES, bytes(_MARK_BYTES), is_last=False)


def forget_other_models(folder: Path, *models: str) -> None:
    """Remove the vectors of every model but *models*."""
    kept = set(map(folder_of, models))
    for place in folder.iterdir() if folder.is_dir() else ():
        if place.name not in kept and place.is_dir() and not place.is_symlink():
            shutil.rmtree(place, ignore_errors=True)


def _products(rows: NDArray[np.int8], question: Floats) -> Floats:
    """Return the product of each row with *question*."""
    import numpy as np

    try:
        import numkong
    except ImportError:
        return _products_by_numpy(rows, question)
    top = max(float(np.abs(question).max()), 1e-9)
    asked = np.rint(question * (_TOP / top)).astype(np.int8).reshape(1, -1)
    found = np.asarray(numkong.cdist(rows, asked, "dot")).ravel()
    products: Floats = (found * (top / _TOP)).astype(np.float32)
    return products


def _products_by_numpy(rows: NDArray[np.int8], question: Floats) -> Floats:
    """Return the same in pieces that fit into the processor's cache."""
    import numpy as np

    asked = question.astype(np.float32)
    found = np.empty(len(rows), np.float32)
    piece = np.empty((_CHUNK, rows.shape[1]), np.float32)
    for at in range(0, len(rows), _CHUNK):
        part = rows[at : at + _CHUNK]
        np.copyto(piece[: len(part)], part)
        np.dot(piece[: len(part)], asked, out=found[at : at + len(part)])
    return found


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _put(path: Path, at: int, content: bytes, *, is_last: bool = True) -> None:
    """Write *content* at *at* and have it on the disk; what stands behind the *is_last* is half a batch."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    with os.fdopen(handle, "r+b") as file:
        file.seek(at)
        file.write(content)
        if is_last:
            file.truncate()
        file.flush()
        os.fsync(file.fileno())
