"""Figures that a note has worked out from those of an entry: sums, differences, shares, multiples, counts.

Such a figure stands nowhere and may still be right. It passes only where the note says that it reckons
("cheaper by 300", "in all", "ten times") and the figures it follows from stand close together: from any
two of many figures nearly everything can be worked out.
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
_NEAR_CHARS = 40
_CHANGE = re.compile(
    r"(?<![\d.,])(\d[\d.,]{0,15})(?!\d)\D{0,20}?"
    r"(?:\bto|→|->|\binstead of|\bnot|\bvs\.?|\bagainst)\s(\d[\d.,]*)"
)
_LEAST_SUM, _LEAST_ADDEND, _MOST_ADDENDS = 20, 5, 12
_LEAST_DIFFERENCE, _TIMES_LESS = 20, 5
_IS_NEW = re.compile(r"(?:\bto|\bfrom|\bthan|→|->)\s$")  # "from 9 to 5" tells what it is, not by how much
_MOST_FIGURES = 40
_TOLERANCE = 1e-6
_MANIFOLD = re.compile(r"(?:\s?-?fold|\stimes|\s?[x×])\b")
_PERCENT = re.compile(r"\s?(?:%|percent\b|per cent\b)")
_OF_ALL = re.compile(r"\s?(?:/|of (?:the )?|out of (?:the )?)(\d+)")
_BUT_ONE = re.compile(r"\b(?:except|apart from|all but|but one|other than|only one|one of)\b")
_WHERE = re.compile(r"\s(?:[a-z]+ )?(?:in|for|from|by|at|on|×|x)\s([\w-]*[./_][\w./-]*\w)")
_MOST_COUNTED = 12
_ENUMERATION = re.compile(r"\w[\w./:'-]*(?:, \w[\w./:'-]*)*(?:,? (?:and|or|&) )\w[\w./:'-]*")
_MOST_ENUMERATED = 6
_SHARE = re.compile(r"\b(\d{1,4}) (?:of|out of) (?:the )?(\d{1,4})\b")
_PAIR = re.compile(r"\b(?:twice|double|both|either|neither|pair|couple)\b")
_NAMES = re.compile(r"\b[A-ZÀ-Þ][\w’'-]+(?: [A-ZÀ-Þ][\w’'-]+)*")
_FILES = re.compile(r"(?<![\w/.-])[\w/-]{1,80}\.[a-z]{1,5}\b")
# What may stand behind a count of things: "three false friends", "the two of them", "all three".
_THINGS = re.compile(r"\s(?!times\b)(?:[a-z-]+\s)?[a-z]{3,}s\b")
_OF_TWO = re.compile(r"\s(?:of (?:them|these|those)|times)\b")
_ALL_OF = re.compile(r"\b(?:the|all|these|those)\s$")


def is_reckoned(number: str, start: int, end: int, text: str, cited: Witnesses) -> bool:
    """Tell whether *number*, at *start* to *end* of *text* (lower case), follows from what is cited."""
    if not re.fullmatch(r"\d+(?:\.\d+)?", number):
        return False
    value = float(number)
    near = text[max(0, start - _NEAR_CHARS) : end + _NEAR_CHARS]
    if _IN_ALL.search(text) and any(_is_sum(value, w) for w in cited):
        return True
    if (
        _DIFFERS.search(near)
        and not _IS_NEW.search(text, 0, start)
        and any(_is_difference(value, w) for w in cited)
    ):
        return True
    if _MANIFOLD.match(text, end) and any(_is_multiple(value, w) for w in cited):
        return True
    if _PERCENT.match(text, end) and any(_is_change(value, number, text, w) for w in cited):
        return True
    return _is_all_but(value, end, text, cited) or _is_count(value, start, end, text, cited)


@lru_cache(maxsize=64)
def _figures(witness: Witness) -> tuple[float, ...]:
    """Return the figures of an entry in their order, its dates and times left out."""
    lower = joined(normal(without_dates(witness.text, witness.said_at)))
    keys = (number_key(match.group()) for match in NUMBER.finditer(lower))
    found = tuple(float(key) for key in keys if re.fullmatch(r"\d{1,15}(?:\.\d+)?", key))
    return found if len(found) <= _MOST_FIGURES else ()


def _neighbours(witness: Witness) -> list[tuple[float, float]]:
    """Return every two figures between which at most one stands."""
    found = _figures(witness)
    return [(a, b) for at, a in enumerate(found) for b in found[at + 1 : at + 3] if min(a, b) > 0]


def _is_sum(value: float, witness: Witness) -> bool:
    """Whether *value* is what two figures come to, or some that follow one another."""
    if value < _LEAST_SUM:
        return False
    held = [one for one in _figures(witness) if _LEAST_ADDEND <= one < value]
    if len(held) > _MOST_ADDENDS:
        return False
    sums = {sum(held[at:to]) for at in range(len(held)) for to in range(at + 2, len(held) + 1)}
    sums |= {a + b for at, a in enumerate(held) for b in held[at + 1 :]}
    return any(abs(one - value) < _TOLERANCE for one in sums)


def _is_difference(value: float, witness: Witness) -> bool:
    """Whether *value* lies between two figures: of like size, or of which one became the other."""
    pairs = [
        pair
        for pair in _neighbours(witness)
        if value >= _LEAST_DIFFERENCE or min(pair) >= _TIMES_LESS * value
    ]
    for match in _CHANGE.finditer(joined(witness.lower)):
        keys = [number_key(group.rstrip(".,")) for group in match.groups()]
        if all(re.fullmatch(r"\d{1,15}(?:\.\d+)?", key) for key in keys):
            pairs.append((float(keys[0]), float(keys[1])))
    return value > 0 and any(abs(abs(a - b) - value) < _TOLERANCE for a, b in pairs)


def _is_multiple(value: float, witness: Witness) -> bool:
    return any(abs(max(pair) - value * min(pair)) < _TOLERANCE for pair in _neighbours(witness))


def _is_change(value: float, number: str, text: str, witness: Witness) -> bool:
    """Whether *value* percent is the change between two figures that the note tells as well: 890 → 655."""
    told = [{number_key(group.rstrip(".,")) for group in m.groups()} for m in _CHANGE.finditer(text)]
    places = len(number.partition(".")[2])
    return any(
        round(100 * share, places) == value
        for a, b in _neighbours(witness)
        if {f"{a:g}", f"{b:g}"} in told
        for share in (abs(a - b) / a, abs(a - b) / b)
    )


def _is_all_but(value: float, end: int, text: str, cited: Witnesses) -> bool:
    """Whether "213 of 214" is what "all 214 but one" leaves."""
    if (match := _OF_ALL.match(text, end)) is None or not any(match[1] in w.numbers for w in cited):
        return False
    rest = int(match[1]) - value
    return any(f"{rest:g}" in w.numbers or (rest == 1 and _BUT_ONE.search(w.lower)) for w in cited)


def _is_count(value: float, start: int, end: int, text: str, cited: Witnesses) -> bool:
    """Whether an entry holds that many of what is counted."""
    if not 1 <= value <= _MOST_COUNTED:
        return False
    if match := _WHERE.match(text, end):
        named = re.compile(rf"(?<!\w){re.escape(match[1])}(?!\w)")
        if any(len(named.findall(w.lower)) == value for w in cited):
            return True
    if value == 2 and _OF_TWO.match(text, end) and any(_PAIR.search(w.lower) for w in cited):
        return True
    if _ALL_OF.search(text, 0, start) and any(_names(w) == value for w in cited):
        return True
    return _THINGS.match(text, end) is not None and is_enumerated(int(value), cited)


def is_enumerated(count: int, cited: Witnesses) -> bool:
    """Tell whether an entry lists that many things: "the 2nd, 9th and 14th" are three."""
    if not 2 <= count <= _MOST_ENUMERATED:
        return False
    if count == 2 and any(_PAIR.search(w.lower) for w in cited):
        return True
    if any(count in (len(w.named_times), len(set(_FILES.findall(w.lower)))) for w in cited):
        return True
    shares = (match for w in cited for match in _SHARE.finditer(w.lower))
    if any(int(match[2]) - int(match[1]) == count for match in shares):
        return True  # "11 of 17" leaves six
    lists = (match.group() for w in cited for match in _ENUMERATION.finditer(w.lower))
    return any(len(re.split(r",? (?:and|or|&) |, ", one)) == count for one in lists)


def _names(witness: Witness) -> int:
    """Return how many names an entry holds."""
    rows = {match.group().lower() for match in _NAMES.finditer(witness.text)}
    return sum(any(stem(word) not in ORDINARY | NEUTRAL for word in row.split()) for row in rows)
