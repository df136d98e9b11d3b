"""Section bodies that were decided, and whether they reached the file.

A revision is stored as *intended* before the file is replaced and settled afterwards, so that a kill in
between leaves a merge base for what may be on disk. Bodies are never changed.
"""

from __future__ import annotations

import json

from scrimshaw.store.database import Database, Row
from scrimshaw.store.records import Revision, RevisionState

_COLUMNS = "at_ms, run_id, reason, place, body, budget_chars, event_seq, line_ids, sha256, state"


def add(db: Database, revision: Revision) -> int:
    """Store *revision* and return its number."""
    with db.transaction():
        number = db.write(
            f"insert into revision ({_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                revision.at_ms,
                revision.run_id,
                revision.reason,
                revision.place,
                revision.body,
                revision.budget_chars,
                revision.event_seq,
                json.dumps(revision.line_ids),
                revision.sha256,
                revision.state.value,
            ),
        ).lastrowid
    assert number
    return number


def settle(db: Database, number: int, state: RevisionState) -> None:
    """Note whether revision *number* is on disk."""
    with db.transaction():
        db.write("update revision set state = ? where number = ?", (state.value, number))


def newest(db: Database, limit: int, place: str) -> list[Revision]:
    """Return the newest *limit* revisions that are, or may be, on disk; of any place when it is ""."""
    rows = db.rows(
        f"select number, {_COLUMNS} from revision where state <> ? and ? in ('', place) "
        "order by number desc limit ?",
        (RevisionState.ABANDONED.value, place, limit),
    )
    return [_revision(row) for row in rows]


def latest_written(db: Database, place: str) -> Revision | None:
    """Return the newest revision known to be on disk; of any place when it is ""."""
    row = db.row(
        f"select number, {_COLUMNS} from revision where state = ? and ? in ('', place) "
        "order by number desc limit 1",
        (RevisionState.WRITTEN.value, place),
    )
    return _revision(row) if row else None


def _revision(row: Row) -> Revision:
    *first, line_ids, sha256, state = row
    number, at_ms, run_id, reason, place, body, budget_chars, event_seq = first
    return Revision(
        number,
        at_ms,
        run_id,
        reason,
        place,
        body,
        budget_chars,
        event_seq,
        tuple(json.loads(line_ids)),
        sha256,
        RevisionState(state),
    )
