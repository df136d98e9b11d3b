"""A day that a line says twice where the entries say two days: "Monday and Monday" of "mon+tue".

Each of the line's days stands in the entries; one of them has pushed another out. It is seen by counting: the
line has a day more often than the entries have it, and lacks one that stands in the same sentence there.
core/verification/repeats does so for what core/text/clauses reads; days are typed in more forms than that.
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
_ASIDE = re.compile(r"[\s,(]*(?:(?:first|next|from|since|starting|beginning)(?: time)?(?: on)?\s)?")
_DAY_APART = re.compile(r"\b(?:day|evening|night|morning) (?:before|after)\b(?! tomorrow| yesterday)")


def day_said_twice(text: str, found: Iterable[FoundDate], cited: tuple[Witness, ...]) -> str:
    """Return a day that *text*, in which *found* are dates, has for another one of *cited* as well."""
    said = cited[-1].said_at.date()
    mine = Counter(day for _, day in _days(text, found, said))
    twice = [(day, often) for day, often in mine.items() if often > 1]
    held = [line for witness in cited for line in _lines(witness)] if twice else []
    for day, often in twice:
        if often > sum(line.count(day) for line in held) > 0 and any(
            day in line and any(other not in mine for other in line) for line in held
        ):
            return day
    return ""


def _lines(witness: Witness) -> list[list[str]]:
    """Return the days of each sentence of *witness* that names any."""
    text = witness.text
    days = list(_days(text, witness.found_dates, witness.said_at.date()))
    days += [(match.start(), "apart") for match in _DAY_APART.finditer(text.lower())]
    ends = [match.end() for match in _SENTENCE.finditer(text)]
    lines: dict[int, list[str]] = {}
    for at, day in days:
        lines.setdefault(bisect_right(ends, at), []).append(day)
    return list(lines.values())


def _days(text: str, found: Iterable[FoundDate], said: date) -> Iterator[tuple[int, str]]:
    """Yield where each day stands and its one name: of the week when it is near, else its date."""
    items = list(found)
    spans = [(item.start, item.end, _name(item, day, said)) for item in items for day in _ends(item)]
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
