"""The skill folder of a workspace that does not contain this checkout: SKILL.md and three launchers.

The launchers name their program by its full path, so that the agent's `exec` needs no PATH. Never a symlink:
the host skips a skill folder that is outside of the workspace. A folder of this name that is not ours is left
unchanged.
"""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Literal, NamedTuple

from scrimshaw import files, resources
from scrimshaw.errors import UserError
from scrimshaw.resources import program

NAME = "observational-memory"
MARK = "# scrimshaw:launcher"
_LARGEST_BYTES = 256 * 1024


class SkillPlace(NamedTuple):
    """Where the skill of a workspace is, and its present state."""

    folder: Path
    kind: Literal["checkout", "ours", "absent", "foreign", "link"]

    @property
    def command(self) -> Path:
        """The command that the agent runs."""
        return self.folder / "scripts" / "scrimshaw"


def skill_place(workspace: Path) -> SkillPlace:
    """Return the state of our folder among the workspace's skills."""
    root = resources.checkout()
    folder = workspace / "skills" / NAME
    if root is not None and root.parent == (workspace / "skills").resolve():
        return SkillPlace(root, "checkout")
    if folder.is_symlink() or folder.parent.is_symlink():
        return SkillPlace(folder, "link")
    if not folder.exists():
        return SkillPlace(folder, "absent")
    return SkillPlace(folder, "ours" if _is_ours(folder) else "foreign")


def files_of(workspace: Path) -> dict[str, tuple[bytes, int]]:
    """Return the folder's wanted content: relative name → content and mode."""
    made = {"SKILL.md": (resources.skill_text().encode(), 0o644)}
    for name, words in _programs(workspace).items():
        text = f'#!/bin/sh\n{MARK}; written by `scrimshaw install`\nexec {shlex.join(words)} "$@"\n'
        made[f"scripts/{name}"] = (text.encode("utf-8", "surrogateescape"), 0o755)
    return made


def _programs(workspace: Path) -> dict[str, tuple[str, ...]]:
    root = resources.checkout()
    where = ("--workspace", str(workspace))
    own = os.path.abspath(sys.executable)  # noqa: PTH100  # a venv is a link
    if root is not None and own.startswith(f"{root}{os.sep}.venv{os.sep}"):
        scripts = root / "scripts"
        return {
            "scrimshaw": (str(scripts / "scrimshaw"),),
            "observe-now": (str(scripts / "observe-now"), *where),
            "reflect-now": (str(scripts / "reflect-now"), *where),
        }
    return {
        "scrimshaw": program(),
        "observe-now": (*program(), "observe", "--through-daemon", "59", *where),
        "reflect-now": (*program(), "reflect", *where),
    }


def _is_ours(folder: Path) -> bool:
    try:
        raw = files.read_bytes(folder / "scripts" / "scrimshaw", _LARGEST_BYTES)
        if isinstance(raw, bytes):
            return MARK.encode() in raw
        # An install that was killed after its first file.
        skill = files.read_bytes(folder / "SKILL.md", _LARGEST_BYTES)
    except UserError:
        return False
    return skill == resources.skill_text().encode() or not any(folder.iterdir())
