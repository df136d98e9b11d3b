"""A long text as single lines that a note can have.

`pieces_of` gives the lines alone. `cuts_of` says of each, too, which part of the text it stands for: what is
changed or left out in a line (indentation, a row of symbols, blank rows) is in the part, and all parts
together are the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from scrimshaw.core.section.budget import units
from scrimshaw.core.section.render import safe, shown_at
from scrimshaw.core.types import MAX_TEXT_CHARS

_MOST_SHORT = 500  # lines that one text becomes, while they are as short as its paragraphs
_PARAGRAPH = re.compile(r"\s*\n\s*")
_SENTENCE = re.compile(r"(?<=[.!?…])\s+(?=\S)")


class Cut(NamedTuple):
    """A single line, and the part of a text that it stands for."""

    line: str
    part: str


def pieces_of(text: str, lead: str = "") -> Iterator[str]:
    """Yield *text* as single lines that a note can have, *lead* before the first."""
    for paragraph in _PARAGRAPH.split(text):
        line = safe(paragraph)
        if not any(map(str.isalnum, line)):
            continue
        first = f"{lead}: {line}" if lead else line
        lead = ""
        yield from [first] if units(first) <= MAX_TEXT_CHARS else _cut(first)


def cuts_of(text: str) -> list[Cut]:
    """Return *text* cut into lines that a note can have, with the parts of it that they stand for.

    A paragraph without a letter or digit goes with the line before it, at the beginning with the one behind.
    Of a text of very many short paragraphs several make one line.
    """
    lines: list[str] = []
    starts: list[int] = []
    for start, end in _paragraphs(text):
        line = safe(text[start:end])
        if not any(map(str.isalnum, line)):
            continue
        pieces = [line] if units(line) <= MAX_TEXT_CHARS else list(_cut(line))
        lines += pieces
        starts += [start] if len(pieces) == 1 else _starts(text[start:end], start, pieces)
    parts = [text[at:to] for at, to in zip([0, *starts[1:]], [*starts[1:], len(text)], strict=False)]
    cuts = [Cut(*one) for one in zip(lines, parts, strict=False)]
    return cuts if len(cuts) <= _MOST_SHORT else _joined(cuts)


def _joined(cuts: list[Cut]) -> list[Cut]:
    """Return *cuts* in as few lines as may be, each as long as a note can be."""
    joined: list[list[Cut]] = []
    size = 0
    for cut in cuts:
        size += 1 + units(cut.line)
        if not joined or size > MAX_TEXT_CHARS:
            joined.append([])
            size = units(cut.line)
        joined[-1].append(cut)
    return [
        Cut(" ".join(cut.line for cut in several), "".join(cut.part for cut in several)) for several in joined
    ]


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for found in _PARAGRAPH.finditer(text):
        yield start, found.start()
        start = text.rindex("\n", *found.span()) + 1  # with its indentation
    yield start, len(text)


def _starts(paragraph: str, offset: int, pieces: list[str]) -> list[int]:
    """Return where in the text each of *pieces* begins; *paragraph*, at *offset* there, became them."""
    places = shown_at(paragraph)
    starts, count = [offset], 0
    for piece in pieces[:-1]:
        count += sum(map(len, piece.split()))
        starts.append(offset + places[count])
    return starts


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
