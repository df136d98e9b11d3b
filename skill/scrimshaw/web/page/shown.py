"""From values to HTML: the templates, and what they need worked out. Escaped is everything."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from scrimshaw.core.types import Kind
from scrimshaw.services.insight.trend import FIGURES as _FIGURES

KINDS = tuple(kind.value for kind in Kind)
FIGURES = tuple(_FIGURES)
_MOST_CHARS = 2_000  # of one text
_WORD = re.compile(r"\w+")
_LEAST_WORD_CHARS = 3
_WIDTH, _HEIGHT = 600.0, 120.0  # of a figure's curve


@lru_cache(maxsize=1)
def _templates() -> Environment:
    found = Environment(
        loader=PackageLoader("scrimshaw.web.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    found.filters |= {"plain": plain, "day": day, "count": "{:,}".format, "age": age}
    return found


def render(name: str, values: Mapping[str, Any]) -> str:
    """Return the template *name* with *values*."""
    return _templates().get_template(name).render(values)


def plain(text: object, most: int = _MOST_CHARS) -> str:
    """Return *text* without what would order it anew or hide in it, cut where it is longer than *most*."""
    said = str(text if text is not None else "")
    kept = "".join(one for one in said[: most + 1] if one in "\n\t" or unicodedata.category(one)[0] != "C")
    return f"{kept[:most]} … ({len(said):,} characters)" if len(said) > most else kept


def day(at_ms: int | None) -> str:
    """Return a moment in milliseconds as a day and a time, in UTC."""
    return f"{datetime.fromtimestamp(at_ms / 1000, UTC):%Y-%m-%d %H:%M}" if at_ms else ""


def age(seconds: float | None) -> str:
    """Return how long ago something was."""
    if seconds is None:
        return "never"
    for size, name in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {name}"
    return f"{max(0.0, seconds):.0f} s"


def share(part: int | None, whole: int | None) -> int:
    """Return how many of 100 parts are full."""
    return min(100, round(100 * (part or 0) / whole)) if whole else 0


def marked(text: str, line: str) -> list[tuple[str, bool]]:
    """Return *text* in pieces, each with whether it is a word of *line*."""
    wanted = {
        word.casefold() for word in _WORD.findall(line) if len(word) >= _LEAST_WORD_CHARS or word.isdigit()
    }
    said, pieces, at = plain(text), [], 0
    for word in _WORD.finditer(said):
        if word.group().casefold() in wanted:
            pieces += [(said[at : word.start()], False), (word.group(), True)]
            at = word.end()
    return [*pieces, (said[at:], False)]


def diff_rows(diff: str) -> list[tuple[str, str]]:
    """Return the rows of a diff, each with what it is: "added", "removed", "same"."""
    kinds = {"+": "added", "-": "removed"}
    rows = [row for row in diff.split("\n")[2:] if not row.startswith("@@")]
    return [(kinds.get(row[:1], "same"), row[1:]) for row in rows if row]


def sparkline(days: Sequence[Mapping[str, Any]]) -> str:
    """Return the points of a curve through the values of *days*, for an SVG of 600 by 120."""
    values = [float(one["value"]) for one in days]
    top, low = max(values), min(0.0, *values)
    step, scale = _WIDTH / max(1, len(values) - 1), (_HEIGHT - 4) / ((top - low) or 1.0)
    return " ".join(
        f"{at * step:.1f},{_HEIGHT - 2 - (value - low) * scale:.1f}" for at, value in enumerate(values)
    )
