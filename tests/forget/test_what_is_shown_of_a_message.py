"""A message of which a part was forgotten, by one rule wherever it is shown: sentence by sentence."""

from __future__ import annotations

import pytest
from tests.places import Place
from tests.support.prepared import Prepared

from scrimshaw.core.ledger.forget import FORGOTTEN, Silenced, without_forgotten
from scrimshaw.core.types import Entry, Role

LATER = "2026-11-21T09:00:00+00:00"
STAYS = "We decided that billing-api runs release 2.4.1 in production."
GOES = "We decided that Quillfeather gets the house on Obsidian Terrace."


def _begun(place: Place) -> None:
    place.say((f"{STAYS} {GOES}", "Noted."))
    assert place.run("observe", "--yes", "--now").code == 0
    assert place.run("forget", "Quillfeather", "--yes").code == 0


@pytest.fixture
def place(prepared: Prepared) -> Place:
    return prepared(_begun)


def test_why_shows_the_part_that_stays_and_not_what_was_forgotten(place: Place) -> None:
    answer = place.run("why", "billing-api", now=LATER)
    told = place.run("why", "billing-api", "--json", now=LATER)

    assert f"{STAYS} {FORGOTTEN}" in answer.out
    assert "Quillfeather" not in answer.out + told.out
    assert "Obsidian" not in answer.out + told.out


def test_a_search_of_the_transcripts_shows_the_same(place: Place) -> None:
    stays = place.run("search", "billing-api release", "--transcripts", "--json", now=LATER)
    goes = place.run("search", "Quillfeather Obsidian Terrace", "--transcripts", "--json", now=LATER)

    (message,) = stays.object["workspaces"][0]["messages"]
    assert message["text"] == f"{STAYS} {FORGOTTEN}"
    assert goes.object["workspaces"][0]["messages"] == []


def test_of_a_forgotten_conversation_no_message_is_found(place: Place) -> None:
    assert place.run("forget", "--session", place.session.key, "--yes", now=LATER).code == 0

    answer = place.run("search", "billing-api release", "--transcripts", "--json", now=LATER)

    assert answer.object["workspaces"][0]["messages"] == []


def test_a_sentence_that_holds_one_word_more_than_its_line_is_not_shown() -> None:
    entry = Entry(
        "s", "e", 1, 5, Role.USER, "The dentist is at ten and my code is 4711.\nThe dentist is at ten"
    )

    shown = without_forgotten(entry, Silenced({"e": ["Dentist at ten"]}))

    assert shown.text == f"{FORGOTTEN} The dentist is at ten"


def test_without_any_line_left_nothing_of_a_message_is_shown_nor_of_a_forgotten_time() -> None:
    entry = Entry("s", "e", 1, 5, Role.USER, "One. Two! Three?")

    assert without_forgotten(entry, Silenced({"e": ()})).text == FORGOTTEN
    assert without_forgotten(entry, Silenced({}, until_ms=5)).text == FORGOTTEN
    assert without_forgotten(entry, Silenced({}, until_ms=4)) is entry
    assert without_forgotten(entry, Silenced({"other": ()})) is entry
