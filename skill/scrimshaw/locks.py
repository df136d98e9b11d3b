"""Who may write, and who is the daemon: two locks on sidecar files (rules 10 and 11).

The presence lock is held for a daemon's whole life, the write lock for one transaction: never over a model
call or a wait. Both lie beside the ledger and not on MEMORY.md: a rename gives that a new inode, so a lock on
the file itself guards nothing. The kernel lets go when a process dies; who held a lock is told by a note
beside it, believed only while the lock is held.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from scrimshaw import files
from scrimshaw.errors import Exit, UserError

if TYPE_CHECKING:
    from filelock import FileLock

IndexPart = Literal["making", "words", "vectors"]


class Holder(NamedTuple):
    """Who holds a lock, as they said when they took it; 0 and "" when they said nothing."""

    pid: int
    since: str  # ISO 8601
    by: str


class Busy(UserError):  # noqa: N818  # a state to be expected, not a fault
    """Somebody else holds the lock, and still did when the time was up."""

    def __init__(self, holder: Holder, *problems: str, next_step: str) -> None:
        self.holder = holder
        super().__init__(*problems, next_step=next_step, exit_code=Exit.LOCKED)


def write_lock(
    folder: Path, *, by: str, now: datetime, timeout_seconds: float
) -> AbstractContextManager[None]:
    """Hold the right to write in this workspace; *folder* is its state folder. Raises Busy."""
    told = "is writing here", "No file was changed."
    return _waiting(folder / "write.lock", by, now, timeout_seconds, *told)


@contextmanager
def presence_lock(folder: Path, *, by: str, now: datetime, timeout_seconds: float = 1.0) -> Iterator[None]:
    """Be the one daemon of this workspace; *folder* is its state folder. Raises Busy."""
    # Wait a moment: a caller of `presence` holds this lock for an instant.
    with _held(folder / "presence.lock", by, now, timeout_seconds) as holder:
        if holder:
            raise Busy(
                holder,
                f"{folder}: {_named(holder)} is already the daemon of this workspace. Nothing was started.",
                next_step=f"stop it first: kill {holder.pid}" if holder.pid else "scrimshaw status",
            )
        yield


def index_lock(
    folder: Path, part: IndexPart, *, by: str, now: datetime, timeout_seconds: float
) -> AbstractContextManager[None]:
    """Hold the right to write to a part of the search index; *folder* is the state folder. Raises Busy.

    "making" is held by the one who makes missing vectors, for as long as it takes; "words" and "vectors" only
    for a change. Who wants several takes them in this order: making, words, vectors.
    """
    told = "is writing the search index", "Nothing was changed."
    return _waiting(folder / f"index-{part}.lock", by, now, timeout_seconds, *told)


def archive_lock(
    folder: Path, *, by: str, now: datetime, timeout_seconds: float
) -> AbstractContextManager[None]:
    """Hold the right to replace the workspace's `.mv2` files; *folder* is its state folder. Raises Busy."""
    told = "is writing the archives", "No archive was changed."
    return _waiting(folder / "archive.lock", by, now, timeout_seconds, *told)


@contextmanager
def _waiting(
    path: Path, by: str, now: datetime, timeout_seconds: float, does: str, state: str
) -> Iterator[None]:
    """Hold the lock *path*; raises Busy with what its holder *does* and in which *state* things are."""
    with _held(path, by, now, timeout_seconds) as holder:
        if holder:
            raise Busy(
                holder,
                f"{path.parent}: {_named(holder)} {does}, and still was after {timeout_seconds:g} seconds. "
                f"{state}",
                next_step="run the same command again",
            )
        yield


def _inode(folder: Path) -> tuple[int, int]:
    """Return which folder this is; raises UserError where there is none."""
    try:
        found = folder.stat()
    except OSError as error:
        raise _gone(folder) from error
    return found.st_dev, found.st_ino


def _gone(folder: Path) -> UserError:
    return UserError(f"{folder}: is not there. Nothing was written.", next_step="scrimshaw status")


def presence(folder: Path) -> Holder | None:
    """Return the daemon of this workspace, if one runs."""
    if not (folder / "presence.lock").exists():
        return None
    from filelock import Timeout

    lock = _lock(folder / "presence.lock", 0)
    try:
        with lock:
            return None
    except Timeout:
        return read_note(_note(lock))
    except OSError:
        return None  # a folder that is not ours to lock in, and so not ours to be told of


def _lock(path: Path, timeout_seconds: float) -> FileLock:
    from filelock import FileLock  # its import takes a tenth of what a search may

    return FileLock(path, timeout=timeout_seconds, mode=0o600)


@contextmanager
def _held(path: Path, by: str, now: datetime, timeout_seconds: float) -> Iterator[Holder | None]:
    """Take the lock *path* and yield None, or yield who has it when the time is up."""
    from filelock import Timeout

    folder = _inode(path.parent)
    lock = _lock(path, timeout_seconds)
    note, me = _note(lock), Holder(os.getpid(), now.isoformat(timespec="seconds"), by)
    try:
        lock.acquire()
    except Timeout:
        yield read_note(note)
        return
    except OSError as error:
        raise UserError(
            f"{lock.lock_file}: cannot be locked ({error.strerror}). No file was changed.",
            next_step=f"make the folder writable for you: ls -ld {note.parent}",
        ) from error
    if _inode(path.parent) != folder:
        # The library makes the folder of a lock: one that was taken away just now is not to be there again.
        lock.release()
        with suppress(OSError):
            path.unlink(missing_ok=True)
            path.parent.rmdir()
        raise _gone(path.parent)
    try:
        # The note only informs those who wait; failing to write it (disk full) must not stop us.
        with suppress(OSError):
            note.unlink(missing_ok=True)  # made anew: what stands there may be a link to somebody's file
            handle = os.open(note, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(json.dumps(me._asdict()))
        yield None
    finally:
        # The folder may have been recreated meanwhile; then the note is another process's.
        if read_note(note).pid == me.pid:
            with suppress(OSError):
                note.unlink()
        lock.release()


def _note(lock: FileLock) -> Path:
    path = Path(lock.lock_file)
    return path.with_name(f"{path.stem}.holder")


def read_note(note: Path) -> Holder:
    """Return who holds a lock, by the *note* beside it."""
    said = files.read_object(note)
    try:
        return Holder(int(said["pid"]), str(said["since"]), str(said["by"]))
    except (ValueError, KeyError, TypeError, OverflowError):
        # Between taking the lock and writing the note, or half-written.
        return Holder(0, "", "")


def _named(holder: Holder) -> str:
    if not holder.pid:
        return "another scrimshaw"
    return f"scrimshaw {holder.by} (process {holder.pid}, since {holder.since})"
