"""The commands about what is known: `stats`, `stale`, `trend`, `health` and `clean`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import click

from scrimshaw.cli.render import health as render_health
from scrimshaw.cli.render import insight as render
from scrimshaw.cli.support.boxes import as_text, for_reader
from scrimshaw.cli.support.command import NOT_SET_UP, CommandCall, R, command, write_now
from scrimshaw.cli.support.each import for_each
from scrimshaw.cli.support.progress import counting_bar, patient_bar
from scrimshaw.cli.support.shares import Share
from scrimshaw.errors import Exit
from scrimshaw.memory import Memory

if TYPE_CHECKING:
    from scrimshaw.services.insight.health import HealthReport
    from scrimshaw.services.insight.look import StaleResult, StatsResult
    from scrimshaw.services.insight.trend import TrendResult

_NOTHING = "Nothing was shown."
_FAULTS = click.Choice(["junk", "doubled", "unverifiable"])
_all_agents = click.option("--all-agents", is_flag=True, help="Of every agent.")


@command()
@_all_agents
@as_text
def stats(call: CommandCall, all_agents: bool, as_text: bool) -> int:
    """Show figures: facts by type, how recent they are, and what is recalled most.

    On a terminal in a box, else as JSON.
    """
    reader = for_reader(call, as_text)

    def look(memory: Memory) -> StatsResult:
        with patient_bar("Counting"):
            return memory.stats()

    return _each(reader, look, render.stats_lines, all_agents)


@command()
@click.option(
    "--min-confidence",
    type=Share(0, 1),
    default=0.5,
    show_default=True,
    help="Facts whose effective confidence is below it.",
)
@click.option(
    "--days",
    type=click.IntRange(0),
    default=30,
    show_default=True,
    help="Facts that nobody has recalled for this many days.",
)
@click.option(
    "--limit", type=click.IntRange(1, 100_000), default=50, show_default=True, help="How many to show."
)
@_all_agents
@as_text
def stale(
    call: CommandCall, min_confidence: float, days: int, limit: int, all_agents: bool, as_text: bool
) -> int:
    """Go through the facts that may no longer hold, stalest first: reinforce, delete or skip each.

    On a terminal one by one, else as JSON. What is decided is one revision, which `scrimshaw undo` takes
    back.
    """
    reader = for_reader(call, as_text)

    def look(memory: Memory) -> StaleResult:
        with patient_bar("Looking at every fact"):
            return memory.stale(min_confidence=min_confidence, days=days, limit=limit)

    if not reader.is_at_terminal:
        return _each(reader, look, render.stale_lines, all_agents)
    from scrimshaw.cli.dialogues.stale import walk

    memories = call.meant(all_agents, "show", _NOTHING)
    walked = for_each(reader, memories, lambda memory: walk(memory, look(memory)))
    reader.say(*memories.notes)
    return int(walked.code(memories, walked.results))


@command()
@click.argument("figure")
@click.option(
    "--days", type=click.IntRange(1, 3660), default=30, show_default=True, help="How many, today the last."
)
@_all_agents
@as_text
def trend(call: CommandCall, figure: str, days: int, all_agents: bool, as_text: bool) -> int:
    """Show how FIGURE has changed day by day, computed from the ledger.

    FIGURE: memories, facts, sources, avg_confidence, stale, recalls, conflicts, health, in_section,
    beyond_section, read_tokens, compression, kept_tokens, model_tokens, agent_tokens, a type of facts (kv,
    decision, …), a kind (kind_fact, …), or how fresh (today, this_week, this_month, older).
    """
    reader = for_reader(call, as_text)

    def look(memory: Memory) -> TrendResult:
        with counting_bar("Working out days") as tells:
            return memory.trend(figure, days=days, on_progress=tells)

    return _each(reader, look, render.trend_lines, all_agents)


@command()
@click.option(
    "--fail-under", type=click.IntRange(0, 100), metavar="N", help="End with 1 where the score is below N."
)
@click.option("--fleet", "in_fleet", is_flag=True, help="Of all memories of the fleet that you may read.")
def health(call: CommandCall, fail_under: int | None, in_fleet: bool) -> int:
    """Score the memory from 0 to 100, and name the lines and the command behind each lost point."""
    if in_fleet:
        from scrimshaw.cli.render.fleet import health_lines

        fleet = call.fleet_memory(_NOTHING).fleet_health()
        return call.answer_each([fleet], health_lines, _code_of([fleet.score], fail_under))
    there = call.set_up(f"{NOT_SET_UP}there is nothing to score.")

    def look(memory: Memory) -> HealthReport:
        with patient_bar("Looking at every line") as tells:
            return memory.health(on_progress=tells)

    done = for_each(call, there, look)
    code = _code_of([one.score for one in done.results], fail_under)
    return call.answer_each(
        done.results,
        render_health.health_lines,
        code,
        failures=done.failures,
        notes=there.notes if there.errors else (),
        ends=done.code(there, [code] if done.results else []),
    )


def _code_of(scores: Iterable[int], fail_under: int | None) -> Exit:
    return Exit.MENDABLE if fail_under is not None and min(scores, default=100) < fail_under else Exit.OK


@command()
@click.option("--dry-run", is_flag=True, help="Only show what would go.")
@click.option(
    "--only", type=_FAULTS, multiple=True, help="Only lines with this fault. Default: junk, doubled."
)
@write_now
def clean(call: CommandCall, dry_run: bool, only: tuple[str, ...], is_now: bool) -> int:
    """Remove small talk and duplicates, as one revision that `scrimshaw undo` reverts."""
    memory = call.memory("Nothing was changed.")
    with patient_bar("Looking at every line"):
        done = memory.clean(only=only, dry_run=dry_run, at_once=is_now)
    return call.answer(done, render_health.cleaning_lines)


def _each(
    call: CommandCall, look: Callable[[Memory], R], lines_of: Callable[[R], Iterable[str]], all_agents: bool
) -> int:
    """Answer with what *look* finds in the one memory that is meant, or in each."""
    memories = call.meant(all_agents, "show", _NOTHING)
    if not all_agents:
        return call.answer(look(memories[0]), lines_of)
    done = for_each(call, memories, look)
    for one in done.results:
        call.say(*lines_of(one))
    code = done.code(memories, (one.exit_code for one in done.results))
    return call.answer_all(done.told, memories.notes, code)
