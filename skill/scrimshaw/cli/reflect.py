"""The command `reflect`: merge what was said twice, let go of what was replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from scrimshaw.cli.support.command import NOT_SET_UP, CommandCall, command
from scrimshaw.cli.support.each import for_each
from scrimshaw.memory import Memory

if TYPE_CHECKING:
    from scrimshaw.services.reflect.run import ReflectResult


@command()
@click.option("--dry-run", is_flag=True, help="Show which lines would change and write nothing.")
def reflect(call: CommandCall, dry_run: bool) -> int:
    """Merge repeated lines, retire replaced and outdated ones, and bring MEMORY.md up to date."""
    from scrimshaw.cli.render.reflect import reflect_lines

    there = call.set_up(f"{NOT_SET_UP}there is nothing to reflect on.")

    def reflected(memory: Memory) -> ReflectResult:
        done = memory.reflect(dry_run=dry_run)
        call.say(*reflect_lines(done, dry_run=dry_run))
        return done

    done = for_each(call, there, reflected, is_list=True)
    return call.answer_all(done.told, there.notes, done.code(there, (one.exit_code for one in done.results)))
