"""A long text as single lines that a note can have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scrimshaw.core.section.budget import units
from scrimshaw.core.section.render import safe
from scrimshaw.core.types import MAX_TEXT_CHARS

_PARAGRAPH = re.compile(r"\s*\n\s*")
_SENTENCE = re.compile(r"(?<=[.!?…])\s+(?=\S)")


def pieces_of(text: str, lead: str = "") -> Iterator[str]:
    """Yield *text* as single lines that a note can have, *lead* before the first."""
    for paragraph in _PARAGRAPH.split(text):
        line = safe(paragraph)
        if not any(map(str.isalnum, line)):
            continue
        first = f"{lead}: {line}" if lead else line
        lead = ""
        yield from [first] if units(first) <= MAX_TEXT_CHARS else _cut(first)


def _cut(line: str) -> Iterator[str]:
    """Yield a long line in pieces: at the ends of sentences, else between words, else anywhere."""
    piece = ""
    for sentence in _SENTENCE.split(line):
        for part in [sentence] if units(sentence) <= MAX_TEXT_CHARS else _words(sentence):
            joined = f"{piece} {part}" if piece else part
            if units(joined) > MAX_TEXT_CHARS:
                yield piece
                joined = part
            piece = joined
    if piece:
        yield piece


def _words(sentence: str) -> Iterator[str]:
    """Yield a sentence longer than a note in single words, the longest of them cut."""
    most = MAX_TEXT_CHARS // 2  # of letters outside the basic plane, each two units
    for word in sentence.split():
        yield from (word[at : at + most] for at in range(0, len(word), most))
