"""Numbers and what they measure, in the forms that people write: 1,200, 1.2k, twelve hundred, half a kilo.

A figure is compared by what it means and not by how it is written, and an amount by what it measures,
so that 3 h are 180 minutes and two weeks are 14 days. Knows nothing of entries: texts in, values out;
texts made `normal`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from scrimshaw import data

_APART = dict.fromkeys(map(ord, " '\u00a0\u202f"))
NUMBER = re.compile(r"\d{1,3}(?:[ '\u00a0\u202f,.]\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)*")
SPACED_NUMBER = re.compile(r"(?<![\w.,/:-])\d{1,3}(?: \d{3})+(?:[.,]\d+)?(?![\w]|[.,]\d)")
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
)
_WORDS = {word: number for number, word in enumerate((_ONES + " seventeen eighteen nineteen").split())}
_TENS = {
    w: 20 + 10 * n
    for n, w in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"])
}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "dozen": 12}
_SPELLED = "|".join(sorted({**_WORDS, **_TENS, **_SCALES}, key=len, reverse=True))
_RUN = re.compile(rf"\b(?:{_SPELLED})s?(?:(?:[ -]| and )(?:{_SPELLED})s?)*\b")
_PARTS = {  # words that hold a number
    "half": ("0.5",),
    "quarter": ("0.25",),
    "third": ("3",),
    "couple": ("2",),
    "nothing": ("0",),
    "no": ("0",),
    "none": ("0",),
}
_SHARES = {"half": 50.0, "quarter": 25.0, "third": 33.0}
_IS_NOT = re.compile(r"(?<=\d )(is|are|was|were|do|does|did|has|have|had|ca|could|wo|would)n't\b")
_HALVES = re.compile(r"\b(\d+)(?: and a half\b| and ½|\s?½)")
_POINT = re.compile(r"(?<![\w.,])\.(\d+)(?!\w|\.\d)")  # ".78"
# Digits in a hash are no numbers.
_FIELDS = re.compile(r"(?<=[^\s\d]),\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)+")  # "Groceries,600,655" of a table
_HASH = re.compile(r"(?<![\w-])(?=[0-9a-f]*[a-f]\d)(?=\d*[a-f])[0-9a-f]{4,40}(?![\w-])")
_PART = re.compile(rf"\b(?:{'|'.join(_PARTS)})\b")
_MULTIPLE = re.compile(
    r"(?<![\w.,])[€$£~]?(\d+(?:[.,]\d+)?)\s?(k|m|mio|mn|million|thousand|grand|bn|billion)\b(?!/)"
)
_FACTORS = {"k": 1e3, "thousand": 1e3, "grand": 1e3, "bn": 1e9, "billion": 1e9}


class Unit(NamedTuple):
    """A unit: its one name, what it measures, and how many of the smallest it holds."""

    name: str
    dimension: str
    size: float


def _read_units() -> dict[str, Unit]:
    found = {}
    for line in data.lines("measures", "units"):
        dimension, *units = line.split()
        for unit in units:
            names, size = unit.split("=")
            first = names.split("|")[0]
            found.update(dict.fromkeys(names.split("|"), Unit(first, dimension, float(size))))
    # Written without a dimension in mind: "m" counts minutes as often as metres.
    return {**found, "m": found["minute"]}


UNITS = _read_units()
_UNIT = "|".join(sorted((re.escape(unit) for unit in UNITS), key=len, reverse=True))
_AMOUNT = re.compile(rf"(?<![\w.,:/-])(\d+(?:[.,]\d+)*)[\s-]?({_UNIT})(?!\w)")
_BEFORE = re.compile(r"([€$£])\s?(\d+(?:[.,]\d+)*)")
_SPELLED_AMOUNT = re.compile(
    rf"\b((?:{_SPELLED})(?:[ -](?:{_SPELLED}))*|an?|one|half an?|half|quarter of an)[ -]({_UNIT})(?!\w)"
)
# "an hour and a half", "five and a half", "2½ kilos"
_AND_HALF = re.compile(
    rf"\b(\d+|an?|{_SPELLED})(?: ({_UNIT}))?(?: and a half\b| and ½|\s?½)(?: ({_UNIT})(?!\w))?"
)
_EVERY = dict(pair.split("=") for pair in data.words("measures", "every"))
_HOW_OFTEN = re.compile(rf"\b(?:{'|'.join(sorted(_EVERY, key=len, reverse=True))})\b")
_EVERY_OTHER = re.compile(rf"\b(?:every|each) (?:(other|second|third|\d+) )?({_UNIT})\b")
_NTH = {"": 1.0, "other": 2.0, "second": 2.0, "third": 3.0}
_A_TURN = re.compile(r"\b(?:once |a |per |each |every |/)(?:an? |per )?(hour|day|week|month|quarter|year)\b")
_ON_A_DAY = re.compile(
    r"\b(?:(?:every|each) (?:mon|tues?|wed|thu|fri|sat|sun)|(?:mon|tues|wednes|thurs|fri|satur|sun)days\b)"
)
_IN_A_DAY = re.compile(
    r"\b(?:every|each|in the|at) ?(?:morning|afternoon|evening|night|noon|lunch|breakfast|dinner)s?\b"
)
_CLOCKED = re.compile(r"\b(\d{1,2}):(\d\d):(\d\d)\b")
_TOLERANCE = 1e-6
# What tells one of several by its number.
LABELS = "|".join(data.phrases("measures", "numbered"))

Amount = tuple[str, float]  # what is measured, and how much in its smallest unit


@lru_cache(maxsize=8192)
def readings(number: str) -> frozenset[str]:
    """Return the ways *number* can be read: "3,657.50" is 3657.5, "1,234" is 1234 or 1.234."""
    bare = number.translate(_APART)
    marks = [c for c in bare if c in ".,"]
    found = {bare}
    if not marks:
        found.add(bare.lstrip("0") or "0")
    elif len(set(marks)) == 2:
        found.add(_decimal(bare.replace(marks[0], "").replace(",", ".")))
    elif len(marks) > 1:
        found.add(bare.replace(marks[0], ""))
    else:
        found.add(_decimal(bare.replace(",", ".")))
        if re.fullmatch(r"[1-9]\d{0,2}[.,]\d{3}", bare):
            found.add(bare.replace(marks[0], ""))
    return frozenset(found)


def number_key(number: str) -> str:
    """Return one spelling for *number*; "1,234" is taken for a thousand."""
    found = readings(number)
    is_grouped = re.fullmatch(r"[1-9]\d{0,2}(?:[.,'\u202f]\d{3})+", number) is not None
    plain = [reading for reading in found if reading.replace(".", "", 1).isdigit()]
    if not plain:
        return number
    return min(plain, key=lambda one: ("." in one, -len(one))) if is_grouped else min(plain, key=len)


def _decimal(number: str) -> str:
    whole, _, fraction = number.partition(".")
    fraction = fraction.rstrip("0")
    return f"{whole.lstrip('0') or '0'}.{fraction}" if fraction else whole.lstrip("0") or "0"


def joined(lower: str) -> str:
    """Return *lower* with its numbers as figures, those in words and those set apart: 240 118 → 240118."""
    return in_figures(SPACED_NUMBER.sub(lambda match: match.group().replace(" ", ""), lower))


@lru_cache(maxsize=64)  # several checks of one line ask it
def in_figures(lower: str) -> str:
    """Return *lower* with its numbers above one in figures: "two commits" counts commits as 2 does."""
    parts, at = [], 0
    for value, start, end in spelled(lower):
        if value not in ("0", "1"):
            parts += [lower[at:start], value]
            at = end
    return _IS_NOT.sub(r"\1 not", _HALVES.sub(r"\1.5", "".join([*parts, lower[at:]])))


def plain(value: float) -> str:
    """Return *value* as `readings` writes it."""
    return _decimal(f"{value:.6f}")


def spelled(lower: str) -> Iterator[tuple[str, int, int]]:
    """Yield the numbers written in words, each with its span: "twenty-five" is 25, "twelve hundred" 1200."""
    for match in _RUN.finditer(lower):
        for value, start, end in _values(match.group()):
            yield str(value), match.start() + start, match.start() + end


def _values(words: str) -> Iterator[tuple[int, int, int]]:
    """Yield each number of a run; "two three" are two of them."""
    total, current, start, end, last = 0, 0, 0, 0, 0
    for match in re.finditer(r"[a-z]+", words):
        word = (
            match.group()
            if match.group() in _WORDS or match.group() in _TENS
            else match.group().removesuffix("s")
        )
        if word == "and":
            continue
        size = _WORDS.get(word, _TENS.get(word, 0))
        if word in _SCALES:
            current = (current or 1) * _SCALES[word]
            if _SCALES[word] >= 1000:
                total, current = total + current, 0
            last = 0
        elif (last and (size >= 10 or last < 20)) or (
            not end and not current and size == 0 and word != "zero"
        ):
            yield total + current, start, end
            total, current, start, last = 0, size, match.start(), size
        else:
            current, last = current + size, size
        end = match.end()
    yield total + current, start, end


def multiples(lower: str) -> Iterator[str]:
    """Yield what "64k", "1.2 million" and the like come to."""
    for match in _MULTIPLE.finditer(lower):
        yield plain(float(match[1].replace(",", ".")) * _FACTORS.get(match[2], 1e6))


def all_numbers(text: str, lower: str) -> frozenset[str]:
    """Return every number of a text in every way it can be read, words for numbers and multiples too."""
    text = _HASH.sub(" ", text)
    found = {reading for match in NUMBER.finditer(text) for reading in readings(match.group())}
    spaced = (match.group().split() for match in SPACED_NUMBER.finditer(text))
    found.update(part for parts in spaced for part in parts)  # "room 5 910" may be two of them
    fields = (match.group().strip(",").split(",") for match in _FIELDS.finditer(text))
    found.update(part for parts in fields for part in parts)
    found.update(multiples(lower))
    found.update(value for value, _, _ in spelled(lower))
    found.update(part for match in _PART.finditer(lower) for part in _PARTS[match.group()])
    found.update(_decimal(f"0.{match[1]}") for match in _POINT.finditer(lower))
    found.update(plain(_and_half(match)) for match in _AND_HALF.finditer(lower))
    return frozenset(found)


def _and_half(match: re.Match[str]) -> float:
    return 0.5 + (float(match[1]) if match[1].isdigit() else _spelled_value(match[1]))


def amounts(lower: str) -> frozenset[Amount]:
    """Return what is measured in *lower*, in the smallest unit of each dimension."""
    found: set[Amount] = set()
    for match in _AMOUNT.finditer(lower):
        found.update(_amounts(match[1], match[2]))
    for match in _BEFORE.finditer(lower):
        found.update(_amounts(match[2], match[1]))
    for match in _SPELLED_AMOUNT.finditer(lower):
        found.add(_amount(_spelled_value(match[1]), UNITS[match[2]]))
    found |= {
        ("percent", _SHARES[match.group()]) for match in _PART.finditer(lower) if match.group() in _SHARES
    }
    for match in _AND_HALF.finditer(lower):
        if unit := match[2] or match[3]:
            found.add(_amount(_and_half(match), UNITS[unit]))
    for match in _HOW_OFTEN.finditer(lower):
        found.add(_turn(_EVERY[match.group()]))
    for match in _EVERY_OTHER.finditer(lower):
        if match[1] in _NTH:
            found.add(_amount(_NTH[match[1]], UNITS[match[2]]))
    for match in _CLOCKED.finditer(lower):
        hours, minutes, seconds = (int(group) for group in match.groups())
        found |= {("time", 3600.0 * hours + 60 * minutes + seconds), ("time", 3600.0 * hours + 60 * minutes)}
    return frozenset(found)


def _turn(every: str) -> Amount:
    return _amount(float(every[0]), UNITS[every[1:]])


def turns(lower: str) -> dict[str, Amount]:
    """Return what says in *lower* how often something is: "weekly", "every two weeks"; each as a span."""
    lower = in_figures(lower)
    found = {match.group(): _turn(_EVERY[match.group()]) for match in _HOW_OFTEN.finditer(lower)}
    for match in _EVERY_OTHER.finditer(lower):
        found[match.group()] = _amount(_NTH.get(match[1] or "") or float(match[1]), UNITS[match[2]])
    return found


def possible_turns(lower: str) -> frozenset[Amount]:
    """Return every span at which *lower* may say that something recurs."""
    lower = in_figures(lower)
    found = {*turns(lower).values(), *(_amount(1.0, UNITS[m[1]]) for m in _A_TURN.finditer(lower))}
    if _ON_A_DAY.search(lower):
        found.add(_amount(1.0, UNITS["week"]))
    if _IN_A_DAY.search(lower):
        found.add(_amount(1.0, UNITS["day"]))
    return frozenset(found)


def amounts_of(number: str, unit: Unit) -> frozenset[Amount]:
    """Return what *number* of *unit* may come to."""
    return frozenset(_amounts(number, unit.name))


def _amounts(number: str, unit: str) -> Iterator[Amount]:
    for reading in readings(number):
        try:
            yield _amount(float(reading), UNITS[unit])
        except ValueError:  # "1.2.3"
            continue


def _amount(value: float, unit: Unit) -> Amount:
    return unit.dimension, round(value * unit.size, 6)


def _spelled_value(words: str) -> float:
    if words.startswith("half"):
        return 0.5
    if words.startswith("quarter"):
        return 0.25
    return 1.0 if words in ("a", "an") else float(next(spelled(words))[0])


def is_computed(wanted: frozenset[Amount], held: frozenset[Amount]) -> bool:
    """Tell whether an amount is held in another unit, or is the sum or the difference of two that are."""
    if wanted & held:
        return True
    for dimension, value in wanted:
        same = sorted({size for kind, size in held if kind == dimension})[:24]
        pairs = ((one, other) for at, one in enumerate(same) for other in same[at + 1 :])
        if any(
            min(abs(one + other - value), abs(abs(one - other) - value)) < _TOLERANCE for one, other in pairs
        ):
            return True
    return False


def is_rounded(number: str, held: frozenset[str]) -> bool:
    """Tell whether *number*, which ends in zeros, is a number that is held, rounded to its own places."""
    zeros = len(number) - len(number.rstrip("0"))
    if not number.isdigit() or not zeros or len(number) < 2:
        return False
    step = 10.0**zeros
    values = (float(other) for other in held if other.replace(".", "", 1).isdigit() and len(other) < 16)
    return any(round(value / step) * step == float(number) for value in values)
