"""MEMORY.md cannot be written while something is forgotten, undone or pinned: how far that came is said."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from tests.forget.traces import SECRET, told_secret
from tests.places import Place
from tests.support.prepared import Prepared

from scrimshaw import files
from scrimshaw.errors import Exit, UserError
from scrimshaw.services.edit import forget

LATER = "2026-11-21T09:00:00+00:00"


@pytest.fixture
def place(prepared: Prepared) -> Place:
    return prepared(told_secret)


@contextmanager
def _read_only(place: Place) -> Iterator[None]:
    real = files.replace

    def refusing(path: Path, data: bytes, **named: Any) -> files.Outcome:
        with files._told_kindly(path):
            if path == place.memory:
                raise PermissionError(errno.EACCES, "Permission denied")
        return real(path, data, **named)

    with mock.patch.object(files, "replace", refusing):
        yield


def test_a_forgetting_that_cannot_clean_memory_md_says_what_is_done_and_what_is_left(place: Place) -> None:
    with _read_only(place):
        answer = place.run("forget", SECRET, "--yes", now=LATER)
        found = place.run("search", SECRET, now=LATER)

    assert answer.code == Exit.MENDABLE
    assert f"{place.memory}: the folder {place.workspace} or the file cannot be written" in answer.err
    assert "is forgotten in the ledger, and no search finds it" in answer.err
    assert "its words still stand in MEMORY.md" in answer.err
    assert "scrimshaw observe (it goes on with the forgetting)" in answer.err
    assert SECRET not in found.out
    assert SECRET in place.memory.read_text()

    assert place.run("observe", now=LATER).code == 0
    assert SECRET not in place.memory.read_text()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("undo",), "Nothing was undone."),
        (("pin", "Postgres"), "Until then nothing else is changed."),
        (("forget", "Postgres", "--yes"), "Nothing else was forgotten."),
    ],
    ids=["undo", "pin", "forget"],
)
def test_what_waits_for_the_rest_of_a_forgetting_says_that_it_did_not_happen(
    place: Place, words: tuple[str, ...], told: str
) -> None:
    with _read_only(place):
        place.run("forget", SECRET, "--yes", now=LATER)
        before = place.section()
        answer = place.run(*words, now=LATER)

    assert answer.code == Exit.MENDABLE
    assert "its words still stand in MEMORY.md" in answer.err
    assert told in answer.err
    assert "What was noted is kept" not in answer.err
    assert place.section() == before


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("undo",), "It is undone in the ledger; "),
        (("pin", SECRET, "--now"), "The line is pinned in the ledger; "),
    ],
    ids=["undo", "pin"],
)
def test_what_the_ledger_holds_and_memory_md_does_not_is_said_to_have_happened(
    place: Place, words: tuple[str, ...], told: str
) -> None:
    before = place.section()

    with _read_only(place):
        answer = place.run(*words, now=LATER)

    assert answer.code == Exit.MENDABLE
    assert told in answer.err
    assert "scrimshaw observe" in answer.err
    assert place.section() == before
    assert place.run("observe", now=LATER).code == 0
    assert place.section() != before


def test_a_forgetting_behind_a_link_names_the_file_that_still_holds_the_words(place: Place) -> None:
    elsewhere = place.root / "elsewhere.md"
    place.memory.rename(elsewhere)
    place.memory.symlink_to(elsewhere)
    row = next(at for at, text in enumerate(elsewhere.read_text().splitlines(), 1) if SECRET in text)

    answer = place.run("forget", SECRET, "--yes", now=LATER)

    assert answer.code == Exit.MENDABLE
    assert "It is forgotten in the ledger" in answer.err
    assert "out of the files" not in answer.err
    assert f"Its words still stand in {place.memory} (line {row})." in answer.err


def test_a_forgetting_whose_section_cannot_be_written_names_no_file_that_is_clean(place: Place) -> None:
    refusal = UserError("MEMORY.md cannot be written.", next_step="mend it")

    with mock.patch.object(forget, "publish", side_effect=refusal):
        answer = place.run("forget", SECRET, "--yes", now=LATER)

    assert answer.code == Exit.MENDABLE
    assert "still stand" not in answer.err
    assert SECRET.encode() not in place.everything_written()
