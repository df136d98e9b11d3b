"""The vectors of memories: computed once for (id, model, dimensions), stored in the file, searched in memory.

Ten thousand vectors of 384 numbers take 15 MB and are compared in a few milliseconds; vectors added since are
loaded at the next query.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scrimshaw.core.search.fusion import Scored
from scrimshaw.core.working import EmbeddingStatus
from scrimshaw.working import memories
from scrimshaw.working.database import WorkingDatabase

if TYPE_CHECKING:
    from numpy import ndarray

_WAITS = "m.embedding_status in ('pending', 'queued')"  # must equal the condition of the partial index
_IS_READY = "m.embedding_status = 'ready'"
_HAS_NONE = "not exists (select 1 from vector v where v.id = m.id and v.model = ?)"
_IS_SEARCHED = "coalesce(m.status, 'active') = 'active'"  # not superseded or archived


def waiting(db: WorkingDatabase, most: int, model: str = "") -> list[tuple[int, str]]:
    """Return (number, text) of the oldest memories that wait for a vector, or have none of *model*.

    Failed ones are left out.
    """
    has = f"exists (select 1 from vector v where v.id = {db.vector_key} and v.model = ?)"
    has_none = f"m.embedding_status != 'failed' and not {has}"
    waits, values = (has_none, (model, most)) if model else (_WAITS, (most,))
    which = f"{waits} and {_IS_SEARCHED} order by m.number limit ?"
    sql = f"select m.number, m.content from memory m where {which}"
    return [(row[0], row[1]) for row in db.rows(sql, values)]


def has_waiting(db: WorkingDatabase, model: str) -> bool:
    """Tell whether some memory has no vector of *model* yet; failed ones do not count."""
    if not db.keeps_vectors:  # only this process's own vectors count
        return bool(waiting(db, 1, model))
    return any(
        db.row(f"select 1 from memory m where {waits} and {_IS_SEARCHED} limit 1", values) is not None
        for waits, values in ((_WAITS, ()), (f"{_IS_READY} and {_HAS_NONE}", (model,)))
    )


def settle(db: WorkingDatabase, model: str) -> None:
    """Mark as waiting exactly the memories that have no vector of *model*, the newly chosen one."""
    if not db.keeps_vectors:
        return
    found = [
        (db.rows(f"select m.number from memory m where {which}", (model,)), status)
        for which, status in (
            (f"{_IS_READY} and {_HAS_NONE}", EmbeddingStatus.PENDING),
            (f"{_WAITS} and not {_HAS_NONE}", EmbeddingStatus.READY),
        )
    ]
    for rows, status in found:
        if rows:
            mark(db, [row[0] for row in rows], status)


def keep(
    db: WorkingDatabase, model: str, made: Sequence[tuple[int, ndarray]], *, is_wanted: bool = True
) -> None:
    """Store the vectors of memories, by number; a vector of a deleted or changed text is dropped.

    If they are not of the wanted model, the memory still waits for that model's.
    """
    status = EmbeddingStatus.READY if is_wanted else EmbeddingStatus.PENDING
    with db.transaction():
        for number, vector in made:
            if db.write("update memory set embedding_status = ? where number = ?", (status.value, number)):
                db.write(
                    "insert or replace into vector (id, model, dimensions, vector) "
                    f"select {db.vector_key}, ?, ?, ? from memory m where number = ?",
                    (model, len(vector), vector.astype("<f4").tobytes(), number),
                )


def mark(db: WorkingDatabase, numbers: Sequence[int], status: EmbeddingStatus) -> None:
    """Set the embedding status of memories."""
    with db.transaction():
        db.write_many(
            "update memory set embedding_status = ? where number = ?",
            [(status.value, number) for number in numbers],
        )


def count(db: WorkingDatabase) -> int:
    """Return the number of stored vectors, of all models."""
    return db.number("select count(*) from vector")


def dimensions(db: WorkingDatabase, model: str, number: int) -> int:
    """Return how long the vector is that *model* has made of a memory, 0 where there is none."""
    return db.number(
        f"select v.dimensions from memory m join vector v on v.id = {db.vector_key} "
        "where m.number = ? and v.model = ?",
        (number, model),
    )


class Scan:
    """The vectors of one model, held in memory; for one thread at a time."""

    def __init__(self, db: WorkingDatabase, model: str, dimensions: int) -> None:
        self.model, self.dimensions = model, dimensions
        self._db = db
        self._last, self._removed, self._opening = 0, "", 0
        self._keys: list[int] = []
        self._places: dict[int, int] = {}  # of the keys
        self._rows: ndarray | None = None

    def search(self, asked: ndarray, most: int) -> list[Scored]:
        """Return the *most* memories, by number, with the vectors nearest to *asked*, best first."""
        import numpy as np

        self._bring_up_to_date()
        if self._rows is None:
            return []
        # Not `@`: for a product of a millisecond BLAS wakes a thread on each core, and waits for all of them.
        cosines = np.einsum("ij,j->i", self._rows, asked.astype(np.float32))
        best = np.argsort(-cosines)[:most]
        return [Scored(self._keys[at], float(cosines[at])) for at in best]

    def cosines(self, asked: ndarray, keys: Sequence[int]) -> dict[int, float]:
        """Return the cosine of each of *keys* that has a vector."""
        self._bring_up_to_date()
        if self._rows is None:
            return {}
        return {key: float(self._rows[self._places[key]] @ asked) for key in keys if key in self._places}

    def vector(self, key: int) -> ndarray | None:
        """Return the vector of one memory, or None."""
        self._bring_up_to_date()
        return self._rows[self._places[key]] if self._rows is not None and key in self._places else None

    def _bring_up_to_date(self) -> None:
        import numpy as np

        removed = memories.times_removed(self._db)
        if self._opening != self._db.openings:  # possibly of another file
            self._opening, self._last, self._rows = self._db.openings, 0, None
            self._keys, self._places = [], {}
        if removed != self._removed and self._rows is not None:
            there = {row[0] for row in self._db.rows("select number from memory")}
            left = [at for at, key in enumerate(self._keys) if key in there]
            self._keys, self._rows = [self._keys[at] for at in left], self._rows[left]
            self._places = {key: at for at, key in enumerate(self._keys)}
        self._removed = removed
        rows = self._db.rows(
            "select v.number, m.number, v.vector from vector v join memory m "
            f"on {self._db.vector_key} = v.id where v.number > ? and v.model = ? and v.dimensions = ? "
            "order by v.number",
            (self._last, self.model, self.dimensions),
        )
        if rows:
            new = np.frombuffer(b"".join(row[2] for row in rows), dtype="<f4")
            new = new.reshape(len(rows), self.dimensions)
            self._rows = new.copy() if self._rows is None else np.vstack([self._rows, new])
            self._places |= {row[1]: at for at, row in enumerate(rows, len(self._keys))}
            self._keys += [row[1] for row in rows]
            self._last = rows[-1][0]
