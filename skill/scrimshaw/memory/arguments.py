"""What calls of `Memory` take: times as they are said, limits, and how far a run is told to be."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from scrimshaw.services.observe.task import Observed

When = str | date | datetime


class Progress(NamedTuple):
    """How far an observe run is: what was read, and, where a model notes, what came of its windows so far."""

    read_bytes: int
    observed: Observed | None = None


def typed_time(when: When | None) -> str | None:
    """Return a time as somebody would type it; a datetime without a zone is in the workspace's."""
    return when.isoformat() if isinstance(when, date) else when


def check_limit(limit: int) -> None:
    """Raise ValueError for a limit below 1."""
    if limit < 1:
        raise ValueError(f"limit: {limit} is not at least 1")


def number_or_time(given: int | When) -> str:
    """Return the number of a revision, or a time, as somebody would type it."""
    return str(given) if isinstance(given, int) else typed_time(given) or ""
