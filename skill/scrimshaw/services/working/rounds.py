"""Due work on the working layer: vectors, regular consolidations, and the nightly round.

Both rounds are made once, late, if no process was running at their time. The first of a day, after the hour
of the nightly one, also lowers the importance of memories that nobody has read.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, time, timedelta
from math import inf
from zoneinfo import ZoneInfo

from scrimshaw.clock import milliseconds
from scrimshaw.config import seconds
from scrimshaw.services.working.consolidate import consolidate
from scrimshaw.services.working.layer import WorkingLayer, make_missing
from scrimshaw.working import memories
from scrimshaw.working.database import WorkingDatabase
from scrimshaw.workspace import Target

_READ_LATELY = timedelta(days=1)


def keep_up(target: Target, now: datetime, is_stopped: Callable[[], bool] = lambda: False) -> float:
    """Do what is due, and return the seconds until more is; inf without a working layer.

    Raises UserError and RunStopped like `consolidate`; the round stays due until one has ended.
    """
    settings = target.config.settings
    if not target.layout.working.exists():
        return inf
    layer = WorkingLayer(target.layout, settings)
    try:
        following_s = make_missing(layer, settings, is_stopped)
        if not (settings.memory_consolidation_enabled and settings.memory_episodic_enabled):
            return following_s
        night = _last_night(now, target.zone, settings.memory_consolidation_sleep_cycle)
        if why := _why_due(layer.db, target, now, night):
            # Not only in a round of the night: a program may have made one by hand since.
            memories.fade(layer.db, f"{night:%Y-%m-%d}", milliseconds(now - _READ_LATELY))
            consolidate(target, layer, now, trigger=why, is_stopped=is_stopped)
        interval = timedelta(seconds=seconds(settings.memory_consolidation_interval))
        following = min(_last_round(layer.db, now) + interval, night + timedelta(days=1))
        return min(following_s, max(1.0, (following - now).total_seconds()))
    finally:
        layer.close()


def _why_due(db: WorkingDatabase, target: Target, now: datetime, night: datetime) -> str:
    settings, last = target.config.settings, _last_round(db, now)
    if memories.count_beyond(db, settings.memory_working_max_entries):
        return "there is no room"
    if night > last:
        return "the nightly round"
    if now - last >= timedelta(seconds=seconds(settings.memory_consolidation_interval)):
        return "its interval"
    return ""


def _last_round(db: WorkingDatabase, now: datetime) -> datetime:
    """Return the time of the last round; a time in the future came from a clock that was ahead."""
    done = [one.created_at_ms for one in memories.rounds(db, 1) if one.created_at_ms <= milliseconds(now)]
    return (
        datetime.fromtimestamp(done[0] / 1000, now.tzinfo)
        if done
        else datetime(1970, 1, 2, tzinfo=now.tzinfo)
    )


def _last_night(now: datetime, zone: str, at: str) -> datetime:
    """Return the last moment at which it was *at* o'clock in *zone*."""
    local = now.astimezone(ZoneInfo(zone))
    night = datetime.combine(local.date(), time.fromisoformat(at), local.tzinfo)
    return night if night <= local else night - timedelta(days=1)
