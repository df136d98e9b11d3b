"""The working layer's file: opening, migrations, transactions, and errors.

`working.sqlite` beside the ledger, WAL, `synchronous=NORMAL`: what was stored survives the kill of any
process, but not always a power cut. The connection stays open as long as its owner, because storing must take
less than a millisecond; threads share it, one at a time. A file that was deleted or replaced meanwhile (an
uninstall, a restored backup) is opened anew, and a child process opens its own connection, since SQLite's
must not cross a fork. `secure_delete` is always on, because `forget` must erase.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from scrimshaw.errors import Exit, UserError
from scrimshaw.store import sqlite
from scrimshaw.store.database import Row, Value
from scrimshaw.store.sqlite import DAMAGED, LOCKED, ToldKindly, primary_code
from scrimshaw.working.migrations import MIGRATIONS

APPLICATION_ID = 0x53637277  # "Scrw"
BUSY_SECONDS = 5.0
# 8 MB of log, after which whoever commits flushes the disk, and all wait: seldom enough that fewer than one
# store in a hundred is hit, and often enough that it takes 9 ms.
_CHECKPOINT_PAGES = 2_000


class WorkingDatabase:
    """The open file at *path*, created with mode 0600 if missing. For any thread.

    Without *keeps_vectors* the vectors are only in this process's memory.

    Raises UserError if it is damaged, locked, of a newer version, or not ours.
    """

    def __init__(self, path: Path, *, keeps_vectors: bool = True) -> None:
        self.path = path
        self.keeps_vectors = keeps_vectors
        # In memory by number: a text changed by another process has a new number, and so no vector here.
        self.vector_key = "m.id" if keeps_vectors else "m.number"
        self._lock = threading.RLock()
        self._kindly = ToldKindly(path, _kind_error)
        self._depth = 0
        self.openings = 0  # grows when the file is opened again, since it may be another file
        self._connection: sqlite3.Connection | None = None
        self._opened: tuple[int, int, int] | None = None  # process, device, inode

    def rows(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        with self._lock, self._kindly:
            return self._current().execute(sql, values).fetchall()

    def row(self, sql: str, values: Sequence[Value] = ()) -> Row | None:
        found = self.rows(sql, values)
        return found[0] if found else None

    def number(self, sql: str, values: Sequence[Value] = ()) -> int:
        """Return the number that a query asks for; 0 where it finds none."""
        found = self.row(sql, values)
        return int(found[0] or 0) if found else 0

    def told(self, name: str) -> str | None:
        """Return what is kept under *name* in the file's notes, or None."""
        found = self.row("select value from meta where name = ?", (name,))
        return str(found[0]) if found else None

    def write(self, sql: str, values: Sequence[Value] = ()) -> int:
        """Run one writing statement inside a transaction; return the number of changed rows."""
        assert self._depth, "writes happen inside transaction()"
        with self._kindly:
            return self._current().execute(sql, values).rowcount

    def write_many(self, sql: str, values: Iterable[Sequence[Value]]) -> None:
        """Run one writing statement for each of *values*; only inside a transaction."""
        assert self._depth, "writes happen inside transaction()"
        with self._kindly:
            self._current().executemany(sql, values)

    @contextmanager
    def transaction(self, *, wait_seconds: float = BUSY_SECONDS) -> Iterator[None]:
        """Hold the write lock; all or nothing. A nested transaction is part of the outer one.

        Raises UserError where another process still holds it after *wait_seconds*.
        """
        with self._lock:
            if self._depth:
                yield
                return
            with self._kindly:
                connection = self._current()
            with _waiting(connection, wait_seconds), sqlite.transaction(connection, self._kindly):
                self._depth = 1
                try:
                    yield
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
            if not self.keeps_vectors:
                with self._kindly:
                    _hold_vectors(self._connection)
            self._opened = self._identity()
            self.openings += 1
        return self._connection

    def _identity(self) -> tuple[int, int, int]:
        try:
            found = os.stat(self.path)  # noqa: PTH116  called for each statement, so it has to be fast
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
        sqlite.make_file(path)
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw",
        uri=True,
        isolation_level=None,
        timeout=BUSY_SECONDS,
        check_same_thread=False,  # guarded by our lock
    )
    with ExitStack() as undo:
        undo.callback(connection.close)
        connection.create_function("folded", 1, str.casefold, deterministic=True)  # lower() is only ASCII
        connection.execute(f"pragma wal_autocheckpoint = {_CHECKPOINT_PAGES}")
        sqlite.set_up(
            connection,
            ToldKindly(path, _kind_error),
            synchronous="normal",
            schema_of=lambda: _schema_of(connection, path),
            migrations=MIGRATIONS,
            application_id=APPLICATION_ID,
        )
        undo.pop_all()
    return connection


@contextmanager
def _waiting(connection: sqlite3.Connection, seconds: float) -> Iterator[None]:
    """Have *connection* wait for locks up to *seconds*, and afterwards as before."""
    if seconds == BUSY_SECONDS:
        yield
        return
    connection.execute(f"pragma busy_timeout = {round(seconds * 1000)}")
    try:
        yield
    finally:
        connection.execute(f"pragma busy_timeout = {round(BUSY_SECONDS * 1000)}")


def _hold_vectors(connection: sqlite3.Connection) -> None:
    """Give this connection a table for vectors in memory, which hides the file's."""
    if connection.execute("select 1 from main.vector limit 1").fetchone():
        connection.execute("delete from main.vector")
    connection.execute("pragma temp_store = memory")
    table = connection.execute("select sql from main.sqlite_master where name = 'vector'").fetchone()[0]
    own = str(table).replace("CREATE TABLE", "create temp table", 1).replace("id text", "id integer", 1)
    connection.execute(own)


def _schema_of(connection: sqlite3.Connection, path: Path) -> int:
    what = "a working layer of Scrimshaw"
    return sqlite.schema_number(
        connection, path, APPLICATION_ID, len(MIGRATIONS), what, f"mv {path} {path}.aside"
    )


def _kind_error(path: Path, error: sqlite3.DatabaseError) -> UserError:
    code = primary_code(error)
    if code in DAMAGED:
        return UserError(
            f"{path}: the working layer is damaged ({error}). Nothing was changed; the ledger is as it was.",
            next_step=f"mv {path} {path}.damaged; what was not consolidated yet is in it alone",
        )
    if code in LOCKED:
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
