"""What the methods of `Memory` return: frozen values that print themselves and turn into plain JSON objects.

`to_dict()` is what the command of the same name prints with `--json` for one workspace. The classes live with
the services that make them; here is what they share.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrimshaw.errors import Exit

if TYPE_CHECKING:
    from scrimshaw.core.types import Line
    from scrimshaw.services.publish.result import Published
    from scrimshaw.store.records import Revision
    from scrimshaw.workspace import Target


class JsonResult:
    """A value that prints as JSON."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return what `--json` prints of it: dicts, lists, strings, numbers, booleans and None."""
        raise NotImplementedError

    def __str__(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2)


@dataclass(frozen=True, slots=True)
class WorkspaceResult(JsonResult):
    """A result about one workspace."""

    target: Target = field(repr=False)

    @property
    def agent(self) -> str:
        """The agent that the memory is named after."""
        return self.target.agent_id

    @property
    def workspace(self) -> Path:
        """The agent's folder."""
        return self.target.layout.workspace

    @property
    def exit_code(self) -> Exit:
        """What the command ends with."""
        return Exit.OK

    def head(self, *, zone: bool = False) -> dict[str, Any]:
        """Return what each object begins with."""
        told = {"agent": self.agent, "workspace": str(self.workspace)}
        return {**told, "zone": self.target.zone} if zone else told


class SectionResult(WorkspaceResult):
    """A result of what may have changed the section, too."""

    __slots__ = ()
    published: Published | None  # None: nothing was changed

    @property
    def exit_code(self) -> Exit:
        return self.published.exit_code if self.published else Exit.OK


def line_dict(line: Line) -> dict[str, Any]:
    """Return a line of the ledger as JSON holds it."""
    observation, standing = line
    return {
        "id": observation.id,
        "text": observation.text,
        "kind": observation.kind.value,
        "priority": observation.priority,
        "done": observation.done,
        "place": standing.place.value,
        "date": observation.local_date,
        "time": observation.local_time,
        "said_at_ms": observation.said_at_ms,
        "author": observation.author.value,
        "closed": standing.closed.value if standing.closed else None,
        "is_shown": standing.is_live and standing.is_shown,
    }


def revision_dict(revision: Revision) -> dict[str, Any]:
    """Return a revision of the section as JSON holds it."""
    return {
        "number": revision.number,
        "at_ms": revision.at_ms,
        "run_id": revision.run_id,
        "reason": revision.reason,
        "place": revision.place,
        "state": revision.state.value,
    }
