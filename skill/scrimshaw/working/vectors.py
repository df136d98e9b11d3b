"""The vectors of memories: made once for (id, model, dimensions), kept in the file, scanned in memory.

Ten thousand vectors of 384 numbers are 15 MB and compared in a few milliseconds; what was made since is
loaded with the next question.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scrimshaw.core.search.fusion import Scored
from scrimshaw.core.working import EmbeddingStatus
from scrimshaw.working.database import WorkingDatabase

if TYPE_CHECKING:
    from numpy import ndarray

_IS_SEARCHED = "coalesce(m.status, 'active') = 'active'"  # not what was superseded, or archived


def waiting(db: WorkingDatabase, model: str, dimensions: int, most: int) -> list[tuple[str, str]]:
    """Return (id, text) of the oldest memories that have no vector of *model*; none that failed."""
    return [
        (row[0], row[1])
        for row in db.rows(
            "select m.id, m.content from memory m left join vector v on v.id = m.id and v.model = ? and "
            f"v.dimensions = ? where v.id is null and m.embedding_status != ? and {_IS_SEARCHED} "
            "order by m.number limit ?",
            (model, dimensions, EmbeddingStatus.FAILED.value, most),
        )
    ]


def has_waiting(db: WorkingDatabase) -> bool:
    """Tell whether some memory has no vector yet; one that failed has none for good."""
    waiting = (EmbeddingStatus.PENDING.value, EmbeddingStatus.QUEUED.value)
    sql = f"select 1 from memory m where embedding_status in (?, ?) and {_IS_SEARCHED} limit 1"
    return db.row(sql, waiting) is not None


def keep(db: WorkingDatabase, model: str, made: Sequence[tuple[str, ndarray]]) -> None:
    """Keep the vectors of memories; one of a memory that went meanwhile is dropped."""
    with db.transaction():
        for id_, vector in made:
            if db.write(
                "update memory set embedding_status = ? where id = ?", (EmbeddingStatus.READY.value, id_)
            ):
                db.write(
                    "insert or replace into vector (id, model, dimensions, vector) values (?, ?, ?, ?)",
                    (id_, model, len(vector), vector.astype("<f4").tobytes()),
                )


def mark(db: WorkingDatabase, ids: Sequence[str], status: EmbeddingStatus) -> None:
    """Note how far the vectors of memories are."""
    with db.transaction():
        db.write_many(
            "update memory set embedding_status = ? where id = ?", [(status.value, one) for one in ids]
        )


def count(db: WorkingDatabase) -> int:
    """Return how many vectors are kept, of all models."""
    row = db.row("select count(*) from vector")
    return int(row[0]) if row else 0


class Scan:
    """The vectors of one model, held in memory; for one thread at a time."""

    def __init__(self, db: WorkingDatabase, model: str, dimensions: int) -> None:
        self.model, self.dimensions = model, dimensions
        self._db = db
        self._last = 0
        self._keys: list[int] = []
        self._rows: ndarray | None = None

    def search(self, asked: ndarray, most: int) -> list[Scored]:
        """Return the *most* memories, by number, whose vectors are nearest to *asked*, best first."""
        import numpy as np

        self._bring_up_to_date()
        if self._rows is None:
            return []
        cosines = self._rows @ asked.astype(np.float32)
        best = np.argsort(-cosines)[:most]
        return [Scored(self._keys[at], float(cosines[at])) for at in best]

    def cosines(self, asked: ndarray, keys: Sequence[int]) -> dict[int, float]:
        """Return the cosine of each of *keys* that has a vector."""
        self._bring_up_to_date()
        if self._rows is None:
            return {}
        wanted = set(keys)
        places = [at for at, key in enumerate(self._keys) if key in wanted]
        return {self._keys[at]: float(self._rows[at] @ asked) for at in places}

    def vector(self, key: int) -> ndarray | None:
        """Return the vector of one memory, or None."""
        self._bring_up_to_date()
        return self._rows[self._keys.index(key)] if self._rows is not None and key in self._keys else None

    def _bring_up_to_date(self) -> None:
        import numpy as np

        rows = self._db.rows(
            "select v.number, m.number, v.vector from vector v join memory m on m.id = v.id "
            "where v.number > ? and v.model = ? and v.dimensions = ? order by v.number",
            (self._last, self.model, self.dimensions),
        )
        if rows:
            new = np.frombuffer(b"".join(row[2] for row in rows), dtype="<f4")
            new = new.reshape(len(rows), self.dimensions)
            self._rows = new.copy() if self._rows is None else np.vstack([self._rows, new])
            self._keys += [row[1] for row in rows]
            self._last = rows[-1][0]
