"""The health of every memory of a fleet that this login may read, judged by its lines alone.

What only the machine itself knows costs no points here: conflicts, unread conversations, the section's room,
proposals that wait for the person. Use `scrimshaw health` on that machine for those.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from scrimshaw.clock import milliseconds
from scrimshaw.core.insight.health import Around, Health, health_of
from scrimshaw.core.types import Line
from scrimshaw.errors import Exit
from scrimshaw.fleet import rows, server
from scrimshaw.services.fleet.link import need_link
from scrimshaw.services.results import WorkspaceResult
from scrimshaw.workspace import Target


class AgentHealth(NamedTuple):
    """The health of one agent's memory."""

    agent: str
    health: Health
    newest: str  # local date of its newest line that holds; "" if there is none
    machines: int
    seen_at: datetime | None  # when one of its machines last synced
    unread: int  # lines that this program cannot read


@dataclass(frozen=True, slots=True)
class FleetHealth(WorkspaceResult):
    """The memories that may be read, the worst first."""

    agents: tuple[AgentHealth, ...]

    @property
    def score(self) -> int:
        """The lowest score."""
        return min((one.health.score for one in self.agents), default=100)

    def to_dict(self) -> dict[str, Any]:
        return {**self.head(), "agents": [_told(one) for one in self.agents], "exit_code": int(Exit.OK)}


def _told(one: AgentHealth) -> dict[str, Any]:
    return {
        "name": one.agent,
        "score": one.health.score,
        "lines": one.health.line_count,
        "newest": one.newest,
        "machines": one.machines,
        "seen_at": one.seen_at.isoformat() if one.seen_at else None,
        "unread": one.unread,
        "lost": [
            {"fault": fault.name.value, "points": fault.points, "count": fault.amount}
            for fault in one.health.faults
        ],
    }


def score_fleet(target: Target, env: Mapping[str, str], now: datetime) -> FleetHealth:
    """Return the health of each memory that the login of *target* may read."""
    link = need_link(target)
    found = []
    with server.connected(link.address.read(env)) as there:
        server.schema(there)
        agents = there.execute(
            "select a.number, a.name, count(m.ledger), max(m.seen_at) from scrimshaw.agent a "
            "left join scrimshaw.machine m on m.agent = a.number group by a.number, a.name order by a.name"
        ).fetchall()
        for number, name, machines, seen_at in agents:
            held, unread = rows.live_lines(there, number)
            lines = [Line(one, standing) for one, standing in held]
            newest = max((line.observation.local_date for line in lines), default="")
            health = health_of(lines, Around(), milliseconds(now))
            found.append(AgentHealth(name, health, newest, machines, seen_at, unread))
    return FleetHealth(target, tuple(sorted(found, key=lambda one: one.health.score)))
