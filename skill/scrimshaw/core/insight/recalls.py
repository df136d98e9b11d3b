"""How often a line was recalled, and on which day last.

A search that found it among the first counts once a day; and each day on which it stood in a section that was
injected: one on which somebody spoke, in a conversation that something was noted from, while the section with
it was in the file.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

Moment = tuple[int, str]  # when something was said, and its day


class Recalls(NamedTuple):
    """How often a line was recalled; *last_day* is ISO, "" for never."""

    times: int = 0
    last_day: str = ""


NEVER = Recalls()


def recalls(
    searches: Mapping[str, Recalls], sections: Sequence[tuple[int, Sequence[str]]], said: Iterable[Moment]
) -> Mapping[str, Recalls]:
    """Return the recalls of each line that has any.

    *sections*: from when on each stood, with its lines, oldest first.
    """
    since = [at_ms for at_ms, _ in sections]
    stood: dict[str, set[int]] = {}
    for at_ms, day in said:
        if number := bisect_right(since, at_ms):
            stood.setdefault(day, set()).add(number - 1)
    found = dict(searches)
    for day, numbers in sorted(stood.items()):
        for line_id in {id_ for number in numbers for id_ in sections[number][1]}:
            times, last_day = found.get(line_id, NEVER)
            found[line_id] = Recalls(times + 1, max(day, last_day))
    return found
