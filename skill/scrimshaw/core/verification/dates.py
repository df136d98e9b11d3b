"""The dates, weekdays, months and times of day of a line, looked for in the entries it cites.

Each function returns "" when all are found, else what was not. A date is found when an entry names it,
when it follows from an entry's words and from when that was said, or when the words for it stand there.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from itertools import pairwise

from scrimshaw.core.text.date_grammar import MONTH, MONTHS, WEEKDAY, WEEKDAYS
from scrimshaw.core.text.dates import FoundDate
from scrimshaw.core.text.in_english import MONTH_NAMES, WEEKDAY_NAMES, in_english
from scrimshaw.core.text.languages import ENGLISH
from scrimshaw.core.text.loose_dates import (
    month_of,
    months_meant,
    months_named,
    months_told,
    weekday_mentions,
    weekday_of,
    weekdays_named,
    years_told,
)
from scrimshaw.core.text.loose_times import halves_meant
from scrimshaw.core.text.normalize import normal
from scrimshaw.core.text.numbers import amounts, readings
from scrimshaw.core.text.times import TimeOfDay, find_times
from scrimshaw.core.types import DateRef
from scrimshaw.core.verification.lookup import Witnesses, dates_of, stands, unglued
from scrimshaw.core.verification.source import Witness, pairs_of, shortest_first

_DAY_NAME = re.compile(
    rf"\b(?:{'|'.join(WEEKDAY_NAMES)}|(?-i:{'|'.join(s.title() for s in ENGLISH.words('short'))}))s?\b",
    re.IGNORECASE,
)
_MONTH_NAME = re.compile(rf"\b(?:{'|'.join(MONTH_NAMES)})\b")
_MONTHS_NAMED = re.compile(rf"(?:{'|'.join(MONTHS)})[a-z]*")
_SEASONS = (re.compile("spring"), re.compile("summer"), re.compile("autumn|\\bfall\\b"), re.compile("winter"))
_SEASON = re.compile(r"\b(?:spring|summer|autumn|winter)\b")
_ONE_NAME = re.compile(
    rf"(?:({WEEKDAY})(?:,? (?:morning|afternoon|evening|night|noon))?|({MONTH}))(?:,? at)?"
)
_SPAN_OF_NAMES = re.compile(
    rf"\b({WEEKDAY}|{MONTH})\s?(?:-|\b(?:to|till?|until|through|thru)\b)\s?({WEEKDAY}|{MONTH})\b"
)
_WORKDAYS = re.compile(r"\b(?:weekdays?|work(?:ing)? ?days?)\b")
_LEAD = re.compile(r"^(?:(?:on|from|between|the)\s)+")
_JOINED = re.compile(r"\s*(?:-|,?\s\b(?:to|till|until|through|thru|up to|and)\b)\s*(?:the\s+)?")
_TO = re.compile(r"\s*(?:[-–—]|\b(?:to|till|until|through)\b)\s*(?:the\s+)?")
_MONTHS_WITHIN = re.compile(rf"\b{MONTH}\b")
_TODAY = re.compile(
    r"\b(?:today|tonight|this (?:morning|afternoon|evening|noon)|last night|now|just|currently|right now)\b"
)
_TOLD = re.compile(
    r"\b(?:said|state|ask|report|mention|note[ds]?|told|as of|since|wrote|suggest|recommend"
    r"|request)(?:ed|s|ing)?\b"
)
_NEXT_TO = 2  # days
_NEXT_DAYS, _NEAR_DAYS = 6, 10  # further away a day is told by its date
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_OF_A_WEEK = re.compile(
    r"\bweek(?: of| from| starting| beginning)?(?: the)? $|\b(?:from|since|starting|as of) $"
)
_NIGHT_BEFORE = re.compile(
    r"\b(?:(?:night|evening|day) before|night (?:in)?to) (?:the )?$|\beve of (?:the )?$"
)
_BEFORE_ANY = re.compile(r"\bbefore\b|\beve of\b|\b(?:prior|ahead|earlier)\b")
_UNTIL = re.compile(r"\b(?:by|until|till|til|up to|through|to|no later than|at the latest)(?: the)? $")
_BEFORE_IT = re.compile(r"^(?!.*\bnot\b|.*n't\b|.*\bnever\b).*\bbefore (?:the )?$", re.DOTALL)
_MOVES = re.compile(
    r"\b(?:mov|chang|shift|reschedul|push|postpon|brought|bring|slip|delay|instead|rebook|advanc|earlier"
    r"|forward)\w*\b"
)


def strange_date(text: str, refers_to: DateRef | None, cited: Witnesses) -> str:
    """Return a date that no cited entry names and that does not follow from one."""
    lower = normal(text)
    plain = in_english(lower)
    is_put = plain != lower  # the words that entries hold are read so, too
    text = plain if is_put else text
    found = dates_of(text, cited[-1].said_at, is_english=is_put)
    every = found if refers_to is None else (*found, FoundDate(refers_to, 0, 0))
    for item in every:
        if (item.end and _is_wrong(item, text, cited)) or not _is_dated(item, text, cited):
            return f"“{item.ref.phrase or item.ref.start}” ({item.ref.start}) follows from no entry it cites"
    if twice := day_said_twice(text, found, cited):
        return f"“{twice}” stands for another day of the entries it cites as well"
    return (
        _backward_span(text, found)
        or _strange_name_of_day(text, found, cited)
        or _strange_month(text, found, cited)
        or _strange_season(text, cited)
    )


def _is_wrong(item: FoundDate, text: str, cited: Witnesses) -> bool:
    return (
        (_contradicts_itself(item) and not _is_quoted(item, cited))
        or _is_today_for_another(item, text, cited)
        or _is_night_of_another(item, text, cited)
        or _is_other_span(_names_in(normal(item.ref.phrase)), cited)
    )


def _is_quoted(item: FoundDate, cited: Witnesses) -> bool:
    """Whether the words stand so in an entry, whatever day they mean."""
    phrase = normal(item.ref.phrase).rstrip(".")  # "lowered to 1.8." ends a sentence
    return any(_stands_in_words(phrase, w.lower) or _stands_in_words(phrase, w.timely) for w in cited)


def _is_dated(item: FoundDate, text: str, cited: Witnesses) -> bool:
    ref = item.ref
    phrase = normal(ref.phrase)
    if item.end and _is_quoted(item, cited):
        return True
    before = text[max(0, item.start - 40) : item.start].lower()
    is_open = not item.end or ref.end is not None
    if _is_named(ref.start, cited, before, is_open=is_open) and (
        ref.end is None or _is_named(ref.end, cited, before, is_open=True)
    ):
        return True
    if any(
        noun in w.counted and not w.counted[noun].isdisjoint(readings(n))
        for n, noun in pairs_of(phrase)
        if _MONTHS_NAMED.fullmatch(noun) is None  # "5 June 2028" is not held by "5 June"
        for w in cited
    ):
        return True  # "within 14 days" of "we have 14 days"
    if (measured := amounts(phrase)) and any(measured & w.amounts for w in cited):
        return True
    return _is_held_without_year(ref, phrase, cited) or _is_held_by_name(ref, phrase, cited)


def _is_held_without_year(ref: DateRef, phrase: str, cited: Witnesses) -> bool:
    """Whether day and month of a date without a year are those of one that the entries name."""
    if _YEAR.search(phrase) or not (_MONTHS_WITHIN.search(phrase) or re.search(r"\d", phrase)):
        return False
    if ref.end is not None and not _names_days(phrase):
        return False
    held = {day for w in cited for day in (*w.named_dates, *w.possible_dates)}
    if weekday := re.match(WEEKDAY, phrase):  # "Thursday 11 March" is not held by a Wednesday 11 March
        held = {day for day in held if f"{day:%a}".lower() == weekday.group()[:3]}
    wanted = [ref.start] if ref.end is None else [ref.start, ref.end]
    return all(any((day.month, day.day) == (one.month, one.day) for day in held) for one in wanted)


def _is_held_by_name(ref: DateRef, phrase: str, cited: Witnesses) -> bool:
    """Whether a phrase of nothing but weekdays or months names those of the entries."""
    names = _names_in(phrase)
    if [name[0][:3] for name in names] == ["mon", "fri"] and any(_WORKDAYS.search(w.lower) for w in cited):
        return True
    if names:
        return all(_is_name_held(name, cited) for name in names)
    if ref.end is None or (ref.end - ref.start).days <= 6 or _names_days(phrase):
        return False
    if any(ref.start <= day <= ref.end for day in _days_meant(cited, edges=True)):
        return True
    return any(ref.start <= day <= ref.end for w in cited for day in months_meant(w.timely, w.said_at.date()))


def _names_in(phrase: str) -> list[re.Match[str]]:
    """Return the weekdays and months of a phrase of nothing else: one, or the two ends of a span."""
    parts = [_ONE_NAME.fullmatch(part) for part in _JOINED.split(_LEAD.sub("", _bare_of_time(phrase)))]
    names = [part for part in parts if part is not None]
    return names if len(names) == len(parts) else []


def _is_other_span(names: list[re.Match[str]], cited: Witnesses) -> bool:
    """Whether the entries have a span with one end of that of *names* and another end on the other side."""
    if len(names) != 2:
        return False
    span = (names[0][0][:3], names[1][0][:3])
    held = {(m[1][:3], m[2][:3]) for w in cited for m in _SPAN_OF_NAMES.finditer(w.lower)}
    return span not in held and any((one == span[0]) != (other == span[1]) for one, other in held)


def _is_name_held(name: re.Match[str], cited: Witnesses) -> bool:
    if name[1]:
        weekday = WEEKDAYS.index(name[1][:3])
        is_named = any(weekday in weekdays_named(w.timely) for w in cited)
        return is_named or _is_day_near(weekday, cited)
    month = month_of(name[2])
    is_named = any(month in months_named(w.timely) for w in cited)
    return is_named or any(day.month == month for day in _days_meant(cited, edges=True))


def _is_day_near(weekday: int, cited: Witnesses) -> bool:
    """Whether a day that the entries speak of has that name, so near to the saying that the name will do."""
    said = [w.said_at.date() for w in cited]
    # Entries that name weekdays would have named a day further off by its weekday, too.
    far = _NEXT_DAYS if any(weekdays_named(w.timely) for w in cited) else _NEAR_DAYS
    near = (day for day in _days_meant(cited) if any(abs((day - one).days) <= far for one in said))
    return any(day.weekday() == weekday for day in near)


def _stands_in_words(phrase: str, lower: str) -> bool:
    return stands(phrase, lower) or (" year" in phrase and stands(phrase.replace(" year", " yr"), lower))


def _bare_of_time(phrase: str) -> str:
    for time in reversed(find_times(phrase)):
        phrase = phrase[: time.start] + phrase[time.end :]
    return phrase.strip()


def _names_days(phrase: str) -> bool:
    """Whether a span is given by its days and is not a month or a week."""
    return re.search(r"\d", re.sub(r"\b(?:19|20)\d\d\b(?!-)", "", phrase)) is not None


def _is_named(day: date, cited: Witnesses, before: str, *, is_open: bool) -> bool:
    """Whether the entries name *day*; as the edge of a week or month only where *before* says so."""
    if any(day == w.said_at.date() for w in cited):
        return True  # spares every entry being read for its dates
    is_begin, is_end = is_open or _OF_A_WEEK.search(before), is_open or _UNTIL.search(before)
    for witness in shortest_first(cited):
        if day in _days_of(witness):
            return True
        refs = (item.ref for item in witness.found_dates)
        if any((is_begin and day == ref.start) or (is_end and day == ref.end) for ref in refs):
            return True
    # "by 14 March" of "before 15 March"
    if _UNTIL.search(before) and any(_is_before(day + timedelta(1), w) for w in cited):
        return True
    return any(day in w.possible_dates for w in cited)


def _is_before(day: date, witness: Witness) -> bool:
    ends = (item for item in witness.found_dates if item.ref.start == day)
    return any(_BEFORE_IT.search(witness.text[max(0, item.start - 40) : item.start].lower()) for item in ends)


def _days_of(witness: Witness) -> frozenset[date]:
    """Return the days that *witness* names, and not those at which a week, month or year of its begins."""
    days: set[date] = set()
    for item in witness.found_dates:
        ref = item.ref
        is_day = ref.end is None or (ref.end - ref.start).days < 6 or _names_days(ref.phrase)
        if is_day or len(_JOINED.split(normal(ref.phrase))) > 1:
            days |= {ref.start} if ref.end is None else {ref.start, ref.end}
    return frozenset(days)


def _days_meant(cited: Witnesses, *, edges: bool = False) -> frozenset[date]:
    """Return the days the entries speak of; the day of the saying only when they say so."""
    days: set[date] = set()
    for witness in cited:
        days |= (witness.named_dates if edges else _days_of(witness)) | witness.possible_dates
        if _TODAY.search(witness.timely):
            days.add(witness.said_at.date())
    return frozenset(days)


def _is_today_for_another(item: FoundDate, text: str, cited: Witnesses) -> bool:
    """Whether the day of the saying stands where the entries speak of the day before or after it."""
    day = item.ref.start
    if all(day != w.said_at.date() for w in cited):
        return False
    told = text[:1].lower() + text[1:]  # "Said" within a line is a name
    if any(day in w.named_dates or _TODAY.search(w.timely) for w in cited) or _TOLD.search(told):
        return False
    return any(0 < abs((other - day).days) <= _NEXT_TO for w in cited for other in w.named_dates)


def _is_night_of_another(item: FoundDate, text: str, cited: Witnesses) -> bool:
    """Whether "the night before D" is said where the entries mean the night of D itself."""
    if _NIGHT_BEFORE.search(text[: item.start].lower()[-24:]) is None:
        return False
    eve = item.ref.start - timedelta(1)
    return eve not in _days_meant(cited) and not any(_BEFORE_ANY.search(w.lower) for w in cited)


def _contradicts_itself(item: FoundDate) -> bool:
    """Whether a weekday stands beside a full date that falls on another."""
    phrase = item.ref.phrase.lower()
    weekday = re.match(r"(mon|tue|wed|thu|fri|sat|sun)[a-z]*\W+(?=.*\d{4}|.*\d)", phrase)
    return weekday is not None and not item.ref.start.strftime("%a").lower().startswith(weekday.group(1))


def _backward_span(text: str, found: tuple[FoundDate, ...]) -> str:
    """Return a span that ends before it begins: "from 2027-03-09 to 2027-03-04"."""
    if _MOVES.search(text.lower()):
        return ""
    for first, last in pairwise(found):
        is_span = _TO.fullmatch(text[first.end : last.start].lower()) is not None
        both = _YEAR.search(first.ref.phrase) and _YEAR.search(last.ref.phrase)
        if is_span and both and last.ref.start < first.ref.start:
            return f"“{text[first.start : last.end]}” ends before it begins"
    return ""


def _strange_name_of_day(text: str, found: tuple[FoundDate, ...], cited: Witnesses) -> str:
    """Return a weekday that recurs or stands apart ("on Mondays") and that the entries do not speak of."""
    for match in _DAY_NAME.finditer(text):
        if any(item.start <= match.start() < item.end for item in found):
            continue
        weekday = WEEKDAYS.index(match.group().lower()[:3])
        if any(weekday in weekdays_named(w.timely) for w in cited):
            continue
        if match.group().endswith("days") or not _is_day_near(weekday, cited):
            return f"“{match.group()}” is no day that the entries it cites speak of"
    return ""


def _strange_month(text: str, found: tuple[FoundDate, ...], cited: Witnesses) -> str:
    for match in _MONTH_NAME.finditer(text):
        if any(item.start <= match.start() < item.end for item in found):
            continue
        month = month_of(match.group().lower())
        if any(month in months_named(w.timely) or month in w.months_written for w in cited):
            continue
        if not any(day.month == month for day in _days_meant(cited, edges=True)):
            return f"“{match.group()}” is no month that the entries it cites speak of"
    return ""


def _strange_season(text: str, cited: Witnesses) -> str:
    """Return a season where the entries name others and not that one."""
    for match in _SEASON.finditer(text.lower()):
        held = [rule for rule in _SEASONS if any(rule.search(w.timely) for w in cited)]
        if held and not any(rule.search(match.group()) for rule in held):
            return f"“{match.group()}” is no season that the entries it cites speak of"
    return ""


def is_month_named(token: str, cited: Witnesses) -> bool:
    """Tell whether the entries speak of a month written "2027-03"."""
    if any(token in months_told(w.timely, w.said_at.date()) for w in cited):
        return True
    return any(f"{day:%Y-%m}" == token for w in cited for day in (*w.dates, *w.possible_dates)) or any(
        f"{item.ref.start:%Y-%m}" <= token <= f"{item.ref.end or item.ref.start:%Y-%m}"
        for w in cited
        for item in w.found_dates
    )


def is_year_told(year: int, cited: Witnesses) -> bool:
    """Tell whether the entries speak of that year in words: next summer, seven years ago, in July."""
    return any(
        year in years_told(w.timely, w.said_at.date()) or any(day.year == year for day in w.named_dates)
        for w in cited
    )


def strange_time(text: str, cited: Witnesses) -> str:
    """Return a time of day that no cited entry names."""
    text = unglued(text)
    for time in find_times(text):
        phrase = normal(text[time.start : time.end])
        if any(time.text in w.times or stands(phrase, w.lower) for w in cited):
            continue
        if any(time.text in w.possible_times for w in cited) or _is_first_half(time, text, cited):
            continue
        return f"“{phrase}” stands in no entry it cites"
    return ""


def _is_first_half(time: TimeOfDay, text: str, cited: Witnesses) -> bool:
    """Whether *time* opens a span whose end says which half of the day is meant: 6:30-8 pm."""
    afternoon = f"{(int(time.text[:2]) + 12) % 24:02d}{time.text[2:]}"
    meant = set(halves_meant(normal(text[time.start :])))
    return afternoon in meant and any(afternoon in w.times or afternoon in w.possible_times for w in cited)


# -- a day that a line says twice where the entries say two: "Monday and Monday" of "mon+tue" ----------------
#
# Each of the line's days stands in the entries; one of them has pushed another out. It is seen by counting:
# the line has a day more often than the entries have it, and lacks another that they name. The first and last
# day of a span count only where both stand in one sentence of the entries.

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n|;\s")
# "Thursday (2027-03-04)" and "Thursdays, first time 2027-03-04" say one day
_ASIDE = re.compile(
    r"[\s,(]*(?:(?:morning|afternoon|evening|night)\s)?\(?"
    r"(?:(?:first|next|from|since|starting|beginning)(?: time)?(?: on)?\s)?"
)
_DAY_APART = re.compile(r"\b(?:day|evening|night|morning) (?:before|after)\b(?! tomorrow| yesterday)")


def day_said_twice(text: str, found: Iterable[FoundDate], cited: tuple[Witness, ...]) -> str:
    """Return a day that *text*, in which *found* are dates, has for another one of *cited* as well."""
    every, said = list(found), cited[-1].said_at.date()
    for is_span_left_out in (False, True):
        mine = Counter(day for _, day in _days(text, every, said, is_span_left_out))
        twice = {day: often for day, often in mine.items() if often > 1}
        held = [one for witness in cited for one in _sentences(witness, is_span_left_out)] if twice else []
        others = {day for one in held for day in one} - mine.keys()
        for day, often in twice.items():
            if not often > sum(one.count(day) for one in held) > 0:
                continue
            beside = {other for one in held if day in one for other in one} - mine.keys()
            if others if is_span_left_out else beside:
                return day
    return ""


def _sentences(witness: Witness, is_span_left_out: bool) -> list[list[str]]:
    """Return the days of each sentence of *witness* that names any."""
    text = witness.text
    days = list(_days(text, witness.found_dates, witness.said_at.date(), is_span_left_out))
    days += [(match.start(), "apart") for match in _DAY_APART.finditer(text.lower())]
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    sentences: dict[int, list[str]] = {}
    for at, day in days:
        sentences.setdefault(bisect_right(ends, at), []).append(day)
    return list(sentences.values())


def _days(
    text: str, found: Iterable[FoundDate], said: date, is_span_left_out: bool
) -> Iterator[tuple[int, str]]:
    """Yield where each day stands and its one name: of the week when it is near, else its date."""
    items = list(found)
    counted = [item for item in items if not (is_span_left_out and item.ref.end)]
    spans = [(item.start, item.end, _name(item, day, said)) for item in counted for day in _ends(item)]
    read = {at for item in items for at in range(item.start, item.end)}
    spans += [
        (match.start(), match.end(), f"{said + timedelta(weekday_of(match) - said.weekday()):%A}")
        for match in weekday_mentions(text.lower())
        if match.start() not in read
    ]
    last_end, last_day = 0, ""
    for start, end, day in sorted(spans):
        if day != last_day or not _ASIDE.fullmatch(text, last_end, start):
            yield start, day
        last_end, last_day = end, day


def _ends(item: FoundDate) -> tuple[date, ...]:
    return (item.ref.start,) if item.ref.end is None else (item.ref.start, item.ref.end)


def _name(item: FoundDate, day: date, said: date) -> str:
    is_near = abs((day - said).days) <= _NEAR_DAYS or re.search(r"\d", item.ref.phrase) is None
    return f"{day:%A}" if is_near else day.isoformat()
