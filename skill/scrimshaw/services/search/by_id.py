"""Lines of the ledger and memories of the working layer by their ids, as a search names them; read-only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrimshaw.core.types import Closed, Line
from scrimshaw.core.working import StoredMemory
from scrimshaw.services.results import WorkspaceResult, line_dict
from scrimshaw.store.ledger import open_ledger
from scrimshaw.working import memories
from scrimshaw.workspace import Target

if TYPE_CHECKING:
    from scrimshaw.working.database import WorkingDatabase


@dataclass(frozen=True, slots=True)
class LinesById(WorkspaceResult):
    """What has the ids that were asked for, in that order; *missing* are those that nothing has."""

    lines: tuple[Line, ...]
    memories: tuple[StoredMemory, ...]
    missing: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {
            **self.head(zone=True),
            "lines": [line_dict(line) for line in self.lines],
            "memories": [memory.to_dict() for memory in self.memories],
            "missing": list(self.missing),
        }


def by_id(target: Target, ids: Iterable[str], working: WorkingDatabase | None) -> LinesById:
    """Return what has *ids*; what was forgotten is missing. Without such a layer *working* is None."""
    wanted = tuple(dict.fromkeys(ids))
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        lines = ledger.lines(wanted)
    there = {id_: line for id_, line in lines.items() if line.standing.closed is not Closed.FORGOTTEN}
    held = {id_: memories.by_id(working, id_) for id_ in wanted if working and id_ not in there}
    found = {id_: memory for id_, memory in held.items() if memory is not None}
    return LinesById(
        target,
        tuple(there[id_] for id_ in wanted if id_ in there),
        tuple(found.values()),
        tuple(id_ for id_ in wanted if id_ not in there and id_ not in found),
    )
