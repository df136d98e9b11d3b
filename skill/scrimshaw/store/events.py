"""Appending events and reading them back.

An event is the only way a standing changes. What follows from one (the standing, a tombstone, what the
archives owe) is written in the same transaction.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from scrimshaw.core.ledger import lifecycle
from scrimshaw.core.types import Closed, Event, EventType, Line, Observation, Standing
from scrimshaw.store import lines, outbox, tombstones
from scrimshaw.store.database import Database, Value, parts
from scrimshaw.store.records import StoredEvent

_COLUMNS = "type, observation_id, at_ms, by, other_id, reason"
_OUT = (Closed.DELETED, Closed.EDITED, Closed.UNDONE)
_TAKEN_OUT_BY_HAND = {EventType.DELETED, EventType.EDITED}

FIRST_UNDONE = "the first write was undone"  # why no section is wanted; else a hand took it out


def append(
    db: Database,
    events: Sequence[Event],
    *,
    born: Sequence[Observation] = (),
    words: Mapping[str, Observation] = {},  # only read
) -> None:
    """Append *events*, oldest first, with all that follows from them; inside a transaction.

    *born* were inserted in this transaction and have no event yet: they need not be read back. Of the lines
    in *words*, by id, only the standings are read.
    """
    db.write_many(
        f"insert into event ({_COLUMNS}) values (?, ?, ?, ?, ?, ?)",
        [(e.type.value, e.observation_id or None, e.at_ms, e.by, e.other_id, e.reason) for e in events],
    )
    of_lines = [event for event in events if event.observation_id]
    found = {o.id: Line(o, lifecycle.at_birth(o)) for o in born}
    touched = {e.observation_id for e in of_lines} | {e.other_id for e in of_lines if e.other_id}
    worded = lines.standings(db, touched & (words.keys() - found.keys()))
    found.update((id_, Line(words[id_], standing)) for id_, standing in worded.items())
    found.update(lines.by_id(db, touched - found.keys()))
    standings = {key: line.standing for key, line in found.items()}
    for event in of_lines:
        observation = found[event.observation_id].observation
        before = standings[observation.id]
        standings[observation.id] = lifecycle.standing_after(before, event)
        if event.type is EventType.UNDONE:
            # Of this line alone: what was merged into it comes back.
            tombstones.raise_stone(db, observation, event.at_ms, over=observation.id)
        elif event.type in _TAKEN_OUT_BY_HAND or _takes_out_again(event, before, standings[observation.id]):
            # What this batch has merged counts, too.
            lines.write_standings(db, _changed(standings, found))
            # Written is written: a later event of this batch may lead back to what stood before it.
            found = {key: line._replace(standing=standings[key]) for key, line in found.items()}
            for united in (observation, *lines.merged_into(db, observation.id)):
                tombstones.raise_stone(db, united, event.at_ms, over=observation.id)
        if event.type is EventType.FORGOTTEN:
            # Its entries and a keyed hash; a claim would be words (rule 21). What was merged into it is
            # forgotten by events of its own.
            tombstones.raise_stone(db, replace(observation, claim=None), event.at_ms, over=observation.id)
        if event.type is EventType.RESTORED or _brings_back(event, before, standings[observation.id]):
            tombstones.lift_stones(db, observation.id, event.at_ms)
    others = {key: line.observation for key, line in found.items()}
    outbox.owe(db, (outbox.Cause(e, others[e.observation_id], others.get(e.other_id)) for e in of_lines))
    lines.write_standings(db, _changed(standings, found))


def _takes_out_again(event: Event, before: Standing, after: Standing) -> bool:
    """Tell whether a person's deletion counts again, because its undo was undone."""
    is_out = after.closed in (Closed.DELETED, Closed.EDITED)
    return event.type is EventType.SET_BACK and is_out and before.closed is not after.closed


def _brings_back(event: Event, before: Standing, after: Standing) -> bool:
    """Tell whether a line is no longer out by a person's act: it holds again, or a run's word closes it."""
    return event.type is EventType.SET_BACK and before.closed in _OUT and after.closed not in _OUT


def _changed(standings: dict[str, Standing], found: dict[str, Line]) -> dict[str, Standing]:
    return {key: standing for key, standing in standings.items() if standing != found[key].standing}


def since(db: Database, seq: int) -> list[StoredEvent]:
    """Return the events after *seq*, oldest first."""
    return _read(db, "seq > ? order by seq", (seq,))


def between(db: Database, after_seq: int, until_seq: int, limit: int) -> list[StoredEvent]:
    """Return the oldest *limit* events after one and until another."""
    return _read(db, "seq > ? and seq <= ? order by seq limit ?", (after_seq, until_seq, limit))


def of(db: Database, observation_id: str) -> list[StoredEvent]:
    """Return what happened to one observation, oldest first."""
    return _read(db, "observation_id = ? order by seq", (observation_id,))


def of_several(db: Database, ids: Collection[str]) -> list[StoredEvent]:
    """Return what happened to *ids*, oldest first."""
    found: list[StoredEvent] = []
    for marks, part in parts(sorted(ids)):
        found += _read(db, f"observation_id in ({marks})", part)
    return sorted(found)


def of_type(db: Database, type_: EventType) -> list[StoredEvent]:
    """Return every event of one type that is about a line, oldest first."""
    return _read(db, "observation_id is not null and type = ? order by seq", (type_.value,))


def of_section(db: Database, type_: EventType) -> list[StoredEvent]:
    """Return the events of the whole section of one type, oldest first."""
    return _read(db, "observation_id is null and type = ? order by seq", (type_.value,))


def is_older_forgotten_between(db: Database, after_seq: int, until_seq: int) -> bool:
    """Whether a line from before one event was forgotten after it and until another."""
    found = db.row(
        "select 1 from event f where f.seq > ?1 and f.seq <= ?2 and f.type = ?3 and exists (select 1 "
        "from event b where b.observation_id = f.observation_id and b.type = ?4 and b.seq <= ?1) limit 1",
        (after_seq, until_seq, EventType.FORGOTTEN.value, EventType.OBSERVED.value),
    )
    return found is not None


def is_section_enabled(db: Database, until_ms: int | None = None) -> bool:
    """Whether the person wants a section: no DISABLED event stands (rule 9). *until_ms*: at that time."""
    return not section_removed_by(db, until_ms)


def section_removed_by(db: Database, until_ms: int | None = None) -> str:
    """Return what took the section out: "hand" or "undo", "" while the person wants one."""
    found = db.row(
        "select type, reason from event where observation_id is null and type in (?1, ?2) "
        "and (?3 is null or at_ms <= ?3) order by seq desc limit 1",
        (EventType.DISABLED.value, EventType.ENABLED.value, until_ms),
    )
    if found is None or found[0] == EventType.ENABLED:
        return ""
    return "undo" if found[1] == FIRST_UNDONE else "hand"


def not_yet_there(db: Database, events: Iterable[Event]) -> list[Event]:
    """Return those of *events* that were not appended before, letter for letter."""
    return [
        e
        for e in events
        if not db.row(
            "select 1 from event where observation_id is ? and type = ? and at_ms = ? and by = ? "
            "and other_id = ? and reason = ?",
            (e.observation_id or None, e.type.value, e.at_ms, e.by, e.other_id, e.reason),
        )
    ]


def _read(db: Database, where: str, values: Sequence[Value]) -> list[StoredEvent]:
    rows = db.rows(f"select seq, {_COLUMNS} from event where {where}", values)
    return [StoredEvent(row[0], lines.read_event(row[1:])) for row in rows]
