"""Which lines of the ledger each memory became, in the working layer's file.

A row is written before its line is, and is done in the transaction that deletes the memory. A row that is not
done and whose memory was deleted, changed or replaced since is stale: a kill came between the ledger and this
file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from hashlib import blake2b
from typing import NamedTuple

from scrimshaw.core.working import StoredMemory
from scrimshaw.working.database import WorkingDatabase
from scrimshaw.working.memories import Kept

_MARK_BYTES = 16


class Moved(NamedTuple):
    """What a memory became."""

    line_ids: tuple[str, ...]
    version: int  # of the memory when it moved
    mark: str  # as `mark_of` returns it


class HalfMoved(NamedTuple):
    """A line that may say what its memory no longer says."""

    memory_id: str
    line_id: str


def intend(db: WorkingDatabase, every: Iterable[tuple[Kept, Collection[str]]]) -> None:
    """Note which lines, by id, memories are about to become; of those that are there as they were read."""
    with db.transaction():
        db.write_many(
            "insert or replace into moved select ?, ?, ?, ?, ?, 0 from memory "
            "where number = ? and version = ?",
            [
                (*row, one.number, one.memory.version)
                for one, line_ids in every
                for row in _rows(one.memory, line_ids)
            ],
        )


def note_done(db: WorkingDatabase, one: StoredMemory, line_ids: Collection[str]) -> None:
    """Note that lines now stand for a memory; in the transaction that deletes it."""
    db.write_many("insert or replace into moved values (?, ?, ?, ?, ?, 1)", _rows(one, line_ids))


def _rows(one: StoredMemory, line_ids: Collection[str]) -> list[tuple[str, str, int, int, str]]:
    mark = mark_of(one.id, one.content)
    return [(one.id, line_id, at, one.version, mark) for at, line_id in enumerate(line_ids)]


def find(db: WorkingDatabase, memory_id: str) -> Moved | None:
    """Return which lines the memory with this id became; None if it has not moved."""
    sql = "select line_id, version, mark from moved where memory_id = ? and is_done = 1 order by position"
    rows = db.rows(sql, (memory_id,))
    return Moved(tuple(row[0] for row in rows), *rows[0][1:]) if rows else None


def stale(db: WorkingDatabase) -> list[HalfMoved]:
    """Return what a kill has left of memories that were deleted or changed since."""
    rows = db.rows(
        "select m.memory_id, m.line_id, m.version, m.mark, e.version, e.content from moved m "
        "left join memory e on e.id = m.memory_id where m.is_done = 0"
    )
    return [
        HalfMoved(memory_id, line_id)
        for memory_id, line_id, version, mark, version_now, content in rows
        # After a deletion another memory of that id is the first version again.
        if version_now != version or mark_of(memory_id, content) != mark
    ]


def drop(db: WorkingDatabase, every: Iterable[HalfMoved]) -> None:
    """Take out rows of which nothing is left to be done."""
    with db.transaction():
        db.write_many("delete from moved where memory_id = ? and line_id = ? and is_done = 0", every)


def lines_of_memories(db: WorkingDatabase, memory_ids: Iterable[str]) -> set[str]:
    """Return the ids of the lines that memories became or were about to become."""
    sql = "select line_id from moved where memory_id = ?"
    return {row[0] for id_ in memory_ids for row in db.rows(sql, (id_,))}


def forget(db: WorkingDatabase, memory_ids: Iterable[str], line_ids: Iterable[str]) -> None:
    """Take out all that is known of these memories and lines."""
    with db.transaction():
        db.write_many("delete from moved where memory_id = ?", [(one,) for one in memory_ids])
        db.write_many("delete from moved where line_id = ?", [(one,) for one in line_ids])


def mark_of(memory_id: str, content: str) -> str:
    """Return a hash by which the content of a memory is known again."""
    told = f"{memory_id}\0{content}".encode("utf-8", "surrogatepass")
    return blake2b(told, digest_size=_MARK_BYTES).hexdigest()
