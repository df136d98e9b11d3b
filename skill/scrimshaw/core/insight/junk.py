"""Lines that are no memory: chatter of hosts and agents, and what is told twice.

Chatter is told by form alone (data/junk.txt): a whole line that reports a heartbeat, a run that found
nothing, a greeting, or that says nothing at all. What names a decision, a person or a plan is longer than
these forms and stays. Doubled is what reads the same but for case, marks and blanks; the first of them is
kept, or the pinned one. The person's own and pinned lines are never taken for junk.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from scrimshaw.core.language import PatternTable
from scrimshaw.core.ledger.lifecycle import age_of
from scrimshaw.core.text.normalize import normal
from scrimshaw.core.types import Author, Line

_table = PatternTable("junk")
_MOST_CHARS = 160
_MARKS = re.compile(r"[^\w%:./]+")
_EDGES = " \t.!…?¡¿-*•'\""


class Doubled(NamedTuple):
    """A line that another one tells already."""

    line: Line
    by: Line


@cache
def _whole() -> re.Pattern[str]:
    rows = (_table.written_out(row) for row in _table.rows("WHOLE"))
    return re.compile("|".join(f"(?:{row})" for row in rows))


def is_chatter(text: str) -> bool:
    """Tell whether *text* is a host's or an agent's chatter, and no memory."""
    bare = text.strip(_EDGES).casefold()
    if len(bare) > _MOST_CHARS:
        return False
    if not any(map(str.isalnum, bare)):
        return True
    return _whole().fullmatch(bare) is not None


def is_protected(line: Line) -> bool:
    """Tell whether *line* is never junk: pinned, the person's own, or brought back by them."""
    return (
        line.standing.is_pinned
        or line.standing.is_kept  # a person has undone what was done to it
        or line.observation.author is Author.PERSON
    )


def find_chatter(lines: Iterable[Line]) -> list[Line]:
    """Return those of *lines* that are chatter."""
    return [line for line in lines if not is_protected(line) and is_chatter(line.observation.text)]


def find_doubled(lines: Iterable[Line]) -> list[Doubled]:
    """Return those of *lines* that another one tells already, each with the one that is kept."""
    alike: dict[str, list[Line]] = defaultdict(list)
    for line in sorted(lines, key=age_of):
        alike[_skeleton(line.observation.text)].append(line)
    found = []
    for same in alike.values():
        kept = next((line for line in same if line.standing.is_pinned), None)
        kept = kept or next((line for line in same if is_protected(line)), same[0])
        found += [Doubled(line, kept) for line in same if line is not kept and not line.standing.is_pinned]
    return found


def _skeleton(text: str) -> str:
    return " ".join(_MARKS.sub(" ", normal(text).casefold()).split()).rstrip(".")
