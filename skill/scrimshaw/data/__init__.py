"""Word lists, kept in text files beside this module.

A file `NAME.txt` holds groups. A line `[group]` begins one; the lines up to the next such line are the group.

    # Verbs of saying.            a line that begins with # is a comment; blank lines mean nothing
    [says]
    say tell claim                read by `words`: separated by spaces
    [closings]
    kind regards / all the best   read by `phrases`: separated by " / " or by the end of the line
    yours(?: truly)?              read by `pattern`: phrases whose endings are regular expressions

`lines` returns a group line by line, for pairs and rows. Each file is read once, when it is first asked for.
Files are part of the package: a missing file or group, a group named twice and a file over the limit are
mistakes of ours and raise ValueError. Only this module may read files for the core, and only these.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent
_MOST_BYTES = 256 * 1024
_MOST_WEIGHT_BYTES = 512 * 1024
_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_LIST = re.compile(rf"(?:{_NAME.pattern}/)?{_NAME.pattern}")  # in a folder, or in none
_FILE = re.compile(r"[a-z][a-z0-9_]{0,63}\.bin")


def lines(name: str, group: str) -> tuple[str, ...]:
    """Return the lines of *group* in file *name*, trimmed, without comments and blank lines."""
    try:
        return _groups(name)[group]
    except KeyError:
        raise ValueError(f"{name}.txt has no group [{group}]") from None


def words(name: str, group: str) -> tuple[str, ...]:
    """Return what *group* holds, separated by spaces, in the order of the file."""
    return tuple(word for line in lines(name, group) for word in line.split())


def phrases(name: str, group: str) -> tuple[str, ...]:
    """Return what *group* holds, separated by " / " or line ends, in the order of the file."""
    parts = (part.strip() for line in lines(name, group) for part in line.split(" / "))
    return tuple(part for part in parts if part)


def pattern(name: str, group: str) -> str:
    """Return one regular expression that matches any phrase of *group*; of two that match, the first."""
    return f"(?:{'|'.join(phrases(name, group))})"


def has(name: str, group: str) -> bool:
    """Tell whether file *name* has *group*."""
    return group in _groups(name)


def content(name: str) -> bytes:
    """Return the bytes of the file *name* of this folder: weights; at most 512 KiB."""
    if not _FILE.fullmatch(name):
        raise ValueError(f"no name of a data file: {name!r}")
    with (_FOLDER / name).open("rb") as file:
        held = file.read(_MOST_WEIGHT_BYTES + 1)
    if len(held) > _MOST_WEIGHT_BYTES:
        raise ValueError(f"{name} is larger than {_MOST_WEIGHT_BYTES} bytes")
    return held


@cache
def _groups(name: str) -> dict[str, tuple[str, ...]]:
    if not _LIST.fullmatch(name):
        raise ValueError(f"no name of a word list: {name!r}")
    path = _FOLDER / f"{name}.txt"
    if not path.is_file():
        raise ValueError(f"no word list {name}.txt")
    with path.open("rb") as file:
        held = file.read(_MOST_BYTES + 1)
    if len(held) > _MOST_BYTES:
        raise ValueError(f"{name}.txt is larger than {_MOST_BYTES} bytes")
    return _parsed(name, held.decode("utf-8"))


def _parsed(name: str, text: str) -> dict[str, tuple[str, ...]]:
    groups: dict[str, list[str]] = {}
    at: list[str] | None = None
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("[") and line.endswith("]") and _NAME.fullmatch(line[1:-1]):
            if line[1:-1] in groups:
                raise ValueError(f"{name}.txt:{number}: group {line} occurs twice")
            at = groups.setdefault(line[1:-1], [])
        elif at is None:
            raise ValueError(f"{name}.txt:{number}: a line before the first [group]")
        else:
            at.append(line)
    return {group: tuple(held) for group, held in groups.items()}
