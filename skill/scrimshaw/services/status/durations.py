"""How long ago something was, in words for a person."""

from __future__ import annotations

from datetime import datetime

from scrimshaw.clock import milliseconds
from scrimshaw.core.text.plural import counted

_SIZES = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


def age_seconds(at_ms: int | None, moment: datetime) -> int | None:
    """Return the whole seconds from *at_ms* to *moment*, at least 0; None for no time."""
    return None if not at_ms else max(0, (milliseconds(moment) - at_ms) // 1000)


def at_ms_of(text: str) -> int:
    """Return the UTC milliseconds of an ISO 8601 time with an offset; 0 for anything else."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return 0
    return milliseconds(at) if at.tzinfo else 0


def ago(at_ms: int | None, moment: datetime) -> str:
    """Return when *at_ms* was: "3 hours ago", "just now", "never" for no time."""
    age = age_seconds(at_ms, moment)
    if age is None:
        return "never"
    return "just now" if age < _SIZES[-1][0] else f"{span(age)} ago"


def span(seconds: float) -> str:
    """Return a length of time in its largest unit: "3 hours"; below a minute "less than a minute"."""
    for size, name in _SIZES:
        if seconds >= size:
            count = int(seconds // size)
            return counted(count, name)
    return "less than a minute"
