"""Lines read without a search: the newest first, page by page; or by their ids, with memories of programs.

A page ends at a line, not at a moment, so lines of the same moment are neither left out nor shown twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from scrimshaw.core.types import Closed, Line
from scrimshaw.core.working import StoredMemory
from scrimshaw.errors import UserError
from scrimshaw.services.results import WorkspaceResult, line_dict
from scrimshaw.store.ledger import open_ledger
from scrimshaw.store.lines import LinesWanted
from scrimshaw.working import memories, moved
from scrimshaw.workspace import Target

if TYPE_CHECKING:
    from scrimshaw.working.database import WorkingDatabase


@dataclass(frozen=True, slots=True)
class LinePage(WorkspaceResult):
    """Some lines, the newest first; *older* is what to ask for the next ones before, "" at the end."""

    lines: tuple[Line, ...]
    older: str

    def to_dict(self) -> dict[str, Any]:
        return {**self.head(), "lines": [line_dict(line) for line in self.lines], "older": self.older or None}


def page_of_lines(
    target: Target, *, limit: int, before: str, kind: str, part: str, day: date | None, is_live: bool | None
) -> LinePage:
    """Return the newest *limit* lines that are as wanted; *before*: those before the end of another page."""
    wanted = LinesWanted(kind, part, day.isoformat() if day else "", is_live)
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        found = ledger.past.lines_before(_read(before), limit + 1, wanted)
    page = tuple(found[:limit])
    return LinePage(target, page, _end(page[-1]) if len(found) > limit else "")


def _end(line: Line) -> str:
    one = line.observation
    return f"{one.local_date}.{one.said_at_ms}.{one.id}"


def _read(before: str) -> tuple[str, int, str] | None:
    if not before:
        return None
    day, _, rest = before.partition(".")
    at_ms, _, id_ = rest.partition(".")
    if not at_ms.isdecimal() or len(at_ms) > 15:
        raise UserError("There is no such page of lines.", next_step="begin at the newest")
    return day, int(at_ms), id_


@dataclass(frozen=True, slots=True)
class LinesById(WorkspaceResult):
    """What has the ids that were asked for, in that order; *missing* are those that nothing has.

    A memory that has moved into the ledger is among the *lines*.
    """

    lines: tuple[Line, ...]
    memories: tuple[StoredMemory, ...]
    missing: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.head(zone=True),
            "lines": [line_dict(line) for line in self.lines],
            "memories": [memory.to_dict() for memory in self.memories],
            "missing": list(self.missing),
        }


def by_id(target: Target, ids: Iterable[str], working: WorkingDatabase | None) -> LinesById:
    """Return what has *ids*; what was forgotten is missing. Without such a layer *working* is None."""
    wanted = tuple(dict.fromkeys(ids))
    found = {id_: one for id_ in wanted if working and (one := memories.by_id(working, id_))}
    became = {id_: was.line_ids for id_ in wanted if working and (was := moved.find(working, id_))}
    named = {id_: became.get(id_, (id_,)) for id_ in wanted}
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        lines = ledger.lines({line_id for line_ids in named.values() for line_id in line_ids})
    there = {id_: line for id_, line in lines.items() if line.standing.closed is not Closed.FORGOTTEN}
    shown = dict.fromkeys(one for line_ids in named.values() for one in line_ids if one in there)
    return LinesById(
        target,
        tuple(there[one] for one in shown),
        tuple(found.values()),
        tuple(id_ for id_ in wanted if id_ not in found and there.keys().isdisjoint(named[id_])),
    )
