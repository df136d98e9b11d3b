"""Section bodies that were decided, and whether they reached the file.

A revision is stored as *intended* before the file is replaced and settled afterwards, so that a kill in
between leaves a merge base for what may be on disk. Bodies are never changed.
"""

from __future__ import annotations

import json

from scrimshaw.store.database import Database, Row
from scrimshaw.store.records import Revision, RevisionState

BY_HAND = "hand"  # the reason of a revision that only remembers what stands in a file left alone
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


def settle_revision(db: Database, number: int, state: RevisionState) -> None:
    """Note whether revision *number* is on disk."""
    with db.transaction():
        db.write("update revision set state = ? where number = ?", (state.value, number))


def newest_revisions(db: Database, limit: int, place: str = "") -> list[Revision]:
    """Return the newest *limit* revisions that are, or may be, on disk; of any place when it is ""."""
    rows = db.rows(
        f"select number, {_COLUMNS} from revision where state <> ? and ? in ('', place) "
        "order by number desc limit ?",
        (RevisionState.ABANDONED.value, place, limit),
    )
    return [_revision(row) for row in rows]


def latest_written(db: Database, place: str = "") -> Revision | None:
    """Return the newest revision known to be on disk; of any place when it is ""."""
    row = db.row(
        f"select number, {_COLUMNS} from revision where state = ? and ? in ('', place) "
        "order by number desc limit 1",
        (RevisionState.WRITTEN.value, place),
    )
    return _revision(row) if row else None


def written_by_us(db: Database) -> list[tuple[int, str, int]]:
    """Return (number, run id, event number) of each section that we wrote, oldest first.

    What only remembers a person's text in a file left alone is none.
    """
    rows = db.rows(
        # Letter for letter the condition of the index, or SQLite cannot see that it fits.
        "select number, run_id, event_seq from revision indexed by revision_of_ours "
        "where state = 'written' and reason <> 'hand' order by number"
    )
    return [(number, run_id, event_seq) for number, run_id, event_seq in rows]


def by_number(db: Database, number: int) -> Revision | None:
    """Return one revision, whatever became of it."""
    row = db.row(f"select number, {_COLUMNS} from revision where number = ?", (number,))
    return _revision(row) if row else None


def in_force(db: Database, at_ms: int) -> Revision | None:
    """Return the newest section that stood at *at_ms*: ours, or what a person had made of it.

    What a person did to a file that did not hold the section any more is not it. The times alone are gone
    through: to see a state SQLite reads past the whole body before it.
    """
    until = "select max(number) from revision indexed by revision_by_time where at_ms <= ? and number < ?"
    by_hand: Revision | None = None
    number = 2**62
    while (row := db.row(until, (at_ms, number))) and row[0] is not None:
        number = row[0]
        revision = by_number(db, number)
        if revision is None or revision.state is not RevisionState.WRITTEN:
            continue
        if revision.reason != BY_HAND:
            return by_hand if by_hand and by_hand.place == revision.place else revision
        by_hand = by_hand or revision
    return by_hand


def _revision(row: Row) -> Revision:
    *first, line_ids, sha256, state = row
    return Revision(*[*first, tuple(json.loads(line_ids)), sha256, RevisionState(state)])
