"""A marked block at the end of a text file that belongs to somebody else: put there, found, taken out.

For every text without markers `take_out_block(put_block(text, inner)) == text`, to the byte: nothing needs to
be noted of how the file was. Text is decoded by the caller with `surrogateescape`. Markers count as whole
lines; markdown does not matter here, because the block is for the eye of a model and sits at the very end.
Knows nothing of files. The section of MEMORY.md, which has a heading and a budget, is core/section/markers's.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from scrimshaw.core.section.markers import LAST_NEWLINE, NEWLINE, newline_of, separator

BEGIN = "<!-- scrimshaw:agents:begin -->"
END = "<!-- scrimshaw:agents:end -->"

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")


class NoBlock(NamedTuple):
    """No marker anywhere."""


class WholeBlock(NamedTuple):
    """One pair of markers: *start* and *end* are the offsets of the block, its last newline included."""

    start: int
    end: int
    inner: str  # between the markers, newlines as "\\n", without the last


class BrokenBlock(NamedTuple):
    """Markers that do not pair up."""

    problem: str


State = NoBlock | WholeBlock | BrokenBlock


def find_block(text: str) -> State:
    """Return where the block stands in *text*."""
    marks = [
        (found.start(), found.end(), line)
        for found in _LINE.finditer(text)
        if (line := found[0].lstrip("\ufeff").strip(" \t\r\n")) in (BEGIN, END)
    ]
    if not marks:
        stray = [mark for mark in (BEGIN, END) if mark in text]
        return BrokenBlock("text stands beside a marker") if stray else NoBlock()
    if [line for *_, line in marks] != [BEGIN, END]:
        lines = ", ".join(str(len(NEWLINE.findall(text, 0, start)) + 1) for start, *_ in marks)
        return BrokenBlock(f"the markers do not pair up (lines {lines})")
    (start, inner_start, _), (inner_end, end, _) = marks
    inner = LAST_NEWLINE.sub("", NEWLINE.sub("\n", text[inner_start:inner_end]))
    return WholeBlock(start, end, inner)


def put_block(text: str, inner: str) -> str:
    """Return *text* with the block holding *inner*, in its place or at the end; ValueError for damage."""
    newline = newline_of(text)
    block = newline.join([BEGIN, *inner.split("\n"), END, ""])
    match find_block(text):
        case WholeBlock(start, end):
            tail = "" if LAST_NEWLINE.search(text[start:end]) else newline
            return text[:start] + (block.removesuffix(tail) if tail else block) + text[end:]
        case NoBlock():
            return text + separator(text, newline) + block
        case BrokenBlock(problem):
            raise ValueError(problem)


def take_out_block(text: str) -> str:
    """Return *text* without the block, as it was before `put_block`; without one, or damaged, as it is."""
    state = find_block(text)
    if not isinstance(state, WholeBlock):
        return text
    before, after = text[: state.start], text[state.end :]
    shorter = LAST_NEWLINE.sub("", before)
    # Text added after the block stays on a line of its own.
    if after and shorter and not LAST_NEWLINE.search(shorter):
        return before + after
    return shorter + after
