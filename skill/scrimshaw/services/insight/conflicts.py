"""The conflicts among a workspace's lines, and the person's decision on each.

Merging keeps the newer or more certain line and archives the other: it leaves the section, search marks it as
replaced, and the archives keep it. "Keep both" is stored in the ledger, and the pair is not shown again.
Deleting removes one line. Each is an event, so that `undo` can revert it and `why` shows it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from scrimshaw import files
from scrimshaw.archive.dated import LIMIT_BYTES, parse_line
from scrimshaw.clock import milliseconds
from scrimshaw.core.insight.conflicts import Conflict, OnProgress, find_conflicts
from scrimshaw.core.section.render import inert
from scrimshaw.core.types import Author, Event, EventType, Line
from scrimshaw.errors import UserError, usage_error
from scrimshaw.services.insight.deciding import Decisions, deciding
from scrimshaw.services.insight.nearest import nearest_pairs
from scrimshaw.services.paging import page_after
from scrimshaw.services.publish.result import Published
from scrimshaw.services.results import SectionResult, WorkspaceResult, line_dict
from scrimshaw.sources.reading import paused_collector
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.workspace import Target

_BY = Author.PERSON.value
Place = tuple[str, int]  # path within the workspace, and line number from 1; 0 for none


class Settlement(StrEnum):
    """A person's decision on a conflict."""

    MERGE = "merge"
    KEEP_BOTH = "keep-both"
    DELETE_FIRST = "delete-1"
    DELETE_SECOND = "delete-2"


@dataclass(frozen=True, slots=True)
class ConflictList(WorkspaceResult):
    """The conflicts of a workspace; *count* includes those beyond the limit."""

    conflicts: tuple[Conflict, ...]
    count: int
    places: Mapping[str, Place] = field(default_factory=dict)
    after: str | None = None  # what names the last pair, if more follow

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.head(),
            "count": self.count,
            "conflicts": [self._conflict_dict(one) for one in self.conflicts],
            "exit_code": int(self.exit_code),
        }

    def _conflict_dict(self, conflict: Conflict) -> dict[str, Any]:
        return {
            "fact1": self._fact_dict(conflict.older),
            "fact2": self._fact_dict(conflict.newer),
            "conflict_type": conflict.type.value,
            "similarity": conflict.similarity,
            "suggestion": conflict.suggestion,
            "keeps": conflict.kept.observation.id,
        }

    def _fact_dict(self, line: Line) -> dict[str, Any]:
        file, number = self.places.get(line.observation.id, ("ledger", 0))
        told = line_dict(line)
        return {
            "fact": told.pop("text"),
            **told,
            "confidence": line.observation.confidence,
            "source_file": file,
            "line": number or None,
        }


@dataclass(frozen=True, slots=True)
class SettledConflict(SectionResult):
    """The result of a decision, and of updating the section."""

    settlement: Settlement
    kept: tuple[Line, ...]
    gone: Line | None
    published: Published | None  # None: nothing was changed

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of `scrimshaw conflicts --merge … --json`."""
        return {
            **self.head(),
            "outcome": self.settlement.value if self.published else "unchanged",
            "kept": [line.observation.id for line in self.kept],
            "gone": self.gone.observation.id if self.gone else None,
            "section": self.published.result.value if self.published else None,
            "exit_code": int(self.exit_code),
        }


class ConflictDesk:
    """One session of deciding on a workspace's conflicts; belongs to the thread that opened it."""

    def __init__(self, found: ConflictList, decisions: Decisions, now: datetime) -> None:
        self.found = found
        self._decisions = decisions
        self._at_ms = milliseconds(now)

    def still_stands(self, conflict: Conflict) -> bool:
        """Tell whether both lines still hold: an earlier decision may have closed one."""
        lines = self._decisions.ledger.lines(conflict.ids)
        return len(lines) == len(conflict.ids) and all(line.standing.is_live for line in lines.values())

    def settle(self, conflict: Conflict, settlement: Settlement) -> tuple[tuple[Line, ...], Line | None]:
        """Store the person's decision at once; return the lines kept and the one removed."""
        older, newer = conflict.older, conflict.newer
        kept: tuple[Line, ...]
        gone: Line | None
        match settlement:
            case Settlement.KEEP_BOTH:
                kept, gone = (older, newer), None
            case Settlement.MERGE:
                kept, gone = (conflict.kept,), older if conflict.kept is newer else newer
            case Settlement.DELETE_FIRST:
                kept, gone = (newer,), older
            case Settlement.DELETE_SECOND:
                kept, gone = (older,), newer
        self._decisions.append(lambda: self._events(conflict, settlement, kept[0], gone))
        return kept, gone

    def finish(self, *, at_once: bool = False) -> Published | None:
        """Update dated files and section; None when nothing was decided."""
        return self._decisions.finish(at_once=at_once)[0]

    def _events(
        self, conflict: Conflict, settlement: Settlement, kept: Line, gone: Line | None
    ) -> list[Event]:
        if not self.still_stands(conflict):
            return []
        if gone is None:
            one, other = conflict.ids
            return [Event(EventType.KEPT_BOTH, one, self._at_ms, _BY, other)]
        if settlement is Settlement.MERGE:
            id_, other = gone.observation.id, kept.observation.id
            return [Event(EventType.SUPERSEDED, id_, self._at_ms, _BY, other)]
        return [Event(EventType.DELETED, gone.observation.id, self._at_ms, _BY)]


def conflicts_in(
    target: Target, ledger: Ledger, *, apart: bool = False, on_progress: OnProgress | None = None
) -> list[Conflict]:
    """Return conflicts among lines in force, but for pairs the person keeps; *apart*: see nearest_pairs."""
    nearest = nearest_pairs(target, ledger, apart=apart)
    with paused_collector():
        return find_conflicts(
            ledger.live_lines(), kept_both=ledger.past.kept_both(), nearest=nearest, on_progress=on_progress
        )


def list_conflicts(
    target: Target, limit: int, after: str = "", on_progress: OnProgress | None = None
) -> ConflictList:
    """Return the conflicts of *target*, or those *after* a page; opens the ledger for reading."""
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        return _listed(target, ledger, limit, after, on_progress)


def _listed(
    target: Target, ledger: Ledger, limit: int, after: str = "", on_progress: OnProgress | None = None
) -> ConflictList:
    found = conflicts_in(target, ledger, on_progress=on_progress)
    shown, last = page_after(found, after, limit, lambda one: ".".join(one.ids))
    lines = [line for one in shown for line in (one.older, one.newer)]
    return ConflictList(target, tuple(shown), len(found), _places_of(target, lines), last)


def _places_of(target: Target, lines: Iterable[Line]) -> dict[str, Place]:
    """Return, by id, the dated file of each line and its line number there."""
    by_day: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        by_day[line.observation.local_date].append(line)
    found: dict[str, Place] = {}
    for day, told in by_day.items():
        path = target.layout.dated / f"obs-{day}.md"
        numbers = _numbers(path)
        name = path.relative_to(target.layout.workspace).as_posix()
        for line in told:
            number = numbers.get(inert(line.observation.text)) or numbers.get(line.observation.text, 0)
            found[line.observation.id] = (name if numbers else "ledger", number)
    return found


def _numbers(path: Path) -> dict[str, int]:
    try:
        content = files.read_bytes(path, LIMIT_BYTES)
    except UserError:
        return {}
    if content is files.ABSENT:
        return {}
    rows = content.decode("utf-8", "replace").split("\n")
    said = ((number, parse_line(row.removesuffix("\r"))) for number, row in enumerate(rows, 1))
    return {line.text: number for number, line in said if line}


@contextmanager
def settling(
    target: Target, now: datetime, limit: int, on_progress: OnProgress | None = None
) -> Iterator[ConflictDesk]:
    """Open a session of decisions; those made are kept, however it ends."""
    with deciding(target, now, "conflicts") as decisions:
        yield ConflictDesk(_listed(target, decisions.ledger, limit, "", on_progress), decisions, now)


def settle_one(
    target: Target, first: str, second: str, settlement: Settlement, now: datetime, *, at_once: bool
) -> SettledConflict:
    """Settle the conflict between the lines that *first* and *second* identify; else UserError."""
    with deciding(target, now, "conflicts") as decisions:
        ids = [decisions.find(words).observation.id for words in (first, second)]
        found = [one for one in conflicts_in(target, decisions.ledger) if set(one.ids) == set(ids)]
        if not found:
            raise usage_error(
                "These two lines are in no conflict. Nothing was changed.",
                next_step="scrimshaw conflicts lists those that are",
            )
        conflict = found[0]
        if conflict.ids[0] != ids[0]:  # the caller's first line is 1, its second 2
            turned = {
                Settlement.DELETE_FIRST: Settlement.DELETE_SECOND,
                Settlement.DELETE_SECOND: Settlement.DELETE_FIRST,
            }
            settlement = turned.get(settlement, settlement)
        desk = ConflictDesk(ConflictList(target, (conflict,), 1), decisions, now)
        kept, gone = desk.settle(conflict, settlement)
        return SettledConflict(target, settlement, kept, gone, desk.finish(at_once=at_once))
