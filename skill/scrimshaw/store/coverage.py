"""Which entries were observed, and how far each source was read.

Coverage is by (session id, entry id) and exact; it is the same across JSONL and SQLite. A cursor only saves
work: when it is lost, entries are read again and coverage drops them. Entry ids are kept as 8-byte hashes
within their session (two of a session's million entries share one with a chance of 3 in 100 million).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from hashlib import blake2b

from scrimshaw.core.types import Session, SessionKind
from scrimshaw.store.database import Database, parts
from scrimshaw.store.records import Cursor


def remember_sessions(db: Database, sessions: Iterable[Session]) -> None:
    """Note *sessions*; a key that is known stays known when the host no longer says it."""
    db.write_many(
        "insert into session (session_id, session_key, kind, agent_id) values (?, ?, ?, ?) "
        "on conflict (session_id) do update set session_key = excluded.session_key, kind = excluded.kind, "
        "agent_id = excluded.agent_id where excluded.session_key <> ''",
        [(s.session_id, s.session_key, s.kind.value, s.agent_id) for s in sessions],
    )


def sessions(db: Database) -> dict[str, Session]:
    """Return every session the ledger has met, by id."""
    rows = db.rows("select session_id, session_key, agent_id, kind from session")
    return {row[0]: Session(row[0], row[1], row[2], SessionKind(row[3])) for row in rows}


def already_covered(db: Database, covered: Mapping[str, Collection[str]]) -> list[tuple[str, str]]:
    """Return those (session id, entry id) of *covered* that were covered before."""
    return [
        (session_id, entry_id)
        for session_id, entry_ids in covered.items()
        for entry_id in sorted(set(entry_ids) - uncovered(db, session_id, entry_ids))
    ]


def uncovered(db: Database, session_id: str, entry_ids: Collection[str]) -> set[str]:
    """Return those of *entry_ids* that no batch has covered yet."""
    by_hash = {_hash(entry_id): entry_id for entry_id in entry_ids}
    session = db.row("select number from session where session_id = ?", (session_id,))
    if session is None:
        return set(entry_ids)
    for marks, part in parts(by_hash):
        sql = f"select entry_hash from covered where session_number = ? and entry_hash in ({marks})"
        for (found,) in db.rows(sql, (session[0], *part)):
            del by_hash[found]
    return set(by_hash.values())


def covered_before_copying(db: Database, session: Session, entry_ids: Collection[str]) -> set[str]:
    """Return those of *entry_ids* that were covered in another session of *session*'s key."""
    by_hash = {_hash(entry_id): entry_id for entry_id in entry_ids} if session.session_key else {}
    found: set[str] = set()
    for marks, part in parts(by_hash):
        rows = db.rows(
            "select entry_hash from covered where session_number in "
            "(select number from session where session_key = ? and session_id <> ?) "
            f"and entry_hash in ({marks})",
            (session.session_key, session.session_id, *part),
        )
        found |= {by_hash[entry_hash] for (entry_hash,) in rows}
    return found


def cover(db: Database, covered: Mapping[str, Collection[str]]) -> None:
    """Note that these entries are covered; none of them was, and their sessions are known."""
    for session_id, entry_ids in covered.items():
        hashes = sorted({_hash(entry_id) for entry_id in entry_ids})
        found = db.row("select number from session where session_id = ?", (session_id,))
        if found is None:
            raise ValueError(f"session {session_id} is covered before it is known")
        db.write_many(
            "insert into covered (session_number, entry_hash) values (?, ?)",
            [(found[0], entry_hash) for entry_hash in hashes],
        )
        db.write("update session set covered = covered + ? where number = ?", (len(hashes), found[0]))


def write_cursors(db: Database, cursors: Iterable[Cursor]) -> None:
    """Store *cursors*, each in place of the one before it."""
    db.write_many(
        "insert or replace into cursor (source_id, session_id, cursor, position, newest_at_ms) "
        "values (?, ?, ?, ?, ?)",
        cursors,
    )


def cursors(db: Database, source_id: str) -> dict[str, Cursor]:
    """Return the cursors of one source by session id."""
    rows = db.rows(
        "select source_id, session_id, cursor, position, newest_at_ms from cursor where source_id = ?",
        (source_id,),
    )
    return {row[1]: Cursor(*row) for row in rows}


def _hash(entry_id: str) -> int:
    return int.from_bytes(
        blake2b(entry_id.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big", signed=True
    )
