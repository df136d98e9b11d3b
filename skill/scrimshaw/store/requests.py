"""What somebody asked the daemon to do now: the hook before a compaction, a person at a terminal (rule 10).

A request is a row, so it outlives whoever asked and whoever was asked; its answer is one short text.
"""

from __future__ import annotations

from collections.abc import Collection

from scrimshaw.store.database import Database
from scrimshaw.store.records import QueuedRequest


def put_request(db: Database, kind: str, *, by: str, at_ms: int, session: str = "") -> int:
    """Ask for *kind*, of one *session* or of all; return the request's number."""
    with db.transaction():
        sql = "insert into request (kind, at_ms, by, detail) values (?, ?, ?, ?)"
        return int(db.write(sql, (kind, at_ms, by, session)).lastrowid or 0)


def pending(db: Database, kind: str) -> list[QueuedRequest]:
    """Return what was asked and not answered yet, oldest first."""
    rows = db.rows(
        "select number, kind, at_ms, by, detail from request "
        "where done_at_ms is null and kind = ? order by number",
        (kind,),
    )
    return [QueuedRequest(*row) for row in rows]


def settle_requests(db: Database, numbers: Collection[int], *, outcome: str, at_ms: int) -> None:
    """Answer requests; one that was answered already keeps its answer."""
    with db.transaction():
        db.write_many(
            "update request set done_at_ms = ?, outcome = ? where number = ? and done_at_ms is null",
            [(at_ms, outcome, number) for number in numbers],
        )


def take(db: Database, number: int, *, outcome: str, at_ms: int) -> bool:
    """Answer a request in order to do it oneself; False when it was answered before, and nothing changes."""
    with db.transaction():
        sql = "update request set done_at_ms = ?, outcome = ? where number = ? and done_at_ms is null"
        return db.write(sql, (at_ms, outcome, number)).rowcount == 1


def answer(db: Database, number: int) -> str | None:
    """Return the answer to a request, None while there is none."""
    row = db.row("select outcome from request where number = ? and done_at_ms is not null", (number,))
    return row[0] if row else None
