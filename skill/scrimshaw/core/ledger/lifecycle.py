"""What becomes of an observation: its standing as the replay of its events, now or at an earlier time.

One pure step, `standing_after`, is used by the store when it appends an event and by everything that replays
history (as-of, undo, rebuild); a property test holds the two against each other.

`lines_known_at` goes by when a thing was said, not by when it was noted: a ledger that is begun today, or was
imported, knows what last week's conversations knew last week. That a line was replaced, done, withdrawn or
merged counts from when the line that did it was said; a rewording by hand counts from when it was written;
whatever else happened (taken out, undone, pinned) happened when it was done.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from datetime import UTC, date, datetime

from scrimshaw.core.types import Author, Closed, Event, EventType, Line, Observation, Place, Standing

_CLOSING = {
    EventType.SUPERSEDED: Closed.SUPERSEDED,
    EventType.WITHDRAWN: Closed.WITHDRAWN,
    EventType.COMPLETED: Closed.COMPLETED,
    EventType.MERGED: Closed.MERGED,
    EventType.DELETED: Closed.DELETED,
    EventType.EDITED: Closed.EDITED,
    EventType.DROPPED: Closed.DROPPED,
    EventType.UNDONE: Closed.UNDONE,
    EventType.FORGOTTEN: Closed.FORGOTTEN,
}
_TAKEN_OUT = (Closed.DELETED, Closed.UNDONE)
_DAY_CHARS = len("2026-11-20")
CONFIRMED_ADDS = 0.3  # to a line's confidence, at most up to 1
LATEST_MS = 253_370_764_800_000  # the year 9999: an event of another ledger may be of any time


def age_of(line: Line) -> tuple[int, str]:
    """Return what sorts lines by when they were said; the id decides of those said at once."""
    return line.observation.said_at_ms, line.observation.id


def confidence_of(line: Line) -> float:
    """Return how sure *line* is, 0 to 1: as it was noted, and surer for each time the person confirmed it."""
    observation, standing = line
    return min(1.0, observation.confidence + CONFIRMED_ADDS * standing.confirmed)


def at_birth(observation: Observation) -> Standing:
    """Return the standing of an observation that nothing has happened to yet."""
    if observation.author is Author.PROGRAM:  # nobody has checked it: out of the section until it is pinned
        return Standing(place=observation.place, is_shown=False, is_set_aside=True)
    return Standing(place=observation.place)


def standing_after(standing: Standing, event: Event) -> Standing:
    """Return *standing* as *event* leaves it. Events that say nothing about it change nothing."""
    if event.type in _CLOSING:
        # What a person took out outlives whatever a run thinks later; forgotten is final (rules 8, 20, 21).
        if standing.closed is Closed.FORGOTTEN:
            return standing
        if standing.closed in _TAKEN_OUT and event.type is not EventType.FORGOTTEN:
            return standing
        return replace(
            standing, closed=_CLOSING[event.type], closed_by=event.other_id, closed_at_ms=event.at_ms
        )
    match event.type:
        case EventType.RESTORED:
            if standing.closed is Closed.FORGOTTEN:
                return standing
            return replace(
                standing, closed=None, closed_by="", closed_at_ms=0, is_shown=True, is_set_aside=False
            )
        case EventType.SET_BACK:
            earlier = standing_in_words(event.reason)
            return standing if earlier is None or standing.closed is Closed.FORGOTTEN else earlier
        case EventType.EXPIRED:
            return replace(standing, is_expired=True, place=Place.LOG)
        case EventType.TAKEN_BACK:
            return _taken_back(standing)
        case EventType.TRIMMED:
            by_hand = standing.is_set_aside or event.by == Author.PERSON
            return replace(standing, is_shown=False, is_set_aside=by_hand)
        case EventType.SHOWN:
            return replace(standing, is_shown=True, is_set_aside=False)
        case EventType.PROMOTED:
            return replace(standing, place=Place.STANDING)
        case EventType.PINNED:
            return _renewed(replace(standing, is_pinned=True, is_shown=True, is_set_aside=False), event)
        case EventType.UNPINNED:
            return replace(standing, is_pinned=False)
        case EventType.REINFORCED:
            confirmed = standing.confirmed + (event.by == Author.PERSON)
            said = replace(standing, reinforced=standing.reinforced + 1, confirmed=confirmed)
            return _renewed(said, event)
        case EventType.RECALLED:
            return _renewed(replace(standing, recalled=standing.recalled + 1), event)
        case EventType.SOURCE_GONE:
            return replace(standing, is_source_gone=True)
        case _:
            return standing


def said_again(observation_id: str, said_at_ms: int, *, at_ms: int, by: str) -> Event:
    """Return that a line was said again at *said_at_ms*, of which a run took note at *at_ms*.

    A backlog is read long after it was said, and only saying makes a line young: the day is the reason.
    """
    return Event(EventType.REINFORCED, observation_id, at_ms, by, "", told_on(said_at_ms))


def told_on(said_at_ms: int) -> str:
    """Return the reason of a REINFORCED event that stands for words said at *said_at_ms*."""
    return day_at(said_at_ms).isoformat()


def day_at(at_ms: int) -> date:
    """Return the day, in UTC, by which the section tells what has passed (core/section/rank)."""
    return datetime.fromtimestamp(min(at_ms, LATEST_MS) / 1000, UTC).date()


def _renewed(standing: Standing, event: Event) -> Standing:
    return replace(standing, renewed_at_ms=max(standing.renewed_at_ms, _told_at_ms(event)))


def _told_at_ms(event: Event) -> int:
    """Return when what *event* notes was said; without a day (as up to 0.6) when it was noted."""
    try:
        day = datetime.fromisoformat(event.reason) if len(event.reason) == _DAY_CHARS else None
    except ValueError:
        day = None
    if event.type is not EventType.REINFORCED or day is None:
        return event.at_ms
    return int(day.replace(tzinfo=UTC).timestamp() * 1000)


def _taken_back(standing: Standing) -> Standing:
    """Return *standing* as if neither expiry nor retention had touched it; only open lines ever expire."""
    if standing.is_expired:
        standing = replace(standing, is_expired=False, place=Place.OPEN)
    if standing.closed is Closed.DROPPED:
        standing = replace(standing, closed=None, closed_by="", closed_at_ms=0)
    return standing


def replay(observation: Observation, events: Iterable[Event]) -> Standing:
    """Return the standing of *observation* after *events*, oldest first."""
    standing = at_birth(observation)
    for event in events:
        standing = standing_after(standing, event)
    return standing


def spell(standing: Standing) -> str:
    """Return *standing* in the words of a SET_BACK event: what differs from a line nothing happened to."""
    plain = Standing(place=standing.place)
    told = {field.name: getattr(standing, field.name) for field in fields(standing)}
    return json.dumps({k: v for k, v in told.items() if k == "place" or v != getattr(plain, k)})


def standing_in_words(words: str) -> Standing | None:
    """Return the standing that *words* spell out; None for words not by `spell`: blanked, foreign."""
    try:
        told = json.loads(words)
        closed = Closed(told.pop("closed")) if "closed" in told else None
        standing = Standing(place=Place(told.pop("place")), closed=closed)
        plain = {field.name: getattr(standing, field.name) for field in fields(standing)}
        is_right = all(type(value) is type(plain.get(name)) for name, value in told.items())
        return replace(standing, **told) if is_right else None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


_BY_WORD = frozenset({EventType.SUPERSEDED, EventType.WITHDRAWN, EventType.COMPLETED, EventType.MERGED})


def lines_known_at(lines: Mapping[str, Line], events: Iterable[Event], at_ms: int) -> list[Line]:
    """Return those of *lines* that were known at *at_ms*, each as it stood then; none that was forgotten.

    *events* are all that ever happened to them, in the order of the ledger.
    """
    told = [event for event in events if event.observation_id in lines]
    born = _births(lines, told)
    happened: dict[str, list[Event]] = {}
    for event in told:
        at = born[event.observation_id] if event.type is EventType.OBSERVED else event.at_ms
        if event.type in _BY_WORD:
            at = min(at, born.get(event.other_id, at))
        if at <= at_ms:
            happened.setdefault(event.observation_id, []).append(event)
    return [
        Line(line.observation, replay(line.observation, happened[id_]))
        for id_, line in lines.items()
        if id_ in happened and born[id_] <= at_ms and line.standing.closed is not Closed.FORGOTTEN
    ]


def _births(lines: Mapping[str, Line], events: Iterable[Event]) -> dict[str, int]:
    """Return from when on each line was known."""
    born: dict[str, int] = {}
    reworded: dict[str, int] = {}
    for event in events:
        if event.type is EventType.EDITED:
            reworded.setdefault(event.other_id, event.at_ms)
        elif event.type is EventType.OBSERVED:
            # Ignore a clock that was ahead: a line is known no later than it was noted.
            born.setdefault(event.observation_id, event.at_ms)
    return {id_: _birth(line.observation, born.get(id_), reworded.get(id_)) for id_, line in lines.items()}


def _birth(observation: Observation, noted_ms: int | None, reworded_ms: int | None) -> int:
    if noted_ms is None:
        return observation.said_at_ms
    if reworded_ms is not None and reworded_ms <= noted_ms:
        return noted_ms
    return min(observation.said_at_ms, noted_ms)
