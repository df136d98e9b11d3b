"""Lines of the ledger and memories of the working layer by their ids, as a search names them; read-only."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrimshaw.core.types import Closed, Line
from scrimshaw.core.working import StoredMemory
from scrimshaw.services.results import WorkspaceResult, line_dict
from scrimshaw.store.ledger import open_ledger
from scrimshaw.working import memories, moved
from scrimshaw.workspace import Target

if TYPE_CHECKING:
    from scrimshaw.working.database import WorkingDatabase


@dataclass(frozen=True, slots=True)
class LinesById(WorkspaceResult):
    """What has the ids that were asked for, in that order; *missing* are those that nothing has.

    A memory that has moved into the ledger is among the *lines*.
    """

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
    found = {id_: one for id_ in wanted if working and (one := memories.by_id(working, id_))}
    became = {id_: was.line_ids for id_ in wanted if working and (was := moved.find(working, id_))}
    named = {id_: became.get(id_, (id_,)) for id_ in wanted}
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        lines = ledger.lines({line_id for line_ids in named.values() for line_id in line_ids})
    there = {id_: line for id_, line in lines.items() if line.standing.closed is not Closed.FORGOTTEN}
    shown = dict.fromkeys(one for line_ids in named.values() for one in line_ids if one in there)
    return LinesById(
        target,
        tuple(there[one] for one in shown),
        tuple(found.values()),
        tuple(id_ for id_ in wanted if id_ not in found and there.keys().isdisjoint(named[id_])),
    )
