"""What the figures need of the ledger, read without making a line of each row; and what was known when.

An event is *known* from its own time on; one that an import brought, from when it came (`arrival`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from scrimshaw.core.insight.fact_types import fact_type
from scrimshaw.core.insight.health import Look
from scrimshaw.core.insight.known import LineInForce, source_of
from scrimshaw.core.ledger.lifecycle import CONFIRMED_ADDS
from scrimshaw.core.types import Author, Event, Kind, Place
from scrimshaw.store import lines
from scrimshaw.store.database import Database, Row, damaged
from scrimshaw.store.runs import QUARTER_MS, tallies

_KINDS = {one.value: one for one in Kind}
_PLACES = {one.value: one for one in Place}
_AUTHORS = {one.value: one for one in Author}
_COLUMNS = (
    "o.id, o.text, o.kind, s.place, o.priority, min(1.0, o.confidence + ? * s.confirmed), o.said_at_ms, "
    "max(o.said_at_ms, s.renewed_at_ms), o.local_date, coalesce(o.refers_end, o.refers_start, ''), "
    "o.session_id, o.author, o.level, s.is_pinned, s.is_expired, o.done, s.is_shown, s.is_kept, "
    "o.claim_subject is not null"
)
_KNOWN_AT = (
    "max(e.at_ms, coalesce((select a.at_ms from arrival a where a.last_seq >= e.seq and a.first_seq <= e.seq "
    "order by a.last_seq limit 1), 0))"
)


class Insight:
    """The open ledger, as the figures read it."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def known(self) -> list[LineInForce]:
        """Return the lines in force, in no order."""
        sql = (
            f"select {_COLUMNS} from observation o join standing s on s.observation_id = o.id "
            "where s.closed is null"
        )
        return [_known(row) for row in self._db.rows(sql, (CONFIRMED_ADDS,))]

    def searches(self) -> list[tuple[str, int, int]]:
        """Return (line id, count, last time) of the searches that found a line."""
        sql = (
            "select observation_id, count(*), max(at_ms) from event where type = 'recalled' "
            "group by observation_id"
        )
        return [(id_, count, at_ms) for id_, count, at_ms in self._db.rows(sql)]

    def sections(self) -> list[tuple[int, list[str]]]:
        """Return from when on each section stood in its file, with the lines it shows, oldest first."""
        sql = "select at_ms, line_ids from revision where state = 'written' order by at_ms, number"
        return [(at_ms, json.loads(ids)) for at_ms, ids in self._db.rows(sql)]

    def moments(self) -> list[tuple[int, str]]:
        """Return when something that was noted was said in a conversation, with its day."""
        sql = (
            "select said_at_ms, local_date from observation "
            "where session_id <> '' and level = 0 and author in ('rules', 'model')"
        )
        return [(said_at_ms, day) for said_at_ms, day in self._db.rows(sql)]

    def read_tokens(self) -> tuple[int, list[tuple[int, int]]]:
        """Return the tokens of conversation that were read, in all, and when, as far as that is known."""
        rows = self._db.rows("select quarter, tokens from reading order by quarter")
        if any(count is None for _, count in rows):  # what the schema lets nobody write
            raise damaged(self._db.path, "a count without a number")
        found = [(quarter * QUARTER_MS, count) for quarter, count in rows]
        return tallies(self._db).get("read_tokens", 0), found

    def note_look(self, local_date: str, look: Look) -> None:
        """Keep what a look found on this day; the last look of a day counts."""
        with self._db.transaction():
            self._db.write("insert or replace into look values (?, ?, ?, ?, ?)", (local_date, *look))

    def looks(self) -> dict[str, Look]:
        """Return what the last look of each day found, by day."""
        sql = "select local_date, dry_sources, units_over, waiting, unshown from look"
        return {day: Look(*found) for day, *found in self._db.rows(sql)}

    def history(self) -> Iterator[tuple[int, Event]]:
        """Yield every event of a line with when it was known, in that order."""
        sql = (
            f"select {_KNOWN_AT}, e.type, e.observation_id, e.at_ms, e.by, e.other_id, e.reason from event e "
            "where e.observation_id is not null order by 1, e.seq"
        )
        for row in self._db.rows(sql):
            yield row[0], lines.read_event(row[1:])


def _known(row: Row) -> LineInForce:
    id_, text, kind_, place_, priority, confidence, said_at_ms, told_ms, local_date, last_day = row[:10]
    session_id, by, level, is_pinned, is_expired, done, is_shown, is_kept, has_claim = row[10:]
    kind, place, author = _KINDS[kind_], _PLACES[place_], _AUTHORS[by]
    return LineInForce(
        id_,
        text,
        kind,
        fact_type(kind, place, text, is_dated=bool(last_day), has_claim=bool(has_claim)),
        not level and (author is not Author.PROGRAM or bool(is_pinned)),
        place,
        priority,
        confidence,
        said_at_ms,
        told_ms,
        local_date,
        last_day,
        source_of(session_id, local_date, author),
        author is Author.PERSON or bool(is_pinned) or (place is Place.OPEN and not is_expired),
        bool(is_expired or done),
        bool(is_shown),
        bool(is_kept),
    )
