"""What goes along when a line is forgotten: the same statement in other lines of the ledger (rule 21).

Of a single statement all of it goes: lines that were merged with it, the person's wording of it, lines that
hold its whole text, and what a reflection has made of it. Of a conversation, or of all before some day, only
what lies in there goes, and what was made of that: what was said elsewhere, too, was said there. A line that
was merged into a made one which goes, and says something else, holds again. Lines in, ids out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from scrimshaw.core.ledger.forget_text import Traces
from scrimshaw.core.types import Closed, Line

_SAME = {Closed.MERGED: "the same, said again", Closed.EDITED: "the same, changed by hand"}
_MADE = "made from it"
_HOLDS = "holds its words"


class Reach(NamedTuple):
    """What goes: why it does by id, "" for what was asked for; and the lines that hold again."""

    ids: Mapping[str, str]
    restored: tuple[str, ...]


def reach(lines: Sequence[Line], seeds: Iterable[str], *, is_one: bool) -> Reach:
    """Return what goes along with *seeds*, lines of *lines*; *is_one*: they are one statement."""
    walk = _Walk(lines, is_one=is_one)
    for seed in seeds:
        walk.add(seed, "", is_same=True)
    walk.go()
    while is_one and walk.add_holders():
        walk.go()
    made = {id_ for id_, why in walk.found.items() if why == _MADE}
    restored = tuple(
        line.observation.id
        for line in lines
        if line.standing.closed is Closed.MERGED
        and line.standing.closed_by in made
        and line.observation.id not in walk.found
    )
    return Reach(walk.found, restored)


class _Walk:
    def __init__(self, lines: Sequence[Line], *, is_one: bool) -> None:
        self._lines = {line.observation.id: line for line in lines}
        self._is_one = is_one
        self._taken_in: dict[str, list[str]] = defaultdict(list)  # by a line: those that it stands for
        self._made_of: dict[str, list[str]] = defaultdict(list)  # of a line: those that rest on it
        self.found: dict[str, str] = {}
        self._left: list[tuple[str, bool]] = []
        for id_, (observation, standing) in self._lines.items():
            if standing.closed in _SAME:
                self._taken_in[standing.closed_by].append(id_)
            for support in observation.supports:
                self._made_of[support].append(id_)

    def add(self, id_: str, why: str, *, is_same: bool) -> None:
        """Take a line; *is_same*: what it stands for is the same statement and goes, too."""
        if id_ in self._lines and id_ not in self.found:
            self.found[id_] = why
            self._left.append((id_, is_same))

    def go(self) -> None:
        """Follow what was taken until nothing more comes along."""
        while self._left:
            id_, is_same = self._left.pop()
            for made in self._made_of[id_]:
                self.add(made, _MADE, is_same=False)
            if not self._is_one:
                continue
            closed, by = self._lines[id_].standing.closed, self._lines[id_].standing.closed_by
            if closed in _SAME and by in self._lines:
                self.add(by, _SAME[closed], is_same=True)
            if is_same:
                for other in self._taken_in[id_]:
                    how = self._lines[other].standing.closed
                    self.add(other, _SAME[how] if how else "", is_same=True)

    def add_holders(self) -> bool:
        """Take the lines that hold the whole text of one that was taken; tell whether there are any."""
        traces = Traces(self._lines[id_].observation.text for id_ in self.found)
        holders = [
            id_
            for id_, line in self._lines.items()
            if id_ not in self.found
            and line.standing.closed is not Closed.FORGOTTEN
            and traces.are_in(line.observation.text)
        ]
        for id_ in holders:
            self.add(id_, _HOLDS, is_same=True)
        return bool(holders)
