"""The commands `status` and `doctor`: what is so, what is wrong, and what to do about it."""

from __future__ import annotations

from typing import Any

import click

from scrimshaw.cli.support.command import CommandCall, command, error_dict, head
from scrimshaw.errors import Exit, UserError


@command()
def status(call: CommandCall) -> int:
    """Show sources, backlog, section size and the last run of every agent."""
    from scrimshaw.cli.render.status import status_lines

    memories = call.memories()
    told: list[dict[str, Any]] = []
    code = Exit.OK
    for memory in memories:
        try:
            found = memory.status()
        except UserError as error:
            code = max(code, error.exit_code)
            told.append({"agent": memory.agent, **error_dict(error)})
            call.say(head(memory), str(error))
            continue
        code = max(code, found.exit_code)
        told.append(found.to_dict())
        call.say(*status_lines(found, call), "")
    return call.answer_all(told, memories.notes, code)


@command()
@click.option("--fix", "mends", is_flag=True, help="Repair what is safe to repair, say so, and check again.")
def doctor(call: CommandCall, mends: bool) -> int:
    """Check everything and name the next step for each problem. Without --fix nothing is written."""
    from scrimshaw.doctor import examine, finding_lines, mend

    return call.answer((mend if mends else examine)(call.wanted, call.env, call.now), finding_lines)
