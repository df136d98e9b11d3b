"""How the memory's health, and what was cleaned, are worded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from scrimshaw.cli.render.conflicts import UNDOING
from scrimshaw.cli.support.command import head
from scrimshaw.cli.support.terminal import in_a_row
from scrimshaw.core.text.plural import counted
from scrimshaw.services.edit.find_line import ID_SHOWN

if TYPE_CHECKING:
    from scrimshaw.core.types import Line
    from scrimshaw.services.insight.clean import Cleaning
    from scrimshaw.services.insight.health import HealthReport

_SHOWN_LINES, _CLEANED_LINES, _MOST_CHARS = 3, 20, 100


def health_lines(found: HealthReport) -> Iterator[str]:
    health = found.health
    yield head(found)
    yield f"Health: {health.score} of 100  ({counted(health.line_count, 'line')} in force)"
    if not health.faults:
        yield "  Nothing takes a point."
    for fault in health.faults:
        yield f"  -{fault.points:g}  {fault.name.value}: {fault.amount}  → {fault.command}"
        yield from (f"        {_row(line)}" for line in fault.lines[:_SHOWN_LINES])
        yield from (f"        {in_a_row(told)}" for told in fault.told[:_SHOWN_LINES])
        if fault.amount > _SHOWN_LINES and fault.lines:
            yield f"        … {fault.amount - _SHOWN_LINES} more"


def cleaning_lines(done: Cleaning) -> Iterator[str]:
    yield head(done)
    sums = Counter(fault.value for fault, _ in done.gone)
    said = ", ".join(f"{count} {name}" for name, count in sums.items()) or "nothing"
    verb = "Would take out" if done.is_rehearsal else "Took out"
    yield f"{verb} {said}, of {counted(done.count, 'line')} in force."
    yield from (f"  {fault.value}: {_row(line)}" for fault, line in done.gone[:_CLEANED_LINES])
    if len(done.gone) > _CLEANED_LINES:
        yield f"  … {len(done.gone) - _CLEANED_LINES} more; all of them with --json"
    if done.gone:
        yield "Do it: scrimshaw clean" if done.is_rehearsal else UNDOING


def _row(line: Line) -> str:
    text = in_a_row(line.observation.text)
    short = text if len(text) <= _MOST_CHARS else f"{text[: _MOST_CHARS - 1]}…"
    return f'"{short}"  [{line.observation.id[:ID_SHOWN]}]'
