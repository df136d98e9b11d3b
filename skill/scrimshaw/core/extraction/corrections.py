"""Correct one value in an earlier line: "it's the 27th, not the 26th", said of an appointment.

Such a sentence has no subject: noted alone it cannot be understood, and the line that it corrects would stay
as it was. So the earlier line is told again with the one value exchanged. A value is a number, a day of the
month, a time, a weekday, a month or a name. In doubt nothing is corrected: the sentence may hold no word of
matter that the line does not hold, and the line may hold one such value only.
"""

from __future__ import annotations

import re
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
    r"|(?P<word>[^\W\d_\u3040-\u9fff](?:[^\W_\u3040-\u9fff]|['’-](?=\w))*)"
    r"|(?P<east>(?:周|星期|礼拜)[一二三四五六日天]|[月火水木金土日]曜日?)"
)
_HALF_A_WEEK = timedelta(days=4)
_DIGITS = re.compile(r"\d+(?:[.,:h]\d+)*")
_FIGURES = re.compile(r"\d+(?:[.,:h]\d+)*(?P<ending>st|nd|rd|th)?")
_CLAUSE = re.compile(r"[,;:.!?…]\s|\s[–—-]\s|\b(?:because|weil|porque|parce que|perché|pois)\b")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)")
_WORDS = re.compile(r"\w+")
_THE = re.compile(r"\bthe $")
_MAKE_A_DATE = ({"number", "month"}, {"date", "month"})
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}
_IS_HOUR = re.compile(r" ?(?:uhr|h|heures?|horas|o['’]clock)\b", re.IGNORECASE)
_WEEKDAY_OF = re.compile(r"[^\W\d_]+,?(?: (?:the|den|dem|el|le|il|dia))? $")  # before the day of a month
_MOST_CHARS = 300  # of a sentence that corrects
_BESIDE = 4  # characters between a day and its month
_DAY_WORDS = ("weekday", "month")


class Value(NamedTuple):
    """A value and where it stands in its text. *sort* says what it may be exchanged for."""

    sort: str  # number, date (a day of the month, with or without the month), time, weekday, month, name
    text: str
    start: int
    end: int

    @property
    def digits(self) -> str:
        """Its first figures, without ending; "" where it has none."""
        match = _DIGITS.search(self.text)
        return match.group() if match else ""


class Correction(NamedTuple):
    """The value that holds instead of an *old* one, or, None, of the last said of its sort."""

    new: Value
    old: Value | None
    counted: str  # what a number counts, where it is said
    rest: frozenset[str]  # the other words of its clause that carry matter: all stand in what it corrects
    about: frozenset[str]  # those of the clauses around it


def values_in(text: str) -> list[Value]:
    """Return the values of *text*, the dates that were added to it left out."""
    blank = NOTED_DATE.sub(lambda noted: " " * len(noted.group()), text)
    found: list[Value] = []
    for match in _VALUE.finditer(blank):
        one = Value(_sort(match), match.group(), *match.span())
        if one.sort == "number" and _IS_HOUR.match(blank, one.end):
            one = one._replace(sort="time")
        last = found[-1] if found else None
        if last and last.end + _BESIDE >= one.start and {last.sort, one.sort} in _MAKE_A_DATE:
            found[-1] = Value("date", blank[last.start : one.end], last.start, one.end)
        elif one.sort:
            found.append(one)
    return found


def _sort(match: re.Match[str]) -> str:
    word = match["word"]
    if word is None:
        ending, digits = match["ending"] or "", match["digits"] or ""
        if ":" in digits or "h" in digits or "m" in ending:
            return "time"
        return ("date" if ending else "number") if digits else "weekday"
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
    if text.endswith(("?", "？")) or _table.THOUGHT.search(text) or len(text) > _MOST_CHARS:
        return None
    for pattern in _table.each("CORRECTED"):
        start = 0
        while match := pattern.search(text, start):
            if found := _read(text, match):
                return found
            start = match.start() + 1
    return None


def _read(text: str, match: re.Match[str]) -> Correction | None:
    groups = match.groupdict()
    new, old = (_value_at(text, match.start(name)) if name in groups else None for name in ("new", "old"))
    if new is None or ("old" in groups and old is None):
        return None
    if old is None and new.sort == "name":
        return None
    if old is not None and old.sort != new.sort and not (old.digits and new.digits):
        return None
    start = min(match.start(), new.start, old.start if old else new.start)
    end = max(match.end(), new.end, old.end if old else 0)
    before, after = _CLAUSE.split(text[:start]), _CLAUSE.split(text[end:])
    counted = "" if (groups.get("more") or "").strip() in new.text else groups["more"].strip()
    clause = f"{before[-1]} {counted} {after[0]}"
    if new.sort == "name":
        if not _table.NAMES.search(clause) and content_words(clause):
            return None  # "it was Tom, not Tim", who called
        clause = _table.NAMES.cut(clause)
    about = " ".join((*before[:-1], *after[1:]))
    return Correction(new, old, counted, _matter(clause), _matter(about))


def _value_at(text: str, start: int) -> Value | None:
    return next((one for one in values_in(text) if one.start <= start < one.end), None)


def _matter(text: str) -> frozenset[str]:
    words = (word for word in content_words(text) if word not in _said_besides())
    return frozenset(word for word in words if not any(word in _words_for(kind) for kind in _DAY_WORDS))


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
    words = content_words(text)
    if not all(any(_is_form(word, held) for held in words) for word in correction.rest):
        return None
    values = values_in(text)
    if correction.counted:
        counted = [one for one in values if _WORDS.findall(text[one.end :])[:1] == [correction.counted]]
        values = counted or values
    found = [one for one in values if _may_be_old(one, correction)]
    if len(found) != 1 or any(_is_same(one, correction.new) for one in values):
        return None
    (old,) = found
    before = text[: old.start]
    day = _WEEKDAY_OF.search(before)
    if old.digits and day and any(one.sort == "weekday" for one in values_in(day.group())):
        before = before[: day.start()]  # of another day of the month it is not the weekday
    told = _put(old, correction.new)
    if told[:1].isdigit() and not old.text[:1].isalpha() and not _ORDINAL.match(told):
        before = _THE.sub("", before)  # "on the 28th", "on 5 December"
    return before + told + text[old.end :]


def _is_form(word: str, other: str) -> bool:
    """Tell whether both may be forms of one word: "empiezo", "empieza"."""
    return word == other or (
        len(word) > _BESIDE and word[:-1] == other[: len(word) - 1] and abs(len(word) - len(other)) < 2
    )


def _may_be_old(one: Value, correction: Correction) -> bool:
    return _is_same(one, correction.old) if correction.old else one.sort == correction.new.sort


def _is_same(one: Value, wanted: Value) -> bool:
    if wanted.sort == "name":
        return one.text == wanted.text
    if not wanted.digits:
        return one.text.lower() == wanted.text.lower()
    return one.digits in (wanted.digits, f"{wanted.digits}:00")


def _put(old: Value, new: Value) -> str:
    """Return *new* in the form of *old*: "27th" for "26th", "27" for "26", "10:00" for "9:00"."""
    figures = _FIGURES.search(old.text)
    is_whole = new.sort == "time" or (new.sort == "date" and any(map(str.isspace, new.text)))
    if not new.digits or figures is None or is_whole:
        return new.text
    if old.digits.endswith(":00") and new.digits.isdigit():
        return old.text.replace(old.digits, f"{new.digits}:00")
    ending = figures["ending"] or ""
    if ending:
        last = int(new.digits[-2:])
        ending = "th" if last in (11, 12, 13) else _ENDINGS.get(last % 10, "th")
    return old.text[: figures.start()] + new.digits + ending + old.text[figures.end() :]
