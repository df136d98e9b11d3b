"""One cycle of the offline reflector: merge duplicates, close what was replaced or done, promote repetitions.

- A line that another one contains is merged into it; no new words are made, the ledger unites their sources.
  What distinguishes statements must be equal: polarity, being done, day, place, speaker.
- A line whose subject a later one has changed is superseded; an open item that a report completes is
  completed.
- What the person has said three times, and is no event, becomes a standing line.

Never: a line that the person wrote or pinned is removed, a red line is merged into one of lower priority,
more than a quarter of the live lines (at least one) are removed in one cycle (rule 3). The most certain
changes come first, the rest waits for the next cycle. A second run at once changes nothing, whatever order
the lines have.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from scrimshaw.core.consolidation import supersede
from scrimshaw.core.consolidation.duplicates import ComparableText, comparable, is_held, is_told_by
from scrimshaw.core.ledger.lifecycle import age_of, standing_after, told_on
from scrimshaw.core.section.rank import last_told_ms
from scrimshaw.core.text.entities import DATE_WORDS
from scrimshaw.core.types import Author, Event, EventType, Kind, Line, Place, Role

REMOVED_SHARE = 0.25
PROMOTED_AT = 2  # repetitions after the first time
IN_ITS_PLACE = "what it stands for was shown"
KEPT_REINFORCEMENT = 3  # repetitions above this do not count when the section is chosen
_MOST_LOOKED_AT = 1_000  # lines that share a line's rarest word; only near-identical lines have more
_MOST_CANDIDATES = 60
_LEAST_WORDS = 5  # a line with fewer words is too short to be looked for in a longer sentence

# Kinds that the same sentence may be classified as; within a group lines may be merged.
_KIN = {
    Kind.FACT: {Kind.FACT, Kind.OUTCOME, Kind.ISSUE, Kind.DECISION, Kind.PREFERENCE},
    Kind.OUTCOME: {Kind.OUTCOME, Kind.FACT},
    Kind.ISSUE: {Kind.ISSUE},
    Kind.DECISION: {Kind.DECISION, Kind.PREFERENCE},
    Kind.PREFERENCE: {Kind.PREFERENCE, Kind.DECISION},
    Kind.NEXT_STEP: {Kind.NEXT_STEP},
}
_ROOM_FOR = {
    Place.LOG: {Place.LOG, Place.STANDING},
    Place.STANDING: {Place.STANDING},
    Place.OPEN: {Place.OPEN},
}
_PROMOTED_KINDS = frozenset({Kind.PREFERENCE, Kind.DECISION, Kind.FACT})


class LineChange(NamedTuple):
    """One event to be appended, without its time and run."""

    type: EventType
    id: str
    other_id: str = ""
    reason: str = ""

    def event(self, at_ms: int, by: str) -> Event:
        """Return the event of a run."""
        return Event(self.type, self.id, at_ms, by, self.other_id, self.reason)


class Reflection(NamedTuple):
    """What a cycle changes, in this order; *has_more*: another cycle would remove more lines."""

    changes: tuple[LineChange, ...] = ()
    has_more: bool = False

    def of(self, type_: EventType) -> tuple[LineChange, ...]:
        """Return the changes of one type."""
        return tuple(change for change in self.changes if change.type is type_)


NOTHING = Reflection()


def room_for(count: int) -> int:
    """Return how many of *count* live lines one cycle may take away (rule 3)."""
    return max(1, int(count * REMOVED_SHARE)) if count else 0


def reflect(lines: Iterable[Line], *, room: int | None = None) -> Reflection:
    """Return what this cycle changes in *lines*, the ledger's live ones in any order.

    *room* is how many lines may go when a model's plan has taken some; None: the cycle's share.
    """
    live = sorted((line for line in lines if line.standing.is_live), key=age_of)
    return _Cycle(live, room_for(len(live)) if room is None else room).run()


class _Cycle:
    """One cycle: the lines as changed so far, and the changes."""

    def __init__(self, lines: Sequence[Line], room: int) -> None:
        self._live = {line.observation.id: line for line in lines}
        self._said = {line.observation.id: comparable(line.observation.text) for line in lines}
        self._room = room
        self._changes: list[LineChange] = []
        self._has_more = False
        self._holders: dict[str, dict[str, None]] = defaultdict(dict)
        for id_, text in self._said.items():
            for word in text.words:
                self._holders[word][id_] = None

    def run(self) -> Reflection:
        """Repeat until nothing is left to change, or no more may be changed in this cycle."""
        before = -1
        # A merge adds repetitions, which may promote a line, and a promoted line may absorb more lines.
        while before != len(self._changes):
            before = len(self._changes)
            self._merge_equal()
            self._take_all(supersede.superseded(self._lines()))
            self._take_all(supersede.reported_done(self._lines()))
            self._merge_told()
            self._promote()
        return Reflection(tuple(self._changes), self._has_more)

    def _is_live(self, line: Line) -> bool:
        return line.observation.id in self._live

    def _lines(self) -> list[Line]:
        return list(self._live.values())

    # -- duplicates -------------------------------------------------------------------------

    def _merge_equal(self) -> None:
        alike: dict[str, list[Line]] = defaultdict(list)
        for id_, line in self._live.items():
            alike[self._said[id_].lower].append(line)
        for lines in alike.values():
            best_first = sorted(lines, key=self._worth, reverse=True)
            for loser in best_first[:0:-1]:
                if self._has_more:
                    return
                winners = (line for line in best_first[:_MOST_CANDIDATES] if self._may_take(line, loser))
                self._merge(loser, next(filter(self._is_live, winners), None), "says the same")

    def _merge_told(self) -> None:
        # The shortest first: the line that contains it may itself be contained in a longer one.
        for loser in sorted(self._lines(), key=lambda line: (len(self._said_by(line).words), *age_of(line))):
            if self._has_more:
                return
            if self._is_live(loser) and not is_own(loser):
                tellers = [line for line in self._candidates(loser) if self._is_teller(line, loser)]
                self._merge(loser, max(tellers, key=self._worth, default=None), "tells all of it")

    def _candidates(self, loser: Line) -> Iterator[Line]:
        """Yield the few lines that hold every word of *loser*, the most recent first."""
        words = sorted(self._said_by(loser).words, key=lambda word: (len(self._holders[word]), word))
        if not words:
            return
        rarest, *others = (self._holders[word] for word in words)
        looked_at = islice(reversed(rarest), _MOST_LOOKED_AT)
        found = (id_ for id_ in looked_at if id_ in self._live and all(id_ in held for held in others))
        for id_ in islice(found, _MOST_CANDIDATES):
            if id_ != loser.observation.id:
                yield self._live[id_]

    def _is_teller(self, line: Line, loser: Line) -> bool:
        if not self._may_take(line, loser):
            return False
        less, more = self._said_by(loser), self._said_by(line)
        if (
            less.words == more.words
            and self._worth(line) < self._worth(loser)
            and self._may_take(loser, line)
        ):
            return False  # the merge goes in the other direction
        is_same_day = line.observation.local_date == loser.observation.local_date
        if is_same_day and len(less.words) >= _LEAST_WORDS:
            return is_told_by(less, more)
        return is_held(less, more)

    def _merge(self, loser: Line, winner: Line | None, reason: str) -> None:
        if winner is None or not self._take(
            LineChange(EventType.MERGED, loser.observation.id, winner.observation.id, reason)
        ):
            return
        again = 1 + min(KEPT_REINFORCEMENT, loser.standing.reinforced)
        for _ in range(again):
            day = told_on(last_told_ms(loser))
            self._note(LineChange(EventType.REINFORCED, winner.observation.id, loser.observation.id, day))
        self._show(winner, loser)

    def _worth(self, line: Line) -> tuple[bool, bool, int, int, int, int, str]:
        """Return the sort key by which one of two duplicate lines stays."""
        text, said_at_ms = self._said_by(line), line.observation.said_at_ms
        # For a standing fact the first time it was said counts; for an event the last.
        timely = -said_at_ms if line.standing.place is Place.STANDING else said_at_ms
        return (
            is_own(line),
            line.standing.is_shown,
            line.observation.priority,
            len(text.words),
            len(text.lower),
            timely,
            line.observation.id,
        )

    def _may_take(self, winner: Line, loser: Line) -> bool:
        """Tell whether *loser* may be merged into *winner*, judged by everything but their words."""
        if is_own(loser) or winner.observation.id == loser.observation.id:
            return False
        is_told_apart = winner.observation.done != loser.observation.done or (
            winner.observation.level != loser.observation.level
        )
        if is_told_apart or (winner.standing.is_set_aside and not loser.standing.is_set_aside):
            return False
        if not _is_of_its_time(winner, loser):
            return False
        if is_own(winner):
            return True
        mine, theirs = winner.observation, loser.observation
        return (
            mine.speaker is theirs.speaker
            and mine.kind in _KIN[theirs.kind]
            and winner.standing.place in _ROOM_FOR[loser.standing.place]
            and mine.priority >= theirs.priority
            and not _is_other_claim(winner, loser)
        )

    # -- repetitions ------------------------------------------------------------------------

    def _promote(self) -> None:
        for line in self._lines():
            if _is_to_stand(line):
                self._note(LineChange(EventType.PROMOTED, line.observation.id, reason="said again and again"))

    # -- removing lines -------------------------------------------------------------------------------

    def _take_all(self, found: Iterable[supersede.Closing]) -> None:
        for one in found:
            line, by = self._live.get(one.id), self._live.get(one.by_id)
            if line is None or by is None or is_own(line):
                continue
            stands = line.standing.place is Place.STANDING and by.standing.place is Place.LOG
            if not self._take(LineChange(one.type, one.id, one.by_id, one.reason)):
                continue
            if stands:
                # It states what is in force now, so it is not about one day.
                self._note(LineChange(EventType.PROMOTED, one.by_id, reason="stands for what stood"))
            self._show(by, line)

    def _show(self, line: Line, gone: Line) -> None:
        """Let *line* compete for the section when *gone* stood in it; the fold decides whether it stays."""
        standing = self._live[line.observation.id].standing
        if gone.standing.is_shown and not (standing.is_shown or standing.is_set_aside):
            self._note(LineChange(EventType.SHOWN, line.observation.id, reason=IN_ITS_PLACE))

    def _take(self, change: LineChange) -> bool:
        """Remove a line if this cycle still may; return whether it did."""
        if not self._room:
            self._has_more = True
            return False
        self._room -= 1
        self._changes.append(change)
        del self._live[change.id]
        return True

    def _note(self, change: LineChange) -> None:
        self._changes.append(change)
        line = self._live[change.id]
        self._live[change.id] = line._replace(standing=standing_after(line.standing, change.event(0, "")))

    def _said_by(self, line: Line) -> ComparableText:
        return self._said[line.observation.id]


def is_own(line: Line) -> bool:
    """Tell whether a person wrote, pinned or brought back this line: no run may remove it."""
    return line.observation.author is Author.PERSON or line.standing.is_pinned or line.standing.is_kept


def _is_of_its_time(winner: Line, loser: Line) -> bool:
    """Tell whether two lines with the same words mean the same day."""
    mine, theirs = winner.observation, loser.observation
    if winner.standing.is_expired and not loser.standing.is_expired:
        return False
    if loser.standing.is_expired and not winner.standing.is_expired and mine.said_at_ms < theirs.said_at_ms:
        return False
    if theirs.refers_to is not None and theirs.refers_to != mine.refers_to:
        return False
    if mine.local_date == theirs.local_date:
        return True
    # A backup done on Monday and one done on Tuesday are two events; so are two uses of "tomorrow".
    is_event = theirs.done or theirs.kind in (Kind.OUTCOME, Kind.ISSUE)
    return not is_event and DATE_WORDS.search(theirs.text) is None and DATE_WORDS.search(mine.text) is None


def _is_other_claim(winner: Line, loser: Line) -> bool:
    mine, theirs = winner.observation.claim, loser.observation.claim
    return mine is not None and theirs is not None and mine[:2] == theirs[:2] and mine.object != theirs.object


def _is_to_stand(line: Line) -> bool:
    observation, standing = line
    return (
        standing.place is Place.LOG
        and standing.reinforced >= PROMOTED_AT
        and observation.kind in _PROMOTED_KINDS
        and observation.speaker is Role.USER
        and observation.refers_to is None
        and not (observation.done or standing.is_expired or is_own(line))
        and DATE_WORDS.search(observation.text) is None
    )
