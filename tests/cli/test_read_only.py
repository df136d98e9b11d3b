"""A workspace that nobody may write in: what only looks, or writes elsewhere, works there all the same."""

from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
from tests.places import Place
from tests.support.prepared import Prepared

from scrimshaw import files
from scrimshaw.errors import UserError


def _begun(place: Place) -> None:
    place.say(("We decided that node-1 runs release 1.4.1.", "Noted."))
    assert place.run("observe", "--yes").code == 0
    place.run("add", "--by", "agent", "Wenbury gave us stand 43.")  # refused, and waits for a review


@pytest.fixture
def place(prepared: Prepared) -> Iterator[Place]:
    place = prepared(_begun)
    refused = UserError("the folder cannot be written", next_step="ls -ld")
    with mock.patch.object(files, "own_folder", side_effect=refused):
        yield place


def _written(place: Place) -> list[tuple[Path, int]]:
    return sorted((path, path.stat().st_mtime_ns) for path in place.workspace.rglob("*"))


def test_a_memory_that_cannot_be_written_is_exported(place: Place) -> None:
    before = _written(place)

    answer = place.run("export", "main", str(place.root / "out.mv2"))

    assert (answer.code, answer.err) == (0, "")
    assert (place.root / "out.mv2").stat().st_size > 0
    assert before == _written(place)


def test_what_waits_in_a_memory_that_cannot_be_written_is_listed(place: Place) -> None:
    before = _written(place)

    answer = place.run("review")
    told = place.run("review", "--json")

    assert (answer.code, answer.err) == (0, "")
    assert "Wenbury gave us stand 43." in answer.out
    assert told.object["workspaces"][0]["waiting"] == 1
    assert before == _written(place)
