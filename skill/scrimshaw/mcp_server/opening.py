"""Choose the memory that a server is for: the named one, or the only one; it never guesses."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from scrimshaw.errors import UserError
from scrimshaw.memory import Memory
from scrimshaw.workspace import Wanted, find_targets

log = logging.getLogger(__name__)


def named_memory(wanted: Wanted, env: Mapping[str, str]) -> Memory:
    """Return the memory of *wanted*; no agent is made.

    Raises UserError that reveals nothing about other agents; the details go to the owner's log.
    """
    try:
        targets, _ = find_targets(wanted, env)
    except UserError as error:
        log.warning("mcp: the memory cannot be opened: %s", error)
        raise _cannot(
            "it was not found, or its settings cannot be read: the server's log says more"
        ) from None
    if len(targets) == 1:
        return Memory(targets[0], env=env)
    names = ", ".join(f"{target.agent_id} ({target.layout.workspace})" for target in targets)
    log.warning("mcp: several memories, and none is named: %s", names)
    raise _cannot("there are several here, and the server was not told which is meant")


def _cannot(why: str) -> UserError:
    return UserError(
        f"This server's memory cannot be opened: {why}. Nothing was read or written.",
        next_step="ask the person to start it as: scrimshaw mcp --agent ID (or --workspace FOLDER); "
        "scrimshaw doctor shows what there is",
    )
