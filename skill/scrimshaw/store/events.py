"""Appending events and reading them back.

An event is the only way a standing changes. What follows from one (the standing, a tombstone, what the
archives owe) is written in the same transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from scrimshaw.core import lifecycle
from scrimshaw.core.model import Event, EventType, Line, Observation, Standing
from scrimshaw.store import lines, outbox, tombstones
from scrimshaw.store.database import Database, Row
from scrimshaw.store.records import StoredEvent

_COLUMNS = "type, observation_id, at_ms, by, other_id, reason"
_TAKEN_OUT_BY_HAND = {EventType.DELETED, EventType.EDITED}


def append(db: Database, events: Sequence[Event], *, born: Sequence[Observation] = ()) -> None:
    """Append *events*, oldest first, with all that follows from them; inside a transaction.

    *born* were inserted in this transaction and have no event yet: they need not be read back.
    """
    db.write_many(
        f"insert into event ({_COLUMNS}) values (?, ?, ?, ?, ?, ?)",
        [(e.type.value, e.observation_id or None, e.at_ms, e.by, e.other_id, e.reason) for e in events],
    )
    of_lines = [event for event in events if event.observation_id]
    found = {o.id: Line(o, lifecycle.at_birth(o)) for o in born}
    touched = {e.observation_id for e in of_lines} | {e.other_id for e in of_lines if e.other_id}
    found.update(lines.by_id(db, touched - found.keys()))
    standings = {key: line.standing for key, line in found.items()}
    for event in of_lines:
        observation = found[event.observation_id].observation
        standings[observation.id] = lifecycle.after(standings[observation.id], event)
        if event.type in _TAKEN_OUT_BY_HAND:
            # What this batch has merged counts, too.
            lines.write_standings(db, _changed(standings, found))
            # Written is written: a later event of this batch may lead back to what stood before it.
            found = {key: line._replace(standing=standings[key]) for key, line in found.items()}
            for united in (observation, *lines.merged_into(db, observation.id)):
                tombstones.raise_stone(db, united, event.at_ms, over=observation.id)
        if event.type is EventType.RESTORED:
            tombstones.lift_stones(db, observation.id, event.at_ms)
    others = {key: line.observation for key, line in found.items()}
    outbox.owe(db, (outbox.Cause(e, others[e.observation_id], others.get(e.other_id)) for e in of_lines))
    lines.write_standings(db, _changed(standings, found))


def _changed(standings: dict[str, Standing], found: dict[str, Line]) -> dict[str, Standing]:
    return {key: standing for key, standing in standings.items() if standing != found[key].standing}


def since(db: Database, seq: int) -> list[StoredEvent]:
    """Return the events after *seq*, oldest first."""
    return _read(db.rows(f"select seq, {_COLUMNS} from event where seq > ? order by seq", (seq,)))


def of(db: Database, observation_id: str) -> list[StoredEvent]:
    """Return what happened to one observation, oldest first."""
    return _read(
        db.rows(f"select seq, {_COLUMNS} from event where observation_id = ? order by seq", (observation_id,))
    )


def is_section_enabled(db: Database) -> bool:
    """Whether the person wants a section: no DISABLED event stands (rule 9)."""
    found = db.row(
        "select type from event where observation_id is null and type in (?, ?) order by seq desc limit 1",
        (EventType.DISABLED.value, EventType.ENABLED.value),
    )
    return found is None or found[0] == EventType.ENABLED


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


def _read(rows: list[Row]) -> list[StoredEvent]:
    return [StoredEvent(row[0], lines.read_event(row[1:])) for row in rows]
