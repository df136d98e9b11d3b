"""What person and agent were in the middle of: one row a window that a model noted."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from scrimshaw.core.types import TaskState
from scrimshaw.store.database import Database, parts
from scrimshaw.store.records import Working


def keep(db: Database, run_id: str, states: Iterable[Working]) -> None:
    """Keep *states*; of the same end of a window the newer one. Inside a transaction."""
    db.write_many(
        "insert or replace into working (session_id, said_at_ms, run_id, task, next) values (?, ?, ?, ?, ?)",
        [(one.session_id, one.said_at_ms, run_id, one.state.task, one.state.next) for one in states],
    )


def between(db: Database, start_ms: int, end_ms: int) -> list[Working]:
    """Return what was told between two times, oldest first; empty where nothing was left unfinished."""
    rows = db.rows(
        "select session_id, said_at_ms, task, next from working "
        "where said_at_ms >= ? and said_at_ms < ? order by said_at_ms, session_id",
        (start_ms, end_ms),
    )
    return [Working(session_id, at_ms, TaskState(task, next_)) for session_id, at_ms, task, next_ in rows]


def forget(db: Database, ids: Collection[str], sessions: Collection[str], before_ms: int | None) -> None:
    """Drop what may speak of the observations *ids*, of *sessions*, or of what was said *before_ms*.

    Of a conversation of which one line is forgotten all goes: what was left to do is soon old anyway.
    """
    db.write_many("delete from working where session_id = ?", [(one,) for one in sessions])
    if before_ms is not None:
        db.write("delete from working where said_at_ms < ?", (before_ms,))
    for marks, part in parts(sorted(ids)):
        theirs = f"select session_id from observation where id in ({marks})"
        db.write(f"delete from working where session_id in ({theirs})", part)
