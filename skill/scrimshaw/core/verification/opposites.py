"""Which words of a text have an opposite, and on which side of which matter each of them stands.

The words are in core/verification/antonyms and core/verification/antonym_pairs. They are found in any of
their forms, the phrases by their first word: a text is walked through once, however many there are. All is
made ready when it is first asked for, not on import.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from typing import NamedTuple

from scrimshaw.core.ledger.known_lines import WORDS_KEPT
from scrimshaw.core.text.stems import stem_of
from scrimshaw.core.verification.antonym_pairs import IRREGULAR, NEUTRAL, PAIRS, PREFIXED, TWO_ENDED_PAIRS
from scrimshaw.core.verification.antonyms import MATTERS

_RUN = re.compile(r"[^\W\d_][\w']*(?:[ -][^\W\d_][\w']*)*")
_PARTICLES_TEXT = "off on up down out in over back away aside forward together apart"
_PARTICLES = frozenset(_PARTICLES_TEXT.split(" "))
_LATER = _PARTICLES | {"_"}  # need not come at once
_OBJECTS_TEXT = """
the a an this that these those it them him her us me you my his its our your their all both any some
"""
_OBJECTS = frozenset(_OBJECTS_TEXT.split())
_AFTER_SWITCH_TEXT = "in for at until since by again now and from to after but during"
_AFTER_SWITCH = frozenset(_AFTER_SWITCH_TEXT.split(" "))
_NO_SWITCH_TEXT = "day days time week weeks hour hours later early so and"
_NO_SWITCH = frozenset(_NO_SWITCH_TEXT.split(" "))
_NEUTRAL = frozenset(NEUTRAL.split())
_FEW_WORDS = 3
_DOUBLED = "bdgmnprtl"
_SHORT = 4  # letters
_Sides = tuple[tuple[int, int], ...]
_Way = tuple[tuple[str, ...], str]


class Found(NamedTuple):
    """A phrase, or an irregular form of a word, where it stands in a text; asked like a pattern's match."""

    at: int
    to: int
    said: str

    def group(self) -> str:
        """Return the phrase as it is listed, or the word that it is a form of."""
        return self.said


class _Words:
    """Every listed word and phrase with its sides; asked like a dictionary."""

    def get(self, word: str, default: _Sides = ()) -> _Sides:
        """Return the sides of *word*, a stem or a phrase with "+" for its blanks."""
        return self.known.get(word) or self.known.get(_root(word), default)

    @cached_property
    def known(self) -> dict[str, _Sides]:
        found: dict[str, list[tuple[int, int]]] = {}
        for number, sides in enumerate(_matters()):
            for side, words in zip((1, -1), sides, strict=True):
                for word in words:
                    for key in _keys(word):
                        found.setdefault(key, []).append((number, side))
        for form, base in _irregular().items():
            if form in found:
                found[form] += found.get(_root(stem_of(base)), [])
        return {word: tuple(sides) for word, sides in found.items()}


class _Phrases:
    """All phrases by their first word; asked like a pattern."""

    @cached_property
    def ways(self) -> dict[str, list[_Way]]:
        found: dict[str, list[_Way]] = {}
        for phrase in (*SIDES.known, *NEUTRAL.split()):
            if "+" not in phrase:
                continue
            first, *rest = phrase.split("+")
            found.setdefault(_base(first), []).append((tuple(rest), phrase.replace("+", " ")))
        for known in found.values():
            known.sort(key=lambda way: -len(way[0]))
        return found

    def finditer(self, text: str) -> Iterator[Found]:
        """Yield what is found in *text*, of several phrases the longest."""
        for run in _RUN.finditer(text):
            words = run.group().replace("-", " ").split(" ")
            begin, at = run.start(), 0
            while at < len(words):
                to, said = self._at(words, at)
                end = begin + sum(map(len, words[at : (to or at + 1)])) + max(0, to - at - 1)
                if to:
                    yield Found(begin, end, said)
                begin, at = end + 1, to or at + 1

    def _at(self, words: list[str], at: int) -> tuple[int, str]:
        """Return up to which word what begins at *at* goes, and what it is."""
        word = words[at]
        behind = words[at + 1] if at + 1 < len(words) else ""
        for rest, said in self.ways.get(_base(word), ()):
            if (rest[0] == behind or rest[0] in _LATER) and (to := _followed(rest, words, at + 1)):
                return to, said
        if word in ("on", "off"):
            ends = at + 1 == len(words) or words[at + 1] in _AFTER_SWITCH
            return (at + 1, word) if ends and at and words[at - 1] not in _NO_SWITCH else (0, "")
        if word in _NEUTRAL or f"={word}" in SIDES.known:
            return at + 1, f"={word}"
        base = _plain_form(word)
        return (at + 1, base) if base and SIDES.get(base) and not SIDES.get(word) else (0, "")

    def sub(self, by: str, text: str) -> str:
        """Return *text* with *by* for all that is found in it."""
        pieces, begin = [], 0
        for found in self.finditer(text):
            pieces += [text[begin : found.at], by]
            begin = found.to
        return "".join((*pieces, text[begin:]))


def _followed(rest: tuple[str, ...], words: list[str], at: int) -> int:
    """Return where *rest*, if it follows in *words*, ends, else 0; "_" in it stands for a few words.

    What a verb is done to may stand before its particle: "turn the heating off".
    """
    if tuple(words[at : at + len(rest)]) == rest:
        return at + len(rest)
    if "_" in rest:
        gap = rest.index("_")
        tail = rest[gap + 1 :]
        if tuple(words[at : at + gap]) != rest[:gap]:
            return 0
    elif len(rest) == 1 and rest[0] in _PARTICLES and words[at : at + 1] and words[at] in _OBJECTS:
        gap, tail = 0, rest
    else:
        return 0
    for begin in range(at + gap + 1, at + gap + 1 + _FEW_WORDS):
        if tuple(words[begin : begin + len(tail)]) == tail:
            return begin + len(tail)
    return 0


def _matters() -> Iterator[tuple[list[str], list[str]]]:
    """Yield each matter's two sides, those with two ends first."""
    concepts = (line.partition(": ")[2] for line in MATTERS.strip().replace("\n ", " ").splitlines())
    for both in (*TWO_ENDED_PAIRS.split(";"), *PAIRS.split(";"), *concepts):
        left, right = (side.split() for side in both.split("/"))
        if "?" not in both:
            yield left, right
            continue
        # Two weak words say nothing against each other: each stands against the other side's sure ones only.
        sure = [[word for word in side if word[-1] != "?"] for side in (left, right)]
        weak = [[word[:-1] for word in side if word[-1] == "?"] for side in (left, right)]
        yield sure[0] + weak[0], sure[1]
        if weak[1]:
            yield sure[0], sure[1] + weak[1]
    for prefixes, words in PREFIXED.items():
        one, _, other = prefixes.rpartition("/")
        for word in words.split():
            yield [one + word], [f"{other}{word}", f"{other}+{word}"]


def _keys(word: str) -> Iterable[str]:
    """Return what *word* is found by: an adjective with "*" in its degrees and as an adverb too."""
    if "+" in word or word[0] == "=":
        return (word,)
    if word[-1] == "*":
        return [_root(stem_of(each)) for each in _degrees(word[:-1])]
    found = [_root(stem_of(word))]
    if word.endswith("eed"):  # "speed" has the ending of "asked"
        found.append(word)
    elif word.endswith("ee"):
        found.append(_root(stem_of(word + "d")))
    return found


def _degrees(word: str) -> tuple[str, ...]:
    if word.endswith("ic"):
        return word, word + "ally"
    if word.endswith("y"):
        return word, word[:-1] + "ier", word[:-1] + "iest", word[:-1] + "ily"
    stem = word.removesuffix("e")
    return word, stem + "er", stem + "est", (stem + "y" if word.endswith("le") else word + "ly")


def _root(stem: str) -> str:
    """Return what the stems of a word's forms have in common: "drop" of "dropp", "deny" of "deni"."""
    if len(stem) < _SHORT:
        return stem
    if stem[-1] == stem[-2] and stem[-1] in _DOUBLED:
        return stem[:-1]
    return stem[:-1] + "y" if stem[-1] == "i" else stem


@lru_cache(maxsize=WORDS_KEPT)
def _base(word: str) -> str:
    """Return what all forms of the first word of a phrase have in common, "gave" and "giving" too."""
    return _root(stem_of(_irregular().get(word, word))).removesuffix("e")


@lru_cache(maxsize=WORDS_KEPT)
def _plain_form(word: str) -> str:
    """Return what "gave", "running" and "hated" are forms of, "" for a word that its stem tells of."""
    stem = stem_of(word)
    base = _root(stem_of(_irregular().get(word, word)))
    if len(base) == _SHORT - 1 and word.endswith(("ed", "ing", "es")):
        base += "e"  # else a hat would be hated
    return base if base != stem else ""


@lru_cache(maxsize=1)
def _irregular() -> dict[str, str]:
    """Return each irregular form with the verb it is of."""
    found = {}
    for row in IRREGULAR.split(","):
        base, *forms = row.split()
        found.update(dict.fromkeys(forms, base))
    return found


SIDES = _Words()
"""Stemmed word (or words joined by "+") → the matters it is of, each with its side, 1 or -1."""
PHRASE = _Phrases()
"""Finds phrases and irregular forms; `SIDES` has what it finds with "+" for blanks."""
TWO_ENDED = frozenset(map(str, range(TWO_ENDED_PAIRS.count("/"))))
"""Matters of which one thing is told from two ends: who sells and who buys."""
