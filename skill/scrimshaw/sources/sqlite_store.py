"""A host's SQLite store, opened to look and nothing else.

Every read is one short transaction. The store is opened `immutable` while no host has it
open (readonly.py says why). Each read is followed by a look whether one appeared or the file changed;
if so, it is done again on a fresh connection, the ordinary way when a host is there.

Errors come out as UserError with what to do; values larger than MAX_EVENT_BYTES are refused by SQLite
itself, so no row can take the memory.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from scrimshaw.errors import UserError
from scrimshaw.sources.reading import MAX_EVENT_BYTES
from scrimshaw.sources.readonly import connect, is_quiet

BUSY_SECONDS = 2.0
ATTEMPTS = 5

T = TypeVar("T")
Value = Any  # what a column holds is checked where it is used


class _Sight(NamedTuple):
    """What a connection was opened on; with another sight it has to be opened anew."""

    is_quiet: bool  # no host has the store open
    inode: int
    stamp: tuple[int, int]  # size and time of change; only looked at while quiet


class Store:
    """One connection, reopened when what it was opened on is no longer so."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection: sqlite3.Connection | None = None
        self._sight: _Sight | None = None
        self._columns: dict[str, frozenset[str]] = {}

    def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Return what *work* reads in one transaction; it may be called again, so it must only read."""
        try:
            for _ in range(ATTEMPTS):
                connection = self._connect()
                connection.execute("begin")
                try:
                    result = work(connection)
                finally:
                    connection.rollback()
                if self._sight is not None and (not self._sight.is_quiet or self._look() == self._sight):
                    return result
        except sqlite3.Error as error:
            raise explain(error, self.path) from error
        raise UserError(
            f"{self.path}: the store kept changing while it was read. Nothing was written.",
            next_step="run it again",
        )

    def rows(self, sql: str, parameters: tuple[object, ...] = ()) -> list[tuple[Value, ...]]:
        """Return all rows of one query; text comes as bytes."""
        return self.read(lambda connection: connection.execute(sql, parameters).fetchall())

    def has(self, table: str, *columns: str) -> bool:
        """Tell whether *table* is there with all of *columns*."""
        if table not in self._columns:
            found = self.rows("select name from pragma_table_info(?)", (table,))
            self._columns[table] = frozenset(name.decode() for (name,) in found)
        return bool(self._columns[table]) and self._columns[table].issuperset(columns)

    def column(self, table: str, name: str, otherwise: str = "null") -> str:
        """Return *name* for a select, or *otherwise* when this schema lacks it."""
        return name if self.has(table, name) else otherwise

    def forget_schema(self) -> None:
        """Look at tables and columns anew: the host may have been updated."""
        self._columns.clear()

    def close(self) -> None:
        """Close the connection; the next read opens a new one."""
        if self._connection is not None:
            self._connection.close()
        self._connection, self._sight = None, None

    def _look(self) -> _Sight:
        try:
            status = self.path.stat()
        except OSError as error:
            raise UserError(
                f"{self.path}: the store cannot be opened ({error.strerror}). Nothing was written.",
                next_step="check the path and that you run as the user that runs OpenClaw",
            ) from error
        quiet = is_quiet(self.path)
        return _Sight(quiet, status.st_ino, (status.st_size, status.st_mtime_ns) if quiet else (0, 0))

    def _connect(self) -> sqlite3.Connection:
        sight = self._look()
        if self._connection is None or sight != self._sight:
            self.close()
            self._connection = connect(self.path, as_immutable=sight.is_quiet, busy_seconds=BUSY_SECONDS)
            self._connection.text_factory = bytes  # decoded by the JSON parser, or replaced and reported
            self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_EVENT_BYTES)
            self._sight = sight
        return self._connection


def is_busy(error: sqlite3.Error) -> bool:
    """Tell whether *error* says that another program holds the store."""
    return _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def explain(error: sqlite3.Error, path: Path) -> UserError:
    """Return *error* as something the owner can mend."""
    match _code(error):
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return UserError(
                f"{path}: another program holds the store locked. Nothing was read; nothing is lost.",
                next_step="run it again; if it stays so, look which program keeps the store open",
            )
        case sqlite3.SQLITE_NOTADB:
            return UserError(
                f"{path}: is no SQLite database; it is damaged or encrypted. Nothing was read.",
                next_step="openclaw doctor, or restore the file from a backup",
            )
        case sqlite3.SQLITE_CORRUPT:
            return UserError(
                f"{path}: the store is damaged ({error}). What was read before stays; nothing was written.",
                next_step="openclaw doctor, or restore the file from a backup",
            )
        case _:
            return UserError(
                f"{path}: the store cannot be read ({error}). Nothing was written.",
                next_step="check that you run as the user that runs OpenClaw, then: openclaw doctor",
            )
