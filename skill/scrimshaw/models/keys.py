"""Where keys come from: a variable of the environment, else a line of the user's own keys.env.

A service, cron and a hook have no shell's environment, so keys may stand in `keys.env` beside the user's
configuration: NAME=VALUE lines, read as data and never evaluated, refused when others may read them. A key
is shown nowhere: its repr is its variable's name, and `Key.reveal` is called where a client is made.
A key that is there is no consent to use it (rule 25): that is the configuration's to say.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path

from scrimshaw import config, files
from scrimshaw.errors import UserError
from scrimshaw.models.model import Failure, Trouble

_LARGEST_FILE_BYTES = 64 * 1024
_LONGEST_KEY = 4_096
_QUOTES = ("'", '"')


class Key:
    """A key, and the variable that holds it. Formatting or comparing one shows nothing of it."""

    __slots__ = ("_value", "variable")

    def __init__(self, variable: str, value: str) -> None:
        self.variable = variable
        self._value = value

    def __repr__(self) -> str:
        return f"Key({self.variable})"

    def __bool__(self) -> bool:
        return bool(self._value)

    def __reduce__(self) -> str:
        raise TypeError("a key is not to be stored")

    def reveal(self) -> str:
        """Return the key itself, for the client that sends it."""
        return self._value


NO_KEY = Key("", "")  # for a server that wants none; false


def keys_file(env: Mapping[str, str]) -> Path:
    """Return where the user's keys are looked for when the environment has none."""
    return config.user_file(env).with_name("keys.env")


def find_key(variables: Sequence[str], env: Mapping[str, str], *, is_needed: bool = True) -> Key | Failure:
    """Return the key of the first of *variables* that is set, in the environment or in the keys' file.

    With none: NO_KEY when it *is_needed* not, else the failure that says where to put one.
    """
    for variable in variables:
        if value := env.get(variable, "").strip():
            return _checked(variable, value, "the environment")
    path = keys_file(env)
    told = _read(path)
    if isinstance(told, Failure):
        return told
    for variable in variables:
        if value := told.get(variable, "").strip():
            return _checked(variable, value, str(path))
    return _missing(variables, path) if is_needed else NO_KEY


def _missing(variables: Sequence[str], path: Path) -> Failure:
    named = " or ".join(variables)
    return Failure(
        Trouble.KEY,
        f"There is no key: {named} is neither in the environment nor in {path}. Next: put the line "
        f"{variables[0]}=… into {path}, then: chmod 600 {path}",
    )


def _checked(variable: str, value: str, where: str) -> Key | Failure:
    # It goes into a header: anything else would break the request, or write another header.
    if len(value) <= _LONGEST_KEY and value.isascii() and value.isprintable() and " " not in value:
        return Key(variable, value)
    return Failure(
        Trouble.KEY,
        f"{variable} in {where} is not a key: it holds a line break, a space or another character that no "
        f"key has. Next: set {variable} to the key alone",
    )


def _read(path: Path) -> dict[str, str] | Failure:
    try:
        found = path.stat()
    except OSError:
        return {}
    if found.st_mode & (stat.S_IRWXG | stat.S_IRWXO) or found.st_uid not in (os.getuid(), 0):
        mode = stat.S_IMODE(found.st_mode)
        return Failure(
            Trouble.KEY,
            f"{path} can be read or written by others (mode {mode:04o}), so no key was taken from it. "
            f"Next: chmod 600 {path}",
        )
    try:
        raw = files.read_bytes(path, _LARGEST_FILE_BYTES)
    except UserError as error:
        return Failure(Trouble.KEY, f"{error.problems[0]} Next: {error.next_step}")
    return _lines_of(raw.decode("utf-8-sig", "replace")) if isinstance(raw, bytes) else {}


def _lines_of(text: str) -> dict[str, str]:
    told = {}
    for line in text.splitlines():
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        if not equals or name.startswith("#"):
            continue
        value = value.strip()
        if len(value) > 1 and value[0] == value[-1] and value[0] in _QUOTES:
            value = value[1:-1]
        told[name.strip()] = value
    return told
