"""Lines and events of another ledger, as they were written there: ids, times, authors and order are kept.

Unlike a batch (`Ledger.accept`), whose observations are born in this ledger at this moment, these bring the
event of their birth with them. Read, decided (core/ledger/merge_ledgers) and written in one transaction: all
of an archive is here, or nothing of it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from scrimshaw.core.ledger import merge_ledgers
from scrimshaw.core.ledger.merge_ledgers import Here, Joined, Parcel
from scrimshaw.core.types import Closed, Event, EventType, Line
from scrimshaw.store import events, lines, tombstones
from scrimshaw.store.database import Database

_TAKEN_OUT = (EventType.DELETED, EventType.EDITED, EventType.UNDONE)
_AT_ONCE = 200
# Whether any line was ever read back from a dated file (core/section/edits).
_READ_BACK = "select 1 from observation where author = 'rules' and session_id = '' and run_id = '' limit 1"


def join(
    db: Database,
    parcel: Parcel,
    *,
    at_ms: int,
    by: str,
    writes: bool = True,
    beside: Collection[str] = (),
) -> Joined:
    """Take over what *parcel* adds to this ledger; without *writes* only tell what that would be.

    That the lines *beside* were taken out bars none of its lines: whoever did it had both before them.
    """
    if not writes:
        return _joined(db, parcel, at_ms, by, beside)
    with db.transaction():
        found = _joined(db, parcel, at_ms, by, beside)
        before = db.version()
        lines.insert(db, found.observations)
        _append(db, found)
        # The dated files may have nothing of lines that come in blank.
        blank = [e.observation_id for e in found.events if e.type is EventType.FORGOTTEN]
        sql = "update outbox set done_at_ms = ? where observation_id = ? and done_at_ms is null"
        db.write_many(sql, [(at_ms, id_) for id_ in blank])
        _note_arrival(db, before, at_ms)
        return found


def add(db: Database, told: Sequence[Event], *, at_ms: int) -> None:
    """Append events that happened elsewhere to lines that are here."""
    with db.transaction():
        before = db.version()
        for start in range(0, len(told), _AT_ONCE):
            events.append(db, told[start : start + _AT_ONCE])
        _note_arrival(db, before, at_ms)


def _note_arrival(db: Database, before: int, at_ms: int) -> None:
    if (last := db.version()) > before:
        sql = "insert into arrival (first_seq, last_seq, at_ms) values (?, ?, ?)"
        db.write(sql, (before + 1, last, at_ms))


def _append(db: Database, found: Joined) -> None:
    """Append what happened in parts: a deletion looks at everything that was appended with it."""
    words = {line.id: line for line in found.observations}
    untouched = dict(words)
    for start in range(0, len(found.events), _AT_ONCE):
        part = found.events[start : start + _AT_ONCE]
        ids = dict.fromkeys(event.observation_id for event in part)
        events.append(db, part, born=[untouched.pop(id_) for id_ in ids if id_ in untouched], words=words)


def _joined(db: Database, parcel: Parcel, at_ms: int, by: str, beside: Collection[str]) -> Joined:
    spoken_of = {o.id for o in parcel.observations} | {e.observation_id for e in parcel.events}
    spoken_of |= {event.other_id for event in parcel.events if event.other_id}
    here = Here(found := _with_successors(db, spoken_of), _events_of(db, found))
    # A deletion that the parcel itself tells of bars none of its lines: they were side by side there.
    told = {event.observation_id for event in parcel.events if event.type in _TAKEN_OUT}
    told -= {id_ for id_, line in found.items() if line.standing.closed is Closed.FORGOTTEN}
    told |= set(beside)
    joined = merge_ledgers.merge_parcel(
        parcel, here, lambda line: tombstones.standing_over(db, line, but=told) is not None
    )
    read_back = lines.live(db) if joined.observations and db.row(_READ_BACK) else []
    copies = merge_ledgers.replaced_copies(read_back, joined.observations, at_ms, by)
    return replace(joined, events=(*joined.events, *copies))


def _with_successors(db: Database, ids: Collection[str]) -> dict[str, Line]:
    """Return the lines of *ids* that are here, with those that took their place, and theirs."""
    found: dict[str, Line] = {}
    wanted = set(ids)
    while wanted:
        fresh = lines.by_id(db, wanted)
        found |= fresh
        wanted = {one.standing.closed_by for one in fresh.values() if one.standing.closed_by} - found.keys()
    return found


def _events_of(db: Database, ids: Collection[str]) -> Mapping[str, list[Event]]:
    found: dict[str, list[Event]] = {id_: [] for id_ in ids}
    for stored in events.of_several(db, ids):
        found[stored.event.observation_id].append(stored.event)
    return found
