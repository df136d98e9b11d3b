"""The command `search`: find what was noted, by words and by meaning, and where it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

from scrimshaw.cli.render import search as render
from scrimshaw.cli.support.command import CommandCall, command
from scrimshaw.cli.support.each import Outcomes, for_each
from scrimshaw.cli.support.shares import Share
from scrimshaw.core.search.layers import BOTH_LAYERS
from scrimshaw.core.types import Kind
from scrimshaw.errors import Exit, usage_error
from scrimshaw.memory import Memories, Memory
from scrimshaw.resources import adding

if TYPE_CHECKING:
    from scrimshaw.services.search.log import SearchResult

_KINDS = click.Choice([kind.value for kind in Kind])
_MODES = click.Choice(["lexical", "semantic", "hybrid"])
_MOST = 1_000


@command()
@click.argument("query", nargs=-1, required=True)
@click.option("--all-agents", is_flag=True, help="Search every agent's memory.")
@click.option("--mode", type=_MODES, help="By words, by meaning, or by both (hybrid).")
@click.option(
    "-n", "--limit", type=click.IntRange(1, _MOST), default=10, help="At most this many results (10)."
)
@click.option(
    "--from", "since", metavar="DATE", help='Only what was said from then on: 2026-11-03, "2 weeks ago", …'
)
@click.option("--to", "until", metavar="DATE", help="Only what was said up to then.")
@click.option("--kind", type=_KINDS, multiple=True, help="Only this kind; may be given several times.")
@click.option("--min-score", type=Share(0, 1), default=0.0, help="Leave out results that score less.")
@click.option(
    "--all",
    "is_all",
    is_flag=True,
    help="Also show weak matches, and notes that were withdrawn, merged or removed by hand.",
)
@click.option("--working", is_flag=True, help="Only what programs stored lately, in the working layer.")
@click.option("--episodic", is_flag=True, help="Only the ledger's notes.")
@click.option("--semantic", is_flag=True, help="By meaning alone; the same as --mode semantic.")
@click.option("--deep", is_flag=True, help="Let a local model rerank the best results; slower, better.")
@click.option(
    "--transcripts", is_flag=True, help="Also search the messages themselves; their results are listed apart."
)
@click.option("--fleet", "in_fleet", is_flag=True, help="Search all memories of the fleet that you may read.")
def search(
    call: CommandCall,
    query: tuple[str, ...],
    all_agents: bool,
    limit: int,
    in_fleet: bool,
    **asked: Any,  # noqa: ANN401  # click's options
) -> int:
    """Find the notes that answer QUERY: keywords, or a whole question."""
    if asked["semantic"] and asked["mode"] not in (None, "semantic"):
        raise click.UsageError(f"--semantic goes without --mode {asked['mode']}.")
    said = " ".join(query)
    if not any(map(str.isalnum, said)):
        raise usage_error(
            "The query holds no word to search for. Nothing was searched.",
            next_step='scrimshaw search "when is the dentist?"',
        )
    if in_fleet:
        from scrimshaw.cli.render.fleet import found_lines

        found = call.fleet_memory("Nothing was searched.").search_fleet(said, limit=limit)
        return call.answer(found, found_lines)
    memories = call.meant(all_agents, "search", "Nothing was searched.", asks_once=True)
    done: Outcomes[SearchResult] = Outcomes()

    def each(look: Callable[[Memory], SearchResult], them: Memories) -> list[SearchResult]:
        nonlocal done
        done = for_each(call, them, look)
        return done.results

    shown = memories.search(
        said,
        each=each,
        mode="semantic" if asked["semantic"] else asked["mode"] or "hybrid",
        limit=limit,
        kinds=asked["kind"],
        since=asked["since"],
        until=asked["until"],
        closed=asked["is_all"],
        min_score=asked["min_score"],
        rerank=asked["deep"],
        transcripts=asked["transcripts"],
        layers=[name for name in BOTH_LAYERS if asked[name]] or BOTH_LAYERS,
    )
    notes = (*memories.notes, *dict.fromkeys(note for one in shown for note in _notes(call, one)))
    call.say(*render.answer_lines(shown))
    code = call.answer_all([*shown, *done.failures], notes, done.code(memories, [Exit.OK] * len(shown)))
    failed = {one["workspace"] for one in done.failures}
    searched = (memory for memory in memories if str(memory.workspace) not in failed)
    for memory, one in zip(searched, shown, strict=True):
        memory.record_recall(one, told="" if call.wants_json else one.found.lacks)
    return code


def _notes(call: CommandCall, one: SearchResult) -> Iterator[str]:
    """Yield what to say of a search; that there is no model a person hears once, and a program each time."""
    for note in one.found.notes:
        if note != one.found.lacks or call.wants_json:
            yield note
        elif not one.was_told:
            from scrimshaw.services.search.chosen import is_off

            step = adding("semantic", has_host=not one.target.is_in_home)
            yield note if is_off(one.target.config.settings) else f"{note} Next: {step}"
