"""What a person changes, changes back, and changes once more stands as they left it (promise 7)."""

import pytest
from tests.places import Place


@pytest.fixture
def place(tmp_path):
    place = Place(tmp_path / "home")
    place.say(("My sister Anna lives in Lisbon.", "ok"), ("I am allergic to peanuts.", "ok"))
    place.run("observe", "--yes")
    return place


def _change(place: Place, old: str, new: str) -> None:
    place.memory.write_text(place.memory.read_text().replace(old, new))
    assert place.run("observe").code == 0


def test_promise_7_a_change_taken_back_and_made_again_stands(place):
    _change(place, "Lisbon", "Porto")
    _change(place, "Porto", "Lisbon")
    place.say(("My brother Karl works at the Hamburg harbour.", "ok"))
    assert place.run("observe").code == 0

    _change(place, "Lisbon", "Porto")

    assert [row for row in place.section().split("\n") if "Anna" in row] == [
        "- 🟡 My sister Anna lives in Porto. (since 2026-11)"
    ]


def test_promise_7_a_line_typed_last_and_then_mended_stands_once(place):
    assert place.run("add", "No meetings on Fridays", "--now").code == 0

    _change(place, "No meetings on Fridays", "No meetings on Fridays and Mondays")

    assert [row for row in place.section().split("\n") if "meetings" in row] == [
        "- No meetings on Fridays and Mondays"
    ]
