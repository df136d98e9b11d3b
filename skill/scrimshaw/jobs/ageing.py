"""What the date has done to the lines, written into the ledger, so that the fold needs no clock (rule 1)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from scrimshaw.clock import milliseconds
from scrimshaw.core import decay
from scrimshaw.core.model import Event, EventType, Line
from scrimshaw.jobs.target import Target
from scrimshaw.store.ledger import Ledger


class Aged(NamedTuple):
    """The ids of the lines that time has changed."""

    expired: tuple[str, ...] = ()
    retired: tuple[str, ...] = ()
    taken_back: tuple[str, ...] = ()


UNAGED = Aged()
_BY_AGE = "ttl_days"  # the reason with which releases up to 0.6 dropped a line that was old, and nothing else


def age(target: Target, ledger: Ledger, *, now: datetime, run_id: str) -> Aged:
    """Append what *now* expires, retires or takes back; nothing under a clock that cannot be believed."""
    today = now.astimezone(ZoneInfo(target.zone)).date()
    at_ms = milliseconds(now)
    if not decay.is_plausible(today):
        return Aged()
    lines = ledger.live_lines()
    early = decay.premature([*lines, *ledger.dropped_after(at_ms)], now_ms=at_ms, today=today)
    if early:
        why = "its time was not over"
        ledger.append([Event(EventType.TAKEN_BACK, id_, at_ms, run_id, reason=why) for id_ in early])
        lines = ledger.live_lines()
    settings = target.config.settings
    aged_out = ledger.dropped_as(_BY_AGE)
    retired = decay.retired(
        [*lines, *map(_as_live, aged_out)],
        today=today,
        half_life_days=settings.ttl_days,
        max_observations=settings.max_observations_per_agent,
        max_reflections=settings.max_reflections_per_agent,
    )
    held = {line.observation.id for line in lines}
    over = {due.id for due in retired}
    back = [line.observation.id for line in aged_out if line.observation.id not in over]
    if back:
        why = "age only lowers its rank"
        ledger.append([Event(EventType.TAKEN_BACK, id_, at_ms, run_id, reason=why) for id_ in back])
        lines = ledger.live_lines()
    retired = tuple(due for due in retired if due.id in held)
    expired = decay.expired(lines, today)
    events = [Event(EventType.EXPIRED, id_, at_ms, run_id, reason="its time is over") for id_ in expired]
    events += [Event(EventType.DROPPED, due.id, at_ms, run_id, reason=due.reason) for due in retired]
    if events:
        ledger.append(events)
    return Aged(expired, tuple(due.id for due in retired), (*early, *back))


def _as_live(line: Line) -> Line:
    return line._replace(standing=replace(line.standing, closed=None))
