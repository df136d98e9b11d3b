"""All lines, the newest first, page by page: for who looks for nothing in particular.

A page ends at a line, not at a moment, so lines of the same moment are neither left out nor shown twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from scrimshaw.core.types import Kind, Line, Place
from scrimshaw.errors import UserError
from scrimshaw.services.results import WorkspaceResult, line_dict
from scrimshaw.store.ledger import open_ledger
from scrimshaw.store.lines import LinesWanted
from scrimshaw.workspace import Target


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
    wanted = LinesWanted(
        Kind(kind).value if kind else "",
        Place(part).value if part else "",
        day.isoformat() if day else "",
        is_live,
    )
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
