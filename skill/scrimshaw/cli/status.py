"""The commands `status` and `doctor`: what is so, what is wrong, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from scrimshaw.cli.support.command import CommandCall, command
from scrimshaw.cli.support.each import for_each
from scrimshaw.memory import Memory

if TYPE_CHECKING:
    from scrimshaw.services.status.status import WorkspaceStatus


@command()
def status(call: CommandCall) -> int:
    """Show sources, backlog, section size and the last run of every agent."""
    from scrimshaw.cli.render.status import status_lines

    memories = call.memories()

    def look(memory: Memory) -> WorkspaceStatus:
        found = memory.status()
        call.say(*status_lines(found, call), "")
        return found

    done = for_each(call, memories, look, is_list=True)
    code = done.code(memories, (one.exit_code for one in done.results))
    return call.answer_all(done.told, memories.notes, code)


@command()
@click.option("--fix", "mends", is_flag=True, help="Repair what is safe to repair, say so, and check again.")
def doctor(call: CommandCall, mends: bool) -> int:
    """Check everything and name the next step for each problem. Without --fix nothing is written."""
    from scrimshaw.doctor import examine, finding_lines, mend

    return call.answer((mend if mends else examine)(call.wanted, call.env, call.now), finding_lines)
