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
from pathlib import Path
from urllib.parse import quote

BUSY_SECONDS = 0.2


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Yield a read-only connection to the database at *path*; raise sqlite3.Error or OSError."""
    path.stat()  # a missing file is an OSError here, not an empty database
    is_open_elsewhere = any(path.with_name(path.name + end).exists() for end in ("-wal", "-journal"))
    how = "mode=ro" if is_open_elsewhere else "mode=ro&immutable=1"
    connection = sqlite3.connect(
        f"file:{quote(str(path.absolute()))}?{how}", uri=True, timeout=BUSY_SECONDS, isolation_level=None
    )
    try:
        connection.execute("pragma query_only = on")
        # Text that is not UTF-8 must not stop a look at the rest.
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        yield connection
    finally:
        connection.close()
