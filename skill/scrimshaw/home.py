"""A home: a folder in which agents live that no host knows, each in a folder of its own, made on first use.

Such a folder is a workspace like any other: MEMORY.md, dated files, archives and `.scrimshaw/` with the
ledger. A program opens it by the agent's name, and that name becomes a path: only plain names are taken.
"""

from __future__ import annotations

import re
import stat
from contextlib import suppress
from pathlib import Path

from scrimshaw.errors import Exit, UserError
from scrimshaw.files import is_folder, own_folder
from scrimshaw.layout import Layout
from scrimshaw.sources.discover import Agent
from scrimshaw.store.ledger import open_ledger

SHARED = "shared"  # the agent whose memories are for all agents of a home
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


def make_agent(home: Path, name: str) -> Agent:
    """Return the agent *name* of *home*, its folder (mode 0700) and ledger made where they are missing.

    Raises UserError for a name that is none, and where something else stands in the way.
    """
    agent = _agent(_absolute(home), _checked(name))
    folder = agent.workspace
    try:
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        found = folder.lstat()
    except OSError as error:
        raise UserError(
            f"{folder}: cannot be made or looked at ({error.strerror}). Nothing was written.",
            next_step=f"ls -ld {folder.parent}",
        ) from error
    if not stat.S_ISDIR(found.st_mode):
        raise UserError(
            f"{folder}: the agent's folder should be here, but this is a link or a file. Nothing was "
            "written.",
            next_step=f"ls -ld {folder}",
        )
    own_folder(folder)
    open_ledger(Layout(folder).ledger, create=True).close()
    return agent


def agents_in(home: Path, name: str | None = None) -> list[Agent]:
    """Return the agents that live in *home*, or the one of this *name*, sorted by name."""
    home = _absolute(home)
    try:
        names = sorted(path.name for path in home.iterdir()) if name is None else [name]
    except OSError:
        return []
    return [_agent(home, one) for one in names if _NAME.fullmatch(one) and _is_agents(home / one)]


def _is_agents(folder: Path) -> bool:
    # Not the ledger alone: a damaged one is moved away before the agent is set up again.
    state = Layout(folder).state
    return all(is_folder(path) and not path.is_symlink() for path in (folder, state))


def name_for(words: str) -> str:
    """Return the name of an agent that comes next to *words*; "" where nothing of them can be in one."""
    plain = re.sub(r"[^a-z0-9_-]+", "-", words.lower()).strip("-_")[:64]
    return plain if _NAME.fullmatch(plain) else ""


def _agent(home: Path, name: str) -> Agent:
    # There is no host: a folder of ours stands in for its state folder and configuration.
    state = Layout(home / name).state
    return Agent(name, home / name, state, "", (), True, state / "openclaw.json", home)


def _absolute(home: Path) -> Path:
    try:
        return home.expanduser().resolve()
    except RuntimeError as error:
        raise UserError(
            f"{home}: there is no such user, or a link that leads to itself. Nothing was read or written.",
            next_step="name the folder of the agents in full",
        ) from error


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise UserError(
            f"{name[:80]!r} is no name for an agent: small letters, digits, - and _, at most 64, beginning "
            "with a letter or digit. Nothing was written.",
            next_step='name it for example "albert"',
            exit_code=Exit.USAGE,
        )
    return name
