"""Months and years that follow from words and from when they were said: next summer, seven years ago.

Only good for supporting a month or year that a note names; core/text/dates gives the days.
"""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache

from scrimshaw.core.text.day_names import months_meant

_COUNTS_TEXT = "one two three four five six seven eight nine ten eleven twelve"
_COUNTS = {word: number for number, word in enumerate(_COUNTS_TEXT.split(), 1)} | {"a": 1, "an": 1}
_COUNT = rf"(\d{{1,2}}|{'|'.join(_COUNTS)})"
_APART = re.compile(
    rf"\b(in |for |since )?{_COUNT} (month|year|yr)s?( ago| earlier| back| now| from now| later)?\b"
)
_NEXT_TO = re.compile(
    r"\b(last|next|this|previous|coming|past) (month|year|spring|summer|autumn|fall|winter)\b"
)
_SEASON = re.compile(r"\b(spring|summer|autumn|fall|winter)\b")
_STEPS = {"last": -1, "previous": -1, "past": -1, "next": 1, "coming": 1, "this": 0}
_MIDDLES = {"spring": 4, "summer": 7, "autumn": 10, "fall": 10, "winter": 1}
_YEAR = 12  # months
_NEAR_MONTHS = 11


@lru_cache(maxsize=256)
def months_told(lower: str, said: date) -> frozenset[str]:
    """Return the months, "YYYY-MM", that *lower* may mean, said on *said*."""
    now = said.year * _YEAR + said.month - 1
    found = {day.year * _YEAR + day.month - 1 for day in months_meant(lower, said)}
    found.update(now + step for step, unit in _steps(lower) if unit == "month")
    return frozenset(f"{month // _YEAR}-{month % _YEAR + 1:02d}" for month in found)


@lru_cache(maxsize=256)
def years_told(lower: str, said: date) -> frozenset[int]:
    """Return the years that *lower* may mean, said on *said*: of its months and seasons, and counted ones."""
    now = said.year * _YEAR + said.month - 1
    found = {int(month[:4]) for month in months_told(lower, said)}
    found.update(said.year + step for step, unit in _steps(lower) if unit == "year")
    for match in _SEASON.finditer(lower):
        middles = (year * _YEAR + _MIDDLES[match[1]] - 1 for year in range(said.year - 1, said.year + 3))
        near = {middle for middle in middles if abs(middle - now) <= _NEAR_MONTHS}
        before = lower[max(0, match.start() - 9) : match.start()]
        if "next " in before or "coming " in before:  # of this year's or of the next: not one that was
            near = {middle for middle in near | {max(near) + _YEAR} if middle > now}
        found.update(middle // _YEAR for middle in near)
        if match[1] == "winter":
            found.update((middle - 1) // _YEAR for middle in near)  # it begins the year before
    return frozenset(found)


def _steps(lower: str) -> list[tuple[int, str]]:
    """Return how many months or years off *lower* speaks of."""
    steps = [(_STEPS[match[1]], match[2]) for match in _NEXT_TO.finditer(lower)]
    for match in _APART.finditer(lower):
        count = int(match[2]) if match[2].isdigit() else _COUNTS[match[2]]
        unit = "year" if match[3] == "yr" else match[3]
        lead, end = (match[1] or "").strip(), (match[4] or "").strip()
        if lead == "in" or end in ("from now", "later"):
            steps.append((count, unit))
        elif lead or end:
            steps.append((-count, unit))
    return steps
