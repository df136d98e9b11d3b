"""Whether a verb answers in an agent's shell: what was told in private is not read out to a group.

Decided here for every verb, before it begins: one that shows what is remembered, or takes of it away, does
so in an agent's shell only while none but a private conversation of that agent can be the one that asks. It
guards what an agent does with our commands; one that hides whose shell it is, or reads the files, is not
stopped by it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrimshaw.errors import refused_error
from scrimshaw.services.edit.audience import why_not_private
from scrimshaw.services.edit.author import is_agents_shell
from scrimshaw.services.status.plugin_health import tools_of
from scrimshaw.workspace import Target, Wanted, find_targets, is_set_up, one_of

# These show no line and no message, and let none go; or they refuse an agent's shell by themselves.
_OPEN = frozenset(
    {
        "archive",
        "completion",
        "config",
        "doctor",
        "fleet",
        "import",
        "init",
        "install",
        "models",
        "observe",
        "reindex",
        "run",
        "serve",
        "service",
        "spend",
        "status",
        "token",
        "trend",
        "undo",
        "uninstall",
    }
)
# … except when they are to show them.
_SHOWING = {"observe": ("dry_run", "show_request"), "undo": ("dry_run",)}
# What these are about is every workspace, not the one they are run in.
_OF_ALL = frozenset(
    {"accept-edits", "conflicts", "health", "observe", "preview", "reflect", "restore", "review"}
)


def check_asker(verb: str, asked: Mapping[str, Any], env: Mapping[str, str]) -> None:
    """Raise UserError when *verb*, with the options *asked*, is not for whoever may be asking."""
    if not is_agents_shell(env) or _is_open(verb, asked):
        return
    wanted = Wanted(*(asked.get(name) for name in Wanted._fields))
    if verb in _OF_ALL or asked.get("all_agents"):
        targets = find_targets(wanted, env)[0]
    else:
        one = one_of(wanted, env, undone="Nothing was shown or changed.")
        targets = [one] if is_set_up(one.layout) else []  # else there is nothing to tell yet
    for target in targets:
        why = why_not_private(target, env)
        if why:
            raise refused_error(
                "The memory is shown only in private conversations of its agent, and this may not be one: "
                f"{why}. Nothing was shown or changed.",
                next_step=f"in a private conversation, {_instead(target, env)}; anywhere else leave it. The "
                "person can run the same command in their own terminal",
            )


def _instead(target: Target, env: Mapping[str, str]) -> str:
    """Return what an agent does where its shell may not tell: its tools know which conversation asks."""
    tools = tools_of(target, env)
    if not tools:
        return "try again when the other is over"
    return f"use your tools {', '.join(tools[:-1])} and {tools[-1]}, which know who asks"


def _is_open(verb: str, asked: Mapping[str, Any]) -> bool:
    return verb in _OPEN and not any(asked.get(name) for name in _SHOWING.get(verb, ()))
