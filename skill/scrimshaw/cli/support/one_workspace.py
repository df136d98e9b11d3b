"""The one workspace that a verb is about, and whose shell it is run in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import click

from scrimshaw.core.types import Author
from scrimshaw.errors import Exit, UserError
from scrimshaw.workspace import Target, Wanted, find_targets, is_set_up

# A line pasted from the section begins with a list mark, which click takes for an option. There is no option
# of one letter: click would find it in any word of such a line.
PASTABLE = {"ignore_unknown_options": True, "help_option_names": ["--help"]}
_OPTION = re.compile(r"--?[A-Za-z]")


def pasted(text: str) -> str:
    """Return *text* as typed; an option that there is none of is no text."""
    if _OPTION.match(text):
        raise click.NoSuchOption(text.split()[0])
    return text


def is_agents_shell(env: Mapping[str, str]) -> bool:
    """Tell whether a host has opened this shell for its agent (`exec`), and not the person for themselves."""
    return env.get("OPENCLAW_SHELL", "") not in ("", "tui-local")


def by_whom(env: Mapping[str, str]) -> Author:
    """Return who runs this: what an agent's `exec` runs is the agent's."""
    return Author.AGENT if is_agents_shell(env) else Author.PERSON


def one_target(wanted: Wanted, env: Mapping[str, str], *, undone: str) -> Target:
    """Return the one workspace that is meant: named, the only one, or the one this is run in; set up.

    *undone* says what was not done when there is none: "Nothing was forgotten."
    """
    target = meant_target(wanted, env, undone=undone)
    if not is_set_up(target.layout):
        from scrimshaw.setup.receipt import setting_up  # only where it is needed

        raise UserError(
            f"{target.layout.workspace}: Scrimshaw is not set up here, so there is nothing to show "
            f"or change. {undone}",
            next_step=setting_up(env, target.agents[0].state_dir),
        )
    return target


def meant_target(wanted: Wanted, env: Mapping[str, str], *, undone: str) -> Target:
    """Return the one workspace that is meant, set up or not."""
    targets, notes = find_targets(wanted, env)
    if len(targets) == 1:
        return targets[0]
    here = {Path(place) for place in (env.get("PWD", ""), str(Path.cwd())) if place}
    inside = {path.resolve() for folder in here for path in (folder, *folder.parents)}
    found = [target for target in targets if target.layout.workspace in inside]
    if found:
        # Of workspaces within workspaces the innermost.
        return max(found, key=lambda target: len(target.layout.workspace.parts))
    raise UserError(
        f"There are several workspaces, and this does not say which one is meant. {undone}",
        *notes,
        *(f"  {target.agent_id}  {target.layout.workspace}" for target in targets),
        next_step="name one: --agent ID or --workspace FOLDER; or run it in that workspace",
        exit_code=Exit.USAGE,
    )
