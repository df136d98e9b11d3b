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

from scrimshaw.cli.one import is_agents_shell
from scrimshaw.cli.options import as_json, consent, wanted, which
from scrimshaw.cli.running import Way, go
from scrimshaw.cli.terminal import tell
from scrimshaw.clock import now
from scrimshaw.config import OFFLINE
from scrimshaw.errors import Exit, UserError
from scrimshaw.jobs.target import Target, Wanted, find_targets, is_set_up
from scrimshaw.setup.choosing import is_chosen, refuse_unknown


@click.command()
@which
@consent
@click.option(
    "--model",
    metavar="NAME",
    help="Let this model write the notes: your consent to send it conversations. offline: nobody, again.",
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
    """Set a workspace up after showing what would be written, and choose who notes; bring a section back."""
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
    code = go(which_ones, Way(yes=yes, wants_json=wants_json, brings_back=True), os.environ)
    is_asked = not (yes or wants_json or is_agents) and sys.stdin.isatty()
    return max(code, _choose(which_ones, model, is_asked=is_asked, is_quiet=wants_json))


def _choose(which_ones: Wanted, model: str | None, *, is_asked: bool, is_quiet: bool) -> int:
    for target in find_targets(which_ones, os.environ)[0]:
        if not is_set_up(target.layout):
            continue  # not agreed to
        name = model or ""
        if model is None and is_asked and not is_chosen(target.config):
            from scrimshaw.cli.choosing import ask_for_model  # only here: it reads what was said

            name = ask_for_model(target, os.environ, now(os.environ))
        if name:
            _carry_out(target, name, is_asked=is_asked, is_quiet=is_quiet)
        elif not is_quiet:
            tell(_as_it_is(target))
    return int(Exit.OK)


def _carry_out(target: Target, name: str, *, is_asked: bool, is_quiet: bool) -> None:
    from scrimshaw.cli.choosing import carry_out

    chosen, lines = carry_out(target, name, os.environ)
    if is_quiet:
        return
    tell("")
    for line in lines:
        tell(line)
    if name != OFFLINE:
        _offer_a_try(chosen.target, os.environ, is_asked=is_asked)


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
