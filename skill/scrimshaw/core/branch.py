"""The current branch of a transcript, found from its parent links alone (rule 17).

A transcript is a tree stored in order of writing; the last link is the leaf, and what its chain of
parents does not reach was abandoned. Nearly every transcript is one unbroken chain, so only the
*breaks* (links whose parent is not the link before) are kept: memory grows with the number of
rewinds, not with the length.

A parent that is not given or cannot be found (lines lost, cut off by the host, other writers) counts
as the link before: that must not make everything before it vanish.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

MAX_BREAKS = 100_000


class Link(NamedTuple):
    """One stored item: its position, its id, and the id of its parent.

    *parent* is None for a root and "" when the item does not say (then it follows the one before).
    """

    position: int
    id: str
    parent: str | None


def link_of(item: object, position: int) -> Link | None:
    """Return the link of a decoded item; None for what stands outside the tree (the header, garbage)."""
    if type(item) is not dict or item.get("type") == "session" or type(item.get("id")) is not str:
        return None
    parent = item.get("parentId")
    if item.get("type") == "leaf" and "targetId" in item:
        parent = item[
            "targetId"
        ]  # moves the leaf, to before everything when null; its children go on from there
        return Link(position, item["id"], parent if type(parent) is str or parent is None else "")
    return Link(position, item["id"], parent if type(parent) is str else "")


class Break(NamedTuple):
    """A link that does not follow the one before: *parent* is another one, or None for a new root."""

    position: int
    parent: str | None


Ranges = Sequence[tuple[int, int]]  # inclusive positions, ascending


def find_breaks(links: Iterable[Link], before: str | None = None) -> list[Break]:
    """Return where the chain of *links* breaks; *before* is the id of the item that precedes them.

    The first link is never a break when *before* is None. At most MAX_BREAKS + 1 are returned.
    """
    breaks: list[Break] = []
    previous = before
    for position, item_id, parent in links:
        if parent != previous and parent != "" and previous is not None:
            breaks.append(Break(position, parent))
            if len(breaks) > MAX_BREAKS:
                break
        previous = item_id
    return breaks


def current_ranges(links: Iterable[Link], breaks: Sequence[Break], first: int, last: int) -> Ranges:
    """Return the positions from *first* to *last* that the leaf's chain of parents reaches.

    *links* is read once more, only to find where the parents named by *breaks* stand.
    """
    wanted = {item.parent for item in breaks if item.parent is not None}
    found = {link.id: link.position for link in links if link.id in wanted}
    starts = [first, *(item.position for item in breaks)]
    ranges: list[tuple[int, int]] = []
    end, segment = last, len(breaks)
    while True:
        start = starts[segment]
        ranges.append((start, end))
        if segment == 0:
            break
        parent = breaks[segment - 1].parent
        if parent is None:
            break
        # A parent that stands nowhere, or after its child, tells nothing: go on with the item before.
        end = min(found.get(parent, start - 1), start - 1)
        segment = _segment_of(starts, end, segment)
    ranges.reverse()
    return ranges


def _segment_of(starts: Sequence[int], position: int, below: int) -> int:
    segment = below - 1
    while segment > 0 and starts[segment] > position:
        segment -= 1
    return segment


def is_current(ranges: Ranges, position: int) -> bool:
    """Tell whether *position* lies on the current branch."""
    index = bisect_right(ranges, (position, position)) - 1
    if index + 1 < len(ranges) and ranges[index + 1][0] == position:
        return True
    return index >= 0 and ranges[index][0] <= position <= ranges[index][1]
