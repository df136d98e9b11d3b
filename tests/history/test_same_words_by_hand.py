"""What a person takes out of the section takes along what says the same beneath it, out of sight."""

from pathlib import Path

import pytest
from tests.places import Place
from tests.support.prepared import Prepared

from scrimshaw.core.types import Closed

TYPED = "- Keep coriander out of every recipe."
SMALL = {"SCRIMSHAW_OBSERVATION_CHARS": "610"}
SAID = (
    ("Keep coriander out of every recipe.", "I will."),
    ("We decided to use Postgres 16 for the staging database.", "OK."),
    ("We decided to put the invoices on Dana's desk each Monday.", "OK."),
    ("We decided to rent the hall in Kerkstraat 12 for the wedding.", "OK."),
    ("I'm allergic to penicillin.", "Noted."),
)


def _run(place: Place, hour: int, *args: str) -> None:
    words = args or ("observe",)
    answer = place.run(*words, now=f"2026-11-20T{hour:02}:00:00+00:00", env=SMALL)
    assert answer.code == 0, answer


def _edit(place: Place, old: str, new: str) -> None:
    text = place.memory.read_text()
    assert old in text
    place.memory.write_text(text.replace(old, new, 1))


def _noted(place: Place) -> list[Closed | None]:
    with place.ledger() as ledger:
        return [
            line.standing.closed
            for line in ledger.all_lines()
            if "coriander" in line.observation.text and line.observation.session_id
        ]


def _begun(place: Place) -> None:
    """A line noted, and typed again by the person: only what they typed is shown."""
    place.say(*SAID)
    _run(place, 9, "observe", "--yes")
    assert "coriander" in place.section()
    _edit(place, "### Standing\n", f"### Standing\n{TYPED}\n")
    _run(place, 10)
    assert place.section().count("coriander") == 1
    assert _noted(place) == [None]


@pytest.fixture
def place(prepared: Prepared) -> Place:
    return prepared(_begun)


def test_a_deleted_line_does_not_come_back_from_a_hidden_one_of_the_same_words(place: Place) -> None:
    _edit(place, f"{TYPED}\n", "")

    _run(place, 11)

    assert "coriander" not in place.memory.read_text()
    assert _noted(place) == [Closed.DELETED]


def test_an_undo_of_that_deletion_brings_back_what_was_there(place: Place) -> None:
    before = place.memory.read_bytes()
    _edit(place, f"{TYPED}\n", "")
    _run(place, 11)

    _run(place, 12, "undo")

    assert place.memory.read_bytes() == before
    assert _noted(place) == [None]


def test_a_line_written_again_after_that_is_there_once(place: Place) -> None:
    _edit(place, f"{TYPED}\n", "")
    _run(place, 11)
    _edit(place, "### Standing\n", f"### Standing\n{TYPED}\n")

    _run(place, 12)

    assert place.section().count("coriander") == 1


def test_the_older_wording_of_a_reworded_line_does_not_come_back_either(place: Place) -> None:
    _edit(place, TYPED, "- Keep coriander out of every recipe but the salsa.")

    _run(place, 11)

    assert place.section().count("coriander") == 1
    assert "but the salsa" in place.section()
    assert _noted(place) == [Closed.EDITED]


def test_of_two_lines_in_sight_the_one_left_standing_stays(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.say(SAID[0], SAID[1])
    assert place.run("observe", "--yes").code == 0
    _edit(place, "### Standing\n", f"### Standing\n{TYPED}\n")
    place.run("observe")
    assert place.section().count("coriander") == 2
    _edit(place, f"{TYPED}\n", "")

    place.run("observe")

    assert place.section().count("coriander") == 1
    assert _noted(place) == [None]


def test_an_older_copy_saved_with_an_addition_brings_back_the_wording_it_holds(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.say(*SAID)
    _run(place, 9, "observe", "--yes")
    older = place.memory.read_text()
    _edit(place, "Postgres 16", "Postgres 17")
    _run(place, 10)
    assert "Postgres 17" in place.section()

    # A program's older buffer: what it holds of the reworded line cannot be told from a new edit of it.
    place.memory.write_text(older)
    _edit(place, "### Standing\n", "### Standing\n- The vault key is at the notary's.\n")
    _run(place, 11)

    assert "Postgres 16" in place.section()
    assert "Postgres 17" not in place.section()
    assert "notary" in place.section()
    with place.ledger() as ledger:
        closed = {line.observation.text: line.standing.closed for line in ledger.all_lines()}
    [between] = [why for text, why in closed.items() if "Postgres 17" in text]
    assert between is Closed.EDITED  # in the ledger still


def test_an_older_copy_saved_with_an_addition_takes_nothing_away_that_came_since(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.say(*SAID)
    _run(place, 9, "observe", "--yes")
    older = place.memory.read_text()
    place.say(("My sister Ada has the spare key of the cellar.", "OK."))
    place.run("observe", now="2026-11-20T10:00:00+00:00")
    _edit(place, "Postgres 16", "Postgres 17")
    place.run("observe", now="2026-11-20T11:00:00+00:00")
    place.memory.write_text(older.replace("### Standing\n", "### Standing\n- Mine\n"))

    place.run("observe", now="2026-11-20T12:00:00+00:00")

    assert "- Mine\n" in place.section()
    assert "Ada" in place.section()
