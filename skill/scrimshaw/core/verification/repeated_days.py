"""A day that a line says twice where the entries say two days: "Monday and Monday" of "mon+tue".

Each of the line's days stands in the entries; one of them has pushed another out. It is seen by counting: the
line has a day more often than the entries have it, and lacks another that they name. The first and last day
of a span count only where both stand in one sentence of the entries.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date, timedelta

from scrimshaw.core.text.dates import FoundDate
from scrimshaw.core.text.loose_dates import weekday_mentions, weekday_of
from scrimshaw.core.verification.source import Witness

_NEAR_DAYS = 10  # further away a day is told by its date
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n|;\s")
# "Thursday (2027-03-04)" and "Thursdays, first time 2027-03-04" say one day
_ASIDE = re.compile(
    r"[\s,(]*(?:(?:morning|afternoon|evening|night)\s)?\(?"
    r"(?:(?:first|next|from|since|starting|beginning)(?: time)?(?: on)?\s)?"
)
_DAY_APART = re.compile(r"\b(?:day|evening|night|morning) (?:before|after)\b(?! tomorrow| yesterday)")


def day_said_twice(text: str, found: Iterable[FoundDate], cited: tuple[Witness, ...]) -> str:
    """Return a day that *text*, in which *found* are dates, has for another one of *cited* as well."""
    every, said = list(found), cited[-1].said_at.date()
    for is_span_left_out in (False, True):
        mine = Counter(day for _, day in _days(text, every, said, is_span_left_out))
        twice = {day: often for day, often in mine.items() if often > 1}
        held = [one for witness in cited for one in _sentences(witness, is_span_left_out)] if twice else []
        others = {day for one in held for day in one} - mine.keys()
        for day, often in twice.items():
            if not often > sum(one.count(day) for one in held) > 0:
                continue
            beside = {other for one in held if day in one for other in one} - mine.keys()
            if others if is_span_left_out else beside:
                return day
    return ""


def _sentences(witness: Witness, is_span_left_out: bool) -> list[list[str]]:
    """Return the days of each sentence of *witness* that names any."""
    text = witness.text
    days = list(_days(text, witness.found_dates, witness.said_at.date(), is_span_left_out))
    days += [(match.start(), "apart") for match in _DAY_APART.finditer(text.lower())]
    ends = [match.end() for match in _SENTENCE.finditer(text)]
    sentences: dict[int, list[str]] = {}
    for at, day in days:
        sentences.setdefault(bisect_right(ends, at), []).append(day)
    return list(sentences.values())


def _days(
    text: str, found: Iterable[FoundDate], said: date, is_span_left_out: bool
) -> Iterator[tuple[int, str]]:
    """Yield where each day stands and its one name: of the week when it is near, else its date."""
    items = list(found)
    counted = [item for item in items if not (is_span_left_out and item.ref.end)]
    spans = [(item.start, item.end, _name(item, day, said)) for item in counted for day in _ends(item)]
    read = {at for item in items for at in range(item.start, item.end)}
    spans += [
        (match.start(), match.end(), f"{said + timedelta(weekday_of(match) - said.weekday()):%A}")
        for match in weekday_mentions(text.lower())
        if match.start() not in read
    ]
    last_end, last_day = 0, ""
    for start, end, day in sorted(spans):
        if day != last_day or not _ASIDE.fullmatch(text, last_end, start):
            yield start, day
        last_end, last_day = end, day


def _ends(item: FoundDate) -> tuple[date, ...]:
    return (item.ref.start,) if item.ref.end is None else (item.ref.start, item.ref.end)


def _name(item: FoundDate, day: date, said: date) -> str:
    is_near = abs((day - said).days) <= _NEAR_DAYS or re.search(r"\d", item.ref.phrase) is None
    return f"{day:%A}" if is_near else day.isoformat()
