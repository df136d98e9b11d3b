"""`scrimshaw export`: a memory, or some days of it, as one portable file."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import click

from scrimshaw.cli.support.one_workspace import one_target
from scrimshaw.cli.support.options import as_json, wanted
from scrimshaw.cli.support.terminal import tell
from scrimshaw.clock import now
from scrimshaw.core.text.plural import counted
from scrimshaw.errors import Exit, UserError
from scrimshaw.logs import logging_to
from scrimshaw.services.archive.export import ExportRequest, ExportResult, export, span_of
from scrimshaw.workspace import Target

_FOLDER = click.Path(file_okay=True, path_type=Path)
_MB = 1_000_000


@click.command()
@click.argument("agent", metavar="AGENT")
@click.argument("file", metavar="FILE.mv2", type=click.Path(path_type=Path))
@click.option("--workspace", type=_FOLDER, metavar="FOLDER", help="Only this agent's workspace.")
@click.option(
    "--state-dir", type=_FOLDER, metavar="FOLDER", help="OpenClaw's state folder, if not ~/.openclaw."
)
@click.option("--from", "since", metavar="WHEN", help="Only what was said from then on.")
@click.option("--to", "until", metavar="WHEN", help="Only what was said up to then, that day included.")
@click.option("--replace", "replaces", is_flag=True, help="Overwrite an existing file.")
@as_json
def command(agent: str, file: Path, wants_json: bool, **asked: Any) -> int:  # noqa: ANN401  # click's options
    """Write AGENT's memory to FILE.mv2, which scrimshaw import loads elsewhere."""
    try:
        which = wanted(asked["workspace"], agent, asked["state_dir"])
        target = one_target(which, os.environ, undone="Nothing was exported.")
        present, zone = now(os.environ), target.zone
        begin = span_of(asked["since"], "--from", present, zone)
        end = span_of(asked["until"], "--to", present, zone)
        wish = ExportRequest(file, begin and begin.start, end and end.end, asked["replaces"])
        with logging_to(target.layout):
            done = export(target, wish, present, on_frame=_counted(wants_json=wants_json))
    except UserError as error:
        if not wants_json:
            raise
        problems = {"error": list(error.problems), "next_step": error.next_step}
        click.echo(json.dumps({**problems, "exit_code": int(error.exit_code)}))
        return int(error.exit_code)
    if wants_json:
        click.echo(json.dumps(done.to_dict()))
    else:
        _say(target, done)
    return int(Exit.OK)


def _counted(*, wants_json: bool) -> Any:  # noqa: ANN401  # a function of two counts
    """Return what shows how far it is: on a terminal only."""
    if wants_json or not sys.stderr.isatty():
        return lambda _done, _of: None
    return lambda done, of: click.echo(f"\r{done} of {of} parts written", nl=done == of, err=True)


def _say(target: Target, done: ExportResult) -> None:
    tell(f"{target.agent_id}  {target.layout.workspace}")
    days = done.first_day if done.first_day == done.last_day else f"{done.first_day} to {done.last_day}"
    lines = counted(done.observations, "line")
    tell(f"  {lines} of {days}, with their sources and all that happened to them.")
    for path in done.paths:
        tell(f"  {path}")
    tell(f"  {done.size_bytes / _MB:.1f} MB, verified; only you can read it. No later forget reaches it.")
    tell("  Past revisions of the section are not exported: log, diff and undo work only here.")
    names = " ".join(path.name for path in done.paths)
    tell(f"On the other machine: scrimshaw import {names}")
