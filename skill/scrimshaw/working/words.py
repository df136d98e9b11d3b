"""The searchable words of a text: lower case, without accents and endings."""

from __future__ import annotations

import re
import unicodedata

from scrimshaw.core.search.query import levelled, question_words
from scrimshaw.core.text.stems import stem_of

_WORD = re.compile(r"[^\W_]+")
_LONGEST_WORD = 60


def words_of(text: str) -> list[str]:
    """Return every word of *text*, in order."""
    return [stem_of(word) for word in _WORD.findall(_folded(levelled(text))) if len(word) <= _LONGEST_WORD]


def asked_words(question: str) -> list[str]:
    """Return the words of *question* to search for, each once."""
    return list(dict.fromkeys(stem_of(_folded(word)) for word in question_words(question)))


def _folded(text: str) -> str:
    lower = text.lower()
    if lower.isascii():
        return lower
    marked = unicodedata.normalize("NFKD", lower)
    return unicodedata.normalize("NFC", "".join(c for c in marked if not unicodedata.combining(c)))
