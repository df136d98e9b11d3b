"""A statement taken apart for comparing: what it is about, its values by sort, of whom it tells.

Values are figures, days and hours; the rest of its words are compared by their beginnings, and by a table of
words for the same (data/contradictions.txt). Word order is kept: a value stands at the end of what it is of.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache, lru_cache
from typing import NamedTuple

from scrimshaw.core.extraction.change_features import NOTED_DATE, fold
from scrimshaw.core.language import PatternTable
from scrimshaw.core.ledger.known_lines import stem
from scrimshaw.data import lines

table = PatternTable("contradictions")
_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*(?:st|nd|rd|th)?\b|[^\W_]+(?:[’'./-][^\W_]+)*|[%€$£]")
_MOST_CHARS, _MOST_WORDS = 300, 40
_ONE_WORD = re.compile(r"\b(only|hijo|left|right|can't) (child|único|handed|stand)\b", re.IGNORECASE)
_HOUR = re.compile(r"\d{1,2}[:.]\d\d")
_DATE_SUFFIX = re.compile(r"(?:st|nd|rd|th)$")
_SELF = frozenset(
    "i i'm i've i'll we we've we're my our me ich wir mein meine meinen unser unsere mir yo mi mis me nos "
    "nuestro nuestra je mon ma nous notre".split()
)
_SELF_ENDING = re.compile(
    r"^(?:no |ya no |ya )?(?:me |nos )?(?:\w+[^\Waeiou\d]o|soy|estoy|voy|dej[eé]|he|hemos|\w+amos|\w+emos)\b",
    re.IGNORECASE,
)


class Sort(StrEnum):
    """What sort a value is of."""

    FIGURE = "figure"
    DAY = "day"  # of the year
    WEEKDAY = "weekday"
    HOUR = "hour"


class Word(NamedTuple):
    """One word that carries matter."""

    text: str  # folded, one for words of the same meaning
    at: int
    is_name: bool  # written with a capital within a sentence


class Told(NamedTuple):
    """A statement taken apart."""

    text: str
    lower: str
    tokens: tuple[str, ...]  # folded
    words: tuple[Word, ...]  # of matter, in order
    values: dict[Sort, frozenset[str]]
    value_at: dict[Sort, int]
    negated: bool
    is_own: bool  # somebody tells of themselves

    @property
    def matter(self) -> frozenset[str]:
        return frozenset(word.text for word in self.words)


@cache
def _rows(group: str) -> dict[str, str]:
    """Return of each word of a row of *group* the first of the row."""
    return {word: row.split()[0] for row in lines("contradictions", group) for word in row.split()}


@cache
def _set(group: str) -> frozenset[str]:
    return table.words(group.upper())


def is_of(group: str, word: str) -> bool:
    """Tell whether the folded *word* is one of *group*."""
    return word in _set(group)


@lru_cache(maxsize=4096)
def taken_apart(text: str) -> Told:
    """Return *text* taken apart; what is beyond 300 characters or forty words is left out."""
    bare = _ONE_WORD.sub(r"\1-\2", NOTED_DATE.sub("", text)[:_MOST_CHARS].replace("’", "'"))
    tokens: list[str] = []
    words: list[Word] = []
    values: dict[Sort, set[str]] = {}
    first_at: dict[Sort, int] = {}
    negated = False
    months, weekdays, numbers = _rows("months"), _rows("weekdays"), _rows("numbers")
    hits = list(_TOKEN.finditer(bare))[:_MOST_WORDS]
    raw = [hit.group() for hit in hits]
    lowered = [fold(word.removesuffix("'s")) for word in raw]
    begins = True
    for at, (hit, word) in enumerate(zip(hits, lowered, strict=True)):
        tokens.append(word)
        sort, value = _value(at, raw, lowered, months, weekdays, numbers, bare[hit.end() : hit.end() + 1])
        if value is not None and sort is not None:
            if value:
                values.setdefault(sort, set()).add(value)
                first_at.setdefault(sort, at)
        elif is_of("negations", word) or word.endswith("n't"):
            negated = True
        elif _is_letter(raw, at) or (not is_of("light", word) and len(word) > 1):
            is_name = raw[at][:1].isupper() and not begins
            same = _rows("same")
            words.append(Word(same.get(word) or same.get(stem(word), word), at, is_name))
        begins = bare[hit.end() : hit.end() + 2] in (". ", "! ", ": ")
    is_own = any(token in _SELF for token in tokens[:6]) or bool(_SELF_ENDING.match(bare))
    return Told(
        bare,
        bare.lower(),
        tuple(tokens),
        tuple(words),
        {sort: frozenset(found) for sort, found in values.items()},
        first_at,
        negated,
        is_own,
    )


def _is_letter(raw: list[str], at: int) -> bool:
    """Tell whether a word is the letter of a name: server A."""
    return at > 0 and len(raw[at]) == 1 and raw[at].isupper() and raw[at - 1][:1].isupper()


def _value(
    at: int,
    raw: list[str],
    tokens: list[str],
    months: dict[str, str],
    weekdays: dict[str, str],
    numbers: dict[str, str],
    behind: str,
) -> tuple[Sort | None, str | None]:
    """Return the sort and value of a token; a value of "" belongs to that of another token."""
    word = tokens[at]
    if word in weekdays:
        return Sort.WEEKDAY, weekdays[word]
    day = _DATE_SUFFIX.sub("", word)
    around = [tokens[one] for one in (at - 2, at - 1, at + 1, at + 2) if 0 <= one < len(tokens)]
    if word in months and (word != "may" or raw[at][0].isupper()):
        return Sort.DAY, months[word]
    if day.isdigit() and len(day) <= 2:
        near = [tokens[one] for one in (at - 1, at + 1) if 0 <= one < len(tokens)]
        is_dated = any(one in months for one in near) or (
            any(one in months for one in around) and any(one in ("of", "de") for one in near)
        )
        if is_dated or word != day or (behind == "." and at + 1 < len(tokens)):
            return Sort.DAY, str(int(day))
        if any(one in ("am", "pm", "uhr") for one in near):
            return Sort.HOUR, day
    if _HOUR.fullmatch(word):
        return Sort.HOUR, word
    if word in numbers and not (word in ("one", "un", "uno", "six") and at == 0):
        return Sort.FIGURE, numbers[word]
    if word[:1].isdigit():
        return Sort.FIGURE, word.rstrip(".,")
    return None, None
