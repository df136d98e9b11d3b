"""Figures about a workspace's memory now: `stats` and `stale`; reads the ledger, writes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from scrimshaw.archive.dated import place_of
from scrimshaw.clock import milliseconds
from scrimshaw.core.insight import figures as core
from scrimshaw.core.insight.calendar import Calendar, calendar, day_of
from scrimshaw.core.insight.known import LineInForce
from scrimshaw.core.insight.recalls import Recalls, recalls
from scrimshaw.core.types import Observation
from scrimshaw.errors import UserError
from scrimshaw.layout import Layout
from scrimshaw.services.paging import page_after
from scrimshaw.services.results import WorkspaceResult
from scrimshaw.sources.reading import paused_collector
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.workspace import Target

_DIGITS = 4


class MemorySnapshot(NamedTuple):
    """The lines in force at one moment, with their use."""

    known: Sequence[LineInForce]
    recalled: Mapping[str, Recalls]
    today: Calendar

    @property
    def newest_ms(self) -> int:
        """The time of the newest line."""
        return max((line.told_ms for line in self.known), default=0)


@dataclass(frozen=True, slots=True)
class StatsResult(WorkspaceResult):
    """Figures about the memory."""

    figures: core.Figures
    storage_bytes: int
    top_recalled: tuple[tuple[LineInForce, int], ...]

    def to_dict(self) -> dict[str, Any]:
        found = self.figures
        return {
            **self.head(),
            "memories": found.memories,
            "facts": found.facts,
            "sources": found.sources,
            "storage_bytes": self.storage_bytes,
            "avg_confidence": round(found.avg_confidence, _DIGITS),
            "facts_by_type": {type_.value: count for type_, count in found.facts_by_type.items()},
            "freshness": {one.value: count for one, count in found.freshness.items()},
            "top_recalled": [
                {"fact_id": line.id, "fact": line.text, "recalls": count} for line, count in self.top_recalled
            ],
            "exit_code": int(self.exit_code),
        }


class StaleFact(NamedTuple):
    """A fact that may no longer hold, with its file within the workspace and its line number there."""

    stale: core.StaleLine
    file: str
    line: int  # 0: not found in the file

    @property
    def source(self) -> str:
        """File and line number, for a person."""
        return f"{self.file}:{self.line}" if self.line else self.file

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of `scrimshaw stale --json` for one fact."""
        found = self.stale
        return {
            "fact_id": found.line.id,
            "fact": found.line.text,
            "type": found.line.type.value,
            "effective_confidence": round(found.effective_confidence, _DIGITS),
            "confidence": round(found.line.confidence, _DIGITS),
            "days_since_reinforced": found.days,
            "days_old": found.age,
            "recall_count": found.recalls.times,
            "last_recalled": found.recalls.last_day or None,
            "source_file": self.file,
            "source_line": self.line or None,
        }


@dataclass(frozen=True, slots=True)
class StaleResult(WorkspaceResult):
    """Facts that may no longer hold, most doubtful first; *found* includes those beyond the limit."""

    found: int
    facts: tuple[StaleFact, ...]
    after: str | None = None  # the last fact's id, if more follow

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.head(),
            "found": self.found,
            "stale": [fact.to_dict() for fact in self.facts],
            "exit_code": int(self.exit_code),
        }


def stats(target: Target, now: datetime) -> StatsResult:
    """Return the figures of today."""
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        look = look_at(target, ledger, now)
    top = core.top_recalled(look.known, look.recalled)
    return StatsResult(target, core.figures(look.known, look.today), storage_bytes(target.layout), tuple(top))


def stale(
    target: Target, now: datetime, *, min_confidence: float, days: int, limit: int, after: str = ""
) -> StaleResult:
    """Return the facts that may no longer hold today; *after*: those that follow the one of this id."""
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        look = look_at(target, ledger, now)
        found = core.stale(
            look.known,
            look.recalled,
            look.today,
            newest_ms=look.newest_ms,
            min_confidence=min_confidence,
            days=days,
        )
        shown, last = page_after(found, after, limit, lambda one: one.line.id)
        lines = ledger.lines([one.line.id for one in shown])
    facts = (StaleFact(one, *where(target, lines[one.line.id].observation)) for one in shown)
    return StaleResult(target, len(found), tuple(facts), last)


def look_at(target: Target, ledger: Ledger, now: datetime) -> MemorySnapshot:
    """Return the present snapshot."""
    zone = target.zone
    today = calendar(day_of(milliseconds(now), zone), zone)
    insight = ledger.insight
    with paused_collector():
        searches = {
            id_: Recalls(times, day_of(at_ms, zone).isoformat()) for id_, times, at_ms in insight.searches()
        }
        return MemorySnapshot(
            insight.known(), recalls(searches, insight.sections(), insight.moments()), today
        )


def where(target: Target, observation: Observation) -> tuple[str, int]:
    """Return the dated file of a line, within the workspace, and its line number there, 0 for none."""
    workspace = target.layout.workspace
    try:
        path, line = place_of(workspace, observation)
    except (OSError, UserError):  # unreadable at the moment: the file is still named
        path, line = target.layout.dated / f"obs-{observation.local_date}.md", 0
    return str(path.relative_to(workspace)), line


def storage_bytes(layout: Layout) -> int:
    """Return the bytes on disk of everything remembered: ledger, index, archives, dated files."""
    whole = (layout.search_index, layout.episodic, layout.dated)
    parts = [path for folder in whole for path in folder.rglob("*")]
    parts += [path for name in ("ledger", "working") for path in layout.state.glob(f"{name}.sqlite*")]
    return sum(map(_size, parts))


def _size(path: Path) -> int:
    try:
        return 0 if path.is_symlink() or not path.is_file() else path.stat().st_size
    except OSError:
        return 0  # deleted since it was listed
