"""Which stretch of events is in which `.mv2` file: what the archives hold, and what they still owe.

A file is replaced whole. What is about to be in it is noted before (`intend`), and becomes what is in it once
it is in place (`settle`); when a run was killed in between, the sha256 of the file that is found tells which
of the two it is. Nothing here is needed to know what is true: dropped rows are made anew from the events.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

from scrimshaw.core.types import EventType, Observation
from scrimshaw.store import events, lines
from scrimshaw.store.database import Database
from scrimshaw.store.records import StoredEvent


class FrameRecord(NamedTuple):
    """One frame of a file: from which event to which."""

    uri: str
    first_seq: int
    last_seq: int
    observations: int
    weight_bytes: int
    sha256: str


class ArchiveFile(NamedTuple):
    """One `.mv2` file as it should be; *next_sha256* when a run that replaced it has not said that it did."""

    name: str
    sha256: str
    size_bytes: int
    next_sha256: str
    first_seq: int
    last_seq: int
    observations: int
    weight_bytes: int


class Owed(NamedTuple):
    """Events that no archive holds yet."""

    events: int
    oldest_at_ms: int
    has_reflected: bool  # a reflection is among what made them


class Frames:
    """The door of `Ledger.frames`."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def ledger_id(self) -> str:
        """Return a name of this ledger that tells its numbers from those of another."""
        row = self._db.row("select value from meta where key = 'hash-key'")
        # A hash: the key itself stays here.
        return blake2b(str(row[0]).encode(), digest_size=8, person=b"ledger").hexdigest() if row else ""

    def archived_until(self) -> int:
        """Return the number of the newest event that an archive holds."""
        return self._db.number("select max(last_seq) from frame where state = 'done'")

    def owed(self) -> Owed:
        """Return what no archive holds yet."""
        until = self.archived_until()
        row = self._db.row("select count(*), coalesce(min(at_ms), 0) from event where seq > ?", (until,))
        reflected = self._db.row(
            "select 1 from event where seq > ? and by in (select run_id from run where job = 'reflect') "
            "limit 1",
            (until,),
        )
        assert row
        return Owed(row[0], row[1], reflected is not None)

    def files(self) -> list[ArchiveFile]:
        """Return the files that are, or are about to be, in the order of what they hold."""
        rows = self._db.rows(
            "select a.file, a.sha256, a.size_bytes, a.next_sha256, min(f.first_seq), max(f.last_seq), "
            "sum(f.observations), sum(f.weight_bytes) from archive a "
            "left join frame f on f.file = a.file and f.state = 'done' group by a.file"
        )
        found = [ArchiveFile(*row[:4], *(value or 0 for value in row[4:])) for row in rows]
        return sorted(found, key=lambda one: (one.first_seq, one.name))

    def stretches(self, name: str) -> list[FrameRecord]:
        """Return what the file holds, in its order."""
        rows = self._db.rows(
            "select uri, first_seq, last_seq, observations, weight_bytes, sha256 from frame "
            "where file = ? and state = 'done' order by first_seq",
            (name,),
        )
        return [FrameRecord(*row) for row in rows]

    def file_of(self, observation_id: str) -> str:
        """Return the name of the file that holds a line; "" when none does yet."""
        row = self._db.row(
            "select f.file from event e join frame f on f.state = 'done' "
            "and e.seq between f.first_seq and f.last_seq where e.observation_id = ? and e.type = ?",
            (observation_id, EventType.OBSERVED.value),
        )
        return str(row[0]) if row else ""

    def events(self, after_seq: int, until_seq: int, limit: int) -> list[StoredEvent]:
        """Return the oldest *limit* events after one and until another."""
        return events.between(self._db, after_seq, until_seq, limit)

    def born(self, stored: Sequence[StoredEvent]) -> dict[str, Observation]:
        """Return the observations that were born in *stored*, by id."""
        ids = [one.event.observation_id for one in stored if one.event.type is EventType.OBSERVED]
        return {key: line.observation for key, line in lines.by_id(self._db, ids).items()}

    def intend(
        self, name: str, stretches: Sequence[FrameRecord], *, sha256: str, size_bytes: int, at_ms: int
    ) -> None:
        """Note that a file with *sha256* is about to stand as *name*, holding *stretches* and what it held.

        What it held and *stretches* hold as well is theirs then.
        """
        db = self._db
        with db.transaction():
            db.write("insert or ignore into archive (file, at_ms) values (?, ?)", (name, at_ms))
            db.write(
                "update archive set next_sha256 = ?, next_size_bytes = ?, at_ms = ? where file = ?",
                (sha256, size_bytes, at_ms, name),
            )
            db.write("delete from frame where file = ? and state = 'intended'", (name,))
            db.write_many(
                "insert into frame (file, uri, first_seq, last_seq, observations, weight_bytes, sha256, "
                "state, at_ms) values (?, ?, ?, ?, ?, ?, ?, 'intended', ?)",
                [(name, *stretch, at_ms) for stretch in stretches],
            )

    def settle(self, name: str) -> None:
        """Note that what was intended for *name* is in place."""
        db = self._db
        with db.transaction():
            db.write(
                "delete from frame where file = ? and state = 'done' and exists (select 1 from frame n "
                "where n.file = frame.file and n.state = 'intended' and n.first_seq <= frame.last_seq "
                "and n.last_seq >= frame.first_seq)",
                (name,),
            )
            db.write("update frame set state = 'done' where file = ? and state = 'intended'", (name,))
            db.write(
                "update archive set sha256 = next_sha256, size_bytes = next_size_bytes, next_sha256 = '', "
                "next_size_bytes = 0 where file = ? and next_sha256 <> ''",
                (name,),
            )

    def abandon(self, name: str) -> None:
        """Note that what was intended for *name* never came there."""
        db = self._db
        with db.transaction():
            db.write("delete from frame where file = ? and state = 'intended'", (name,))
            db.write("update archive set next_sha256 = '', next_size_bytes = 0 where file = ?", (name,))
            db.write(
                "delete from archive where file = ? and sha256 = '' "
                "and not exists (select 1 from frame where frame.file = archive.file)",
                (name,),
            )

    def lose(self, name: str) -> None:
        """Note that the file is gone; what it held stays its own until it is made anew."""
        with self._db.transaction():
            self._db.write("update archive set sha256 = '', size_bytes = 0 where file = ?", (name,))

    def drop_all(self) -> None:
        """Forget about every file: all is owed again."""
        with self._db.transaction():
            self._db.write("delete from frame")
            self._db.write("delete from archive")
