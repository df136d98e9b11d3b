"""Times of day said without a clock's form: at four, quarter to five, between 10 and 12.

Loose on purpose, and only good for supporting a time that a note names: each mention gives every time
that it may mean, in the morning and in the afternoon. core/clock finds the times that are plainly
written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_HOURS = {word: number for number, word in enumerate(_WORDS, start=1)}
_HOUR = rf"(?:\d{{1,2}}|{'|'.join(_WORDS)})"
_STEPS = {"five": 5, "ten": 10, "quarter": 15, "a quarter": 15, "twenty": 20, "twenty-five": 25, "half": 30}
_STEP = rf"(?:{'|'.join(sorted(_STEPS, key=len, reverse=True))}|5|10|15|20|25)"
_PAST = re.compile(rf"\b({_STEP})(?: minutes?)? (past|to|after|before) ({_HOUR})\b")
_HALF = re.compile(rf"\bhalf ({_HOUR})\b(?! (?:hours?|days?|of|a)\b)")
_LEAD = r"at|by|before|after|from|till|until|around|about|between|to|and|than|since|for|past|[-–]"
_FOLLOWS = (
    r"in|on|at|and|to|till|until|sharp|tomorrow|today|tonight|every|each|because|so|but|or|if|we|i"
    r"|is|was|with|for|utc"
    r"|the|mon|tue|wed|thu|fri|sat|sun|not|instead|unless|nothing|am|pm|he|she|they|o'clock|please"
    r"|latest|local|then"
)
_BARE = re.compile(
    rf"(?:\b(?:{_LEAD})|(?<=\d)[-–])\s?({_HOUR})(?=$|[,.;:!?)\n](?!\d)|\s?[-–]\s?\d"
    rf"|\s(?:{_FOLLOWS})\b|[a-z]{{0,4}}day)"
)
_SPAN = re.compile(
    rf"(?<![\d:.,/-])({_HOUR})\s?(?:to|till|until|[-–])\s?({_HOUR})\b(?![:.,]\d|\s?%|\s[a-z]+s\b)"
    rf"|\binstead of ({_HOUR})\b(?![:.,]\d)"
)
_SHORT = re.compile(r"(?<![\d:.,/-])(\d{1,2}):([0-5]\d)(?!\d|:|\s?[ap]\.?m)")
_HALVES = re.compile(
    r"(?<![\d:.,])(\d{1,2})(?::([0-5]\d))?\s?(?:-|to|till|until)\s?\d{1,2}(?::[0-5]\d)?\s?(p|a)\.?m\b"
)
_OF_DAY = re.compile(rf"\b({_HOUR}) (?:o'clock )?(?:in the (morning|afternoon|evening)|at (night))\b")


def hours_meant(lower: str) -> frozenset[str]:
    """Return every time, "HH:MM", that *lower* may mean by what is not plainly written as one."""
    return frozenset(_meant(lower))


def _meant(lower: str) -> Iterator[str]:
    for match in _PAST.finditer(lower):
        step = _STEPS.get(match[1]) or int(match[1])
        is_past = match[2] in ("past", "after")
        yield from _both(_hour(match[3]) - (not is_past), step if is_past else 60 - step)
    for match in _HALF.finditer(lower):
        yield from _both(_hour(match[1]), 30)
        yield from _both(_hour(match[1]) - 1, 30)  # as Germans count
    for match in _BARE.finditer(lower):
        yield from _both(_hour(match[1]), 0)
    for match in _SPAN.finditer(lower):
        for hour in filter(None, match.groups()):
            yield from _both(_hour(hour), 0)
    for match in _OF_DAY.finditer(lower):
        yield from _both(_hour(match[1]), 0)
    for match in _SHORT.finditer(lower):
        if 1 <= int(match[1]) < 12 and not match[1].startswith("0"):
            yield from _both(int(match[1]), int(match[2]))
    yield from halves_meant(lower)


def halves_meant(lower: str) -> Iterator[str]:
    """Yield the beginnings of spans whose ends alone say which half of the day it is: 6:30-8 pm."""
    for match in _HALVES.finditer(lower):
        hour = int(match[1]) % 12 + (12 if match[3] == "p" else 0)
        yield f"{hour:02d}:{int(match[2] or 0):02d}"


def _hour(word: str) -> int:
    return _HOURS.get(word) or int(word)


def _both(hour: int, minute: int) -> Iterator[str]:
    """Yield a time of a clock of twelve hours in the morning and in the afternoon."""
    if not 0 <= hour <= 24:
        return
    yield f"{hour % 24:02d}:{minute:02d}"
    if hour <= 12:
        yield f"{(hour + 12) % 24:02d}:{minute:02d}"
