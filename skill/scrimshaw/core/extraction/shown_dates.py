"""The dates of a statement as its line shows them: beside the words for them, in the shortest form."""

from __future__ import annotations

import re
from datetime import date, timedelta

from scrimshaw.core.text import entities
from scrimshaw.core.text.dates import FoundDate
from scrimshaw.core.text.tense import Leaning
from scrimshaw.core.types import DateRef, Kind

_ABSOLUTE = re.compile(entities.MONTH + r"\b|\d{4}|\d[./]\d", re.IGNORECASE)
_HOUR = re.compile(r"(?<![\d.])(\d{1,2})\.(\d\d)(?![\d.])")
RECURRING = re.compile(
    r"\b(?:every|each|weekly|daily|\w+day (?:morning|afternoon|evening|night)s"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days)\b",
    re.IGNORECASE,
)
SHOWN_DATE = re.compile(r" \(\d{4}(?:-\d\d(?:-\d\d(?: to \d{4}-\d\d-\d\d)?)?)?\)")  # as `with_dates` adds it
_MAX_DATES_SHOWN = 3


def with_dates(text: str, found: list[FoundDate], today: date) -> str:
    """Return *text* with the date added to each phrase that gives it only relatively."""
    shown = 0
    for one in reversed(found):
        is_said_so = _is_absolute(one.ref) or one.ref.start == today or RECURRING.search(text)
        if not one.ref.certain or is_said_so or shown >= _MAX_DATES_SHOWN:
            continue
        end = one.end - _ends_sentence(text, one.end)
        text = f"{text[:end]} ({_span(one.ref)}){text[end:]}"
        shown += 1
    return text


def _is_absolute(ref: DateRef) -> bool:
    """Tell whether the words of *ref* give the day itself; an hour, "Tuesday at 11.30", does not."""
    phrase = _HOUR.sub(lambda hit: "" if f"{int(hit[1]):02}:{hit[2]}" == ref.time else hit[0], ref.phrase)
    return _ABSOLUTE.search(phrase) is not None


def _ends_sentence(text: str, end: int) -> bool:
    """Tell whether the dot of a date that ends at *end* ends its sentence, too: "ab 1. Juli. Wir …"."""
    return (
        text[max(0, end - 4) : end - 1].isalpha()
        and text[end - 1] == "."
        and not text[end : end + 2].islower()
    )


def _span(ref: DateRef) -> str:
    """Return the days of *ref* in the shortest form: a whole year, a whole month, a span."""
    start, end = ref.start, ref.end
    if end is None:
        return start.isoformat()
    if start.day == 1 and (end + timedelta(days=1)).day == 1:
        if (start.month, end.month, start.year) == (1, 12, end.year):
            return f"{start:%Y}"
        if (start.year, start.month) == (end.year, end.month):
            return f"{start:%Y-%m}"
    return f"{start.isoformat()} to {end.isoformat()}"


def date_meant(found: list[FoundDate], today: date, kind: Kind) -> DateRef | None:
    """Return the date a statement is about: the first future one, else the first; None when ambiguous.

    The past is not meant by a next step that tells another day, too: "last year they were here, so this one".
    """
    refs = [one.ref for one in found if one.ref.certain or one.way.is_sure]
    if len(found) > 1 and not found[0].ref.certain and found[0].way == Leaning():
        # "The wedding is on 12 June. He told me this afternoon": the day of the telling is not meant.
        refs = refs if any(ref.start > today for ref in refs) else refs[:1]
    ahead = [ref for ref in refs if (ref.end or ref.start) >= today]
    return next(iter([*ahead, *(refs if kind is not Kind.NEXT_STEP or len(found) == 1 else ())]), None)
