"""The working layer's file: opening it, its migrations, its transactions, and what can be wrong with it.

`working.sqlite` beside the ledger, WAL, `synchronous=NORMAL`: what was stored survives the kill of any
process, not a power cut. The connection stays open as long as its owner, because a store has to take less
than a millisecond; threads share it, one at a time. A file that was taken away or replaced meanwhile (an
uninstall, a restored backup) is opened anew, and a child process opens its own: SQLite's connections must not
cross a fork. `secure_delete` is on from the first byte, because `forget` must be able to mean it.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from scrimshaw.errors import Exit, UserError
from scrimshaw.store import sqlite
from scrimshaw.store.database import Row, Value
from scrimshaw.working.migrations import MIGRATIONS

APPLICATION_ID = 0x53637277  # "Scrw"
BUSY_SECONDS = 5.0
_CHECKPOINT_PAGES = (
    4_000  # 16 MB of log: each checkpoint flushes the disk, which a store in the middle waits for
)

_DAMAGED = {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT}
_FAULTS = (sqlite3.IntegrityError, sqlite3.ProgrammingError, sqlite3.InterfaceError)
_LOCKED = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


class WorkingDatabase:
    """The open file at *path*; made with mode 0600 where it is missing. For any thread.

    Raises UserError when it is damaged, locked, newer than this program, or not ours.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._kindly = _ToldKindly(path)
        self._depth = 0
        self._connection: sqlite3.Connection | None = None
        self._opened: tuple[int, int, int] | None = None  # process, device, inode

    def rows(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        """Return all rows of a query."""
        with self._lock, self._kindly:
            return self._current().execute(sql, values).fetchall()

    def row(self, sql: str, values: Sequence[Value] = ()) -> Row | None:
        """Return the first row of a query, or None."""
        found = self.rows(sql, values)
        return found[0] if found else None

    def write(self, sql: str, values: Sequence[Value] = ()) -> int:
        """Run one writing statement inside a transaction; return how many rows it changed."""
        assert self._depth, "writes happen inside transaction()"
        with self._kindly:
            return self._current().execute(sql, values).rowcount

    def write_many(self, sql: str, values: Iterable[Sequence[Value]]) -> None:
        """Run one writing statement for each of *values*; only inside a transaction."""
        assert self._depth, "writes happen inside transaction()"
        with self._kindly:
            self._current().executemany(sql, values)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Hold the write lock; all or nothing. One inside another is a part of it."""
        with self._lock:
            if self._depth:
                yield
                return
            with self._kindly:
                connection = self._current()
                connection.execute("begin immediate")
            self._depth = 1
            try:
                yield
                with self._kindly:
                    connection.execute("commit")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("rollback")
                raise
            finally:
                self._depth = 0

    def close(self) -> None:
        """Close the file; a later call opens it again."""
        with self._lock:
            if self._connection is not None and self._opened and self._opened[0] == os.getpid():
                self._connection.close()
            self._connection = None

    def _current(self) -> sqlite3.Connection:
        if self._depth and self._connection is not None:
            return self._connection
        if self._connection is None or self._identity() != self._opened:
            self.close()
            self._connection = _open(self.path)
            self._opened = self._identity()
        return self._connection

    def _identity(self) -> tuple[int, int, int]:
        try:
            found = os.stat(self.path)  # noqa: PTH116  asked at each call: the least there is
        except OSError:
            return os.getpid(), 0, 0
        return os.getpid(), found.st_dev, found.st_ino


def _open(path: Path) -> sqlite3.Connection:
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            raise UserError(
                f"{path}: the working layer should be here, but this is a link or no file. Nothing was "
                "written.",
                next_step=f"ls -ld {path}",
            )
    except FileNotFoundError:
        # Made by hand: the mode is right from the first byte, and -wal and -shm get the same.
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw",
        uri=True,
        isolation_level=None,
        timeout=BUSY_SECONDS,
        check_same_thread=False,  # the lock sees to it
    )
    try:
        connection.execute("pragma foreign_keys = on")
        connection.execute("pragma synchronous = normal")
        connection.execute("pragma secure_delete = on")
        connection.create_function("folded", 1, str.casefold, deterministic=True)  # lower() knows ASCII alone
        connection.execute(f"pragma wal_autocheckpoint = {_CHECKPOINT_PAGES}")
        if _schema_of(connection, path) < len(MIGRATIONS):
            _migrate(connection, path)
        if connection.execute("pragma journal_mode").fetchone()[0] != "wal":
            connection.execute("pragma journal_mode = wal")
    except BaseException:
        connection.close()
        raise
    return connection


def _schema_of(connection: sqlite3.Connection, path: Path) -> int:
    schema = sqlite.schema_number(connection, APPLICATION_ID)
    if schema is None:
        raise UserError(
            f"{path}: this database is not a working layer of Scrimshaw. Nothing was changed.",
            next_step=f"mv {path} {path}.aside",
        )
    if schema > len(MIGRATIONS):
        raise UserError(
            f"{path}: written by a newer Scrimshaw (schema {schema}, this program knows "
            f"{len(MIGRATIONS)}). Nothing was changed.",
            next_step="pip install --upgrade scrimshaw",
        )
    return schema


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("begin immediate")
    try:
        # Looked at again under the lock: another process may have been here first.
        schema = _schema_of(connection, path)
        sqlite.apply_migrations(connection, MIGRATIONS, schema, APPLICATION_ID)
        connection.execute("commit")
    except BaseException:
        if connection.in_transaction:
            connection.execute("rollback")
        raise


class _ToldKindly:
    """Turn what SQLite says about the file into what its owner can do about it."""

    __slots__ = ("_path",)

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        """Enter."""

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        """Raise UserError for what went wrong with the file; faults of the program stay what they are."""
        if error is None or isinstance(error, _FAULTS):
            return
        if isinstance(error, sqlite3.DatabaseError):
            raise _kind_error(self._path, error) from error
        if isinstance(error, OSError):
            raise UserError(
                f"{self._path}: cannot be opened or made ({error.strerror}). Nothing was written.",
                next_step=f"ls -ld {self._path.parent}",
            ) from error


def _kind_error(path: Path, error: sqlite3.DatabaseError) -> UserError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the low byte: the primary code
    if code in _DAMAGED:
        return UserError(
            f"{path}: the working layer is damaged ({error}). Nothing was changed; the ledger is as it was.",
            next_step=f"mv {path} {path}.damaged; what was not consolidated yet is in it alone",
        )
    if code in _LOCKED:
        return UserError(
            f"{path}: another program has kept it locked for {BUSY_SECONDS:.0f} seconds. Nothing of this "
            "step was written.",
            next_step="wait for it or end it, then try again",
            exit_code=Exit.LOCKED,
        )
    if code == sqlite3.SQLITE_FULL:
        return UserError(
            f"{path}: the disk is full. Nothing of this step was written.",
            next_step="make room, then try again",
        )
    return UserError(
        f"{path}: could not be used ({error}). Nothing of this step was written.",
        next_step=f"ls -ld {path.parent} {path}",
    )
