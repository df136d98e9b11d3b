"""The health score of a workspace's memory, with the lines and commands behind every lost point."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from scrimshaw.clock import milliseconds
from scrimshaw.core.insight.conflicts import Conflict, OnProgress
from scrimshaw.core.insight.health import Around, Fault, Health, health_of
from scrimshaw.core.ledger.observations import NOT_LAID_OUT
from scrimshaw.core.text.plural import counted
from scrimshaw.errors import Exit
from scrimshaw.services.insight.conflicts import conflicts_in
from scrimshaw.services.results import WorkspaceResult
from scrimshaw.services.status.status import look_at_section, look_at_stores
from scrimshaw.services.status.unshown import why_unshown
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.workspace import Target

_DAY_SECONDS = 86_400
_MOST_NAMED = 20  # lines of each fault in JSON


@dataclass(frozen=True, slots=True)
class HealthReport(WorkspaceResult):
    """The score, and what costs points."""

    health: Health

    @property
    def score(self) -> int:
        """The score, 0 to 100."""
        return self.health.score

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.head(),
            "score": self.health.score,
            "lines": self.health.line_count,
            "lost": [_fault_dict(fault) for fault in self.health.faults],
            "exit_code": int(Exit.OK),
        }


def _fault_dict(fault: Fault) -> dict[str, Any]:
    return {
        "fault": fault.name.value,
        "points": fault.points,
        "count": fault.amount,
        "command": fault.command,
        "lines": [
            {"id": line.observation.id, "fact": line.observation.text} for line in fault.lines[:_MOST_NAMED]
        ],
        "told": list(fault.told),
    }


def score_health(
    target: Target, now: datetime, env: Mapping[str, str], on_progress: OnProgress | None = None
) -> HealthReport:
    """Return the health of *target*; opens the ledger for reading."""
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        around = look_around(target, ledger, now, conflicts_in(target, ledger, on_progress=on_progress), env)
        return HealthReport(target, health_of(ledger.live_lines(), around, milliseconds(now)))


def look_around(
    target: Target, ledger: Ledger, now: datetime, conflicts: list[Conflict], env: Mapping[str, str]
) -> Around:
    """Return what is known beside the lines of *target*, whose *conflicts* are known."""
    stores = look_at_stores(target, ledger, now)
    dry = [f"{one.id}: {one.problem}" for one in stores.sources if one.problem]
    if stores.backlog.tokens and stores.backlog.idle_seconds > _DAY_SECONDS:
        days = counted(int(stores.backlog.idle_seconds // _DAY_SECONDS), "day")
        dry.append(f"about {stores.backlog.tokens:,} tokens have waited for {days}")
    shown = look_at_section(target, ledger)
    waiting = ledger.counts().awaiting_review
    return Around(
        conflicts,
        dry,
        max(0, shown.units - shown.budget.body_units),
        sum(count for reason, count in waiting.items() if reason not in NOT_LAID_OUT),
        why_unshown(target, env) if shown.is_aside else (),
    )
