"""Priority is a rank: of the lines noted of one window at most a third are important, 4 or 5, one at least.

Who notes, a model or the rules, judges each line by itself and soon finds all of them important; a mark that
every line has says nothing. So when a window is noted its lines are held against each other: the first by
priority keep theirs, of equals wishes and then the more salient, the others are of this month, 3. Windows of
one or two lines are held to a third together with what was noted before them, but for a line that does harm
when it is forgotten. What the rules find to do harm keeps its 5 however much of it there is: they give it to
nothing else, and a talk at the doctor's may hold nothing less. No words are looked at. A line's id does not
hang on its priority, nor does its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scrimshaw.core.types import Author, Kind, Observation

IMPORTANT, VITAL = 4, 5
LOOKED_BACK = 6  # lines noted before, that a small window is held to a third with
_ORDINARY = 3
_ONE_IN = 3


def held_to_rank(lines: Sequence[Observation], before: Sequence[int] = ()) -> list[Observation]:
    """Return the *lines* of one window, in their order, with the priorities they keep.

    *before* are priorities of lines noted before that window, the last one last.
    """
    order = sorted(range(len(lines)), key=lambda at: (*_rank(lines[at]), at))
    kept = set(order[: _most([line.priority for line in lines], before[-LOOKED_BACK:])])
    kept |= {at for at, line in enumerate(lines) if line.priority == VITAL and line.author is Author.RULES}
    return [
        line if at in kept or line.priority < IMPORTANT else replace(line, priority=_ORDINARY)
        for at, line in enumerate(lines)
    ]


def _rank(line: Observation) -> tuple[int, bool, float]:
    # A wish holds when what it was said beside is over.
    return -line.priority, line.kind is not Kind.PREFERENCE, -line.salience


def _most(priorities: Sequence[int], before: Sequence[int]) -> int:
    """Return how many lines of a window with these *priorities* may be important."""
    if len(priorities) >= _ONE_IN:
        return len(priorities) // _ONE_IN
    important = sum(priority >= IMPORTANT for priority in before)
    has_room = not important or (important + 1) * _ONE_IN <= len(before) + len(priorities)
    return int(has_room or VITAL in priorities)
