"""Forgetting in the ledger: the one act that takes something back (rule 21).

Three steps, each a transaction that may be repeated, with a note in between that says how far it came:
*begin* closes the lines, raises their stones and takes their words out of revisions, events and the review
list; what the lines say stays until the files are clean, because it is what is looked for in them. *blank*
takes it out of the observations themselves. *reclaim* writes the file anew, so that no free page and no
write-ahead log holds it. Ids of entries and conversations stay, and keyed hashes: what was forgotten is to be
known again when it comes back.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Any, NamedTuple

from scrimshaw.core.ledger.forget import FORGOTTEN, Traces, without_ids
from scrimshaw.core.ledger.lifecycle import standing_in_words
from scrimshaw.core.types import Closed, Event, EventType, Observation
from scrimshaw.store import events, lines, tombstones, working
from scrimshaw.store.database import Database, parts

_NOTE = "forgetting"  # the ledger's note of how far it came; absent when nothing is under way
_REVISIONS_AT_ONCE = 200
_RECLAIM_SECONDS = 15.0
# What the fold writes: our headings and days, and lines that have a row each and open nothing.
_PLAIN_ROW = re.compile(r"(?:- (?![`~#<]).*|### (?:Standing|Open|Log)|\d{4}-\d\d-\d\d|Notes from past .*|)$")
_PAUSE_SECONDS = 0.1


class Stage(StrEnum):
    """What is still to be done."""

    FILES = "files"  # the lines are closed; files may hold their words, and the observations do
    SPACE = "space"  # the ledger's rows are blank; archives, index and free pages may not be


class ForgetSelection(NamedTuple):
    """What is to be forgotten."""

    ids: frozenset[str]
    traces: Traces  # of their texts
    sessions: tuple[str, ...] = ()  # conversations of which nothing may come back
    before_ms: int | None = None  # nothing that was said before may come back


class Forgetting:
    """The door of `Ledger.forgetting`."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def stage(self) -> Stage | None:
        """Return what an unfinished forgetting still has to do, None when there is none."""
        row = self._db.row("select value from meta where key = ?", (_NOTE,))
        return Stage(row[0]) if row else None

    def unblanked(self) -> list[Observation]:
        """Return what is forgotten and still readable: between the first two steps."""
        rows = self._db.rows(
            "select s.observation_id from standing s join observation o on o.id = s.observation_id "
            "where s.closed = ? and o.text <> ?",
            (Closed.FORGOTTEN.value, FORGOTTEN),
        )
        found = lines.by_id(self._db, [row[0] for row in rows])
        return [line.observation for line in found.values()]

    def numbers(self) -> list[int]:
        """Return the numbers of all that was ever forgotten: what an index must not hold."""
        rows = self._db.rows(
            "select o.number from observation o join standing s on s.observation_id = o.id "
            "where s.closed = ?",
            (Closed.FORGOTTEN.value,),
        )
        return [row[0] for row in rows]

    def begin(self, chosen: ForgetSelection, *, at_ms: int, by: str) -> None:
        """Close the lines and take their words out of all that is not needed to find them."""
        db = self._db
        with db.transaction(), _sheltered(db, at_ms):
            self._note(Stage.FILES)
            ids = sorted(chosen.ids)
            events.append(db, [Event(EventType.FORGOTTEN, id_, at_ms, by) for id_ in ids])
            for session_id in chosen.sessions:
                tombstones.raise_wide_stone(db, at_ms, session_id=session_id)
            if chosen.before_ms is not None:
                tombstones.raise_wide_stone(db, chosen.before_ms - 1)
            for marks, part in parts(ids):
                # The reason of one that sets a standing back is that standing, and no words.
                db.write(
                    "update event set reason = '' where reason <> '' and type <> ? "
                    f"and observation_id in ({marks})",
                    (EventType.SET_BACK.value, *part),
                )
                db.write(
                    "update tombstone set claim_subject = null, claim_predicate = null, claim_object = null "
                    f"where claim_subject is not null and observation_id in ({marks})",
                    part,
                )
                # What the dated files have not got yet, they never get.
                db.write(
                    "update outbox set done_at_ms = ? where done_at_ms is null and target = 'dated' "
                    f"and observation_id in ({marks})",
                    (at_ms, *part),
                )
            tombstones.drop_claims(db, (line.observation for line in lines.by_id(db, chosen.ids).values()))
            working.forget(db, chosen.ids, chosen.sessions, chosen.before_ms)
            _clear_words(db, chosen.traces)
            _clear_rejections(db, chosen)
            _clear_revisions(db, chosen)

    def blank(self, at_ms: int) -> int:
        """Take their words out of the observations; return how many that were."""
        db = self._db
        ids = [one.id for one in self.unblanked()]
        with db.transaction(), _sheltered(db, at_ms):
            for marks, part in parts(ids):
                db.write(
                    "update observation set text = ?, refers_start = null, refers_end = null, "
                    "refers_time = null, refers_phrase = null, refers_certain = null, claim_subject = null, "
                    "claim_predicate = null, claim_object = null, pattern = '', task_state = '', tokens = 0 "
                    f"where id in ({marks})",
                    (FORGOTTEN, *part),
                )
            self._note(Stage.SPACE)
        return len(ids)

    def reclaim(self, seconds: float = _RECLAIM_SECONDS) -> bool:
        """Write the file anew and empty its log; False while somebody reads an older state of it."""
        db = self._db
        db.rows("vacuum")
        ends_at = time.monotonic() + seconds
        while True:
            # (busy, pages in the log, pages folded back): an emptied log has none.
            answer = db.row("pragma wal_checkpoint(truncate)")
            if answer is not None and not answer[0]:
                return True
            if time.monotonic() >= ends_at:
                return False
            time.sleep(_PAUSE_SECONDS)

    def finish(self) -> None:
        """Note that nothing is left to do."""
        with self._db.transaction():
            self._db.write("delete from meta where key = ?", (_NOTE,))

    def _note(self, stage: Stage) -> None:
        self._db.write("insert or replace into meta (key, value) values (?, ?)", (_NOTE, stage.value))


@contextmanager
def _sheltered(db: Database, at_ms: int) -> Iterator[None]:
    """Let text be blanked: the triggers that keep the ledger append-only look for this row."""
    db.write("insert into forgetting (since_ms) values (?)", (at_ms,))
    yield
    db.write("delete from forgetting")


_NOTES = (("event", "reason"), ("run", "error"), ("request", "detail"), ("request", "outcome"))
_KEPT_META = frozenset({"hash-key", _NOTE})  # a note of ours that is gone is made anew; these are not


def _clear_words(db: Database, traces: Traces) -> None:
    """Take the words out of what may quote them."""
    for table, column in _NOTES:
        found = db.rows(f"select distinct {column} from {table} where {column} <> ''")
        # A standing spelled out is not a word of anybody's, whatever it reads like.
        gone = [
            (FORGOTTEN, text) for (text,) in found if traces.are_in(text) and standing_in_words(text) is None
        ]
        db.write_many(f"update {table} set {column} = ? where {column} = ?", gone)
    # A note of ours has a form of its own: away with it whole, or nobody could read it again.
    notes = [(key,) for key, value in db.rows("select key, value from meta") if traces.are_in(value)]
    db.write_many("delete from meta where key = ?", [one for one in notes if one[0] not in _KEPT_META])


def _clear_rejections(db: Database, chosen: ForgetSelection) -> None:
    """Take off the review list what says the same, or comes from the same entries or conversations.

    Whole rows: a row's key is a hash of its words without the ledger's key.
    """
    sources = {
        (line.observation.session_id, entry_id)
        for line in lines.by_id(db, chosen.ids).values()
        for entry_id in line.observation.sources
    }
    gone = []
    for number, session_id, said_at_ms, written, detail in db.rows(
        "select number, session_id, said_at_ms, proposal, detail from rejection"
    ):
        proposal: dict[str, Any] = json.loads(written)
        is_of_forgotten = (
            session_id in chosen.sessions
            or (chosen.before_ms is not None and said_at_ms < chosen.before_ms)
            or any((session_id, entry_id) in sources for entry_id in proposal["sources"])
        )
        if is_of_forgotten or chosen.traces.are_in(proposal["text"]) or chosen.traces.are_in(detail):
            gone.append((number,))
    db.write_many("delete from rejection where number = ?", gone)


def _clear_revisions(db: Database, chosen: ForgetSelection) -> None:
    """Show the lines as `[forgotten]` in every section that was ever written."""
    newest = db.number("select max(number) from revision")
    rows = _Rows(chosen.traces)
    for start in range(0, newest + 1, _REVISIONS_AT_ONCE):
        changed = []
        for number, body, ids in db.rows(
            "select number, body, line_ids from revision where number > ? and number <= ?",
            (start, start + _REVISIONS_AT_ONCE),
        ):
            line_ids = json.loads(ids)
            named = sum(id_ in chosen.ids for id_ in line_ids)
            blank = rows.without(body, named)
            if blank is None:
                blank = without_ids(body, line_ids, chosen.ids, chosen.traces)
            if blank != body:
                changed.append((blank, number))
        # The hash of a whole file that held the words would let a guess be tested.
        db.write_many("update revision set body = ?, sha256 = '' where number = ?", changed)


class _Rows:
    """The rows of section bodies, looked at once each: revisions share nearly all of theirs."""

    def __init__(self, traces: Traces) -> None:
        self._traces = traces
        self._holds: dict[str, bool] = {}

    def without(self, body: str, named: int) -> str | None:
        """Return *body* without the rows that hold traces; None where only a parser could say what goes.

        *named* is how many of its lines are to go: when each is a row of its own, no other row is touched.
        """
        rows = body.split("\n")
        for row in rows:
            if row not in self._holds:
                self._holds[row] = self._traces.are_in(row)
        held = [at for at, row in enumerate(rows) if self._holds[row]]
        if not held and not named:
            return body
        if len(held) != named or not all(_PLAIN_ROW.match(row) for row in rows):
            return None
        for at in held:
            rows[at] = f"- {FORGOTTEN}"
        return "\n".join(rows)
