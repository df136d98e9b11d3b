"""Which lines in force cannot both hold: each line against the few that are most like it.

All pairs are never compared. A line is held against those that share its rarest words, and, where somebody
says so, against the nearest by meaning; `contradictions` decides. Each pair comes once, the earlier line
first; what the person has decided to keep both of does not come again.

*attribute*: the same subject, another value. *temporal*: the same, said on different days, of what may
change: likely an update. *semantic*: alike by meaning above .85, with another value or a denial.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cache, lru_cache
from typing import NamedTuple

from scrimshaw.core.insight.contradictions import Difference, difference, differs_in_meaning
from scrimshaw.core.insight.told import OPPOSED, is_of, table, taken_apart
from scrimshaw.core.ledger.known_lines import stem
from scrimshaw.core.ledger.lifecycle import age_of
from scrimshaw.core.types import Author, Kind, Line, Place
from scrimshaw.data import lines as data_lines

SIMILAR = 0.85  # from here two lines are alike by meaning
_RAREST = 4  # words of a line that others are looked for by
_MOST_HOLDERS = 48  # of a word that is looked up: the newest
_MOST_COMPARED = 6  # lines that a line is held against
_KEY_CHARS = 7
_LEAST_SHARE = 0.34

Pair = tuple[str, str]


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
) -> list[Conflict]:
    """Return the conflicts among *lines*, the surest kind first, then the newest.

    *kept_both*: pairs of ids, in either order, that the person keeps. *nearest*: pairs of ids that are alike
    by meaning, with their cosine.
    """
    held = sorted(filter(may_conflict, lines), key=age_of)
    decided = {frozenset(pair) for pair in kept_both}
    found: dict[Pair, Conflict] = {}
    for older, newer in _candidates(held):
        pair = (held[older].observation.id, held[newer].observation.id)
        if frozenset(pair) not in decided:
            _note(found, held[older], held[newer], nearest)
    places = {line.observation.id: at for at, line in enumerate(held)}
    for (one, other), cosine in (nearest or {}).items():
        if one not in places or other not in places or frozenset((one, other)) in decided:
            continue
        first, second = sorted((places[one], places[other]))
        pair = (held[first].observation.id, held[second].observation.id)
        if pair not in found and cosine >= SIMILAR and _differ_in_meaning(held[first], held[second]):
            found[pair] = Conflict(held[first], held[second], ConflictType.SEMANTIC, cosine)
    ranked = sorted(found.values(), key=lambda one: one.newer.observation.said_at_ms, reverse=True)
    return sorted(ranked, key=lambda one: not one.is_standing)


def _differ_in_meaning(older: Line, newer: Line) -> bool:
    return differs_in_meaning(older.observation.text, newer.observation.text)


def _note(
    found: dict[Pair, Conflict], older: Line, newer: Line, nearest: Mapping[Pair, float] | None
) -> None:
    before, now = older.observation, newer.observation
    how = difference(before.text, now.text)
    if how is None and before.local_date == now.local_date:
        how = difference(now.text, before.text)
    if how is None:
        return
    similarity = (nearest or {}).get((before.id, now.id)) or _likeness(before.text, now.text)
    found[(before.id, now.id)] = Conflict(older, newer, _type_of(how, older, newer), similarity)


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
    mine, theirs = ({_key(word.text) for word in taken_apart(text).words} for text in (one, other))
    size = len(mine) + len(theirs)
    return round(2 * len(mine & theirs) / size, 2) if size else 0.0


@lru_cache(maxsize=32_768)
def _key(word: str) -> str:
    return stem(word)[:_KEY_CHARS]


@cache
def _topics() -> dict[str, tuple[str, ...]]:
    """Return of each word of a pair of opposites which pair and side it is of."""
    found: dict[str, list[str]] = {}
    for at, row in enumerate(data_lines("contradictions", OPPOSED.lower())):
        left, _, right = row.lstrip("!").partition("|")
        for side, words in enumerate((left, right)):
            for word in words.split():
                found.setdefault(word, []).append(f"opposed {at} {side}")
    return {word: tuple(topics) for word, topics in found.items()}


def _topics_of(token: str) -> tuple[str, ...]:
    return _topics().get(token) or _topics().get(token.rstrip("s"), ())


def _keys_of(text: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return what *text* is found by: the keys of its words, and its topics."""
    told = taken_apart(text)
    topics = [topic for token in told.tokens for topic in _topics_of(token)]
    if told.is_own and (table.RESIDES.search(text) or table.MOVED.search(text)):
        topics.append("own home")
    return frozenset(_key(word.text) for word in told.words), tuple(dict.fromkeys(topics))


def _candidates(lines: Sequence[Line]) -> Iterable[tuple[int, int]]:
    """Yield the places of the pairs that are worth a look, the earlier first."""
    words: list[frozenset[str]] = []
    topics: list[tuple[str, ...]] = []
    holders: dict[str, list[int]] = {}
    for at, line in enumerate(lines):
        keys, named = _keys_of(line.observation.text)
        words.append(keys)
        topics.append(named)
        for key in (*keys, *named):
            holders.setdefault(key, []).append(at)
    for at, keys in enumerate(words):
        rarest = sorted(keys, key=lambda key: (len(holders[key]), key))[:_RAREST]
        near: set[int] = set()
        for key in rarest:
            near.update(holders[key][-_MOST_HOLDERS:])
        ranked = sorted(
            (
                (len(keys & words[other]) / max(1, min(len(keys), len(words[other]))), other)
                for other in near
                if other < at
            ),
            reverse=True,
        )
        chosen = [other for share, other in ranked[:_MOST_COMPARED] if share >= _LEAST_SHARE]
        for topic in topics[at]:
            wanted = topic[:-1] + ("1" if topic[-1] == "0" else "0") if topic.startswith("opposed") else topic
            chosen += [other for other in holders.get(wanted, ())[-_MOST_COMPARED:] if other != at]
        for other in dict.fromkeys(chosen):
            yield (other, at) if other < at else (at, other)
