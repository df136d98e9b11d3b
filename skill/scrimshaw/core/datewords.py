"""One date phrase at a time: which words make a date, and which days they mean.

The patterns run over lower-cased text, since matching without regard to case costs three times as
much; where a capital decides ("Mar" or "mar") the original is asked. A reader gets a match and what
it was said amid, and returns days or None when the words turn out to mean something else. What
surrounds a phrase (times, ranges, tense) belongs to core/timephrase.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import NamedTuple


class Said(NamedTuple):
    """The words as written, the day of the saying, and which way it looks: 1 ahead, -1 back, 0 unknown."""

    text: str
    day: date
    way: int


class Days(NamedTuple):
    start: date
    end: date | None = None
    certain: bool = True


_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_COUNTING = "one two three four five six seven eight nine ten eleven twelve"
_NUMBERS = {word: number for number, word in enumerate(_COUNTING.split(), start=1)}
_NUMBERS |= {"a": 1, "an": 1, "fourteen": 14, "thirty": 30}
# Short names that are also words ("we sat", "it may") count as dates only with a capital.
_WORDLIKE = frozenset({"mon", "wed", "sat", "sun", "mar", "march", "may"})

_W = (
    r"(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?"
    r"|sat(?:urday)?|sun(?:day)?)"
)
_M = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_N = rf"(?:\d{{1,3}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_UNIT = r"(?:day|week|fortnight|month|year)s?"
_TO = r"(?:\s*[-–—]\s*|\s+(?:to|till|until|through|and)\s+(?:the\s+)?)"
_ORD = r"(?:st|nd|rd|th)"


def _lead(name: str) -> str:
    return rf"(?:(?P<{name}>{_W})\b\.?(?:\s+(?:next|this)\s+week)?,?\s+(?:the\s+)?)?"


_RULES: dict[str, str] = {
    "iso": rf"{_lead('iw')}(?P<iy>(?:19|20)\d\d)(?P<sep>[-/.])"
    r"(?P<im>\d\d?)(?P=sep)(?P<id>\d\d?)(?!\d|[-/]\w|\.\d)",
    "day_month": rf"{_lead('dw')}(?P<dd>\d\d?)(?:{_ORD}|\.)?(?:{_TO}(?P<de>\d\d?)(?:{_ORD}|\.)?)?"
    rf"(?:\s+of)?[\s-]\s?(?P<dm>{_M})\b(?:\.(?=,?\s\d))?(?:,?[\s-](?P<dy>(?:19|20)\d\d)\b)?",
    "month_day": rf"{_lead('mw')}(?P<mm>{_M})\b\.?[\s-](?:the\s+)?(?P<md>\d\d?)(?:{_ORD})?\b(?![:.,/]\d|%)"
    rf"(?:{_TO}(?P<me>\d\d?)(?:{_ORD})?\b(?![:.]\d))?(?:,?[\s-](?P<my>(?:19|20)\d\d)\b)?",
    "dotted": rf"{_lead('ow')}(?P<od>\d\d?)\.(?P<om>\d\d?)\.(?:(?P<oy>(?:19|20)?\d\d)\b(?!\.\d))?",
    "slashed": rf"{_lead('sw')}(?P<sa>\d\d?)/(?P<sb>\d\d?)(?:/(?P<sy>(?:19|20)?\d\d))?(?![\d/]|\.\d)",
    "near": r"(?P<near>the\s+day\s+after\s+tomorrow|day\s+after\s+tomorrow|the\s+day\s+before\s+yesterday"
    r"|day\s+before\s+yesterday|today|tonight|tomorrow|tmrw|yesterday|this\s+(?:morning|afternoon|evening)|last\s+night)\b",
    "week_day": rf"(?P<wk>next|this|last)\s+week(?:'s)?,?\s+(?:on\s+)?(?P<wkd>{_W})\b",
    "weekday": rf"(?:(?P<mod>next|this|last|past|coming)\s+)?(?P<wd>{_W})\b"
    r"(?:,?\s+(?:of\s+)?(?P<of>next|this|last)\s+week\b)?",
    "ahead": rf"(?P<how>in|within)\s+(?:the\s+next\s+)?(?P<an>{_N})\s+(?P<au>{_UNIT})\b(?:['’]?\s+time\b)?",
    "counted": rf"(?P<cn>{_N})\s+(?P<cu>{_UNIT})\s+(?P<cdir>ago|from)\b"
    rf"(?:(?<=from)\s+(?P<cbase>now|today|tomorrow|{_W})\b)?",
    "ending": rf"(?:the\s+)?end\s+of\s+(?:(?P<em>{_M})\b(?:\s+(?P<ey>(?:19|20)\d\d)\b)?"
    rf"|(?P<ewhich>the|this|next|last)\s+(?P<eu>week|month|year)\b)"
    r"|(?<=by )(?:the\s+)?(?P<ebare>month|year)(?:['’]s)?[\s-]end\b",
    "period": r"(?P<pw>next|this|last)\s+(?P<pu>weekend|week|month|year)\b",
    "ordinal": rf"the\s+(?P<nth>\d\d?){_ORD}\b(?:{_TO}(?P<nthe>\d\d?){_ORD}\b)?",
    "month": rf"(?P<om1>{_M})\b(?:\.(?=\s\d))?(?:\s+(?P<omy>(?:19|20)\d\d)\b)?",
}
# What can open a phrase: a look at the first letters spares nearly every word the rules.
_OPENS = (
    "|".join(
        (*_WEEKDAYS, *_MONTHS, r"\d|to[dmn]|tmrw|yest|month|year|end\s|day\s|the\s+(?:day|end|month|year|\d)")
    )
    + rf"|(?:{'|'.join(_NUMBERS)}|in|within|this|last|next|past|coming)\s"
)
_STARTS = re.compile(r"[\dac-fijl-pstwy](?<![\w/@#$-].)(?<!\d[.,:].)")
_PHRASE = re.compile(
    rf"(?={_OPENS})(?:{'|'.join(f'(?P<{name}_>{rule})' for name, rule in _RULES.items())})(?!(?!t\d)\w)"
)


def next_phrase(lower: str, position: int) -> re.Match[str] | None:
    """Return the first phrase from *position* on that may name a date; its last group names its rule."""
    # Not one pattern for both: a pattern that begins with a look behind is tried at each letter.
    for start in _STARTS.finditer(lower, position):
        if match := _PHRASE.match(lower, start.start()):
            return match
    return None


_RECURS = re.compile(
    r"(?:\b(?:every|each|any|per|all|most|usual|black|good|ash|cyber|super|palm|easter|other)|\bon\s+a|\ba)\s+$"
)
_HANGS = re.compile(
    r"\s+(?:(?:before|after|of|in\s+between|between)\b(?!\s+(?:noon|lunch|work|that|this|next|\d))"
    r"|(?:before|after)\s*$|(?:the\s+)?(?:before|after)\b(?=\s*[,.;]))|\s+of\s+(?:each|every)\b",
)
_DATED = re.compile(
    r"\b(?:on|by|until|till|since|from|before|after|not|due|to|for|is|was|and|or|between|am|bis|vom|seit|ab|right,|yes,|no,)\s+$"
)
_MONTHLY = re.compile(
    r"\b(?:in|until|till|since|by|before|after|from|during|of|through|late|early|mid|for|to|and|to)[\s-]+$"
)
_ORDINAL_NEXT = re.compile(
    r"\s*(?:$|[,.;:!?)\n–—-]|(?:at|in|from|to|till|until|and|or|for|is|was|we|i|it|but|because|with|of\s+this"
    r"|any\s+more|anymore|instead|works?|if|when|so|as|by|then|same|morning|noon|evening|too|around)\b)",
)


def _weekday(match: re.Match[str], group: str, said: Said) -> int | None:
    """Return 0 for Monday …; None where there is none or the word is more likely another word."""
    word = match[group]
    if not word or (word in _WORDLIKE and not _is_capital(match, group, said)):
        return None
    return _WEEKDAYS.index(word[:3])


def _month(match: re.Match[str], group: str, said: Said) -> int | None:
    word = match[group]
    if word in _WORDLIKE and not _is_capital(match, group, said):
        return None
    return _MONTHS.index(word[:3]) + 1


def _is_capital(match: re.Match[str], group: str, said: Said) -> bool:
    return said.text[match.start(group)].isupper()


def _year(word: str | None) -> int | None:
    if word is None:
        return None
    return int(word) if len(word) == 4 else 2000 + int(word)


def _settle(year: int | None, month: int, day: int, weekday: int | None, said: Said) -> Days:
    """Return the day, its year found from weekday, tense and nearness when it is not said."""
    if year is not None:
        exact = date(year, month, day)
        return Days(exact, certain=weekday is None or weekday == exact.weekday())
    near = sorted(_each_year(month, day, said.day), key=lambda d: abs((d - said.day).days))
    if not near:
        raise ValueError
    if fitting := [
        d for d in near if weekday is not None and d.weekday() == weekday and abs((d - said.day).days) < 400
    ]:
        return Days(fitting[0])
    certain = weekday is None
    if said.way:
        for day_ in near:
            if 0 <= (day_ - said.day).days * said.way <= 330:
                return Days(day_, certain=certain)
    distance = abs((near[0] - said.day).days)
    return Days(near[0], certain=certain and distance < 120 and said.way == 0)


def _each_year(month: int, day: int, around: date) -> Iterator[date]:
    for year in (around.year - 1, around.year, around.year + 1):
        try:
            yield date(year, month, day)
        except ValueError:  # 29 February
            continue


def _span(
    year: str | None, month: int, first: int, last: str | None, weekday: int | None, said: Said
) -> Days:
    start = _settle(_year(year), month, first, weekday, said)
    if last is None or int(last) <= first:
        return start
    return Days(start.start, start.start.replace(day=int(last)), start.certain)


def _iso(m: re.Match[str], said: Said) -> Days | None:
    return _settle(int(m["iy"]), int(m["im"]), int(m["id"]), _weekday(m, "iw", said), said)


def _day_month(m: re.Match[str], said: Said) -> Days | None:
    month = _month(m, "dm", said)
    if month is None:
        return None
    return _span(m["dy"], month, int(m["dd"]), m["de"], _weekday(m, "dw", said), said)


def _month_day(m: re.Match[str], said: Said) -> Days | None:
    month = _month(m, "mm", said)
    if month is None:
        return None
    return _span(m["my"], month, int(m["md"]), m["me"], _weekday(m, "mw", said), said)


def _dotted(m: re.Match[str], said: Said) -> Days | None:
    before = m.string[: m.start()]
    # "28.11." without a year is a price or a version unless a word before it, or a range, says date.
    if (m["oy"] is None or len(m["oy"]) == 2) and not (m["ow"] or _DATED.search(before[-12:])):
        return None
    return _settle(_year(m["oy"]), int(m["om"]), int(m["od"]), _weekday(m, "ow", said), said)


def _slashed(m: re.Match[str], said: Said) -> Days | None:
    first, second = int(m["sa"]), int(m["sb"])
    if m["sy"] is None and not (m["sw"] or _DATED.search(m.string[max(0, m.start() - 12) : m.start()])):
        return None
    if first == 24 and second == 7:
        return None
    month, day = (second, first) if first > 12 else (first, second)
    settled = _settle(_year(m["sy"]), month, day, _weekday(m, "sw", said), said)
    return settled._replace(certain=settled.certain and (first == second or max(first, second) > 12))


def _near(m: re.Match[str], said: Said) -> Days | None:
    words = m["near"]
    if words == "last night":
        return Days(said.day - timedelta(1), certain=False)
    if "day " in words:
        return Days(said.day + timedelta(2 if "tomorrow" in words else -2))
    steps = {"tomorrow": 1, "tmrw": 1, "yesterday": -1}
    return Days(said.day + timedelta(steps.get(words, 0)))


def _monday(day: date) -> date:
    return day - timedelta(day.weekday())


_WEEK_STEP = {"last": -7, "past": -7, "this": 0, "next": 7, "coming": 0}


def _week_day(m: re.Match[str], said: Said) -> Days | None:
    weekday = _weekday(m, "wkd", said)
    if weekday is None:
        return None
    return Days(_monday(said.day) + timedelta(_WEEK_STEP[m["wk"]] + weekday))


def _bare_weekday(m: re.Match[str], said: Said) -> Days | None:
    weekday = _weekday(m, "wd", said)
    before, after = m.string[max(0, m.start() - 12) : m.start()], m.string[m.end() : m.end() + 24]
    if weekday is None or (not m["mod"] and _RECURS.search(before)) or (not m["of"] and _HANGS.match(after)):
        return None
    if len(m["wd"]) < 6 and not (m["mod"] or m["of"] or _DATED.search(before) or re.match(r",?\s*\d", after)):
        return None
    in_week = _monday(said.day) + timedelta(weekday)
    if m["of"]:
        return Days(in_week + timedelta(_WEEK_STEP[m["of"]]))
    return _modified(in_week, m["mod"] or "", said)


def _modified(in_week: date, modifier: str, said: Said) -> Days:
    """Return the weekday meant; *in_week* is the one of the week it was said in."""
    ahead = (in_week - said.day).days
    coming = in_week if ahead > 0 else in_week + timedelta(7)
    gone = in_week if ahead < 0 else in_week - timedelta(7)
    match modifier:
        case "next":
            # Still ahead in this week: some mean that one. On a Sunday, weeks differ by country.
            return Days(in_week + timedelta(7), certain=ahead <= 0 and said.day.weekday() != 6)
        case "this":
            return Days(in_week, certain=True) if ahead >= 0 or said.way < 0 else Days(coming, certain=False)
        case "last" | "past":
            return Days(gone, certain=ahead >= 0 or modifier == "past")
        case "coming":
            return Days(coming)
    if ahead == 0:
        return Days(gone if said.way < 0 else coming, certain=False)
    return Days(gone if said.way < 0 else coming)


def _shift(start: date, number: int, unit: str) -> date:
    unit = unit.rstrip("s")
    if unit in ("month", "year"):
        months = start.year * 12 + start.month - 1 + number * (12 if unit == "year" else 1)
        return _last_day(months // 12, months % 12 + 1, at_most=start.day)
    return start + timedelta(number * {"day": 1, "week": 7, "fortnight": 14}[unit])


def _last_day(year: int, month: int, at_most: int = 31) -> date:
    following = date(year + month // 12, month % 12 + 1, 1)
    last = following - timedelta(1)
    return last.replace(day=min(at_most, last.day))


def _count(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBERS[word]


def _ahead(m: re.Match[str], said: Said) -> Days | None:
    after = m.string[m.end() : m.end() + 12]
    # "done in two weeks" tells how long it took; "in a week or two" names no day.
    if (said.way < 0 and m["how"] == "in") or re.match(r"\s+(?:or|and\s+a\s+half|of)\b", after):
        return None
    certain = m["au"].rstrip("s") not in ("month", "year")
    return Days(_shift(said.day, _count(m["an"]), m["au"]), certain=certain)


def _counted(m: re.Match[str], said: Said) -> Days | None:
    number, certain = _count(m["cn"]), m["cu"].rstrip("s") not in ("month", "year")
    if re.search(r"(?:\bor|-|–)\s*$", m.string[max(0, m.start() - 5) : m.start()]):
        return None
    if m["cdir"] == "ago":
        return Days(_shift(said.day, -number, m["cu"]), certain=certain)
    base = m["cbase"] or ""
    if not base:
        return None
    start = said.day
    if base == "tomorrow":
        start += timedelta(1)
    elif base not in ("now", "today"):
        start += timedelta(((_WEEKDAYS.index(base[:3]) - start.weekday() - 1) % 7) + 1)
    return Days(_shift(start, number, m["cu"]), certain=certain)


def _ending(m: re.Match[str], said: Said) -> Days | None:
    if m["em"]:
        if (month := _month(m, "em", said)) is None:
            return None
        year = _year(m["ey"]) or _settle(None, month, 28, None, said).start.year
        return Days(_last_day(year, month))
    unit = m["eu"] or m["ebare"]
    step = {"next": 1, "last": -1}.get(m["ewhich"] or "", 0)
    if unit == "week":  # Friday for some, Sunday for others
        return Days(_monday(said.day) + timedelta(4 + 7 * step), certain=False)
    if unit == "year":
        return Days(date(said.day.year + step, 12, 31))
    inside = _shift(said.day.replace(day=1), step, "month")
    return Days(_last_day(inside.year, inside.month))


def _period(m: re.Match[str], said: Said) -> Days | None:
    unit, which = m["pu"], m["pw"]
    step = _WEEK_STEP[which] // 7
    first = said.day.replace(day=1)
    match unit:
        case "week":
            start = _monday(said.day) + timedelta(7 * step)
            return Days(start, start + timedelta(6))
        case "weekend":
            start = _monday(said.day) + timedelta(5 + 7 * step)
            return Days(start, start + timedelta(1), certain=which == "this")
        case "month":
            start = _shift(first, step, "month")
            return Days(start, _last_day(start.year, start.month))
    year = said.day.year + step
    return Days(date(year, 1, 1), date(year, 12, 31))


def _ordinal(m: re.Match[str], said: Said) -> Days | None:
    before, after = m.string[max(0, m.start() - 12) : m.start()], m.string[m.end() : m.end() + 16]
    if not (_DATED.search(before) or not before.strip()) or not _ORDINAL_NEXT.match(after):
        return None
    if re.match(r"\s+of\s+(?!this)", after):
        return None
    day, month = int(m["nth"]), said.day.replace(day=1)
    ahead = said.way > 0 or (said.way == 0 and not re.search(r"\bsince\s+$", before))
    if (day < said.day.day) if ahead else (day > said.day.day):
        month = _shift(month, 1 if ahead else -1, "month")
    start = month.replace(day=day)
    return Days(start, month.replace(day=int(m["nthe"])) if m["nthe"] and int(m["nthe"]) > day else None)


def _month_only(m: re.Match[str], said: Said) -> Days | None:
    month = _month(m, "om1", said)
    before = m.string[max(0, m.start() - 12) : m.start()]
    if month is None or not (m["omy"] or (_is_capital(m, "om1", said) and _MONTHLY.search(before))):
        return None
    year = _year(m["omy"]) or _settle(None, month, 15, None, said).start.year
    return Days(date(year, month, 1), _last_day(year, month))


READERS: dict[str, Callable[[re.Match[str], Said], Days | None]] = {
    "iso": _iso,
    "day_month": _day_month,
    "month_day": _month_day,
    "dotted": _dotted,
    "slashed": _slashed,
    "near": _near,
    "week_day": _week_day,
    "weekday": _bare_weekday,
    "ahead": _ahead,
    "counted": _counted,
    "ending": _ending,
    "period": _period,
    "ordinal": _ordinal,
    "month": _month_only,
}
