"""Ledgers made for tests: lines and histories as a year of use leaves them."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from scrimshaw.core.ledger.lifecycle import spell
from scrimshaw.core.ledger.merge_ledgers import Parcel
from scrimshaw.core.ledger.observations import observation_id
from scrimshaw.core.types import (
    Author,
    Claim,
    Closed,
    DateRef,
    Event,
    EventType,
    Kind,
    Observation,
    Place,
    Role,
    Standing,
)
from scrimshaw.store.ledger import Ledger
from scrimshaw.store.records import Batch

START = datetime(2026, 1, 5, 8, 0, tzinfo=UTC)
_WORDS = re.findall(
    r"\w+",
    "billing staging deploy migration invoice Dana figures quarter Postgres index rollback coffee standup "
    "release token bucket Marseille contract review backup restore laptop budget forecast ticket",
)


def line(number: int, text: str = "", **parts: object) -> Observation:
    """Return a line as the rules make it; the same number is the same line."""
    words = text or f"statement number {number}"
    session_id = str(parts.get("session_id", "s1"))
    sources = (f"e{number}",)
    said_at = START + timedelta(minutes=number)
    made = Observation(
        id=observation_id(session_id, sources, words),
        text=words,
        kind=Kind.FACT,
        priority=3,
        place=Place.LOG,
        done=False,
        author=Author.RULES,
        session_id=session_id,
        sources=sources,
        speaker=Role.USER,
        said_at_ms=int(said_at.timestamp() * 1000),
        local_date=f"{said_at:%Y-%m-%d}",
        local_time=f"{said_at:%H:%M}",
        zone="UTC",
        tokens=4,
        run_id="r1",
    )
    return replace(made, **parts)  # type: ignore[arg-type]


def event(type_: EventType, of: Observation, minutes: int = 0, **parts: str) -> Event:
    """Return an event of a line, some minutes after START."""
    at_ms = int((START + timedelta(minutes=minutes)).timestamp() * 1000)
    by, other_id, reason = (parts.get(name, "") for name in ("by", "other_id", "reason"))
    return Event(type_, of.id, at_ms, by or "r1", other_id, reason)


def born(*lines: Observation) -> tuple[Event, ...]:
    """Return the events of their birth."""
    return tuple(Event(EventType.OBSERVED, one.id, one.said_at_ms, "r1") for one in lines)


def parcel(*lines: Observation, then: tuple[Event, ...] = ()) -> Parcel:
    """Return what an archive of *lines* holds."""
    return Parcel(lines, (*born(*lines), *then))


def fill(ledger: Ledger, count: int, *, seed: int = 7) -> None:
    """Put *count* lines of every sort, and what happens to lines, into *ledger*."""
    chance = random.Random(seed)  # the same ledger each time
    lines: list[Observation] = []
    for first in range(0, count, 200):
        part = [_any_line(chance, number) for number in range(first, min(count, first + 200))]
        told = [event for one in part for event in _history(chance, one, lines)]
        lines += part
        at_ms = part[-1].said_at_ms
        ledger.accept(Batch(f"r{first}", at_ms, tuple(part), tuple(told)))
    ledger.append([Event(EventType.DISABLED, "", 1, "person"), Event(EventType.ENABLED, "", 2, "person")])


def _any_line(chance: random.Random, number: int) -> Observation:
    text = f"{' '.join(chance.choices(_WORDS, k=chance.randint(8, 22)))} {number} — «é🔴»"
    made = line(number, text)
    day = date.fromisoformat(made.local_date)
    author = chance.choice(list(Author))
    return replace(
        made,
        kind=chance.choice(list(Kind)),
        priority=chance.randint(1, 5),
        place=chance.choice(list(Place)),
        done=chance.random() < 0.1,
        author=author,
        text=f"{text}\n- and more of it" if author is Author.PERSON and number % 7 == 0 else text,
        sources=tuple(f"e{number}-{at}" for at in range(chance.randint(1, 5))),
        speaker=chance.choice(list(Role)),
        local_time=made.local_time if chance.random() < 0.9 else "",
        zone=chance.choice(["UTC", "Europe/Paris", "America/New_York"]),
        refers_to=DateRef(day, day + timedelta(days=1), "09:30", "tomorrow", certain=False)
        if chance.random() < 0.3
        else None,
        claim=Claim(chance.choice(_WORDS), "version", str(number)) if chance.random() < 0.3 else None,
        confidence=chance.random(),
        salience=chance.random(),
        level=1 if number % 50 == 49 else 0,
        supports=(made.id,) if number % 50 == 49 else (),
        pattern="weekly" if number % 50 == 49 else "",
    )


def _history(chance: random.Random, one: Observation, earlier: list[Observation]) -> list[Event]:
    at = one.said_at_ms + 5
    found = [Event(EventType.REINFORCED, one.id, at, "r1")] * (2 if chance.random() < 0.1 else 0)
    if earlier and chance.random() < 0.35:
        other = chance.choice(earlier)
        type_ = chance.choice(list(EventType))
        if type_ not in (
            EventType.OBSERVED,
            EventType.DISABLED,
            EventType.ENABLED,
            EventType.UNDID,
            EventType.FORGOTTEN,
        ):
            by = "person" if type_ in (EventType.DELETED, EventType.PINNED) else "r2"
            reason = "because of what was said"
            if type_ is EventType.SET_BACK:
                reason = spell(Standing(place=other.place, closed=Closed.SUPERSEDED, closed_by=one.id))
            found.append(Event(type_, other.id, at, by, one.id, reason))
    return found
