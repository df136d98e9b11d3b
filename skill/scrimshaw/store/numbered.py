"""Observations by their numbers, which grow in the order of acceptance: what an index is keyed by.

Only reads. What was forgotten has no text any more and is passed over: it is in no index, and in no answer.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, NamedTuple

from scrimshaw.core.types import Closed, Line
from scrimshaw.store import lines, tombstones
from scrimshaw.store.database import CHUNK, Database, parts

if TYPE_CHECKING:
    from scrimshaw.core.ledger.forget import Silenced

_NOT_FORGOTTEN = f"(s.closed is null or s.closed <> '{Closed.FORGOTTEN.value}')"


class Text(NamedTuple):
    """An observation as an index wants it."""

    number: int
    text: str
    kind: str
    local_date: str  # YYYY-MM-DD


class LiveText(NamedTuple):
    """What a line that holds says, and what tells whose it is."""

    number: int
    text: str
    author: str
    session_id: str
    metadata: str  # in the column task_state


class Numbered:
    """The ledger's observations, by number."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def last(self) -> int:
        """Return the largest number, 0 when there is no observation yet."""
        return self._db.number("select max(number) from observation")

    def last_to_index(self) -> int:
        """Return the largest number of an observation that has a text, 0 when none has."""
        return self._db.number(
            "select o.number from observation o join standing s on s.observation_id = o.id "
            f"where {_NOT_FORGOTTEN} order by o.number desc limit 1"
        )

    def texts_after(self, number: int) -> Iterator[Text]:
        """Yield what has a larger number than *number*, in order, read in pages; patterns are texts, too."""
        sql = (
            "select o.number, o.text, o.pattern, o.kind, o.local_date from observation o "
            f"join standing s on s.observation_id = o.id where o.number > ? and {_NOT_FORGOTTEN} "
            f"order by o.number limit {CHUNK}"
        )
        while page := self._db.rows(sql, (number,)):
            yield from (Text(row[0], f"{row[1]} {row[2]}".strip(), row[3], row[4]) for row in page)
            number = page[-1][0]

    def live_texts(self) -> Iterator[LiveText]:
        """Yield the text of every line that still holds, read in pages."""
        sql = (
            "select o.number, o.text, o.author, o.session_id, o.task_state "
            "from observation o join standing s on s.observation_id = o.id "
            f"where o.number > ? and s.closed is null order by o.number limit {CHUNK}"
        )
        number = 0
        while page := self._db.rows(sql, (number,)):
            yield from (LiveText(*row) for row in page)
            number = page[-1][0]

    def count_after(self, number: int) -> int:
        """Return how many `texts_after` yields."""
        return self._db.number(
            "select count(*) from observation o join standing s on s.observation_id = o.id "
            f"where o.number > ? and {_NOT_FORGOTTEN}",
            (number,),
        )

    def lines(self, numbers: Collection[int]) -> dict[int, Line]:
        """Return lines by number; what is unknown or forgotten is missing from the answer."""
        found: dict[int, Line] = {}
        for marks, part in parts(numbers):
            rows = self._db.rows(f"select number, id from observation where number in ({marks})", part)
            by_id = lines.by_id(self._db, [row[1] for row in rows])
            found.update((row[0], by_id[row[1]]) for row in rows if row[1] in by_id)
        return {n: line for n, line in found.items() if line.standing.closed is not Closed.FORGOTTEN}

    def among(self, kinds: Collection[str], first: str, last: str) -> list[int]:
        """Return the numbers of those of *kinds* (none: of any) said on local dates *first* to *last*."""
        marks = ",".join("?" * len(kinds))
        of_kind = f"kind in ({marks}) and " if kinds else ""
        rows = self._db.rows(
            f"select number from observation where {of_kind}local_date >= ? and local_date <= ?",
            (*kinds, first, last),
        )
        return [row[0] for row in rows]

    def numbers_of(self, ids: Collection[str]) -> dict[str, int]:
        """Return the numbers of observations by id; unknown ids are missing."""
        found: dict[str, int] = {}
        for marks, part in parts(ids):
            found.update(self._db.rows(f"select id, number from observation where id in ({marks})", part))
        return found

    def forgotten_in(self, session_id: str) -> Silenced:
        """Return what was forgotten of a conversation: entries, with what other lines still tell of each."""
        from scrimshaw.core.ledger.forget import Silenced  # only for who shows messages

        until = self._db.row(
            "select max(t.at_ms) from tombstone_entry e join tombstone t on t.number = e.tombstone_number "
            "where e.session_id in (?, ?) and e.entry_id = ?",
            (session_id, tombstones.ANY, tombstones.ANY),
        )
        rows = self._db.rows(
            "select e.entry_id from tombstone_entry e join tombstone t on t.number = e.tombstone_number "
            "join standing s on s.observation_id = t.observation_id "
            "where e.session_id = ? and s.closed = ?",
            (session_id, Closed.FORGOTTEN.value),
        )
        entries: dict[str, list[str]] = {row[0]: [] for row in rows}
        if not entries:
            return Silenced({}, until[0] if until else None)
        told = self._db.rows(
            "select o.text, o.sources from observation o join standing s on s.observation_id = o.id "
            f"where o.session_id = ? and {_NOT_FORGOTTEN}",
            (session_id,),
        )
        for text, sources in told:
            for entry_id in entries.keys() & set(json.loads(sources)):
                entries[entry_id].append(text)
        return Silenced(entries, until[0] if until else None)
