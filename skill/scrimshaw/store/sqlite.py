"""What our SQLite files share, the ledger's and the working layer's: migrations, transactions, kind errors.

`application_id` says whose file it is, `user_version` how many migrations it has seen.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from scrimshaw.errors import UserError, usage_error

DAMAGED = frozenset({sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT})
LOCKED = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_DEFECTS = (sqlite3.IntegrityError, sqlite3.ProgrammingError, sqlite3.InterfaceError)


class ToldKindly:
    """Turns what SQLite says about the file into what its owner can do: *explain* makes the UserError.

    Faults of the program stay what they are. A class, because every single read and write passes here.
    """

    __slots__ = ("_explain", "_path")

    def __init__(self, path: Path, explain: Callable[[Path, sqlite3.DatabaseError], UserError]) -> None:
        self._path = path
        self._explain = explain

    def __enter__(self) -> None:
        """Enter."""

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        """Raise UserError for what went wrong with the file."""
        if error is None or isinstance(error, _DEFECTS):
            return
        if isinstance(error, sqlite3.DatabaseError):
            raise self._explain(self._path, error) from error
        if isinstance(error, UnicodeEncodeError):  # a shell's argument in another encoding, half an emoji
            raise usage_error(
                "What was asked for holds a character that no text can hold, so nothing is known by it. "
                "Nothing was done.",
                next_step="name it in UTF-8",
            ) from error
        if isinstance(error, OSError):
            raise UserError(
                f"{self._path}: cannot be opened or made ({error.strerror}). Nothing was written.",
                next_step=f"ls -ld {self._path.parent}",
            ) from error


def primary_code(error: sqlite3.DatabaseError) -> int:
    """Return SQLite's primary code, the low byte; 0 where it gave none."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def make_file(path: Path) -> None:
    """Make *path* by hand: the mode is right from the first byte, and -wal and -shm get the same."""
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))


@contextmanager
def transaction(
    connection: sqlite3.Connection,
    kindly: ToldKindly,
    begin: str = "begin immediate",
    commit: str = "commit",
    undo: Sequence[str] = ("rollback",),
) -> Iterator[None]:
    """Hold the file's write lock; all or nothing. SQLite's word on *begin* and *commit* is told kindly."""
    with kindly:
        connection.execute(begin)
    is_done = False
    try:
        yield
        with kindly:
            connection.execute(commit)
        is_done = True
    finally:  # after Ctrl-C, too: a transaction that stays open keeps everybody out
        # SQLite has rolled back by itself after some errors (disk full); then there is nothing to undo.
        if not is_done and connection.in_transaction:
            for statement in undo:
                connection.execute(statement)


def set_up(
    connection: sqlite3.Connection,
    kindly: ToldKindly,
    *,
    synchronous: str,
    schema_of: Callable[[], int],
    migrations: Sequence[str],
    application_id: int,
) -> None:
    """Make a connection that was opened to write ready for use, and the file's schema up to date."""
    connection.execute("pragma foreign_keys = on")
    connection.execute(f"pragma synchronous = {synchronous}")
    connection.execute("pragma secure_delete = on")
    if schema_of() < len(migrations):
        with transaction(connection, kindly):
            # Looked at again under the lock: another process may have been here first.
            apply_migrations(connection, migrations, schema_of(), application_id)
    if connection.execute("pragma journal_mode").fetchone()[0] != "wal":
        connection.execute("pragma journal_mode = wal")


_WHAT_IT_IS = (
    "select (select user_version from pragma_user_version), "
    "(select application_id from pragma_application_id), (select count(*) from sqlite_master)"
)


def schema_number(
    connection: sqlite3.Connection, path: Path, application_id: int, newest: int, what: str, next_step: str
) -> int:
    """Return how many migrations the file has seen; UserError for another program's or a newer one."""
    # In one statement, which sees one state: another process may be making the file just now.
    schema, application, tables = connection.execute(_WHAT_IT_IS).fetchone()
    is_empty = tables == 0
    if application != application_id and not (is_empty and application == 0 and schema == 0):
        raise UserError(f"{path}: this database is not {what}. Nothing was changed.", next_step=next_step)
    if schema > newest:
        raise UserError(
            f"{path}: written by a newer Scrimshaw (schema {schema}, this program knows {newest}). "
            "Nothing was changed.",
            next_step="pip install --upgrade scrimshaw",
        )
    return int(schema)


def apply_migrations(
    connection: sqlite3.Connection, migrations: Sequence[str], schema: int, application_id: int
) -> None:
    """Run what follows migration *schema*, inside the caller's transaction."""
    for sql in migrations[schema:]:
        for statement in statements(sql):
            connection.execute(statement)
    connection.execute(f"pragma application_id = {application_id}")
    connection.execute(f"pragma user_version = {len(migrations)}")


def statements(sql: str) -> Iterator[str]:
    # Not executescript: that commits first, and a half-made schema must never be seen.
    statement = ""
    for line in sql.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
