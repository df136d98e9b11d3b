"""`scrimshaw pin`, and what `scrimshaw unpin` shares with it.

Thin: the line is found and pinned by services/edit/pin; here is only what is typed and what is told.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import click

from scrimshaw.cli.render.run_report import section_lines
from scrimshaw.cli.support.one_workspace import PASTABLE, one_target, pasted
from scrimshaw.cli.support.options import as_json, wanted, which
from scrimshaw.cli.support.terminal import in_a_row, tell
from scrimshaw.clock import now
from scrimshaw.errors import UserError
from scrimshaw.logs import logging_to
from scrimshaw.services.edit.author import by_whom
from scrimshaw.services.edit.pin import PinResult, pin
from scrimshaw.services.publish.result import Result
from scrimshaw.workspace import Target


@click.command(context_settings=PASTABLE)
@click.argument("text")
@which
@click.option("--now", "is_now", is_flag=True, help="Write MEMORY.md even in the middle of a conversation.")
@as_json
def command(text: str, **asked: Any) -> int:  # noqa: ANN401  # click's options
    """Pin the line that TEXT names (words of it, or its id): shown first, never merged away."""
    return turn(text, asked, os.environ, pins=True)


def turn(text: str, asked: Mapping[str, Any], env: Mapping[str, str], *, pins: bool) -> int:
    """Pin or unpin a line and say what came of it."""
    place = wanted(asked["workspace"], asked["agent"], asked["state_dir"])
    try:
        target = one_target(place, env, undone="Nothing was changed.")
        with logging_to(target.layout):
            done = pin(
                target, pasted(text), pins=pins, now=now(env), by=by_whom(env).value, is_now=asked["is_now"]
            )
    except UserError as error:
        if not asked["wants_json"]:
            raise
        problems = {"error": list(error.problems), "next_step": error.next_step}
        click.echo(json.dumps({**problems, "exit_code": int(error.exit_code)}))
        return int(error.exit_code)
    if asked["wants_json"]:
        click.echo(json.dumps(done.to_dict()))
    else:
        _say(target, done, pins=pins)
    return int(done.exit_code)


def _say(target: Target, done: PinResult, *, pins: bool) -> None:
    word = "Pinned" if pins else "Unpinned"
    tell(f"{target.agent_id}  {target.layout.workspace}")
    text = in_a_row(done.line.observation.text)
    tell(f"  {word}: {text}" if done.is_changed else f"  {word} already: {text}")
    if done.published.result is Result.LATER:
        who = "the daemon writes" if done.has_daemon else "the next run writes"
        tell(f"  {who.capitalize()} MEMORY.md in the next pause.")
        return
    for line in section_lines(done.published, target):
        tell(f"  {line}")
