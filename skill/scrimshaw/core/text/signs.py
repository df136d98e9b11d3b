"""What tells two texts apart whose words are the same: symbols, and the case of paths and code.

A model of meaning hardly sees a ✅ become a ❌, a < a >, or /data a /Data. Quotes, full stops and marks of
markdown are none of it, nor is the capital that a word begins with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from unicodedata import category

_SIGN = re.compile(r"\[[ xX]\]|!(?=[=\w])|(?<!\S)-(?=\d)|[^\w\s.,;:!?'\"()\[\]{}/\\*`´-]")
_NOT_SYMBOLS = "@#%&!-["  # of no category of symbols, and telling all the same
_SEEN_CHARS = 40  # around a sign
_WORD = re.compile(r"\w+")
_AROUND = "\"'’‘“”«»`*_.,;:!?()[]{}<>…–—-"
_LEADS_CODE = "-.$"  # an option, a file, a variable


@lru_cache(maxsize=64)
def signs(text: str) -> tuple[str, ...]:
    """Return the symbols of *text* in order, and those of its words whose case tells something."""
    return (*_symbols(text), *_cased(text))


def _symbols(text: str) -> Iterator[str]:
    for found in _SIGN.finditer(text):
        sign = found[0]
        kind = category(sign[0])
        if kind == "Sm":  # of a comparison or an arrow it tells which is on which side
            before = _WORD.findall(text[max(0, found.start() - _SEEN_CHARS) : found.start()])
            behind = _WORD.search(text[found.end() : found.end() + _SEEN_CHARS])
            yield f"{''.join(before[-1:])}{sign}{behind[0] if behind else ''}".lower()
        elif kind[0] == "S" or sign[0] in _NOT_SYMBOLS:
            yield sign.lower()


def _cased(text: str) -> Iterator[str]:
    if text == text.lower():
        return
    for token in text.split():
        if not token.islower():
            word = token.strip(_AROUND)
            if word != word.lower() and not (_is_ordinary(word) and token[0] not in _LEADS_CODE):
                yield word


def _is_ordinary(word: str) -> bool:
    """Tell whether *word* is one that people write with and without a capital: "Mondays", "Follow-Up"."""
    return all(
        part[1:] == part[1:].lower() and all(char.isalpha() or char in "'’" for char in part)
        for part in word.split("-")
    )
