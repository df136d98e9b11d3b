"""How many of something, in words for a person: one of it is not told like several."""

from __future__ import annotations


def counted(number: int, one: str, many: str = "") -> str:
    """Return "1 line", "0 lines", "1,204 lines"; *many* where it is not *one* with an "s": "entries"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
