"""Read OpenClaw's configuration: JSON or JSON5, with `$include` and `${NAME}`.

Read-only and bounded: a file over 4 MiB, a broken one or a missing include is a problem to report,
never an exception. What it names is unknown then, and nothing may be taken in its place: the host's own
defaults would lead to another folder. Plain JSON, which OpenClaw itself writes, is tried first; the
JSON5 library is loaded only for files written by hand.

Knows nothing of agents or workspaces (discover.py does) and never writes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from scrimshaw.files import open_regular

MAX_CONFIG_BYTES = 4 * 1024 * 1024
MAX_INCLUDE_DEPTH = 10
_ROOTS = "OPENCLAW_INCLUDE_ROOTS"
CONFIG_NAMES = ("openclaw.json", "clawdbot.json")
_PLACE = re.compile(r" (?:starting )?near (\d{1,9})")
_VARIABLE = re.compile(r"\$\{([A-Z_][A-Z0-9_]*)\}")

# Parsed JSON of unknown shape: the accessors of HostConfig are where it becomes typed.
Json = Any


class HostConfig(NamedTuple):
    """A parsed configuration; *values* is {} when there was none to read.

    *problems* say what of it could not be read: with one of them, what *values* lack may be set all the same.
    """

    path: Path
    values: Mapping[str, Json]
    problems: tuple[str, ...] = ()

    def at(self, *keys: str) -> Json:
        """Return the value at a path of *keys*, or None."""
        found: Json = self.values
        for key in keys:
            if not isinstance(found, Mapping):
                return None
            found = found.get(key)
        return found

    def text(self, *keys: str) -> str:
        """Return the trimmed string at *keys*, or ""."""
        found = self.at(*keys)
        return found.strip() if isinstance(found, str) else ""

    def table(self, *keys: str) -> Mapping[str, Json]:
        """Return the object at *keys*, or {}."""
        found = self.at(*keys)
        return found if isinstance(found, Mapping) else {}


def read_config(path: Path) -> HostConfig:
    """Return the configuration at *path*; a missing file is no problem, an unreadable one is."""
    problems: list[str] = []
    values = _load(path, path.parent, problems, depth=0)
    if values is not None and not isinstance(values, Mapping):
        problems.append(f"{path}: the configuration is not an object.")
        values = None
    return HostConfig(path, values or {}, tuple(problems))


def expand(text: str, env: Mapping[str, str]) -> str:
    """Return *text* with `${NAME}` replaced from *env*; an unknown name stays as it is."""
    return _VARIABLE.sub(lambda match: env.get(match.group(1)) or match.group(0), text)


def _load(path: Path, root: Path, problems: list[str], depth: int) -> Json:
    try:
        with open_regular(path) as file:
            raw = file.read(MAX_CONFIG_BYTES + 1)
    except FileNotFoundError:
        if depth:
            problems.append(f"{path}: an $include names this file and it is missing.")
        elif path.is_symlink():
            # Somebody's own configuration, on a disk that is away: not the same as none.
            problems.append(f"{path}: a symbolic link that leads nowhere.")
        return None
    except OSError as error:
        problems.append(f"{path}: cannot be read ({error.strerror}).")
        return None
    if len(raw) > MAX_CONFIG_BYTES:
        problems.append(f"{path}: larger than 4 MiB and was not read.")
        return None
    try:
        parsed = _parse(raw)
    except ValueError as error:
        reason = " ".join(str(error).split())[:200]
        problems.append(f"{path}: not valid JSON5 ({reason}).")
        return None
    return _with_includes(parsed, path, root, problems, depth)


def _parse(raw: bytes) -> Json:
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        import pyjson5  # here: its 20 ms are for the few files that a person wrote with comments

        try:
            return pyjson5.decode_utf8(raw)
        except pyjson5.Json5DecoderException as error:
            raise ValueError(_with_line(str(error.message), raw)) from error
        except RecursionError as error:
            raise ValueError("nested too deeply") from error


def _with_line(message: str, raw: bytes) -> str:
    """Return the library's *message*, which counts characters, with the line as an editor counts it."""
    found = _PLACE.search(message)
    text = raw.decode("utf-8", "replace")
    if not found or not text.strip():
        return "it is empty" if not text.strip() else message
    line = text.count("\n", 0, int(found[1])) + 1
    return f"line {line}: {_PLACE.sub('', message)}".replace("b'", "'")


def _with_includes(value: Json, path: Path, root: Path, problems: list[str], depth: int) -> Json:
    if isinstance(value, list):
        return [_with_includes(item, path, root, problems, depth) for item in value]
    if not isinstance(value, dict):
        return value
    rest = {
        key: _with_includes(item, path, root, problems, depth)
        for key, item in value.items()
        if key != "$include"
    }
    if "$include" not in value:
        return rest
    merged: Json = {}
    named = value["$include"]
    for name in named if isinstance(named, list) else [named]:
        merged = _merge(merged, _included(name, path, root, problems, depth))
    return _merge(merged, rest)


def _included(name: Json, path: Path, root: Path, problems: list[str], depth: int) -> Json:
    # The host keeps includes inside the configuration's folder, and what its owner allows besides; so do we.
    target = (path.parent / str(name)).resolve()
    allowed = (Path(one.strip()).expanduser() for one in os.environ.get(_ROOTS, "").split(os.pathsep))
    roots = [root, *(folder for folder in allowed if folder.is_absolute())]
    if not isinstance(name, str) or not any(target.is_relative_to(one.resolve()) for one in roots):
        problems.append(f"{path}: $include {name!r} is outside the configuration's folder and was left out.")
        return {}
    if depth >= MAX_INCLUDE_DEPTH:
        problems.append(
            f"{path}: $include is nested more than {MAX_INCLUDE_DEPTH} deep; the rest was left out."
        )
        return {}
    loaded = _load(target, root, problems, depth + 1)
    return {} if loaded is None else loaded


def _merge(base: Json, over: Json) -> Json:
    if isinstance(base, dict) and isinstance(over, dict):
        return base | {key: _merge(base[key], over[key]) if key in base else over[key] for key in over}
    if isinstance(base, list) and isinstance(over, list):
        return base + over
    return over
