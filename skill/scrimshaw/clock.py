"""What time it is. `SCRIMSHAW_NOW` (ISO 8601 with an offset) sets it for tests, replays and benches."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from scrimshaw.errors import UserError

_YEARS = range(1970, 9_000)  # what epoch milliseconds and calendars can hold with room


def now(env: Mapping[str, str]) -> datetime:
    """Return the present moment, aware, in UTC; raise UserError when SCRIMSHAW_NOW is no aware time."""
    said = env.get("SCRIMSHAW_NOW")
    if not said:
        return datetime.now(UTC)
    try:
        moment = datetime.fromisoformat(said)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None or moment.year not in _YEARS:
        raise UserError(
            f"SCRIMSHAW_NOW is {said!r}, which is not a time with an offset in our days.",
            next_step="unset it, or write for example 2026-11-20T12:00:00+00:00",
        )
    return moment.astimezone(UTC)


def milliseconds(moment: datetime) -> int:
    """Return *moment* as UTC epoch milliseconds."""
    return int(moment.timestamp() * 1000)


def local_minute(at_ms: int, zone: str) -> str:
    """Return a time as its owner reads it: 2026-11-20 14:05."""
    return f"{datetime.fromtimestamp(at_ms / 1000, ZoneInfo(zone)):%Y-%m-%d %H:%M}"
