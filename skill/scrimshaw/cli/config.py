"""The command `config`: the settings in force, and where each of them comes from."""

from __future__ import annotations

from dataclasses import fields

import click

from scrimshaw.cli.render.settings import plain, setting_row
from scrimshaw.cli.support.command import CommandCall, command, print_json
from scrimshaw.config import Settings, WrongConfigurationError, load
from scrimshaw.config.sample import example
from scrimshaw.errors import Exit, NotFoundError, UserError
from scrimshaw.workspace import Target, one_of, survey


@command()
@click.option("--check", is_flag=True, help="Only check the configuration.")
@click.option("--example", "wants_example", is_flag=True, help="Print a commented file with every default.")
def config(call: CommandCall, check: bool, wants_example: bool) -> None:
    """Show the settings in force and where each of them comes from."""
    if wants_example:
        click.echo(example(), nl=False)
        return
    if check:
        _check(call)
        call.say("The configuration is right.")
        if call.wants_json:
            print_json({"ok": True}, Exit.OK)
        return
    workspace, agent, state_dir, home = call.wanted
    is_named = state_dir is not None or home is not None
    target = one_of(call.wanted, call.env, undone="Nothing was shown.") if is_named else _sole(call)
    if target:
        workspace, agent = target.layout.workspace, target.agent_id
    found = load(workspace, agent or "main", call.env)
    values = {item.name: getattr(found.settings, item.name) for item in fields(Settings)}
    if call.wants_json:
        told = {n: {"value": plain(value), "from": found.origin[n]} for n, value in values.items()}
        print_json(told, Exit.OK)
        return
    origin = dict(found.origin)
    if found.settings.timezone == "auto" and target:
        origin["timezone"] = f"{origin['timezone']}: {target.zone_told}"
    width = max(map(len, values))
    call.say(*(setting_row(name, value, origin[name], width) for name, value in values.items()))


def _check(call: CommandCall) -> None:
    """Look at the configuration of each workspace that is meant; raise UserError with every problem."""
    workspace, agent, state_dir, home = call.wanted
    try:
        failed = survey(call.wanted, call.env).failed.values()
    except UserError as nobody:
        if state_dir is not None or home is not None or isinstance(nobody, NotFoundError):
            raise
        # No workspace is there yet: what is set for any of them can be right or wrong all the same.
        load(workspace, agent or "main", call.env)
        return
    wrong = [error for error in failed if isinstance(error, WrongConfigurationError)]
    if wrong:
        raise WrongConfigurationError(dict.fromkeys(problem for error in wrong for problem in error.found))
    for error in failed:
        raise error


def _sole(call: CommandCall) -> Target | None:
    """Return the workspace that is meant, if there is one; the settings can be looked at without.

    Raises WrongConfigurationError when its configuration is wrong, NotFoundError when there is none such.
    """
    try:
        return one_of(call.wanted, call.env, undone="")
    except (WrongConfigurationError, NotFoundError):
        raise
    except UserError:
        return None
