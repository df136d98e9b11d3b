"""The commands `status` and `doctor`: what is so, what is wrong, and what to do about it."""

from __future__ import annotations

from typing import Any

import click

from scrimshaw.cli.support.command import CommandCall, command, error_dict, head
from scrimshaw.cli.support.each import code_of
from scrimshaw.errors import UserError


@command()
def status(call: CommandCall) -> int:
    """Show sources, backlog, section size and the last run of every agent."""
    from scrimshaw.cli.render.status import status_lines

    memories = call.memories()
    told: list[dict[str, Any]] = []
    codes: list[int] = []
    for memory in memories:
        try:
            found = memory.status()
        except UserError as error:
            codes.append(error.exit_code)
            told.append({"agent": memory.agent, **error_dict(error)})
            call.say(head(memory), str(error))
            continue
        codes.append(found.exit_code)
        told.append(found.to_dict())
        call.say(*status_lines(found, call), "")
    return call.answer_all(told, memories.notes, code_of(memories, codes))


@command()
@click.option("--fix", "mends", is_flag=True, help="Repair what is safe to repair, say so, and check again.")
def doctor(call: CommandCall, mends: bool) -> int:
    """Check everything and name the next step for each problem. Without --fix nothing is written."""
    from scrimshaw.doctor import examine, finding_lines, mend

    return call.answer((mend if mends else examine)(call.wanted, call.env, call.now), finding_lines)
