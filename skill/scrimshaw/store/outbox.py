"""What the dated files still owe: every accepted observation, and every mark on one (rule 18).

What the `.mv2` archives owe is every event after the last that they hold: store/frames.

Rows are written in the transaction that made the thing true, and done only after the archive has it on
disk; in between a crash leaves the row, and the archives' acts can be repeated without harm.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from scrimshaw.core.ledger.lifecycle import standing_in_words
from scrimshaw.core.types import Act, Closed, Event, EventType, Observation, OutboxItem
from scrimshaw.store import lines
from scrimshaw.store.database import Database, parts

# A merged line gets no mark: it was said that day and still holds, only the section says it once.
_ACTS = {
    EventType.OBSERVED: Act.APPEND,
    EventType.SUPERSEDED: Act.MARK_SUPERSEDED,
    EventType.EDITED: Act.MARK_SUPERSEDED,
    EventType.WITHDRAWN: Act.MARK_WITHDRAWN,
    EventType.DELETED: Act.MARK_REMOVED,
    EventType.UNDONE: Act.MARK_REMOVED,
    EventType.RESTORED: Act.RESTORE,
}
_ACTS_OF_CLOSED = {
    Closed.SUPERSEDED: Act.MARK_SUPERSEDED,
    Closed.EDITED: Act.MARK_SUPERSEDED,
    Closed.WITHDRAWN: Act.MARK_WITHDRAWN,
    Closed.DELETED: Act.MARK_REMOVED,
    Closed.UNDONE: Act.MARK_REMOVED,
}


class Cause(NamedTuple):
    """An event, the observation it happened to, and the line that took its place, if one did."""

    event: Event
    observation: Observation
    other: Observation | None


def owe(db: Database, causes: Iterable[Cause]) -> None:
    """Note what the archives owe because of *causes*, in their order; inside a transaction."""
    db.write_many(
        "insert into outbox (target, act, observation_id, marked_on) values (?, ?, ?, ?)",
        [
            ("dated", act.value, cause.observation.id, _marked_on(act, cause))
            for cause in causes
            if (act := _act(cause.event))
        ],
    )


def _act(event: Event) -> Act | None:
    if event.type is not EventType.SET_BACK:
        return _ACTS.get(event.type)
    standing = standing_in_words(event.reason)
    return _ACTS_OF_CLOSED.get(standing.closed, Act.RESTORE) if standing and standing.closed else Act.RESTORE


def pending(db: Database, target: str, limit: int = 10_000) -> list[OutboxItem]:
    """Return the oldest *limit* things owed to *target*, in the order they became due."""
    rows = db.rows(
        "select number, act, observation_id, marked_on from outbox "
        "where target = ? and done_at_ms is null order by number limit ?",
        (target, limit),
    )
    found = lines.by_id(db, {row[2] for row in rows})
    return [OutboxItem(row[0], Act(row[1]), found[row[2]].observation, row[3]) for row in rows]


def mark_done(db: Database, numbers: Collection[int], at_ms: int) -> None:
    """Note that the archive holds these on disk."""
    with db.transaction():
        for marks, part in parts(sorted(numbers)):
            sql = f"update outbox set done_at_ms = ? where done_at_ms is null and number in ({marks})"
            db.write(sql, (at_ms, *part))


def _marked_on(act: Act, cause: Cause) -> str:
    """Return the day a mark names: when the new word was said, else when the event happened."""
    if act is Act.APPEND:
        return ""
    if cause.other:
        return cause.other.local_date
    at = datetime.fromtimestamp(cause.event.at_ms / 1000, UTC)
    try:
        return at.astimezone(ZoneInfo(cause.observation.zone)).date().isoformat()
    except (ZoneInfoNotFoundError, ValueError):
        return at.date().isoformat()
