"""Open a host's SQLite database for reading without leaving a trace beside it.

A read-only open of a WAL database still creates `-wal` and `-shm` files when none are there, which
means that no process has it open. Then, and only then, it is opened as immutable: nothing is
created and no lock is needed. With a `-wal` beside it a host may be running: `mode=ro`, which never
blocks its writer (rule 23).

Should a host start in the very moment of an immutable read, the read may see a torn page; callers
treat any sqlite3.Error as "unknown" and look again later.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EBUSY
from pathlib import Path
from urllib.parse import quote

BUSY_SECONDS = 0.2


def is_quiet(path: Path) -> bool:
    """Tell whether no process has the database open: neither a -wal nor a -journal lies beside it."""
    return not any(path.with_name(path.name + end).exists() for end in ("-wal", "-journal"))


def connect(path: Path, *, as_immutable: bool, busy_seconds: float) -> sqlite3.Connection:
    """Open the database at *path* for reading; transactions are the caller's own to begin and end."""
    how = "mode=ro&immutable=1" if as_immutable else "mode=ro"
    address = f"file:{quote(str(path.absolute()))}?{how}"
    return sqlite3.connect(address, uri=True, timeout=busy_seconds, isolation_level=None)


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Yield a read-only connection to the database at *path*; raise sqlite3.Error or OSError."""
    path.stat()  # a missing file is an OSError here, not an empty database
    connection = connect(path, as_immutable=is_quiet(path), busy_seconds=BUSY_SECONDS)
    try:
        connection.execute("pragma query_only = on")
        # Text that is not UTF-8 must not stop a look at the rest.
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        yield connection
    finally:
        connection.close()


def faults_in(path: Path, *, is_thorough: bool) -> tuple[str, ...]:
    """Return what is damaged in the database at *path*; raises OSError where it cannot be read just now.

    If not *is_thorough*, only whether it is a database: the rest takes time in a large one.
    """
    try:
        with reading(path) as connection:
            found = connection.execute("pragma quick_check(5)" if is_thorough else "pragma schema_version")
            return tuple(str(row[0]) for row in found if is_thorough and row[0] != "ok")
    except sqlite3.OperationalError as error:  # it is locked, or the disk does not answer
        raise OSError(EBUSY, str(error), str(path)) from error
    except sqlite3.Error as error:
        return (str(error),)
