"""Whether two statements cannot both hold, and how that shows.

Both must be of the same: what is left of them without their values and without verbs that only connect is the
same, or one says a little more; and of the same person. Then they cannot both hold if a value of one sort
differs, if what the one denies the other says, if who is the one is not the other (vegetarian, eats ham), if
what has one value at a time gets another, or if the later one says that the earlier one has ended. Two
differences are two things: another day and another sport. What happened on two days happened twice.

A person decides what becomes of it, so this may be bolder than what the observer closes by itself.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cache, lru_cache
from typing import NamedTuple

from scrimshaw.core.extraction.change_features import Setting, Statement, is_alike
from scrimshaw.core.extraction.change_judge import judged
from scrimshaw.core.extraction.claim_changes import update_of
from scrimshaw.core.insight.told import (
    ParsedStatement,
    Sort,
    Word,
    is_of,
    opposites,
    table,
    taken_apart,
    written,
)
from scrimshaw.core.ledger.known_lines import stem
from scrimshaw.core.types import Kind, Place

_HALF, _MOST_OF_IT = 0.5, 0.6
_MOST_JUDGED = 14  # words of a statement that the trained judge is asked about
_MOST_MORE = 2  # words of matter that one of them may have beside what both share
_ALIKE = 2  # characters that all forms of a word begin with
_GROUPS = ("KIN", "LIGHT_VERBS", "FOR", "AGAINST", "ONE_VALUE", "MANY")
_LEAST_SURE = 40  # of the trained judge, in its unit


class Difference(StrEnum):
    """How two statements contradict each other."""

    VALUE = "value"
    DENIED = "denied"
    OPPOSED = "opposed"
    ENDED = "ended"


class _Compared(NamedTuple):
    """Two statements side by side."""

    old: ParsedStatement
    new: ParsedStatement
    shared: frozenset[str]  # of the older one
    only_old: tuple[Word, ...]
    only_new: tuple[Word, ...]
    front_old: tuple[Word, ...]  # of these, what stands before the first shared word
    front_new: tuple[Word, ...]

    @property
    def share(self) -> float:
        """How much of the shorter one's matter both hold, 0..1."""
        size = min(len(self.old.matter), len(self.new.matter))
        return len(self.shared) / size if size else 0.0


def difference(before: str, now: str) -> Difference | None:
    """Return how the later statement *now* contradicts the earlier one *before*; None when both can hold."""
    if any(mark in before + now for mark in "?？"):
        return None
    old, new = taken_apart(before), taken_apart(now)
    if old.tokens == new.tokens or not (old.words and new.words):
        return None
    pair = _side_by_side(old, new)
    if not _is_of_same(pair):
        return None
    if _is_opposed(pair):
        return Difference.OPPOSED
    if _is_denied(pair):
        return Difference.DENIED
    if _has_other_value(pair) or _is_elsewhere(pair):
        return Difference.VALUE
    if _has_ended(pair):
        return Difference.ENDED
    return None


def differs_in_meaning(before: str, now: str) -> bool:
    """Tell whether of two statements that are alike by meaning a value differs, or one denies."""
    if any(mark in before + now for mark in "?？"):
        return False
    pair = _side_by_side(taken_apart(before), taken_apart(now))
    names = [{word.text for word in one.words if word.is_name} for one in (pair.old, pair.new)]
    if not _is_of_same(pair) or (names[0] and names[1] and names[0] != names[1]):
        return False
    if _is_past(before) and _is_past(now):
        return False
    is_denied = pair.old.negated != pair.new.negated
    return (len(_differing(pair)) == 1 and pair.share >= _HALF) or (is_denied and pair.share >= _HALF)


def _side_by_side(old: ParsedStatement, new: ParsedStatement) -> _Compared:
    mine, theirs = _shared(old.matter, new.matter)
    only_old = tuple([word for word in old.words if word.text not in mine])
    only_new = tuple([word for word in new.words if word.text not in theirs])
    first_old = next((word.at for word in old.words if word.text in mine), 0)
    first_new = next((word.at for word in new.words if word.text in theirs), 0)
    return _Compared(
        old,
        new,
        frozenset(mine),
        only_old,
        only_new,
        tuple([word for word in only_old if word.at < first_old]),
        tuple([word for word in only_new if word.at < first_new]),
    )


def _shared(old: frozenset[str], new: frozenset[str]) -> tuple[set[str], set[str]]:
    """Return the words of *old* that *new* has in some form, and those of *new* that *old* has."""
    both = old & new
    mine, theirs = set(both), set(both)
    by_start: dict[str, list[str]] = {}
    for word in new:
        by_start.setdefault(word[:_ALIKE], []).append(word)
    participles = by_start.pop("ge", [])
    for one in old:
        near = new if one.startswith("ge") else (*by_start.get(one[:_ALIKE], ()), *participles)
        for other in near:
            if one != other and _is_same(one, other):
                mine.add(one)
                theirs.add(other)
    return mine, theirs


@cache
def _stems(group: str) -> frozenset[str]:
    return frozenset(stem(word) for row in written(group) for word in row.split())


@lru_cache(maxsize=16_384)
def _groups(word: str) -> frozenset[str]:
    return frozenset(group for group in _GROUPS if is_of(group, word) or stem(word) in _stems(group))


def _is_in(group: str, word: str) -> bool:
    return group in _groups(word)


@lru_cache(maxsize=1024)
def _is_past(text: str) -> bool:
    return table.PAST.search(text) is not None


@lru_cache(maxsize=1024)
def _tells_end(text: str) -> bool:
    return table.ENDED.search(text) is not None


def _is_same(one: str, other: str) -> bool:
    if one == other:
        return True
    # As most are: forms of one word begin alike, but for a German participle.
    if one[:_ALIKE] != other[:_ALIKE] and not (one.startswith("ge") or other.startswith("ge")):
        return False
    if any(map(str.isdigit, one + other)):
        return False  # "node-1" is not "node-2"
    return is_alike(one, other) or stem(one) == stem(other)


def _named(words: tuple[Word, ...]) -> list[str]:
    return [word.text for word in words if word.is_name or _is_in("KIN", word.text)]


def _is_of_same(pair: _Compared) -> bool:
    """Tell whether both may be of the same person or thing."""
    old, new = pair.old, pair.new
    if _weighty(pair.front_old) and _weighty(pair.front_new) and not _tells_end(new.text):
        return False
    if _named(pair.front_old) and _named(pair.front_new):
        return False
    if _tells_which(old, pair.only_old) and _tells_which(new, pair.only_new):
        return False
    # "I'm allergic", "Rosa is allergic": what one tells of oneself is nobody else's.
    for told, other, front in ((old, new, pair.front_new), (new, old, pair.front_old)):
        if told.is_own and not other.is_own and any(w.at == 0 or w.is_name for w in front):
            return False
    kin = [{w.text for w in one.words if _is_in("KIN", w.text)} for one in (old, new)]
    if kin[0] and kin[1] and kin[0].isdisjoint(kin[1]):
        return False
    return not (bool(kin[0]) != bool(kin[1]) and old.is_own != new.is_own and not pair.shared)


def _weighty(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Return those of *words* that are no verbs that only connect."""
    return tuple(
        word
        for word in words
        if not any(_is_in(group, word.text) for group in ("LIGHT_VERBS", "FOR", "AGAINST"))
    )


def _is_opposed(pair: _Compared) -> bool:
    old, new = pair.old, pair.new
    if not (old.is_own and new.is_own) and not pair.shared:
        return False
    return any(
        (at, 1) in other.opposed and not other.negated and one.negated == opposites()[at][0].startswith("!")
        for one, other in ((old, new), (new, old))
        for at, side in one.opposed
        if side == 0
    )


def _stance(told: ParsedStatement) -> int:
    """Return 1 for what is said for something, -1 against, 0 for neither."""
    if any(_is_in("AGAINST", token) for token in told.tokens):
        return -1
    if told.negated:
        return -1
    return 1 if any(_is_in("FOR", token) for token in told.tokens) else 0


def _is_denied(pair: _Compared) -> bool:
    """Tell whether one denies, or dislikes, what the other says or likes."""
    old, new = pair.old, pair.new
    stances = {_stance(old), _stance(new)}
    if not (old.negated != new.negated or stances == {1, -1}):
        return False
    if _is_past(old.text) and _is_past(new.text):
        return False
    mine, theirs = ({w for w in one.matter if not _is_in("FOR", w)} for one in (old, new))
    mine = {w for w in mine if not _is_in("AGAINST", w)} or set(old.matter)
    theirs = {w for w in theirs if not _is_in("AGAINST", w)} or set(new.matter)
    held = [w for w in mine if any(_is_same(w, other) for other in theirs)]
    return bool(held) and len(held) >= min(len(mine), len(theirs))


def _differing(pair: _Compared) -> list[Sort]:
    return [
        sort
        for sort, values in pair.old.values.items()
        if sort in pair.new.values
        and values != pair.new.values[sort]
        and (values.isdisjoint(pair.new.values[sort]) or sort is Sort.DAY)
    ]


def _has_other_value(pair: _Compared) -> bool:
    """Tell whether of the same thing a figure, day or hour differs."""
    sorts = _differing(pair)
    if not sorts or not pair.shared:
        return False
    old, new = pair.old, pair.new
    if Sort.WEEKDAY in sorts and Sort.FIGURE in sorts:
        sorts.remove(Sort.FIGURE)  # the second Monday, every first Friday
    is_changed = _tells_end(new.text)
    is_past = _is_past(old.text) and _is_past(new.text)
    if is_past and not is_changed and any(sort is not Sort.FIGURE for sort in sorts):
        return False
    if len(sorts) > 1 and not is_changed:
        return False
    if not is_changed and any(len(one.values.get(Sort.FIGURE, ())) > 1 for one in (old, new)):
        return False
    more_old, more_new = _weighty(pair.only_old), _weighty(pair.only_new)
    if is_changed:
        return not (more_old and _named(more_new)) and len(pair.shared) >= 1 and len(more_old) <= _MOST_MORE
    if more_old and more_new:
        return False
    return len(more_old) + len(more_new) <= _MOST_MORE and not _named((*more_old, *more_new))


def _is_elsewhere(pair: _Compared) -> bool:
    """Tell whether what has one value at a time (a name, a home, where it lies) gets another."""
    old, new = pair.old, pair.new
    more_old, more_new = _weighty(pair.only_old), _weighty(pair.only_new)
    if not (more_old and more_new) or _differing(pair):
        return False
    is_lasting = any(_is_in("ONE_VALUE", w) for w in (*pair.shared, *old.tokens))
    if not pair.shared and not _have_same_verb(pair):
        return False
    if any(_is_in("MANY", token) for one in (old, new) for token in one.tokens):
        return False
    if not is_lasting and _is_past(old.text) and _is_past(new.text):
        return False
    # The value stands behind all that is the same.
    for told, more in ((old, more_old), (new, more_new)):
        rest = [w.at for w in told.words if w.text not in {m.text for m in (*pair.only_old, *pair.only_new)}]
        if rest and min(w.at for w in more) < max(rest):
            return False
    if len(more_old) > 4 or len(more_new) > 4:
        return False
    if is_lasting and any(_is_in("ONE_VALUE", w) for w in (*pair.shared, *new.tokens)):
        return True
    placed = all(_is_placed(told, more) for told, more in ((old, more_old), (new, more_new)))
    return placed or all(w.is_name for w in (*more_old, *more_new))


def _tells_which(told: ParsedStatement, more: tuple[Word, ...]) -> bool:
    """Tell whether one of *more* is a letter or number of a thing whose value follows: flat B7 costs 900."""
    values = frozenset[str]().union(*told.values.values())
    last = max((at for at, token in enumerate(told.tokens) if token in values), default=-1)
    return any(word.at < last and (len(word.text) == 1 or word.text[-1].isdigit()) for word in more)


def _have_same_verb(pair: _Compared) -> bool:
    verbs = [{stem(t) for t in one.tokens if _is_in("ONE_VALUE", t)} for one in (pair.old, pair.new)]
    return bool(verbs[0] & verbs[1]) and pair.old.is_own and pair.new.is_own


def _is_placed(told: ParsedStatement, more: tuple[Word, ...]) -> bool:
    before = told.tokens[max(0, more[0].at - 3) : more[0].at]
    return any(is_of("PLACES", token) for token in before)


def _has_ended(pair: _Compared) -> bool:
    """Tell whether the later one says that what the earlier one tells has ended, or has come about."""
    old, new = pair.old, pair.new
    if update_of(new.text, old.text) is not None:
        return True
    if table.MOVED.search(new.text) and table.RESIDES.search(old.text) and (pair.shared or old.is_own):
        return old.is_own == new.is_own or bool(pair.shared)
    if not _tells_end(new.text):
        return _is_judged(pair)
    if not pair.shared:
        return False
    strangers = _named(pair.front_new)
    has_name = any(word.is_name and word.text in pair.shared for word in pair.old.words)
    return (has_name or pair.share >= _HALF) and not (strangers and _named(pair.only_old))


def _is_judged(pair: _Compared) -> bool:
    is_close = len(pair.shared) > 1 and pair.share >= _MOST_OF_IT
    is_short = max(len(pair.old.tokens), len(pair.new.tokens)) <= _MOST_JUDGED
    if not (is_close and is_short) or pair.new.matter <= pair.old.matter or _is_past(pair.old.text):
        return False
    verdict = judged(
        Statement(pair.new.text, Kind.FACT, Place.STANDING),
        Statement(pair.old.text, Kind.FACT, Place.STANDING),
        Setting(),
    )
    return verdict is not None and verdict.sureness >= _LEAST_SURE
