"""Which weekdays and months a text names, in any form that people type: wed, mon+tue, weds, til jan, sept.

Only good for supporting what a note names: core/text/dates, which has to be sure, reads the short forms
only where they cannot be another word. What is plainly another word ("we sat down", "it may rain", "in the
sun") is left out here too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from functools import lru_cache

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
NAME = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?"
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_WEEKDAY = re.compile(rf"\b{NAME}s?\b")
_MONTH = re.compile(rf"\b({MONTH})\b\.?(?:,? ((?:19|20)\d\d)\b)?")
_TWO_LETTERS = re.compile(r"(?<!\d)(?<!\d )\b(?:mo|tu|th|fr|sa|su)\b")  # "we" is nearly always the word
_WEEKEND = re.compile(r"\bweekends?\b")
_WHO_SAT = re.compile(r"\b(?:i|we|he|she|they|you|who|that|just|never|has|have|had|having)\s$")
_SAT_WHERE = re.compile(
    r"\s(?:down|up|idle|unused|empty|still|there|here|next to|beside|by the|in|on|at|through|around|with)\b"
)
_DATING = re.compile(
    r"(?:\b(?:on|by|til|till|until|since|from|to|every|this|next|last|and|or|for|due)\s|[-+&/,(]\s?)$"
)
_OF_THE_SUN = re.compile(
    r"\b(?:the|full|direct|no|some|little|much|more|less|enough|partial|hot|strong|of|in|into|against)\s$"
)
_BEFORE_A_MONTH = re.compile(
    r"(?:\b(?:the|in|until|till?|by|before|after|since|from|during|of|through|thru|to|early|mid|late|next"
    r"|last|end|between|around)[\s-]|\d(?:st|nd|rd|th|\.)?\s?|[-/&+]\s?)$"
)
_AFTER_A_MONTH = re.compile(rf"\s?[-/&+]|\s?\d|\s(?:to|till?|until|and|or) {MONTH}\b")
_LOOK_BACK = 12  # characters
_NEAR_DAYS = 330


def weekday_mentions(lower: str) -> list[re.Match[str]]:
    """Return where *lower* names a weekday: in full, in short, and in two letters beside another."""
    found = [match for match in _WEEKDAY.finditer(lower) if not _is_another_word(match, lower)]
    return [*found, *_TWO_LETTERS.finditer(lower)] if found else found  # "mo rest, tue intervals"


def _is_another_word(match: re.Match[str], lower: str) -> bool:
    before = lower[max(0, match.start() - _LOOK_BACK) : match.start()]
    if match.group() == "sat" and _DATING.search(before) is None:
        return (_WHO_SAT.search(before) or _SAT_WHERE.match(lower, match.end())) is not None
    return match.group() == "sun" and _OF_THE_SUN.search(before) is not None


def weekday_of(match: re.Match[str]) -> int:
    """Return 0 for a mention of Monday …"""
    return [day[:2] for day in DAYS].index(match.group()[:2])


@lru_cache(maxsize=64)
def weekdays_named(lower: str) -> frozenset[int]:
    """Return the weekdays that *lower* names, 0 for Monday, both days of a weekend too."""
    named = {weekday_of(match) for match in weekday_mentions(lower)}
    return frozenset(named | {5, 6} if _WEEKEND.search(lower) else named)


def _month_mentions(lower: str) -> Iterator[re.Match[str]]:
    for match in _MONTH.finditer(lower):
        before = lower[max(0, match.start() - _LOOK_BACK) : match.start()]
        is_dated = match[2] or _BEFORE_A_MONTH.search(before) or _AFTER_A_MONTH.match(lower, match.end(1))
        if is_dated or match[1] != "may":
            yield match


def month_of(word: str) -> int:
    """Return 1 for January …, whichever form it has."""
    return MONTHS.index(word[:3]) + 1


@lru_cache(maxsize=64)
def months_named(lower: str) -> frozenset[int]:
    """Return the months that *lower* names, 1 for January."""
    return frozenset(month_of(match[1]) for match in _month_mentions(lower))


@lru_cache(maxsize=64)
def months_meant(lower: str, said: date) -> frozenset[date]:
    """Return the first day of each month that *lower* may mean: of the year it gives, else of those near."""
    firsts: set[date] = set()
    for match in _month_mentions(lower):
        years = [int(match[2])] if match[2] else [said.year - 1, said.year, said.year + 1]
        days = [date(year, month_of(match[1]), 1) for year in years]
        firsts.update(day for day in days if match[2] or abs((day - said).days) <= _NEAR_DAYS)
    return frozenset(firsts)
