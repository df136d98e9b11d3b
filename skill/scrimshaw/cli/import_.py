"""`scrimshaw import`: take up what an archive holds, into the ledger and the dated files."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import click

from scrimshaw.cli.render.run_report import section_lines
from scrimshaw.cli.support.one_workspace import one_target
from scrimshaw.cli.support.options import as_json, wanted, which
from scrimshaw.cli.support.terminal import tell
from scrimshaw.clock import now
from scrimshaw.core.text.plural import counted
from scrimshaw.errors import UserError
from scrimshaw.logs import logging_to
from scrimshaw.services.archive.import_ import ImportRequest, ImportResult, import_archives
from scrimshaw.services.edit.author import check_may_import
from scrimshaw.services.publish.result import Result
from scrimshaw.workspace import Target


@click.command()
@click.argument("archives", metavar="FILE.mv2...", nargs=-1, required=True, type=click.Path(path_type=Path))
@which
@click.option("--dry-run", is_flag=True, help="Only say what would be imported.")
@click.option("--now", "is_now", is_flag=True, help="Write MEMORY.md even in the middle of a conversation.")
@as_json
def command(archives: tuple[Path, ...], wants_json: bool, **asked: Any) -> int:  # noqa: ANN401  # click's options
    """Load FILE.mv2: an export, another machine's archive, or any program's memvid file."""
    try:
        check_may_import(os.environ)
        which_one = wanted(asked["workspace"], asked["agent"], asked["state_dir"])
        target = one_target(which_one, os.environ, undone="Nothing was imported.")
        wish = ImportRequest(archives, writes=not asked["dry_run"], is_now=asked["is_now"])
        with logging_to(target.layout):
            done = import_archives(target, wish, now(os.environ))
    except UserError as error:
        if not wants_json:
            raise
        problems = {"error": list(error.problems), "next_step": error.next_step}
        click.echo(json.dumps({**problems, "exit_code": int(error.exit_code)}))
        return int(error.exit_code)
    if wants_json:
        click.echo(json.dumps(done.to_dict()))
    else:
        tell(f"{target.agent_id}  {target.layout.workspace}")
        for line in _lines(target, done):
            tell(f"  {line}")
    return int(done.exit_code)


def _lines(target: Target, done: ImportResult) -> list[str]:
    lines = []
    if done.lines:
        agents = ", ".join(done.agents)
        lines.append(f"{counted(done.lines, 'line')} of agent {agents}: {_what_came(done)}.")
    if done.foreign_frames:
        lines += _foreign_lines(done)
    if not done.lines and not done.foreign_frames:
        lines.append("There is nothing in it.")
    lines += _kept_lines(done)
    if done.published is None:
        return [*lines, "Nothing was written (--dry-run)."]
    if done.published.result is not Result.LATER:
        return [*lines, *section_lines(done.published, target)]
    who = "the daemon writes" if done.has_daemon else "the next run writes"
    return [*lines, f"It is in the ledger and in the dated files; {who} MEMORY.md in the next pause."]


def _what_came(done: ImportResult) -> str:
    joined = done.joined
    parts = [f"{len(joined.observations):,} new"]
    if joined.known:
        parts.append(f"{joined.known:,} here already")
    if joined.changed:
        parts.append(f"{joined.changed:,} of those brought up to date")
    return ", ".join(parts)


def _foreign_lines(done: ImportResult) -> list[str]:
    told = f"{counted(done.notes, 'plain note')} from what other programs wrote"
    told += f", {done.notes_known:,} here already" if done.notes_known else ""
    lines = [f"{told}: found by search, not in the section until you pin one."]
    if done.notes_left_out:
        lines.append(f"{counted(done.notes_left_out, 'piece')} of long texts left out.")
    if done.orders_left_out:
        lines.append(f"{counted(done.orders_left_out, 'piece')} left out that would order the agent about.")
    return lines


def _kept_lines(done: ImportResult) -> list[str]:
    joined, lines = done.joined, []
    if joined.kept_out:
        lines.append(f"{counted(joined.kept_out, 'line')} kept out: you took out or had forgotten that here.")
    if joined.yours:
        lines.append(f"{counted(joined.yours, 'change')} left aside: you have decided otherwise here.")
    if joined.forgotten_there:
        lines.append(
            f"{counted(len(joined.forgotten_there), 'line')} forgotten there and still here: scrimshaw forget"
        )
    if joined.elsewhere:
        lines.append(f"The words of {counted(joined.elsewhere, 'line')} are in another file of that memory.")
    if total := sum(done.redacted.values()):
        parts = counted(total, "secret or private part")
        lines.append(f"{parts} taken out before anything was written.")
    return lines
