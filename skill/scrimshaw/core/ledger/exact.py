"""The exact text of a memory that has become lines, kept with those lines.

A line is one row of plain words: it has lost indentation, blank rows, rows of symbols. So each line of such
a memory has in its `metadata` what stands around it, wherever in the text it stands. A forgotten line takes
that along: nothing of its part is anywhere else. Memories that their lines give exactly have nothing of it,
nor have those that moved before it was kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from scrimshaw.core.ledger.pieces import Cut
from scrimshaw.core.types import Author, Observation

_KEY = "exact"


class ExactPart(NamedTuple):
    """A part of a text, and where it stands among the parts."""

    place: int
    text: str


def exact_of(text: str, cuts: Sequence[Cut]) -> dict[str, dict[str, Any]]:
    """Return for each line of *cuts*, once and in order, what goes into its metadata to give *text* again."""
    found: dict[str, list[list[int | str]]] = {}
    for place, (line, part) in enumerate(cuts):
        before, has_line, after = part.partition(line)
        # Words are not repeated where they stand in the line already.
        found.setdefault(line, []).append([place, before, after] if has_line else [place, part])
    if "\n".join(found) == text:
        return {line: {} for line in found}
    return {line: {_KEY: places} for line, places in found.items()}


def parts_of(line: Observation) -> tuple[ExactPart, ...]:
    """Return the parts of a memory that *line* stands for; empty where it was not kept. Believes nothing."""
    return parts_in(line.metadata, line.text) if line.author is Author.PROGRAM else ()


def parts_in(metadata: str, text: str) -> tuple[ExactPart, ...]:
    """Return the same by the *metadata* and the *text* of a program's line."""
    told = _told(metadata).get(_KEY)
    parts = []
    for one in told if isinstance(told, list) else ():
        match one:
            case [int(place), str(before), str(after)]:
                parts.append(ExactPart(place, f"{before}{text}{after}"))
            case [int(place), str(part)]:
                parts.append(ExactPart(place, part))
            case _:
                return ()
    return tuple(parts)


def said_by(line: Observation) -> tuple[str, ...]:
    """Return the text of *line*, and each exact text that it keeps."""
    return (line.text, *(part.text for part in parts_of(line)))


def whole_of(lines: Iterable[Observation]) -> str:
    """Return the text that became *lines*; of one whose other lines are forgotten, what is left."""
    every = [(line, parts_of(line)) for line in lines]
    parts = [part for _, several in every for part in several]
    without = [line.text for line, several in every if not several]
    if not parts:
        return "\n".join(without)
    return "\n".join(["".join(part.text for part in sorted(parts)), *without])


def exactly(text: str, author: str, metadata: str) -> str:
    """Return what a line of that *text* says exactly: with the symbols of its memory."""
    parts = parts_in(metadata, text) if author == Author.PROGRAM else ()
    return "".join(part.text for part in sorted(parts)).strip() or text


def without_exact(metadata: str) -> str:
    """Return *metadata* of a program's line without the parts."""
    told = _told(metadata)
    if _KEY not in told:
        return metadata
    return json.dumps({key: one for key, one in told.items() if key != _KEY}, ensure_ascii=False)


def _told(metadata: str) -> Mapping[str, Any]:
    if f'"{_KEY}"' not in metadata:
        return {}
    try:
        told = json.loads(metadata)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}
