"""The command `conflicts`: look at lines that cannot both hold, and settle them, one key each."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

import click

from scrimshaw.cli.render import conflicts as render
from scrimshaw.cli.render.run_report import tell_section
from scrimshaw.cli.support.command import NOT_SET_UP, CommandCall, command, write_now
from scrimshaw.cli.support.each import for_each
from scrimshaw.cli.support.progress import patient_bar
from scrimshaw.cli.support.terminal import tell
from scrimshaw.errors import Exit
from scrimshaw.memory import Memories, Memory

if TYPE_CHECKING:
    from scrimshaw.services.insight.conflicts import ConflictList

_PAIR = click.Tuple([str, str])
_LINES = "LINE LINE"
_LOOKING = "Looking for contradictions"


@command()
@click.option(
    "--limit", type=click.IntRange(1, 1_000), default=50, show_default=True, help="At most so many."
)
@click.option(
    "--merge", type=_PAIR, metavar=_LINES, help="Keep the newer or surer of two lines, archive the other."
)
@click.option("--keep-both", type=_PAIR, metavar=_LINES, help="Both hold; never ask again.")
@click.option("--delete", type=_PAIR, metavar=_LINES, help="Delete the first of two lines.")
@click.option("--all-agents", is_flag=True, help="Of every agent, as without --agent.")
@write_now
def conflicts(
    call: CommandCall,
    limit: int,
    merge: tuple[str, str] | None,
    keep_both: tuple[str, str] | None,
    delete: tuple[str, str] | None,
    all_agents: bool,
    is_now: bool,
) -> int:
    """Show lines that contradict each other, and settle them; LINE is words of a line, or its id."""
    asked = {"merge": merge, "keep-both": keep_both, "delete-1": delete}
    chosen = [(how, pair) for how, pair in asked.items() if pair]
    if len(chosen) > 1:
        raise click.UsageError("One conflict is settled at a time.")
    for how, (first, second) in chosen:
        memory = call.memory("Nothing was changed.")
        with patient_bar(_LOOKING):
            done = memory.settle_conflict(first, second, how, at_once=is_now)
        return call.answer(done, render.settled_lines)
    there = call.set_up(f"{NOT_SET_UP}there is nothing to contradict.")
    if not call.is_at_terminal:
        return _list(call, there, limit, is_list=all_agents)
    call.say(*(there.notes if there.errors else ()))
    walked = for_each(call, there, partial(_walk, limit=limit, is_now=is_now))
    return int(walked.code(there, walked.results))


def _list(call: CommandCall, there: Memories, limit: int, *, is_list: bool) -> int:
    """Print what there is to settle, for programs and pipes."""

    def look(memory: Memory) -> ConflictList:
        with patient_bar(_LOOKING) as tells:
            return memory.conflicts(limit=limit, on_progress=tells)

    done = for_each(call, there, look)
    return call._replace(wants_json=True).answer_each(
        done.results,
        lambda _one: (),
        Exit.OK,
        is_list=is_list,
        failures=done.failures,
        notes=there.notes if there.errors else (),
        ends=done.code(there, [Exit.OK] * len(done.results)),
    )


def _walk(memory: Memory, limit: int, *, is_now: bool) -> Exit:
    """Let a person at a terminal settle one conflict after the other."""
    from scrimshaw.cli.dialogues.conflicts import walk

    with ExitStack() as stack:
        with patient_bar(_LOOKING) as tells:
            desk = stack.enter_context(memory.settle_conflicts(limit=limit, on_progress=tells))
        tell(*render.heading_lines(desk.found))
        done = walk(desk)
        published = desk.finish(at_once=is_now)
    tell(*render.summary_lines(done))
    return tell_section(published, memory.target)
