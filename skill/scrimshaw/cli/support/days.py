"""Days that are typed as an option's value."""

from __future__ import annotations

from datetime import datetime

from scrimshaw.errors import usage_error

_HOW = "write it like 2026-11-20"


def typed_day(name: str, text: str | None, undone: str) -> datetime | None:
    """Return the day *text* of the option *name*, without a zone; raises UserError, telling *undone*."""
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None)
    except ValueError:
        raise usage_error(
            f"{name}: {text[:80]!r} is not a date that can be read: {_HOW}. {undone}", next_step=_HOW
        ) from None
