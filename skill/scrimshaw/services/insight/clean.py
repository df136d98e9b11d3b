"""Cleaning: remove small talk and merge duplicates; one revision, which `undo` reverts.

Nothing is forgotten: a removed line is closed in the ledger and stays in the archives. The person's own
lines, pinned ones, and those that an undo brought back are never removed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from scrimshaw.clock import milliseconds
from scrimshaw.core.insight.health import FaultName, find_faulty
from scrimshaw.core.types import Author, Event, EventType, Line
from scrimshaw.services.insight.deciding import deciding
from scrimshaw.services.publish.result import Published
from scrimshaw.services.results import SectionResult
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.workspace import Target

_BY = Author.PERSON.value
CLEANED = (FaultName.JUNK, FaultName.DOUBLED)  # the default


@dataclass(frozen=True, slots=True)
class Cleaning(SectionResult):
    """The lines removed, or to be removed, each with its fault; *count* lines were in force before."""

    gone: tuple[tuple[FaultName, Line], ...]
    count: int
    published: Published | None = None
    is_rehearsal: bool = False

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.head(),
            "lines": self.count,
            "gone": [
                {"id": line.observation.id, "fact": line.observation.text, "fault": fault.value}
                for fault, line in self.gone
            ],
            "is_dry_run": self.is_rehearsal,
            "section": self.published.result.value if self.published else None,
            "exit_code": int(self.exit_code),
        }


def rehearse(target: Target, now: datetime, only: Sequence[FaultName] = CLEANED) -> Cleaning:
    """Return what `clean` would remove; writes nothing."""
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        events, gone, count = _planned(ledger, now, only)
    assert len(events) == len(gone), "a line goes by one event"
    return Cleaning(target, gone, count, is_rehearsal=True)


def clean(
    target: Target, now: datetime, only: Sequence[FaultName] = CLEANED, *, at_once: bool = False
) -> Cleaning:
    """Remove the lines with one of the faults *only*, in one transaction."""
    planned: tuple[tuple[FaultName, Line], ...] = ()
    count = 0
    with deciding(target, now, "clean") as decisions:

        def decide() -> list[Event]:
            nonlocal planned, count
            events, planned, count = _planned(decisions.ledger, now, only)
            return events

        decisions.append(decide)
        published, _ = decisions.finish(at_once=at_once)
    return Cleaning(target, planned, count, published)


def _planned(
    ledger: Ledger, now: datetime, only: Sequence[FaultName]
) -> tuple[list[Event], tuple[tuple[FaultName, Line], ...], int]:
    lines, at_ms = ledger.live_lines(), milliseconds(now)
    faulty = find_faulty(lines, at_ms)
    gone: list[tuple[FaultName, Line]] = []
    events: list[Event] = []
    for fault, found in ((FaultName.JUNK, faulty.chatter), (FaultName.UNVERIFIABLE, faulty.unverifiable)):
        if fault in only:
            gone += [(fault, line) for line in found]
            reason = f"cleaned: {fault.value}"
            events += [
                Event(EventType.DROPPED, line.observation.id, at_ms, _BY, reason=reason) for line in found
            ]
    if FaultName.DOUBLED in only:
        gone += [(FaultName.DOUBLED, one.line) for one in faulty.doubled]
        events += [
            Event(EventType.MERGED, one.line.observation.id, at_ms, _BY, one.by.observation.id)
            for one in faulty.doubled
        ]
    return events, tuple(gone), len(lines)
