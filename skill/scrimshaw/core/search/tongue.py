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
    english = SMALL | frozenset(data.words("common_words", "common"))
    # One letter may be the end of an English word: I'm.
    foreign = frozenset(word for word in small_elsewhere() - english if len(word) > 1)
    return english - small_elsewhere(), foreign
