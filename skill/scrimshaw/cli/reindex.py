"""`scrimshaw reindex`: make the search index anew from the ledger, its vectors included."""

from __future__ import annotations

import json
import os
from datetime import datetime
from pathlib import Path

import click

from scrimshaw.cli.support.options import as_json, wanted, which
from scrimshaw.cli.support.terminal import tell
from scrimshaw.clock import now
from scrimshaw.core.text.plural import counted
from scrimshaw.errors import UserError
from scrimshaw.services.search.index import ReindexResult, reindex
from scrimshaw.workspace import Target, find_targets, is_set_up


@click.command()
@which
@click.option("--keep-vectors", is_flag=True, help="Compute only the vectors that are missing.")
@as_json
def command(
    workspace: Path | None, agent: str | None, state_dir: Path | None, keep_vectors: bool, wants_json: bool
) -> int:
    """Rebuild the search index from the ledger. The index may be deleted at any time."""
    targets, notes = find_targets(wanted(workspace, agent, state_dir), os.environ)
    there = [target for target in targets if is_set_up(target.layout)]
    if not there:
        raise UserError(
            "Scrimshaw has not written here, so there is nothing to search.", next_step="scrimshaw init"
        )
    done = [_reindex(target, now(os.environ), keeps=keep_vectors, is_quiet=wants_json) for target in there]
    code = max(one.exit_code for one in done)
    if wants_json:
        click.echo(
            json.dumps(
                {"workspaces": [one.to_dict() for one in done], "notes": list(notes), "exit_code": int(code)}
            )
        )
    else:
        for note in notes:
            tell(note)
    return int(code)


def _reindex(target: Target, present: datetime, *, keeps: bool, is_quiet: bool) -> ReindexResult:
    if is_quiet:
        return reindex(target, present, keeps_vectors=keeps)
    tell(f"{target.agent_id}  {target.layout.workspace}")
    done = reindex(
        target,
        present,
        keeps_vectors=keeps,
        on_words=lambda words: tell(f"  Words: {counted(words, 'line')}."),
        on_vectors=_told,
    )
    why = f"none; {done.why_no_vectors}" if done.why_no_vectors else f"{counted(done.vectors, 'line')} made"
    tell(f"  Vectors: {why}.")
    if done.problem:
        tell(f"  {done.problem}")
    return done


def _told(made: int, total: int) -> None:
    if made % 3200 == 0:
        tell(f"  {made:,} of {total:,} vectors made …")
