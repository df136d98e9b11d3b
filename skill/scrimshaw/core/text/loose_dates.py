"""Days, months and years that a text may mean, in any form that people type.

Only good for supporting what a note names: core/text/dates, which has to be sure, reads the short forms only
where they cannot be another word, and names no day where two may be meant. Here every reading is given:
"wed", "mon+tue", "til jan"; "Thursday after four", "the 2nd, 9th and 14th", "two days before"; "next
summer", "seven years ago". What is plainly another word ("we sat down", "it may rain", "in the sun") is left
out here, too. A mention that core/text/dates has read is not read again. Texts are made `normal`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from functools import lru_cache

from scrimshaw.core.text.date_grammar import MONTH, MONTHS, WEEKDAY, WEEKDAYS
from scrimshaw.core.text.dates import FoundDate
from scrimshaw.core.text.in_english import MONTH_NAMES
from scrimshaw.core.text.languages import ENGLISH

_WEEKDAY = re.compile(rf"\b{WEEKDAY}s?\b")
_MONTH = re.compile(rf"\b({MONTH})\b\.?(?:,? ((?:19|20)\d\d)\b)?")
_TWO_LETTERS = re.compile(r"(?<!\d)(?<!\d )\b(?:mo|tu|th|fr|sa|su)\b")  # "we" is nearly always the word
_WEEKENDS = re.compile(r"\bweekends?\b")
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
_WRITTEN = re.compile(rf"(?<=[\w,;] )(?:{'|'.join(MONTH_NAMES)})\b")
_LOOK_BACK = 12  # characters
_WITHIN_YEAR_DAYS = 330
_COUNTS = {word: int(key) for word, key in ENGLISH.forms("count").items()}


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
    return [day[:2] for day in WEEKDAYS].index(match.group()[:2])


@lru_cache(maxsize=64)
def weekdays_named(lower: str) -> frozenset[int]:
    """Return the weekdays that *lower* names, 0 for Monday, both days of a weekend too."""
    named = {weekday_of(match) for match in weekday_mentions(lower)}
    return frozenset(named | {5, 6} if _WEEKENDS.search(lower) else named)


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


def months_written(text: str) -> frozenset[int]:
    """Return the months that *text* names by their capital alone, within a sentence: "said May probably"."""
    return frozenset(month_of(match.group().lower()) for match in _WRITTEN.finditer(text))


@lru_cache(maxsize=64)
def months_meant(lower: str, said: date) -> frozenset[date]:
    """Return the first day of each month that *lower* may mean: of the year it gives, else of those near."""
    firsts: set[date] = set()
    for match in _month_mentions(lower):
        years = [int(match[2])] if match[2] else [said.year - 1, said.year, said.year + 1]
        days = [date(year, month_of(match[1]), 1) for year in years]
        firsts.update(day for day in days if match[2] or abs((day - said).days) <= _WITHIN_YEAR_DAYS)
    return frozenset(firsts)


# -- days -------------------------------------------------------------------------------------------------

_NUMBERED = re.compile(
    rf"\b({WEEKDAY})\.? (?:the )?(\d{{1,2}})(?:st|nd|rd|th|\.)?(?![\d:]|\.\d| ?[ap]\.?m\b| ?h\b| o'clock)"
)
_DAY_TO_DAY = re.compile(rf"\b({WEEKDAY}) ?(?:to|-|till?|until|through) ?({WEEKDAY})\b")
_ORDINAL = re.compile(r"(?<![\w.])(\d{1,2})(?:st|nd|rd|th)\b")
_YEAR_MONTH = re.compile(r"\b((?:19|20)\d\d)-(0[1-9]|1[0-2])(?![-\d])")
_LISTED = re.compile(
    rf"\b((?:\d{{1,2}}(?:st|nd|rd|th|\.)?(?:, | and | & |, and | or |/))+)\d{{1,2}}(?:st|nd|rd|th"
    rf"|\.)? ?({MONTH})\b"
)
_MONTH_FIRST = re.compile(
    rf"\b({MONTH}) ((?:\d{{1,2}}(?:st|nd|rd|th)?(?:, | and |, and | & |-))+\d{{1,2}})\b(?!:)"
)
_OF_YEAR = re.compile(
    rf"\b({MONTH}) (next|last|this) year\b|\b(next|last|this) year(?:'s|,"
    rf"| in)?(?: the)?(?: \w+)? ({MONTH})\b"
)
_DOTTED = re.compile(r"(?<![\w.])(\d{1,2})\.(\d{1,2})(\.?)(?!\d|\.\d|[a-z%€$£])")
_BEFORE_A_DATE = re.compile(
    r"(?:\b(?:from|to|till?|until|by|on|since|before|after|due|and|or|between) |\.-|\d-)$"
)
_DOTTED_SPAN = re.compile(r"(?<![\w.])(\d{1,2})\.? ?- ?\d{1,2}\.(\d{1,2})\.(?!\d)")  # 24.-26.12.
_SLASHED = re.compile(r"(?<![\w/.-])(\d{1,2})/(\d{1,2})(?![\w/]|\.\d)")
_END_OF = re.compile(rf"\bend (?:of )?({MONTH})\b")
_NEAR = {
    re.compile(r"\b(?:2day|eod|tonite|2nite)\b"): (0,),
    re.compile(r"\b(?:tmr|tmw|tmrw|tomo|tomm?orr?ow|tomoz|2morr?ow|2moro)(?:'?s)?\b"): (1,),
    re.compile(r"\b(?:yday|yest|yesterday'?s|last night'?s?)\b"): (-1,),
}
_WEEKEND = re.compile(r"\bweekend\b")
_END = re.compile(r"\beo([wmy])\b|\bend of (week|month|year)\b")
_FEASTS = (
    (re.compile(r"\b(?:christmas|xmas)\b"), ((24, 12), (25, 12), (26, 12))),
    (re.compile(r"\bnew year'?s?\b|\bnye\b"), ((31, 12), (1, 1))),
)
_ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh"),
    *("eighth", "ninth", "tenth", "eleventh", "twelfth"),
)
_WORDED = re.compile(rf"\b({'|'.join(_ORDINALS)}) of ({MONTH})\b")
_WEEK = re.compile(r"\b(next|last|this) week\b")
_COUNT = r"(?:\d{1,2}|a|an|the|one|two|three|four|five|six|seven|ten|fourteen|same)"
_APART = re.compile(
    rf"\b(?:({_COUNT}) )?(day|evening|night|morning|afternoon|eve|week|fortnight|hour)s?"
    r" (before|earlier|prior|ahead|beforehand|in advance|after|later|afterwards)\b|\beve of\b"
)
_AHEAD = re.compile(rf"\b(in )?({_COUNT}) ?(day|week|wk|w|fortnight)s?( ago)?\b")
_OF_WEEK = re.compile(rf"\bweek|\b{WEEKDAY}\b")
_DAY_ALONE = re.compile(r"(?:on )?the (\d{1,2})(?:st|nd|rd|th)")
_NEAR_DAYS = 120  # a date without a year that lies as near as this is the one meant
_PAST = re.compile(
    r"\b(?:was|were|had|did|been|last|ago|since|past|went|came|got|took|made|bought|paid|sent|ran|began|born"
    r"|left|met|saw|gave|wrote|until now|previous\w*|[a-z]{2,}ed)\b|\b(?:19|20)\d\d\b"
)
_IN_DAYS = {"week": 7, "wk": 7, "w": 7, "fortnight": 14}
_LATER = ("after", "later", "afterwards")


def loose_days(lower: str, said: date, found: Iterable[FoundDate], named: Iterable[date]) -> frozenset[date]:
    """Return the days that *lower* may mean beside those *named* in *found*, said on *said*."""
    items = list(found)
    read = {at for item in items for at in range(item.start, item.end)}
    days = (
        *_counted_from(lower, said, named),
        *_of_weekdays(lower, said, read),
        *_of_months(lower, said, read),
        *_near(lower, said),
        *_other_readings(items, said),
    )
    # Who speaks of nothing that was does not mean the May before.
    first = date.min if _PAST.search(lower) else said - timedelta(_NEAR_DAYS)
    return frozenset(day for day in days if day >= first)


def _of_weekdays(lower: str, said: date, read: set[int]) -> Iterator[date]:
    for match in _NUMBERED.finditer(lower):
        weekday, number = WEEKDAYS.index(match[1][:3]), int(match[2])
        yield from (day for day in _numbered(number, said) if day.weekday() == weekday)
    for match in _DAY_TO_DAY.finditer(lower):  # "fri to tues", said on a Monday: not tomorrow
        first, last = (WEEKDAYS.index(name[:3]) for name in match.groups())
        begin = said + timedelta((first - said.weekday()) % 7)
        yield begin + timedelta((last - first) % 7)
    weeks = {match[1] for match in _WEEK.finditer(lower)}
    steps = [{"next": 7, "last": -7, "this": 0}[week] for week in weeks]
    for match in weekday_mentions(lower) if weeks else ():  # "Thursdays, from this week on"
        yield from (said + timedelta(weekday_of(match) - said.weekday() + step) for step in steps)
    for weekday, before in {
        (weekday_of(match), lower[max(0, match.start() - 5) : match.start()])
        for match in weekday_mentions(lower)
        # "Mondays" recur, and "sat 28th" is that one.
        if match.start() not in read
        and not match.group().endswith("days")
        and _NUMBERED.match(lower, match.start()) is None
    }:
        ahead = (weekday - said.weekday()) % 7
        yield from (said + timedelta(ahead), said + timedelta(ahead - 7))
        if not ahead or before == "next ":
            yield said + timedelta(ahead + 7)
        if before == "last ":
            yield said + timedelta(ahead - 14)


def _of_months(lower: str, said: date, read: set[int]) -> Iterator[date]:
    for match in _YEAR_MONTH.finditer(lower):
        yield date(int(match[1]), int(match[2]), 1)
    for match in _OF_YEAR.finditer(lower):
        step = {"next": 1, "last": -1, "this": 0}[match[2] or match[3]]
        yield date(said.year + step, month_of(match[1] or match[4]), 1)
    for match in _END_OF.finditer(lower):
        if match.start() not in read:
            yield from (
                day - timedelta(1) for day in _each_year(1, month_of(match[1]) % len(MONTHS) + 1, said)
            )
    ordinals = {(int(match[1]), match.start() in read) for match in _ORDINAL.finditer(lower)}
    for number, is_read in ordinals:
        if not is_read:
            yield from _nearest(number, lower, said)
    # "we move in March, she starts on the 9th"
    days = {(number, month) for number, _ in ordinals for month in months_named(lower)}
    for day, month in days.union(_listed(lower), _in_figures(lower)):
        yield from _each_year(day, month, said)


def _listed(lower: str) -> Iterator[tuple[int, int]]:
    """Yield day and month of "the 2nd, 9th and 14th May", "May 2, 9 and 14" and "second of May"."""
    for match in _LISTED.finditer(lower):
        yield from ((int(number), month_of(match[2])) for number in re.findall(r"\d+", match[1]))
    for match in _MONTH_FIRST.finditer(lower):
        yield from ((int(number), month_of(match[1])) for number in re.findall(r"\d+", match[2]))
    for match in _WORDED.finditer(lower):
        yield _ORDINALS.index(match[1]) + 1, month_of(match[2])


def _in_figures(lower: str) -> Iterator[tuple[int, int]]:
    """Yield day and month of what may be dates in figures: 20.12.-6.1., from 5.12, 3/4 in either order."""
    for match in _DOTTED.finditer(lower):
        if match[3] or _BEFORE_A_DATE.search(lower[max(0, match.start() - 8) : match.start()]):
            yield int(match[1]), int(match[2])
    for match in _DOTTED_SPAN.finditer(lower):
        yield int(match[1]), int(match[2])
    for match in _SLASHED.finditer(lower):
        yield from ((int(match[1]), int(match[2])), (int(match[2]), int(match[1])))


def _near(lower: str, said: date) -> Iterator[date]:
    """Yield days told by words that are typed in too many ways for core/text/dates, and feast days."""
    for rule, steps in _NEAR.items():
        if rule.search(lower):
            yield from (said + timedelta(step) for step in steps)
    monday = said - timedelta(said.weekday())
    if _WEEKEND.search(lower):
        yield from (monday + timedelta(step) for step in (-2, -1, 5, 6, 12, 13))
    for match in _END.finditer(lower):
        unit = match[1] or match[2][0]
        if unit == "w":
            yield from (monday + timedelta(4), monday + timedelta(6))
        else:
            last = said.month if unit == "m" else len(MONTHS)
            yield date(said.year + last // 12, last % 12 + 1, 1) - timedelta(1)
    for rule, days in _FEASTS:
        if rule.search(lower):
            yield from (day for number, month in days for day in _each_year(number, month, said))


def _other_readings(found: list[FoundDate], said: date) -> Iterator[date]:
    """Yield the other day that words may mean which were read with a doubt: "next Friday", "22 May"."""
    for item in found:
        ref = item.ref
        away = abs((ref.start - said).days)
        if re.fullmatch(rf"(?:on |past )?{WEEKDAY}(?:,? (?:at )?\d[\d:.]* ?(?:[ap]m)?)?", ref.phrase.lower()):
            sides = (ref.start - timedelta(7), ref.start + timedelta(7))
            yield from (day for day in sides if abs((day - said).days) <= 7)
        elif (match := _DAY_ALONE.fullmatch(ref.phrase.lower())) and ref.start < said.replace(day=1):
            # "Got tickets for the 27th": got was, the 27th will be.
            yield from filter(None, (_day(said.year, said.month, int(match[1])),))
        elif not ref.certain and away <= 14 and _OF_WEEK.search(ref.phrase.lower()):
            yield from (ref.start - timedelta(7), ref.start + timedelta(7))
        elif away > _NEAR_DAYS and not re.search(r"\b(?:19|20)\d\d\b", ref.phrase):
            steps = (-1, 1) if not ref.certain else (1,) if ref.start < said else ()
            years = (ref.start.year + step for step in steps)
            yield from filter(None, (_day(year, ref.start.month, ref.start.day) for year in years))


def _each_year(number: int, month: int, said: date) -> Iterator[date]:
    for year in (said.year - 1, said.year, said.year + 1):
        day = _day(year, month, number)
        if day is not None and abs((day - said).days) < _WITHIN_YEAR_DAYS:
            yield day


def _nearest(number: int, lower: str, said: date) -> Iterator[date]:
    """Yield the day of that number in this month, and in the one beside it that is as likely meant."""
    step = 0 if "this month" in lower else 1 if number < said.day else -1
    return _numbered(number, said, {0, step})


def _numbered(number: int, said: date, steps: Iterable[int] = (-1, 0, 1, 2)) -> Iterator[date]:
    """Yield the day of that number in the months that lie *steps* from the one of *said*."""
    months = (said.year * 12 + said.month - 1 + step for step in steps)
    return filter(None, (_day(month // 12, month % 12 + 1, number) for month in months))


def _day(year: int, month: int, number: int) -> date | None:
    try:
        return date(year, month, number)
    except ValueError:
        return None


def _counted_from(lower: str, said: date, named: Iterable[date]) -> Iterator[date]:
    """Yield days counted from *said* and those *named*, "two days later", or from *said*, "in 7 days"."""
    steps: set[int] = set()
    for match in _APART.finditer(lower):
        days = _count(match[1] or "a") * _IN_DAYS.get(match[2] or "day", 1)
        if match[2] == "hour":
            days //= 24
        steps.add(days if match[3] in _LATER else -days)
    bases = {said, *named} if steps else set()
    yield from (day + timedelta(step) for step in steps for day in bases)
    for match in _AHEAD.finditer(lower):
        step = timedelta(_count(match[2]) * _IN_DAYS.get(match[3], 1))
        if match[1] or match[4]:
            yield said + (step if match[1] else -step)


def _count(word: str) -> int:
    return int(word) if word.isdigit() else _COUNTS.get(word, 1)


# -- months and years -------------------------------------------------------------------------------------

_MONTHS_APART = re.compile(
    rf"\b(in |for |since )?(\d{{1,2}}|{'|'.join(_COUNTS)}) (month|year|yr)s?"
    r"( ago| earlier| back| now| from now| later)?\b"
)
_NEXT_TO = re.compile(
    r"\b(last|next|this|previous|coming|past) (month|year|spring|summer|autumn|fall|winter)\b"
)
_SEASON = re.compile(r"\b(spring|summer|autumn|fall|winter)\b")
_STEPS = {"last": -1, "previous": -1, "past": -1, "next": 1, "coming": 1, "this": 0}
_MIDDLES = {"spring": 4, "summer": 7, "autumn": 10, "fall": 10, "winter": 1}
_NEAR_MONTHS = 11


@lru_cache(maxsize=256)
def months_told(lower: str, said: date) -> frozenset[str]:
    """Return the months, "YYYY-MM", that *lower* may mean, said on *said*."""
    now = said.year * 12 + said.month - 1
    found = {day.year * 12 + day.month - 1 for day in months_meant(lower, said)}
    found.update(now + step for step, unit in _steps(lower) if unit == "month")
    return frozenset(f"{month // 12}-{month % 12 + 1:02d}" for month in found)


@lru_cache(maxsize=256)
def years_told(lower: str, said: date) -> frozenset[int]:
    """Return the years that *lower* may mean, said on *said*: of its months and seasons, and counted ones."""
    now = said.year * 12 + said.month - 1
    found = {int(month[:4]) for month in months_told(lower, said)}
    found.update(said.year + step for step, unit in _steps(lower) if unit == "year")
    for match in _SEASON.finditer(lower):
        middles = (year * 12 + _MIDDLES[match[1]] - 1 for year in range(said.year - 1, said.year + 3))
        near = {middle for middle in middles if abs(middle - now) <= _NEAR_MONTHS}
        before = lower[max(0, match.start() - 9) : match.start()]
        if "next " in before or "coming " in before:  # of this year's or of the next: not one that was
            near = {middle for middle in near | {max(near) + 12} if middle > now}
        found.update(middle // 12 for middle in near)
        if match[1] == "winter":
            found.update((middle - 1) // 12 for middle in near)  # it begins the year before
    return frozenset(found)


def _steps(lower: str) -> list[tuple[int, str]]:
    """Return how many months or years off *lower* speaks of."""
    steps = [(_STEPS[match[1]], match[2]) for match in _NEXT_TO.finditer(lower)]
    for match in _MONTHS_APART.finditer(lower):
        count = int(match[2]) if match[2].isdigit() else _COUNTS[match[2]]
        unit = "year" if match[3] == "yr" else match[3]
        lead, end = (match[1] or "").strip(), (match[4] or "").strip()
        if lead == "in" or end in ("from now", "later"):
            steps.append((count, unit))
        elif lead or end:
            steps.append((-count, unit))
    return steps
