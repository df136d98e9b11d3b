"""The only module that replaces files: in one step, after a last look, or not at all.

A file is replaced by a rename within its folder, after it was compared with what the caller had read, so
that a foreign change is an answer and not a loss. What is written between that look and the rename comes out
by an exchange, is looked at and passed on; where the system cannot exchange two files (`exchange`), it is
lost. So is, everywhere, what a program writes later that keeps the old file open. Hosts refuse MEMORY.md when
it is a link of any kind, so links are refused here and a backup is a copy. Every UserError from here means:
the file is as it was, or as somebody else left it.
"""

from __future__ import annotations

import errno
import json
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from enum import Enum
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Final, Literal, NamedTuple

from scrimshaw.errors import Exit, UserError
from scrimshaw.exchange import exchange, rename_new

OWN_FOLDER = ".scrimshaw"
_LEFTOVER = re.compile(r"\..+\.scrimshaw-[0-9a-f]{16}\.tmp")
# The name says what the two contents were that changed places: what is neither is somebody else's.
_MARK = r"\d+-[0-9a-f]{16}"
_EXCHANGED = re.compile(
    rf"\.(?P<name>.+)\.scrimshaw-(?P<key>[0-9a-f]{{16}})\.(?P<was>{_MARK})\.(?P<data>{_MARK})\.swap"
)
_LINGER_SECONDS = 0.01  # many times what an appending program takes from opening a file to writing
_LARGEST_OBJECT_BYTES = 64 * 1024
_LARGEST_BYTES = 64 * 1024 * 1024  # of what is passed on; more is left where it is


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
            # Compare last, after everything slow (writing, fsync).
            present = _present(path, limit)
            if expected is not None and present != expected:
                return Changed()
            return _put(beside, path, data, expected)
        except (FileExistsError, FileNotFoundError):
            return Changed()  # made, or taken away, since that look
        finally:
            beside.unlink(missing_ok=True)


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
                # Read up to the limit instead of trusting the size: the file may be growing.
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


def read_object(path: Path) -> dict[str, Any]:
    """Return the JSON object that a small file holds; {} where there is none that can be read."""
    try:
        raw = read_bytes(path, _LARGEST_OBJECT_BYTES)
        found = json.loads(raw) if isinstance(raw, bytes) else None
    except (UserError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


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


def is_folder(path: Path) -> bool:
    """Tell whether *path* is a folder; raises UserError where that cannot be seen."""
    try:
        return path.is_dir()
    except OSError as error:
        raise UserError(
            f"{path}: cannot be looked at ({error.strerror}). Nothing was read or written there.",
            next_step=f"let this user in, or name another folder: ls -ld {path.parent}",
        ) from error


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
    """Remove what a killed run left in *folder* and return it; only while holding the write lock.

    What others wrote in the moment of the kill is put into their file first. Raises UserError where that
    cannot be, with the name under which it is kept.
    """
    try:
        leftovers = sorted(entry for entry in folder.iterdir() if is_leftover(entry.name))
    except (FileNotFoundError, NotADirectoryError):
        return []
    with _told_kindly(folder):
        for leftover in leftovers:
            if exchanged := _EXCHANGED.fullmatch(leftover.name):
                _recover(leftover, exchanged)
            leftover.unlink(missing_ok=True)
    return leftovers


def is_leftover(name: str) -> bool:
    """Tell whether a file of this *name* is one that a killed run left beside the file it was for."""
    return bool(_LEFTOVER.fullmatch(name) or _EXCHANGED.fullmatch(name))


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
                f"{path}: this folder is a symbolic link, and nothing is written through links.",
                next_step=f"put a real folder in its place: ls -ld {path}",
            )
    return path / parts[-1]


def make_folder(workspace: Path, relative: str, *, mode: int = 0o755, parents: bool = True) -> Path:
    """Make the folder *relative* in an existing *workspace*, where it is missing, and return it.

    Missing *parents* are made, too; or, with False, UserError is raised.
    """
    if not workspace.is_dir():
        raise UserError(
            f"{workspace}: there is no such folder. Nothing was written.",
            next_step="name the agent's workspace: scrimshaw observe --workspace FOLDER",
        )
    path = inside(workspace, relative)
    with _told_kindly(path):
        if path.is_symlink():
            raise _refused(path, "a symbolic link", f"put a real folder in its place: ls -ld {path}")
        path.mkdir(mode=mode, parents=parents, exist_ok=True)
    return path


def own_folder(workspace: Path, *, makes: bool = True) -> Path:
    """Return the workspace's state folder, made where missing: mode 0700, kept out of git.

    A link in it is refused: whatever works in the workspace could have us write somebody else's file. Only
    the settings, which we never write, may be one. Unless it *makes* one, a missing folder is a UserError.
    """
    folder = make_folder(workspace, OWN_FOLDER, mode=0o700) if makes else inside(workspace, OWN_FOLDER)
    if not folder.is_dir() or folder.is_symlink():
        raise UserError(
            f"{folder}: there is no such folder any more. Nothing was written.",
            next_step="put it back; or begin anew: scrimshaw init",
        )
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
            "a symbolic link",
            f"put the file itself in its place: cp --remove-destination $(readlink -f {path}) {path}",
        )
    if not stat.S_ISREG(found.st_mode):
        raise _refused(path, "not a regular file", f"move it away: ls -ld {path}")
    if found.st_nlink != 1:
        raise _refused(
            path,
            f"one of {found.st_nlink} hard links to the same file",
            f"make it a file of its own: cp {path} {path}.new && mv {path}.new {path}",
        )
    with path.open("rb") as file:
        return file.read(limit_bytes + 1)


def _refused(path: Path, what: str, next_step: str) -> UserError:
    return UserError(f"{path}: this is {what}. Nothing was written there.", next_step=next_step)


def _write_beside(path: Path, data: bytes, new_mode: int) -> Path:
    """Write *data* to a new file in the same folder, on disk, with the mode and owner it needs."""
    beside = path.parent / f".{path.name}.scrimshaw-{secrets.token_hex(8)}.tmp"
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with ExitStack() as undone:  # by Ctrl-C, too: no half-written file stays
        undone.callback(beside.unlink, missing_ok=True)
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
        undone.pop_all()
    return beside


def _put(beside: Path, path: Path, data: bytes, expected: bytes | Absent | None) -> Outcome:
    """Put the finished file *beside*, which holds *data*, in place of the one that was looked at just now."""
    if not isinstance(expected, bytes):
        if expected is None or not rename_new(beside, path):
            beside.replace(path)
        _sync_folder(path.parent)
        return Replaced()
    # From here on nothing takes it for rubbish by its name: it may be what somebody else wrote.
    swap = beside.rename(beside.with_name(f"{beside.stem}.{_mark(expected)}.{_mark(data)}.swap"))
    try:
        is_exchanged = exchange(swap, path)
        if not is_exchanged:
            swap.replace(path)
    except OSError:
        swap.unlink()
        raise
    if is_exchanged:
        return _settled(path, swap, expected, data)
    _sync_folder(path.parent)
    return Replaced()


def _settled(path: Path, swap: Path, was: bytes, data: bytes) -> Outcome:
    """Tell what became of an exchange, and lose nothing of what came out: it may be more than *was*.

    What was added to the old file is added to the new one. An old one that was rewritten goes back.
    """
    seen = _passed_on(swap, path, was)
    _sync_folder(path.parent)
    # Once more: who had just opened the old file writes to it, and not to the new one.
    time.sleep(_LINGER_SECONDS)
    if seen is not None and _passed_on(swap, path, seen) is not None:
        swap.unlink()
        return Replaced()
    _put_back(swap, path, data)
    swap.unlink()
    return Changed()


def _recover(swap: Path, exchanged: re.Match[str]) -> None:
    """Leave *swap* with nothing that others wrote, after a kill at any moment of an exchange."""
    path = swap.with_name(exchanged["name"])
    found, present = _whole(swap), _whole(path)
    # The longer first: one may begin as the other does.
    for mark in sorted((exchanged["was"], exchanged["data"]), key=_length, reverse=True):
        if found is not None and _mark(found[: _length(mark)]) == mark:
            seen, added = found[: _length(mark)], found[_length(mark) :]
            if not added or (present is not None and added in present) or _passed_on(swap, path, seen):
                return
    ours = (present or b"")[: _length(exchanged["data"])]
    if _mark(ours) != exchanged["data"]:
        raise _kept_aside(swap, path)
    _put_back(swap, path, ours)


def _put_back(swap: Path, path: Path, ours: bytes) -> None:
    """Let the file be again what came out, with what was added to *ours* meanwhile."""
    if not exchange(swap, path) or _passed_on(swap, path, ours) is None:
        raise _kept_aside(swap, path)
    _sync_folder(path.parent)


def _passed_on(swap: Path, path: Path, seen: bytes) -> bytes | None:
    """Add to the file what *swap* holds behind *seen*; return all that it holds, None when that cannot be."""
    found = _whole(swap)
    if found is None or not found.startswith(seen):
        return None
    if found == seen:
        return found
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "ab") as file:
            file.write(found[len(seen) :])
            file.flush()
            os.fsync(descriptor)
    except OSError:
        return None
    return found


def _whole(path: Path) -> bytes | None:
    """Return the content of a file that may be passed on; None for a link of any kind, a folder, a giant."""
    try:
        found = path.lstat()
        is_plain = stat.S_ISREG(found.st_mode) and found.st_nlink == 1 and found.st_size <= _LARGEST_BYTES
        return path.read_bytes() if is_plain else None
    except OSError:
        return None


def _kept_aside(swap: Path, path: Path) -> UserError:
    """Keep *swap* under a name that people see, and return how to tell them."""
    aside = path.with_name(f"{path.stem}.aside-{secrets.token_hex(4)}{path.suffix}")
    swap.rename(aside)
    _sync_folder(path.parent)
    return UserError(
        f"{path}: other programs changed it more than once while it was being written. It is as one of them "
        f"left it. What another had written is kept in {aside}.",
        next_step=f"take over what is missing, then remove the second one: diff {path} {aside}",
        exit_code=Exit.REFUSED,
    )


def _mark(content: bytes) -> str:
    return f"{len(content)}-{sha256(content).hexdigest()[:16]}"


def _length(mark: str) -> int:
    return int(mark.partition("-")[0])


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
        raise UserError(f"{path}: {what}. Nothing was written there.", next_step=next_step) from error


def _advice(path: Path, error: OSError) -> tuple[str, str]:
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return "the disk is full", "make room, then run the same command again"
        case errno.ENOENT | errno.ENOTDIR:
            is_else = path.parent.exists()
            return (
                f"{path.parent} is no folder" if is_else else f"the folder {path.parent} does not exist",
                f"look where it went: ls -ld {path.parent.parent}",
            )
        case errno.EROFS | errno.EACCES | errno.EPERM:
            return (
                f"the folder {path.parent} or the file cannot be written ({error.strerror})",
                f"make it writable for you: ls -ld {path.parent} {path}",
            )
        case _:
            return f"could not be written ({error.strerror})", f"ls -ld {path.parent} {path}"
