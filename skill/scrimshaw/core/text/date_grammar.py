"""One date phrase at a time: which words make a date, and which days they mean.

The patterns run over lower-cased text, since matching without regard to case costs three times as
much; where a capital decides ("Mar" or "mar") the original is asked. A reader gets a match and what
it was said amid, and returns days or None when the words turn out to mean something else. What
surrounds a phrase (times, ranges, tense) belongs to core/text/dates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import NamedTuple


class Utterance(NamedTuple):
    """The words as written, the day of the saying, and which way it looks: 1 ahead, -1 back, 0 unknown."""

    text: str
    day: date
    way: int
    is_sure: bool = True  # of the way
    is_night: bool = False  # after midnight, when "tomorrow" may be today


class Days(NamedTuple):
    start: date
    end: date | None = None
    certain: bool = True


WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_COUNTING = "one two three four five six seven eight nine ten eleven twelve"
_NUMBERS = {word: number for number, word in enumerate(_COUNTING.split(), start=1)}
_NUMBERS |= {"a": 1, "an": 1, "fourteen": 14, "thirty": 30}
# Short names that are also words ("we sat", "it may") count as dates only with a capital.
_WORDLIKE = frozenset({"mon", "wed", "sat", "sun", "mar", "march", "may"})

WEEKDAY = (
    r"(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?"
    r"|sat(?:urday)?|sun(?:day)?)"
)
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_N = rf"(?:\d{{1,3}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_UNIT = r"(?:day|week|fortnight|month|year)s?"
_TO = r"(?:\s*[-–—]\s*|\s+(?:to|till|until|through|and)\s+(?:the\s+)?)"
_WHICH_YEAR = r"(?:,?\s+(?:of\s+)?(?P<{}>last|next|this)\s+year\b)?"
_ORD = r"(?:st|nd|rd|th)"


def _lead(name: str) -> str:
    return rf"(?:(?P<{name}>{WEEKDAY})\b\.?(?:\s+(?:next|this)\s+week)?,?\s+(?:the\s+)?)?"


_RULES: dict[str, str] = {
    "iso": rf"{_lead('iw')}(?P<iy>(?:19|20)\d\d)(?P<sep>[-/.])"
    r"(?P<im>\d\d?)(?P=sep)(?P<id>\d\d?)(?!\d|[-/]\w|\.\d)",
    "day_month": rf"{_lead('dw')}(?P<dd>\d\d?)(?:{_ORD}|\.)?(?:{_TO}(?P<de>\d\d?)(?:{_ORD}|\.)?)?"
    rf"(?:\s+of)?[\s-]\s?(?P<dm>{MONTH})\b(?:\.(?=,?\s\d))?(?:,?[\s-](?P<dy>(?:19|20)\d\d)\b)?"
    + _WHICH_YEAR.format("dwhich"),
    "month_day": rf"{_lead('mw')}(?P<mm>{MONTH})\b\.?[\s-](?:the\s+)?(?P<md>\d\d?)(?:{_ORD})?\b(?![:.,/]\d|%)"
    rf"(?:{_TO}(?P<me>\d\d?)(?:{_ORD})?\b(?![:.]\d))?(?:,?[\s-](?P<my>(?:19|20)\d\d)\b)?"
    + _WHICH_YEAR.format("mwhich"),
    "dotted": rf"{_lead('ow')}(?P<od>\d\d?)\.(?P<om>\d\d?)\.(?:(?P<oy>(?:19|20)?\d\d)\b(?!\.\d))?",
    "slashed": rf"{_lead('sw')}(?P<sa>\d\d?)/(?P<sb>\d\d?)(?:/(?P<sy>(?:19|20)?\d\d))?(?![\d/]|\.\d)",
    "near": r"(?P<near>the\s+day\s+after\s+tomorrow|day\s+after\s+tomorrow|the\s+day\s+before\s+yesterday"
    r"|day\s+before\s+yesterday|today|tonight|tomorrow|tmrw|yesterday|this\s+(?:morning|afternoon|evening)|last\s+night)\b",
    "week_day": rf"(?P<wk>next|this|last)\s+week(?:'s)?,?\s+(?:on\s+)?(?P<wkd>{WEEKDAY})\b",
    "ordinal": rf"(?:(?P<nw>{WEEKDAY})\b\.?,?\s+(?:the\s+)?|the\s+)(?P<nth>\d\d?){_ORD}\b"
    rf"(?:{_TO}(?P<nthe>\d\d?){_ORD}\b)?",
    "weekday": rf"(?:(?P<mod>next|this|last|past|coming)\s+)?(?P<wd>{WEEKDAY})\b"
    r"(?:,?\s+(?:of\s+)?(?P<of>next|this|last)\s+week\b)?"
    rf"(?:\s+(?P<later>week|fortnight)\b|,?\s+in\s+(?P<wn>{_N})\s+(?P<wu>(?:day|week|fortnight)s?)\b)?",
    "ahead": rf"(?P<how>in|within)\s+(?:the\s+next\s+)?(?P<an>{_N})\s+(?P<au>{_UNIT})\b(?:['’]?\s+time\b)?",
    "counted": rf"(?P<cn>{_N})\s+(?P<cu>{_UNIT})\s+"
    rf"(?:(?P<ago>ago)|from\s+(?P<cbase>now|today|tomorrow|{WEEKDAY}))\b",
    "weeks_on": rf"(?P<on>{_N})\s+(?P<ou>(?:week|fortnight)s?)\s+"
    rf"(?:today|(?P<obase>tomorrow|on\s+{WEEKDAY}))\b",
    "ending": rf"(?:the\s+)?end\s+of\s+(?:(?P<em>{MONTH})\b(?:\s+(?P<ey>(?:19|20)\d\d)\b)?"
    rf"|(?P<ewhich>the|this|next|last)\s+(?P<eu>week|month|year)\b)"
    r"|(?<=by )(?:the\s+)?(?P<ebare>month|year)(?:['’]s)?[\s-]end\b",
    "period": r"(?P<pw>next|this|last)\s+(?P<pu>weekend|week|month|year)\b"
    r"|(?:the\s+)?(?P<pun>weekend|week|month|year)\s+(?P<pwn>after\s+next|before\s+last)\b",
    "month": rf"(?P<om1>{MONTH})\b(?:\.(?=\s\d))?(?:\s+(?:of\s+)?(?P<omy>(?:19|20)\d\d)\b)?"
    + _WHICH_YEAR.format("owhich"),
}
# What can open a phrase: a look at the first letters spares nearly every word the rules.
_OPENS = (
    "|".join(
        (
            *WEEKDAYS,
            *MONTHS,
            r"\d|to[dmn]|tmrw|yest|week|month|year|end\s|day\s|the\s+(?:day|end|week|month|year|\d)",
        )
    )
    + rf"|(?:{'|'.join(_NUMBERS)}|in|within|this|last|next|past|coming)\s"
)
_STARTS = re.compile(rf"[\dac-fijl-pstwy](?<![a-z\d_\u00c0-\u024f/@#$-].)(?<!\d[.,:].)(?<=(?={_OPENS}).)")
_PHRASE = re.compile(
    rf"(?:{'|'.join(f'(?P<{name}_>{rule})' for name, rule in _RULES.items())})"
    r"(?!(?!t\d)[a-z\d_\u00c0-\u024f])"
)


def next_phrase(lower: str, position: int) -> re.Match[str] | None:
    """Return the first phrase from *position* on that may name a date; its last group names its rule."""
    # Not one pattern for both: a pattern that begins with a look behind is tried at each letter.
    for start in _STARTS.finditer(lower, position):
        if match := _PHRASE.match(lower, start.start()):
            return match
    return None


_RECURS = re.compile(
    r"(?:\b(?:every|each|any|per|all|most|usual|black|good|ash|cyber|super|palm|easter|other|the|that|same|one"
    r"|some|another|following|previous|first|second|third|fourth)|\bon\s+a|\ba|\bweek\s+on"
    r"|(?<!from )\bmon(?:day)?\s+(?:to|till|through)"
    r"|\b(?:open(?:s|ed)?|close[sd]?|shut|shuts)(?:\s+on)?"
    r"|\b(?:always|usually|normally|generally|typically|never|often|regularly|weekly|sometimes|mostly|whenever)"
    r"\b[^.!?;\n]{0,50})\s+$"
)
_WITH_A = re.compile(r"\ban?\s+[\w-]+\s+$")
_WORK_WEEK = re.compile(r"(?<!from )mon(?:day)?\s*(?:[-–]|to|till|through)\s*fri(?:day)?\b")
# "from January on", "as of next month": what is told with it is a rule from then on.
_FROM_THEN = re.compile(
    rf"\b(?:from\s+(?:{MONTH}|now|then|next\s+\w+)\s+on(?:wards?)?\b(?!\s+(?:(?:the\s+)?\d|{WEEKDAY}\b))"
    rf"|(?:as\s+of|starting|beginning)\s+(?:in\s+|from\s+)?(?:{MONTH}\b|now\b|next\s+(?:month|year)\b))"
)
_HANGS = re.compile(
    r"\s+(?:(?:before|after|of|in\s+between|between)\b(?!\s+(?:noon|lunch|work|that|this|next|\d))"
    r"|(?:before|after)\s*$|(?:the\s+)?(?:before|after)\b(?=\s*[,.;])|after\s+next\b"
    r"|(?:morning|afternoon|evening|night)s\b|that\s+week)|,\s+the\s+\w+\s+before\b|\s+of\s+(?:each|every)\b",
)
_A_WEEK = re.compile(
    r"(?:\b(?:once|twice|thrice|times|(?:day|hour|evening|morning|night|minute|lesson|session)s?)|\d|[€$£%])\s+$"
)
_FAR_YEARS, _HALF_A_YEAR = 10, 183
_YEAR_AHEAD, _YEAR_BACK = 345, 330  # days; what is due on a day just gone is overdue
_YEARS_OFF = re.compile(rf"\s+{_N}\s+years?\s+(?:ago|later|before|earlier)\b")
_YEARS_AGO = re.compile(r"\byears?\s+(?:ago|later|before|earlier),?\s+(?:(?:in|on)\s+)?(?:the\s+)?$")
_DAY_NAMED = re.compile(r"(?:day|week|fortnight|tomorrow|time|s)\s*[,(–—-]\s*(?:so\s+|that['’]s\s+|is\s+)?$")
_MONTHLY_ON = re.compile(r"\b(?:every|each|per|a)\s+month\b|\bmonthly\b")
_LISTED = re.compile(r"\d(?:st|nd|rd|th)(?:,|,?\s+and)\s+$")
_BETWEEN = re.compile(r"\bbetween\s+(?:the\s+)?$")
_DATED = re.compile(
    r"\b(?:on|by|until|till|since|from|before|after|not|due|to|for|is|was|and|or|between|am|bis|vom|seit|ab|right,|yes,|no,)\s+$"
)
_MONTHLY = re.compile(
    r"\b(?:in|until|till|since|seit|by|before|after|from|during|of|through|late|early|mid|for|to|and|to)[\s-]+$"
)
# "28.11." and "3/11" are figures, too, unless what stands before says that they are a day.
_DAY_FIGURES = re.compile(r"\b(?:on|by|until|till|since|due|am|bis|vom|seit|ab|den|zum)\s+$")
_GERMAN = re.compile(r"\b(?:am|bis|vom|seit|ab|den|zum)\s+$")
_ENDS_SENTENCE = re.compile(r"\s*$|\s+[A-Z]|\n")
_NAMES_TOO = frozenset({"april", "may", "june"})
_GIVEN = re.compile(r"\b(?:for|to|of|by|from|and)\s+$")
# A day that neither verb nor year places is taken for the nearest when it is near: what is named without
# a verb is to come more often than not, and what has long been is told with one.
_NEAR_AHEAD, _NEAR_BACK = 75, 31
_TAKES_LONG = re.compile(r"\b(?:can|could|takes?|once|twice|times|only|first|ever|\w+est)\b[^,;:.!?]{0,40}$")
_ORDINAL_NEXT = re.compile(
    r"\s*(?:$|[,.;:!?()\n–—-]|(?:at|in|from|to|till|until|and|or|for|is|was|we|i|it|but|because|with|of\s+this"
    r"|any\s+more|anymore|instead|works?|if|when|so|as|by|then|same|morning|noon|evening|too|around)\b)",
)


def _weekday(match: re.Match[str], group: str, said: Utterance) -> int | None:
    """Return 0 for Monday …; None where there is none or the word is more likely another word."""
    word = match[group]
    if not word or (word in _WORDLIKE and not _is_capital(match, group, said)):
        return None
    return WEEKDAYS.index(word[:3])


def _month(match: re.Match[str], group: str, said: Utterance) -> int | None:
    word = match[group]
    if word in _WORDLIKE and not _is_capital(match, group, said):
        return None
    return MONTHS.index(word[:3]) + 1


def _is_capital(match: re.Match[str], group: str, said: Utterance) -> bool:
    return said.text[match.start(group)].isupper()


def _year(word: str | None) -> int | None:
    if word is None:
        return None
    return int(word) if len(word) == 4 else 2000 + int(word)


def _settle(year: int | None, month: int, day: int, weekday: int | None, said: Utterance) -> Days:
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
        away = (fitting[0] - said.day).days
        return Days(fitting[0], certain=away * said.way > 0 or abs(away) <= _HALF_A_YEAR)
    certain = weekday is None and said.is_sure
    if said.way:
        for day_ in near:
            if 0 <= (day_ - said.day).days * said.way <= (_YEAR_AHEAD if said.way > 0 else _YEAR_BACK):
                return Days(day_, certain=certain)
    is_near = -_NEAR_BACK < (near[0] - said.day).days < _NEAR_AHEAD
    return Days(near[0], certain=certain and is_near and said.way == 0)


def _each_year(month: int, day: int, around: date) -> Iterator[date]:
    for year in (around.year - 1, around.year, around.year + 1):
        try:
            yield date(year, month, day)
        except ValueError:  # 29 February
            continue


def _span(
    m: re.Match[str],
    year: int | None,
    month: int,
    first: int,
    last: str | None,
    weekday: int | None,
    said: Utterance,
) -> Days | None:
    if _is_listed(m) or _YEARS_OFF.match(m.string, m.end()) or _is_years_ago(m):
        return None
    start = _settle(year, month, first, weekday, said)
    if last is None or int(last) <= first:
        return start
    return Days(start.start, start.start.replace(day=int(last)), start.certain)


def _is_listed(m: re.Match[str]) -> bool:
    """Tell whether two days stand side by side, "the 3rd and the 5th", and are no stretch."""
    return " and " in m.group() and _BETWEEN.search(m.string[max(0, m.start() - 16) : m.start()]) is None


def _is_years_ago(m: re.Match[str]) -> bool:
    return _YEARS_AGO.search(m.string[max(0, m.start() - 28) : m.start()]) is not None


def _year_of(year: str | None, which: str | None, said: Utterance) -> int | None:
    return said.day.year + _STEP[which] if which else _year(year)


def _iso(m: re.Match[str], said: Utterance) -> Days | None:
    # 2026.9.6 is a version; 2026.09.06 after "on" is a day.
    if m["sep"] == "." and not (
        len(m["im"] + m["id"]) == 4 and _DAY_FIGURES.search(m.string[max(0, m.start() - 8) : m.start()])
    ):
        return None
    return _settle(int(m["iy"]), int(m["im"]), int(m["id"]), _weekday(m, "iw", said), said)


def _day_month(m: re.Match[str], said: Utterance) -> Days | None:
    month = _month(m, "dm", said)
    if month is None:
        return None
    year = _year_of(m["dy"], m["dwhich"], said)
    return _span(m, year, month, int(m["dd"]), m["de"], _weekday(m, "dw", said), said)


def _month_day(m: re.Match[str], said: Utterance) -> Days | None:
    month = _month(m, "mm", said)
    if month is None:
        return None
    year = _year_of(m["my"], m["mwhich"], said)
    return _span(m, year, month, int(m["md"]), m["me"], _weekday(m, "mw", said), said)


def _dotted(m: re.Match[str], said: Utterance) -> Days | None:
    before = m.string[max(0, m.start() - 12) : m.start()]
    # "28.11." without a full year is a price or a version unless a word before it says date.
    if (m["oy"] is None or len(m["oy"]) == 2) and not (m["ow"] or _DAY_FIGURES.search(before)):
        return None
    # "It runs on 3.11." may end a sentence.
    if (
        m["oy"] is None
        and _ENDS_SENTENCE.match(said.text, m.end())
        and not (m["ow"] or _GERMAN.search(before))
    ):
        return None
    settled = _settle(_year(m["oy"]), int(m["om"]), int(m["od"]), _weekday(m, "ow", said), said)
    is_far = abs(settled.start.year - said.day.year) > _FAR_YEARS
    return None if m["oy"] and len(m["oy"]) == 2 and is_far else settled


def _slashed(m: re.Match[str], said: Utterance) -> Days | None:
    first, second = int(m["sa"]), int(m["sb"])
    before = m.string[max(0, m.start() - 12) : m.start()]
    is_day = m["sw"] or _DAY_FIGURES.search(before)
    if m["sy"] is None and (not is_day or re.match(r"\s+of\b", m.string[m.end() : m.end() + 4])):
        return None
    if first == 24 and second == 7:
        return None
    month, day = (second, first) if first > 12 else (first, second)
    settled = _settle(_year(m["sy"]), month, day, _weekday(m, "sw", said), said)
    is_one = first == second or max(first, second) > 12
    return settled._replace(certain=settled.certain and is_one)


def _near(m: re.Match[str], said: Utterance) -> Days | None:
    words = m["near"]
    if re.match(r"\s+(?:week|fortnight)\b", m.string[m.end() : m.end() + 12]):
        return None
    if words == "last night":
        return Days(said.day - timedelta(1), certain=False)
    certain = not said.is_night or words.startswith("this ")
    if "day " in words:
        return Days(said.day + timedelta(2 if "tomorrow" in words else -2), certain=certain)
    steps = {"tomorrow": 1, "tmrw": 1, "yesterday": -1}
    return Days(said.day + timedelta(steps.get(words, 0)), certain=certain)


def _monday(day: date) -> date:
    return day - timedelta(day.weekday())


_STEP = {"before last": -2, "last": -1, "past": -1, "this": 0, "coming": 0, "next": 1, "after next": 2}


def _week_day(m: re.Match[str], said: Utterance) -> Days | None:
    weekday = _weekday(m, "wkd", said)
    if weekday is None:
        return None
    return Days(_monday(said.day) + timedelta(7 * _STEP[m["wk"]] + weekday))


def _bare_weekday(m: re.Match[str], said: Utterance) -> Days | None:
    weekday = _weekday(m, "wd", said)
    before, after = m.string[max(0, m.start() - 64) : m.start()], m.string[m.end() : m.end() + 24]
    is_placed = m["mod"] or m["of"] or m["later"] or m["wn"]
    if weekday is None or (not m["of"] and _HANGS.match(after)):
        return None
    if not is_placed and (_RECURS.search(before) or _is_ruled(m) or _WORK_WEEK.match(m.string, m.start())):
        return None
    if len(m["wd"]) < 6 and not (is_placed or _DATED.search(before) or re.match(r",?\s*\d", after)):
        return None
    in_week = _monday(said.day) + timedelta(weekday)
    if m["of"]:
        return Days(in_week + timedelta(7 * _STEP[m["of"]]))
    if m["wn"]:  # "Saturday in nine days"
        counted = _shift(said.day, _count(m["wn"]), m["wu"])
        is_same = counted.weekday() == weekday and not said.is_night
        return Days(counted if is_same else _modified(in_week, "", said).start, certain=is_same)
    if m["later"]:  # "Sunday week", from the Sunday that comes
        coming = in_week if in_week > said.day else in_week + timedelta(7)
        certain = in_week != said.day and not m["mod"]
        return Days(_shift(coming, 1, m["later"]), certain=certain)
    meant = _modified(in_week, m["mod"] or "", said)
    # "Have a wonderful Sunday" wishes, "a table Friday" plans.
    return meant._replace(certain=meant.certain and bool(m["mod"] or not _WITH_A.search(before)))


def starts_rule(text: str) -> bool:
    """Tell whether *text* says what holds from some month on, which no day fulfils."""
    return _FROM_THEN.search(text.lower()) is not None


def _is_ruled(m: re.Match[str]) -> bool:
    """Tell whether the sentence says what holds from some time on."""
    before = re.split(r"[.!?\n]", m.string[max(0, m.start() - 120) : m.start()])[-1]
    behind = re.split(r"[.!?\n]", m.string[m.end() : m.end() + 80])[0]
    return _FROM_THEN.search(before + m.group() + behind) is not None


def _modified(in_week: date, modifier: str, said: Utterance) -> Days:
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
    return Days(gone if said.way < 0 else coming, certain=ahead != 0 and said.is_sure)


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


def _ahead(m: re.Match[str], said: Utterance) -> Days | None:
    before, after = m.string[max(0, m.start() - 60) : m.start()], m.string[m.end() : m.end() + 12]
    # "done in two weeks" tells how long it took; "in a week or two" names no day.
    if (said.way < 0 and m["how"] == "in") or re.match(r"\s+(?:or|and\s+a\s+half|of)\b", after):
        return None
    if m["how"] == "in" and _TAKES_LONG.search(before):
        return None
    certain = m["au"].rstrip("s") not in ("month", "year") and not said.is_night
    return Days(_shift(said.day, _count(m["an"]), m["au"]), certain=certain)


def _counted(m: re.Match[str], said: Utterance) -> Days | None:
    if re.search(r"(?:\bor|-|–)\s*$", m.string[max(0, m.start() - 5) : m.start()]):
        return None
    certain = m["cu"].rstrip("s") not in ("month", "year") and not said.is_night
    if m["ago"]:
        return Days(_shift(said.day, -_count(m["cn"]), m["cu"]), certain=certain)
    return Days(_shift(_base(m["cbase"], said), _count(m["cn"]), m["cu"]), certain=certain)


def _weeks_on(m: re.Match[str], said: Utterance) -> Days | None:
    # "twice a week on Friday" recurs; "he spent two weeks on Friday's cake"
    if said.way < 0 or _A_WEEK.search(m.string[max(0, m.start() - 12) : m.start()]):
        return None
    base = (m["obase"] or "today").removeprefix("on").strip()
    return Days(_shift(_base(base, said), _count(m["on"]), m["ou"]), certain=not said.is_night)


def _base(word: str, said: Utterance) -> date:
    """Return the day from which weeks are counted: today, tomorrow, the weekday that comes."""
    if word in ("now", "today"):
        return said.day
    if word == "tomorrow":
        return said.day + timedelta(1)
    return said.day + timedelta((WEEKDAYS.index(word[:3]) - said.day.weekday() - 1) % 7 + 1)


def _ending(m: re.Match[str], said: Utterance) -> Days | None:
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


def _period(m: re.Match[str], said: Utterance) -> Days | None:
    unit, which = m["pu"] or m["pun"], " ".join((m["pw"] or m["pwn"]).split())
    step = _STEP[which]
    first = said.day.replace(day=1)
    match unit:
        case "week":
            start = _monday(said.day) + timedelta(7 * step)
            return Days(start, start + timedelta(6))
        case "weekend":
            start = _monday(said.day) + timedelta(5 + 7 * step)
            # "The next weekend" is the one at hand for some; on a Sunday "after next" counts from it.
            return Days(start, start + timedelta(1), certain=which == "this" or which == "before last")
        case "month":
            start = _shift(first, step, "month")
            return Days(start, _last_day(start.year, start.month))
    year = said.day.year + step
    return Days(date(year, 1, 1), date(year, 12, 31))


def _ordinal(m: re.Match[str], said: Utterance) -> Days | None:
    before, after = m.string[max(0, m.start() - 12) : m.start()], m.string[m.end() : m.end() + 16]
    weekday = _weekday(m, "nw", said)
    if weekday is None and (
        not (_DATED.search(before) or not before.strip() or _DAY_NAMED.search(before))
        or not _ORDINAL_NEXT.match(after)
    ):
        return None
    if _MONTHLY_ON.search(m.string, max(0, m.start() - 64), m.end() + 24):
        return None
    if re.match(r"\s+of\s+(?!this)", after) or _is_listed(m) or _LISTED.search(before):
        return None
    day, month = int(m["nth"]), said.day.replace(day=1)
    if (day < said.day.day) if said.way >= 0 else (day > said.day.day):
        month = _shift(month, 1 if said.way >= 0 else -1, "month")
    start = month.replace(day=day)
    certain = said.is_sure and weekday in (None, start.weekday())
    end = month.replace(day=int(m["nthe"])) if m["nthe"] and int(m["nthe"]) > day else None
    return Days(start, end, certain=certain)


def _month_only(m: re.Match[str], said: Utterance) -> Days | None:
    month = _month(m, "om1", said)
    before = m.string[max(0, m.start() - 12) : m.start()]
    if month is None or not (
        m["omy"] or m["owhich"] or (_is_capital(m, "om1", said) and _MONTHLY.search(before))
    ):
        return None
    if _YEARS_OFF.match(m.string, m.end()) or _is_years_ago(m):
        return None
    if year := _year_of(m["omy"], m["owhich"], said):
        return Days(date(year, month, 1), _last_day(year, month))
    settled = _settle(None, month, 15, None, said)
    first = settled.start.replace(day=1)
    # Without a verb "61 repairs in October" may tell or plan; "for June" and "to April" may be people.
    certain = (
        settled.certain
        and (said.way != 0 or first >= said.day.replace(day=1))
        and not (m["om1"] in _NAMES_TOO and _GIVEN.search(before))
    )
    return Days(first, _last_day(first.year, first.month), certain=certain)


READERS: dict[str, Callable[[re.Match[str], Utterance], Days | None]] = {
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
    "weeks_on": _weeks_on,
    "ending": _ending,
    "period": _period,
    "ordinal": _ordinal,
    "month": _month_only,
}
