"""What a person changes, changes back, and changes once more stands as they left it (promise 7)."""

from datetime import datetime

import pytest
from tests.places import Answer, Place


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


KARL = "My brother Karl works at the Hamburg harbour."


def _note_karl_and_delete_him(place: Place) -> None:
    place.say((KARL, "ok"))
    assert place.run("observe").code == 0
    rows = place.memory.read_text().splitlines(keepends=True)
    place.memory.write_text("".join(row for row in rows if "Karl" not in row))
    assert place.run("observe").code == 0
    assert "Karl" not in place.section()


def _say_later(place: Place, user: str, assistant: str = "ok") -> Answer:
    place.session.at_ms = int(datetime.fromisoformat("2026-11-21T09:00:00+00:00").timestamp() * 1000)
    place.say((user, assistant))
    answer = place.run("observe", now="2026-11-21T10:00:00+00:00")
    assert answer.code == 0
    return answer


def test_promise_7_the_newest_line_deleted_comes_back_when_the_person_says_it_again(place):
    _note_karl_and_delete_him(place)

    answer = _say_later(place, KARL)

    assert place.section().count(KARL) == 1
    assert "closed" not in answer.out


def test_promise_7_the_newest_line_deleted_stays_out_until_then(place):
    _note_karl_and_delete_him(place)

    _say_later(place, "Let's go on with the invoices.", KARL)

    assert "Karl" not in place.section()


def test_promise_7_words_said_before_a_line_was_put_away_do_not_bring_it_back(place):
    place.say((KARL, "ok"))
    _note_karl_and_delete_him(place)
    place.say((KARL, "ok"))  # by the clock of the conversation before the deletion

    place.run("observe", now="2026-11-21T10:00:00+00:00")

    assert "Karl" not in place.section()


def test_promise_7_what_a_list_above_the_section_says_is_not_shown_twice_when_said_again(tmp_path):
    place = Place(tmp_path / "home")
    place.memory.write_text(f"## Observations\n\n{KARL}\n\n| a | table |\n|---|---|\n")
    place.say(("I am allergic to peanuts.", "ok"))
    assert place.run("observe", "--yes").code == 0

    _say_later(place, KARL)

    assert place.memory.read_text().count("Karl") == 1


def test_promise_7_a_change_taken_back_leaves_one_wording_in_force(place):
    _change(place, "Lisbon", "Porto")
    _change(place, "Porto", "Lisbon")

    found = place.run("search", "Where does Anna live?").out
    with place.ledger(read_only=True) as ledger:
        live = [line.observation.text for line in ledger.live_lines() if "Anna" in line.observation.text]

    assert live == ["My sister Anna lives in Lisbon."]
    assert ("Lisbon" in found, "Porto" in found) == (True, False)


def test_promise_7_a_change_of_a_change_taken_back_leaves_the_first_wording(place):
    _change(place, "Lisbon", "Porto")
    _change(place, "Porto", "Faro")
    _change(place, "Faro", "Lisbon")
    _change(place, "Lisbon", "Faro")

    with place.ledger(read_only=True) as ledger:
        live = [line.observation.text for line in ledger.live_lines() if "Anna" in line.observation.text]

    assert live == ["🟡 My sister Anna lives in Faro. (since 2026-11)"]
    assert "lives in Faro" in place.section()


def _wordings(place: Place) -> list[str]:
    return sorted(row for row in place.section().split("\n") if "Anna" in row)


def test_promise_7_a_change_made_again_is_not_lost_when_only_the_persons_own_lines_came_since(place):
    _change(place, "Lisbon", "Porto")
    _change(place, "Porto", "Lisbon")
    assert place.run("add", "Note on kites", "--now").code == 0

    _change(place, "Lisbon", "Porto")

    assert "- 🟡 My sister Anna lives in Porto. (since 2026-11)" in _wordings(place)


def test_rule_6_a_line_taken_out_stays_out_when_an_old_copy_is_saved_with_an_addition(place):
    place.say(("We decided to use Postgres 16 for the staging database.", "ok"), (KARL, "ok"))
    assert place.run("observe").code == 0
    old = place.memory.read_text()
    rows = old.splitlines(keepends=True)
    place.memory.write_text("".join(row for row in rows if "Postgres" not in row))
    assert place.run("observe").code == 0

    place.memory.write_text(
        old.replace("### Standing\n", "### Standing\n- The vault key is at the notary's.\n")
    )
    assert place.run("observe").code == 0

    assert ("Postgres" in place.section(), "vault key" in place.section()) == (False, True)
