"""Who is at work, and what is the person's alone to do: an agent's shell may not do everything."""

from __future__ import annotations

from collections.abc import Mapping

from scrimshaw.core.types import Author, Line
from scrimshaw.errors import refused_error


def is_agents_shell(env: Mapping[str, str]) -> bool:
    """Tell whether a host has opened this shell for its agent (`exec`), and not the person for themselves."""
    return env.get("OPENCLAW_SHELL", "") not in ("", "tui-local")


def by_whom(env: Mapping[str, str]) -> Author:
    """Return who runs this: what an agent's `exec` runs is the agent's."""
    return Author.AGENT if is_agents_shell(env) else Author.PERSON


def author_of(said: str | None, env: Mapping[str, str]) -> Author:
    """Return whose note it is; raises UserError where an agent's shell says that it is the person's."""
    by = by_whom(env)
    if said == Author.PERSON and by is Author.AGENT:
        raise refused_error(
            "An agent's shell cannot note something as the person's own words. Nothing was noted.",
            next_step="without --by; or ask the person to run it in their own terminal",
        )
    return Author(said) if said else by


def check_may_undo(env: Mapping[str, str]) -> None:
    """Raise UserError in an agent's shell: what the section tells is the person's to take back."""
    if is_agents_shell(env):
        raise refused_error(
            "An agent's shell cannot undo what is in the section. Nothing was undone.",
            next_step="scrimshaw undo --dry-run shows what it would do; the person runs it themselves",
        )


def check_may_import(env: Mapping[str, str]) -> None:
    """Raise UserError in an agent's shell: what a file holds was checked by no conversation of its own."""
    if is_agents_shell(env):
        raise refused_error(
            "An agent's shell cannot import an archive: nothing it holds is checked against your "
            "conversations. Nothing was imported.",
            next_step="ask the person to run this in their own terminal",
        )


def check_may_pin(line: Line, by: str) -> None:
    """Raise UserError where an agent pins what a program stored: words that nobody has checked."""
    if by == Author.AGENT and line.observation.author is Author.PROGRAM:
        raise refused_error(
            "This is what a program stored: checked against nothing, and in the section only once the person "
            "has pinned it. An agent's shell cannot do that for them. Nothing was pinned.",
            next_step="ask the person to run this in their own terminal",
        )


def check_may_decide(env: Mapping[str, str], verb: str = "review") -> None:
    """Raise UserError in an agent's shell: whether something holds is the person's to decide."""
    if is_agents_shell(env):
        raise refused_error(
            "An agent's shell cannot decide for the person. Nothing was decided.",
            next_step=f"ask the person to run this in their own terminal: scrimshaw {verb}",
        )
