"""The memory of one agent, for a program: everything that Scrimshaw can do with it, one method each.

    from scrimshaw import Memory

    with Memory.open(agent="main") as memory:
        memory.observe(consent=True)
        for hit, _where in memory.search("when is the dentist?").hits:
            print(hit.line.observation.text)

Results are frozen, print as JSON, and `to_dict()` is what the command of the same name prints for a
workspace. Whatever the owner can mend is raised as `UserError`; its next step is a command that a person can
type. Nothing is printed or asked: progress goes to a callback, consent is an argument. Times are datetimes,
or words such as "last Tuesday".

A `Memory` may be used by several threads and several processes at once: the ledger is opened for each call
and closed again, and no lock is held between calls. What it knows of the workspace (settings, the agents'
stores) is read again by `observe`, `status` and `refresh`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrimshaw.errors import UserError
from scrimshaw.memory.arguments import Progress, When, check_world
from scrimshaw.memory.base import wanted
from scrimshaw.memory.carrying import MemoryCarrying
from scrimshaw.memory.fleet import MemoryInFleet
from scrimshaw.memory.insight import MemoryInsight
from scrimshaw.memory.programs import MemoryForPrograms
from scrimshaw.workspace import survey_some

if TYPE_CHECKING:
    from scrimshaw.services.search.log import SearchResult

__all__ = ["Memories", "Memory", "Progress", "When"]


class Memories(tuple["Memory", ...]):
    """Several memories; *notes* says which were left out, and why; *errors* are those that can be mended."""

    notes: tuple[str, ...] = ()
    errors: tuple[UserError, ...] = ()

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        each: Callable[[Callable[[Memory], SearchResult], Memories], Iterable[SearchResult]] = map,
        **how: Any,  # noqa: ANN401  # as there
    ) -> list[SearchResult]:
        """Search each as `Memory.search` does; return only the best *limit* hits of all.

        *each* does that for one after the other, and may leave out one that cannot be searched.
        """
        from scrimshaw.services.search.log import best_of

        looked = {one.target.agents[0].home for one in self if one.target.is_shared}

        def look(memory: Memory) -> SearchResult:  # what a home shares between its agents is returned once
            home = memory.target.agents[0].home
            found = memory.search(query, limit=limit, shared=home not in looked, **how)
            looked.add(home)
            return found

        return best_of(list(each(look, self)), limit)


class Memory(MemoryForPrograms, MemoryInsight, MemoryCarrying, MemoryInFleet):
    """The memory of one workspace. Make one with `open`, `for_agent` or `discover`."""

    @classmethod
    def discover(
        cls,
        workspace: str | Path | None = None,
        *,
        agent: str | None = None,
        home: str | Path | None = None,
        state_dir: str | Path | None = None,
        env: Mapping[str, str] | None = None,
        clock: Callable[[], datetime] | None = None,
    ) -> Memories:
        """Return the memories of the agents of this machine or *home*, or those named; UserError for none."""
        check_world(env, clock)
        said = os.environ if env is None else env
        surveyed = survey_some(wanted(workspace, agent, state_dir, home), said)
        found = Memories(cls(target, env=env, clock=clock) for target in surveyed.targets)
        found.notes, found.errors = surveyed.told, surveyed.errors
        return found
