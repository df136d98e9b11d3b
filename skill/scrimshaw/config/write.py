"""A setting into a workspace's own configuration file, whose every other line stays as a person wrote it.

A small line editor: it changes the line of a setting, or adds one at the end, and then reads the result
back as a whole. When anything else came to mean something else (a value over several lines, a table in
braces), nothing is written and the person is told the line to write. Comments, order and line ends stay.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from scrimshaw import files
from scrimshaw.config import Layer, layer_in, workspace_file
from scrimshaw.errors import Exit, UserError

_LARGEST_BYTES = 256 * 1024
_MOST_TRIES = 3
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./:@+-]*[A-Za-z0-9_]")
_VALUE = re.compile(r"""(?P<value>"[^"]*"|'[^']*'|[^#"'\r\n]*?)(?P<rest>[ \t]*(?:[ \t]#[^\r\n]*)?\r?\n?)""")
_HEAD = "# Chosen with `scrimshaw init`."


class Written(NamedTuple):
    """The file, and the lines that are new in it; none when it said this already."""

    path: Path
    lines: tuple[str, ...]


def put(workspace: Path, agent_id: str, wanted: Mapping[str, str]) -> Written:
    """Let the workspace's file say *wanted* for *agent_id*; an existing line is changed where it stands.

    Raises UserError, with nothing changed, when the file is no configuration, is a link, or cannot be
    edited line by line.
    """
    path = workspace_file(workspace)
    files.own_folder(workspace)
    for _ in range(_MOST_TRIES):
        before = files.read_bytes(path, _LARGEST_BYTES)
        old = _text(before, path) if isinstance(before, bytes) else ""
        new = edited(old, agent_id, wanted)
        if new is None:
            raise _by_hand(path, wanted)
        if new == old:
            return Written(path, ())
        done = files.replace(path, new.encode(), expected=before, new_mode=0o600)
        if not isinstance(done, files.Changed):
            stood = set(old.splitlines())
            return Written(path, tuple(line for line in new.splitlines() if line and line not in stood))
    raise UserError(
        f"{path}: something else keeps changing it. It is as that program left it.",
        next_step="run this again in a moment",
        exit_code=Exit.REFUSED,
    )


def edited(text: str, agent_id: str, wanted: Mapping[str, str]) -> str | None:
    """Return *text* with every name of *wanted* set for *agent_id*, None when it cannot be done by lines."""
    before = _meaning(text)
    if before is None:
        return None
    own = before.agents.get(agent_id, {})
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    new: list[str] = []
    for name, value in wanted.items():
        if (own if name in own else before.values).get(name) == value:
            continue
        at = _line_of(lines, name, agent_id if name in own else "")
        if at is None:
            new.append(f"{name}: {_scalar(value)}")
        else:
            lines[at] = _with_value(lines[at], value)
    made = _with_more("".join(lines), new)
    return made if _is_right(before, _meaning(made), agent_id, wanted) else None


def _line_of(lines: list[str], name: str, agent_id: str) -> int | None:
    """Return where *name* is set for everyone, or in the block of *agent_id*; the last place counts."""
    found = None
    inside: list[tuple[int, str]] = []  # the keys of the blocks that a line stands in, with their indents
    for number, line in enumerate(lines):
        key = re.match(
            r"""(?P<indent> *)(?P<quote>["']?)(?P<key>[^"'#:\s][^"':\r\n]*)(?P=quote)[ \t]*:""", line
        )
        if not key:
            continue
        indent = len(key["indent"])
        inside = [block for block in inside if block[0] < indent]
        path = [block[1] for block in inside]
        if key["key"] == name and path == (["agents", agent_id] if agent_id else []):
            found = number
        inside.append((indent, key["key"]))
    return found


def _with_value(line: str, value: str) -> str:
    start = line.index(":") + 1
    found = _VALUE.fullmatch(line[start:].lstrip(" \t"))
    return f"{line[:start]} {_scalar(value)}{found['rest']}" if found else line


def _with_more(text: str, new: list[str]) -> str:
    if not new:
        return text
    end = "\r\n" if "\r\n" in text else "\n"
    before = text if not text or text.endswith("\n") else text + end
    return before + (end if before else "") + "".join(line + end for line in (_HEAD, *new))


def _scalar(value: str) -> str:
    return value if _PLAIN.fullmatch(value) else json.dumps(value, ensure_ascii=False)


def _meaning(text: str) -> Layer | None:
    problems: list[str] = []
    layer = layer_in(text.encode("utf-8", "surrogateescape"), Path(), problems)
    return None if problems else layer


def _is_right(before: Layer, after: Layer | None, agent_id: str, wanted: Mapping[str, str]) -> bool:
    """Tell whether *after* says *wanted*, and everything else that *before* said."""
    if after is None:
        return False
    own = before.agents.get(agent_id, {})
    for_one = {name: value for name, value in wanted.items() if name in own}
    for_all = {name: value for name, value in wanted.items() if name not in own}
    agents = {**before.agents, agent_id: {**own, **for_one}} if for_one else before.agents
    return after.values == {**before.values, **for_all} and after.agents == agents


def _text(raw: bytes, path: Path) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise UserError(
            f"{path}: is no UTF-8 text. Nothing was changed.", next_step=f"look at it: less {path}"
        ) from None


def _by_hand(path: Path, wanted: Mapping[str, str]) -> UserError:
    said = "; ".join(f"{name}: {_scalar(value)}" for name, value in wanted.items())
    return UserError(
        f"{path}: cannot be changed line by line without touching what else it says. Nothing was changed.",
        next_step=f"write it yourself, then run scrimshaw config --check: {said}",
    )
