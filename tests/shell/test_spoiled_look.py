"""A look at the ledger that somebody else's writing spoils is repeated; real damage is told."""

import sqlite3
from pathlib import Path

import pytest

from scrimshaw.errors import UserError
from scrimshaw.store.database import open_database


class _Spoiled:
    """A connection whose file was changed under it."""

    def __init__(self) -> None:
        self.is_closed = False

    def execute(self, *_: object) -> sqlite3.Cursor:
        error = sqlite3.DatabaseError("database disk image is malformed")
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "ledger.sqlite"
    open_database(made, create=True, read_only=False).close()
    return made


def test_a_look_that_was_spoiled_is_repeated(path: Path) -> None:
    looking = open_database(path, create=False, read_only=True)
    before, looking._connection = looking._connection, _Spoiled()  # type: ignore[assignment]
    before.close()

    assert looking.row("select count(*) from event") == (0,)


def test_whoever_writes_is_told_at_once(path: Path) -> None:
    writing = open_database(path, create=False, read_only=False)
    before, writing._connection = writing._connection, _Spoiled()  # type: ignore[assignment]
    before.close()

    with pytest.raises(UserError, match="damaged"):
        writing.row("select count(*) from event")
