"""`scrimshaw archive`: bring the `.mv2` archives up to date now, look them over, or make them anew."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Literal

import click

from scrimshaw.cli.support.options import as_json, wanted, which
from scrimshaw.cli.support.terminal import tell
from scrimshaw.clock import now
from scrimshaw.core.text.plural import counted
from scrimshaw.errors import Exit, UserError
from scrimshaw.services.archive.write import run
from scrimshaw.workspace import find_targets, is_set_up

Way = Literal["archive", "check", "rebuild"]


@click.command()
@which
@click.option(
    "--check",
    "way",
    flag_value="check",
    help="Only check that each file is intact, and show what is waiting.",
)
@click.option("--rebuild", "way", flag_value="rebuild", help="Rebuild every archive from the ledger.")
@as_json
def command(
    workspace: Path | None, agent: str | None, state_dir: Path | None, way: Way | None, wants_json: bool
) -> int:
    """Bring the archives memory/episodic/AGENT.mv2 up to date, and repair damaged ones."""
    targets, notes = find_targets(wanted(workspace, agent, state_dir), os.environ)
    targets = [target for target in targets if is_set_up(target.layout)]
    if not targets:
        raise UserError(
            "Scrimshaw has not written in any of these workspaces yet, so there is nothing to archive.",
            next_step="set one up first: scrimshaw init",
        )
    results = [run(target, now(os.environ), way or "archive").to_dict() for target in targets]
    codes = [result["exit_code"] for result in results]
    code = max(codes) if len(set(codes)) == 1 else Exit.PARTLY
    if wants_json:
        click.echo(json.dumps({"workspaces": results, "notes": list(notes), "exit_code": int(code)}))
        return int(code)
    for text in notes:
        tell(text, is_error=True)
    for result in results:
        _say(result)
    return int(code)


def _say(result: dict[str, Any]) -> None:
    tell(f"{result['agent']}  {result['workspace']}")
    for text in result["mended"]:
        tell(f"  {text}")
    if result["is_held"]:
        tell("  An unfinished forget goes first. Next: run scrimshaw forget again, then this.")
    if count := result["archived"]["frames"]:
        frames = counted(count, "frame")
        fresh = result["archived"]["observations"]
        # A line that was pinned, replaced or found since is no new one, and it is archived all the same.
        told = counted(fresh, "observation") if fresh else "What became of the lines"
        tell(f"  {told} archived, in {frames}.")
    elif result["archived"]["written"] and not result["mended"]:
        tell("  Every archive has been rebuilt from the ledger.")
    for file in result["files"]:
        size = file["size_bytes"] / 1e6
        tell(f"  {file['name']}: {counted(file['observations'], 'observation')}, {size:.1f} MB{file['told']}")
    if not result["problems"]:
        waiting = result["waiting_events"]
        told = (
            f"{counted(waiting, 'event waits', 'events wait')} for the next." if waiting else "Nothing waits."
        )
        tell(f"  {told}")
    for path in result["set_aside"]:
        tell(f"  Set aside: {path}. Next: scrimshaw import {path}; or remove it.")
    for text in result["problems"]:
        tell(f"  {text}", is_error=True)
    if result["next_step"]:
        tell(f"  Next: {result['next_step']}", is_error=True)
