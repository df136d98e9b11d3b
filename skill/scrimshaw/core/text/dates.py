"""Dates in people's words, computed from when they were said.

A date is given only where a real one follows from the words: never for "soon" or "recently", never
for what recurs ("every Friday", "on the 25th of each month"), never for a day that hangs on another
event ("the Friday before the cutover"). Where the words allow two readings the likelier one is
given and marked uncertain, so that the phrase stays beside it. A date without a year is the one
that fits the tense of its sentence, else the nearest; a bare day is of the month named
before it. Each sentence is read in its own language (core/text/languages). Knows nothing of
transcripts. Own rules and no library: those tried found dates in "we" and "may".
"""

from __future__ import annotations

import re
from bisect import bisect_left
from datetime import UTC, date, datetime, timedelta
from typing import Literal, NamedTuple

from scrimshaw.core.text.date_grammar import (
    MONTHS,
    MOVED,
    READERS,
    WEEKDAY,
    WEEKDAYS,
    Days,
    Named,
    Utterance,
    is_arranged,
    step_of,
)
from scrimshaw.core.text.languages import ENGLISH, LanguageSpan, Phrase, stretches
from scrimshaw.core.text.normalize import lowered
from scrimshaw.core.text.tense import Leaning, way_of
from scrimshaw.core.text.times import TimeOfDay, find_times
from scrimshaw.core.types import DateRef

Direction = Literal["auto", "future", "past"]


class FoundDate(NamedTuple):
    """A date and where its words stand in the text; *way* is where its sentence looks."""

    ref: DateRef
    start: int
    end: int
    way: Leaning = Leaning()

    def is_ahead(self, today: date) -> bool:
        """Tell whether it is to come; a stretch that has begun only where its sentence looks ahead."""
        if self.ref.start > today:
            return self.way.is_sure or self.ref.certain
        return self.way == Leaning(1) and (self.ref.end or self.ref.start) > today

    def may_be_ahead(self, today: date) -> bool:
        """Tell whether it is read as to come, however unsure."""
        return self.way.side > 0 and self.ref.start > today


# One of them stands in each date of English: a look for them spares most texts the rules.
_HINTS = (
    "day",
    "tonight",
    "tomorrow",
    "tmrw",
    "this ",
    "last night",
    "week",
    "fortnight",
    "year",
    *WEEKDAYS,
    *MONTHS,
)
_NUMERIC = re.compile(r"\d(?:[-/.]\d|st|nd|rd|th)")
_SENTENCE = re.compile(r"[.!?](?=\s)|\n")
# "Sunday week, so the 29th", "tomorrow, Tuesday", "Thursday (19 November)"
_SAME = re.compile(
    r"\s*[,(=–—-]?\s*(?:\b(?:so|i\.?e\.?|that\s+is|that['’]s|meaning|which\s+is|also|das\s+ist|es\s+decir|o\s+sea|soit"
    r"|cioè|ou\s+seja|(?:q|que)\s+(?:es|cae(?:\s+en)?|é|cai)|qui\s+est|che\s+è),?\s+)?(?:\b(?:on|am|dem|den|el|le|il|dia|día)\b\s*)?(?:\bthe\s+)?"
)
_NAMED = re.compile(rf"\s*[,(]\s*a\s+({WEEKDAY})\b")
_LISTED = re.compile(r"\s*(?:,|,?\s+(?:and|or|und|oder|y|o|et|ou|e)\b|&|/|[和与及、と])\s*")
_LISTS = re.compile(rf"\s*,?\s*(?:(?:and|or|und|oder|y|o|et|ou|e)\b|&|{WEEKDAY}\b)")
_FULL = re.compile(r"\d{4}")  # nothing is added to a full date
_RETURN = re.compile(
    r"\b(?:back|returns?|returning|after|zurück|vuelv\w+|volv\w+|de vuelta|rentr\w+|retour|volt\w+|de volta"
    r"|torn\w+)\b|[回戻帰]"
)
_JOIN = re.compile(
    r"\s*(?:[-–—~～〜]|,?\s*\b(?:to|till|until|through|thru|up to|bis(?:\s+zum)?|al?|hasta(?:\s+el)?|au"
    r"|jusqu'au|até(?:\s+(?:a|à|ao|o))?|à|fino\s+al?)\b|到|至|から)\s*(?:the\s+)?$"
)
_GOES_ON = re.compile(
    rf"(?:{_LISTED.pattern})"
    rf"|(?:\s+(?:after|before)\s+\w+|\s+(?:morning|afternoon|evening|night))?(?:{_JOIN.pattern})"
)
# Where a bare day belongs to a month that is named before it: "in December, on the 8th", "12月，8号".
_BESIDE = re.compile(
    r"\s*[,(，、–—-]?\s*(?:\b(?:on|am|dem|den|el|il|l['’]|dia|día)(?:\b|(?<=['’]))\s*)?(?:\bthe\s+)?の?"
)
_CLAUSE = re.compile(r"[,;:()–—，、；]|\b(?:and|but|so|und|aber|y|et|mais|e|ma|mas)\b")
_OWN_SUBJECT = re.compile(r"[;；]|\b(?:i|we|you|he|she|they|ich|wir|er|sie|je|j|elle|nous|ils)\b")
_OTHER_SUBJECT = re.compile(
    r"(?:,|\b(?:and|but))\s+(?:the|my|our|his|her|their|your|its)\s+[^\W\d]+\s+"
    r"(?:(?!is\b)[^\W\d]+(?:s|ed)|is|are|was|were|will|can|must|should|came|went)\s"
)
_DUE = re.compile(r"\b(?:by|before|bis|spätestens|hasta|antes|até|entro|avant|d['’]ici)\b")
_MONTH_ENDS = re.compile(r"(?<!\d)[.!?](?=\s)|[。！？\n]")
_MOVED_TO = re.compile(r"に(?:変更|延期|移|なり|なっ)")
_BETWEEN = re.compile(r"\bbetween\s+(?:the\s+)?$")
_AT = (
    r"at|from|around|about|um|by|before|after|until|till|gegen|ab|von|a\s+las?|a\s+eso\s+de\s+las|desde\s+las|à|vers|dès"
    r"|às|pelas|alle(?:\s+ore)?|verso\s+le|dalle|entro\s+le|ore"
)
_AT_AFTER = re.compile(rf"(?:,?\s*(?:\b(?:{_AT})|@|t|[のはに的])?\s*|,?\s*\([^)]{{0,12}}\)\s*)")
_SPAN = re.compile(r"\s*(?:[-–—]|\b(?:to|till|until)\b)\s*")  # "11:00-11:45 on Tuesday"
_AT_BEFORE = re.compile(r",?\s*(?:(?:on|of|am|el|del|le|il|na|no|da|do)\s+)?(?:the\s+)?")
# The minutes that are told behind the hour: "alle 17 e 30", "a las 17 y media", "18h moins le quart".
_COUNTS = r"(?!\s*(?:[€%]|euro|person|pessoas|minut|giorni|anni))"
_MINUTES = re.compile(
    rf" (?:[ey] (?P<minute>[0-5][05])\b{_COUNTS}|(?:(?:e|y|et) )(?:(?P<half>mezz[ao]|medi[ao]|meia|demie?)"
    r"|(?:un )?(?P<quarter>[qc]uart[oa]?)|(?P<three>tre quarti))\b"
    r"|(?P<to>menos|meno|moins) (?:le |un )?[qc]uarto?\b)"
)
# "Sunday is the 15th of March" says what day the date is.
_IS = re.compile(r"(?:\s+(?:is|falls\s+on|ist|es|est|è|é)|['’]s)\s+(?:(?:on|am|der|el|le|il)\s+)?(?:the\s+)?")
_OF_LIST = re.compile(
    r"(?:the|on|and|or|und|oder|y|o|et|ou|e|el|le|il|l|am|dem|den|der|dia|día|\d\d?(?:st|nd|rd|th)?)"
)
_TOKEN = re.compile(r"[^\W_]+")
# The old day of "moved from Monday 16 to Wednesday 18"; "von … auf", "de … para" say as much without a verb.
_FROM_DAY = re.compile(r"\b(?:from|vo[nm]|de[li]?|du|da[li]?)\s+(?:the\s+|dem\s+|l['’])?$")
_TO_DAY = re.compile(r"\.?,?\s+(?:to|auf|zum|al?|alla|au|à|para|pour)\s+(?:the\s+|den\s+|o\s+)?")
_ONTO_DAY = re.compile(r"\.?,?\s+(?:auf|para)\s")
# Who was born on a day without a year was not born in the year that is near.
_BORN = re.compile(r"\b(?:born|geboren|nací|nació|nacimos|née?s?|nasc\w+|nat[oaie]\s+il)\b|生于|出生|生まれ")
_NEAR_CHARS = 50  # a time further away belongs to something else
_MOST_BETWEEN = 24  # characters between two phrases that belong together
_FAR = timedelta(270)
_FEAST_BEFORE, _FEAST_BEHIND = 120, 40  # characters; the feast that a bare day belongs to stands as near
_NEW_YEAR = 7  # a day before it, about Christmas, is of January
# A day that is a sentence of its own: "Dad had a fall. Thursday."
_ALONE_BEFORE = re.compile(r"[.!…。！]\s*(?:(?:on|am|den|el|le|il|na|no|o)\s+)?$")
_ALONE_AFTER = re.compile(r"\s*(?:[.!…。！]|$)")
_FOR = re.compile(r"\b(?:for|of|from|für|von|vom|de|del|pour|para|per|di) $")
_SOME_DAY = datetime(2000, 1, 1, tzinfo=UTC)
_DAY_BEGINS = 4  # o'clock, for who is still up
_SHORTEST_MONTH = 27  # days and less are no month
_BARE = frozenset({"ordinal", "day"})
_WORD = re.compile(r"[^\W\d_]{4}")
_PLACED = frozenset({"iso", "near", "week_day", "counted"})
_OF_WEEK = frozenset({"weekday", "week_day"})
_BY_DATE = frozenset({"iso", "date", "dotted", "slashed", "ordinal", "day"})
_BY_COUNT = frozenset({"near", "ahead", "counted", "weeks_on"})


def names_day(text: str) -> bool:
    """Tell whether *text* names a day or an hour; which, depends on when it was said."""
    return bool(find_dates(text, _SOME_DAY))


def find_dates(
    text: str,
    said_at: datetime,
    *,
    prefer: Direction = "auto",
    is_english: bool = False,
    amid: str = "",
) -> list[FoundDate]:
    """Return the dates that *text* names, in order of appearance, each with the span of its words.

    *said_at* is when it was said, in the reader's zone; days are counted from its local date.
    *prefer* overrides the tense of the sentence for dates that could lie on either side; *is_english*
    says that the words for days are of English, whatever stands around them (core/text/in_english). *amid*
    is the whole that *text* was said in: a feast named there says of which month a bare day is.
    """
    lower = lowered(text)
    parts = (LanguageSpan(0, len(lower), ENGLISH),) if is_english else stretches(text, lower)
    has_hint = any(map(lower.__contains__, _HINTS)) or _NUMERIC.search(lower) is not None
    if not has_hint and all(part.language is ENGLISH for part in parts):
        return []
    found: list[FoundDate] = []
    rules: list[str] = []
    for part in parts:
        _read(text, lower, part, said_at, prefer, found, rules, amid)
    return _with_times(text, lower, _joined(text, lower, found)) if found else []


def _read(
    text: str,
    lower: str,
    part: LanguageSpan,
    said_at: datetime,
    prefer: Direction,
    found: list[FoundDate],
    rules: list[str],
    amid: str,
) -> None:
    """Add to *found* the dates of one part of the text, and to *rules* by which rule each was read."""
    position, refused, arranged = part.start, 0, 0  # ends of weekdays that are of no one date
    month: FoundDate | None = None  # the last that names one
    while phrase := part.language.next_phrase(lower, position, part.end):
        match = phrase.match
        try:
            way = _way(text, lower, phrase, prefer)
            named = _named(lower, phrase, month, found) if month and phrase.kind in _BARE else None
            days = _days(text, phrase, said_at, way, named)
            if days and named is None and phrase.kind in _BARE:
                days = _of_feast(lowered(amid) or lower, phrase, days, said_at.date(), way)
        except (ValueError, OverflowError):  # the 31st of November, the year 10000
            position = match.end()
            continue
        rule = phrase.kind
        is_weekday = rule == "weekday"
        if days is None or (is_weekday and _is_refused(lower, phrase, refused, arranged)):
            refused = match.end() if is_weekday else 0
            arranged = refused if is_weekday and is_arranged(phrase) else arranged
            position = match.start() + 1  # a date may still begin inside words that meant something else
            continue
        position = match.end()
        if rule in _BY_DATE and _is_told_of(lower, phrase, found, rules):
            told = found.pop()
            rules.pop()
            days = days._replace(certain=days.certain and told.ref.start.weekday() == days.start.weekday())
        if rule == "date" and (month is None or _MONTH_ENDS.search(lower, month.end, match.start())):
            _list_in_month(lower, phrase, days, found, rules)
        item = _item(text, lower, phrase, _after_last(lower, phrase, days, found), way, said_at)
        if named and named.is_beside and days.start.replace(day=1) == named.month:
            start = found[-1].start
            whole = item.ref._replace(phrase=text[start:position])
            found[-1], rules[-1] = item._replace(ref=whole, start=start), rule
            continue
        if _names_month(phrase, days):
            month = item
        if found and (same := _said_again(text, lower, found[-1], item, rules[-1], rule)):
            found[-1:], rules[-1:] = same, [rules[-1], rule][-len(same) :]
            continue
        if found and rule in _BY_DATE and rules[-1] in _BY_DATE:
            found[-1] = _of_same_year(lower, found[-1], item)
        if found and rule == rules[-1] == "month":
            found[-1] = _in_order(lower, found[-1], item)
        found.append(item)
        rules.append(rule)


def _of_feast(lower: str, phrase: Phrase, days: Days, today: date, way: Leaning) -> Days:
    """Read a bare day as of the feast named near it, in doubt: "xmas at Neil's, back on the 27th"."""
    at = lower.find(phrase.match.group(), phrase.match.start() if lower is phrase.match.string else 0)
    if phrase["weekday"] or at < 0 or way.side < 0:
        return days
    before, behind = lower[max(0, at - _FEAST_BEFORE) : at], lower[at : at + _FEAST_BEHIND]
    own = max((stop.end() for stop in _MONTH_ENDS.finditer(before)), default=0)
    own_end = _MONTH_ENDS.search(behind)
    sentence = before[own:] + behind[: own_end.start() if own_end else len(behind)]
    # "Christmas is sorted. Dentist on the 27th" is another matter; who comes back then was there for it.
    is_of_before = _RETURN.search(sentence) or not _WORD.search(sentence)  # "23rd to the 28th."
    near = before + behind if is_of_before else sentence
    feasts = phrase.language.rows("feasts")
    months = next((key.split("-") for key, feast in feasts if feast.search(near)), [])
    day = days.start.day
    if not months or str(days.start.month) in months:
        return days
    month = int(months[-1] if months[0] == "12" and day < _NEW_YEAR else months[0])
    first = date(today.year + (month < today.month), month, 1)
    if (first.month, day) < (today.month, today.day):
        first = first.replace(year=today.year + 1)
    return Days(first.replace(day=day), certain=False)


def _is_told_of(lower: str, phrase: Phrase, found: list[FoundDate], rules: list[str]) -> bool:
    """Tell whether a date says which day the weekday before it is: "Sunday is the 15th of March"."""
    if not found or rules[-1] != "weekday" or " " in found[-1].ref.phrase:
        return False
    return _IS.fullmatch(lower, found[-1].end, phrase.match.start()) is not None


def _list_in_month(lower: str, phrase: Phrase, days: Days, found: list[FoundDate], rules: list[str]) -> None:
    """Read bare days listed before a date as of its month: "on the 4th or the 11th of April"."""
    begin, after = phrase.match.start(), days.start
    for at in range(len(found) - 1, -1, -1):
        one, gap = found[at], lower[found[at].end : begin]
        is_listed = len(gap) <= _MOST_BETWEEN and _LISTED.search(gap) is not None
        if rules[at] not in _BARE or one.ref.end or not is_listed:
            return
        if not all(map(_OF_LIST.fullmatch, _TOKEN.findall(gap))):
            return
        is_in_order = one.ref.start.day < after.day
        start = after.replace(day=one.ref.start.day) if is_in_order else one.ref.start
        ref = one.ref._replace(start=start, certain=is_in_order and days.certain)
        found[at] = one._replace(ref=ref, way=one.way._replace(is_sure=is_in_order and one.way.is_sure))
        begin, after = one.start, start


def _is_refused(lower: str, phrase: Phrase, refused: int, arranged: int) -> bool:
    """Tell whether a weekday shares the fate of one before it: "closed on Monday and Tuesday"."""
    start = phrase.match.start()
    if arranged and not step_of(phrase) and not _SENTENCE.search(lower, arranged, start):
        return True  # "tutoring moved to Wednesday, because of a lecture on Monday"
    is_near = refused > 0 and start - refused <= _MOST_BETWEEN
    return is_near and _GOES_ON.fullmatch(lower, refused, start) is not None


def _item(text: str, lower: str, phrase: Phrase, days: Days, way: Leaning, said_at: datetime) -> FoundDate:
    """Return *days* as a date, in doubt where what stands around the phrase gives reason for it."""
    start, end = phrase.match.span()
    is_far = phrase.kind == "month" and days.start - said_at.date() > _FAR
    if (
        is_far
        and not _FULL.search(phrase.match.group())
        and _FOR.search(lower, max(0, start - _NEAR_CHARS), start)
    ):
        # "The accounts for October", said in November: more likely the last.
        days = days._replace(certain=False)
    if phrase.kind in _BY_DATE and (named := _NAMED.match(lower, end)):
        days = days._replace(certain=days.certain and f"{days.start:%a}".lower() == named[1][:3])
    return FoundDate(DateRef(days.start, days.end, None, text[start:end], days.certain), start, end, way)


def looking_ahead(ref: DateRef | None, text: str, said_at: datetime) -> DateRef | None:
    """Return the date of an open item: one in doubt that would lie before it was said is read as to come."""
    if ref is None or ref.certain or (ref.end or ref.start) >= said_at.date():
        return ref
    read = (found.ref for found in find_dates(text, said_at, prefer="future"))
    return next((one._replace(certain=False) for one in read if one.phrase == ref.phrase), ref)


def _of_same_year(lower: str, first: FoundDate, second: FoundDate) -> FoundDate:
    """Return *first* in the year that only *second* names: "1 Nov to 15 Nov 2023"."""
    if _FULL.search(first.ref.phrase) or not _FULL.search(second.ref.phrase) or first.ref.end:
        return first
    between = lower[first.end : second.start]
    if len(between) > _MOST_BETWEEN:
        return first
    if _JOIN.fullmatch(between) is None and _LISTED.fullmatch(between) is None:
        return first
    month, day = first.ref.start.month, first.ref.start.day
    year = second.ref.start.year
    if (month, day) > (second.ref.start.month, second.ref.start.day):
        year -= 1
    if (month, day) == (2, 29):
        return first._replace(ref=first.ref._replace(certain=False))
    return first._replace(ref=first.ref._replace(start=date(year, month, day), certain=True))


def _in_order(lower: str, first: FoundDate, second: FoundDate) -> FoundDate:
    """Return the month *first*, not behind the one up to which it goes: "January to June"."""
    if first.ref.start < second.ref.start or _JOIN.fullmatch(lower, first.end, second.start) is None:
        return first
    if _FULL.search(first.ref.phrase) or first.ref.end is None:
        return first
    start, end = (day.replace(year=second.ref.start.year, day=1) for day in (first.ref.start, first.ref.end))
    if start > second.ref.start:
        start, end = (day.replace(year=day.year - 1) for day in (start, end))
    end = (end + timedelta(31)).replace(day=1) - timedelta(1)
    return first._replace(ref=first.ref._replace(start=start, end=end))


def _said_again(
    text: str, lower: str, first: FoundDate, second: FoundDate, first_rule: str, second_rule: str
) -> list[FoundDate]:
    """Return as one date what says a day in two ways, both in doubt where they disagree; [] for two days."""
    kinds = [
        next((kind for kind in (_OF_WEEK, _BY_DATE, _BY_COUNT) if rule in kind), None)
        for rule in (first_rule, second_rule)
    ]
    if None in kinds or kinds[0] == kinds[1] or first.ref.end or second.ref.end:
        return []
    gap = lower[first.end : second.start]
    if len(gap) > _MOST_BETWEEN:
        return []
    is_alone = gap == ". " and _ALONE_AFTER.match(lower, second.end) is not None
    if not (is_alone or _SAME.fullmatch(gap)) or _FULL.search(first.ref.phrase):
        return []
    dated = second if kinds[1] is _BY_DATE or kinds[0] is _OF_WEEK else first
    other = first if dated is second else second
    is_bare = " " not in other.ref.phrase  # "28 November, Saturday" is not this week's
    is_open = is_bare or not other.ref.certain
    if is_open and not dated.ref.certain and dated.ref.start < other.ref.start:
        dated = _of_the_year(dated, other.ref.start.weekday())
    is_open = is_open and other.ref.start.weekday() == dated.ref.start.weekday()
    if dated.ref.start == other.ref.start or is_open:
        ref = dated.ref._replace(phrase=text[first.start : second.end], certain=True)
        return [dated._replace(ref=ref, start=first.start, end=second.end)]
    if _LISTS.match(lower, second.end):
        return []
    return [one._replace(ref=one.ref._replace(certain=False)) for one in (first, second)]


def _of_the_year(past: FoundDate, weekday: int) -> FoundDate:
    """Return *past*, told without its year, in the year after if it is that *weekday* only there."""
    start = past.ref.start
    if start.weekday() == weekday or (start.month, start.day) == (2, 29):
        return past
    after = start.replace(year=start.year + 1)
    return past._replace(ref=past.ref._replace(start=after)) if after.weekday() == weekday else past


def _days(text: str, phrase: Phrase, said_at: datetime, way: Leaning, named: Named | None) -> Days | None:
    if phrase["month"] is None and phrase.is_after("not_this", 24):
        return None
    is_night = said_at.hour < _DAY_BEGINS
    said = Utterance(text, said_at.date(), way.side, way.is_sure, is_night, named)
    return READERS[phrase.kind](phrase, said)


def _names_month(phrase: Phrase, days: Days) -> bool:
    if phrase.kind == "period":
        return days.start.day == 1 and days.end == (days.start + timedelta(31)).replace(day=1) - timedelta(1)
    return phrase["month"] is not None or phrase.kind == "slashed"


def _named(lower: str, phrase: Phrase, month: FoundDate, found: list[FoundDate]) -> Named | None:
    """Return the month named before a bare day in its sentence; not clear where a clause has the day."""
    at = phrase.match.start()
    if _MONTH_ENDS.search(lower, month.end, at):
        return None
    ref, last = month.ref, found[-1]
    is_whole = ref.end is not None and ref.start.day == 1 and ref.end.day > _SHORTEST_MONTH
    between = lower[last.end : at].lstrip(" ,")
    *_, tail = _CLAUSE.split(between)
    is_alone = is_whole and last is month  # no day of it has been named
    is_beside = is_alone and _BESIDE.fullmatch(lower, last.end, at) is not None
    if is_beside or _BESIDE.fullmatch(tail):
        is_clear = True
    elif tail == between:
        is_clear = not (is_alone and _DUE.search(between))
    else:
        is_clear = not is_alone and len(between) <= _MOST_BETWEEN and not _OWN_SUBJECT.search(between)
        is_clear = is_clear and not _OTHER_SUBJECT.search(lower, last.end, at)
    if not is_whole and phrase.language.number(phrase["day"] or "") < ref.start.day:
        # "From 28 December to the 3rd" goes on; "moved from the one to the other" may go back.
        is_moved = MOVED.search(lower, max(0, last.start - 60), last.start) is not None
        is_clear = not is_moved and _JOIN.fullmatch(between) is not None
    first = ref.start.replace(day=1)
    return Named(first, 0 if is_whole else ref.start.day, ref.certain, is_clear, is_beside)


def _way(text: str, lower: str, phrase: Phrase, prefer: Direction) -> Leaning:
    if prefer != "auto":
        return Leaning(1 if prefer == "future" else -1)
    # "Booked it next Friday": what the words place is not placed by the verb.
    is_placed = phrase.kind in _PLACED or (phrase.kind == "weekday" and step_of(phrase) not in ("", "this"))
    start, end = phrase.match.span()
    way = Leaning() if is_placed else way_of(phrase.language, text, lower, start, end)
    alone = _ALONE_BEFORE.search(lower, max(0, start - _MOST_BETWEEN), start)
    if alone and phrase.kind == "weekday" and way == Leaning() and _ALONE_AFTER.match(lower, end):
        # "Had a fall. Thursday" was, "got a day off. Thursday" comes.
        told = way_of(phrase.language, text, lower, alone.start(), alone.start())
        way = Leaning(1, is_sure=False) if told.side < 0 else way
    is_birth = phrase.kind in _BY_DATE and _BORN.search(lower, max(0, start - _NEAR_CHARS), end + _NEAR_CHARS)
    if phrase.kind == "ordinal" and _FROM_DAY.search(lower, max(0, start - _NEAR_CHARS), start):
        is_new_next = _TO_DAY.match(lower, end) is not None
        if is_new_next and (_ONTO_DAY.match(lower, end) or MOVED.search(lower, max(0, start - 60), start)):
            return Leaning(0, is_sure=False)
        if is_new_next and phrase.is_before("since", 24):
            return Leaning()  # "da lunedì 16 a mercoledì 18" is no "since"
    return way._replace(is_sure=False) if is_birth else way


def _after_last(lower: str, phrase: Phrase, days: Days, found: list[FoundDate]) -> Days:
    """Read a bare weekday from the date or the week named before it: "there next Tuesday, back Thursday"."""
    match = phrase.match
    if (
        phrase.kind != "weekday"
        or any(phrase[slot] for slot in ("step", "step2", "of", "later", "n"))
        or not found
        or _SENTENCE.search(lower, found[-1].end, match.start())
    ):
        return days
    last = found[-1].ref
    is_week = last.start.weekday() == 0 and last.end == last.start + timedelta(6)
    if is_week and not _RETURN.search(lower, found[-1].end, match.start()):
        return Days(last.start + timedelta((days.start - last.start).days % 7))  # "this week: Tuesday …"
    anchor = last.end or last.start
    between = lower[found[-1].end : match.start()]
    if (
        _JOIN.fullmatch(between)
        and MOVED.search(lower, max(0, found[-1].start - 60), found[-1].start) is None
    ):
        return Days(anchor + timedelta((days.start - anchor).days % 7 or 7), certain=last.certain)
    if days.start >= anchor or (anchor - days.start).days > 6:
        return days
    # "The essay on Thursday and the permit on Tuesday" may go back: two bare days need not be in order.
    is_sure = last.certain and (" " in last.phrase or _RETURN.search(between) is not None)
    return Days(anchor + timedelta((days.start - anchor).days % 7 or 7), certain=is_sure)


def _joined(text: str, lower: str, found: list[FoundDate]) -> list[FoundDate]:
    """Put "from X till Y" together; "moved from X to Y" stays two dates."""
    joined: list[FoundDate] = []
    for item in found:
        last = joined[-1] if joined else None
        if last is not None and _is_range(lower, last, item):
            ref = last.ref._replace(
                end=item.ref.end or item.ref.start,
                phrase=text[last.start : item.end],
                certain=last.ref.certain and item.ref.certain,
            )
            joined[-1] = last._replace(ref=ref, end=item.end)
        else:
            joined.append(item)
    return joined


def _is_range(lower: str, first: FoundDate, second: FoundDate) -> bool:
    if first.ref.end is not None or second.ref.start <= first.ref.start:
        return False
    before, between = lower[max(0, first.start - 60) : first.start], lower[first.end : second.start]
    if _BETWEEN.search(before) and between.strip() in ("and", "and the"):
        return True
    if _JOIN.fullmatch(between) is None or _MOVED_TO.match(lower, second.end):
        return False
    return MOVED.search(before) is None


def _with_times(text: str, lower: str, found: list[FoundDate]) -> list[FoundDate]:
    # "Midnight on Friday" is where Friday begins for some, and where it ends for others.
    times = [
        _to_the_minute(lower, time) for time in find_times(text) if lower[time.start : time.end] != "midnight"
    ]
    if not times:
        return found
    starts = [time.start for time in times]
    timed = []
    for number, item in enumerate(found):
        near = times[
            bisect_left(starts, item.start - _NEAR_CHARS) : bisect_left(starts, item.end + _NEAR_CHARS)
        ]
        timed.append(_timed(text, lower, item, found[max(0, number - 1) : number + 2], near))
    return timed


def _to_the_minute(lower: str, time: TimeOfDay) -> TimeOfDay:
    """Return *time* with the minutes that are told behind it: "alle 17 e 30"."""
    told = _MINUTES.match(lower, time.end) if time.text.endswith(":00") else None
    if told is None or ":" in lower[time.start : time.end]:
        return time
    hour, minute = int(time.text[:2]), told["minute"]
    if told["to"]:
        return TimeOfDay(f"{(hour - 1) % 24:02d}:45", time.start, told.end())
    minute = minute or ("30" if told["half"] else "15" if told["quarter"] else "45")
    return TimeOfDay(f"{hour:02d}:{minute}", time.start, told.end())


def _timed(
    text: str, lower: str, item: FoundDate, found: list[FoundDate], times: list[TimeOfDay]
) -> FoundDate:
    """Give *item* the time beside it, or the only "at" time of its clause."""
    for time in times:
        if (
            time.start >= item.end
            and _AT_AFTER.fullmatch(lower[item.end : time.start])
            and not any(o.start < time.end <= o.end for o in found)
        ):
            ref = item.ref._replace(time=time.text, phrase=text[item.start : time.end])
            return item._replace(ref=ref, end=time.end)
        if time.end <= item.start and _AT_BEFORE.fullmatch(lower[time.end : item.start]):
            first = next((t for t in times if _SPAN.fullmatch(lower[t.end : time.start])), time)
            ref = item.ref._replace(time=first.text, phrase=text[first.start : item.end])
            return item._replace(ref=ref, start=first.start)
    for time in times:
        gap = lower[item.end : time.start]
        alone = not any(o is not item and item.end <= o.start <= time.start for o in found)
        if (
            item.end < time.start
            and len(gap) < _NEAR_CHARS
            and alone
            and re.search(r"\bat\s$", gap)
            and not re.search(r"[.!?;\n]", gap)
        ):
            return item._replace(ref=item.ref._replace(time=time.text))
    return item
