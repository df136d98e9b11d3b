"""The times that somebody names: read in one way everywhere, and refused in one way."""

from __future__ import annotations

from datetime import datetime

from scrimshaw.core.text.moments import EXAMPLES, Span, moment
from scrimshaw.errors import usage_error


def time_named(name: str, said: str, now: datetime, zone: str, undone: str) -> Span:
    """Return the time that *said*, the value of the argument *name*, means.

    Raises UserError (exit code 2) that tells *undone*, such as "Nothing was shown.", when it means none.
    """
    try:
        return moment(said, now, zone)
    except ValueError as error:
        raise usage_error(f"{name}: {error}. {undone}", next_step=f"write {EXAMPLES}") from None


def check_order(name: str, start: datetime, end: datetime, undone: str) -> None:
    """Raise UserError where *end* is not after *start*; *name* is the argument to be changed."""
    if start >= end:
        raise usage_error(
            f"{name}: the beginning, {start:%Y-%m-%d %H:%M}, is not before the end, {end:%Y-%m-%d %H:%M}. "
            f"{undone}",
            next_step="name an earlier day first",
        )
