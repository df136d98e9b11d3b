"""The program, the machine and the workspace's folder: versions, clock, permissions, disk, leftovers."""

from __future__ import annotations

import os
import platform
import shutil
import stat
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path

from scrimshaw import __version__
from scrimshaw.core.text.plural import counted
from scrimshaw.doctor.finding import Finding, Mend, error, note, ok, warning
from scrimshaw.doctor.sight import Unseen, WorkspaceSight, tried
from scrimshaw.files import changed_ns, is_leftover
from scrimshaw.services.publish.memory_file import own_folders
from scrimshaw.services.status.durations import span
from scrimshaw.workspace import Target

_FIRST_YEAR, _LAST_YEAR = 2025, 2100
_AHEAD_SECONDS = 5 * 60


def check_program() -> Iterator[Finding]:
    yield ok("program", f"scrimshaw {__version__}, Python {platform.python_version()} ({sys.executable})")


def check_clock(moment: datetime, places: Iterable[Path], env: Mapping[str, str]) -> Iterator[Finding]:
    """Judge the clock: a wrong one dates every note wrongly, and makes silence look like talk."""
    if env.get("SCRIMSHAW_NOW"):
        yield note(
            "clock", f"SCRIMSHAW_NOW sets it to {moment.isoformat()}; unset it outside of tests and replays."
        )
        return
    if not _FIRST_YEAR <= moment.year <= _LAST_YEAR:
        yield error(
            "clock", f"this machine believes that it is {moment.isoformat()}.", "set the clock: timedatectl"
        )
        return
    now = time.time()
    ahead = {path: changed_ns(path) / 1e9 - now for path in places}
    worst = max(ahead, key=lambda path: ahead[path], default=None)
    if worst is not None and ahead[worst] > _AHEAD_SECONDS:
        yield warning(
            "clock",
            f"{worst} was written {span(ahead[worst])} in the future: the clock was set back, or another "
            "machine writes here.",
            "look at the clock: date; timedatectl",
        )
    else:
        yield ok("clock", f"{moment:%Y-%m-%d %H:%M} UTC")


LOW_BYTES = 100 * 1024 * 1024
FULL_BYTES = 10 * 1024 * 1024
_AT_WORK_SECONDS = 60.0
_MOST_FILES = 2_000


def check_disk(sight: WorkspaceSight) -> Iterator[Finding]:
    found = tried(lambda: shutil.disk_usage(sight.target.layout.workspace))
    if isinstance(found, Unseen):
        yield error("disk", found.what)
    else:
        yield room_finding(found.free, sight.target.layout.workspace)


def room_finding(free_bytes: int, place: Path) -> Finding:
    told = f"{free_bytes / 1024 / 1024:,.0f} MB free"
    if free_bytes < FULL_BYTES:
        return error(
            "disk", f"{told} at {place}: nothing can be written any more, and nothing is.", f"df -h {place}"
        )
    if free_bytes < LOW_BYTES:
        return warning("disk", f"{told} at {place}.", f"make room: df -h {place}")
    return ok("disk", told)


def check_permissions(sight: WorkspaceSight) -> Iterator[Finding]:
    """Judge who may read and write our files, and whether we may write where we must."""
    bad = list(_wrong_permissions(sight))
    yield from bad
    if not bad and sight.is_set_up:
        yield ok("permissions", "ours are readable by you alone")


def _wrong_permissions(sight: WorkspaceSight) -> Iterator[Finding]:
    layout = sight.target.layout
    if not os.access(layout.workspace, os.W_OK | os.X_OK):
        yield error(
            "permissions",
            f"{layout.workspace} is not writable for you, so MEMORY.md cannot be replaced.",
            ("" if sight.host.is_none else "run as the user of OpenClaw, or: ")
            + f"chmod u+rwx {layout.workspace}",
        )
    for path, mode in too_open(sight.target):
        yield warning(
            "permissions",
            f"{path} can be read by others ({mode:04o}); it holds what was said in private.",
            mend=Mend.PERMISSIONS,
        )
    for path in (layout.state, layout.ledger):
        status = tried(path.lstat)
        if isinstance(status, os.stat_result) and status.st_uid != os.geteuid():
            yield error(
                "permissions",
                f"{path} belongs to user {status.st_uid}, and you are {os.geteuid()}: was scrimshaw "
                "run with sudo?",
                f"sudo chown -R $(id -u):$(id -g) {layout.state}",
            )
    for folder in (layout.state, layout.dated, layout.backups):
        if os.path.lexists(folder) and folder not in own_folders(sight.target):
            yield error(
                "permissions",
                f"{folder} is a symbolic link, or lies behind one. Nothing is written through links, so "
                "nothing is noted here.",
                f"put a real folder in its place: ls -ld {folder}",
            )


def too_open(target: Target) -> list[tuple[Path, int]]:
    """Return what of our state folder others may read, with its mode; links and others' files aside."""
    found = []
    for path in _own_files(target):
        status = tried(path.lstat)
        if isinstance(status, Unseen) or not is_ours(status):
            continue
        mode = stat.S_IMODE(status.st_mode)
        if mode & 0o077:
            found.append((path, mode))
    return found


def is_ours(status: os.stat_result) -> bool:
    """Tell whether this can be a folder or file that we made: no link of any kind, and of this user."""
    is_file = stat.S_ISREG(status.st_mode) and status.st_nlink == 1
    return (is_file or stat.S_ISDIR(status.st_mode)) and status.st_uid == os.geteuid()


def _own_files(target: Target) -> Iterator[Path]:
    layout, folders = target.layout, own_folders(target)
    patterns = {layout.state: ("ledger.sqlite*", "config.yaml", "*.log*"), layout.backups: ("*",)}
    for folder, wanted in patterns.items():
        if folder not in folders:
            continue
        yield folder
        for pattern in wanted:
            found = tried(partial(_matching, folder, pattern))
            yield from () if isinstance(found, Unseen) else found


def _matching(folder: Path, pattern: str) -> list[Path]:
    return sorted(folder.glob(pattern))[:_MOST_FILES]


def check_leftovers(sight: WorkspaceSight) -> Iterator[Finding]:
    """Judge temporary files of ours that a killed run left."""
    found = [path for folder in own_folders(sight.target) for path in _leftovers(folder)]
    if found:
        count = "a temporary file" if len(found) == 1 else counted(len(found), "temporary file")
        yield note(
            "leftovers", f"a run that was killed left {count}, {found[0]} for one.", mend=Mend.LEFTOVERS
        )


def _leftovers(folder: Path) -> list[Path]:
    def look() -> list[Path]:
        with os.scandir(folder) as entries:
            return [
                Path(entry.path)
                for entry in entries
                if is_leftover(entry.name) and time.time() - entry.stat().st_mtime > _AT_WORK_SECONDS
            ]

    found = tried(look)
    return [] if isinstance(found, Unseen) else found
