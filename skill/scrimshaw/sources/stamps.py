"""Cheap answers to "has this changed since I looked last?", from names and times of files alone.

Nothing is opened, so nothing is locked, created or kept from being checkpointed. A SQLite store is
judged by its database and its `-wal`: no commit leaves both alone. PRAGMA data_version would say the
same, but only on a connection that stays open, and one open reader, even without a transaction, keeps a
host that stops from checkpointing its log and removing it. (Opening and closing the `-shm`, where the
same number stands, would drop the locks that this process has on it.)

A commit shows in the files before it can be read: the log is written, then flushed, then counts. And a
file system's clock is coarse: two writes within one tick look alike. So a stamp taken soon after a
change is not settled, and counts as changed once more at the next look.

An error is a stamp of its own, with words for a person; a file or folder that is missing is no error.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from scrimshaw.sources.discover import STORE_NAME, StoreRef, has_transcripts
from scrimshaw.sources.jsonl_folder import NAMES_FILE, is_transcript

CONFIG_SUFFIXES = (".json", ".json5")
SETTLED_NS = 10_000_000_000  # longer than a slow disk takes to flush, and than any clock's tick

_MISSING = ("missing",)

_Sight = tuple[object, ...]


class Stamp(NamedTuple):
    """What a store or a folder looked like."""

    sight: _Sight
    is_settled: bool = True
    problem: str = ""

    def differs(self, before: Stamp | None) -> bool:
        """Tell whether something may have changed since *before*; None: never looked at."""
        return before is None or self.sight != before.sight or not before.is_settled


def look_at_store(store: StoreRef) -> Stamp:
    """Return the stamp of a store; raises nothing."""
    if store.kind == "sqlite":
        return _looked(store.path, _database)
    # A transcript grows or is cut, and is read as soon as it is written: always settled.
    return _looked(store.path, partial(_folded, _transcripts))


def look_at_root(folder: Path) -> Stamp:
    """Return the stamp of a folder that discovery depends on; raises nothing.

    What counts: which folders and configurations it holds, and which stores stand in its folders where
    an agent's folder holds them. What is written inside of a workspace or a store does not.
    """
    return _looked(folder, partial(_folded, _configurations_and_agents))


def look_at_names(folder: Path) -> Stamp:
    """Return the stamp of a folder's own list of names, whatever they are; raises nothing."""
    return _looked(folder, _names)


def identity(folder: Path) -> tuple[int, int] | None:
    """Return what tells a folder from another one of the same name; None when it is not there."""
    try:
        status = folder.stat()
    except OSError:
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISDIR(status.st_mode) else None


def _looked(path: Path, look: Callable[[str], Stamp]) -> Stamp:
    try:
        return look(os.fspath(path))
    except FileNotFoundError:
        return Stamp(_MISSING)
    except OSError as error:
        said = f"{path}: cannot be looked at ({error.strerror}); taken as changed at each full look."
        return Stamp((error.errno,), problem=said)


def _folded(pick: Callable[[Iterator[os.DirEntry[str]]], Iterator[tuple[object, ...]]], path: str) -> Stamp:
    # Kept for every store for as long as the process lives: one number, not a list of names.
    with os.scandir(path) as entries:
        return Stamp((hash(frozenset(pick(entries))),))


def _names(path: str) -> Stamp:
    seen = _seen(path)
    return Stamp((seen,), _is_settled(seen[-1])) if seen else Stamp(_MISSING)


def _database(path: str) -> Stamp:
    main = _seen(path)
    if main is None:
        return Stamp(_MISSING)
    log = _seen(path + "-wal")
    return Stamp((main, log), _is_settled(main[-1]) and (log is None or _is_settled(log[-1])))


def _seen(path: str) -> tuple[int, int, int, int] | None:
    try:
        status = os.stat(path)  # noqa: PTH116  asked of every store once a second: without making a Path
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _is_settled(changed_ns: int) -> bool:
    # Both ways, so that a time from the future does not count as fresh until it comes. The machine's own
    # clock, not the one that tests and replays set: files are stamped by it.
    return abs(time.time_ns() - changed_ns) > SETTLED_NS


def _transcripts(entries: Iterator[os.DirEntry[str]]) -> Iterator[tuple[object, ...]]:
    for entry in entries:
        name = entry.name
        if is_transcript(name) or name == NAMES_FILE:
            try:
                status = entry.stat()
            except FileNotFoundError:  # renamed or deleted since the folder was listed: so it shows again
                yield (name,)
                continue
            yield name, status.st_ino, status.st_size, status.st_mtime_ns


def _configurations_and_agents(entries: Iterator[os.DirEntry[str]]) -> Iterator[tuple[object, ...]]:
    for entry in entries:
        if entry.is_dir():
            store, transcripts = f"{entry.path}/agent/{STORE_NAME}", f"{entry.path}/sessions"
            yield entry.name, os.access(store, os.F_OK), has_transcripts(transcripts)
        elif entry.name.endswith(CONFIG_SUFFIXES):
            yield entry.name, _seen(entry.path)
