"""The one workspace that a verb is about, and whose shell it is run in."""

from __future__ import annotations

import re
from collections.abc import Mapping

import click

from scrimshaw.errors import UserError
from scrimshaw.workspace import Target, Wanted, is_set_up, one_of

# A line pasted from the section begins with a list mark, which click takes for an option. There is no option
# of one letter: click would find it in any word of such a line.
PASTABLE = {"ignore_unknown_options": True, "help_option_names": ["--help"]}
_OPTION = re.compile(r"--?[A-Za-z]")


def pasted(text: str) -> str:
    """Return *text* as typed; an option that there is none of is no text."""
    if _OPTION.match(text):
        raise click.NoSuchOption(text.split()[0])
    return text


def one_target(wanted: Wanted, env: Mapping[str, str], *, undone: str) -> Target:
    """Return the one workspace that is meant: named, the only one, or the one this is run in; set up.

    *undone* says what was not done when there is none: "Nothing was forgotten."
    """
    target = one_of(wanted, env, undone=undone)
    if not is_set_up(target.layout):
        from scrimshaw.setup.receipt import setting_up  # only where it is needed

        raise UserError(
            f"{target.layout.workspace}: Scrimshaw is not set up here, so there is nothing to show "
            f"or change. {undone}",
            next_step=setting_up(env, target.agents[0].state_dir),
        )
    return target
