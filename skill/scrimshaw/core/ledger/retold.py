"""Tell whether a line that took another one's place repeats it: with news behind it, or one value exchanged.

The ledger keeps of both only that the one was replaced by the other; their words tell the rest. Whoever takes
out, cuts or rewords the one has to think of the other, because the same words stand in both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile

from scrimshaw.core.types import FOLLOWED, Closed, Line

_MOST_EXCHANGED = 3  # words of the earlier line, those of one value: "Friday the 26th"


def repeats(later: str, earlier: str) -> bool:
    """Tell whether *later* holds *earlier*, as a whole or with one value exchanged."""
    before, now = flattened(earlier), flattened(later)
    if before in now:
        return bool(before)
    words, others = before.split(), now.split()
    head = _common(words, others)
    tail = _common(words[head:][::-1], others[head:][::-1])
    exchanged = len(words) - head - tail
    return exchanged <= _MOST_EXCHANGED and head + tail > exchanged


def news_behind(later: str, earlier: str) -> str:
    """Return what *later* tells behind *earlier*, "" where it does not tell it again with news."""
    told = earlier + FOLLOWED
    return later.removeprefix(told) if later.startswith(told) else ""


def told_before(text: str) -> Iterator[str]:
    """Yield the texts that *text* tells again with news behind them, if it does."""
    parts = text.split(FOLLOWED)
    return (FOLLOWED.join(parts[:count]) for count in range(1, len(parts)))


def newest_telling(line: Line, find: Callable[[str], Line | None]) -> Line:
    """Return the line in which *line* was told again last, with news behind it; itself for none."""
    told = line
    while told.standing.closed is Closed.SUPERSEDED:
        later = find(told.standing.closed_by)
        if later is None or not news_behind(later.observation.text, told.observation.text):
            break  # each telling is longer than the one before: this ends
        told = later
    return told


def flattened(text: str) -> str:
    """Return *text* on one row, in one case."""
    return " ".join(text.split()).casefold()


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return with how many of the same words both begin."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
