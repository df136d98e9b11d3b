"""A statement taken apart for comparing: what it is about, its values by sort, of whom it tells.

Values are figures, days and hours; the rest of its words are compared by their beginnings, and by a table of
words for the same (data/contradictions.txt). Word order is kept: a value stands at the end of what it is of.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache, lru_cache
from itertools import islice
from typing import NamedTuple

from scrimshaw.core.extraction.change_features import NOTED_DATE, fold
from scrimshaw.core.language import PatternTable
from scrimshaw.core.ledger.known_lines import stem
from scrimshaw.data import lines

table = PatternTable("contradictions")
_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*(?:st|nd|rd|th)?\b|[^\W_]+(?:[’'./-][^\W_]+)*|[%€$£]")
_MOST_CHARS, _MOST_WORDS = 300, 40
_ONE_WORD = re.compile(r"\b(only|hijo|left|right|can't) (child|único|handed|stand)\b", re.IGNORECASE)
_SECOND_OF_ONE = re.compile(r" (?:child|único|handed|stand)\b", re.IGNORECASE)  # quick to look for
_KEY_CHARS = 7
_HOUR = re.compile(r"\d{1,2}[:.]\d\d")
_DATE_SUFFIX = re.compile(r"(?:st|nd|rd|th)$")
_SELF = table.words("SELF")
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


Side = tuple[int, int]  # the row of a pair of opposites, and which of the two


_NO_SIDES: frozenset[Side] = frozenset()


class ParsedStatement(NamedTuple):
    """A statement taken apart."""

    text: str
    tokens: tuple[str, ...]  # folded
    words: tuple[Word, ...]  # of matter, in order
    values: dict[Sort, frozenset[str]]
    negated: bool
    is_own: bool  # somebody tells of themselves
    matter: frozenset[str]  # of its words
    keys: frozenset[str]  # of its words: the beginnings of their stems
    opposed: frozenset[Side]  # what it names of what excludes something else


def written(group: str) -> tuple[str, ...]:
    """Return the rows of *group* as they are written."""
    return lines("contradictions", group.lower())


@cache
def _rows(group: str) -> dict[str, str]:
    """Return of each word of a row of *group* the first of the row."""
    return {word: row.split()[0] for row in written(group) for word in row.split()}


@cache
def _set(group: str) -> frozenset[str]:
    return table.words(group)


def is_of(group: str, word: str) -> bool:
    """Tell whether the folded *word* is one of *group*."""
    return word in _set(group)


class _Look(NamedTuple):
    """What a word is by itself, wherever it stands."""

    folded: str
    matter: str  # one for words of the same meaning; "" for a word that carries none
    is_denial: bool
    weekday: str
    month: str
    number: str
    may_be_value: bool
    sides: frozenset[Side]
    key: str  # the beginning of its stem


@cache
def opposites() -> tuple[tuple[str, str], ...]:
    """Return the pairs of opposites as they are written; "!" before one that excludes by being denied."""
    return tuple((left, right) for left, _, right in (row.partition("|") for row in written("OPPOSED")))


@cache
def _sides() -> dict[str, frozenset[Side]]:
    """Return of each word of a pair of opposites which pair and side it is of."""
    found: dict[str, set[Side]] = {}
    for at, row in enumerate(opposites()):
        for side, words in enumerate(row):
            for word in words.lstrip("!").split():
                found.setdefault(word, set()).add((at, side))
    return {word: frozenset(sides) for word, sides in found.items()}


@cache
def _listed() -> frozenset[str]:
    groups = map(_set, ("NEGATIONS", "LIGHT"))
    rows = map(_rows, ("SAME", "WEEKDAYS", "MONTHS", "NUMBERS"))
    return frozenset().union(*groups, *rows, _sides())


@lru_cache(maxsize=32_768)
def _look(word: str) -> _Look:
    folded = fold(word.removesuffix("'s"))
    stemmed, single = stem(folded), folded.rstrip("s")
    if _listed().isdisjoint((folded, stemmed, single)):  # as most are
        is_denial = folded.endswith("n't")
        matter = "" if is_denial or len(folded) < 2 else folded
        return _Look(
            folded, matter, is_denial, "", "", "", folded[:1].isdigit(), _NO_SIDES, stemmed[:_KEY_CHARS]
        )
    same = _rows("SAME")
    is_denial = is_of("NEGATIONS", folded) or folded.endswith("n't")
    is_light = is_denial or is_of("LIGHT", folded) or len(folded) < 2
    matter = "" if is_light else same.get(folded) or same.get(stemmed, folded)
    weekday = _rows("WEEKDAYS").get(folded, "")
    month = _rows("MONTHS").get(folded, "") if folded != "may" or word[0].isupper() else ""
    number = _rows("NUMBERS").get(folded, "")
    may_be_value = bool(weekday or month or number or folded[:1].isdigit())
    sides = frozenset[Side]().union(*(_sides().get(form, ()) for form in (folded, stemmed, single)))
    key = stem(matter or folded)[:_KEY_CHARS]
    return _Look(folded, matter, is_denial, weekday, month, number, may_be_value, sides, key)


@lru_cache(maxsize=4096)
def taken_apart(text: str) -> ParsedStatement:
    """Return *text* taken apart; what is beyond 300 characters or forty words is left out."""
    bare = _bare(text)
    words: list[Word] = []
    keys: list[str] = []
    values: dict[Sort, set[str]] = {}
    negated = False
    hits = list(islice(_TOKEN.finditer(bare), _MOST_WORDS))
    raw = [hit.group() for hit in hits]
    looks = [_look(word) for word in raw]
    for at, look in enumerate(looks):
        sort, value = _value(at, looks, bare[hits[at].end() :][:1]) if look.may_be_value else (None, "")
        if sort is not None:
            values.setdefault(sort, set()).add(value)
        elif look.is_denial:
            negated = True
        elif look.matter or (_is_letter(raw, at, looks) and not _ends(bare, hits[at - 1])):
            is_name = raw[at][0].isupper() and at > 0 and not _ends(bare, hits[at - 1])
            words.append(Word(look.matter or look.folded, at, is_name))
            keys.append(look.key)
    tokens = tuple([look.folded for look in looks])
    return ParsedStatement(
        bare,
        tokens,
        tuple(words),
        {sort: frozenset(found) for sort, found in values.items()},
        negated,
        not _SELF.isdisjoint(tokens[:6]) or bool(_SELF_ENDING.match(bare)),
        frozenset([word.text for word in words]),
        frozenset(keys),
        frozenset[Side]().union(*[look.sides for look in looks if look.sides]),
    )


def _bare(text: str) -> str:
    cut = (NOTED_DATE.sub("", text) if " (" in text else text)[:_MOST_CHARS].replace("’", "'")
    return _ONE_WORD.sub(r"\1-\2", cut) if _SECOND_OF_ONE.search(cut) else cut


def _ends(text: str, hit: re.Match[str]) -> bool:
    """Tell whether a sentence ends with the word of *hit*."""
    return text[hit.end() : hit.end() + 2] in (". ", "! ", ": ")


def _is_letter(raw: list[str], at: int, looks: list[_Look]) -> bool:
    """Tell whether a word is the letter of a name: server A, but not "my grade is A"."""
    if at == 0 or len(raw[at]) != 1 or not raw[at].isupper() or raw[at] == "I":
        return False
    return raw[at - 1][:1].isupper() or bool(looks[at - 1].matter)


def _value(at: int, looks: list[_Look], behind: str) -> tuple[Sort | None, str]:
    """Return the sort and value of a word; None for one that is no value."""
    look = looks[at]
    if look.weekday:
        return Sort.WEEKDAY, look.weekday
    if look.month:
        return Sort.DAY, look.month
    word = look.folded
    if not word[:1].isdigit():
        is_article = at == 0 and word in ("one", "un", "uno", "six")
        return (Sort.FIGURE, look.number) if look.number and not is_article else (None, "")
    day = _DATE_SUFFIX.sub("", word)
    if day.isdigit() and len(day) <= 2:
        beside = [looks[one] for one in (at - 1, at + 1) if 0 <= one < len(looks)]
        around = [looks[one] for one in (at - 2, at + 2) if 0 <= one < len(looks)]
        is_dated = any(one.month for one in beside) or (
            any(one.month for one in around) and any(one.folded in ("of", "de") for one in beside)
        )
        if is_dated or word != day or (behind == "." and at + 1 < len(looks)):
            return Sort.DAY, str(int(day))
        if any(one.folded in ("am", "pm", "uhr") for one in beside):
            return Sort.HOUR, day
    return (Sort.HOUR, word) if _HOUR.fullmatch(word) else (Sort.FIGURE, word.rstrip(".,"))
