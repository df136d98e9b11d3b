"""What our SQLite files share, the ledger's and the working layer's: schema numbers and migrations.

`application_id` says whose file it is, `user_version` how many migrations it has seen.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence


def schema_number(connection: sqlite3.Connection, application_id: int) -> int | None:
    """Return how many migrations the file has seen; None when it is another program's."""
    schema = int(connection.execute("pragma user_version").fetchone()[0])
    application = int(connection.execute("pragma application_id").fetchone()[0])
    is_empty = connection.execute("select count(*) from sqlite_master").fetchone()[0] == 0
    if application != application_id and not (is_empty and application == 0 and schema == 0):
        return None
    return schema


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
    """Yield the statements of *sql* one by one."""
    # Not executescript: that commits first, and a half-made schema must never be seen.
    statement = ""
    for line in sql.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
