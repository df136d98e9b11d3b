"""The command `reflect`: merge what was said twice, let go of what was replaced."""

from __future__ import annotations

from typing import Any

import click

from scrimshaw.cli.support.command import NOT_SET_UP, CommandCall, command, error_dict, head, head_dict
from scrimshaw.cli.support.terminal import tell
from scrimshaw.errors import UserError, combined
from scrimshaw.memory import Memory


@command()
@click.option("--dry-run", is_flag=True, help="Show which lines would change and write nothing.")
def reflect(call: CommandCall, dry_run: bool) -> int:
    """Merge repeated lines, retire replaced and outdated ones, and bring MEMORY.md up to date."""
    there = call.set_up(f"{NOT_SET_UP}there is nothing to reflect on.")
    results = [_reflected(call, memory, dry_run=dry_run) for memory in there]
    return call.answer_all(results, there.notes, combined(one["exit_code"] for one in results))


def _reflected(call: CommandCall, memory: Memory, *, dry_run: bool) -> dict[str, Any]:
    """Reflect on one workspace, say what came of it and return it; one that fails stops no other."""
    from scrimshaw.cli.render.reflect import reflect_lines

    try:
        done = memory.reflect(dry_run=dry_run)
    except UserError as error:
        if not call.wants_json:
            tell(f"{head(memory)}\n{error}", is_error=True)
        return {**head_dict(memory), **error_dict(error), "exit_code": int(error.exit_code)}
    call.say(*reflect_lines(done, dry_run=dry_run))
    return done.to_dict()
