"""The marked lines in the workspace's AGENTS.md: their text, and whether they can be put there."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import NamedTuple

from scrimshaw import files
from scrimshaw.core.section import block
from scrimshaw.errors import UserError
from scrimshaw.resources import template

LARGEST_BYTES = 4 * 1024 * 1024


class AgentsFile(NamedTuple):
    """AGENTS.md of a workspace; *problem* says why it must not be changed."""

    path: Path
    raw: bytes | files.Absent
    state: block.State
    problem: str = ""

    @property
    def inner(self) -> str | None:
        """The lines between the markers; None without a complete block."""
        return self.state.inner if isinstance(self.state, block.WholeBlock) else None


def agents_file(workspace: Path) -> AgentsFile:
    """Return the state of AGENTS.md; never raises."""
    path = workspace / "AGENTS.md"
    try:
        files.refuse_links(path)
        raw = files.read_bytes(path, LARGEST_BYTES)
    except UserError as error:
        return AgentsFile(path, files.ABSENT, block.NoBlock(), " ".join(error.problems))
    state = block.find_block(file_text(raw))
    if isinstance(state, block.BrokenBlock):
        told = f"{path}: {state.problem}. It is left as it is. Next: remove both markers, then run this again"
        return AgentsFile(path, raw, state, told)
    return AgentsFile(path, raw, state)


def file_text(raw: bytes | files.Absent) -> str:
    """Return a file's text, with every byte preserved."""
    return "" if raw is files.ABSENT else raw.decode("utf-8", "surrogateescape")


def bytes_of(text: str) -> bytes:
    """Return the bytes that `file_text` made *text* from."""
    return text.encode("utf-8", "surrogateescape")


def inner(command: Path) -> str:
    """Return the lines between the markers; *command* is what the agent runs."""
    text = template("agents-snippet.md").rstrip("\n").replace("{{command}}", shlex.quote(str(command)))
    return text.replace("\r", "\n")  # `find_block` returns it in this form
