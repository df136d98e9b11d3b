"""Types of arguments for `Memory`: times, limits, and progress."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from scrimshaw.services.observe.task import Observed

When = str | date | datetime


class Progress(NamedTuple):
    """The progress of an observe run: bytes read and, with a model, the windows done so far."""

    read_bytes: int
    observed: Observed | None = None


def typed_time(when: When | None) -> str | None:
    """Return a time as a person would type it; a datetime without a zone is in the workspace's zone."""
    return when.isoformat() if isinstance(when, date) else when


def readable(question: str) -> str:
    """Return *question* with a sign in the place of what no file and no model can hold."""
    return question.encode("utf-8", "replace").decode()


def check_limit(limit: int) -> None:
    """Raise ValueError for a limit below 1."""
    if limit < 1:
        raise ValueError(f"limit: {limit} is not at least 1")


def number_or_time(given: int | When) -> str:
    """Return a revision's number, or a time, as a person would type it."""
    return str(given) if isinstance(given, int) else typed_time(given) or ""
