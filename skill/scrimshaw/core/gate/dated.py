"""The dates, weekdays, months and times of day of a line, looked for in the entries it cites.

Each function returns "" when all are found, else what was not. A date is found when an entry names it,
when it follows from an entry's words and from when that was said, or when the words for it stand there.
"""

from __future__ import annotations

import re
from datetime import date

from scrimshaw.core.clock import TimeOfDay, find_times
from scrimshaw.core.gate.figures import amounts, readings
from scrimshaw.core.gate.hours import halves_meant
from scrimshaw.core.gate.lookup import Witnesses, dates_of, stands, unglued
from scrimshaw.core.model import DateRef
from scrimshaw.core.spelling import normal
from scrimshaw.core.timephrase import Found
from scrimshaw.core.witness import pairs_of, shortest_first

_FULL_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SHORT = ("mon", "tue", "tues", "wed", "thu", "thur", "thurs", "fri", "sat", "sun")
_DAY_NAME = re.compile(
    rf"\b(?:{'|'.join(_FULL_DAYS)}|(?-i:{'|'.join(s.title() for s in _SHORT)}))s?\b", re.IGNORECASE
)
_MONTHS_TEXT = "january february march april may june july august september october november december"
_FULL_MONTHS = tuple(_MONTHS_TEXT.split())
_MONTH_NAME = re.compile(rf"\b(?:{'|'.join(month.title() for month in _FULL_MONTHS)})\b")
_MONTHS_NAMED = re.compile(rf"(?:{'|'.join(month[:3] for month in _FULL_MONTHS)})[a-z]*")
_TODAY = re.compile(
    r"\b(?:today|tonight|this (?:morning|afternoon|evening|noon)|now|just|currently|right now)\b"
)
_TOLD = re.compile(
    r"\b(?:said|state|ask|report|mention|note[ds]?|told|as of|since|wrote|suggest|recommend"
    r"|request)(?:ed|s|ing)?\b"
)
_NEXT_TO = 2  # days


def strange_date(text: str, refers_to: DateRef | None, cited: Witnesses) -> str:
    """Return a date that no cited entry names and that does not follow from one."""
    found = dates_of(text, cited[-1].said_at)
    every = found if refers_to is None else (*found, Found(refers_to, 0, 0))
    for item in every:
        wrong = item.end and (_contradicts_itself(item) or _is_today_for_another(item, text, cited))
        if wrong or not _is_dated(item, cited):
            return f"“{item.ref.phrase or item.ref.start}” ({item.ref.start}) follows from no entry it cites"
    return _strange_name_of_day(text, found, cited) or _strange_month(text, found, cited)


def _is_dated(item: Found, cited: Witnesses) -> bool:
    ref = item.ref
    phrase = normal(ref.phrase)
    if item.end and any(stands(phrase, witness.lower) for witness in cited):
        return True
    if _is_named(ref.start, cited) and (ref.end is None or _is_named(ref.end, cited)):
        return True
    if any(
        noun in w.counted and not w.counted[noun].isdisjoint(readings(n))
        for n, noun in pairs_of(phrase)
        if _MONTHS_NAMED.fullmatch(noun) is None  # "5 June 2028" is not held by "5 June"
        for w in cited
    ):
        return True  # "within 14 days" of "we have 14 days"
    if (measured := amounts(phrase)) and any(measured & w.amounts for w in cited):
        return True
    if not re.search(r"\b(?:19|20)\d\d\b", phrase) and re.search(r"\d", phrase) and ref.end is None:
        named = (day for w in cited for day in (*w.named_dates, *w.possible_dates))
        if any((day.month, day.day) == (ref.start.month, ref.start.day) for day in named):
            return True
    # A bare weekday or month that falls on a date the entries name.
    if weekday := re.fullmatch(
        rf"({'|'.join(_FULL_DAYS)})(?: (?:morning|afternoon|evening|night))?,?(?: at)?", _bare_of_time(phrase)
    ):
        is_recurring = any(f"{weekday[1]}s" in w.lower for w in cited)
        return is_recurring or any(day.strftime("%A").lower() == weekday[1] for day in _days_meant(cited))
    if ref.end is not None and (ref.end - ref.start).days > 6 and not _names_days(phrase):
        return any(ref.start <= day <= ref.end for day in _days_meant(cited))
    return False


def _bare_of_time(phrase: str) -> str:
    for time in reversed(find_times(phrase)):
        phrase = phrase[: time.start] + phrase[time.end :]
    return phrase.strip()


def _names_days(phrase: str) -> bool:
    """Whether a span is given by its days and is not a month or a week."""
    return re.search(r"\d", re.sub(r"\b(?:19|20)\d\d\b(?!-)", "", phrase)) is not None


def _is_named(day: date, cited: Witnesses) -> bool:
    if any(day == w.said_at.date() for w in cited):
        return True  # spares every entry being read for its dates
    return any(day in w.dates for w in shortest_first(cited)) or any(day in w.possible_dates for w in cited)


def _days_meant(cited: Witnesses) -> frozenset[date]:
    """Return the days the entries speak of; the day of the saying only when they say so."""
    days: set[date] = set()
    for witness in cited:
        days |= witness.named_dates | witness.possible_dates
        if _TODAY.search(witness.lower):
            days.add(witness.said_at.date())
    return frozenset(days)


def _is_today_for_another(item: Found, text: str, cited: Witnesses) -> bool:
    """Whether the day of the saying stands where the entries speak of the day before or after it."""
    day = item.ref.start
    if all(day != w.said_at.date() for w in cited):
        return False
    if any(day in w.named_dates or _TODAY.search(w.lower) for w in cited) or _TOLD.search(text.lower()):
        return False
    return any(0 < abs((other - day).days) <= _NEXT_TO for w in cited for other in w.named_dates)


def _contradicts_itself(item: Found) -> bool:
    """Whether a weekday stands beside a full date that falls on another."""
    phrase = item.ref.phrase.lower()
    weekday = re.match(r"(mon|tue|wed|thu|fri|sat|sun)[a-z]*\W+(?=.*\d{4}|.*\d)", phrase)
    return weekday is not None and not item.ref.start.strftime("%a").lower().startswith(weekday.group(1))


def _strange_name_of_day(text: str, found: tuple[Found, ...], cited: Witnesses) -> str:
    """Return a weekday that recurs or stands apart ("on Mondays") and that the entries do not speak of."""
    for match in _DAY_NAME.finditer(text):
        if any(item.start <= match.start() < item.end for item in found):
            continue
        root = match.group().lower()[:3]
        if any(re.search(rf"\b{root}(?:[a-z]*days?|s|r|rs|nes)?\b", witness.lower) for witness in cited):
            continue
        if match.group().endswith("days") or not any(f"{d:%a}".lower() == root for d in _days_meant(cited)):
            return f"“{match.group()}” is no day that the entries it cites speak of"
    return ""


def _strange_month(text: str, found: tuple[Found, ...], cited: Witnesses) -> str:
    for match in _MONTH_NAME.finditer(text):
        if any(item.start <= match.start() < item.end for item in found):
            continue
        month = match.group().lower()
        if any(re.search(rf"\b{month[:3]}(?:{month[3:]}|t)?\b", w.lower) for w in cited):
            continue
        if not any(f"{day:%B}".lower() == month for day in _days_meant(cited)):
            return f"“{match.group()}” is no month that the entries it cites speak of"
    return ""


def is_month_named(token: str, cited: Witnesses) -> bool:
    """Tell whether the entries speak of a month written "2027-03"."""
    return any(f"{day:%Y-%m}" == token for w in cited for day in (*w.dates, *w.possible_dates)) or any(
        f"{item.ref.start:%Y-%m}" <= token <= f"{item.ref.end or item.ref.start:%Y-%m}"
        for w in cited
        for item in w.found_dates
    )


def strange_time(text: str, cited: Witnesses) -> str:
    """Return a time of day that no cited entry names."""
    text = unglued(text)
    for time in find_times(text):
        phrase = normal(text[time.start : time.end])
        if any(time.text in w.times or stands(phrase, w.lower) for w in cited):
            continue
        if any(time.text in w.possible_times for w in cited) or _is_first_half(time, text, cited):
            continue
        return f"“{phrase}” stands in no entry it cites"
    return ""


def _is_first_half(time: TimeOfDay, text: str, cited: Witnesses) -> bool:
    """Whether *time* opens a span whose end says which half of the day is meant: 6:30-8 pm."""
    afternoon = f"{(int(time.text[:2]) + 12) % 24:02d}{time.text[2:]}"
    meant = set(halves_meant(normal(text[time.start :])))
    return afternoon in meant and any(afternoon in w.times or afternoon in w.possible_times for w in cited)
