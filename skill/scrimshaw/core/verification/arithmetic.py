"""Figures that a note has worked out from those of an entry: a sum, a difference, how many are listed.

Such a figure stands nowhere and may still be right. It passes only where the note says that it reckons ("in
all", "cheaper by 300") and the figures it follows from stand close together: from any two of many figures
nearly everything can be worked out.
"""

from __future__ import annotations

import re
from functools import lru_cache

from scrimshaw.core.ledger.known_lines import stem
from scrimshaw.core.text.normalize import normal
from scrimshaw.core.text.numbers import NUMBER, joined, number_key
from scrimshaw.core.verification.lookup import Witnesses, without_dates
from scrimshaw.core.verification.names import NEUTRAL, ORDINARY
from scrimshaw.core.verification.source import Witness

_IN_ALL = re.compile(
    r"\b(?:in all|in total|totals?|total?ling|altogether|together|combined"
    r"|(?:full|whole)(?: \w+)? (?:amount|sum|price))\b"
)
_DIFFERS = re.compile(
    r"\b(?:more|less|fewer|(?:cheap|dear|pric[ie]|long|short|fast|slow|high|low|bigg|small|old|young|heavi|light"
    r"|lat|earli|tall|hott|cold|warm)er|differ\w*|rais\w+|ris(?:e[sn]?|ing)|rose|increas\w+|decreas\w+|reduc\w+|drop\w*"
    r"|fell|fall\w*|grew|grow\w*|gain\w*|shr[iau]nk\w*|cut|sav\w+|by|short|over|above|below|under|extra|surplus"
    r"|gap|margin|ahead|behind|left|remain\w*|missing|lack\w*|lost|unused|spare)\b"
)
_IS_NEW = re.compile(r"(?:\bto|\bfrom|\bthan|→|->)\s$")  # "from 9 to 5" tells what it is, not by how much
_NEAR_CHARS = 40
_LEAST_WORKED_OUT, _LEAST_ADDEND, _MOST_ADDENDS = 20, 5, 12
_TIMES_LESS = 4
_MOST_FIGURES = 40
_MANIFOLD = re.compile(r"(?:\s?-?fold|\stimes|\s?[x×])\b")
_OF_ALL = re.compile(r"\s?(?:/|of (?:the )?|out of (?:the )?)(\d+)")
_BUT_ONE = re.compile(r"\b(?:except|apart from|all but|but one|other than|only one|one of)\b")
_TOLERANCE = 1e-6
_MOST_LISTED = 6
_LIST = re.compile(r"\w[\w./:'-]*(?:, \w[\w./:'-]*)*(?:,? (?:and|or|&) )\w[\w./:'-]*")
_BETWEEN = re.compile(r",? (?:and|or|&) |, ")
_PAIR = re.compile(r"\b(?:twice|double|both|either|neither|pair|couple)\b")
_NAMES = re.compile(r"\b[A-ZÀ-Þ][\w’'-]+(?: [A-ZÀ-Þ][\w’'-]+)*")
# What may stand behind a count of things: "three false friends", "all three".
_THINGS = re.compile(r"\s(?!times\b)(?:[a-z-]+\s)?[a-z]{3,}s\b")
_ALL_OF = re.compile(r"\b(?:the|all|these|those)\s$")


def is_reckoned(number: str, start: int, end: int, text: str, cited: Witnesses) -> bool:
    """Tell whether *number*, at *start* to *end* of *text* (lower case), follows from what is cited."""
    if not re.fullmatch(r"\d+(?:\.\d+)?", number):
        return False
    value = float(number)
    if _IN_ALL.search(text) and any(_is_sum(value, _figures(w)) for w in cited):
        return True
    differs = _DIFFERS.search(text[max(0, start - _NEAR_CHARS) : end + _NEAR_CHARS])
    if (
        differs
        and not _IS_NEW.search(text, 0, start)
        and any(_is_difference(value, _figures(w)) for w in cited)
    ):
        return True
    if _MANIFOLD.match(text, end) and any(a == value * b for w in cited for a, b in _pairs(_figures(w))):
        return True
    whole = _OF_ALL.match(text, end)  # "213 of 214" is what "all 214 but one" leaves
    if (
        whole
        and int(whole[1]) - value == 1
        and any(whole[1] in w.numbers and _BUT_ONE.search(w.lower) for w in cited)
    ):
        return True
    if _ALL_OF.search(text, 0, start) and any(_names(w) == value for w in cited):
        return True
    return _THINGS.match(text, end) is not None and is_listed(value, cited)


def is_listed(count: float, cited: Witnesses) -> bool:
    """Tell whether an entry lists that many things: "the 2nd, 9th and 14th" are three."""
    if not 2 <= count <= _MOST_LISTED:
        return False
    if count == 2 and any(_PAIR.search(w.lower) for w in cited):
        return True
    lists = (match.group() for w in cited for match in _LIST.finditer(w.lower))
    return any(len(_BETWEEN.split(one)) == count for one in lists)


@lru_cache(maxsize=64)
def _figures(witness: Witness) -> tuple[float, ...]:
    """Return the figures of an entry in their order, its dates and times left out."""
    lower = joined(normal(without_dates(witness.text, witness.said_at)))
    keys = (number_key(match.group()) for match in NUMBER.finditer(lower))
    found = tuple(float(key) for key in keys if re.fullmatch(r"\d{1,15}(?:\.\d+)?", key))
    return found if len(found) <= _MOST_FIGURES else ()


def _is_sum(value: float, figures: tuple[float, ...]) -> bool:
    """Whether *value* is what two figures come to, or some that follow one another."""
    held = [one for one in figures if _LEAST_ADDEND <= one < value]
    if value < _LEAST_WORKED_OUT or len(held) > _MOST_ADDENDS:
        return False
    sums = {sum(held[at:to]) for at in range(len(held)) for to in range(at + 2, len(held) + 1)}
    sums |= {a + b for at, a in enumerate(held) for b in held[at + 1 :]}
    return any(abs(one - value) < _TOLERANCE for one in sums)


def _is_difference(value: float, figures: tuple[float, ...]) -> bool:
    """Whether *value* lies between two figures of like size."""
    return value > 0 and any(
        abs(a - b - value) < _TOLERANCE
        for a, b in _pairs(figures)
        if value >= _LEAST_WORKED_OUT or b >= _TIMES_LESS * value
    )


def _pairs(figures: tuple[float, ...]) -> list[tuple[float, float]]:
    """Return every two figures between which at most one stands, the larger one first."""
    pairs = ((a, b) for at, a in enumerate(figures) for b in figures[at + 1 : at + 3])
    return [(max(pair), min(pair)) for pair in pairs]


def _names(witness: Witness) -> int:
    """Return how many names an entry holds."""
    rows = {match.group().lower() for match in _NAMES.finditer(witness.text)}
    return sum(any(stem(word) not in ORDINARY | NEUTRAL for word in row.split()) for row in rows)
