"""What the date has done to the lines, written into the ledger, so that the fold needs no clock (rule 1).

Releases up to 0.6 dropped lines for their age alone. Each of those is settled once: it comes back, unless a
later statement has made it untrue, its day has passed, or it would be refused today.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from scrimshaw.clock import milliseconds
from scrimshaw.core.consolidation import expiry
from scrimshaw.core.types import Event, EventType, Line, Place
from scrimshaw.store.ledger import Ledger
from scrimshaw.workspace import Target


class Aged(NamedTuple):
    """The ids of the lines that time has closed."""

    expired: tuple[str, ...] = ()
    retired: tuple[str, ...] = ()


UNAGED = Aged()
_BY_AGE = "ttl_days"  # the reason with which releases up to 0.6 dropped a line that was old, and nothing else


def age(target: Target, ledger: Ledger, *, now: datetime, run_id: str) -> Aged:
    """Append what *now* expires, retires or takes back; nothing under a clock that cannot be believed."""
    today = now.astimezone(ZoneInfo(target.zone)).date()
    at_ms = milliseconds(now)
    if not expiry.is_plausible(today):
        return Aged()
    lines = ledger.live_lines()
    early = expiry.premature([*lines, *ledger.dropped_after(at_ms)], now_ms=at_ms, today=today)
    if early:
        why = "its time was not over"
        ledger.append([Event(EventType.TAKEN_BACK, id_, at_ms, run_id, reason=why) for id_ in early])
        lines = ledger.live_lines()
    settings = target.config.settings
    aged_out = [
        line._replace(standing=replace(line.standing, closed=None)) for line in ledger.dropped_as(_BY_AGE)
    ]
    past = [line.observation.id for line in aged_out if _is_past_plan(line, today)]
    retired = expiry.retired(
        [*lines, *(line for line in aged_out if line.observation.id not in past)],
        today=today,
        half_life_days=settings.ttl_days,
        max_observations=settings.max_observations_per_agent,
        max_reflections=settings.max_reflections_per_agent,
    )
    held = {line.observation.id for line in lines}
    over = {due.id for due in retired}
    within = [line for line in aged_out if line.observation.id not in over]
    settled = [
        Event(type_, id_, at_ms, run_id, other_id, why)
        for type_, id_, other_id, why in _settled(target, ledger, within, past)
    ]
    if settled:
        ledger.append(settled)
        lines = ledger.live_lines()
    retired = tuple(due for due in retired if due.id in held)
    expired = expiry.expired(lines, today)
    events = [Event(EventType.EXPIRED, id_, at_ms, run_id, reason="its time is over") for id_ in expired]
    events += [Event(EventType.DROPPED, due.id, at_ms, run_id, reason=due.reason) for due in retired]
    if events:
        ledger.append(events)
    return Aged(expired, tuple(due.id for due in retired))


def _settled(
    target: Target, ledger: Ledger, aged_out: Sequence[Line], past: Collection[str]
) -> Iterator[tuple[EventType, str, str, str]]:
    """Yield what becomes of each line of *aged_out*, as type, id, other id and reason of its event."""
    if not aged_out:
        return
    # Rules and sources: once, after an upgrade.
    from scrimshaw.core.consolidation.supersede import closed_by_later
    from scrimshaw.services.edit.recheck import doubts

    doubted = doubts(target, ledger, [line for line in reversed(aged_out) if line.observation.id not in past])
    out = {**dict.fromkeys(past, "its day has passed"), **doubted.found}
    said = [line for line in (*ledger.live_lines(), *aged_out) if line.observation.id not in doubted.found]
    may_return = {line.observation.id for line in aged_out} - out.keys()
    closed = {found.id: found for found in closed_by_later(said, may_return)}
    for line in aged_out:
        id_ = line.observation.id
        if id_ in out:
            yield EventType.DROPPED, id_, "", out[id_]
        elif id_ in closed:
            yield closed[id_].type, id_, closed[id_].by_id, closed[id_].reason
        else:
            yield EventType.TAKEN_BACK, id_, "", "age only lowers its rank"


def _is_past_plan(line: Line, today: date) -> bool:
    is_open = line.standing.place is Place.OPEN
    return line.standing.is_expired or (is_open and expiry.is_past(line, today))
