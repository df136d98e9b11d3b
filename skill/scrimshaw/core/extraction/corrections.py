"""Correct one value in an earlier line: "it's the 27th, not the 26th", said of an appointment.

Such a sentence has no subject: noted alone it cannot be understood, and the line that it corrects would stay
as it was. So the earlier line is told again with the one value exchanged. A value is a number, a day of the
month, a time, a weekday, a month or a name. In doubt nothing is corrected: the sentence may hold no word of
matter that the line does not hold, and the line may hold one such value only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache, lru_cache
from typing import NamedTuple

from scrimshaw import data
from scrimshaw.core.extraction.claim_changes import changes
from scrimshaw.core.extraction.shown_dates import SHOWN_DATE, with_dates
from scrimshaw.core.language import PatternTable
from scrimshaw.core.ledger.known_lines import content_words, stem
from scrimshaw.core.search.tongue import is_english
from scrimshaw.core.text.dates import find_dates
from scrimshaw.core.text.languages import NAMES, language
from scrimshaw.core.types import DateRef, Observation, Proposal

_table = PatternTable("corrections")
_NUMBER = r"(?:\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?!\d)|\d+(?:[.,:h]\d+)*)"
_VALUE = re.compile(
    r"(?P<east_date>(?<!\d)(?:\d{1,2}月)?\d{1,2}[日号](?![間间]))"
    r"|(?P<east_time>(?<!\d)\d{1,2}[時时点](?![間间])(?:\d{1,2}分|半)?)"
    rf"|(?P<digits>(?<![^\W\u3040-\u9fff])(?<![.,:/-]){_NUMBER})"
    r"(?P<ending>st|nd|rd|th|[ºª]| ?[ap]\.?m\b)?(?![\d/-])"
    r"|(?P<word>[^\W\d_\u3040-\u9fff](?:[^\W_\u3040-\u9fff]|['’-](?=\w))*)"
    r"|(?P<east>(?:周|星期|礼拜)[一二三四五六日天]|[月火水木金土日]曜日?)"
)
_HALF_A_WEEK = timedelta(days=4)
_DIGITS = re.compile(_NUMBER)
_DAY_DIGITS = re.compile(r"\d+(?!\d*月)")  # of a date: "17" of "17.2.", "29" of "11月29日"
_FIGURES = re.compile(rf"{_NUMBER}(?P<ending>st|nd|rd|th)?")
_DAY_FIGURES = re.compile(r"\d+(?!\d*月)(?P<ending>st|nd|rd|th)?")
_DAY_AND_MONTH = re.compile(r"(?:3[01]|[12]\d|0?[1-9])\.(?:1[0-2]|0?[1-9])(?:\.(?:\d\d){1,2})?")
_OF_A_TEXT = re.compile(r"(?:version|release|kapitel|abschnitt|punkt|nr\.?|§) $", re.IGNORECASE)
_BEHIND_A_DAY = re.compile(r"\.(?=,|\s+um\b|\))")
_CLAUSE = re.compile(r"[。、，！？]|[,;:.!?…]\s|\s[–—-]\s|\b(?:because|weil|porque|parce que|perché|pois)\b")
_SET_OFF = frozenset(",.:!…–—-")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)")
_WORDS = re.compile(r"\w+")
_COUNTED = re.compile(r"[\u3040-\u9fff]|[^\W\u3040-\u9fff]+")
_THE = re.compile(r"\bthe $")
_MONTH_IN = re.compile(r"[^\W\d_]{3,}|月|\d\.\d")
_MAKE_A_DATE = ({"number", "month"}, {"date", "month"})
_HALF_DAY = re.compile(r" ?[ap]\.?m\b\.?")
_IN_FIGURES = re.compile(r"\d")
# "The mail says: it's 4712, not 4711", or in quotation marks: not the person's own correction.
_TOLD_BY_ANOTHER = re.compile(r":\s|[\"“”„«»]")
_OUTRIGHT = "correction, "
_ITS_COLON = re.compile(r"^ ?(?:(?:for|für|bei|pour|para|per) [^:]{1,24})?:")  # "Correction: it's 4712"
_OF_DAYS = ("date", "weekday", "month")
_DAY_BEFORE = re.compile(r"\b(?:am|den|dem|der|vom|zum) $", re.IGNORECASE)
_DAY_AFTER = re.compile(r"\b(?:le|el|il|d[ií]a) $", re.IGNORECASE)
_UNIT = re.compile(r" ?(?:%|€|\$|h\b|euros?\b|kg\b|personas|personnes|persone|invit)")
_YEAR = re.compile(r"(?:19|20)\d\d")
_FAR = 20  # characters
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}
_IS_HOUR = re.compile(r" ?(?:uhr|h|heures?|horas|o['’]clock)\b", re.IGNORECASE)
_WEEKDAY_OF = re.compile(
    r"[^\W\d_]+,?(?: (?:(?P<the>the )|den |dem |el |le |il |dia )| )$"
)  # before the day of a month
_MOST_CHARS, _BARE_CHARS = 300, 40  # of a sentence that corrects; of one that only names two values
_EAST = re.compile(r"[\u3040-\u9fff]")
_DIGIT = re.compile(r"\d")
_BESIDE = 4  # characters between a day and its month
_DAY_WORDS = ("weekday", "month")


class Value(NamedTuple):
    """A value and where it stands in its text. *sort* says what it may be exchanged for."""

    sort: str  # number, date (a day of the month, with its month or alone), time, weekday, month, name, code
    text: str
    start: int
    end: int

    @property
    def digits(self) -> str:
        """Its first figures, without ending; "" where it has none."""
        match = (_DAY_DIGITS if self.sort == "date" else _DIGITS).search(self.text)
        return match.group() if match else ""


class Correction(NamedTuple):
    """The value that holds instead of an *old* one, or, None, of the last said of its sort."""

    new: Value
    old: Value | None
    counted: str  # what a number counts, where it is said
    rest: frozenset[str]  # the other words of its clause that carry matter: all stand in what it corrects
    before: frozenset[str]  # those of the clauses before it, which say what it is about
    after: frozenset[str]
    is_concluded: bool = False  # "then it's the 20th": of what the agent doubted
    is_outright: bool = False  # it begins by saying that what was just said is wrong: "correction: …"
    is_mild: bool = False  # by words that an answer may begin with, too: "make it 7:00"

    def of_what_names(self, words: frozenset[str]) -> Correction:
        """Return it said of a line beside which *words* stand: they need not stand in the line itself."""
        return self._replace(
            rest=self.rest - words, before=frozenset() if self.before & words else self.before
        )

    @property
    def bare(self) -> Correction:
        """It without what it is about."""
        return self._replace(rest=frozenset(), before=frozenset())


@lru_cache(maxsize=256)
def values_in(text: str) -> tuple[Value, ...]:
    """Return the values of *text*, the dates that were added to it left out."""
    blank = _without_shown(text)
    found: list[Value] = []
    for match in _VALUE.finditer(blank):
        one = Value(_sort(match), match.group(), *match.span())
        if one.sort == "number" and _IS_HOUR.match(blank, one.end):
            one = one._replace(sort="time")
        elif one.sort == "number" and len(one.text) <= 2 and _is_day(blank, one):
            one = one._replace(sort="date")
        elif one.sort == "number" and _DAY_AND_MONTH.fullmatch(one.text):
            one = _with_month(blank, one)
        last = found[-1] if found else None
        if last and last.end + _BESIDE >= one.start and {last.sort, one.sort} in _MAKE_A_DATE:
            found[-1] = Value("date", blank[last.start : one.end], last.start, one.end)
        elif one.sort:
            found.append(one)
    return tuple(found)


def _is_day(text: str, one: Value) -> bool:
    """Tell whether a number is a day of the month by what stands around it: "am 26.", "le 26"."""
    before = text[max(0, one.start - 6) : one.start]
    if text[one.end : one.end + 1] == ".":
        return _DAY_BEFORE.search(before) is not None
    return _DAY_AFTER.search(before) is not None and _UNIT.match(text, one.end) is None


def _with_month(text: str, one: Value) -> Value:
    """Return the number *one* as a day and its month where it is that by what stands around: "am 17.2."."""
    before = text[max(0, one.start - 12) : one.start]
    is_day = _DAY_BEFORE.search(before) or _BEHIND_A_DAY.match(text, one.end)
    if not is_day or _OF_A_TEXT.search(before):
        return one
    end = one.end + (text[one.end : one.end + 1] == "." and bool(text[one.end + 1 :].strip()))
    return Value("date", text[one.start : end], one.start, end)


def _sort(match: re.Match[str]) -> str:
    word = match["word"]
    if match["east_date"] or match["east_time"]:
        return "date" if match["east_date"] else "time"
    if word is None:
        ending, digits = match["ending"] or "", match["digits"] or ""
        if ":" in digits or "h" in digits or "m" in ending:
            return "time"
        return ("date" if ending else "number") if digits else "weekday"
    if any(map(str.isdigit, word)):
        return "code"
    lower = word.lower()
    found = (kind for kind in _DAY_WORDS if lower in _words_for(kind))
    return next(found, "name" if word[0].isupper() else "")


@cache
def _titles() -> frozenset[str]:
    return frozenset((*data.words("sentences", "titles"), "Herr", "Frau"))


@cache
def _words_for(vocabulary: str) -> frozenset[str]:
    every = (word for name in NAMES for word in language(name).forms(vocabulary))
    return frozenset(word for word in every if len(word) > 2)


def correction_in(text: str) -> Correction | None:
    """Return what *text* corrects, None where it does not plainly say which value holds now."""
    if len(text) > _MOST_CHARS or not _may_correct(text):
        return None
    said = text.strip()
    text = _table.ADMITTED.cut(said, _OUTRIGHT)  # "I was wrong: …"
    opened = _table.OPENS.match(text)
    own = _ITS_COLON.sub("", text[opened.end() :]) if opened else text
    if text.endswith(("?", "？")) or _TOLD_BY_ANOTHER.search(own) or _table.THOUGHT.search(text):
        return None
    for pattern in _table.each("CORRECTED"):
        start = 0
        while match := pattern.search(text, start):
            if found := _read(text, match):
                return found
            start = match.start() + 1
    return None


def is_admitted(text: str) -> bool:
    """Tell whether *text* begins with nothing but that the earlier words were wrong: "I was wrong: …"."""
    return _table.ADMITTED.match(text.strip()) is not None


def is_of_said(correction: Correction, asked: str, said: str) -> bool:
    """Tell whether *correction* is of what the person *said* before; *asked* is the agent's message between.

    What is said of the last value, behind a question, may be of the agent's own figure. What only concludes
    corrects only what the agent has doubted.
    """
    if correction.old is not None or not (correction.is_concluded or "?" in asked or "？" in asked):
        return True
    named, mine = (
        [one for one in values_in(text) if one.sort == correction.new.sort] for text in (asked, said)
    )
    if named and all(any(_is_same(own, one) for own in mine) for one in named):
        return True
    return correction.is_outright and not (correction.is_mild or named)


def _may_correct(text: str) -> bool:
    """Tell whether *text* holds a value and a word for a change; nearly none does, and patterns take long."""
    if not _table.HINTS.search(text):
        return False
    if any(map(str.isdigit, text)) or _EAST.search(text):
        return True
    words = frozenset(_WORDS.findall(text.lower()))
    is_of_days = any(not words.isdisjoint(_words_for(kind)) for kind in _DAY_WORDS)
    return is_of_days or len(text) <= _BARE_CHARS or bool(_table.NAMES.search(text))


def _read(text: str, match: re.Match[str]) -> Correction | None:
    groups = match.groupdict()
    new, old = (_value_at(text, match.start(name)) if name in groups else None for name in ("new", "old"))
    if new is None or ("old" in groups and old is None):
        return None
    start = min(match.start(), new.start, old.start if old else new.start)
    end = max(match.end(), new.end, old.end if old else 0)
    before, after = _CLAUSE.split(text[:start]), _CLAUSE.split(text[end:])
    more = (groups.get("more") or "").strip()
    counted = "" if more in new.text.lower() or new.sort in _OF_DAYS else more
    is_east = _EAST.search(match.group()) is not None
    counted = counted[:1] if _EAST.match(counted) else counted
    clause = f"{before[-1]} {groups.get('of') or ''} {'' if is_east else counted} {after[0]}"
    is_concluded = any(leads.match(text) for leads in (_table.CONCLUDES, _table.EAST_CONCLUDES))
    opened = _table.OPENS.search(match.group())
    if old is None:
        is_denied = not is_concluded and _table.DENIED.search(
            f"{before[-1]} {_table.OPENS.cut(match.group())}"
        )
        if new.sort == "name" or is_denied:
            return None
        if new.sort == "number" and not counted:
            return None  # of "make that 3" nobody can tell what it counts
        if new.sort == "code":
            if _table.MOVES.search(match.group()):
                return None  # "they moved it to Q4": a time, and no name
        elif _table.HARDLY.search(match.group()):
            return None  # "sorry, it's 2 am": now
        elif new.sort not in _OF_DAYS and opened and _only_waits(match.group(), opened):
            return None
    elif old.sort != new.sort and not (old.digits and new.digits):
        return None
    if new.sort == "name":
        clause = " ".join(word for word in clause.split() if word.strip(".").capitalize() not in _titles())
        is_called = _table.NAMES.search(clause) and not _table.MINE.search(clause)
        if _table.MOVES.search(match.group()) or (content_words(clause) and not is_called):
            return None  # "it was Tom, not Tim", who called
        clause = _table.NAMES.cut(clause)
    words = _said_besides(in_english=is_english(text))
    is_apposed = old is not None and len(after) > 1 and text[end:].lstrip().startswith(",")
    if is_apposed and not _table.COPULA.search(f"{before[-1]} {match.group()}"):
        clause += f" {after[1]}"  # "On Tuesday, not Monday, I play tennis"
    told = (one for one in after[1:] if not _table.EXCUSE.search(one))
    rest, earlier, later = (_matter(part, words) for part in (clause, " ".join(before[:-1]), " ".join(told)))
    is_outright = any(opens.match(text) for opens in (_table.OPENS, _table.EAST_OPENS))
    is_mild = _table.MILD.match(text) is not None
    return Correction(new, old, counted, rest, earlier, later, is_concluded, is_outright, is_mild)


def _only_waits(said: str, opened: re.Match[str]) -> bool:
    """Tell whether it may ask to wait: "nein, halt 3 Plätze frei", but not "nein halt, 3 Plätze"."""
    is_set_off = said[opened.end() : opened.end() + 1] in _SET_OFF
    return _table.WAITS.search(opened.group()) is not None and not is_set_off


def _value_at(text: str, start: int) -> Value | None:
    return next((one for one in values_in(text) if one.start <= start < one.end), None)


def _matter(text: str, besides: frozenset[str]) -> frozenset[str]:
    words = (word for word in content_words(text) if word not in besides)
    return frozenset(word for word in words if not any(word in _words_for(kind) for kind in _DAY_WORDS))


@cache
def _said_besides(*, in_english: bool) -> frozenset[str]:
    """Return what a correction says beside its values; a small word of one language is a noun of another."""
    names = ("en",) if in_english else tuple(name for name in NAMES if name != "en")
    marks = (language(name).marks for name in names)
    words = frozenset().union(_table.words("BESIDES"), changes.words("CHANGE_WORDS"), *marks)
    return content_words(" ".join(words - {"turned"}))


class _Exchange(NamedTuple):
    """A line with the new value in the place of the old one, and where both stand; dates as in the line."""

    text: str
    old: Value
    start: int
    end: int


def told_again(
    before: Proposal | Observation, correction: Correction, said_at: datetime
) -> tuple[str, DateRef | None] | None:
    """Return the text of *before* with the corrected value, and the date that it refers to; None if in doubt.

    *said_at*: when it was corrected. A weekday is the one nearest to the date that it was before. Other dates
    of the line stay as they were computed.
    """
    exchange = _exchanged(before.text, correction)
    if exchange is None:
        return None
    was = before.refers_to
    if exchange.old.sort not in _OF_DAYS:
        is_time = was is not None and exchange.old.sort == "time"
        return exchange.text, was._replace(time=None) if was and is_time else was
    return _dated_anew(exchange, was, said_at)


def _dated_anew(
    exchange: _Exchange, was: DateRef | None, said_at: datetime
) -> tuple[str, DateRef | None] | None:
    text = exchange.text
    shown = SHOWN_DATE.search(text, exchange.end)
    if shown and not any(one.sort in _OF_DAYS for one in values_in(text[exchange.end : shown.start()])):
        if " to " in shown.group():
            return None  # of a stretch of days
        text = text[: shown.start()] + text[shown.end() :]
    near = datetime.combine(was.start, said_at.timetz()) - _HALF_A_WEEK if was else said_at
    dates = find_dates(_without_shown(text), max(near, said_at))
    found = [one for one in dates if one.start <= exchange.start < one.end]
    if not found:
        return (text, None) if was is None else None
    ref = found[0].ref
    is_stretch = ref.end is not None and exchange.old.sort != "month"
    is_past = ref.start < said_at.date() and (was is None or was.start >= said_at.date())
    if is_stretch or is_past or (was and not ref.certain and _IN_FIGURES.search(ref.phrase)):
        return None
    return with_dates(text, found[:1], said_at.date()), ref


def _without_shown(text: str) -> str:
    """Return *text* with blanks for the dates that were added to it."""
    return SHOWN_DATE.sub(lambda shown: " " * len(shown.group()), text)


def holds_old(line: str, correction: Correction) -> bool:
    """Tell whether *line* holds a value, or several, that *correction* may exchange."""
    wanted = _of_a_sort(correction.counted) if correction.counted else ""
    return any(
        _may_be_old(one, correction) and (not wanted or _of_a_sort(_next_word(line, one.end)) == wanted)
        for one in values_in(line)
    )


def corrected(line: str, correction: Correction) -> str | None:
    """Return *line* with the value of *correction*; None if in doubt."""
    exchange = _exchanged(line, correction)
    return exchange.text if exchange else None


def _exchanged(line: str, correction: Correction) -> _Exchange | None:
    words = content_words(_without_shown(line))
    if not all(any(_is_form(word, held) for held in words) for word in correction.rest):
        return None
    new, old_is_told = correction.new, correction.old is not None
    if new.sort == "name" and not _table.NAMES.search(line):
        return None
    if correction.before and not old_is_told and correction.before.isdisjoint(words):
        return None  # "Simon changed his flight, he's coming on the 27th" is not said of the hospital bed
    values: Sequence[Value] = _beside_dates(values_in(line), new)
    if correction.counted and new.sort == "number":
        wanted = _of_a_sort(correction.counted)
        counted = [one for one in values if _of_a_sort(_next_word(line, one.end)) == wanted]
        values = counted if counted or not old_is_told else values
    found = [one for one in values if _may_be_old(one, correction)]
    if len(found) != 1 or any(_is_same(one, new) for one in values):
        return None
    (old,) = found
    is_year = _YEAR.fullmatch(old.text) and not correction.counted  # 1900 gross is none
    if is_year or (old.sort == "weekday" and _has_date_near(values, old)):
        return None
    before = line[: old.start]
    day = _WEEKDAY_OF.search(before)
    if old.digits and day and any(one.sort == "weekday" for one in values_in(day.group())):
        before = before[: day.start()] + (
            day["the"] or ""
        )  # of another day of the month it is not the weekday
    told = _put(old, new)
    if told[:1].isdigit() and not old.text[:1].isalpha() and not _ORDINAL.match(told):
        before = _THE.sub("", before)  # "on the 28th", "on 5 December"
    text = before + told + line[old.end :]
    return _Exchange(text, old, len(before), len(before) + len(told))


def _beside_dates(values: Sequence[Value], new: Value) -> Sequence[Value]:
    """Return *values* without what a new date leaves as it is: its month, "on Wednesdays"."""
    if new.sort != "date" or not any(one.sort == "date" for one in values):
        return values
    has_month = _MONTH_IN.search(new.text) is not None
    return [
        one
        for one in values
        if not (one.sort == "weekday" and (_is_each(one.text.lower()) or _is_of_next(one, values)))
        and not (one.sort == "month" and (not has_month or one.text.lower() in new.text.lower()))
    ]


def _is_of_next(weekday: Value, values: Sequence[Value]) -> bool:
    """Tell whether the date of a weekday stands right behind it, and takes it along."""
    return any(0 < one.start - weekday.end <= _BESIDE + 2 for one in values if one.sort == "date")


def _is_each(weekday: str) -> bool:
    return weekday.endswith("s") and weekday[:-1] in _words_for("weekday")


def _has_date_near(values: Sequence[Value], day: Value) -> bool:
    """Tell whether the date of a weekday stands beside it, and would no longer be its date."""
    dates = (one for one in values if one.sort == "date")
    return any(-_FAR < one.start - day.end < _FAR for one in dates)


def _next_word(text: str, at: int) -> str:
    return next(iter(_COUNTED.findall(text[at : at + 40])), "").lower()


def _of_a_sort(noun: str) -> str:
    """Return *noun*, people under one name: "44 people" may be said of "40 guests"."""
    noun = noun.lower()
    return "people" if noun in _table.words("PEOPLE") else stem(noun)


def _is_form(word: str, other: str) -> bool:
    """Tell whether both may be forms of one word: "empiezo", "empieza"."""
    return word == other or (
        len(word) > _BESIDE and word[:-1] == other[: len(word) - 1] and abs(len(word) - len(other)) < 2
    )


def _may_be_old(one: Value, correction: Correction) -> bool:
    new, old = correction.new, correction.old
    if old is None and new.sort == "code":
        return _DIGIT.sub("0", one.text) == _DIGIT.sub("0", new.text)  # SK4612, SK4616
    if old is None:
        return one.sort == new.sort or (one.sort in _OF_DAYS and new.sort in _OF_DAYS)
    if old.sort in ("date", "time") and one.sort not in (old.sort, "weekday") and one.text != old.text:
        return False  # "the 13th, not the 12th" is not said of "Mia is 12"
    return _is_same(one, old)


def _is_same(one: Value, wanted: Value) -> bool:
    if wanted.sort in ("name", "code"):
        return one.text == wanted.text
    if not wanted.digits:
        return one.text.lower() == wanted.text.lower()
    return one.digits in (wanted.digits, f"{wanted.digits}:00")


def _put(old: Value, new: Value) -> str:
    """Return *new* in the form of *old*: "27th" for "26th", "27" for "26", "10:00" for "9:00"."""
    if "code" in (old.sort, new.sort):
        return new.text
    if old.text.endswith(".") and _DAY_AND_MONTH.fullmatch(new.text):
        return f"{new.text}."  # "am 3.12. um 18 Uhr"
    half_day = _HALF_DAY.search(old.text)
    if half_day and new.digits and not _HALF_DAY.search(new.text):
        return new.text + half_day.group()
    figures = (_DAY_FIGURES if old.sort == "date" else _FIGURES).search(old.text)
    is_dated = new.sort == "date" and (_DAY_AND_MONTH.match(new.text) or "月" in new.text)
    is_whole = new.sort == "time" or is_dated or (new.sort == "date" and any(map(str.isspace, new.text)))
    if not new.digits or figures is None or is_whole:
        return new.text
    if old.digits.endswith(":00") and new.digits.isdigit():
        return old.text.replace(old.digits, f"{new.digits}:00")
    ending = figures["ending"] or ""
    if ending:
        last = int(new.digits[-2:])
        ending = "th" if last in (11, 12, 13) else _ENDINGS.get(last % 10, "th")
    return old.text[: figures.start()] + new.digits + ending + old.text[figures.end() :]
