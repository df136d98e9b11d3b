"""The features that the judge of change sees of two statements: shared words, words of one only, wording.

Features are names; only those with a trained weight count (`change_judge`). They depend on no language: words
are compared by their beginnings, Chinese and Japanese by pairs of characters, and the rarity of a word is
that in the text on which the judge was trained.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from scrimshaw.core.text import entities
from scrimshaw.core.text.normalize import EAST
from scrimshaw.core.text.sentences import without_question
from scrimshaw.core.transcript import privacy
from scrimshaw.core.types import Kind, Place
from scrimshaw.data import lines

_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff々]+|\d+(?:[.,:h]\d+)*|[^\W\d_]+")
_EAST_FIGURE = re.compile(r"[〇一二三四五六七八九十百千万两半]+")
_CLOCK = re.compile(r"\d{1,2}[:.h]\d\d")
NOTED_DATE = re.compile(r" \(\d{4}-\d\d-\d\d(?: to \d{4}-\d\d-\d\d)?\)")  # added beside the words for a date
_MOST_TOKENS = 80
_LEAST_STEM, _MOST_ENDING = 4, 3
_WEIGHTY = 5
_MOST_EDGE = 4


class Told(NamedTuple):
    """A statement, split into its parts."""

    text: str
    tokens: tuple[str, ...]  # in order, normalised by `fold`
    words: frozenset[str]
    names: frozenset[str]
    figures: frozenset[str]
    clocks: frozenset[str]


class Statement(NamedTuple):
    """A statement with its kind and place."""

    text: str
    kind: Kind
    place: Place
    is_done: bool = False


class Setting(NamedTuple):
    """The position of an earlier line among those that a statement may be about."""

    rank: int = 0  # by the weight of the shared words, 0 the highest
    is_near: bool = False  # said in the same conversation


Rarity = Callable[[str], int]  # of a token: 1 (in every other statement) to 9 (rare)


@lru_cache(maxsize=1024)
def taken_apart(text: str) -> Told:
    """Return the parts of *text*; tokens after the eightieth are left out."""
    bare = entities.PLACEHOLDER.cut(NOTED_DATE.sub("", without_question(text)), " ").replace(privacy.CUT, " ")
    tokens: list[str] = []
    for hit in _TOKEN.finditer(bare):
        said = hit.group()
        if EAST.match(said):
            tokens += [said[at : at + 2] for at in range(max(1, len(said) - 1))]
        else:
            tokens.append(fold(said))
    tokens = tokens[:_MOST_TOKENS]
    named = entities.NAME.finditer(entities.without_days(bare))
    names = frozenset(fold(word) for hit in named for word in hit.group().removesuffix("'s").split())
    clocks = frozenset(hit.group() for hit in _CLOCK.finditer(bare))
    figures = frozenset(one for one in tokens if one[0].isdigit()) - clocks
    figures |= frozenset(hit.group() for hit in _EAST_FIGURE.finditer(bare))
    words = frozenset(one for one in tokens if not one[0].isdigit())
    return Told(bare, tuple(tokens), words, names, figures, clocks)


@lru_cache(maxsize=16_384)
def fold(word: str) -> str:
    """Return *word* as it is compared: lower case, no accents, an irregular form replaced by its verb."""
    plain = word.lower()
    if not plain.isascii():
        plain = "".join(c for c in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(c))
    return _VERBS.get(plain, plain)


_VERBS = {form: verb.split()[0] for verb in lines("irregular_verbs", "verbs") for form in verb.split()[1:]}


@lru_cache(maxsize=16_384)
def _bare(word: str) -> str:
    """Return *word* without the prefix "ge" of a German participle."""
    if len(word) > 5 and word.startswith("ge"):
        return word[2:]
    if len(word) > 7 and word.endswith(("t", "en")) and "ge" in word[2:6]:
        return word.replace("ge", "", 1)
    return word


def is_alike(one: str, other: str) -> bool:
    """Tell whether two tokens look like forms of one word, by their beginnings."""
    if one == other:
        return True
    if one[:1] != other[:1] and not (one.startswith("ge") or other.startswith("ge")):
        return False
    mine, theirs = _bare(one), _bare(other)
    least = max(_LEAST_STEM, max(len(mine), len(theirs)) - _MOST_ENDING)
    return mine[:least] == theirs[:least] and min(len(mine), len(theirs)) >= _LEAST_STEM


@lru_cache(maxsize=256)
def shared_words(now: frozenset[str], before: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of *now* that *before* holds in some form, and the reverse."""
    same = now & before
    by_start: dict[str, list[str]] = {}
    for word in before - same:
        by_start.setdefault(_bare(word)[:_LEAST_STEM], []).append(word)
    mine, theirs = set(same), set(same)
    for word in now - same:
        for other in by_start.get(_bare(word)[:_LEAST_STEM], ()):
            if is_alike(word, other):
                mine.add(word)
                theirs.add(other)
    return frozenset(mine), frozenset(theirs)


def features(new: Statement, old: Statement, setting: Setting, rarity: Rarity) -> Iterator[str]:
    """Yield the feature names of the later statement *new* and the earlier one *old*; some occur twice."""
    now, before = taken_apart(new.text), taken_apart(old.text)
    yield "bias"
    mine, theirs = shared_words(now.words, before.words)
    weight = sum(map(rarity, mine))
    of_new = _part(weight, sum(map(rarity, now.words)))
    of_old = _part(sum(map(rarity, theirs)), sum(map(rarity, before.words)))
    rarest = max(map(rarity, mine), default=0)
    weighty = min(4, sum(rarity(word) >= _WEIGHTY for word in mine))
    yield f"held of old {of_old}"
    yield f"held of new {of_new}"
    yield f"held {min(of_new, of_old) // 2} {max(of_new, of_old) // 2}"
    yield f"shared {weighty}"
    yield f"rarest {rarest}"
    yield f"weight {min(weight // 4, 9)}"
    yield f"rank {min(setting.rank, 4)}"
    yield "near" if setting.is_near else "far"
    yield f"rank {min(setting.rank, 1)} {setting.is_near} shared {weighty}"
    yield from _values("figures", now.figures, before.figures, weighty)
    yield from _values("clocks", now.clocks, before.clocks, weighty)
    names = now.names & before.names
    yield f"names {bool(names)} {bool(now.names - before.words)} {bool(before.names - now.words)}"
    yield f"size {_size(now)}"
    yield f"old size {_size(before)}"
    start, end = _edges(now.tokens, before.tokens)
    yield f"start {start}"
    yield f"end {end}"
    is_other = bool(now.figures and before.figures and now.figures != before.figures)
    yield f"start {start > 1} figures {is_other}"
    yield f"old {old.place}"
    yield f"old {old.kind}"
    yield f"new {new.kind} {new.is_done}"
    yield f"old {old.place} new {new.place} {new.kind}"
    yield f"old {old.kind} new {new.kind}"
    yield from _things(now, before, mine, theirs, rarity)
    yield from words_told(now)
    for word in now.words - mine:
        yield f"+ {word}"
    for word in before.words - theirs:
        yield f"- {word}"
    if now.tokens and before.tokens:
        yield f"first {_shape(now.tokens[0])} {_shape(before.tokens[0])}"


def _things(
    now: Told, before: Told, mine: frozenset[str], theirs: frozenset[str], rarity: Rarity
) -> Iterator[str]:
    """Yield features that tell whether both are about one thing: words of one only, and how each begins."""
    new = [word for word in now.tokens if _is_thing(word, rarity)]
    old = [word for word in before.tokens if _is_thing(word, rarity)]
    more = min(4, sum(word not in mine for word in new))
    missing = min(4, sum(word not in theirs for word in old))
    yield f"only new {more} only old {missing}"
    yield f"only new {more}"
    yield f"only old {missing}"
    heads = (bool(new) and new[0] in mine, bool(old) and old[0] in theirs)
    ends = (bool(new) and new[-1] in mine, bool(old) and old[-1] in theirs)
    yield f"heads {heads}"
    yield f"ends {ends}"
    yield f"heads {heads} only new {min(more, 2)} only old {min(missing, 2)}"
    yield f"heads {heads} size {_size(now) // 2}"
    yield f"lead {_lead(now, mine, rarity)} {_lead(before, theirs, rarity)}"
    rarest = max((word for word in now.tokens if word in mine), key=rarity, default="")
    if rarest:
        at = now.tokens.index(rarest)
        there = next(at for at, word in enumerate(before.tokens) if is_alike(word, rarest))
        mine_before = _shape(now.tokens[at - 1]) if at else "^"
        theirs_before = _shape(before.tokens[there - 1]) if there else "^"
        yield f"before {mine_before == theirs_before}"
        yield f"before {mine_before} {theirs_before}"
        yield f"before it {mine_before}"


def _lead(told: Told, shared: frozenset[str], rarity: Rarity) -> str:
    """Return how a statement begins: with a shared word, a name or thing only it has, or a common word."""
    if not told.tokens:
        return "nothing"
    first = told.tokens[0]
    if first in shared:
        return f"shared {_is_thing(first, rarity)}"
    return "own thing" if _is_thing(first, rarity) else "common"


def _is_thing(word: str, rarity: Rarity) -> bool:
    return not word[0].isdigit() and rarity(word) >= _WEIGHTY


def _part(held: int, of: int) -> int:
    return held * 8 // max(of, 1)


def _size(told: Told) -> int:
    many = len(told.tokens)
    return next((at for at, most in enumerate((2, 4, 6, 9, 13, 18, 26)) if many <= most), 7)


def _values(name: str, now: frozenset[str], before: frozenset[str], weighty: int) -> Iterator[str]:
    if not now and not before:
        state = "none"
    elif not before:
        state = "new"
    elif not now:
        state = "old"
    elif now == before:
        state = "same"
    elif now & before:
        state = "some"
    else:
        state = "other"
    yield f"{name} {state}"
    if state in ("other", "some"):
        yield f"{name} {state} shared {weighty}"


def _edges(now: Sequence[str], before: Sequence[str]) -> tuple[int, int]:
    """Return how many words both statements begin with, and end with."""
    start = end = 0
    for one, other in zip(now, before, strict=False):
        if start == _MOST_EDGE or one != other:
            break
        start += 1
    for one, other in zip(reversed(now), reversed(before), strict=False):
        if end == _MOST_EDGE or one != other:
            break
        end += 1
    return start, end


def words_told(now: Told) -> Iterator[str]:
    """Yield the features of the later statement's words alone."""
    tokens = ("^", *now.tokens, "$")
    for at in range(1, len(tokens) - 1):
        if not tokens[at][0].isdigit():
            yield f"w {tokens[at]}"
        yield f"w {_shape(tokens[at - 1])} {_shape(tokens[at])}"
    yield f"w {_shape(tokens[-2])} $"
    for mark in "?!？！":
        if mark in now.text:
            yield f"w {mark}"


def _shape(token: str) -> str:
    return "0" if token[0].isdigit() else token
