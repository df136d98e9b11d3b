"""Render HTML: the templates and their helper functions. All values are escaped."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence, Set
from datetime import datetime
from functools import lru_cache
from itertools import groupby
from typing import Any
from zoneinfo import ZoneInfo

from jinja2 import Environment, PackageLoader, StrictUndefined

from scrimshaw.core.insight.calendar import Freshness
from scrimshaw.core.insight.fact_types import FactType
from scrimshaw.core.text.plural import counted
from scrimshaw.core.types import Kind, Place
from scrimshaw.services.insight.trend import KINDS as _OF_KINDS
from scrimshaw.services.insight.trend import NAMES, TOKENS

KINDS = tuple(kind.value for kind in Kind)
PARTS = tuple(part.value for part in Place)
_GROUPED = {*FactType, *Freshness, *_OF_KINDS, *TOKENS}  # figures that stand in a group of their own
_NAMED = {
    "avg_confidence": "average confidence",
    "conflicts": "contradictions",
    "in_section": "lines in the section",
    "beyond_section": "lines beyond the section",
    "read_tokens": "tokens read",
    "compression": "tokens read for each noted",
    "kept_tokens": "tokens kept",
    "model_tokens": "tokens of the memory's models",
    "agent_tokens": "tokens of the agent's models",
}
# The figures to choose from, by group, each with its name.
FIGURES = {
    group: {name: _NAMED.get(name, name.removeprefix("kind_").replace("_", " ")) for name in names}
    for group, names in {
        "The memory": [name for name in NAMES if name not in _GROUPED],
        "Facts by type": [type_.value for type_ in FactType],
        "Memories by age": [age.value for age in Freshness],
        "Lines by kind": list(_OF_KINDS),
        "Tokens": list(TOKENS),
    }.items()
}
FIGURE_NAMES = {name: told for group in FIGURES.values() for name, told in group.items()}
# Charts of *Over time* besides the chosen figure, each with stacked parts.
CHARTS = {
    "Lines by kind": {name: kind.value.replace("-", " ") for name, kind in _OF_KINDS.items()},
    "Where they stand": {"in_section": "in the section", "beyond_section": "found by a search"},
}
_COUNTED = {
    "contradictory": "pair",
    "dry source": "source",
    "section cut": "section",
    "not shown": "section",
    "waiting for you": "proposal",
}
_MOST_CHARS = 2_000  # of one text
_WORD = re.compile(r"\w+")
_LEAST_WORD_CHARS = 4
_RUN = re.compile(r"\d{8}T\d{6}-\w+")
_JOBS = {
    "command": "conversations were read",
    "observe": "conversations were read",
    "reflect": "a reflection",
    "note": "a note by hand",
    "hand": "an edit by hand",
    "reword": "a line was reworded",
    "stale": "a decision on a line",
    "conflicts": "a contradiction was settled",
    "clean": "cleaning",
    "pin": "a line was pinned",
    "unpin": "a line was let go",
    "review": "a decision on a proposal",
}
_HAPPENED = {
    "observed": "noted",
    "superseded": "replaced by a later word",
    "completed": "reported as done",
    "merged": "told by another line",
    "deleted": "taken out",
    "edited": "reworded",
    "dropped": "retired",
    "expired": "its date passed",
    "trimmed": "hidden",
    "shown": "shown again",
    "reinforced": "confirmed",
    "recalled": "found by a search",
    "source_gone": "its conversation was deleted",
    "kept_both": "kept beside another line",
}
_WIDTH, _HEIGHT = 600.0, 120.0  # size of a figure's curve


@lru_cache(maxsize=1)
def _templates() -> Environment:
    found = Environment(
        loader=PackageLoader("scrimshaw.web.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    found.filters |= {
        "plain": plain,
        "day": day,
        "count": "{:,}".format,
        "age": age,
        "days_ago": days_ago,
        "amount": amount,
        "job": job,
        "happened": happened,
        "whom": whom,
    }
    return found


def render(name: str, values: Mapping[str, Any]) -> str:
    return _templates().get_template(name).render(values)


def plain(text: object, most: int = _MOST_CHARS) -> str:
    """Return *text* without characters that reorder or hide text, cut to *most* characters."""
    said = str(text if text is not None else "")
    kept = "".join(one for one in said[: most + 1] if one in "\n\t" or unicodedata.category(one)[0] != "C")
    return f"{kept[:most]} … ({len(said):,} characters)" if len(said) > most else kept


def day(at_ms: int | None, zone: str) -> str:
    """Return a moment in milliseconds as a day and a time in *zone*."""
    return f"{datetime.fromtimestamp(at_ms / 1000, ZoneInfo(zone)):%Y-%m-%d %H:%M}" if at_ms else ""


def amount(lost: Mapping[str, Any]) -> str:
    """Return the number of cases of a fault, with its noun."""
    return counted(lost["count"], _COUNTED.get(lost["fault"], "line"))


def job(name: str) -> str:
    """Return what made a revision, in plain words."""
    return _JOBS.get(name, name)


def happened(type_: str) -> str:
    """Return what an event did to a line, in plain words."""
    return _HAPPENED.get(type_, type_.replace("_", " "))


_AUTHORS = {"person": "you", "rules": "the rules", "model": "a model", "program": "a program"}


def whom(by: str) -> str:
    """Return who made an event: the ids of runs mean nothing to a person."""
    return "" if _RUN.fullmatch(by) else _AUTHORS.get(by, by)


def age(seconds: float | None) -> str:
    """Return an age in words."""
    if seconds is None:
        return "never"
    for size, name in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {name}"
    return f"{max(0.0, seconds):.0f} s"


def days_ago(days: int) -> str:
    """Return how long ago it was, in days."""
    return f"{counted(days, 'day')} ago" if days else "today"


def share(part: int | None, whole: int | None) -> int:
    """Return *part* of *whole* in per cent."""
    return min(100, round(100 * (part or 0) / whole)) if whole else 0


def marked(text: str, line: str) -> list[tuple[str, bool]]:
    """Return *text* in pieces, each with whether it occurs in *line*; adjacent words form one piece."""
    wanted = {word.casefold() for word in _WORD.findall(line)}
    said, pieces, at = plain(text), [], 0
    for run in _runs(list(_WORD.finditer(said)), wanted):
        pieces += [(said[at : run[0].start()], False), (said[run[0].start() : run[-1].end()], True)]
        at = run[-1].end()
    return [*pieces, (said[at:], False)]


def _runs(words: Sequence[re.Match[str]], wanted: Set[str]) -> Iterator[Sequence[re.Match[str]]]:
    """Yield runs of adjacent *wanted* words; small words alone are no match."""
    for is_wanted, run in groupby(words, lambda word: word.group().casefold() in wanted):
        found = list(run)
        if is_wanted and any(len(one.group()) >= _LEAST_WORD_CHARS or one.group().isdigit() for one in found):
            yield found


def diff_rows(diff: str) -> list[tuple[str, str]]:
    """Return the rows of a diff, each with its kind: "added", "removed", "same" or "gap"."""
    kinds = {"+": "added", "-": "removed", "@": "gap"}
    rows = [row for row in diff.split("\n")[2:] if row]
    told = [(kinds.get(row[:1], "same"), "" if row.startswith("@@") else row[1:]) for row in rows]
    return told[1:] if told[:1] == [("gap", "")] else told


def sparkline(days: Sequence[Mapping[str, Any]]) -> str:
    """Return the points of a curve through the values of *days*, for an SVG of 600 by 120."""
    values = [float(one["value"]) for one in days]
    top, low = max(values), min(0.0, *values)
    step, scale = _WIDTH / max(1, len(values) - 1), (_HEIGHT - 4) / ((top - low) or 1.0)
    return " ".join(
        f"{at * step:.1f},{_HEIGHT - 2 - (value - low) * scale:.1f}" for at, value in enumerate(values)
    )


def stacked(series: Sequence[Sequence[float]]) -> list[str]:
    """Return the points of an area for each of *series*, stacked, for an SVG of 600 by 120.

    Each reaches to the bottom: drawn from the last to the first, each covers part of the one before.
    """
    sums = [[sum(day[: at + 1]) for day in zip(*series, strict=True)] for at in range(len(series))]
    top = max(sums[-1]) or 1.0
    step, scale = _WIDTH / max(1, len(sums[-1]) - 1), (_HEIGHT - 4) / top
    return [
        f"0,{_HEIGHT:.0f} "
        + " ".join(f"{at * step:.1f},{_HEIGHT - value * scale:.1f}" for at, value in enumerate(values))
        + f" {_WIDTH:.0f},{_HEIGHT:.0f}"
        for values in sums
    ]


def bars(days: Sequence[tuple[float, float]]) -> list[dict[str, str]]:
    """Return a bar with two parts for each of *days*, the first at the bottom, for an SVG of 600 by 120."""
    top = max((sum(parts) for parts in days), default=0.0)
    step, scale = _WIDTH / max(1, len(days)), (_HEIGHT - 4) / (top or 1.0)
    told = []
    for at, parts in enumerate(days):
        bottom = _HEIGHT
        for part, value in enumerate(parts):
            height = value * scale
            bottom -= height
            numbers = {"x": at * step + step * 0.1, "y": bottom, "width": step * 0.8, "height": height}
            told.append({"at": str(part), **{name: f"{one:.1f}" for name, one in numbers.items()}})
    return told if top else []
