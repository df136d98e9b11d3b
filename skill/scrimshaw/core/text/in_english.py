"""What other languages say of days and hours, put into English words, for readers that know only those.

"Am 28. Juni", "el jueves a las cinco" and 下周三 stand for days and hours that a note tells in other words.
Their phrases (core/text/languages) are put as English has them, then single words, and the rest stays. Only
good for reading the dates and times of a text: everything else in it is looked for as it was said.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache, partial

from scrimshaw.core.text.languages import Language, Phrase, stretches

WEEKDAY_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTH_NAMES = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_NEAR = {0: "today", 1: "tomorrow", -1: "yesterday"}
_HOURS = {"half_past": "half past {}", "quarter_past": "quarter past {}", "quarter_to": "quarter to {}"}
_HOURS |= {"half": "{}:30", "at": "at {}"}
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")


@lru_cache(maxsize=256)
def in_english(text: str) -> str:
    """Return *text*, made `normal`, with its words for days and hours in English, names with a capital."""
    parts = stretches(text, text)
    if all(part.language.name == "en" for part in parts):
        return text
    return "".join(
        said if part.language.name == "en" else _put(said, part.language)
        for part in parts
        for said in [text[part.start : part.end]]
    )


def _put(said: str, language: Language) -> str:
    for key, rule in language.rows("hours"):
        said = rule.sub(partial(_hour, language, key), said)
    parts: list[str] = []
    at = put = 0
    while phrase := language.next_phrase(said, at, len(said)):
        start, end = phrase.match.span()
        at = start + 1
        if english := _english(phrase):
            parts += [_words(said[put:start], language), _spaced(english, language)]
            at = put = end
    return "".join([*parts, _words(said[put:], language)])


def _hour(language: Language, key: str, match: re.Match[str]) -> str:
    hour = language.number(match["n"])
    # "Halb acht" is half an hour before eight.
    return _spaced(_HOURS[key].format((hour - 2) % 12 + 1 if key == "half" else hour), language)


def _spaced(words: str, language: Language) -> str:
    return words if language.is_spaced or not words else f" {words} "


def _words(said: str, language: Language) -> str:
    """Return *said* with its single words for days, seasons, counts and parts of the day in English."""
    table = _table(language)
    if language.is_spaced:
        return _WORD.sub(lambda match: table.get(match.group(), match.group()), said)
    for word in sorted(table, key=len, reverse=True):
        said = said.replace(word, f" {table[word]} ")
    return said


@cache
def _table(language: Language) -> dict[str, str]:
    words = {**language.forms("season"), **language.forms("part")}
    words |= {word: f"{WEEKDAY_NAMES[int(key)]}s" for word, key in language.forms("recurring").items()}
    if language.is_spaced:
        words |= {word: MONTH_NAMES[int(key) - 1] for word, key in language.forms("month").items()}
        words |= {word: "one" if key == "1" else key for word, key in language.forms("count").items()}
        words |= {word: key if word == key else f"{key}s" for word, key in language.forms("unit").items()}
    return words


def _english(p: Phrase) -> str:
    """Return the phrase in English, "" where figures tell it in any language and where it names no day."""
    weekday = WEEKDAY_NAMES[int(p.key("weekday"))] if p["weekday"] else ""
    month = p["month"] or ""
    if month:
        number = int(month) if month.isdecimal() else int(p.key("month"))
        month = MONTH_NAMES[number - 1] if 1 <= number <= len(MONTH_NAMES) else ""
    step = p.key("step") or p.key("step2", "step")
    step = {"past": "last", "coming": "next"}.get(step, step)
    unit = p.key("unit") or p.key("unit2", "unit")
    count = f"{p.language.number(p['n'])} {unit}s" if p["n"] else ""
    match p.kind:
        case "date" if month:
            year = p["year"] or (f"{p.key('which', 'step')} year" if p["which"] else "")
            days = "-".join(str(p.language.number(day)) for day in (p["day"], p["to"]) if day)
            told = f"{weekday} {days} {month} {year}"
        case "near":
            offset = int(p.key("near"))
            told = _NEAR.get(offset) or (f"in {offset} days" if offset > 0 else f"{-offset} days ago")
        case "weekday":
            recurs = "" if step or not p.is_before("recurs", 64) else "s"
            told = f"{step} {weekday}{recurs} {f'in {count}' if count else ''}"
        case "week_day":
            told = f"{weekday} {step} week"
        case "ordinal" if weekday or p.is_after("ordinal_next", 16):
            told = f"{weekday} the {p.language.number(p['day'] or '0')}th"
        case "ahead" | "weeks_on":
            told = f"in {count}"
        case "counted":
            told = f"{count} ago"
        case "period":
            told = f"{step} {unit}"
        case "ending":
            told = f"end of {month}" if month else f"end of {step or 'the'} {unit}"
        case "month":
            told = f"{month} {p['year'] or ''}"
        case _:
            return ""
    part = next((key for form, key in p.language.forms("part").items() if form in p.match.group()), "")
    return " ".join(f"{told} {part}".split())
