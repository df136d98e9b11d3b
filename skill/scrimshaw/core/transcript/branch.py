"""The current branch of a transcript, found from its parent links alone (rule 17).

A transcript is a tree stored in order of writing; the last link is the leaf, and what its chain of
parents does not reach was abandoned. Nearly every transcript is one unbroken chain, so only the
*breaks* (links whose parent is not the link before) are kept: memory grows with the number of
rewinds, and with what they left, not with the length.

Not all that is abandoned was taken back. A message whose turn ended before an answer (an abort, a killed
gateway) the host moves off the branch before it goes on, and the next stored message does not repeat it.
What tells it from a message that the person took back: nothing was ever answered to it, it hangs from the
current branch, and what was stored next stands in its place (the person's own move is written after the
last item, and leads elsewhere).

A parent that is not given or cannot be found (lines lost, cut off by the host, other writers) counts
as the link before: that must not make everything before it vanish.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import NamedTuple

MAX_BREAKS = 100_000


class LinkKind(Enum):
    """What a link is, as far as branches are concerned."""

    USER = "user"  # a message in the person's place
    REPLY = "reply"  # any other message
    MESSAGE = "message"  # one of these two
    LEAF = "leaf"  # moves the leaf
    OTHER = "other"


class Link(NamedTuple):
    """One stored item: its position, its id, and the id of its parent.

    *parent* is None for a root and "" when the item does not say (then it follows the one before).
    """

    position: int
    id: str
    parent: str | None
    kind: LinkKind = LinkKind.OTHER
    written_after: str | None = None  # of a leaf: the item that it names as its own parent


def link_of(item: object, position: int) -> Link | None:
    """Return the link of a decoded item; None for what stands outside the tree (the header, garbage)."""
    if type(item) is not dict or item.get("type") == "session" or type(item.get("id")) is not str:
        return None
    parent = item.get("parentId")
    parent = parent if type(parent) is str else ""
    if item.get("type") == "leaf" and "targetId" in item:
        # Moves the leaf, to before everything when null; its children go on from there.
        target = item["targetId"]
        target = target if type(target) is str or target is None else ""
        return Link(position, item["id"], target, LinkKind.LEAF, parent)
    return Link(position, item["id"], parent, _kind_of(item))


def _kind_of(item: Mapping[str, object]) -> LinkKind:
    if item.get("type") != "message":
        return LinkKind.OTHER
    message = item.get("message")
    is_users = type(message) is dict and message.get("role") == "user"
    return LinkKind.USER if is_users else LinkKind.REPLY


class Break(NamedTuple):
    """A link that does not follow the one before: *parent* is another one, or None for a new root."""

    position: int
    parent: str | None


Ranges = Sequence[tuple[int, int]]  # inclusive positions, ascending


def find_breaks(links: Iterable[Link]) -> list[Break]:
    """Return where the chain of *links* breaks, MAX_BREAKS + 1 at most; the first link is never a break."""
    breaks: list[Break] = []
    previous: str | None = None
    for position, item_id, parent, *_ in links:
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
        # A parent that is missing or comes after its child is of no use: continue with the item before.
        end = min(found.get(parent, start - 1), start - 1)
        segment = _segment_of(starts, end, segment)
    ranges.reverse()
    return ranges


def _segment_of(starts: Sequence[int], position: int, below: int) -> int:
    segment = below - 1
    while segment > 0 and starts[segment] > position:
        segment -= 1
    return segment


def unanswered(links: Iterable[Link], ranges: Ranges) -> list[int]:
    """Return where messages stand that are not on the branch of *ranges* only because a turn ended early.

    *links* are all of a session, or those outside of *ranges* and those beside them, in the order of storage.
    What is of LinkKind.MESSAGE may be a reply: that is for the caller to look at.
    """
    found: dict[int | None, tuple[str | None, ...]] = {}  # where such a message stands: its parent
    hanging: dict[
        str | None, int | None
    ] = {}  # each item off the branch: the message found that it hangs from
    targets: dict[str | None, str | None] = {}  # each leaf: where its children go on
    tip: str | None = None
    for position, item_id, given, kind, written_after in links:
        parent = tip if given == "" else given
        if parent in targets:
            parent = targets[parent]
        message, at = hanging.get(parent), hanging.get(tip)  # the one it hangs from; the one at the leaf
        place = found.get(at, ()) if at is not None else ()
        if kind is LinkKind.LEAF:
            if place and written_after not in place:
                del found[at]  # the person went elsewhere
            targets[item_id] = tip = parent
            continue
        if place and message != at and given not in place and parent not in place:
            del found[at]
        tip = item_id
        if is_current(ranges, position):
            continue
        if kind is LinkKind.OTHER:
            hanging[item_id] = message
            continue
        if message is not None:
            found.pop(message, None)  # something was said after it
        is_first = parent not in hanging and kind is not LinkKind.REPLY
        hanging[item_id] = position if is_first else None
        if is_first:
            found[position] = (given, parent)
    return [position for position in found if position is not None]


def joined(ranges: Ranges, positions: Iterable[int]) -> Ranges:
    """Return *ranges* with *positions*, which lie outside of them."""
    return sorted([*ranges, *((position, position) for position in positions)])


def is_current(ranges: Ranges, position: int) -> bool:
    """Tell whether *position* lies on the current branch."""
    index = bisect_right(ranges, (position, position)) - 1
    if index + 1 < len(ranges) and ranges[index + 1][0] == position:
        return True
    return index >= 0 and ranges[index][0] <= position <= ranges[index][1]
