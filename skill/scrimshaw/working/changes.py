"""Change memories and knowledge in the working layer's file, each against the version that was read.

Words, vectors and caches are keyed by a memory's number, so a memory whose text changes gets a new number and
keeps its id. Knowledge that no longer holds has no words and no vector: no search finds it.
"""

from __future__ import annotations

from collections.abc import Mapping

from scrimshaw.core.working import EmbeddingStatus, KnowledgeStatus
from scrimshaw.errors import Exit, NotFoundError, OutdatedError
from scrimshaw.store.database import Row, Value
from scrimshaw.working import memories
from scrimshaw.working.database import WorkingDatabase
from scrimshaw.working.words import words_of

_SEARCHED = ("content", "status")  # fields that a search depends on
_COLUMNS = (
    "id, owner_id, agent, type, content, metadata, importance, stated_importance, access_count, pinned, "
    "embedding_status, created_at_ms, updated_at_ms, last_accessed_at_ms, expires_at_ms, words, category, "
    "confidence, source, status, version"
)
_NAMES = tuple(_COLUMNS.split(", "))


def change(
    db: WorkingDatabase, id_: str, columns: Mapping[str, Value], at_ms: int, if_version: int | None
) -> None:
    """Replace the *columns* of a memory; raises NotFoundError and OutdatedError."""
    with db.transaction():
        before, version = _checked(db, id_, if_version)
        after = {**before, **columns, "updated_at_ms": at_ms, "version": version + 1}
        if all(before[name] == after[name] for name in _SEARCHED):
            changed = ", ".join(f"{name} = ?" for name in (*columns, "updated_at_ms", "version"))
            values = [*columns.values(), at_ms, after["version"], id_]
            db.write(f"update memory set {changed} where id = ?", values)
            return
        memories.remove(db, [id_])
        is_searched = after["status"] in (None, KnowledgeStatus.ACTIVE.value)
        after["words"] = " ".join(words_of(str(after["content"]))) if is_searched else ""
        after["embedding_status"] = EmbeddingStatus.PENDING.value
        marks = ", ".join("?" * len(_NAMES))
        db.write(f"insert into memory ({_COLUMNS}) values ({marks})", [after[name] for name in _NAMES])
        sql = "insert into memory_words (rowid, words) values (last_insert_rowid(), ?)"
        db.write(sql, (after["words"],))  # also if empty: deleting a missing entry damages the index


def take_out(db: WorkingDatabase, id_: str, if_version: int | None) -> None:
    """Delete a memory; raises NotFoundError and OutdatedError."""
    with db.transaction():
        _checked(db, id_, if_version)
        memories.remove(db, [id_])


def unknown(id_: str) -> NotFoundError:
    """Return the error for an id that is not in the working layer."""
    return NotFoundError(
        f"No memory {id_[:80]} is in the working layer; it may have moved into the ledger. Nothing was done.",
        next_step="search finds what stands in either layer",
        exit_code=Exit.USAGE,
    )


def _checked(db: WorkingDatabase, id_: str, if_version: int | None) -> tuple[dict[str, Value], int]:
    row: Row | None = db.row(f"select {_COLUMNS} from memory where id = ?", (id_,))
    if row is None:
        raise unknown(id_)
    version = int(row[-1])
    if if_version not in (None, version):
        raise OutdatedError(
            f"The memory {id_} was changed meanwhile: it is at version {version}, not {if_version}. "
            "Nothing was changed.",
            next_step="read it again, then decide",
            exit_code=Exit.REFUSED,
        )
    return dict(zip(_NAMES, row, strict=True)), version
