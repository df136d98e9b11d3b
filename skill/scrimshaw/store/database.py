"""The ledger's file: opening it, its migrations, its transactions, and what can be wrong with it.

Everything that a person can mend (damaged, locked, full, newer, not ours) leaves here as a UserError that
says what state things are in; an IntegrityError is a defect and passes.
Writes happen inside `transaction()` only. `secure_delete` is on from the first byte, because `forget` must
be able to mean it.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from scrimshaw.errors import UserError
from scrimshaw.store import sqlite
from scrimshaw.store.migrations import MIGRATIONS
from scrimshaw.store.sqlite import DAMAGED, LOCKED, ToldKindly, primary_code

APPLICATION_ID = 0x53637268  # "Scrh": `file` and we can tell a ledger from any other database
BUSY_SECONDS = 5.0
# Bound parameters in one statement; SQLite allows 32,766 since 3.32.
CHUNK = 5_000

_SETTLED_NS = 2_000_000_000  # after which a further change has another time, however coarse the clock
_MOST_LOOKS = 4  # at a file that somebody may be writing to

V = TypeVar("V", str, int)
Value = str | int | float | bytes | None
Row = tuple[Any, ...]  # the edge: the readers beside each query know its columns


class FileStamp(NamedTuple):
    """A file as it was looked at."""

    device: int
    inode: int
    size: int
    written_ns: int
    changed_ns: int


class Database:
    """A connection to one ledger; belongs to the thread that opened it."""

    def __init__(self, connection: sqlite3.Connection, path: Path, *, only_looks: bool = False) -> None:
        self.path = path
        self._connection = connection
        self._kindly = ToldKindly(path, _kind_error)
        self._depth = 0
        self._looks_left = _MOST_LOOKS if only_looks else 1
        self._looked_at: FileStamp | None = None  # what a look may go on with as long as it stands

    def rows(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        with self._kindly:
            while True:
                try:
                    return self._connection.execute(sql, values).fetchall()
                except sqlite3.DatabaseError as error:
                    # A look may be spoiled by who writes meanwhile (_connect_to_look); damage stays.
                    self._looks_left -= 1
                    if self._looks_left <= 0 or primary_code(error) not in DAMAGED:
                        raise
                self._connection.close()
                self._connection, self._looked_at = _connect_to_look(self.path), None

    def row(self, sql: str, values: Sequence[Value] = ()) -> Row | None:
        found = self.rows(sql, values)
        return found[0] if found else None

    def number(self, sql: str, values: Sequence[Value] = ()) -> int:
        """Return the number that a query asks for; 0 where it finds none."""
        found = self.row(sql, values)
        return int(found[0] or 0) if found else 0

    def write(self, sql: str, values: Sequence[Value] = ()) -> sqlite3.Cursor:
        """Run one writing statement; only inside a transaction."""
        assert self._depth, "writes happen inside transaction()"
        with self._kindly:
            return self._connection.execute(sql, values)

    def write_many(self, sql: str, values: Iterable[Sequence[Value]]) -> None:
        """Run one writing statement for each of *values*; only inside a transaction."""
        assert self._depth, "writes happen inside transaction()"
        with self._kindly:
            self._connection.executemany(sql, values)

    @property
    def is_in_transaction(self) -> bool:
        """Whether a `transaction()` of this connection is open."""
        return self._depth > 0

    def still_serves(self) -> bool:
        """Whether what this look sees is what the file holds now: nobody has written since, or is about to.

        Such a look may be another thread's next, one at a time.
        """
        try:
            return self._looked_at is not None and _stamp(self.path) == self._looked_at
        except OSError:  # the file was taken away
            return False

    def version(self) -> int:
        """Return the number of the newest event; it grows with everything that becomes true."""
        return self.number("select max(seq) from event")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Hold the database's write lock; all or nothing. Inside another one it is a part of that one."""
        name = f"part_{self._depth}"
        begin, commit, undo = (
            (f"savepoint {name}", f"release {name}", (f"rollback to {name}", f"release {name}"))
            if self._depth
            else ("begin immediate", "commit", ("rollback",))
        )
        with sqlite.transaction(self._connection, self._kindly, begin, commit, undo):
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1

    def close(self) -> None:
        """Close the connection; the last one to close folds the write-ahead log back into the file."""
        self._looked_at = None
        self._connection.close()


def parts(values: Iterable[V]) -> Iterator[tuple[str, list[V]]]:
    """Yield *values* in parts of as many as one statement may bind, each behind its question marks."""
    every = list(values)
    for start in range(0, len(every), CHUNK):
        part = every[start : start + CHUNK]
        yield ",".join("?" * len(part)), part


def open_database(path: Path, *, create: bool, read_only: bool) -> Database:
    """Open the ledger at *path* and bring its schema up to date; see `store.ledger.open_ledger`."""
    exists = _is_there(path)
    if not exists and not create:
        raise UserError(f"{path}: there is no ledger yet.", next_step="scrimshaw init")
    kindly = ToldKindly(path, _kind_error)
    with kindly:
        if read_only:
            stamp = _stamp(path)
            looking = Database(_connect_read_only(path), path, only_looks=True)
            if stamp and time.time_ns() - stamp.changed_ns > _SETTLED_NS:
                looking._looked_at = stamp
            return looking
        if not exists:
            sqlite.make_file(path)
        _require_writable(path)
        with ExitStack() as undo:
            connection = _connect(f"{path.absolute().as_uri()}?mode=rw")
            undo.callback(connection.close)
            sqlite.set_up(
                connection,
                kindly,
                synchronous="full",
                schema_of=lambda: _schema_of(connection, path),
                migrations=MIGRATIONS,
                application_id=APPLICATION_ID,
            )
            undo.pop_all()
        return Database(connection, path)


def _stamp(path: Path) -> FileStamp | None:
    """Return what changes with each change of the file; None while somebody may be writing."""
    if os.path.exists(f"{path}-wal"):  # noqa: PTH110  asked twice a search, so it has to be fast
        return None
    found = os.stat(path)  # noqa: PTH116  as above
    return FileStamp(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def _is_there(path: Path) -> bool:
    """Whether *path* is a file with something in it; refuses what cannot be a ledger."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise UserError(
            f"{path}: cannot be looked at ({error.strerror}).", next_step=f"ls -ld {path}"
        ) from error
    if not stat.S_ISREG(found.st_mode):
        what = {stat.S_IFDIR: "a directory", stat.S_IFLNK: "a symbolic link"}.get(
            stat.S_IFMT(found.st_mode), "no regular file"
        )
        raise UserError(
            f"{path}: the ledger should be here, but this is {what}. Nothing was written.",
            next_step=f"mv {path} {path}.aside, then: scrimshaw init",
        )
    # A kill between creating and the first commit leaves 0 bytes: nothing was lost, nothing is there.
    return found.st_size > 0


def _require_writable(path: Path) -> None:
    """Raise UserError where the ledger, or a file that SQLite keeps beside it, cannot be written.

    SQLite would open the ledger to read, all the same, and make a -shm file of the same mode beside it: that
    one stays when the ledger may be written again, and every later run fails on it. So it is mended here.
    Asked by name: closing a descriptor of the ledger would let go of the locks that this process has on it.
    """
    beside = [path.with_name(f"{path.name}{ending}") for ending in ("-wal", "-shm")]
    for one in (path, *(file for file in beside if file.is_file() and not file.is_symlink())):
        if one != path and not _may_write(one):
            with suppress(OSError):
                one.chmod(0o600)
        if not _may_write(one):
            try:
                mode = stat.filemode(one.stat().st_mode)
            except FileNotFoundError:
                continue  # whoever closed the ledger last took it away
            raise UserError(
                f"{one}: cannot be written ({mode}), so nothing can be noted. It is as it was.",
                next_step=f"make it writable for you: chmod u+w {one}",
            )


def _may_write(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _connect(uri: str, *, only_looks: bool = False) -> sqlite3.Connection:
    return sqlite3.connect(
        uri, uri=True, isolation_level=None, timeout=BUSY_SECONDS, check_same_thread=not only_looks
    )


def copy_ledger(path: Path, copy: Path) -> None:
    """Copy the ledger at *path* to a new file, whole, what stands in its write-ahead log included.

    Leaves no trace beside the original. Raises UserError as opening it does.
    """
    _is_there(path)
    with (
        ToldKindly(path, _kind_error),
        closing(_connect_to_look(path)) as source,
        closing(sqlite3.connect(copy)) as mirror,
    ):
        source.backup(mirror)


def _connect_read_only(path: Path) -> sqlite3.Connection:
    looks_left = _MOST_LOOKS
    while True:
        connection = _connect_to_look(path)
        try:
            _refuse_older(_schema_of(connection, path), path)
        except (sqlite3.DatabaseError, UserError) as error:
            connection.close()
            looks_left -= 1
            if looks_left and isinstance(error, sqlite3.DatabaseError) and primary_code(error) in DAMAGED:
                continue
            raise
        return connection


def _connect_to_look(path: Path) -> sqlite3.Connection:
    """Open the ledger so that looking leaves no trace.

    Opened the usual way a file without its write-ahead log would get one, and keep it. Without a log nobody
    is writing and the file alone is the whole truth. The price: a run that begins and ends while we look
    may spoil this look.
    """
    uri = path.absolute().as_uri()
    log = path.with_name(path.name + "-wal")
    if not log.exists():
        return _connect(f"{uri}?mode=ro&immutable=1", only_looks=True)
    connection = _connect(f"{uri}?mode=ro", only_looks=True)
    try:
        connection.execute("select 1 from sqlite_master limit 1").fetchall()
    except sqlite3.OperationalError:
        connection.close()
        # A log needs its -shm file, and this folder may not let us make one; or whoever closed the ledger
        # last has just taken the log away.
        if log.exists() and log.stat().st_size:
            raise
        return _connect(f"{uri}?mode=ro&immutable=1", only_looks=True)
    except sqlite3.DatabaseError:
        connection.close()
        raise
    return connection


def _schema_of(connection: sqlite3.Connection, path: Path) -> int:
    step = f"mv {path} {path}.aside, then: scrimshaw init"
    return sqlite.schema_number(connection, path, APPLICATION_ID, len(MIGRATIONS), "a Scrimshaw ledger", step)


def _refuse_older(schema: int, path: Path) -> None:
    if schema < len(MIGRATIONS):
        raise UserError(
            f"{path}: the ledger has schema {schema}, this program wants {len(MIGRATIONS)}. "
            "Nothing was changed.",
            next_step="scrimshaw observe (it brings the ledger up to date)",
        )


def damaged(path: Path, why: str) -> UserError:
    """Return the error for a ledger that cannot be read: *why*."""
    return UserError(
        f"{path}: the ledger is damaged or encrypted ({why}). Nothing was changed; MEMORY.md and the "
        "dated files are as they were.",
        next_step=recovering(path),
    )


def recovering(path: Path | str) -> str:
    """Return what to do about a damaged ledger, and what comes of it."""
    return (
        f"mv {path} {path}.damaged, then: scrimshaw init (the section's lines are taken over, and what "
        "conversations there are is read again; what was forgotten or deleted comes back until the old "
        "archive, which scrimshaw archive sets aside then, is imported)"
    )


def _kind_error(path: Path, error: sqlite3.DatabaseError) -> UserError:
    code = primary_code(error)
    if code in DAMAGED:
        return damaged(path, str(error))
    if code in LOCKED:
        return UserError(
            f"{path}: another program has kept the ledger locked for {BUSY_SECONDS:.0f} seconds. "
            "Nothing of this step was written.",
            next_step="wait for it or end it, then run the same command again",
        )
    if code == sqlite3.SQLITE_FULL:
        return UserError(
            f"{path}: the disk is full. Nothing of this step was written.",
            next_step="make room, then run the same command again",
        )
    if code in {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM}:
        return UserError(
            f"{path}: the ledger cannot be opened for this ({error}). Nothing of this step was written.",
            next_step=f"make {path.parent} readable and writable for you: ls -ld {path.parent} {path}",
        )
    return UserError(
        f"{path}: the ledger could not be used ({error}). Nothing of this step was written.",
        next_step="run the same command again; if it stays: scrimshaw status",
    )
