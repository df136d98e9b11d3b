"""Times of day in people's words: 9:30, 7pm, 19h, noon, 22:00 to 23:30.

A number with a dot ("9.30") is a time only after a word that says so; elsewhere it is a price or a
version. Knows nothing of dates: core/text/dates puts the two together.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class TimeOfDay(NamedTuple):
    """A time found in a text: *text* is "HH:MM", and where the words for it stand."""

    text: str
    start: int
    end: int


_TIME = re.compile(
    r"(?:"
    r"(?P<h1>[01]?\d|2[0-4])[:h](?P<m1>[0-5]\d)(?::[0-5]\d(?:[.,]\d{1,6})?)?(?:\s?(?P<p1>[ap])\.?m\b\.?)?(?!(?!z\b)[\w:])"
    r"|(?P<h2>1[0-2]|0?[1-9])(?:\.(?P<m2>[0-5]\d))?\s?(?P<p2>[ap])\.?m\b\.?"
    r"|(?P<h3>[01]?\d|2[0-3])\s?(?:o['’]clock|uhr|hrs?(?=\s+(?:sharp|utc|cet)))(?!\w)"
    r"|(?<=at )(?P<h4>[01]?\d|2[0-3])\.(?P<m4>[0-5]\d)(?![\w.%])"
    r"|(?P<noon>noon|midday)\b|(?P<midnight>midnight)\b)",
    re.IGNORECASE,
)
_STARTS = re.compile(r"[\dnm](?:(?<![\w:.,/-].)|(?<=\dt.)|(?<=:\d\d-.))", re.IGNORECASE)
_FIGURE = re.compile(r"\d(?:[:h.]\d\d|\s?[ap]\.?m)", re.IGNORECASE)
_WORDS = ("noon", "midday", "midnight", "clock", "uhr", "hr")


def find_times(text: str) -> list[TimeOfDay]:
    """Return the times of day in *text*, in order, as 24-hour "HH:MM"; 24:00 reads 00:00."""
    lower = text.lower()
    if not any(word in lower for word in _WORDS) and _FIGURE.search(text) is None:
        return []
    found: list[TimeOfDay] = []
    end = 0
    for start in _STARTS.finditer(text):
        if start.start() < end or (match := _TIME.match(text, start.start())) is None:
            continue
        if text[start.start() - 1 : start.start()] == "-" and not _ends_span(text, found, start.start()):
            continue
        end = match.end()
        if (clock := _clock(match)) is not None:
            found.append(TimeOfDay(clock, match.start(), match.end()))
    return found


def _ends_span(text: str, found: list[TimeOfDay], start: int) -> bool:
    """Whether what is written behind a hyphen ends a span, "9:00-9:45", and is no zone, "T09:00-05:00"."""
    if not found or found[-1].end != start - 1:
        return False
    first = found[-1]
    is_stamp = text[first.start - 1 : first.start].lower() == "t"
    return not is_stamp and text.count(":", first.start, first.end) == 1


def _clock(match: re.Match[str]) -> str | None:
    groups = match.groupdict()
    if groups["noon"]:
        return "12:00"
    if groups["midnight"]:
        return "00:00"
    hour = int(groups["h1"] or groups["h2"] or groups["h3"] or groups["h4"])
    minute = int(groups["m1"] or groups["m2"] or groups["m4"] or 0)
    half = (groups["p1"] or groups["p2"] or "").lower()
    if half and not 1 <= hour <= 12:
        return None
    if half == "p" and hour < 12:
        hour += 12
    if half == "a" and hour == 12:
        hour = 0
    if hour == 24:
        if minute:
            return None
        hour = 0
    return f"{hour:02d}:{minute:02d}"
