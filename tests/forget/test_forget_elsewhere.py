"""What is made from the ledger, and who else is at it: archives, index, imports, readers, full disks."""

import importlib.util
import sqlite3
from contextlib import closing
from datetime import datetime
from unittest import mock

import pytest
from tests.forget.traces import ADDRESS, KEPT, SECRET, holding, told_secret
from tests.places import NOW, Place
from tests.support.prepared import Prepared

from scrimshaw.errors import UserError
from scrimshaw.services.edit import forget_files, forget_resume
from scrimshaw.store.forgetting import Forgetting, Stage

LATER = "2026-11-21T09:00:00+00:00"
needs_memvid = pytest.mark.skipif(
    importlib.util.find_spec("memvid_sdk") is None,
    reason="the extra `archives` (memvid-sdk) is not installed",
)


def _begun(place: Place) -> None:
    told_secret(place)


@pytest.fixture
def place(prepared: Prepared) -> Place:
    return prepared(_begun)


def stage_of(place):
    with place.ledger() as ledger:
        return ledger.forgetting.stage()


@needs_memvid
@pytest.mark.slow
def test_an_archive_is_made_anew_without_it(place):
    assert place.run("archive").code == 0
    file = place.workspace / "memory" / "episodic" / "main.mv2"
    assert SECRET in _told_in(file)

    answer = place.run("forget", SECRET, "--yes")
    assert "memory/episodic/main.mv2" in answer.out
    assert holding(place.workspace, SECRET, ADDRESS) == []
    assert place.run("archive").code == 0

    assert SECRET not in _told_in(file)
    assert KEPT in _told_in(file)
    assert holding(place.workspace, SECRET, ADDRESS) == []


def _told_in(file):
    """Return all that an archive says: its readable text, and the exact part unpacked."""
    from scrimshaw.archive import frames, mv2

    return " ".join(f"{found.text} {frames.unpack(found.metadata)}" for found in mv2.read(file))


@needs_memvid
@pytest.mark.slow
def test_an_import_of_an_older_archive_does_not_bring_it_back(place, tmp_path):
    copy = tmp_path / "exported.mv2"
    assert place.run("export", "main", str(copy)).code == 0
    place.run("forget", SECRET, "--yes")

    answer = place.run("import", str(copy))
    place.run("observe", now=LATER)

    assert answer.code == 0
    assert holding(place.workspace, SECRET, ADDRESS) == []


def test_search_finds_it_before_and_not_after(place):
    pytest.importorskip("tantivy")
    assert SECRET in place.run("search", "sister", "--mode", "lexical").out

    place.run("forget", SECRET, "--yes")
    assert holding(place.workspace, SECRET, ADDRESS) == []
    answer = place.run("search", "sister", "--mode", "lexical", "--json")

    assert SECRET not in answer.out
    assert holding(place.workspace, SECRET, ADDRESS) == []


def test_what_a_killed_export_has_left_is_removed(place):
    copies = place.workspace / ".scrimshaw" / "carrying-0123"
    copies.mkdir()
    (copies / "main.mv2").write_text(SECRET)

    place.run("forget", SECRET, "--yes")

    assert holding(place.workspace, SECRET) == []


def test_one_who_keeps_reading_the_ledger_is_waited_for_and_named(place):
    with closing(sqlite3.connect(place.workspace / ".scrimshaw" / "ledger.sqlite")) as reader:
        reader.execute("begin")
        reader.execute("select count(*) from observation").fetchone()
        with mock.patch.object(forget_resume, "_PATIENCE_SECONDS", 0.2):
            answer = place.run("forget", SECRET, "--yes")
        reader.execute("commit")

        assert answer.code == 5
        assert "another program keeps reading" in answer.err
        assert stage_of(place) is Stage.SPACE
        # The section is written all the same, and the rest is done as soon as nobody is in the way.
        assert place.run("observe", now=LATER).code == 0

    assert stage_of(place) is None
    assert holding(place.workspace, SECRET, ADDRESS) == []


def test_a_file_that_cannot_be_written_leaves_the_rest_for_the_next_run(place):
    real = forget_files.files.replace

    def full(path, data, **how):
        if path.name.startswith("obs-"):
            raise UserError(f"{path}: the disk is full. Nothing was written.")
        return real(path, data, **how)

    with mock.patch.object(forget_files.files, "replace", full):
        answer = place.run("forget", SECRET, "--yes")
    assert answer.code == 1
    assert stage_of(place) is Stage.FILES

    assert place.run("observe", now=LATER).code == 0

    assert stage_of(place) is None
    assert holding(place.workspace, SECRET, ADDRESS) == []


def test_going_on_with_nothing_begun_does_nothing(place):
    before = place.memory.read_bytes()

    with place.ledger() as ledger:
        cleaned = forget_resume.go_on(place.target(), ledger, datetime.fromisoformat(NOW))

    assert (cleaned, place.memory.read_bytes()) == ((), before)


def test_each_step_may_be_repeated(place):
    with mock.patch.object(Forgetting, "finish", return_value=None):
        place.run("forget", SECRET, "--yes")
    assert stage_of(place) is Stage.SPACE

    for _ in range(2):
        place.run("observe", now=LATER)

    assert stage_of(place) is None
    with place.ledger() as ledger:
        assert ledger.check() == []
        assert ledger.rebuild() == 0
