"""How conflicts, and what was decided about them, are worded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from scrimshaw.cli.support.command import head
from scrimshaw.cli.support.terminal import in_a_row
from scrimshaw.core.insight.conflicts import Conflict, ConflictType
from scrimshaw.core.text.plural import counted
from scrimshaw.core.types import Line
from scrimshaw.services.edit.find_line import ID_SHOWN

if TYPE_CHECKING:
    from scrimshaw.services.insight.conflicts import ConflictList, SettledConflict, Settlement

KEYS = "  [m]erge (keep newer)  [k]eep both  [d]elete one  [q]uit"
_KEYS_SURER = "  [m]erge (keep surer)  [k]eep both  [d]elete one  [q]uit"
UNDOING = "Take it back with: scrimshaw undo"
_NAMES = {
    ConflictType.ATTRIBUTE: "❌ Attribute Conflict",
    ConflictType.SEMANTIC: "❌ Semantic Conflict",
    ConflictType.TEMPORAL: "⚠️ Temporal Conflict",
}
_DONE = {"merge": "merged", "keep-both": "kept both", "delete-1": "deleted", "delete-2": "deleted"}


def heading_lines(found: ConflictList) -> Iterator[str]:
    yield head(found)
    yield f"Conflicts Detected: {found.count}"
    if found.count > len(found.conflicts):
        yield f"The first {len(found.conflicts)}; more with --limit."


def conflict_lines(conflict: Conflict, found: ConflictList) -> Iterator[str]:
    """Yield one conflict, with the keys that settle it."""
    yield _NAMES[conflict.type]
    for number, line in enumerate((conflict.older, conflict.newer), 1):
        yield f'  {number}. "{in_a_row(line.observation.text)}"'
        yield f"     ({_told_of(line, found)})"
    yield f"  Similarity: {conflict.similarity:.2f}"
    if conflict.type is ConflictType.TEMPORAL:
        yield f"  {conflict.suggestion}"
    yield KEYS if conflict.kept is conflict.newer else _KEYS_SURER


def _told_of(line: Line, found: ConflictList) -> str:
    observation = line.observation
    file, number = found.places.get(observation.id, ("ledger", 0))
    where = f"{file}:{number}" if number else file
    how = f"confidence: {observation.confidence:.2f}"
    return f"{where}, imported {observation.local_date}, {how}, {observation.id[:ID_SHOWN]}"


def summary_lines(done: Counter[Settlement]) -> Iterator[str]:
    """Yield what was decided in a sitting."""
    sums: Counter[str] = Counter()
    for settlement, count in done.items():
        sums[_DONE[settlement.value]] += count
    said = ", ".join(f"{sums[name]} {name}" for name in dict.fromkeys(_DONE.values()))
    yield f"✅  {counted(done.total(), 'conflict')} settled. {said}."
    if done:
        yield UNDOING


def settled_lines(done: SettledConflict) -> Iterator[str]:
    yield head(done)
    for line in done.kept:
        yield f'  kept: "{in_a_row(line.observation.text)}"'
    if done.gone is not None:
        how = "archived" if done.settlement.value == "merge" else "deleted"
        yield f'  {how}: "{in_a_row(done.gone.observation.text)}"'
    yield UNDOING
