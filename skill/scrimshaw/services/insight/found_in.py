"""Find a ledger line's file and line number, for a person."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from scrimshaw import files
from scrimshaw.archive.dated import LIMIT_BYTES, parse_line
from scrimshaw.core.section.render import inert
from scrimshaw.core.types import Line
from scrimshaw.errors import UserError
from scrimshaw.workspace import Target

Place = tuple[str, int]  # path within the workspace, and line number from 1; 0 for none


def places_of(target: Target, lines: Iterable[Line]) -> dict[str, Place]:
    """Return, by id, the dated file of each line and its line number there."""
    by_day: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        by_day[line.observation.local_date].append(line)
    found: dict[str, Place] = {}
    for day, told in by_day.items():
        path = target.layout.dated / f"obs-{day}.md"
        numbers = _numbers(path)
        name = path.relative_to(target.layout.workspace).as_posix()
        for line in told:
            number = numbers.get(inert(line.observation.text)) or numbers.get(line.observation.text, 0)
            found[line.observation.id] = (name if numbers else "ledger", number)
    return found


def _numbers(path: Path) -> dict[str, int]:
    try:
        content = files.read_bytes(path, LIMIT_BYTES)
    except UserError:
        return {}
    if content is files.ABSENT:
        return {}
    rows = content.decode("utf-8", "replace").split("\n")
    said = ((number, parse_line(row.removesuffix("\r"))) for number, row in enumerate(rows, 1))
    return {line.text: number for number, line in said if line}
