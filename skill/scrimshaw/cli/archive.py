"""The commands for what is kept beside the ledger: `archive`, `export`, `import` and `reindex`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from scrimshaw.cli.render import archive as render
from scrimshaw.cli.render import working
from scrimshaw.cli.support.command import FOLDER, NOT_SET_UP, CommandCall, command, head, write_now
from scrimshaw.cli.support.each import for_each
from scrimshaw.cli.support.progress import counting_bar
from scrimshaw.cli.support.terminal import tell
from scrimshaw.core.text.plural import counted
from scrimshaw.memory import Memory

if TYPE_CHECKING:
    from scrimshaw.services.archive.write import ArchiveResult
    from scrimshaw.services.search.index import ReindexResult


@command()
@click.option(
    "--check",
    "way",
    flag_value="check",
    help="Only check that each file is intact, and show what is waiting.",
)
@click.option("--rebuild", "way", flag_value="rebuild", help="Rebuild every archive from the ledger.")
def archive(call: CommandCall, way: Literal["check", "rebuild"] | None) -> int:
    """Bring the archives memory/episodic/AGENT.mv2 up to date, and repair damaged ones."""
    there = call.set_up(f"{NOT_SET_UP}there is nothing to archive.")
    if not call.wants_json:
        tell(*there.notes, is_error=True)

    def archived(memory: Memory) -> ArchiveResult:
        done = memory.archive(way or "archive")
        if not call.wants_json:
            render.print_archives(done)
        return done

    done = for_each(call, there, archived, is_list=True)
    code = done.code(there, (one.exit_code for one in done.results))
    return call.answer_all(done.told, there.notes if call.wants_json else (), code)


@command(where=False)
@click.argument("agent", metavar="AGENT")
@click.argument("file", metavar="FILE.mv2", type=click.Path(path_type=Path))
@click.option("--workspace", type=FOLDER, metavar="FOLDER", help="Only this agent's workspace.")
@click.option(
    "--state-dir", type=FOLDER, metavar="FOLDER", help="OpenClaw's state folder, if not ~/.openclaw."
)
@click.option("--home", type=FOLDER, metavar="FOLDER", help="A folder of agents that programs made.")
@click.option("--from", "since", metavar="WHEN", help="Only what was said from then on.")
@click.option("--to", "until", metavar="WHEN", help="Only what was said up to then, that day included.")
@click.option("--replace", "replaces", is_flag=True, help="Overwrite an existing file.")
def export(call: CommandCall, file: Path, since: str | None, until: str | None, replaces: bool) -> int:
    """Write AGENT's memory to FILE.mv2, which scrimshaw import loads elsewhere."""
    memory = call.memory("Nothing was exported.")
    with counting_bar("Writing parts") as tells:
        done = memory.export(file, since=since, until=until, replace_file=replaces, on_progress=tells)
    return call.answer(done, render.export_lines)


@command()
@click.argument("archives", metavar="FILE.mv2...", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--cortex",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Instead: an older program's SQLite file (memories, knowledge, conversations, users).",
)
@click.option("--consolidate", "moves_old", is_flag=True, help="With --cortex: move old memories on.")
@click.option("--dry-run", is_flag=True, help="Only say what would be imported.")
@write_now
def import_(
    call: CommandCall,
    archives: tuple[Path, ...],
    cortex: Path | None,
    moves_old: bool,
    dry_run: bool,
    is_now: bool,
) -> int:
    """Load FILE.mv2: an export, another machine's archive, or any program's memvid file."""
    if bool(archives) == bool(cortex):
        raise click.UsageError("name FILE.mv2, or --cortex FILE")
    if cortex is not None:
        memory = call.memory("Nothing was imported.")
        moved = memory.import_cortex(cortex, dry_run=dry_run, moves_old=moves_old)
        return call.answer(moved, working.cortex_lines)
    done = call.memory("Nothing was imported.").import_(*archives, dry_run=dry_run, at_once=is_now)
    return call.answer(done, render.import_lines)


@command()
@click.option("--keep-vectors", is_flag=True, help="Compute only the vectors that are missing.")
def reindex(call: CommandCall, keep_vectors: bool) -> int:
    """Rebuild the search index from the ledger. The index may be deleted at any time."""
    there = call.set_up(
        "Scrimshaw has not written here, so there is nothing to search.", next_step="scrimshaw init"
    )

    def rebuilt(memory: Memory) -> ReindexResult:
        call.say(head(memory))
        done = memory.reindex(
            keep_vectors=keep_vectors,
            on_words=lambda words: call.say(f"  Words: {counted(words, 'line')}."),
            on_vectors=lambda made, total: call.say(*render.vectors_made(made, total)),
        )
        call.say(*render.reindex_lines(done))
        return done

    outcomes = for_each(call, there, rebuilt)
    code = outcomes.code(there, (one.exit_code for one in outcomes.results))
    return call.answer_all(outcomes.told, there.notes, code)
