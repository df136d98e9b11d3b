"""Times of day said without a clock's form: at four, quarter to five, 7.30, 2-7pm, between 10 and 12.

Loose on purpose, and only good for supporting a time that a note names: each mention gives every time
that it may mean, in the morning and in the afternoon unless the words beside it say which. core/text/times
finds the times that are plainly written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from scrimshaw.core.text.date_grammar import WEEKDAY
from scrimshaw.core.text.numbers import UNITS
from scrimshaw.core.text.times import find_times

_WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_HOURS = {word: number for number, word in enumerate(_WORDS, start=1)}
_HOUR = rf"(?:\d{{1,2}}|{'|'.join(_WORDS)})"
_STEPS = {"five": 5, "ten": 10, "quarter": 15, "a quarter": 15, "twenty": 20, "twenty-five": 25, "half": 30}
_STEP = rf"(?:{'|'.join(sorted(_STEPS, key=len, reverse=True))}|5|10|15|20|25)"
_PAST = re.compile(rf"\b({_STEP})(?: min(?:ute)?s?)? (past|to|after|before) ({_HOUR})\b")
_HALF = re.compile(rf"\bhalf ({_HOUR})\b(?! (?:hours?|days?|of|a)\b)")
_LEAD = (
    r"at|by|before|after|from|till?|until|around|about|between|to|and|than|since|for|past|[-–]|today"
    rf"|tonight|tomorrow|tmrw|{WEEKDAY}"
)
_FOLLOWS = (
    r"in|on|at|and|to|till|until|sharp|tomorrow|today|tonight|every|each|because|so|but|or|if|we|i"
    r"|is|was|with|for|utc"
    r"|the|mon|tue|wed|thu|fri|sat|sun|not|instead|unless|nothing|he|she|they|o'clock|please"
    r"|latest|local|then"
)
_UNIT = "|".join(sorted((re.escape(unit) for unit in UNITS if unit not in ("h", "m")), key=len, reverse=True))
# What is counted or measured is no hour: "at 7 km", "after 5 guests", "from 10 of them".
_NO_PLURAL = r"(?!(?:this|is|was|as|us|his|its|has|does|always|unless|perhaps|plus)\b)"
_COUNTS = (
    rf"(?:{_UNIT}|{_NO_PLURAL}[a-z]+s|people|children|men|women|per|of|or|more|less|other|[ap]\.?m)(?!\w)"
)
_BARE = re.compile(
    rf"(?:\b(?:{_LEAD})|@|(?<=\d)[-–])\s?({_HOUR})(?=$|[,.;:!?)\n](?!\d)|\s?[-–]\s?\d"
    rf"|\s(?:{_FOLLOWS})\b|[a-z]{{0,4}}day)"
    rf"|\b(?:at|by|before|after|from|till?|until) ({_HOUR}) (?=[a-z])(?!{_COUNTS})"
)
_CLOCK = rf"({_HOUR})(?:[:.]([0-5]\d))?(?:\s?([ap])\.?m\b)?"
_SPAN = re.compile(
    rf"(?<![\w:.,/-]){_CLOCK}\s?(?:to|till?|until|[-–])\s?{_CLOCK}(?![\w:/]|[.,]\d|\s?%|\s[a-z]+s\b)"
)
_INSTEAD = re.compile(rf"\binstead of ({_HOUR})\b(?![:.,]\d)")
_SHORT = re.compile(r"(?<![\d:.,/-])(\d{1,2}):([0-5]\d)(?!\d|:|\s?[ap]\.?m)")
# With a point for the colon, where it is no price, measure, version or date.
_DOTTED = re.compile(
    rf"(?<![\w:.,/€$£])(\d{{1,2}})\.([0-5]\d)(?!\w|[.,/]\d|\s?[ap]\.?m\b|\s?(?:{_UNIT})(?!\w))"
)
_HALVES = re.compile(
    r"(?<![\d:.,])(\d{1,2})(?:[:.]([0-5]\d))?\s?(?:-|to|till?|until)\s?(\d{1,2})(?:[:.][0-5]\d)?\s?(p|a)\.?m\b"
)
_LOOSE = re.compile(rf"\b({_HOUR})(?:-?ish| ?o ?'?clock)\b")
_FOUR_DIGITS = re.compile(
    r"\b(?:at|by|from|until|till?|before|after|-) ?([01]\d|2[0-3])([0-5]\d)(?![\w.,:/-])"
)
_ONE_LETTER = re.compile(r"(?<![\w:.,])(1[0-2]|[1-9])(?:[:.]([0-5]\d))?([ap])\b")  # 7p, 11:30a
_MARKED_END = re.compile(r"\d(?:\s?[ap]\.?m)?\s?-\s?(\d{1,2}(?:[:.][0-5]\d)?\s?[ap]\.?m\b)")
_OF_DAY = re.compile(rf"\b({_HOUR}) (?:o'clock )?(?:in the (morning|afternoon|evening)|at (night))\b")
_LATER = re.compile(
    rf"\b(\d{{1,3}}|{'|'.join(_WORDS)}|an|half an|a quarter of an) (min(?:ute)?|h(?:ou)?r?)s?"
    r" (later|after|earlier|before)"
)
_PARTS_OF_HOUR = {"an": 60, "half an": 30, "a quarter of an": 15}
_MOST_BASES = 12
# Which half of the day is meant, and from which hour to which of the clock's twelve that is sure.
_PARTS_OF_DAY = (
    (re.compile(r"\b(?:tonight|evenings?)\b"), 12, range(5, 12)),
    (re.compile(r"\bafternoons?\b"), 12, range(1, 7)),
    (re.compile(r"\bnights?\b"), 12, range(8, 12)),
    (re.compile(r"\bmornings?\b"), 0, range(1, 12)),
)
_BREAK = re.compile(r"[,.;!?](?=\s|$)|\n|\b(?:then|but|or|else|otherwise|unless|if|so)\b")
_FAR_CHARS = 60


def hours_meant(lower: str) -> frozenset[str]:
    """Return every time, "HH:MM", that *lower* may mean by what is not plainly written as one."""
    times = {time for at, hour, minute in _read(lower) for time in _halves(hour, minute, lower, at)}
    times.update(_marked(lower))
    return frozenset(times | set(_counted_from(lower, times)))


def _read(lower: str) -> Iterator[tuple[int, int, int]]:
    """Yield where a time may stand, and its hour and minute on a clock of twelve hours or of 24."""
    for match in _PAST.finditer(lower):
        step = _STEPS.get(match[1]) or int(match[1])
        is_past = match[2] in ("past", "after")
        yield match.start(), _hour(match[3]) - (not is_past), step if is_past else 60 - step
    for match in _HALF.finditer(lower):
        yield match.start(), _hour(match[1]), 30
        yield match.start(), _hour(match[1]) - 1, 30  # as Germans count
    for match in (*_BARE.finditer(lower), *_INSTEAD.finditer(lower), *_LOOSE.finditer(lower)):
        yield match.start(), _hour(match[match.lastindex or 1]), 0
    for match in _SPAN.finditer(lower):
        for hour, minute, half in (match.group(1, 2, 3), match.group(4, 5, 6)):
            if not half and not match[6]:
                yield match.start(), _hour(hour), int(minute or 0)
    for match in _OF_DAY.finditer(lower):
        yield match.start(), _hour(match[1]), 0
    for match in (*_SHORT.finditer(lower), *_DOTTED.finditer(lower)):
        if match.re is _DOTTED or (1 <= int(match[1]) < 12 and not match[1].startswith("0")):
            yield match.start(), int(match[1]), int(match[2])


def _marked(lower: str) -> Iterator[str]:
    """Yield both ends of spans of which the end says which half of the day it is: 6:30-8 pm."""
    yield from halves_meant(lower)
    yield from (f"{match[1]}:{match[2]}" for match in _FOUR_DIGITS.finditer(lower))
    for match in _ONE_LETTER.finditer(lower):
        yield f"{int(match[1]) % 12 + (12 if match[3] == 'p' else 0):02d}:{match[2] or '00'}"
    yield from (time.text for match in _MARKED_END.finditer(lower) for time in find_times(match[1]))


def halves_meant(lower: str) -> Iterator[str]:
    """Yield the beginnings of spans whose ends alone say which half of the day it is: 6:30-8 pm."""
    for match in _HALVES.finditer(lower):
        is_after = int(match[1]) % 12 <= int(match[3]) % 12  # "11-1pm" begins in the morning
        hour = int(match[1]) % 12 + (12 if (match[4] == "p") is is_after else 0)
        yield f"{hour:02d}:{int(match[2] or 0):02d}"


def _counted_from(lower: str, times: set[str]) -> Iterator[str]:
    """Yield times counted from another: "at 8:51, and two minutes later"."""
    steps = list(_LATER.finditer(lower))
    if not steps:
        return
    bases = sorted({time.text for time in find_times(lower)} | times)[:_MOST_BASES]
    for match in steps:
        size = 60 if match[2].startswith("h") else 1
        minutes = _PARTS_OF_HOUR.get(match[1]) or _hour(match[1]) * size
        for base in bases:
            moved = int(base[:2]) * 60 + int(base[3:])
            moved += minutes if match[3] in ("later", "after") else -minutes
            yield f"{moved // 60 % 24:02d}:{moved % 60:02d}"


def _hour(word: str) -> int:
    return _HOURS.get(word) or int(word)


def _halves(hour: int, minute: int, lower: str, at: int) -> Iterator[str]:
    """Yield a time of a clock of twelve hours in the half of the day said beside it, else in both."""
    if not 0 <= hour <= 24:
        return
    half = _half_said(hour, lower, at) if hour < 12 else None
    if half is not None:
        yield f"{hour + half:02d}:{minute:02d}"
        return
    yield f"{hour % 24:02d}:{minute:02d}"
    if hour <= 12:
        yield f"{(hour + 12) % 24:02d}:{minute:02d}"


def _half_said(hour: int, lower: str, at: int) -> int | None:
    """Return 0 or 12 where the words beside *at* say which half of the day *hour* is in."""
    begin = max(
        (m.end() for m in _BREAK.finditer(lower, max(0, at - _FAR_CHARS), at)),
        default=max(0, at - _FAR_CHARS),
    )
    stop = _BREAK.search(lower, at, at + _FAR_CHARS)
    said = [
        (half, hour in hours)
        for rule, half, hours in _PARTS_OF_DAY
        if rule.search(lower, begin, stop.start() if stop else at + _FAR_CHARS)
    ]
    halves = {half for half, _ in said}
    return halves.pop() if len(halves) == 1 and all(sure for _, sure in said) else None
