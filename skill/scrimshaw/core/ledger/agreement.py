"""What a set of events comes to, whoever has them and in whatever order they came: pure.

Ledgers of one agent on several machines have the same events in different orders. Each event is *placed* by
the ledger that it happened in: its era counts the person's acts on the line that this ledger knew of by then,
its rank is its time, never earlier than that of what was known of the line before. Sorted so, what knows of
another comes after it whatever the clocks say; of what happened side by side a person's act counts after a
run's, then the later one. What each ledger does by itself (merge_ledgers.HOUSEKEEPING) decides nothing. No
two lines close each other: the event that would close the circle counts for nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import NamedTuple

from scrimshaw.core.ledger.lifecycle import at_birth, spell, standing_after, standing_in_words
from scrimshaw.core.ledger.merge_ledgers import HOUSEKEEPING, REPLACING
from scrimshaw.core.types import Author, Closed, Event, EventType, Observation, Standing

BY_FLEET = "fleet"  # who lets a ledger agree: its events are of that ledger alone, and never sent
_OWN = (Closed.DELETED, Closed.UNDONE, Closed.FORGOTTEN)


class PlacedEvent(NamedTuple):
    """An event with its place among those of its line; equal events of one line are told by *occurrence*."""

    event: Event
    key: bytes
    occurrence: int
    era: int
    rank: int
    ledger: str
    seq: int

    @property
    def order(self) -> tuple[object, ...]:
        """What sorts it."""
        is_persons = self.event.by == Author.PERSON
        return (self.era, not is_persons, self.rank, self.ledger, self.seq, self.key, self.occurrence)


def key_of(event: Event) -> bytes:
    """Return what tells *event* from others: all but its words, which may be forgotten later."""
    reason = event.reason if event.type is EventType.SET_BACK else ""
    told = (event.type.value, event.observation_id, str(event.at_ms), event.by, event.other_id, reason)
    return blake2b("\x1f".join(told).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def is_sent(event: Event) -> bool:
    """Whether *event* is of a line, and is not what made this ledger agree."""
    return bool(event.observation_id) and event.by != BY_FLEET


def counts_here(event: Event) -> bool:
    """Whether *event* of a line that is here already is taken over."""
    return event.type not in HOUSEKEEPING or event.by == Author.PERSON


def may_close(event: Event) -> bool:
    """Whether *event* may close its line by another."""
    if event.type is EventType.SET_BACK:
        return standing_in_words(event.reason) is not None
    return event.type in REPLACING


def place(events: Iterable[tuple[int, Event]], ledger: str) -> list[PlacedEvent]:
    """Return the *events* (number, event), oldest first and from each line's birth on, with their places."""
    eras: Counter[str] = Counter()
    ranks: dict[str, int] = {}
    seen: Counter[bytes] = Counter()
    found = []
    for seq, event in events:
        if not is_sent(event):
            continue
        id_, key = event.observation_id, key_of(event)
        eras[id_] += event.by == Author.PERSON
        ranks[id_] = max(event.at_ms, ranks.get(id_, event.at_ms))
        found.append(PlacedEvent(event, key, seen[key], eras[id_], ranks[id_], ledger, seq))
        seen[key] += 1
    return found


def agreed(births: Mapping[str, Standing], events: Iterable[PlacedEvent]) -> dict[str, Standing]:
    """Return the standing of each of *births*, by id, after all *events* of these lines."""
    standings = dict(births)
    for placed in sorted(events, key=lambda one: one.order):
        event, id_ = placed.event, placed.event.observation_id
        if id_ not in standings or not counts_here(event):
            continue
        next_ = standing_after(standings[id_], event)
        # One that names itself closes no other: its own ledger takes it, and nobody else has to differ.
        closer = next_.closed_by if next_.closed_by != id_ else ""
        if may_close(event) and closer and _leads_to(standings, closer, id_):
            continue
        standings[id_] = next_
    return standings


def birth(observation: Observation) -> Standing:
    """Return the standing that a line begins with."""
    return at_birth(observation)


def essence(standing: Standing) -> Standing:
    """Return what of *standing* all machines agree on: not what each shows, nor what aged there."""
    closed = None if standing.closed is Closed.DROPPED else standing.closed
    return replace(
        standing,
        closed=closed,
        closed_by=standing.closed_by if closed else "",
        closed_at_ms=standing.closed_at_ms if closed else 0,
        is_shown=True,
        is_expired=False,
    )


def standing_here(observation: Observation, events: Sequence[Event]) -> Standing:
    """Return what a ledger's *events* (oldest first) come to, without what it does by itself."""
    standing = at_birth(observation)
    for event in events:
        if counts_here(event):
            standing = standing_after(standing, event)
    return essence(standing)


def settlement(id_: str, actual: Standing, wanted: Standing, at_ms: int) -> Event:
    """Return the event that gives a line of this ledger the standing that all agree on."""
    kept = replace(essence(wanted), is_shown=actual.is_shown and not wanted.is_set_aside)
    return Event(EventType.SET_BACK, id_, at_ms, BY_FLEET, reason=spell(kept))


def digest(lines: Mapping[str, tuple[str, Standing]]) -> str:
    """Return a hash of *lines* (each one's record and standing, by id) that a person has not taken out."""
    told = blake2b(digest_size=16)
    for id_, (record, standing) in sorted(lines.items()):
        if standing.closed not in _OWN:
            told.update(
                f"{id_}\x1e{record}\x1e{spell(essence(standing))}\x1d".encode("utf-8", "surrogatepass")
            )
    return told.hexdigest()


def _leads_to(standings: Mapping[str, Standing], start: str, end: str) -> bool:
    seen: set[str] = set()
    next_ = start
    while next_ and next_ not in seen:
        if next_ == end:
            return True
        seen.add(next_)
        standing = standings.get(next_)
        next_ = standing.closed_by if standing and standing.closed else ""
    return False
