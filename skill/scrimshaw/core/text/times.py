"""Times of day in people's words: 9:30, 7pm, 19h, noon, 22:00 to 23:30.

A number with a dot ("9.30") is a time only after a word that says so; elsewhere it is a price or a
version. Knows nothing of dates: core/text/dates puts the two together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple


class TimeOfDay(NamedTuple):
    """A time found in a text: *text* is "HH:MM", and where the words for it stand."""

    text: str
    start: int
    end: int


# What a number behind a whole hour counts, or the month of a day; else it is the minutes: "um 8 Uhr 30".
_COUNTED = (
    r"\.\s?(?:jan|feb|mär|apr|mai|jun|jul|aug|sep|okt|nov|dez)|[€$£%°]"
    r"|(?:euro|leute|personen|gäste|kinder|mann|stück|minuten?|min|stunden?|std|tage?|[kcm]?m|k?g|x)\b"
)
_TIME = re.compile(
    r"(?:"
    r"(?P<h1>[01]?\d|2[0-4])[:h](?P<m1>[0-5]\d)(?::[0-5]\d(?:[.,]\d{1,6})?)?(?:\s?(?P<p1>[ap])\.?m\b\.?|\s?uhr\b)?(?!(?!z\b)(?:[^\W\u3040-\u9fff]|:))"
    r"|(?P<h2>1[0-2]|0?[1-9])(?:\.(?P<m2>[0-5]\d))?\s?(?P<p2>[ap])\.?m\b\.?"
    r"|(?P<h3>[01]?\d|2[0-3])(?:\.(?P<m3>[0-5]\d)(?=\s?uhr))?\s?"
    rf"(?:o['’]clock|uhr(?:\s(?P<m7>[0-5]\d)(?!\w|[.,:]\d|\s?(?:{_COUNTED})))?|hrs?(?=\s+(?:sharp|utc|cet)))(?!\w)"
    r"|(?:(?<=à )|(?<=às )|(?<=vers )|(?<=dès ))(?P<h5>[01]?\d|2[0-4])\s?h(?:eures?|oras?)?"
    r"(?:\s?(?P<m5>[0-5]\d))?(?!\w)"
    r"|(?:(?<=a las )|(?<=alle )|(?<=[^\d] ore ))(?P<h6>[01]?\d|2[0-4])"
    r"(?:\.(?P<m6>[0-5]\d)|(?<=1[3-9]|2\d)(?!\d|[.,:]\d))(?!\w)"
    r"|(?<=at )(?P<h4>[01]?\d|2[0-3])\.(?P<m4>[0-5]\d)(?![\w.%])"
    r"|(?P<noon>noon|midday)\b|(?P<midnight>midnight)\b)",
    re.IGNORECASE,
)
_STARTS = re.compile(r"[\dnm](?:(?<![\w:.,/-].)|(?<=[\u3040-\u9fff].)|(?<=\dt.)|(?<=:\d\d-.))", re.IGNORECASE)
_FIGURE = re.compile(r"\d(?:[:h.]\d\d|\s?[ap]\.?m)", re.IGNORECASE)
_LETTERED = ("noon", "midday", "midnight", "clock", "uhr", "hr")
_WORDS = (*_LETTERED, "à ", "às ", "vers ", "dès ", "las ", "alle ", " ore ")
# Of a clock of twelve hours only where it says which half of the day: 下午3点, 午後三時半.
_HAN = re.compile(
    r"(?:(?P<half>上午|早上|凌晨|中午|下午|傍晚|晚上|午前|午後)\s?の?)?(?<![\d:])(?P<hour>\d\d?|[一二三四五六七八九十两]{1,3})"
    r"\s?[点點时時](?!間|间)(?:(?P<minute>[0-5]?\d|[二三四五]?十[一二三四五六七八九]?(?=分))分?|(?P<thirty>半)|(?P<quarters>[一三])刻)?"
)
_HAN_NUMBERS = ("一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二")
_HAN_HOURS = {word: hour for hour, word in enumerate(_HAN_NUMBERS, start=1)} | {"两": 2}
_AFTERNOON = ("下午", "傍晚", "晚上", "午後")


def find_times(text: str) -> list[TimeOfDay]:
    """Return the times of day in *text*, in order, as 24-hour "HH:MM"; 24:00 reads 00:00."""
    lower = text.lower()
    if not lower.isascii() and (of_han := list(_of_han(text))):
        plain = _of_letters(text, lower)
        return sorted([*of_han, *plain], key=lambda time: time.start)
    return _of_letters(text, lower)


def _of_han(text: str) -> Iterator[TimeOfDay]:
    for match in _HAN.finditer(text):
        word, half = match["hour"], match["half"]
        hour = int(word) if word.isdecimal() else _HAN_HOURS.get(word, 0)
        if half in _AFTERNOON and 1 <= hour < 12:
            hour += 12
        if 0 < hour <= 24 and (half or hour > 12):
            yield TimeOfDay(f"{hour % 24:02d}:{_minute_of_han(match):02d}", *match.span())


def _minute_of_han(match: re.Match[str]) -> int:
    if match["thirty"]:
        return 30
    if match["quarters"]:
        return 15 if match["quarters"] == "一" else 45
    told = match["minute"] or "0"
    tens, ten, ones = told.partition("十")  # 三十分, 十五分
    return int(told) if not ten else 10 * _HAN_HOURS.get(tens, 1) + _HAN_HOURS.get(ones, 0)


def _of_letters(text: str, lower: str) -> list[TimeOfDay]:
    if not any(map(lower.__contains__, _WORDS)) and _FIGURE.search(text) is None:
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


_HOURS = ("h1", "h2", "h3", "h4", "h5", "h6")
_MINUTES = ("m1", "m2", "m3", "m4", "m5", "m6", "m7")


def _clock(match: re.Match[str]) -> str | None:
    groups = match.groupdict()
    if groups["noon"]:
        return "12:00"
    if groups["midnight"]:
        return "00:00"
    hour = int(next(hour for name in _HOURS if (hour := groups[name])))
    minute = int(next((minute for name in _MINUTES if (minute := groups[name])), 0))
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
