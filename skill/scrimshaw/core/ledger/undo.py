"""What it takes to undo one revision of the section (rule 20): new events, or why it cannot be done.

A revision's events are those between it and the revision before. Undone they stay in the ledger but are
*void*: each line they touched is set to what the replay of its remaining events makes of it, and a line
without any remaining birth is closed as undone. Undoing an undo makes what it voided count again. So a line's
standing is always the replay of the events that count, and undoing the newest revision leads back to the
standings the one before was folded from: byte by byte the same section. What stands *apart* is of no revision
and always counts: no section is written for a program's memory that moves into the ledger.

Refused, with the list: where an event that still counts speaks of a line that would be gone (it was changed,
merged, said again, rested upon). What merely hides, drops or deletes such a line does not depend on it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from scrimshaw.core.ledger import lifecycle
from scrimshaw.core.types import Author, Closed, Event, EventType, Observation, Standing

Placed = tuple[int, Event]  # an event with its number in the ledger


class RevisionSpan(NamedTuple):
    """A revision and the events that are its own: those after *after_seq*, up to *last_seq*."""

    number: int
    key: str  # names it also where numbers mean nothing (another ledger)
    after_seq: int
    last_seq: int

    def __contains__(self, seq: object) -> bool:
        return isinstance(seq, int) and self.after_seq < seq <= self.last_seq


class Dependent(NamedTuple):
    """An event that needs what would be undone; *line* is the line it needs."""

    seq: int
    event: Event
    line: str


@dataclass(frozen=True, slots=True)
class Undoing:
    """What undoing takes. Nothing may be written while there are *dependents*."""

    events: tuple[Event, ...] = ()
    dependents: tuple[Dependent, ...] = ()
    gone: tuple[str, ...] = ()  # lines that the revision brought
    back: tuple[str, ...] = ()  # lines that hold again
    changed: tuple[str, ...] = ()  # lines of another standing: shown, open, pinned
    of_person: tuple[Event, ...] = ()  # a person's own acts among what is undone


class Marks(NamedTuple):
    """Which revisions there are, and which undos."""

    stretches: Sequence[RevisionSpan]  # oldest first
    undos: Sequence[Placed]  # the UNDID events, oldest first


@dataclass(frozen=True, slots=True)
class History:
    """What the ledger holds of all that undoing has to look at."""

    marks: Marks
    events: Sequence[Placed]  # from `beginning` on, oldest first
    own: Mapping[str, Sequence[Placed]]  # of each line in `named`, all that ever happened to it
    observations: Mapping[str, Observation]  # of these lines, and of all that were born in *events*
    standings: Mapping[str, Standing]  # of these lines
    undone: Collection[str]  # the ids of all lines that are closed as undone
    forgotten: Collection[str] = frozenset()  # the ids of all lines that were forgotten
    apart: frozenset[int] = frozenset()  # the numbers of the events that are of no revision


_OF_UNDOING = frozenset({EventType.UNDONE, EventType.SET_BACK, EventType.UNDID})
# They need nothing of the line but that it was there once: when it is not, they say nothing.
_EMPTY_WITHOUT = frozenset(
    {
        *(EventType.OBSERVED, EventType.DELETED, EventType.FORGOTTEN, EventType.DROPPED, EventType.WITHDRAWN),
        *(EventType.EXPIRED, EventType.TAKEN_BACK, EventType.TRIMMED, EventType.SHOWN, EventType.PROMOTED),
        *(EventType.RECALLED, EventType.SOURCE_GONE, EventType.UNPINNED, EventType.KEPT_BOTH),
    }
)
# What a run did and a person has undone; no run is to do it again.
_DONE_BY_RUNS = frozenset(
    {
        *(EventType.SUPERSEDED, EventType.WITHDRAWN, EventType.COMPLETED, EventType.MERGED),
        *(EventType.DROPPED, EventType.EXPIRED, EventType.PROMOTED),
    }
)


def key_of(run_id: str, number: int) -> str:
    """Return what names a revision in an UNDID event."""
    return f"{run_id}/{number}"


def undone_by(marks: Marks, *more: str) -> dict[int, int]:
    """Return each revision that does not count, and the number of the one that has undone it.

    An undo that is in no revision yet is numbered 0. *more* are the keys of revisions to be undone now.
    """
    by_key = {stretch.key: stretch for stretch in marks.stretches}
    acts = [(key, 0) for key in more]
    # Newest first: an undo can only be undone by a later one.
    for seq, event in reversed(marks.undos):
        holder = next((stretch.number for stretch in reversed(marks.stretches) if seq in stretch), 0)
        acts.append((event.other_id, holder))
    found: dict[int, int] = {}
    for key, holder in acts:
        if key in by_key and holder not in found:
            found.setdefault(by_key[key].number, holder)
    return found


def beginning(marks: Marks, revision: RevisionSpan) -> int:
    """Return the number of the event after which everything is to be looked at."""
    turned = undone_by(marks).keys() ^ undone_by(marks, revision.key).keys()
    return min((one.after_seq for one in marks.stretches if one.number in turned), default=revision.last_seq)


def named(marks: Marks, events: Iterable[Placed], revision: RevisionSpan) -> set[str]:
    """Return the lines that undoing *revision* touches, from the *events* after `beginning`."""
    before, after = undone_by(marks), undone_by(marks, revision.key)
    turned = [one for one in marks.stretches if (one.number in before) != (one.number in after)]
    return {
        id_
        for seq, event in events
        if event.type not in _OF_UNDOING and any(seq in one for one in turned)
        for id_ in _touched(event)
    }


def undo(history: History, revision: RevisionSpan, at_ms: int, by: str) -> Undoing:
    """Return what undoing *revision* takes; of one that is undone already nothing."""
    void, void_then = undone_by(history.marks), undone_by(history.marks, revision.key)
    if void.keys() == void_then.keys():
        return Undoing()
    before, after = _counting(history, void), _counting(history, void_then)
    own, kept = history.own, _kept(history, void_then)
    targets = {id_: _replayed(history, own[id_], after, is_kept=id_ in kept) for id_ in own}
    alive_with = {id_ for id_ in own if _holds_at(history, own[id_], before, revision.last_seq)}
    alive_without = {id_ for id_ in own if _holds_at(history, own[id_], after, revision.last_seq)}
    unborn = {id_ for id_ in own if not _is_born(own[id_], after)}
    now = history.standings
    return Undoing(
        tuple(_events(history, targets, revision, at_ms, by)),
        tuple(_dependents(history, before, after, revision, alive_with - alive_without, unborn)),
        gone=_among(targets, lambda id_: now[id_].is_live and not _is_live(targets[id_])),
        back=_among(targets, lambda id_: not now[id_].is_live and _is_live(targets[id_])),
        changed=_among(targets, lambda id_: _is_other(now[id_], targets[id_])),
        of_person=tuple(
            e
            for seq, e in history.events
            if seq in before and seq not in after and e.by == Author.PERSON and e.observation_id
        ),
    )


def _counting(history: History, void: Mapping[int, int]) -> frozenset[int]:
    """Return the numbers of the events that count, with *void* revisions undone."""
    every = [history.events, *history.own.values()]
    counting = {seq for events in every for seq, event in events if event.type not in _OF_UNDOING}
    for stretch in history.marks.stretches:
        if stretch.number in void:
            counting.difference_update(range(stretch.after_seq + 1, stretch.last_seq + 1))
    return frozenset(counting | history.apart)


def _touched(event: Event) -> set[str]:
    """Return the lines that *event* is about: of two that were merged either may be told by the other."""
    other = {event.other_id} if event.type is EventType.MERGED else set()
    return {event.observation_id, *other} - {""}


def _is_born(own: Iterable[Placed], counting: Collection[int]) -> bool:
    return any(event.type is EventType.OBSERVED and seq in counting for seq, event in own)


def _replayed(
    history: History, own: Sequence[Placed], counting: Collection[int], *, is_kept: bool
) -> Standing | None:
    """Return the standing by the events that count; None for a line that nothing has brought."""
    if not _is_born(own, counting):
        return None
    observation = history.observations[own[0][1].observation_id]
    standing = lifecycle.replay(observation, (event for seq, event in own if seq in counting))
    if standing.closed is Closed.MERGED and standing.closed_by in history.forgotten:
        # The line it was merged into is gone: reopen this one, or its statement would be lost.
        standing = replace(standing, closed=None, closed_by="", closed_at_ms=0)
    return replace(standing, is_kept=is_kept)


def _holds_at(history: History, own: Sequence[Placed], counting: Collection[int], seq: int) -> bool:
    until = [(number, event) for number, event in own if number <= seq]
    return bool(until) and _is_live(_replayed(history, until, counting, is_kept=False))


def _is_live(standing: Standing | None) -> bool:
    return standing is not None and standing.is_live


def _is_other(now: Standing, target: Standing | None) -> bool:
    if target is None or not (now.is_live and target.is_live):
        return False
    return _as_told(now) != _as_told(target)


def _as_told(standing: Standing) -> Standing:
    """Return *standing* without what nobody sees: how often it was said or found, and what keeps it."""
    return replace(standing, is_kept=False, recalled=0, reinforced=0, renewed_at_ms=0, confirmed=0)


def _kept(history: History, void: Mapping[int, int]) -> set[str]:
    """Return the lines that a run had changed in a way that stands undone."""
    undone = [stretch for stretch in history.marks.stretches if stretch.number in void]
    every = [history.events, *history.own.values()]
    return {
        id_
        for events in every
        for seq, event in events
        if event.type in _DONE_BY_RUNS and seq not in history.apart and any(seq in one for one in undone)
        for id_ in _touched(event)
    }


def _events(
    history: History, targets: Mapping[str, Standing | None], revision: RevisionSpan, at_ms: int, by: str
) -> Iterable[Event]:
    """Yield that *revision* was undone, then what becomes of each line, in the order they were accepted."""
    told = f"undo of revision {revision.number}"
    yield Event(EventType.UNDID, "", at_ms, by, revision.key, told)
    for id_ in sorted(targets, key=lambda id_: history.own[id_][0][0]):
        now, target = history.standings[id_], targets[id_]
        if now.closed is Closed.FORGOTTEN or now == target:
            continue
        if target is None:
            if now.closed not in (Closed.DELETED, Closed.UNDONE):
                yield Event(EventType.UNDONE, id_, at_ms, by, reason=told)
        else:
            yield Event(EventType.SET_BACK, id_, at_ms, by, target.closed_by, lifecycle.spell(target))


def _dependents(
    history: History,
    before: Collection[int],
    after: Collection[int],
    revision: RevisionSpan,
    ends: Collection[str],
    unborn: Collection[str],
) -> Iterable[Dependent]:
    """Yield each event that would count and speaks of a line as living that would not live."""
    unborn = frozenset(unborn)
    still_undone = frozenset(id_ for id_ in history.undone if id_ not in history.own) | unborn
    for seq, event in history.events:
        if seq not in after:
            continue
        is_new = seq not in before  # it would count again, and may need what is undone since
        if not is_new and seq <= revision.last_seq:
            continue
        missing = still_undone if is_new else unborn
        needed = event.observation_id
        if event.type not in _EMPTY_WITHOUT and (needed in missing or (needed in ends and not is_new)):
            yield Dependent(seq, event, needed)
        elif event.other_id in missing and event.type is not EventType.KEPT_BOTH:
            yield Dependent(seq, event, event.other_id)
        elif event.type is EventType.OBSERVED:
            rests_on = history.observations[needed].supports
            yield from (Dependent(seq, event, id_) for id_ in rests_on if id_ in missing)


def _among(targets: Mapping[str, Standing | None], is_meant: Callable[[str], bool]) -> tuple[str, ...]:
    return tuple(sorted(id_ for id_ in targets if is_meant(id_)))
