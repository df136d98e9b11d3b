"""Correct one value in an earlier line: "it's the 27th, not the 26th", said of an appointment.

Such a sentence has no subject: noted alone it cannot be understood, and the line that it corrects would stay
as it was. So the earlier line is told again with the one value exchanged. A value is a number, a day of the
month, a time, a weekday, a month or a name. In doubt nothing is corrected: the sentence may hold no word of
matter that the line does not hold, and the line may hold one such value only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cache
from typing import NamedTuple

from scrimshaw.core.extraction.change_features import NOTED_DATE
from scrimshaw.core.extraction.claim_changes import changes
from scrimshaw.core.extraction.shown_dates import dated
from scrimshaw.core.language import PatternTable
from scrimshaw.core.ledger.known_lines import content_words
from scrimshaw.core.text.languages import NAMES, language
from scrimshaw.core.types import DateRef, Observation, Proposal

_table = PatternTable("corrections")
_VALUE = re.compile(
    r"(?P<digits>(?<![\w.,:/-])\d+(?:[.,:h]\d+)*)(?P<ending>st|nd|rd|th|[ºª]| ?[ap]\.?m\b)?(?![\d/-])"
    r"|(?P<word>[^\W\d_](?:[^\W_]|['’-](?=\w))*)"
    r"|(?<![\u3400-\u9fff])(?P<east>(?:周|星期|礼拜)[一二三四五六日天]|[月火水木金土日]曜日?)"
)
_HALF_A_WEEK = timedelta(days=4)
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}
_IS_HOUR = re.compile(r" ?(?:uhr|h|heures?|horas|o['’]clock)\b", re.IGNORECASE)
_WEEKDAY_OF = re.compile(r"[^\W\d_]+,?(?: (?:the|den|dem|el|le|il|dia))? $")  # before the day of a month
_BESIDE = 4  # characters between a day and its month
_DAY_WORDS = ("weekday", "month")


class Value(NamedTuple):
    """A value and where it stands in its text. *sort* says what it may be exchanged for."""

    sort: str  # number, day (of the month), time, weekday, month, name
    text: str
    start: int
    end: int

    @property
    def digits(self) -> str:
        """The figures, without ending; "" for a word."""
        match = _VALUE.match(self.text)
        return match["digits"] or "" if match else ""


class Correction(NamedTuple):
    """The value that holds instead of an *old* one, or, None, of the last said of its sort."""

    new: Value
    old: Value | None
    rest: frozenset[str]  # its other words that carry matter


def values_in(text: str) -> Iterator[Value]:
    """Yield the values of *text*, the dates that were added to it left out."""
    blank = NOTED_DATE.sub(lambda noted: " " * len(noted.group()), text)
    found = [Value(sort, one.group(), *one.span()) for one in _VALUE.finditer(blank) if (sort := _sort(one))]
    months = [one for one in found if one.sort == "month"]
    for one in found:
        is_of_month = any(
            0 <= one.start - m.end <= _BESIDE or 0 <= m.start - one.end <= _BESIDE for m in months
        )
        if one.sort == "number" and _IS_HOUR.match(blank, one.end):
            yield one._replace(sort="time")
        elif one.sort == "number" and is_of_month and len(one.text) <= 2:
            yield one._replace(sort="day")
        else:
            yield one


def _sort(match: re.Match[str]) -> str:
    word = match["word"]
    if word is None:
        ending, digits = match["ending"] or "", match["digits"] or ""
        if ":" in digits or "h" in digits or "m" in ending:
            return "time"
        return ("day" if ending else "number") if digits else "weekday"
    lower = word.lower()
    found = (kind for kind in _DAY_WORDS if lower in _words_for(kind))
    return next(found, "name" if word[0].isupper() else "")


@cache
def _words_for(vocabulary: str) -> frozenset[str]:
    every = (word for name in NAMES for word in language(name).forms(vocabulary))
    return frozenset(word for word in every if len(word) > 2)


def correction_in(text: str) -> Correction | None:
    """Return what *text* corrects, None where it does not plainly say which value holds now."""
    text = NOTED_DATE.sub("", text).strip()
    if text.endswith(("?", "？")):
        return None
    for pattern in _table.each("CORRECTED"):
        start = 0
        while match := pattern.search(text, start):
            new = _value(text, match, "new")
            old = _value(text, match, "old") if "old" in match.groupdict() else None
            is_alike = new and (new.sort != "name" if old is None else _is_alike(new, old))
            if new and new.sort == "name" and len(match.group()) < len(text.rstrip(" .!")):
                is_alike = is_alike and bool(_table.NAMES.search(text))  # "it was Tom, not Tim", who called
            if new and is_alike and (old or "old" not in match.groupdict()):
                rest = f"{text[: match.start()]} {match.groupdict().get('more') or ''} {text[match.end() :]}"
                rest = _table.NAMES.cut(rest) if new.sort == "name" else rest
                return Correction(new, old, content_words(rest) - _said_besides())
            start = match.start() + 1
    return None


def _value(text: str, match: re.Match[str], name: str) -> Value | None:
    found = _VALUE.match(text, match.start(name))
    sort = _sort(found) if found else ""
    return Value(sort, found.group(), *found.span()) if found and sort else None


def _is_alike(one: Value, other: Value) -> bool:
    return one.sort == other.sort or bool(one.digits and other.digits)


@cache
def _said_besides() -> frozenset[str]:
    marks = (language(name).marks for name in NAMES)
    words = frozenset().union(_table.words("BESIDES"), changes.words("CHANGE_WORDS"), *marks)
    return content_words(" ".join(words))


def told_again(
    before: Proposal | Observation, correction: Correction, said_at: datetime
) -> tuple[str, DateRef | None] | None:
    """Return the text of *before* with the corrected value and its dates, and its date; None if in doubt.

    *said_at*: when it was corrected. A weekday is the one nearest to the date that it was before.
    """
    text = corrected(before.text, correction)
    if text is None:
        return None
    was = before.refers_to
    near = datetime.combine(was.start, said_at.timetz()) - _HALF_A_WEEK if was else said_at
    return dated(text, max(near, said_at))


def corrected(line: str, correction: Correction) -> str | None:
    """Return *line* with the value of *correction*, dates that were added left out; None if in doubt."""
    text = NOTED_DATE.sub("", line)
    if not correction.rest <= content_words(text):
        return None
    wanted = correction.old or correction.new
    values = list(values_in(text))
    found = [one for one in values if _is_same(one, wanted, exactly=correction.old is not None)]
    if len(found) != 1 or any(_is_same(one, correction.new, exactly=True) for one in values):
        return None
    (old,) = found
    before = text[: old.start]
    day = _WEEKDAY_OF.search(before)
    if old.digits and day and any(one.sort == "weekday" for one in values_in(day.group())):
        before = before[: day.start()]  # of another day of the month it is not the weekday
    return before + _put(old, correction.new) + text[old.end :]


def _is_same(one: Value, wanted: Value, *, exactly: bool) -> bool:
    if not exactly:
        return one.sort == wanted.sort
    if wanted.digits:
        return one.digits in (wanted.digits, f"{wanted.digits}:00")
    return one.text == wanted.text if wanted.sort == "name" else one.text.lower() == wanted.text.lower()


def _put(old: Value, new: Value) -> str:
    """Return *new* in the form of *old*: "27th" for "26th", "27" for "26", "10:00" for "9:00"."""
    ending = old.text[len(old.digits) :]
    if not new.digits or new.sort == "time":
        return new.text
    if old.digits.endswith(":00") and new.digits.isdigit():
        return f"{new.digits}:00{ending}"
    if ending in ("st", "nd", "rd", "th"):
        last = int(new.digits[-2:])
        ending = "th" if last in (11, 12, 13) else _ENDINGS.get(last % 10, "th")
    return new.digits + ending
