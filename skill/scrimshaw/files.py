"""The only module that replaces files: in one step, after a last look, or not at all.

A file is replaced by a rename within its folder, after it was compared with what the caller had read, so
that a foreign change is an answer and not a loss. Hosts refuse MEMORY.md when it is a link of any kind, so
links are refused here and a backup is a copy. Every UserError from here means: the file is as it was.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Final, Literal, NamedTuple

from scrimshaw.errors import UserError

OWN_FOLDER = ".scrimshaw"
_LEFTOVER = re.compile(r"\..+\.scrimshaw-[0-9a-f]{16}\.tmp")


class _Absent(Enum):
    ABSENT = "there is no such file"


ABSENT: Final = _Absent.ABSENT
Absent = Literal[_Absent.ABSENT]


class Replaced(NamedTuple):
    """The file holds the new content, on disk."""


class Unchanged(NamedTuple):
    """The file held this very content already and was not touched."""


class Changed(NamedTuple):
    """Somebody else changed the file; it is as they left it. Read it again and decide anew."""


Outcome = Replaced | Unchanged | Changed


def replace(path: Path, data: bytes, *, expected: bytes | Absent | None, new_mode: int = 0o644) -> Outcome:
    """Put *data* in place of the file's content if that is still *expected*.

    ABSENT expects no file; None takes whatever is there. An existing file keeps its mode and owner, a new
    one gets *new_mode*. Raises UserError, with nothing changed, when the file is a link or no regular file,
    when its folder is missing or read-only, or when the disk is full.
    """
    limit = max(len(data), len(expected) if isinstance(expected, bytes) else 0)
    with _told_kindly(path):
        present = _present(path, limit)
        if expected is not None and present != expected:
            return Changed()
        if present == data:
            return Unchanged()
        beside = _write_beside(path, data, new_mode)
        try:
            # The last look: everything slow (writing, fsync) is behind us.
            present = _present(path, limit)
            if expected is not None and present != expected:
                return Changed()
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
        _sync_folder(path.parent)
        return Replaced()


def refuse_links(path: Path) -> None:
    """Raise the UserError with which `replace` would refuse *path*: a link of any kind, or no file."""
    with _told_kindly(path):
        _present(path, 0)


def overwrite(path: Path, data: bytes, *, mode: int) -> None:
    """Put *data* in place of whatever *path* holds, whole but not flushed: for what a power cut may take."""
    with _told_kindly(path):
        beside = path.with_name(f".{path.name}.scrimshaw-{secrets.token_hex(8)}.tmp")
        try:
            descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)


def move_into(path: Path, made: Path, *, mode: int) -> None:
    """Put the finished file *made* in place of whatever *path* holds, whole and on disk; *made* is gone then.

    For files that are too large to hold in memory. Refuses links like `replace`, with nothing changed.
    """
    with _told_kindly(path):
        _present(path, 0)
        made.chmod(mode)
        if made.stat().st_dev != path.parent.stat().st_dev:
            beside = path.with_name(f".{path.name}.scrimshaw-{secrets.token_hex(8)}.tmp")
            try:
                shutil.copy(made, beside)
                move_into(path, beside, mode=mode)
            finally:
                beside.unlink(missing_ok=True)
            made.unlink()
            return
        with made.open("rb") as file:
            os.fsync(file.fileno())
        made.replace(path)
        _sync_folder(path.parent)


def set_aside(path: Path, stamp: str) -> Path:
    """Rename the file at *path* to NAME.aside-STAMP with its ending kept, and return where it is now."""
    with _told_kindly(path):
        number = 1
        aside = path.with_name(f"{path.stem}.aside-{stamp}{path.suffix}")
        while os.path.lexists(aside):
            number += 1
            aside = path.with_name(f"{path.stem}.aside-{stamp}-{number:03}{path.suffix}")
        path.rename(aside)
        _sync_folder(path.parent)
        return aside


def read_bytes(path: Path, limit_bytes: int) -> bytes | Absent:
    """Return the content of a regular file of at most *limit_bytes*, or ABSENT; never waits on a pipe."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise UserError(f"{path}: this is not a regular file.", next_step=f"ls -ld {path}")
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                # Read and see, instead of trusting the size: the file may be growing.
                data = file.read(limit_bytes + 1)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        return ABSENT
    except OSError as error:
        raise UserError(
            f"{path}: cannot be read ({error.strerror}).", next_step=f"ls -ld {path.parent} {path}"
        ) from error
    if len(data) > limit_bytes:
        raise UserError(
            f"{path}: {found.st_size:,} bytes, more than the {limit_bytes:,} that are read here.",
            next_step=f"look at what is in it and shorten it: less {path}",
        )
    return data


def open_regular(path: Path) -> BinaryIO:
    """Open the regular file at *path* to read; raise OSError for anything else, and never wait on a pipe."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return os.fdopen(descriptor, "rb")


def changed_ns(path: Path | str) -> int:
    """Return when *path* was last changed, in nanoseconds; 0 when it is not there or cannot be looked at."""
    try:
        return os.stat(path).st_mtime_ns  # noqa: PTH116  asked every second: the least there is
    except OSError:
        return 0


def backup(path: Path, folder: Path, *, stamp: str, keep: int) -> Path:
    """Copy the file at *path* into *folder* as NAME.STAMP (mode 0600) and keep the newest *keep* copies.

    *stamp* must sort by time. A file equal to the newest copy is not copied again. Returns the copy.
    """
    data = path.read_bytes()
    copies = _copies(path.name, folder)
    if copies and copies[-1].read_bytes() == data:
        return copies[-1]
    copy = folder / f"{path.name}.{stamp}"
    number = 1
    while copy.exists():
        number += 1
        copy = folder / f"{path.name}.{stamp}-{number:03}"
    replace(copy, data, expected=ABSENT, new_mode=0o600)
    for old in _copies(path.name, folder)[:-keep]:
        old.unlink(missing_ok=True)
    return copy


def sweep(folder: Path) -> list[Path]:
    """Remove what a killed run left in *folder* and return it; only while holding the write lock."""
    try:
        leftovers = [entry for entry in folder.iterdir() if _LEFTOVER.fullmatch(entry.name)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    with _told_kindly(folder):
        for leftover in leftovers:
            leftover.unlink(missing_ok=True)
    return sorted(leftovers)


def inside(workspace: Path, relative: str) -> Path:
    """Return the path of *relative* in *workspace*; refuses ways out, by `..` or through a linked folder."""
    parts = PurePosixPath(relative).parts
    if not parts or relative.startswith("/") or ".." in parts:
        raise UserError(f"{relative}: this is not a path inside the workspace {workspace}.")
    path = workspace
    for part in parts[:-1]:
        path = path / part
        if path.is_symlink():
            raise UserError(
                f"{path}: this folder is a symbolic link, and nothing is written through links. "
                "Nothing was written.",
                next_step=f"put a real folder in its place: ls -ld {path}",
            )
    return path / parts[-1]


def make_folder(workspace: Path, relative: str, *, mode: int = 0o755) -> Path:
    """Make the folder *relative* in an existing *workspace*, where it is missing, and return it."""
    if not workspace.is_dir():
        raise UserError(
            f"{workspace}: there is no such folder. Nothing was written.",
            next_step="name the agent's workspace: scrimshaw observe --workspace FOLDER",
        )
    path = inside(workspace, relative)
    with _told_kindly(path):
        if path.is_symlink():
            raise _refused(path, "a symbolic link", f"put a real folder in its place: ls -ld {path}")
        path.mkdir(mode=mode, parents=True, exist_ok=True)
    return path


def own_folder(workspace: Path) -> Path:
    """Return the workspace's state folder, made where missing: mode 0700, kept out of git.

    A link in it is refused: whatever works in the workspace could have us write somebody else's file. Only
    the settings, which we never write, may be one.
    """
    folder = make_folder(workspace, OWN_FOLDER, mode=0o700)
    with _told_kindly(folder):
        for entry in os.scandir(folder):
            # Beside settings that are being edited an editor leaves a link of its own.
            if entry.is_symlink() and not entry.name.endswith("config.yaml"):
                raise _refused(
                    Path(entry), "a symbolic link, which Scrimshaw does not make", f"rm {entry.path}"
                )
        if stat.S_IMODE(folder.stat().st_mode) != 0o700:
            folder.chmod(0o700)
    if not (folder / ".gitignore").exists():
        replace(folder / ".gitignore", b"*\n", expected=ABSENT, new_mode=0o600)
    return folder


def _present(path: Path, limit_bytes: int) -> bytes | Absent:
    """Return what is there, if it may be replaced; of more than *limit_bytes* only enough to see that."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return ABSENT
    if stat.S_ISLNK(found.st_mode):
        raise _refused(
            path,
            "a symbolic link, which the host does not read",
            f"put the file itself in its place: cp --remove-destination $(readlink -f {path}) {path}",
        )
    if not stat.S_ISREG(found.st_mode):
        raise _refused(path, "not a regular file", f"move it away: ls -ld {path}")
    if found.st_nlink != 1:
        raise _refused(
            path,
            f"one of {found.st_nlink} hard links to the same file, which the host does not read",
            f"make it a file of its own: cp {path} {path}.new && mv {path}.new {path}",
        )
    with path.open("rb") as file:
        return file.read(limit_bytes + 1)


def _refused(path: Path, what: str, next_step: str) -> UserError:
    return UserError(f"{path}: this is {what}. Nothing was written.", next_step=next_step)


def _write_beside(path: Path, data: bytes, new_mode: int) -> Path:
    """Write *data* to a new file in the same folder, on disk, with the mode and owner it needs."""
    beside = path.parent / f".{path.name}.scrimshaw-{secrets.token_hex(8)}.tmp"
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            try:
                present = path.lstat()
            except FileNotFoundError:
                os.fchmod(descriptor, new_mode)
            else:
                os.fchmod(descriptor, stat.S_IMODE(present.st_mode))
                if (present.st_uid, present.st_gid) != (os.geteuid(), os.getegid()):
                    # Not ours to give away without privileges; the folder's owner let us replace it.
                    with suppress(PermissionError):
                        os.fchown(descriptor, present.st_uid, present.st_gid)
            os.fsync(descriptor)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    return beside


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        # The rename has happened: a file system that cannot sync folders is no reason to say it has not.
        with suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _copies(name: str, folder: Path) -> list[Path]:
    return sorted(
        entry for entry in folder.glob("*") if entry.name.startswith(f"{name}.") and entry.is_file()
    )


@contextmanager
def _told_kindly(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        what, next_step = _advice(path, error)
        raise UserError(f"{path}: {what}. Nothing was written.", next_step=next_step) from error


def _advice(path: Path, error: OSError) -> tuple[str, str]:
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return "the disk is full", "make room, then run the same command again"
        case errno.ENOENT | errno.ENOTDIR:
            return (
                f"the folder {path.parent} does not exist",
                f"look where it went: ls -ld {path.parent.parent}",
            )
        case errno.EROFS | errno.EACCES | errno.EPERM:
            return (
                f"the folder {path.parent} or the file cannot be written ({error.strerror})",
                f"make it writable for you: ls -ld {path.parent} {path}",
            )
        case _:
            return f"could not be written ({error.strerror})", f"ls -ld {path.parent} {path}"
