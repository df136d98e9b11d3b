"""`scrimshaw reflect`: go over the lines once, merge what was said twice, let go of what was replaced."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from scrimshaw.cli.options import as_json, wanted, which
from scrimshaw.cli.telling import diff, section_lines
from scrimshaw.cli.terminal import tell
from scrimshaw.clock import now
from scrimshaw.core.model import EventType
from scrimshaw.errors import Exit, UserError
from scrimshaw.jobs.order import REFUSED, Published
from scrimshaw.jobs.reflect import Outcome, Reflected, rehearse, run
from scrimshaw.jobs.target import Target, find_targets, is_set_up
from scrimshaw.logs import logging_to

_WORDS = {
    "merged": "said twice and merged",
    "superseded": "replaced by a later word",
    "completed": "reported as done",
    "promoted": "now standing",
    "expired": "of unknown outcome now",
    "retired": "too old for the section",
}


@click.command()
@which
@click.option("--dry-run", is_flag=True, help="Show which lines would change and write nothing.")
@as_json
def command(
    workspace: Path | None, agent: str | None, state_dir: Path | None, dry_run: bool, wants_json: bool
) -> int:
    """Merge what was said twice, let go of what was replaced or is over, and bring MEMORY.md up to date."""
    targets, notes = find_targets(wanted(workspace, agent, state_dir), os.environ)
    targets = [target for target in targets if is_set_up(target.layout)]
    if not targets:
        raise UserError(
            "Scrimshaw has not written in any of these workspaces yet, so there is nothing to go over.",
            next_step="set one up first: scrimshaw init",
        )
    results = [_one(target, dry_run=dry_run, is_quiet=wants_json) for target in targets]
    codes = [result["exit_code"] for result in results]
    code = max(codes) if len(set(codes)) == 1 else Exit.PARTLY
    if wants_json:
        click.echo(json.dumps({"workspaces": results, "notes": list(notes), "exit_code": int(code)}))
        return int(code)
    for note in notes:
        tell(note)
    return int(code)


def _one(target: Target, *, dry_run: bool, is_quiet: bool) -> dict[str, Any]:
    """Reflect on one workspace, say what came of it and return it; one that fails stops no other."""
    head = {"agent": target.agent_id, "workspace": str(target.layout.workspace)}
    moment = now(os.environ)
    try:
        if dry_run:
            reflected, published = rehearse(target, moment)
        else:
            with logging_to(target.layout):
                reflected, published = run(target, moment)
    except UserError as error:
        if not is_quiet:
            tell(f"{target.agent_id}  {target.layout.workspace}\n{error}", is_error=True)
        problems = {"error": list(error.problems), "next_step": error.next_step}
        return {**head, **problems, "exit_code": int(error.exit_code)}
    if not is_quiet:
        for line in _told(target, reflected, published, dry_run=dry_run):
            tell(line)
    return {**head, **_as_object(reflected, published)}


def _told(target: Target, done: Reflected, published: Published, *, dry_run: bool) -> Iterator[str]:
    yield f"{target.agent_id}  {target.layout.workspace}"
    counts = done.counts()
    found = [f"{counts[name]:,} {words}" for name, words in _WORDS.items() if counts[name]]
    match done.outcome:
        case Outcome.CONTESTED:
            yield "  Other runs kept writing to the ledger; nothing was merged."
            yield "  Next: run this again in a moment"
        case Outcome.WAITING:
            yield "  A large change of the section by hand is to be decided first; nothing was merged."
        case _:
            yield f"  Lines: {'; '.join(found)}." if found else "  Nothing said twice, replaced or over."
    if done.reflection.has_more:
        yield "  More wait for the next time: at most a quarter of the lines goes at once."
    if dry_run:
        yield from _changed_lines(done)
    yield from (f"  {line}" for line in section_lines(published, target))
    if dry_run and (change := diff(published)):
        yield f"\n{change}"
    if dry_run:
        yield "Nothing was written (--dry-run)."


def _changed_lines(done: Reflected) -> Iterator[str]:
    for change in done.reflection.changes:
        if change.type is not EventType.REINFORCED:
            yield f"  {change.type}: {_text(done, change.id)}"
            if change.other_id:
                yield f"    → {_text(done, change.other_id)}"
    for name, ids in (("expired", done.aged.expired), ("retired", done.aged.retired)):
        yield from (f"  {name}: {_text(done, id_)}" for id_ in ids)


def _text(done: Reflected, id_: str) -> str:
    line = done.lines.get(id_)
    return line.observation.text if line else id_


def _as_object(done: Reflected, published: Published) -> dict[str, Any]:
    changes = [
        {"what": change.type.value, "id": change.id, "by": change.other_id, "reason": change.reason}
        for change in done.reflection.changes
    ]
    return {
        "outcome": done.outcome.value,
        "counts": done.counts(),
        "has_more": done.reflection.has_more,
        "changes": changes,
        "section": {"result": published.result.value, "path": str(published.path)},
        "exit_code": int(_exit_code(done, published)),
    }


def _exit_code(done: Reflected, published: Published) -> Exit:
    if published.result in REFUSED or done.outcome is Outcome.WAITING:
        return Exit.REFUSED
    return Exit.LOCKED if done.outcome is Outcome.CONTESTED else Exit.OK
