"""Whether a text is in English, which decides by which vectors it is compared.

A guess by the script and by small words, made alike for a question and for a line, since the English model
(index/embedding) knows next to nothing of other languages. What tells nothing ("Dentist, Friday 3 pm") counts
as English. Pure.
"""

from __future__ import annotations

import re
from functools import cache

from scrimshaw import data

SMALL = frozenset(data.words("small_words", "question"))
_LANGUAGES = ("german", "spanish", "french", "portuguese", "italian", "dutch", "polish", "turkish")
_WITH_DATES = ("de", "es", "fr", "it", "pt")
_WORD = re.compile(r"[^\W\d_]+")
_READ_CHARS = 1_000
_LATIN = "\u024f"  # the last letter of that script
_SCRIPT_WEIGHT = 3  # a letter of another script against Latin ones: 我 is a word


def is_english(text: str) -> bool:
    """Tell whether *text* is in English, or nothing tells that it is not."""
    words = _WORD.findall(text[:_READ_CHARS].lower())
    letters = "" if text.isascii() else "".join(words)
    strange = sum(letter > _LATIN for letter in letters)
    if strange * _SCRIPT_WEIGHT > len(letters) - strange:
        return False
    english, foreign = _marks()
    of_english = sum(word in english for word in words)
    of_another = sum(word in foreign for word in words)
    if of_english:
        return of_another <= of_english
    return not of_another and all(word.isascii() for word in words)


@cache
def small_elsewhere() -> frozenset[str]:
    """Return the small words of other languages, those among them that are English, too."""
    return frozenset(word for name in _LANGUAGES for word in data.words("tongues", name))


@cache
def _marks() -> tuple[frozenset[str], frozenset[str]]:
    """Return the words that tell of English, and those that tell of another language."""
    english = SMALL | frozenset(data.words("common_words", "common")) | _dating("en")
    elsewhere = small_elsewhere().union(*map(_dating, _WITH_DATES))
    # One letter may be the end of an English word: I'm.
    foreign = frozenset(word for word in elsewhere - english if len(word) > 1)
    return english - small_elsewhere(), foreign


def _dating(language: str) -> frozenset[str]:
    """Return the words by which dates of a language are known (core/text/languages)."""
    parts = ("marks", "weekday", "month")
    return frozenset(word for part in parts for word in data.words(f"dates/{language}", part))


def language_of(text: str) -> str:
    """Return the English name of *text*'s language, by its small words; "simple" for another."""
    if is_english(text):
        return "english"
    words = set(_WORD.findall(text[:_READ_CHARS].lower()))
    best = max((len(words & told), name) for name, told in _small_words().items())
    return best[1] if best[0] else "simple"


@cache
def _small_words() -> dict[str, frozenset[str]]:
    """Return the small words of the languages that PostgreSQL has a dictionary for; it has none of Polish."""
    return {name: frozenset(data.words("tongues", name)) for name in _LANGUAGES if name != "polish"}
