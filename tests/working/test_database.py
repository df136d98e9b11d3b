"""The working layer's file: private, migrated, whole after a kill, opened anew when it was replaced."""

import multiprocessing
import sqlite3
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

from scrimshaw.errors import UserError
from scrimshaw.store.sqlite import schema_number
from scrimshaw.working.database import APPLICATION_ID, WorkingDatabase
from scrimshaw.working.migrations import MIGRATIONS


@pytest.fixture
def database(tmp_path: Path) -> WorkingDatabase:
    return WorkingDatabase(tmp_path / "working.sqlite")


def _note(database: WorkingDatabase, name: str) -> None:
    with database.transaction():
        database.write("insert into meta values (?, '')", (name,))


def _noted(database: WorkingDatabase) -> list[str]:
    return [row[0] for row in database.rows("select name from meta order by name")]


def test_it_is_made_for_its_owner_alone_and_brought_up_to_date(database: WorkingDatabase) -> None:
    _note(database, "one")

    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in database.path.parent.iterdir()}
    assert set(modes.values()) == {0o600}
    assert database.row("pragma user_version") == (len(MIGRATIONS),)
    assert database.row("pragma journal_mode") == ("wal",)


def test_a_transaction_that_fails_leaves_nothing(database: WorkingDatabase) -> None:
    def fail() -> None:
        with database.transaction():
            database.write("insert into meta values ('half', '')")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()

    assert _noted(database) == []


def test_a_file_that_was_taken_away_is_made_anew(database: WorkingDatabase) -> None:
    _note(database, "before")
    for path in list(database.path.parent.iterdir()):
        path.unlink()
    _note(database, "after")

    assert _noted(WorkingDatabase(database.path)) == ["after"]


def test_threads_share_it(database: WorkingDatabase) -> None:
    threads = [threading.Thread(target=_note, args=(database, f"{number:02}")) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(_noted(database)) == 16


def test_a_forked_process_opens_its_own(database: WorkingDatabase) -> None:
    _note(database, "parent")
    child = multiprocessing.get_context("fork").Process(target=_note, args=(database, "child"))
    child.start()
    child.join()

    assert child.exitcode == 0
    assert _noted(database) == ["child", "parent"]


def test_what_is_newer_or_not_ours_or_a_link_is_refused(tmp_path: Path) -> None:
    newer, other, link = tmp_path / "newer", tmp_path / "other", tmp_path / "link"
    _note(WorkingDatabase(newer), "one")
    with sqlite3.connect(newer) as connection:
        connection.execute("pragma user_version = 999")
    with sqlite3.connect(other) as connection:
        connection.execute("create table a (b)")
    link.symlink_to(other)

    for path, problem in ((newer, "newer Scrimshaw"), (other, "not a working layer"), (link, "a link")):
        with pytest.raises(UserError, match=problem):
            WorkingDatabase(path).rows("select 1")


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "working.sqlite").write_bytes(b"no database at all" * 100)

    with pytest.raises(UserError, match="damaged"):
        WorkingDatabase(tmp_path / "working.sqlite").rows("select 1")


class _Raced(sqlite3.Connection):
    """A connection beside which another process makes the file as soon as its number has been read."""

    path: Path
    is_told = False

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        if self.is_told:
            _note(WorkingDatabase(self.path), "by another")
        self.is_told = "application_id" in sql
        return super().execute(sql, *values)


def test_a_file_that_another_process_is_making_just_now_is_no_other_programs(tmp_path: Path) -> None:
    path = tmp_path / "working.sqlite"
    connection = sqlite3.connect(path, factory=_Raced)
    connection.path = path
    assert schema_number(connection, path, APPLICATION_ID, len(MIGRATIONS), "ours", "nothing") == 0
    connection.close()
