"""What comes of another ledger's lines in this one: pure, so that what is done twice is done once.

A line that is here already stays as it is, word for word; a line that is new comes with everything that ever
happened to it. Of a line that is here, what happened elsewhere since is added, unless what happened here is
later or by the person's own hand: then this ledger's word stands. What a person took out here stays out.
Nothing is closed for the sake of a line that is not here, and no two lines close each other. Which lines a
section shows is its own affair. Knows nothing of files, nor of how an archive is written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from scrimshaw.core.ledger.lifecycle import at_birth, standing_after, standing_in_words
from scrimshaw.core.types import Author, Closed, Event, EventType, Line, Observation, Standing

# They say something of a line and change nothing that another event could change back.
_COUNTED = frozenset({EventType.OBSERVED, EventType.RECALLED, EventType.REINFORCED, EventType.SOURCE_GONE})
# Each ledger does these by itself, by its own clock, its own budget and its own retention.
HOUSEKEEPING = frozenset(
    {EventType.TRIMMED, EventType.SHOWN, EventType.EXPIRED, EventType.DROPPED, EventType.TAKEN_BACK}
)
REPLACING = frozenset(
    {EventType.SUPERSEDED, EventType.WITHDRAWN, EventType.COMPLETED, EventType.MERGED, EventType.EDITED}
)


class Parcel(NamedTuple):
    """What an archive holds: lines in the order of acceptance, events of lines in the order they happened."""

    observations: tuple[Observation, ...]
    events: tuple[Event, ...]


class Here(NamedTuple):
    """What this ledger holds of the lines that a parcel speaks of, and of those that took their place."""

    lines: Mapping[str, Line]
    events: Mapping[str, Sequence[Event]]  # of each of *lines*, oldest first


@dataclass(frozen=True, slots=True)
class Joined:
    """What is to be added, in this order, and what was left as it is here."""

    observations: tuple[Observation, ...] = ()
    events: tuple[Event, ...] = ()
    known: int = 0  # lines that are here already
    changed: int = 0  # of those, how many get events
    kept_out: int = 0  # a person took them out here, or had them forgotten
    yours: int = 0  # events that were not taken over, because a person has decided on the line here
    elsewhere: int = 0  # lines of which the parcel has events and not the words: they are in another file
    forgotten_there: tuple[str, ...] = ()  # lines that were forgotten there, and stand here


@dataclass(slots=True)
class _Work:
    born: set[str]
    standings: dict[str, Standing]
    events: list[Event] = field(default_factory=list)
    changed: set[str] = field(default_factory=set)
    forgotten: list[str] = field(default_factory=list)
    elsewhere: set[str] = field(default_factory=set)
    yours: int = 0


def merge_parcel(parcel: Parcel, here: Here, is_barred: Callable[[Observation], bool]) -> Joined:
    """Return what *parcel* adds to *here*; *is_barred* tells of a new line whether a person keeps it out.

    Joining the same parcel again adds nothing.
    """
    fresh = {o.id: o for o in parcel.observations if o.id not in here.lines}
    barred = {id_ for id_, observation in fresh.items() if is_barred(observation)}
    born = {id_: observation for id_, observation in fresh.items() if id_ not in barred}
    standings = {id_: line.standing for id_, line in here.lines.items()}
    standings.update((id_, at_birth(observation)) for id_, observation in born.items())
    work = _Work(set(born), standings)
    verdicts = _verdicts(parcel.events, here)
    for event in parcel.events:
        if event.observation_id in born:
            _add(work, event)
        elif verdict := verdicts.get(event.observation_id):
            _weigh(work, event, verdict)
        elif event.observation_id not in barred:
            work.elsewhere.add(event.observation_id)
    return Joined(
        tuple(born.values()),
        tuple(work.events),
        known=len({o.id for o in parcel.observations} & here.lines.keys()),
        changed=len(work.changed),
        kept_out=len(barred),
        yours=work.yours,
        elsewhere=len(work.elsewhere),
        forgotten_there=tuple(dict.fromkeys(work.forgotten)),
    )


def replaced_copies(
    live: Iterable[Line], born: Iterable[Observation], at_ms: int, by: str
) -> tuple[Event, ...]:
    """Return what merges a line read back from a dated file into the original of the same words and day.

    A ledger that was lost is begun again from the section and the dated files (rule 9); when the archive
    comes later, each of those lines would stand twice.
    """
    originals = {(o.text, o.local_date): o.id for o in born if o.session_id}
    return tuple(
        Event(EventType.MERGED, copy.id, at_ms, by, original, "the original came back from an archive")
        for copy, standing in live
        if copy.author is Author.RULES and not (copy.session_id or copy.sources or copy.run_id or copy.level)
        if not standing.is_pinned
        if (original := originals.get((copy.text, copy.local_date)))
    )


class _Verdict(NamedTuple):
    """What this ledger says of one of its lines that the parcel speaks of, too."""

    known: Counter[Event]  # events that are here already, to be counted off
    newest_ms: int  # when the newest event that only this ledger has happened
    is_persons: bool  # a person has acted here, and the parcel does not know it


def _verdicts(events: Sequence[Event], here: Here) -> dict[str, _Verdict]:
    theirs: dict[str, Counter[Event]] = {}
    for event in events:
        if event.observation_id in here.lines:
            theirs.setdefault(event.observation_id, Counter())[event] += 1
    found = {}
    for id_, counted in theirs.items():
        own = Counter(here.events.get(id_, ()))
        only_here = [event for event in (own - counted) if event.type not in _COUNTED]
        is_persons = any(event.by == Author.PERSON for event in only_here)
        newest_ms = max((e.at_ms for e in only_here if e.type not in HOUSEKEEPING), default=-1)
        found[id_] = _Verdict(own, newest_ms, is_persons)
    return found


def _weigh(work: _Work, event: Event, verdict: _Verdict) -> None:
    """Add what happened elsewhere to a line that is here, if this ledger does not know better."""
    if verdict.known[event] > 0:
        verdict.known[event] -= 1
        return
    standing = work.standings[event.observation_id]
    if standing.closed is Closed.FORGOTTEN:
        return
    match event.type:
        case EventType.FORGOTTEN:
            work.forgotten.append(event.observation_id)
        case EventType.OBSERVED:
            pass  # here it was observed by itself
        case type_ if type_ in _COUNTED:
            _add(work, event)
        case _ if verdict.is_persons:
            work.yours += 1
        case type_ if type_ in HOUSEKEEPING and event.by != Author.PERSON:
            pass
        case _ if event.at_ms < verdict.newest_ms:
            pass
        case type_ if type_ in REPLACING and not _may_replace(work, event.observation_id, event.other_id):
            pass
        case EventType.SET_BACK if not _may_set_back(work, event):
            pass
        case _:
            _add(work, event)


def _add(work: _Work, event: Event) -> None:
    work.events.append(event)
    id_ = event.observation_id
    work.standings[id_] = standing_after(work.standings[id_], event)
    if id_ not in work.born:
        work.changed.add(id_)


def _may_replace(work: _Work, id_: str, other: str) -> bool:
    """Whether the line that took its place is here, and is not itself closed by this one."""
    seen, next_ = {id_}, other
    while next_:
        if next_ in seen or next_ not in work.standings:
            return False
        seen.add(next_)
        standing = work.standings[next_]
        next_ = standing.closed_by if standing.closed else ""
    return bool(other)


def _may_set_back(work: _Work, event: Event) -> bool:
    """Whether the standing that a person gave a line again leads to a line that is here."""
    earlier = standing_in_words(event.reason)
    if earlier is None or earlier.closed is Closed.FORGOTTEN:
        return False
    return not earlier.closed_by or _may_replace(work, event.observation_id, earlier.closed_by)
