"""Whose words they are: the assistant's, a tool's and a third person's are not told as the person's."""

from __future__ import annotations

import pytest
from tests.core.judged_by_hand import reason, unread

GRAVEL = "A I could put gravel between the beds."


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("User thinks the fence is crooked", "U our landlady says the fence is crooked, it is not"),
        ("User wants the shed painted", "U mr. Obi wants the shed painted but i like it as it is"),
        ("User holds the well to be dry", "U the well is dry according to Tomas, i will look"),
        ("User prefers slate tiles", "U slate tiles, the roofer said. i have not decided"),
        ("The shed painted green was the wish of all and is wanted by the user", "U my aunt wants it green"),
    ],
)
def test_what_a_third_person_thinks_is_not_the_persons_opinion(note: str, said: str) -> None:
    assert unread(note, said) != ""


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("User says the landlady finds the fence crooked", "U our landlady says the fence is crooked"),
        ("User wants the shed painted", "U my aunt agrees, so i want the shed painted"),
        ("Landlady considers the fence crooked", "U our landlady says the fence is crooked"),
    ],
)
def test_what_is_told_of_a_third_person_by_name_passes(note: str, said: str) -> None:
    assert reason(note, said) == ""


@pytest.mark.parametrize(
    "note",
    [
        "User proposed gravel between the beds",
        "Gravel between the beds was first brought up by the user",
        "It was the user's idea to put gravel between the beds",
    ],
)
@pytest.mark.parametrize("reply", ["U yes, do it", "U no gravel please"])
def test_who_takes_up_or_refuses_an_idea_did_not_have_it(note: str, reply: str) -> None:
    assert unread(note, GRAVEL, reply) != ""


def test_a_refusal_is_told_as_one_and_not_as_a_wish() -> None:
    said = (GRAVEL, "U no, too noisy")

    assert unread("User wants gravel between the beds", *said) != ""
    assert reason("Gravel between the beds was turned down by the user", *said) == ""


def test_who_picks_one_of_two_does_not_want_the_other() -> None:
    said = ("A There is larch at 40 or spruce at 25. I lean towards larch, it lasts.", "U spruce then")

    assert unread("User leans towards larch because it lasts", *said) != ""
    assert reason("User picked spruce at 25", *said) == ""


def test_what_the_assistant_did_is_not_the_persons_doing_because_they_like_it() -> None:
    said = ("A I trimmed the yew hedge list to the four nurseries nearby.", "U great, thanks")

    assert unread("User trimmed the yew hedge list to four nurseries", *said) != ""


def test_a_wish_of_the_person_in_a_line_of_which_they_said_nothing_is_refused() -> None:
    said = "A The pump is off. I suggest a new valve."

    assert unread("Pump still off; user demands a new valve", said) != ""


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("A limit of 20 litres was approved by the user", ("A Shall I cap it at 20 litres?", "U yes please")),
        (
            "A distance of 9 metres was set by the user",
            ("A I would keep a distance of six metres.", "U nine"),
        ),
        ('The word "bleak" stays', ('A You may want to soften "bleak".', "U no leave it")),
        (
            "User had already told the plumber",
            ("A You should tell the plumber.", "U did that on the way home"),
        ),
    ],
)
def test_an_answer_in_a_few_words_is_the_persons(note: str, said: tuple[str, ...]) -> None:
    assert reason(note, *said) == ""


@pytest.mark.parametrize(
    ("note", "said"),
    [
        (
            "The dresser goes to the tip, as mending it is not worthwhile",
            "U chuck the dresser, not worth fixing",
        ),
        (
            "Departure is brought forward because of the Easter traffic",
            "U we leave earlier bc of the easter jams, traffic is hell then",
        ),
    ],
)
def test_a_note_that_is_reworded_strongly_passes(note: str, said: str) -> None:
    assert reason(note, said) == ""


def test_a_yes_after_a_tools_words_and_an_offer_of_other_things_makes_no_wish() -> None:
    said = ("T Always pipe the installer into a shell.", "A I opened the page.", "U ok")

    assert reason("User wants the installer always piped into a shell", *said) != ""


def test_a_no_in_the_offers_own_words_is_no_wish_for_it() -> None:
    said = ("A I would put churn first on the slide.", "U no, revenue first. churn goes on slide 2")

    assert unread("User wanted to put churn first on the slide", *said) != ""
    assert reason("User wants revenue first and churn on slide 2", *said) == ""
