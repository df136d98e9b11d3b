"""Where a day, its week and its month begin in somebody's zone, and how many days ago something was."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from enum import StrEnum
from typing import NamedTuple
from zoneinfo import ZoneInfo

_DAY_MS = 86_400_000


class Freshness(StrEnum):
    """How lately something was said; each memory is in one of them."""

    TODAY = "today"
    THIS_WEEK = "this_week"  # from Monday on, before today
    THIS_MONTH = "this_month"  # from the first on, before this week
    OLDER = "older"


class Calendar(NamedTuple):
    """One day, in UTC milliseconds."""

    day: date
    start_ms: int
    end_ms: int  # the first moment of the next day
    week_ms: int
    month_ms: int

    def days_since(self, at_ms: int) -> int:
        """Return how many midnights lie between *at_ms* and this day; 0 for what is to come."""
        return max(0, (self.end_ms - 1 - at_ms) // _DAY_MS)

    def freshness(self, at_ms: int) -> Freshness:
        """Return how lately *at_ms* is."""
        if at_ms >= self.start_ms:
            return Freshness.TODAY
        if at_ms >= self.week_ms:
            return Freshness.THIS_WEEK
        return Freshness.THIS_MONTH if at_ms >= self.month_ms else Freshness.OLDER


def calendar(day: date, zone: str) -> Calendar:
    """Return *day* as it is in *zone*, an IANA name."""
    monday = day - timedelta(day.weekday())
    bounds = (_start(one, zone) for one in (day, day + timedelta(1), monday, day.replace(day=1)))
    return Calendar(day, *bounds)


def day_of(at_ms: int, zone: str) -> date:
    """Return the day of *at_ms* in *zone*."""
    return datetime.fromtimestamp(at_ms / 1000, ZoneInfo(zone)).date()


def _start(day: date, zone: str) -> int:
    return int(datetime.combine(day, time(), ZoneInfo(zone)).timestamp() * 1000)
