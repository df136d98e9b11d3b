"""`scrimshaw init`: agree to writing in a workspace, choose who notes, bring a removed section back.

Two consents, asked for one after the other: to write here (`--yes` gives it), and to send conversations to a
model (only an answer on a terminal, or `--model`, gives that).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import click

from scrimshaw.cli.support.options import as_json, consent, wanted, which
from scrimshaw.cli.support.running import Way, go
from scrimshaw.cli.support.terminal import tell
from scrimshaw.clock import now
from scrimshaw.config import OFFLINE
from scrimshaw.errors import Exit, UserError
from scrimshaw.services.edit.author import is_agents_shell
from scrimshaw.setup.choosing import Chosen, is_chosen, refuse_unknown
from scrimshaw.workspace import Target, find_targets, is_set_up


@click.command()
@which
@consent
@click.option(
    "--model",
    metavar="NAME",
    help="Let this model write the notes; this is your consent to send it conversations. offline: none.",
)
@as_json
def command(
    workspace: Path | None,
    agent: str | None,
    state_dir: Path | None,
    yes: bool,
    model: str | None,
    wants_json: bool,
) -> int:
    """Set up a workspace after showing what would be written, and choose who writes the notes."""
    which_ones = wanted(workspace, agent, state_dir)
    is_agents = is_agents_shell(os.environ)
    if model is not None:
        if is_agents and model != OFFLINE:
            raise UserError(
                "An agent's shell cannot agree for the person that conversations are sent to a model. "
                "Nothing was changed or sent.",
                next_step=f"ask the person to run this in their own terminal: scrimshaw init --model {model}",
                exit_code=Exit.REFUSED,
            )
        for target in find_targets(which_ones, os.environ)[0]:
            refuse_unknown(target, model)
    is_asked = not (yes or wants_json or is_agents) and sys.stdin.isatty()
    said: dict[Path, str] = {}  # in new workspaces, before anything was noted

    def choose_first(target: Target) -> Chosen | None:
        name = said[target.layout.workspace] = _wanted(target, model, is_asked=is_asked, is_first=True)
        return _carry_out(target, name, is_quiet=wants_json, is_first=True) if name else None

    way = Way(yes=yes, wants_json=wants_json, brings_back=True, chooses=choose_first)
    code = go(which_ones, way, os.environ)
    for target in find_targets(which_ones, os.environ)[0]:
        if not is_set_up(target.layout) or said.get(target.layout.workspace):
            continue  # not agreed to, or chosen
        is_open = is_asked and target.layout.workspace not in said
        if name := _wanted(target, model, is_asked=is_open):
            chosen = _carry_out(target, name, is_quiet=wants_json)
            if name != OFFLINE and not wants_json:
                _offer_a_try(chosen.target, os.environ, is_asked=is_asked)
        elif not wants_json:
            tell(_as_it_is(target))
    return int(code)


def _wanted(target: Target, model: str | None, *, is_asked: bool, is_first: bool = False) -> str:
    """Return the model that is to write *target*'s notes, "" for who does it now."""
    if model is None and is_asked and not is_chosen(target.config):
        from scrimshaw.cli.model_wizard import ask_for_model  # only here: it reads what was said

        return ask_for_model(target, os.environ, now(os.environ), is_first=is_first)
    return model or ""


def _carry_out(target: Target, name: str, *, is_quiet: bool, is_first: bool = False) -> Chosen:
    from scrimshaw.cli.model_wizard import carry_out

    chosen, lines = carry_out(target, name, os.environ, is_first=is_first)
    for line in () if is_quiet else ("", *lines):
        tell(line)
    return chosen


def _as_it_is(target: Target) -> str:
    model = target.config.settings.observer_model
    if model == OFFLINE:
        return (
            f"{target.agent_id}: the rules write the notes; nothing is sent anywhere. What else there is: "
            "scrimshaw models"
        )
    return (
        f"{target.agent_id}: {model} writes the notes. To change that: scrimshaw init --model NAME; "
        "to have the rules again: scrimshaw init --model offline"
    )


def _offer_a_try(target: Target, env: Mapping[str, str], *, is_asked: bool) -> None:
    if is_asked and click.confirm("Try it now? A few invented lines are sent.", default=True):
        from scrimshaw.cli.models import test_and_tell  # only when wanted

        test_and_tell(target, target.config.settings.observer_model, env)
    else:
        tell("Next: scrimshaw models test")
