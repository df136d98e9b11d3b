"""The command `conflicts`: look at lines that cannot both hold, and settle them, one key each."""

from __future__ import annotations

import sys

import click

from scrimshaw.cli.render import conflicts as render
from scrimshaw.cli.render.run_report import section_lines
from scrimshaw.cli.support.command import NOT_SET_UP, CommandCall, command, print_json, write_now
from scrimshaw.cli.support.terminal import tell
from scrimshaw.errors import Exit
from scrimshaw.memory import Memories, Memory

_PAIR = click.Tuple([str, str])
_LINES = "LINE LINE"


@command(error_object={})
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
        done = memory.settle_conflict(first, second, how, at_once=is_now)
        return call.answer(done, render.settled_lines)
    there = call.set_up(f"{NOT_SET_UP}there is nothing to contradict.")
    if call.wants_json or call.is_agents or not _is_at_terminal():
        return _listed(there, limit, is_list=all_agents)
    return max(_walk(memory, limit, is_now=is_now) for memory in there)


def _is_at_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _listed(memories: Memories, limit: int, *, is_list: bool) -> int:
    found = [memory.conflicts(limit=limit).to_dict() for memory in memories]
    is_one = len(found) == 1 and not is_list
    print_json(found[0] if is_one else {"workspaces": found, "exit_code": int(Exit.OK)})
    return int(Exit.OK)


def _walk(memory: Memory, limit: int, *, is_now: bool) -> int:
    """Let a person at a terminal settle one conflict after the other."""
    from scrimshaw.cli.dialogues.conflicts import walk

    with memory.settle_conflicts(limit=limit) as desk:
        for line in render.heading_lines(desk.found):
            tell(line)
        done = walk(desk)
        published = desk.finish(at_once=is_now)
    section = section_lines(published, memory.target) if published else ()
    for line in (*render.summary_lines(done), *section):
        tell(line)
    return int(Exit.REFUSED if published and published.is_refused else Exit.OK)
