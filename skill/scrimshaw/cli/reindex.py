"""`scrimshaw reindex`: make the search index anew from the ledger, its vectors included."""

from __future__ import annotations

import json
import os
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from scrimshaw.cli.support.options import as_json, wanted, which
from scrimshaw.cli.support.terminal import tell
from scrimshaw.clock import now
from scrimshaw.core.text.plural import counted
from scrimshaw.errors import Exit, UserError
from scrimshaw.services.search import index
from scrimshaw.store.ledger import open_ledger
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
    code = Exit.MENDABLE if any(one["problem"] for one in done) else Exit.OK
    if wants_json:
        click.echo(json.dumps({"workspaces": done, "notes": list(notes), "exit_code": int(code)}))
    else:
        for note in notes:
            tell(note)
    return int(code)


def _reindex(target: Target, present: datetime, *, keeps: bool, is_quiet: bool) -> dict[str, Any]:
    if not is_quiet:
        tell(f"{target.agent_id}  {target.layout.workspace}")
    settings = target.config.settings
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        words = index.rebuild(target.layout, ledger, present, keeps_vectors=keeps)
        if not is_quiet:
            tell(f"  Words: {counted(words, 'line')}.")
        why_none = index.why_no_vectors(settings)
        made = index.embed_missing(
            target.layout, ledger, settings, present, on_progress=_progress(words, is_quiet)
        )
    problem = made.problem if not why_none else ""
    if not is_quiet:
        made_told = f"{counted(made.made, 'line')} made"
        tell(f"  Vectors: {f'none; {why_none}' if why_none else made_told}.")
        if problem:
            tell(f"  {problem}")
    return {
        "agent": target.agent_id,
        "workspace": str(target.layout.workspace),
        "words": words,
        "vectors": made.made,
        "waiting": made.waiting,
        "why_no_vectors": why_none or None,
        "problem": problem or None,
    }


def _progress(total: int, is_quiet: bool) -> Any:  # noqa: ANN401  # a callback
    def told(made: int) -> None:
        if not is_quiet and made % 3200 == 0:
            tell(f"  {made:,} of {total:,} vectors made …")

    return told
