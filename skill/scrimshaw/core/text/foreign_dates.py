"""What German, Spanish, French, Portuguese and Italian say of days and hours, put into English words.

"Am 28. Juni", "el jueves a las cinco" and "la semaine prochaine" stand for days and hours that a note names
in figures, and the readers of this package read English. So the words for days, months, hours, counts and
"ago" are put in English, word for word, and the rest is left as it is. Only good for reading the dates and
times of a text: everything else in it is looked for as it was said. Texts are made `normal`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from scrimshaw import data

_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_COUNTS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"


class _Language(NamedTuple):
    marks: frozenset[str]  # words that only it has, or that none of the others has so often
    words: dict[str, str]
    phrases: tuple[tuple[str, str], ...]  # rewritten once the words are English


def _language(name: str, *phrases: tuple[str, str]) -> _Language:
    rows = (line.split() for line in data.lines("foreign_dates", name))
    words = {form: english for english, *forms in rows for form in forms}
    return _Language(frozenset(data.words("foreign_dates", f"{name}_marks")), words, phrases)


_N, _AGO, _IN = r"(\w+)", r"\1 \2 ago", r"in \1 \2"
_TIMED = r"(days?|weeks?|months?|years?)"
_MONTH = rf"({_MONTHS})"
_AFTER_NOUN = r"(week|month|year|weekend|spring|summer|autumn|winter|\w+day)"
_OF = (rf"(\d{{1,2}})\.?º? de {_MONTH}(?: del? (\d{{4}}))?", r"\1 \2 \3")
_HOUR = rf"({_COUNTS}|\d{{1,2}})"
_LANGUAGES = (
    _language(
        "german",
        (rf"\bvor {_N} {_TIMED}", _AGO),
        (rf"\bseit {_N} {_TIMED}", r"for \1 \2"),
        (r"\bübermorgen\b", "in 2 days"),
        (r"\bvorgestern\b", "2 days ago"),
        (rf"\bhalb {_HOUR}\b", r"half \1"),
        (rf"\bviertel nach {_HOUR}\b", r"quarter past \1"),
        (rf"\bviertel vor {_HOUR}\b", r"quarter to \1"),
        (rf"\b(?:um|ab|gegen|bis) {_HOUR}\b(?: uhr\b)?", r"at \1"),
        (r"(\d{1,2}) uhr\b", r"\1 o'clock"),
    ),
    _language(
        "spanish",
        (r"\bpasado mañana\b", "in 2 days"),
        (r"\blast tomorrow\b", "in 2 days"),
        (rf"\bhace {_N} {_TIMED}", _AGO),
        (rf"\bdentro de {_N} {_TIMED}", _IN),
        (rf"\b{_AFTER_NOUN} (?:que viene|next)\b", r"next \1"),
        (rf"\b{_AFTER_NOUN} last\b", r"last \1"),
        _OF,
        (rf"\blas? {_HOUR} y media\b", r"half past \1"),
        (rf"\blas? {_HOUR} y cuarto\b", r"quarter past \1"),
        (rf"\blas? {_HOUR} menos cuarto\b", r"quarter to \1"),
        (rf"\b(?:a|de|hasta|sobre) las? {_HOUR}\b(?! (?:days?|weeks?|months?|years?))", r"at \1"),
    ),
    _language(
        "french",
        (r"\baprès-tomorrow\b", "in 2 days"),
        (r"\bavant-yesterday\b", "2 days ago"),
        (rf"\bil y a {_N} {_TIMED}", _AGO),
        (rf"\bdans {_N} {_TIMED}", _IN),
        (rf"\b{_AFTER_NOUN} next\b", r"next \1"),
        (rf"\b{_AFTER_NOUN} last\b", r"last \1"),
        (rf"\b{_HOUR} ?h(?:eures?)? et demie\b", r"half past \1"),
        (r"\b(\d{1,2}) ?h ?([0-5]\d)\b", r"\1:\2"),
        (rf"\b{_HOUR} ?h(?:eures?)?\b", r"\1 o'clock"),
    ),
    _language(
        "portuguese",
        (rf"\bhá {_N} {_TIMED}", _AGO),
        (rf"\b(?:daqui a|dentro de) {_N} {_TIMED}", _IN),
        (rf"\b{_AFTER_NOUN} (?:que vem|next)\b", r"next \1"),
        (rf"\b{_AFTER_NOUN} last\b", r"last \1"),
        _OF,
        (rf"\b(?:às|as|das|até às) {_HOUR} e meia\b", r"half past \1"),
        (rf"\b(?:às|das|até às) {_HOUR}\b", r"at \1"),
        (rf"\b{_HOUR}h\b", r"\1 o'clock"),
    ),
    _language(
        "italian",
        (r"\bdopotomorrow\b|\bdopodomani\b", "in 2 days"),
        (rf"\b{_N} {_TIMED} fa\b", _AGO),
        (rf"\b(?:tra|fra) {_N} {_TIMED}", _IN),
        (rf"\b{_AFTER_NOUN} next\b", r"next \1"),
        (rf"\b{_AFTER_NOUN} last\b", r"last \1"),
        (rf"\balle {_HOUR} e mezza\b", r"half past \1"),
        (rf"\balle {_HOUR}\b", r"at \1"),
    ),
)
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_ENGLISH_TEXT = "the and i is of to my was for have are with it on that"
_ENGLISH = frozenset(_ENGLISH_TEXT.split())
_MORNING = re.compile(r"\b(jeden|am|heute|gestern|diesen) morgen\b|\b(?:la|esta|las) mañanas?\b")
_FEW = 2  # words by which a language is told


FUNCTION_WORDS = frozenset().union(*(language.marks for language in _LANGUAGES))
"""Small words of those languages, which a capital makes no names."""


@lru_cache(maxsize=256)
def _language_of(lower: str) -> _Language | None:
    """Return the language of *lower*, None for English and what cannot be told."""
    words = set(_WORD.findall(lower))
    scores = [len(words & language.marks) for language in _LANGUAGES]
    most = max(scores)
    return _LANGUAGES[scores.index(most)] if most >= _FEW and most > len(words & _ENGLISH) else None


def is_german(lower: str) -> bool:
    """Tell whether *lower* is German, where every noun has a capital."""
    return _language_of(lower) is _LANGUAGES[0]


def is_of_these(lower: str) -> bool:
    """Tell whether *lower* is of one of these languages."""
    return _language_of(lower) is not None


@lru_cache(maxsize=256)
def in_english(lower: str) -> str:
    """Return *lower* with its words for days and hours in English; English is returned as it is."""
    language = _language_of(lower)
    if language is None or language.words.keys().isdisjoint(_WORD.findall(lower)):
        return lower
    lower = _MORNING.sub(r"\1 morning ", lower)
    told = _WORD.sub(lambda match: language.words.get(match.group(), match.group()), lower)
    for phrase, english in language.phrases:
        told = re.sub(phrase, english, told)
    return told
