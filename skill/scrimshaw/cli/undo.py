"""`scrimshaw undo`: take back what one revision of the section brought."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import click

from scrimshaw.cli.render.run_report import diff, section_lines
from scrimshaw.cli.support.one_workspace import one_target
from scrimshaw.cli.support.options import as_json, wanted, which
from scrimshaw.cli.support.terminal import as_said, in_a_row, tell
from scrimshaw.clock import now
from scrimshaw.errors import UserError
from scrimshaw.logs import logging_to
from scrimshaw.services.edit.author import check_may_undo
from scrimshaw.services.edit.undo import UndoResult, rehearse, run
from scrimshaw.workspace import Target, Wanted

_NOTHING = "Nothing was undone."
_MOST_LISTED = 10


@click.command()
@click.argument("revision", required=False, type=click.IntRange(min=1), metavar="[REV]")
@which
@click.option("--dry-run", is_flag=True, help="Show what would change; write nothing.")
@as_json
def command(
    revision: int | None,
    workspace: Path | None,
    agent: str | None,
    state_dir: Path | None,
    dry_run: bool,
    wants_json: bool,
) -> int:
    """Undo revision REV (see `scrimshaw log`), or the newest one that still counts."""
    try:
        target, done = _undo(wanted(workspace, agent, state_dir), revision, os.environ, dry_run=dry_run)
    except UserError as error:
        if not wants_json:
            raise
        problems = {"error": list(error.problems), "next_step": error.next_step}
        click.echo(json.dumps({**problems, "exit_code": int(error.exit_code)}))
        return int(error.exit_code)
    if wants_json:
        click.echo(json.dumps(done.to_dict()))
    else:
        _say(target, done, dry_run=dry_run)
    return int(done.exit_code)


def _undo(
    place: Wanted, revision: int | None, env: Mapping[str, str], *, dry_run: bool
) -> tuple[Target, UndoResult]:
    if not dry_run:
        check_may_undo(env)
    target = one_target(place, env, undone=_NOTHING)
    if dry_run:
        return target, rehearse(target, now(env), revision)
    with logging_to(target.layout):
        return target, run(target, now(env), revision)


def _say(target: Target, done: UndoResult, *, dry_run: bool) -> None:
    tell(f"{target.agent_id}  {target.layout.workspace}")
    what = "Revision {} would be undone" if dry_run else "Revision {} is undone"
    what = "The undo of revision {} had not been written yet; it is now" if done.is_finished else what
    tell(f"  {what.format(done.revision.number)} (written because of: {done.revision.reason}).")
    by_hand = {event.observation_id for event in done.undoing.of_person}
    for said, ids in _parts(done):
        if ids:
            tell(f"  {said}")
            for id_ in ids[:_MOST_LISTED]:
                own = " (your own doing)" if id_ in by_hand else ""
                tell(f"    {in_a_row(done.lines[id_].observation.text)}{own}")
            if len(ids) > _MOST_LISTED:
                tell(f"    … and {len(ids) - _MOST_LISTED} more")
    for line in _taken_out(done, dry_run=dry_run) or section_lines(done.published, target):
        tell(f"  {line}")
    if done.is_exact and done.before:
        tell(f"  The section is, to the byte, that of revision {done.before.number}.")
    if dry_run:
        if changes := diff(done.published):
            tell(f"\n{as_said(changes)}")
        tell("Nothing was written (--dry-run).")
    elif done.published.revision and not done.is_taken_out:
        tell(f"  To take this back: scrimshaw undo {done.published.revision}")


def _taken_out(done: UndoResult, *, dry_run: bool) -> list[str]:
    if not done.is_taken_out:
        return []
    would = "would be" if dry_run else "is"
    again = f", and then, with what stood in it: scrimshaw undo {done.published.revision}"
    return [
        f"{done.published.path.name}: it was the first, so the section {would} taken out. The file is as it "
        "was before, but for what was written around the section since.",
        "Nothing is written there any more. Next: to have a section again, run: scrimshaw init"
        + (again if done.published.revision else ""),
    ]


def _parts(done: UndoResult) -> Iterable[tuple[str, tuple[str, ...]]]:
    undoing = done.undoing
    told = {*undoing.gone, *undoing.back, *undoing.changed}
    by_hand = dict.fromkeys(event.observation_id for event in undoing.of_person)
    yield "No longer noted; they do not come back by themselves:", undoing.gone
    yield "Holds again:", undoing.back
    yield "Shown, open or pinned as before:", undoing.changed
    yield "Undone with it:", tuple(id_ for id_ in by_hand if id_ not in told)
