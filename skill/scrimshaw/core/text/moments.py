"""Moments that a person types after an option: `2026-11-03`, `last Tuesday`, `2 weeks ago`, `2pm`.

What is typed names a stretch of time, from its first instant to just before `end`: a day, a minute, a month.
It is read in the workspace's zone, days are the owner's calendar days (also where one has 23 hours), weeks
begin on Monday. Without a year, or with only a weekday, the latest one is meant, since memory looks back; a
time alone is today's. The text is read as a whole or not at all, and where two days may be meant (3/4/2026)
neither is. The words are core/text/dates's; only hours and minutes ago, and parts of a day, are read here.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from scrimshaw.core.text.dates import find_dates
from scrimshaw.core.text.times import find_times
from scrimshaw.core.types import DateRef

EXAMPLES = '2026-11-03, "2026-11-03 14:00", yesterday, "last Tuesday" or "2 weeks ago"'


class Span(NamedTuple):
    """A stretch of time, half open; both ends are aware, in the zone it was read in."""

    start: datetime
    end: datetime


_ISO = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d)(?:[ T](?P<time>\d\d:\d\d(?::\d\d(?:[.,]\d{1,6})?)?)"
    r"\s?(?P<offset>z|[+-]\d\d(?::?\d\d)?)?)?",
    re.IGNORECASE,
)
_MONTH = re.compile(r"(?P<year>\d{4})(?:-(?P<month>0[1-9]|1[0-2]))?")
_AGO = re.compile(r"(?P<count>\d{1,6}|an?|one|half an)\s+(?P<unit>minute|min|hour|hr)s?\s+ago")
_LEAD = re.compile(r"(?:on|at|in|since|from|until|till|before|after|by)\s+(?=\S)")
_UP_TO_NOW = re.compile(
    r"(?:the\s+)?(?:last|past)\s+(?P<count>\d{1,4}|two|three|four)\s+(?P<unit>day|week|month|year)s"
)
_PART = re.compile(r"\s*\b(?:in the\s+)?(?P<part>morning|afternoon|evening)$")
_HOURS = {"morning": (5, 12), "afternoon": (12, 18), "evening": (18, 24)}
_SLASHED = re.compile(r"(\d\d?)/(\d\d?)(?:/(?:\d\d)?\d\d)?")
_NAMES_YEAR = re.compile(
    r"(?<![\d.:/-])(?:19|20)\d\d(?!\d)|\d[./-]\d\d?[./-]\d\d|\b(?:tomorrow|next|from now|coming|this)\b"
)
_LONGEST_CHARS = 60
_FIRST_YEAR, _LAST_YEAR = 1970, 9000  # what epoch milliseconds and calendars can hold with room
# What timephrase wants to see before a bare month or weekday, to be sure that it is one.
_BEFORE = "seit "


def moment(text: str, now: datetime, zone: str) -> Span:
    """Return the stretch of time that *text* names; *now* is aware. Raise ValueError with a sentence."""
    here = ZoneInfo(zone)
    words = " ".join(text.split()).rstrip(",;")
    if not words or len(words) > _LONGEST_CHARS:
        raise ValueError(_unread(text))
    try:
        span = _read(words, now.astimezone(here), here)
    except (ValueError, OverflowError) as error:  # the 31st of November, the year 0
        raise ValueError(str(error) if isinstance(error, _AmbiguousError) else _unread(text)) from None
    if span is None or not _FIRST_YEAR <= span.start.year <= _LAST_YEAR:
        raise ValueError(_unread(text))
    return span


class _AmbiguousError(ValueError):
    """Two days may be meant."""


def _unread(text: str) -> str:
    shown = text if len(text) <= _LONGEST_CHARS else text[:_LONGEST_CHARS] + "…"
    return f"{shown!r} is not a date that can be read: write {EXAMPLES}"


def _read(words: str, now: datetime, here: ZoneInfo) -> Span | None:
    if iso := _ISO.fullmatch(words):
        return _iso(iso, here)
    if whole := _MONTH.fullmatch(words):
        return _month(int(whole["year"]), int(whole["month"]) if whole["month"] else None, here)
    lower = words.lower()
    if lead := _LEAD.match(lower):
        lower = lower[lead.end() :]
    if lower in ("now", "right now", "just now"):
        return Span(now, now + timedelta(milliseconds=1))
    if ago := _AGO.fullmatch(lower):
        return _ago(ago, now)
    if lower == "last night":
        return Span(_at(now.date() - timedelta(1), time(18), here), _at(now.date(), time(6), here))
    if recent := _UP_TO_NOW.fullmatch(lower):
        first = _in_words(f"{recent['count']} {recent['unit']}s ago", now, here)
        return Span(first.start, _days(now.date(), now.date(), here).end) if first else None
    if lower.startswith("this ") and (part := _PART.search(lower)):
        return _part_of(now.date(), part["part"], here)
    return _in_words(lower, now, here)


def _iso(found: re.Match[str], here: ZoneInfo) -> Span:
    day = date.fromisoformat(found["day"])
    if not found["time"]:
        return _days(day, day, here)
    clock = time.fromisoformat(found["time"].replace(",", "."))
    step = timedelta(minutes=1) if found["time"].count(":") == 1 else timedelta(seconds=1)
    if found["offset"]:
        offset = found["offset"].upper().replace("Z", "+00:00")
        start = datetime.fromisoformat(f"{day.isoformat()}T{clock.isoformat()}{offset}").astimezone(here)
    else:
        start = _at(day, clock, here)
    return _lasting(start, step)


def _month(year: int, month: int | None, here: ZoneInfo) -> Span:
    first = date(year, month or 1, 1)
    following = date(year + 1, 1, 1) if month in (None, 12) else date(year, month + 1, 1)
    return Span(_at(first, time(), here), _at(following, time(), here))


def _ago(found: re.Match[str], now: datetime) -> Span:
    minutes = 60 if found["unit"].startswith("h") else 1
    count = {"a": 1.0, "an": 1.0, "one": 1.0, "half an": 0.5}.get(found["count"])
    length = timedelta(minutes=minutes * (count if count is not None else int(found["count"])))
    # Through UTC: an hour ago is an hour ago, also in the night in which the clocks change.
    start = (now.astimezone(UTC) - length).replace(second=0, microsecond=0).astimezone(now.tzinfo)
    return _lasting(start, timedelta(minutes=1))


def _in_words(lower: str, now: datetime, here: ZoneInfo) -> Span | None:
    slashed = _SLASHED.match(lower)
    if slashed and max(int(slashed[1]), int(slashed[2])) <= 12 and slashed[1] != slashed[2]:
        raise _AmbiguousError(f"{lower!r} may be two different days: write it as 2026-11-03")
    times = find_times(lower)
    if len(times) == 1 and (times[0].start, times[0].end) == (0, len(lower)):
        return _lasting(_at(now.date(), time.fromisoformat(times[0].text), here), timedelta(minutes=1))
    if part := _PART.search(lower):
        day = _in_words(lower[: part.start()], now, here)
        return _part_of(day.start.date(), part["part"], here) if day else None
    ref = _reference(lower, now)
    if ref is None:
        return None
    start, end = _looking_back(lower, ref, now.date())
    if ref.time:
        if end != start:
            return None
        return _lasting(_at(start, time.fromisoformat(ref.time), here), timedelta(minutes=1))
    return _days(start, end, here)


def _reference(lower: str, now: datetime) -> DateRef | None:
    """Return the date that the whole of *lower* is, None when it is no date, or more than one."""
    # In capitals, because "mar" and "sat" are words, too; whoever types a date means one.
    found = find_dates(_BEFORE + lower.title(), now, prefer="past", is_english=True)
    if len(found) != 1 or (found[0].start, found[0].end) != (len(_BEFORE), len(_BEFORE) + len(lower)):
        return None
    return found[0].ref


def _looking_back(lower: str, ref: DateRef, today: date) -> tuple[date, date]:
    """Return first and last day; a date without a year that lies ahead is last year's."""
    start, end = ref.start, ref.end or ref.start
    if start > today and not _NAMES_YEAR.search(lower):
        start, end = _year_before(start), _year_before(end)
    return start, end


def _year_before(day: date) -> date:
    try:
        return day.replace(year=day.year - 1)
    except ValueError:  # 29 February
        return day.replace(year=day.year - 1, day=28)


def _part_of(day: date, part: str, here: ZoneInfo) -> Span:
    first, last = _HOURS[part]
    end = _at(day, time(last), here) if last < 24 else _at(day + timedelta(1), time(), here)
    return Span(_at(day, time(first), here), end)


def _days(first: date, last: date, here: ZoneInfo) -> Span:
    return Span(_at(first, time(), here), _at(last + timedelta(1), time(), here))


def _lasting(start: datetime, length: timedelta) -> Span:
    return Span(start, (start.astimezone(UTC) + length).astimezone(start.tzinfo))


def _at(day: date, clock: time, here: ZoneInfo) -> datetime:
    return datetime.combine(day, clock, here)
