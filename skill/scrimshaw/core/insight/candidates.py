"""Which lines are worth holding against each other: for each line the few that are most like it.

A line is looked for by its rarest words among the newest that hold them, and by what it names of a pair of
opposites. Lines are known by their places among all, the earliest first.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from scrimshaw.core.insight.told import opposites, table, taken_apart

_RAREST = 4  # words of a line that others are looked for by
_MOST_HOLDERS = 48  # of a word that is looked up: the newest
_MOST_COMPARED = 6  # lines that a line is held against
_LEAST_SHARE = 0.34
_SIZE = 240
_BITS = tuple(1 << at for at in range(_SIZE))


class Keys(NamedTuple):
    """What a line is found by."""

    words: frozenset[str]  # of matter, the beginnings of their stems
    topics: tuple[str, ...]
    wanted: tuple[str, ...]  # of other lines: topics that may exclude what this one tells
    bits: int  # one for each word, some for several: how many words two lines share at most


def keys_of(text: str) -> Keys:
    """Return what a line of that *text* is found by."""
    told = taken_apart(text)
    topics: dict[str, str] = {}
    if told.opposed:
        for token in told.tokens:
            topics.update(_topics().get(token) or _topics().get(token.rstrip("s"), {}))
    if told.is_own and (table.RESIDES.search(text) or table.MOVED.search(text)):
        topics["own home"] = "own home"
    return keys(told.keys, topics)


def keys(words: frozenset[str], topics: Mapping[str, str]) -> Keys:
    """Return *words* and *topics*, each with that of the other side, as a line's keys."""
    bits = 0
    for word in words:
        bits |= _BITS[hash(word) % _SIZE]
    return Keys(words, tuple(topics), tuple(topics.values()), bits)


def candidates(lines: Sequence[Keys]) -> Iterator[tuple[int, int]]:
    """Yield the places of the pairs that are worth a look, the earlier first; some twice."""
    holders: dict[str, list[int]] = {}
    for at, line in enumerate(lines):
        for key in (*line.words, *line.topics):
            holders.setdefault(key, []).append(at)
    ranks = {key: at for at, key in enumerate(sorted(holders, key=lambda key: (len(holders[key]), key)))}
    by_place = dict(enumerate(lines))
    for at, line in by_place.items():
        rarest = sorted(line.words, key=ranks.__getitem__)[:_RAREST]
        yield from _in_order(at, _chosen(at, rarest, by_place, holders))


class Candidates:
    """The candidates among lines that come and go, as `candidates` gives them for those that are there.

    A line's pairs hang on its rarest words and topics, and on who else holds them. Only the lines for which
    these have changed are looked at again.
    """

    def __init__(self) -> None:
        self._lines: dict[int, Keys] = {}
        self._holders: dict[str, list[int]] = {}
        self._rarest: dict[int, list[str]] = {}
        self._chosen: dict[int, list[int]] = {}
        self._watchers: dict[str, set[int]] = {}  # of a key: the lines whose pairs hang on it
        self._stale: set[int] = set()
        self._changed: dict[str, bool] = {}  # keys with other holders; True: one has gone

    def put(self, at: int, keys: Keys) -> None:
        """Add the line at place *at*."""
        self._lines[at] = keys
        self._stale.add(at)
        for key in (*keys.words, *keys.topics):
            insort(self._holders.setdefault(key, []), at)
            self._changed.setdefault(key, False)

    def take(self, at: int) -> None:
        """Take the line at place *at* out."""
        keys = self._lines.pop(at)
        self._forget(at, keys)
        for key in (*keys.words, *keys.topics):
            self._holders[key].remove(at)
            self._changed[key] = True

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield the places of the pairs that are worth a look, the earlier first; some twice."""
        for at in self._outdated():
            keys = self._lines[at]
            self._forget(at, keys)
            rarest = sorted(keys.words, key=self._rank)[:_RAREST]
            self._rarest[at] = rarest
            for key in (*rarest, *keys.wanted):
                self._watchers.setdefault(key, set()).add(at)
            self._chosen[at] = _chosen(at, rarest, self._lines, self._holders)
        self._stale.clear()
        self._changed.clear()
        for at in sorted(self._chosen):
            yield from _in_order(at, self._chosen[at])

    def _outdated(self) -> set[int]:
        found = self._stale & self._lines.keys()
        for key, has_gone in self._changed.items():
            found |= self._watchers.get(key, set())
            if has_gone:  # a rarer word: it may be among a line's rarest now
                rank = self._rank(key)
                found.update(at for at in self._holders[key] if at in self._rarest and self._ends(at) > rank)
        return found

    def _ends(self, at: int) -> tuple[int, str]:
        """Return the rank of the last of a line's rarest words; of fewer words, all are among them."""
        rarest = self._rarest[at]
        return self._rank(rarest[-1]) if len(rarest) == _RAREST else (0, "")

    def _rank(self, key: str) -> tuple[int, str]:
        return len(self._holders[key]), key

    def _forget(self, at: int, keys: Keys) -> None:
        for key in (*self._rarest.pop(at, ()), *keys.wanted):
            self._watchers.get(key, set()).discard(at)
        self._chosen.pop(at, None)


def _in_order(at: int, others: Iterable[int]) -> Iterator[tuple[int, int]]:
    return ((other, at) if other < at else (at, other) for other in others)


def _chosen(
    at: int, rarest: Iterable[str], lines: Mapping[int, Keys], holders: Mapping[str, Sequence[int]]
) -> list[int]:
    """Return the places of the lines that the one at *at* is held against."""
    near: set[int] = set()
    for key in rarest:
        near.update(holders[key][-_MOST_HOLDERS:])
    chosen = _most_alike(at, near, lines)
    for topic in lines[at].wanted:
        chosen += [other for other in holders.get(topic, ())[-_MOST_COMPARED:] if other != at]
    return list(dict.fromkeys(chosen))


def _most_alike(at: int, near: Iterable[int], lines: Mapping[int, Keys]) -> list[int]:
    """Return those of the earlier ones *near* that share most with the line at *at*."""
    words, _, _, bits = lines[at]
    size = len(words)
    doubled = size - bits.bit_count()  # words whose bit is that of another
    ranked = []
    for other in near:
        if other < at:
            theirs, _, _, their_bits = lines[other]
            smaller = min(size, len(theirs))
            # Bits in common, and words that have none of their own: most of those near share no more words.
            if (bits & their_bits).bit_count() + doubled >= _LEAST_SHARE * smaller:
                share = len(words & theirs) / smaller
                if share >= _LEAST_SHARE:
                    ranked.append((share, other))
    ranked.sort(reverse=True)
    return [other for _, other in ranked[:_MOST_COMPARED]]


@cache
def _topics() -> dict[str, dict[str, str]]:
    """Return of each word of a pair of opposites its topics, each with that of the other side."""
    found: dict[str, dict[str, str]] = {}
    for at, row in enumerate(opposites()):
        for side, words in enumerate(row):
            for word in words.lstrip("!").split():
                found.setdefault(word, {})[f"opposed {at} {side}"] = f"opposed {at} {1 - side}"
    return found
