"""An import that is killed, or meets a full disk, has taken over all or nothing; the next one finishes it.

Cut off at its n-th point (tests/crash/killing.py) and done again undisturbed. What memvid's own process does
touches only a scratch folder, so the files are read once before. The control writes in two transactions what
has to be one, and must be caught.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from tests.crash.killing import Killing
from tests.places import Place
from tests.portability.ledgers import event, line, parcel
from tests.support.breadth import share

from scrimshaw.archive import mv2
from scrimshaw.core.ledger.import_notes import Foreign
from scrimshaw.core.types import EventType
from scrimshaw.errors import UserError
from scrimshaw.services.archive import import_
from scrimshaw.services.archive.read import Contents
from scrimshaw.store import events, joining

_FEW = 3  # points in the quick suite; all of them in the slow one

OLD, NEW, GONE, DONE = line(1, "the invoice is open"), line(2, "the invoice is paid"), line(3), line(4)
CONTENTS = Contents(
    ("main",),
    parcel(
        OLD,
        NEW,
        GONE,
        DONE,
        then=(
            event(EventType.SUPERSEDED, OLD, 5, other_id=NEW.id),
            event(EventType.DELETED, GONE, 6, by="person"),
            event(EventType.PINNED, DONE, 7, by="person"),
        ),
    ),
    (("other.mv2", Foreign("mv2://frames/1", "Trip", 1_780_000_000_000, "The ferry leaves at 21:30.")),),
    Counter(),
)


def _build(place: Place) -> None:
    place.memory.write_text("# Memory\n\n- mine\n")
    place.say(("We decided to use Postgres 17.2 for the ledger.", "Noted."))
    assert place.run("observe", "--yes", "--now").code == 0


def _import(place: Place) -> None:
    with mock.patch.object(import_, "read_archives", return_value=CONTENTS):
        assert place.run("import", "memory.mv2", "--now").code == 0


@pytest.fixture(scope="module")
def killing(tmp_path_factory: pytest.TempPathFactory) -> Killing:
    return Killing(tmp_path_factory.mktemp("killed"), _build, _import)


def test_the_import_that_is_killed_does_something(killing: Killing) -> None:
    assert len(killing.expected.lines) == 6
    assert DONE.text in killing.expected.memory.decode()
    assert killing.points > 30


def test_an_import_killed_anywhere_is_whole_after_the_next(killing: Killing) -> None:
    points: Iterable[int] = range(1, killing.points + 1, killing.points // _FEW)

    assert list(killing.differing((point,) for point in points)) == []


@pytest.mark.slow
def test_an_import_killed_at_many_points_is_whole_after_the_next(killing: Killing) -> None:
    assert list(killing.differing((point,) for point in share(range(1, killing.points + 1), 3))) == []


def _in_two_transactions() -> None:
    def torn(db: Any, parcel_: Any, **named: Any) -> Any:
        found = joining._joined(db, parcel_, named["at_ms"], named["by"], ())  # the control
        with db.transaction():
            joining.lines.insert(db, found.observations)
        with db.transaction():
            events.append(db, found.events, born=found.observations)
        return found

    mock.patch.object(joining, "join", torn).start()
    # Within a transaction around both the two above were one.
    mock.patch.object(import_.Ledger, "transaction", return_value=nullcontext()).start()


@pytest.mark.slow
def test_an_import_that_is_written_in_two_parts_is_caught(killing: Killing) -> None:
    points = range(1, killing.points + 1)

    found = killing.differing(((point,) for point in points), before=_in_two_transactions)

    assert next(found, None) is not None


def test_a_full_disk_leaves_the_ledger_as_it_was(tmp_path: Path) -> None:
    place = Place(tmp_path / "machine")
    _build(place)
    with place.ledger() as ledger:
        before = ledger.all_lines()

    def full(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with (
        mock.patch.object(import_, "read_archives", return_value=CONTENTS),
        mock.patch.object(joining.events, "append", full),
    ):
        answer = place.run("import", "memory.mv2")

    with place.ledger() as ledger:
        assert (True, before) == (answer.code != 0, ledger.all_lines())


@pytest.mark.parametrize("said", ["the disk is full", "memvid was not done in time (write) and was ended"])
def test_an_export_that_memvid_cannot_make_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    place, file = Place(tmp_path / "machine"), tmp_path / "memory.mv2"
    _build(place)

    def fails(path: Path, *_: object, **__: Callable[[int], None]) -> None:
        path.write_bytes(b"half of it")
        raise UserError(f"{said}. Nothing was lost: the ledger holds it all.", next_step="")

    monkeypatch.setattr(mv2, "is_installed", lambda: True)
    monkeypatch.setattr(mv2, "write", fails)

    answer = place.run("export", "main", str(file))

    left = list((place.workspace / ".scrimshaw").glob("carrying-*"))
    assert (answer.code, file.exists(), left) == (1, False, [])
    assert f"{file}: {said}. Nothing was written." in answer.err
