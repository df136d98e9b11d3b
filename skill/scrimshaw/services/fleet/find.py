"""Ask the server what the agents that this login may read have noted, when, and where it came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from scrimshaw.errors import Exit, UserError
from scrimshaw.fleet import search as asked
from scrimshaw.fleet import server
from scrimshaw.fleet.search import FleetLine
from scrimshaw.services.edit.find_line import among, only
from scrimshaw.services.fleet.link import need_link
from scrimshaw.services.fleet.meanings import vector_of
from scrimshaw.services.results import WorkspaceResult
from scrimshaw.services.times import time_named
from scrimshaw.store.ledger import open_ledger
from scrimshaw.workspace import Target

_DAYS = 14  # covered by a timeline without a start


@dataclass(frozen=True, slots=True)
class FleetLines(WorkspaceResult):
    """Lines of a fleet, and remarks for the person on how they were found."""

    lines: tuple[FleetLine, ...]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of `--fleet --json`."""
        return {
            **self.head(),
            "lines": [{**line._asdict(), "score": round(line.score, 4)} for line in self.lines],
            "notes": list(self.notes),
            "exit_code": int(Exit.OK),
        }


def search_fleet(
    target: Target, env: Mapping[str, str], query: str, agents: Sequence[str] | None, limit: int
) -> FleetLines:
    """Return the lines that answer *query*, of all memories that this login may read or of *agents*."""
    link = need_link(target)
    with server.connected(link.address.read(env)) as there:
        vector, note = vector_of(target, query, server.schema(there))
        found = asked.search(there, query, vector=vector, agents=agents, limit=limit)
    return FleetLines(target, tuple(found), (note,) if note else ())


def timeline_of_fleet(
    target: Target,
    env: Mapping[str, str],
    now: datetime,
    when: tuple[str | None, str | None],
    agents: Sequence[str] | None,
    limit: int,
) -> FleetLines:
    """Return the lines noted on the days of *when* (from, to); if more than *limit*, the newest."""
    begin, end = (
        time_named(name, said, now, target.zone, "Nothing was shown.") if said is not None else None
        for said, name in zip(when, ("since", "until"), strict=True)
    )
    local = ZoneInfo(target.zone)
    last = end.end - timedelta(microseconds=1) if end else now
    first = begin.start if begin else last - timedelta(days=_DAYS)
    days = [moment.astimezone(local).date().isoformat() for moment in (first, last)]
    link = need_link(target)
    with server.connected(link.address.read(env)) as there:
        server.schema(there)
        found = asked.timeline(there, days[0], days[1], agents, limit)
    return FleetLines(target, tuple(found))


def origin_of_line(target: Target, env: Mapping[str, str], words: str) -> FleetLines:
    """Return the line that *words* identify, with the machine and conversation it came from."""
    link = need_link(target)
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        every = ledger.all_lines()
    line = only(among([one for one in every if one.standing.is_live], words) or among(every, words), words)
    with server.connected(link.address.read(env)) as there:
        server.schema(there)
        found = asked.origin(there, link.agent, line.observation.id)
    if found is None:
        raise UserError(
            "This line is here and not on the server: it was noted since the last sync, or does not leave.",
            next_step="scrimshaw fleet sync",
        )
    return FleetLines(target, (found,))
