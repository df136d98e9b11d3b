"""Days that a text may mean where core/timephrase, which has to be sure, names none.

Only good for supporting a date that a note names: "Thursday after four", "the 2nd, 9th and 14th", "two
days before", "Fri 4 until Mon 7 December", "October next year". A mention that core/timephrase has read
is not read again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date, timedelta

from scrimshaw.core.timephrase import Found

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAME = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
WEEKDAY = re.compile(rf"\b{_NAME}\b")
_NUMBERED = re.compile(rf"\b({_NAME})\.? (?:the )?(\d{{1,2}})(?:st|nd|rd|th|\.)?(?![\d:]|\.\d)")
_ORDINAL = re.compile(r"(?<![\w.])(\d{1,2})(?:st|nd|rd|th)\b")
_YEAR_MONTH = re.compile(r"\b((?:19|20)\d\d)-(0[1-9]|1[0-2])(?![-\d])")
_MONTH_ALONE = re.compile(rf"\b{_MONTH}\b")
_LISTED = re.compile(
    rf"\b((?:\d{{1,2}}(?:st|nd|rd|th|\.)?(?:, | and | & |, and | or |/))+)\d{{1,2}}(?:st|nd|rd|th"
    rf"|\.)? ?({_MONTH})\b"
)
_MONTH_FIRST = re.compile(
    rf"\b({_MONTH}) ((?:\d{{1,2}}(?:st|nd|rd|th)?(?:, | and |, and | & |-))+\d{{1,2}})\b(?!:)"
)
_OF_YEAR = re.compile(
    rf"\b({_MONTH}) (next|last|this) year\b|\b(next|last|this) year(?:'s|,"
    rf"| in)?(?: the)?(?: \w+)? ({_MONTH})\b"
)
_COUNT = r"(?:\d{1,2}|a|an|the|one|two|three|four|five|six|seven|ten|fourteen|same)"
_APART = re.compile(
    rf"\b(?:({_COUNT}) )?(day|evening|night|morning|afternoon|eve|week|fortnight|hour)s?"
    r" (before|earlier|prior|ahead|beforehand|in advance|after|later|afterwards)\b|\beve of\b"
)
_AHEAD = re.compile(rf"\bin ({_COUNT}) (day|week|fortnight)s?\b")
_NEAR_DAYS = 120  # a date without a year that lies as near as this is the one meant
_PAST = re.compile(
    r"\b(?:was|were|had|did|been|last|ago|since|past|went|came|got|took|made|bought|paid|sent|ran|began|born"
    r"|left|met|saw|gave|wrote|until now|previous\w*|[a-z]{2,}ed)\b|\b(?:19|20)\d\d\b"
)
_LATER = ("after", "later", "afterwards")
_COUNTS = {w: n for n, w in enumerate(["one", "two", "three", "four", "five", "six", "seven"], 1)} | {
    "ten": 10,
    "fourteen": 14,
}


def loose_days(lower: str, said: date, found: Iterable[Found], named: Iterable[date]) -> frozenset[date]:
    """Return the days that *lower* may mean beside those *named* in *found*, said on *said*."""
    items = list(found)
    days = (
        *_counted_from(lower, [said, *named]),
        *_read_anew(lower, said, items),
        *_other_readings(items, said),
    )
    # Who speaks of nothing that was does not mean the May before.
    first = date.min if _PAST.search(lower) else said - timedelta(_NEAR_DAYS)
    return frozenset(day for day in days if day >= first)


def _read_anew(lower: str, said: date, found: list[Found]) -> Iterator[date]:
    for match in _NUMBERED.finditer(lower):
        weekday, number = _DAYS.index(match[1][:3]), int(match[2])
        yield from (day for day in _numbered(number, said) if day.weekday() == weekday)
    for match in WEEKDAY.finditer(lower):
        if not _is_read(match, found) and len(match.group()) > 4:
            ahead = (_DAYS.index(match.group()[:3]) - said.weekday()) % 7
            yield from (said + timedelta(ahead), said + timedelta(ahead - 7))
    for match in _YEAR_MONTH.finditer(lower):
        yield date(int(match[1]), int(match[2]), 1)
    months = {_month(match.group()) for match in _MONTH_ALONE.finditer(lower)}
    for match in _ORDINAL.finditer(lower):
        if not _is_read(match, found):
            yield from _nearest(int(match[1]), lower, said)
        # "we move in March, she starts on the 9th"
        yield from (day for month in months for day in _each(match[1], _MONTHS[month - 1], said))
    for match in _LISTED.finditer(lower):
        yield from _each(match[1], match[2], said)
    for match in _MONTH_FIRST.finditer(lower):
        yield from _each(match[2], match[1], said)
    for match in _OF_YEAR.finditer(lower):
        step = {"next": 1, "last": -1, "this": 0}[match[2] or match[3]]
        yield date(said.year + step, _month(match[1] or match[4]), 1)


def _other_readings(found: list[Found], said: date) -> Iterator[date]:
    """Yield the other day that words may mean which were read with a doubt: "next Friday", "22 May"."""
    for item in found:
        ref = item.ref
        is_doubtful = not ref.certain or re.fullmatch(rf"(?:on )?{_NAME}", ref.phrase.lower()) is not None
        if is_doubtful and abs((ref.start - said).days) <= 14:
            yield from (ref.start - timedelta(7), ref.start + timedelta(7))
        elif abs((ref.start - said).days) > _NEAR_DAYS and not re.search(r"\b(?:19|20)\d\d\b", ref.phrase):
            steps = (-1, 1) if is_doubtful else (1,) if ref.start < said else ()
            years = (ref.start.year + step for step in steps)
            yield from filter(None, (_day(year, ref.start.month, ref.start.day) for year in years))


def _is_read(match: re.Match[str], found: list[Found]) -> bool:
    return any(item.start <= match.start() < item.end for item in found)


def _month(word: str) -> int:
    return _MONTHS.index(word[:3]) + 1


def _each(numbers: str, month: str, said: date) -> Iterator[date]:
    for number in re.findall(r"\d+", numbers):
        for year in (said.year - 1, said.year, said.year + 1):
            day = _day(year, _month(month), int(number))
            if day is not None and abs((day - said).days) < 330:
                yield day


def _nearest(number: int, lower: str, said: date) -> Iterator[date]:
    """Yield the day of that number in this month, and in the one beside it that is as likely meant."""
    step = 0 if "this month" in lower else 1 if number < said.day else -1
    for months in {said.year * 12 + said.month - 1, said.year * 12 + said.month - 1 + step}:
        day = _day(months // 12, months % 12 + 1, number)
        if day is not None:
            yield day


def _numbered(number: int, said: date) -> Iterator[date]:
    """Yield the day of that number in the month before, this one and the next two."""
    for step in (-1, 0, 1, 2):
        months = said.year * 12 + said.month - 1 + step
        day = _day(months // 12, months % 12 + 1, number)
        if day is not None:
            yield day


def _day(year: int, month: int, number: int) -> date | None:
    try:
        return date(year, month, number)
    except ValueError:
        return None


def _counted_from(lower: str, named: list[date]) -> Iterator[date]:
    """Yield days counted from those named, the day of the saying first: "two days later", "in 7 days"."""
    for match in _APART.finditer(lower):
        count = match[1] or "a"
        number = int(count) if count.isdigit() else _COUNTS.get(count, 1)
        days = number * {"week": 7, "fortnight": 14}.get(match[2] or "day", 1)
        if match[2] == "hour":
            days = number // 24
        step = timedelta(days if match[3] in _LATER else -days)
        yield from (day + step for day in named)
    for match in _AHEAD.finditer(lower):
        number = int(match[1]) if match[1].isdigit() else _COUNTS.get(match[1], 1)
        yield named[0] + timedelta(number * {"week": 7, "fortnight": 14}.get(match[2], 1))
