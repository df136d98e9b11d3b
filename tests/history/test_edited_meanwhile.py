"""What a person changes once more while a run that has taken their edit is about to write (rule 11)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from tests.places import Place
from tests.support.prepared import Prepared

from scrimshaw import files

SAID = (
    ("We decided to use Postgres 16 for the staging database.", "OK."),
    ("We decided to put the invoices on Dana's desk each Monday.", "OK."),
    ("We decided to rent the hall in Kerkstraat 12 for the wedding.", "OK."),
    ("I'm allergic to penicillin.", "Noted."),
)


def _begun(place: Place) -> None:
    place.say(*SAID)
    assert place.run("observe", "--yes").code == 0


@pytest.fixture
def place(prepared: Prepared) -> Place:
    return prepared(_begun)


def _edit(place: Place, old: str, new: str) -> None:
    text = place.memory.read_text()
    assert old in text
    place.memory.write_text(text.replace(old, new, 1))


def _observe(place: Place, meanwhile: Callable[[], None], *, times: int = 1) -> str:
    """Run, and have the file changed *times* between its being read and its being replaced."""
    _edit(place, "### Standing\n", "### Standing\n\n")  # so that there is something to write
    left, real = iter(range(times)), files.replace

    def after_them(path: Path, data: bytes, **named: Any) -> files.Outcome:
        if path == place.memory and next(left, None) is not None:
            meanwhile()
        return real(path, data, **named)

    with mock.patch.object(files, "replace", after_them):
        place.run("observe")
    assert next(left, None) is None
    return place.section()


def test_a_line_reworded_and_reworded_again_is_there_once(place: Place) -> None:
    _edit(place, "Postgres 16", "Postgres 17")

    section = _observe(place, lambda: _edit(place, "Postgres 17", "Postgres 18"))

    assert section.count("Postgres") == 1
    assert "Postgres 18" in section


def test_a_line_added_and_reworded_is_there_once(place: Place) -> None:
    _edit(place, "### Standing\n", "### Standing\n- The cellar is damp in spring\n")

    section = _observe(place, lambda: _edit(place, "damp in spring", "dry in spring"))

    assert section.count("The cellar is") == 1
    assert "dry in spring" in section


def test_a_line_added_and_taken_out_is_gone(place: Place) -> None:
    _edit(place, "### Standing\n", "### Standing\n- The cellar is damp\n")
    _edit(place, "Postgres 16", "Postgres 17")

    section = _observe(place, lambda: _edit(place, "- The cellar is damp\n", ""))

    assert "cellar" not in section
    assert "Postgres 17" in section


def test_a_line_taken_out_and_put_back_is_there(place: Place) -> None:
    row = next(row for row in place.section().splitlines() if "Kerkstraat" in row)
    _edit(place, f"{row}\n", "")

    section = _observe(place, lambda: _edit(place, "### Standing\n", f"### Standing\n{row}\n"))

    assert section.count("Kerkstraat") == 1


def test_what_was_changed_three_times_is_there_once_at_the_next_run(place: Place) -> None:
    _edit(place, "Postgres 16", "Postgres 17")
    versions = iter(range(18, 30))
    section = _observe(
        place, lambda: _edit(place, f"Postgres {(n := next(versions)) - 1}", f"Postgres {n}"), times=3
    )
    assert "Postgres 20" in section

    place.run("observe")

    assert place.section().count("Postgres") == 1
    assert "Postgres 20" in place.section()
    assert place.run("undo").code == 0


def test_an_older_copy_saved_meanwhile_takes_no_line_along_that_came_since(place: Place) -> None:
    older = place.memory.read_text()
    place.say(("My sister Ada has the spare key of the cellar.", "OK."))
    place.run("observe")
    assert "Ada" in place.section()
    _edit(place, "Postgres 16", "Postgres 17")
    copy = older.replace("### Standing\n", "### Standing\n- Mine\n")

    section = _observe(place, lambda: place.memory.write_text(copy))

    assert "Ada" in section
    assert "- Mine" in section


def test_an_older_copy_that_moves_a_line_reworded_since_doubles_it_not(place: Place) -> None:
    older = place.memory.read_text()
    _edit(place, "Postgres 16", "Postgres 17")
    place.run("observe")
    place.say(("My sister Ada has the spare key of the cellar.", "OK."))
    place.run("observe")
    row = next(row for row in older.splitlines(keepends=True) if "Postgres" in row)
    place.memory.write_text(older.replace(row, "").replace("### Standing", f"### Open\n{row}### Standing"))

    place.run("observe")

    assert place.section().count("Postgres") == 1
    assert place.section().index("### Open") < place.section().index("Postgres 16")
    assert "Ada" in place.section()


def test_an_older_copy_that_rewords_a_line_reworded_since_takes_nothing_out(place: Place) -> None:
    older = place.memory.read_text()
    place.say(("My sister Ada has the spare key of the cellar.", "OK."))
    place.run("observe")
    _edit(place, "Postgres 16", "Postgres 17")
    place.run("observe")
    place.memory.write_text(older.replace("Postgres 16", "Postgres 18"))

    place.run("observe")

    assert place.section().count("Postgres") == 1
    assert "Postgres 18" in place.section()
    assert "Ada" in place.section()
