"""`scrimshaw forget`: take a statement, a conversation, or all before some day out of everything of ours.

Thin: what would go is shown, the person is asked, and what came of it is told. Which lines those are, and how
they go, is services/edit/forget's. What an agent's shell may ask for is decided here.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import click

from scrimshaw.cli.render.run_report import section_lines
from scrimshaw.cli.support.one_workspace import PASTABLE, one_target, pasted
from scrimshaw.cli.support.options import as_json, wanted, which
from scrimshaw.cli.support.terminal import tell
from scrimshaw.clock import now
from scrimshaw.core.text.plural import counted
from scrimshaw.core.types import Author
from scrimshaw.errors import Exit, UserError
from scrimshaw.logs import logging_to
from scrimshaw.services.edit.author import by_whom
from scrimshaw.services.edit.find_line import listed, name_of
from scrimshaw.services.edit.forget import (
    ForgetPlan,
    ForgetResult,
    check_agent_asks_for_one,
    check_agent_may,
    forget,
    look_ahead,
    read_wish,
)
from scrimshaw.workspace import Target

_NOTHING = "Nothing was forgotten."
_MOST_LISTED = 20
_MOST_ROWS = 8
_ELSEWHERE = (
    "Not reached: the host's own transcripts and search index, files that were exported or copied elsewhere, "
    "and what was sent to a model. What you typed may still stand in your shell's history."
)


@click.command(context_settings=PASTABLE)
@click.argument("text", required=False)
@which
@click.option("--all", "is_every", is_flag=True, help="Every line that contains these words, not only one.")
@click.option("--session", metavar="ID|KEY", help="Everything from one conversation.")
@click.option("--before", metavar="DATE", help="Everything said before this day or moment.")
@click.option("--dry-run", is_flag=True, help="Show what would be erased and change nothing.")
@click.option("--yes", is_flag=True, help="Forget without asking first.")
@as_json
def command(text: str | None, wants_json: bool, **asked: Any) -> int:  # noqa: ANN401  # click's options
    """Forget TEXT (words of a line, or its id) for good: ledger, section, dated files, archives, backups."""
    try:
        return _forget(text, asked, os.environ, wants_json=wants_json)
    except UserError as error:
        if not wants_json:
            raise
        problems = {"error": list(error.problems), "next_step": error.next_step}
        click.echo(json.dumps({"outcome": "refused", **problems, "exit_code": int(error.exit_code)}))
        return int(error.exit_code)


def _forget(text: str | None, asked: Mapping[str, Any], env: Mapping[str, str], *, wants_json: bool) -> int:
    place = wanted(asked["workspace"], asked["agent"], asked["state_dir"])
    target, by, at = one_target(place, env, undone=_NOTHING), by_whom(env), now(env)
    wish = read_wish(
        pasted(text or ""),
        asked["session"] or "",
        asked["before"],
        at,
        target.zone,
        is_every=asked["is_every"],
    )
    check_agent_asks_for_one(wish, by)
    with logging_to(target.layout):
        dry_run = asked["dry_run"]
        shown = look_ahead(target, wish, now=at, by=by, dry_run=dry_run)
        if shown.was_resumed and not wants_json:
            tell("An interrupted forget was finished first.")
        check_agent_may(shown, by)
        if not wants_json:
            for line in _preview(target, shown):
                tell(line)
        if (
            dry_run
            or (shown.is_nothing and not shown.was_resumed)
            or not _agrees(asked, wants_json=wants_json)
        ):
            return _told_nothing(shown, wants_json=wants_json)
        done = forget(shown, now=at, by=by.value)
    if wants_json:
        click.echo(json.dumps(done.to_dict()))
    else:
        for line in _told(target, done):
            tell(line)
    return int(done.exit_code)


def _agrees(asked: Mapping[str, Any], *, wants_json: bool) -> bool:
    if asked["yes"]:
        return True
    if wants_json or not sys.stdin.isatty():
        raise UserError(
            f"This cannot be undone, and there is no terminal to ask on. {_NOTHING}",
            next_step="look first with --dry-run; agree with --yes",
            exit_code=Exit.REFUSED,
        )
    return click.confirm("Forget this for good?", default=False)


def _preview(target: Target, shown: ForgetPlan) -> Iterator[str]:
    yield f"{target.agent_id}  {target.layout.workspace}"
    asked_for = [line for line in shown.lines if line.observation.id not in shown.why]
    along = [line for line in shown.lines if line.observation.id in shown.why]
    if not shown.lines:
        yield "  No line of it is in the ledger."
    else:
        yield f"  {counted(len(asked_for), 'line')} to be forgotten:"
        yield from (f"  {row}" for row in listed(asked_for, _MOST_LISTED))
    if along:
        yield f"  {counted(len(along), 'line')} would go along:"
        yield from (
            f"    {name_of(line)} ({shown.why[line.observation.id]})" for line in along[-_MOST_LISTED:]
        )
        if len(along) > _MOST_LISTED:
            yield f"    … and {len(along) - _MOST_LISTED} more"
    own = sum(line.observation.author is Author.PERSON for line in shown.lines)
    if own:
        yield f"  {counted(own, 'line')} of these you wrote or changed yourself."
    if shown.restored:
        yield f"  {counted(len(shown.restored), 'line')} that had been merged into these would hold again."
    if shown.sessions or shown.before_ms is not None:
        yield "  Nothing that was said there until now would be noted again, not from an archive either."
    if shown.is_recorded:
        yield "  OpenClaw has a record of MEMORY.md, and the section inside it holds this: it would be taken"
        yield "  out there, and the host may shut the file out of prompts at the agent's next edit of it."
    if shown.lines:
        yield "  It cannot be undone."


def _told_nothing(shown: ForgetPlan, *, wants_json: bool) -> int:
    if wants_json:
        click.echo(json.dumps(shown.to_dict()))
    else:
        tell(_NOTHING)
    return int(Exit.OK)


def _told(target: Target, done: ForgetResult) -> Iterator[str]:
    places = f", {', '.join(done.places)}" if done.places else ""
    yield f"  Forgotten: {counted(done.lines, 'line')}. Cleaned: the ledger and its free pages{places}."
    for line in section_lines(done.published, target):
        yield f"  {line}"
    for left in done.left:
        rows = ", ".join(map(str, left.rows[:_MOST_ROWS])) + (" …" if len(left.rows) > _MOST_ROWS else "")
        where = f"line {rows}" if len(left.rows) == 1 else f"lines {rows}" if rows else "somewhere in it"
        yield f"  Still there, and not ours to change: {left.path} ({where})."
    yield f"  {_ELSEWHERE}"
