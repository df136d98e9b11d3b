"""Which lines in force cannot both hold: each line against the few that are most like it.

All pairs are never compared. A line is held against those that share its rarest words, and, where somebody
says so, against the nearest by meaning; `contradictions` decides. Each pair comes once, the earlier line
first; what the person has decided to keep both of does not come again.

*attribute*: the same subject, another value. *temporal*: the same, said on different days, of what may
change: likely an update. *semantic*: alike by meaning above .85, with another value or a denial.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

from scrimshaw.core.insight.candidates import Candidates, candidates, keys_of
from scrimshaw.core.insight.contradictions import Difference, difference, differs_in_meaning
from scrimshaw.core.insight.told import is_of, taken_apart
from scrimshaw.core.ledger.lifecycle import age_of, at_birth
from scrimshaw.core.types import Author, Kind, Line, Observation, Place

SIMILAR = 0.85  # from here two lines are alike by meaning

Pair = tuple[str, str]
OnProgress = Callable[[int, int], None]
_STEP = 500  # lines between two reports of progress


class ConflictType(StrEnum):
    """How two lines contradict each other."""

    ATTRIBUTE = "attribute"
    SEMANTIC = "semantic"
    TEMPORAL = "temporal"


class Conflict(NamedTuple):
    """Two lines in force that cannot both hold, the one said earlier first."""

    older: Line
    newer: Line
    type: ConflictType
    similarity: float

    @property
    def ids(self) -> Pair:
        """What names the pair."""
        return self.older.observation.id, self.newer.observation.id

    @property
    def is_standing(self) -> bool:
        """Whether both are standing lines: what the agent is told in every conversation."""
        return all(line.standing.place is Place.STANDING for line in (self.older, self.newer))

    @property
    def kept(self) -> Line:
        """Return the line that a merge keeps: the pinned one, the surer one, or else the newer."""
        ranks = [_sureness(line) for line in (self.older, self.newer)]
        return self.older if ranks[0] > ranks[1] else self.newer

    @property
    def suggestion(self) -> str:
        """What may be right, in a sentence."""
        if self.type is ConflictType.TEMPORAL:
            return "Likely update — newer value may be correct"
        return "Only one of them can hold: keep the right one, or both if they are of different things"


def _sureness(line: Line) -> tuple[bool, bool, float]:
    """Return what a merge goes by before age: tenths of confidence, the rest is noise."""
    observation, standing = line
    return standing.is_pinned, observation.author is Author.PERSON, round(observation.confidence, 1)


def may_conflict(line: Line) -> bool:
    """Tell whether *line* can contradict another: it holds, and tells no finished history."""
    observation, standing = line
    return (
        standing.is_live
        and not observation.done
        and observation.level == 0
        and observation.kind is not Kind.OUTCOME
        and observation.author is not Author.PROGRAM
    )


def find_conflicts(
    lines: Iterable[Line],
    *,
    kept_both: Collection[Pair] = (),
    nearest: Mapping[Pair, float] | None = None,
    on_progress: OnProgress | None = None,
) -> list[Conflict]:
    """Return the conflicts among *lines*, the surest kind first, then the newest.

    *kept_both*: pairs of ids, in either order, that the person keeps. *nearest*: pairs of ids that are alike
    by meaning, with their cosine. *on_progress* is called now and then with how much is done, of how much.
    """
    held = sorted(filter(may_conflict, lines), key=age_of)
    decided = {frozenset(pair) for pair in kept_both}
    found: dict[Pair, Conflict] = {}
    tells, whole, told = on_progress or (lambda _done, _of: None), 2 * len(held), 0
    keys = []
    for at, line in enumerate(held):
        if at % _STEP == 0:
            tells(at, whole)
        keys.append(keys_of(line.observation.text))
    for older, newer in candidates(keys):
        if newer >= told:
            tells(len(held) + newer, whole)
            told = newer + _STEP
        pair = (held[older].observation.id, held[newer].observation.id)
        if frozenset(pair) not in decided and (how := _verdict(held[older], held[newer])):
            found[pair] = Conflict(held[older], held[newer], how[0], (nearest or {}).get(pair) or how[1])
    places = {line.observation.id: at for at, line in enumerate(held)}
    for (one, other), cosine in (nearest or {}).items():
        if one not in places or other not in places or frozenset((one, other)) in decided:
            continue
        first, second = sorted((places[one], places[other]))
        pair = (held[first].observation.id, held[second].observation.id)
        if pair not in found and cosine >= SIMILAR and _differ_in_meaning(held[first], held[second]):
            found[pair] = Conflict(held[first], held[second], ConflictType.SEMANTIC, cosine)
    return _ranked(found.values())


class PastConflicts:
    """The conflicts among lines that come and go: what `find_conflicts` finds among those that are there.

    What two lines are to each other is worked out once. *observations*: all that there will ever be.
    """

    def __init__(self, observations: Iterable[Observation]) -> None:
        born = sorted((Line(one, at_birth(one)) for one in observations), key=age_of)
        self._places = {line.observation.id: at for at, line in enumerate(born)}
        self._lines: dict[int, Line] = {}
        self._candidates = Candidates()
        self._verdicts: dict[tuple[int, int], tuple[ConflictType, float] | None] = {}

    def update(self, line: Line) -> None:
        """Take *line* as it stands now."""
        at = self._places[line.observation.id]
        if not may_conflict(line):
            if self._lines.pop(at, None):
                self._candidates.take(at)
            return
        if at not in self._lines:
            self._candidates.put(at, keys_of(line.observation.text))
        self._lines[at] = line

    def find(self, kept_both: Collection[Pair] = ()) -> list[Conflict]:
        """Return the conflicts of now, in the order of `find_conflicts`."""
        decided = {frozenset(pair) for pair in kept_both}
        found: dict[tuple[int, int], Conflict] = {}
        for pair in self._candidates.pairs():
            older, newer = self._lines[pair[0]], self._lines[pair[1]]
            if pair not in self._verdicts:
                self._verdicts[pair] = _verdict(older, newer)
            how = self._verdicts[pair]
            if how and frozenset((older.observation.id, newer.observation.id)) not in decided:
                found[pair] = Conflict(older, newer, *how)
        return _ranked(found.values())


def _ranked(found: Iterable[Conflict]) -> list[Conflict]:
    ranked = sorted(found, key=lambda one: one.newer.observation.said_at_ms, reverse=True)
    return sorted(ranked, key=lambda one: not one.is_standing)


def _differ_in_meaning(older: Line, newer: Line) -> bool:
    return differs_in_meaning(older.observation.text, newer.observation.text)


def _verdict(older: Line, newer: Line) -> tuple[ConflictType, float] | None:
    """Return how two lines contradict each other, and how much both share, 0..1; None: both can hold."""
    before, now = older.observation, newer.observation
    how = difference(before.text, now.text)
    if how is None and before.local_date == now.local_date:
        how = difference(now.text, before.text)
    return (_type_of(how, older, newer), _likeness(before.text, now.text)) if how else None


def _type_of(how: Difference, older: Line, newer: Line) -> ConflictType:
    if how is Difference.ENDED:
        return ConflictType.TEMPORAL
    is_of_a_day = older.observation.local_date == newer.observation.local_date
    texts = (older.observation.text, newer.observation.text)
    is_for_life = any(is_of("FOR_LIFE", word.text) for text in texts for word in taken_apart(text).words)
    if is_of_a_day or is_for_life or how is Difference.OPPOSED:
        return ConflictType.ATTRIBUTE
    return ConflictType.TEMPORAL


def _likeness(one: str, other: str) -> float:
    """Return how much of the matter of both is in both, 0..1: Dice's coefficient of their words."""
    mine, theirs = keys_of(one).words, keys_of(other).words
    size = len(mine) + len(theirs)
    return round(2 * len(mine & theirs) / size, 2) if size else 0.0
