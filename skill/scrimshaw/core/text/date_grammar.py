"""One date phrase at a time: which days its words mean.

A reader gets a phrase, in whatever language, and what it was said amid, and returns days, or None when the
words turn out to mean something else. The words and forms of phrases stand with their languages
(core/text/languages). What surrounds a phrase (times, ranges, tense) belongs to core/text/dates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import NamedTuple

from scrimshaw.core.text.languages import Phrase, language, stretches


class Named(NamedTuple):
    """The month that the sentence has named before a bare day, and the day where it named one."""

    month: date  # its first day
    day: int = 0
    certain: bool = True
    is_clear: bool = True  # that the bare day is of it
    is_beside: bool = False  # "in December, on the 8th"


class Utterance(NamedTuple):
    """The words as written, the day of the saying, and which way it looks: 1 ahead, -1 back, 0 unknown."""

    text: str
    day: date
    way: int
    is_sure: bool = True  # of the way
    is_night: bool = False  # after midnight, when "tomorrow" may be today
    named: Named | None = None


class Days(NamedTuple):
    start: date
    end: date | None = None
    certain: bool = True


_FAR_YEARS, _HALF_A_YEAR = 10, 183
_YEAR_AHEAD, _YEAR_BACK = 345, 330  # days; what is due on a day just gone is overdue
# A day that neither verb nor year places is taken for the nearest when it is near: what is named without
# a verb is to come more often than not, and what has long been is told with one.
_NEAR_AHEAD, _NEAR_BACK = 75, 31
_STEP = {"before last": -2, "last": -1, "past": -1, "this": 0, "coming": 0, "next": 1, "after next": 2}
_UNIT_DAYS = {"day": 1, "week": 7, "fortnight": 14}
_ONE_OF_TWO = re.compile(r"(?:\b(?:or|oder|o|ou)|[-–、~～或])\s*$")
_ENDS_SENTENCE = re.compile(r"\s*$|\s+[A-Z]|\n")
_DAY_WORD = re.compile(r"\b(?:d[ií]a|giorno)\b")
_SENTENCE = re.compile(r"[.!?。！？\n]")
_IS_SO = re.compile(r"\s*,?\s*(?:c['’]est|is|ist|es|è|é)\b|は")  # behind a day: what it is
# "Moved from the 3rd to the 5th" names two days, and no stretch.
MOVED = re.compile(
    r"(?:\b(?:mov|chang|shift|reschedul|push|postpon|brought|bring|slip|delay|instead|rebook|verschob|verschieb|verleg"
    r"|cambi|aplaz|pospon|pospu|traslad|déplac|report|décal|mud[aeo]|adi[ae]|spost|rimand|anticip)\w*\b"
    r"|\b(?:pas(?:an?|ó)|pass(?:am?|ou|e|ent))\s+d|改|推迟|提前)"
    r"[^.!?。\n]{0,50}$"
)


def _weekday(p: Phrase, said: Utterance) -> int | None:
    """Return 0 for Monday …; None where there is none or the word is more likely another word."""
    return int(p.key("weekday")) if p["weekday"] and not _is_word(p, "weekday", said) else None


def _month(p: Phrase, said: Utterance) -> int | None:
    """Return 1 for January …; None where the word is more likely another word."""
    if _is_word(p, "month", said) and not _is_dated(p):
        return None
    word = p["month"] or ""
    return int(word) if word.isdecimal() else int(p.key("month"))


def _is_word(p: Phrase, slot: str, said: Utterance) -> bool:
    if p[slot] not in p.language.words("wordlike") or said.text[p.at(slot)].isupper():
        return False
    return not (_is_plain(p, slot, said) and p.is_after("no_word_next", 8))  # "in march order"


def _is_dated(p: Phrase) -> bool:
    """Tell whether a day beside the word makes it a month in lower case, too: "the 19th of march"."""
    if p["day"] is None or p.is_before("other_day", 16):
        return False
    if p.at("month") < p.at("day"):
        return p.is_before("month_named", 12)
    words = p.match.string[p.at("day") : p.at("month")]
    is_count = p["year"] is None and words[:3].strip().isdecimal() and p.is_before("counts_what", 12)
    return " of " in words or (not is_count and (p["year"] is not None or p.is_after("month_named_next", 16)))


def _is_plain(p: Phrase, slot: str, said: Utterance) -> bool:
    """Tell whether its capital or what stands before it says that it is no other word: "in may"."""
    return said.text[p.at(slot)].isupper() or (slot == "month" and p.is_before("no_word", 12))


def step_of(p: Phrase) -> str:
    """Return "next", "last" …, whether it stands before its noun or behind it; "" where there is none."""
    return p.key("step") or p.key("step2", "step")


def _year(word: str | None) -> int | None:
    if word is None:
        return None
    return int(word) if len(word) == 4 else 2000 + int(word)


def _year_of(p: Phrase, said: Utterance) -> int | None:
    return said.day.year + _STEP[p.key("which", "step")] if p["which"] else _year(p["year"])


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


def _is_listed(p: Phrase) -> bool:
    """Tell whether two days stand side by side, "the 3rd and the 5th", and are no stretch."""
    return " and " in p.match.group() and not p.is_before("between", 16)


def _is_years_off(p: Phrase) -> bool:
    """Tell whether it is counted in years: "two years ago in October", "October two years ago"."""
    return p.is_after("years_off", 40) or p.is_before("years_ago", 28)


def _date(p: Phrase, said: Utterance) -> Days | None:
    month = _month(p, said)
    if month is None or _is_listed(p) or _is_years_off(p):
        return None
    first, last = p.language.number(p["day"] or ""), p["to"]
    if last is not None and MOVED.search(p.before(60)):
        return None
    year, weekday = _year_of(p, said), _weekday(p, said)
    start = _settle(year, month, first, weekday, said)
    if weekday is not None and not start.certain and _is_word(p, "month", said):
        return None
    if last is None or p.language.number(last) <= first:
        return start
    return Days(start.start, start.start.replace(day=p.language.number(last)), start.certain)


def _iso(p: Phrase, said: Utterance) -> Days | None:
    # 2026.9.6 is a version; 2026.09.06 after "on" is a day.
    month, day = p["month"] or "", p["day"] or ""
    if p["sep"] == "." and not (len(month + day) == 4 and p.is_before("figures", 16)):
        return None
    return _settle(_year(p["year"]), int(month), int(day), _weekday(p, said), said)


def _dotted(p: Phrase, said: Utterance) -> Days | None:
    year = p["year"]
    # "28.11." without a full year is a price or a version unless a word before it says date.
    if (year is None or len(year) == 2) and not (p["weekday"] or p.is_before("figures", 16)):
        return None
    # "It runs on 3.11." may end a sentence.
    if year is None and _ENDS_SENTENCE.match(said.text, p.match.end()):
        is_day = p["weekday"] or p.is_before("figures_end", 12)
        if not is_day:
            return None
    settled = _settle(_year(year), int(p["month"] or ""), int(p["day"] or ""), _weekday(p, said), said)
    is_far = abs(settled.start.year - said.day.year) > _FAR_YEARS
    return None if year and len(year) == 2 and is_far else settled


def _slashed(p: Phrase, said: Utterance) -> Days | None:
    first, second = int(p["first"] or ""), int(p["second"] or "")
    is_day = p["weekday"] or p.is_before("figures", 16)
    is_day = is_day or p.is_after("weekday_behind", 4)
    if p["year"] is None and (not is_day or p.is_after("share", 8)):
        return None
    if first == 24 and second == 7:
        return None
    is_day_first = first > 12 or p.language.is_set("day_first")
    month, day = (second, first) if is_day_first else (first, second)
    weekday = _weekday(p, said)
    if behind := p.language.guard("weekday_behind").match(p.after(4)):
        weekday = int(p.language.key("weekday", behind["weekday"]))
    settled = _settle(_year(p["year"]), month, day, weekday, said)
    is_one = first == second or max(first, second) > 12 or p.language.is_set("day_first")
    is_one = is_one or settled.start.weekday() == weekday
    return settled._replace(certain=settled.certain and is_one)


def _near(p: Phrase, said: Utterance) -> Days | None:
    if p.is_after("counts_days", 12) or p.is_before("no_near", 24) or p.is_after("no_near_next", 16):
        return None
    word = p["near"] or ""
    certain = not said.is_night or word.startswith("this ")
    return Days(said.day + timedelta(int(p.key("near"))), certain=certain and word != "last night")


def _monday(day: date) -> date:
    return day - timedelta(day.weekday())


def _week_day(p: Phrase, said: Utterance) -> Days | None:
    weekday = _weekday(p, said)
    if weekday is None:
        return None
    # Where a week begins on Sunday for some, that day is of two weeks.
    certain = weekday != 6 or not p.language.is_set("sunday_first")
    return Days(_monday(said.day) + timedelta(7 * _STEP[step_of(p)] + weekday), certain=certain)


def _bare_weekday(p: Phrase, said: Utterance) -> Days | None:
    weekday, modifier = _weekday(p, said), step_of(p)
    if modifier in ("after next", "before last"):  # of the weeks, or of such days
        return None
    is_placed = modifier or p["of"] or p["later"] or p["n"]
    if weekday is None or (not p["of"] and p.is_after("hangs", 24)):
        return None
    is_last = p.language.guard("of_several").search(f"{p.before(12)}{p['step'] or ''} ") is not None
    if is_last and p.is_after("no_period", 32):
        return None  # "the last Sunday in May"
    if not is_placed and (
        p.is_before("recurs", 64)
        or _is_ruled(p)
        or is_arranged(p)
        or _is_each(p)
        or p.is_after("recurs_next", 24)
    ):
        return None
    if not is_placed and p.language.guard("work_week").match(p.match.string, p.match.start()):
        return None
    if p["weekday"] in p.language.words("short") and not (
        is_placed or p.is_before("dated", 64) or re.match(r",?\s*\d", p.after(24))
    ):
        return None
    in_week = _monday(said.day) + timedelta(weekday)
    if p["of"]:
        return Days(in_week + timedelta(7 * _STEP[p.key("of", "step")]))
    if number := p["n"]:  # "Saturday in nine days"
        counted = _shift(said.day, p.language.number(number), p.key("unit"))
        is_same = counted.weekday() == weekday and not said.is_night
        return Days(counted if is_same else _modified(in_week, "", said).start, certain=is_same)
    if p["later"]:  # "Sunday week", from the Sunday that comes
        coming = in_week if in_week > said.day else in_week + timedelta(7)
        certain = in_week != said.day and not modifier
        return Days(_shift(coming, 1, p.key("later", "unit")), certain=certain)
    meant = _modified(in_week, modifier, said)
    # "Have a wonderful Sunday" wishes, "a table Friday" plans.
    return meant._replace(certain=meant.certain and bool(modifier or not p.is_before("with_a", 64)))


def starts_rule(text: str) -> bool:
    """Tell whether *text* says what holds from some month on, which no day fulfils."""
    lower = text.lower()
    return any(part.language.guard("from_then").search(lower) for part in stretches(text, lower))


def changes_weekly(text: str) -> bool:
    """Tell whether *text* says on which weekday something is from now on: "lessons moved to Tuesday"."""
    lower = text.lower()
    for part in stretches(text, lower):
        at = part.start
        while phrase := part.language.next_phrase(lower, at, part.end):
            if phrase.kind == "weekday" and not step_of(phrase) and _is_guarded(phrase, "changed_weekly"):
                return True
            at = phrase.match.end()
    return False


def is_arranged(p: Phrase) -> bool:
    """Tell whether the sentence says what holds week by week: opening hours, "Monday to Wednesday only"."""
    return _is_guarded(p, "arranged") or _is_guarded(p, "changed_weekly")


def _is_guarded(p: Phrase, guard: str) -> bool:
    return p.language.guard(guard).search("¦".join(_around(p))) is not None


def _is_ruled(p: Phrase) -> bool:
    """Tell whether the sentence says what holds from some time on."""
    before, behind = _around(p)
    return p.language.guard("from_then").search(before + p.match.group() + behind) is not None


def _is_each(p: Phrase) -> bool:
    """Tell whether it says what every such day is: "lundi c'est sacré, le lundi on est fermé"."""
    if _IS_SO.match(p.after(12)) is None:
        return False
    language, key, around = p.language, p.key("weekday"), _around(p)
    named = re.compile(rf"(?<!\w)(?:{language.pattern('weekday')})(?!\w)")
    if any(
        language.key("weekday", hit.group()) == key and language.guard("each").search(part[: hit.start()])
        for part in around
        for hit in named.finditer(part)
    ):
        return True
    every = {word for word, of in language.forms("recurring").items() if of == key}
    return any(re.search(rf"(?<!\w){word}(?!\w)", part) for word in every for part in around)


def _around(p: Phrase) -> tuple[str, str]:
    """Return what stands before it and behind it in its sentence."""
    return _SENTENCE.split(p.before(120))[-1], _SENTENCE.split(p.after(80))[0]


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
    if unit in ("month", "year"):
        months = start.year * 12 + start.month - 1 + number * (12 if unit == "year" else 1)
        return _last_day(months // 12, months % 12 + 1, at_most=start.day)
    if unit not in _UNIT_DAYS:
        raise ValueError(unit)
    return start + timedelta(number * _UNIT_DAYS[unit])


def _last_day(year: int, month: int, at_most: int = 31) -> date:
    following = date(year + month // 12, month % 12 + 1, 1)
    last = following - timedelta(1)
    return last.replace(day=min(at_most, last.day))


def _counted_days(p: Phrase, said: Utterance, start: date, sign: int) -> Days:
    unit = p.key("unit")
    certain = unit not in ("month", "year") and not said.is_night
    return Days(_shift(start, sign * p.language.number(p["n"] or ""), unit), certain=certain)


def _ahead(p: Phrase, said: Utterance) -> Days | None:
    # "done in two weeks" tells how long it took; "in a week or two" names no day.
    takes = p["how"] != "within" and not p["sure"]
    if (said.way < 0 and takes) or p.is_after("no_shift", 12) or _ONE_OF_TWO.search(p.before(6)):
        return None
    if takes and p.is_before("takes_long", 60):
        return None
    return _counted_days(p, said, said.day, 1)


def _counted(p: Phrase, said: Utterance) -> Days | None:
    if _ONE_OF_TWO.search(p.before(6)) or p.is_after("no_shift", 12):
        return None
    if p["base"]:
        return _counted_days(p, said, _base(p, said), 1)
    return _counted_days(p, said, said.day, -1)


def _weeks_on(p: Phrase, said: Utterance) -> Days | None:
    # "twice a week on Friday" recurs; "he spent two weeks on Friday's cake"
    if said.way < 0 or p.is_before("a_week", 12):
        return None
    return _counted_days(p, said, _base(p, said), 1)


def _base(p: Phrase, said: Utterance) -> date:
    """Return the day from which weeks are counted: today, tomorrow, the weekday that comes."""
    word = (p["base"] or "today").removeprefix("on").strip()
    if word in ("now", "today", "tomorrow"):
        return said.day + timedelta(word == "tomorrow")
    weekday = int(p.language.key("weekday", word))
    return said.day + timedelta((weekday - said.day.weekday() - 1) % 7 + 1)


def _ending(p: Phrase, said: Utterance) -> Days | None:
    if p["month"]:
        if (month := _month(p, said)) is None:
            return None
        year = _year(p["year"]) or _settle(None, month, 28, None, said).start.year
        return Days(_last_day(year, month))
    unit = p.key("unit") or p["bare"]
    step = _STEP[p.key("step")] if p["step"] not in (None, "the") else 0
    if unit == "week":  # Friday for some, Sunday for others
        return Days(_monday(said.day) + timedelta(4 + 7 * step), certain=False)
    if unit == "year":
        return Days(date(said.day.year + step, 12, 31))
    inside = _shift(said.day.replace(day=1), step, "month")
    return Days(_last_day(inside.year, inside.month))


def _period(p: Phrase, said: Utterance) -> Days | None:
    which, unit = step_of(p), p.key("unit") or p.key("unit2", "unit")
    # "Last year in July" is of that year; "the last year of the contract" of none.
    is_first = p.key("step") == "last" and not (unit == "year" and re.match(r"\s+i[nm]\b", p.after(8)))
    if is_first and (p.is_after("no_period", 32) or p.is_before("no_period_before", 24)):
        return None
    step = 1 if which == "coming" and unit != "weekend" else _STEP[which]
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
        case "day":
            return Days(said.day + timedelta(step), certain=False)
    year = said.day.year + step
    return Days(date(year, 1, 1), date(year, 12, 31))


def _ordinal(p: Phrase, said: Utterance) -> Days | None:
    weekday, named = _weekday(p, said), said.named
    before = p.before(12)
    is_day = (
        (named and (named.is_beside or _DAY_WORD.search(p.match.group())))
        or p.is_before("dated", 12)
        or not before.strip()
        or p.is_before("day_named", 12)
    )
    if weekday is None and not (is_day and p.is_after("ordinal_next", 16)):
        return None
    start, end = p.match.span()
    if p.language.guard("monthly").search(p.match.string, max(0, start - 64), end + 24):
        return None
    if re.match(r"\s+of\s+(?!this)", p.after(16)) or _is_listed(p):
        return None
    if named is None and p.is_before("listed", 12):
        return None
    day, month, certain = p.language.number(p["day"] or ""), said.day.replace(day=1), said.is_sure
    if (day < said.day.day) if said.way >= 0 else (day > said.day.day):
        month = _shift(month, 1 if said.way >= 0 else -1, "month")
    if named:
        month, certain = _month_named(day, month, weekday, said, named)
    first = month.replace(day=day)
    if weekday is not None:
        first, certain = _on_weekday(first, weekday, said)
        month = first.replace(day=1)
    last = p.language.number(p["to"]) if p["to"] else 0
    return Days(first, month.replace(day=last) if last > day else None, certain=certain)


def _on_weekday(near: date, weekday: int, said: Utterance) -> tuple[date, bool]:
    """Return the day of the month of *near* that is a *weekday*, or of a month beside it; is it sure?"""
    others = [_shift(near, step, "month") for step in (1, -1)]  # the last day, where a month is too short
    fitting = [
        other
        for other in others
        if (other.day, other.weekday()) == (near.day, weekday) and abs((other - said.day).days) <= _NEAR_BACK
    ]
    if near.weekday() == weekday:
        is_ahead = said.is_sure and not (near < said.day and any(one > said.day for one in fitting))
        return near, is_ahead or not fitting  # where no month beside it has that day on that weekday
    fitting = [one for one in fitting if (one - said.day).days * said.way >= 0]
    if fitting:
        return fitting[0], True
    return near, False


def _day_of_month(p: Phrase, said: Utterance) -> Days | None:
    """Read what is a day only beside a month: "20 de enero y el 27"."""
    named = said.named
    if named is None or not named.is_clear:
        return None
    days = _ordinal(p, said)
    return (
        days if days and days.start.replace(day=1) in (named.month, _shift(named.month, 1, "month")) else None
    )


def _month_named(
    day: int, near: date, weekday: int | None, said: Utterance, named: Named
) -> tuple[date, bool]:
    """Return the month of a bare *day*, and whether it is sure: the one named before it, or else *near*."""
    month = named.month if day >= named.day else _shift(named.month, 1, "month")
    if month == near:
        return near, said.is_sure
    if not named.certain:
        return month, False
    meant = month.replace(day=day)
    is_near = weekday not in (None, meant.weekday()) and weekday == near.replace(day=day).weekday()
    # "I was in Rome in May and fly again on the 24th", "it is in December, I signed up on the 3rd"
    is_apart = (meant - said.day).days * (said.way or 1) < 0
    if is_near or (is_apart and not named.is_beside):
        return near, said.is_sure
    return month, named.is_clear and (said.is_sure or named.is_beside)


def _month_only(p: Phrase, said: Utterance) -> Days | None:
    month = _month(p, said)
    is_name = p["month"] in p.language.words("names") and not _is_plain(p, "month", said)
    if month is None or not (
        p["year"] or p["which"] or (not is_name and (p["in_month"] or p.is_before("in_month", 12)))
    ):
        return None
    if _is_years_off(p) or p.is_after("no_month", 24):
        return None
    if year := _year_of(p, said):
        return Days(date(year, month, 1), _last_day(year, month))
    settled = _settle(None, month, 15, None, said)
    first = settled.start.replace(day=1)
    # Without a verb "61 repairs in October" may tell or plan; "for June" and "to April" may be people.
    certain = (
        settled.certain
        and (said.way != 0 or first >= said.day.replace(day=1))
        and not (p["month"] in p.language.words("names") and p.is_before("given", 12))
    )
    return Days(first, _last_day(first.year, first.month), certain=certain)


READERS: dict[str, Callable[[Phrase, Utterance], Days | None]] = {
    "iso": _iso,
    "date": _date,
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
    "day": _day_of_month,
    "month": _month_only,
}

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
WEEKDAY = language("en").pattern("weekday")
MONTH = language("en").pattern("month")
