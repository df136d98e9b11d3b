"""A sentence told again word for word, with a denial more or less."""

from __future__ import annotations

import pytest

from scrimshaw.core.verification.polarity import retold_otherwise


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("User: compress, the scans get unreadable", "don't compress, the scans get unreadable."),
        ("Salaries are covered by the harbour grant", "no salaries are covered by the harbour grant"),
        ("The drum always jams on the left side", "the drum never jams on the left side"),
        ("Oil lamp filled and goat pen locked", "oil lamp filled and goat pen not locked"),
        ("Bees in hive 3 not fed since Sunday", "bees in hive 3 fed since sunday"),
        ("User takes the morning ferry", "i don't take the morning ferry"),
        ("Crate 4 ships with straw and a lid", "crate 4 ships without straw and a lid"),
        ("Ostrava Glass ordered 40 panes", "Two firms: Halberd pays, Ostrava Glass ordered no 40 panes."),
    ],
)
def test_a_denial_that_is_left_out_or_put_in_is_seen(note: str, said: str) -> None:
    assert retold_otherwise(note, [said])


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("The drum never jams on the left side", "the drum never jams on the left side"),
        ("Climbing stairs alone is forbidden for Runa", "runa must not go climbing stairs alone"),
        ("Not allowed to climb the stairs alone", "she must not climb the stairs alone"),
        ("No pricing experiment in the north", "we are not doing the pricing experiment in the north"),
        ("Readme says ruby 3 works there, wrongly", "readme says ruby 3 works there, it doesnt"),
        ("Green paint for the shed door", "the green paint for the shed door, not the brown"),
        (
            "Brake pads replaced, discs not (good for another year)",
            "they replaced the brake pads but not the discs, those are good for another year",
        ),
        ("At most 40 panes a day for Ostrava", "not more than 40 panes a day for ostrava"),
        ("The customer is Bauer & Sons, not Bauer Ltd", "the customer is not Bauer Ltd but Bauer & Sons"),
        ("User keeps the internet at the flat", "no, keep the internet at the flat"),
        (
            "Olaf has the spare key for the shed",
            "olaf has the spare key for the shed, she doesnt, so ask him",
        ),
        ("The mill delivers on Friday morning", "the mill doesn't deliver on thursday but friday morning"),
        ("Deploys on Fridays need approval", "no deploys on fridays without approval"),
        ("The museum opens its doors at 10", "the museum doesn't open its doors before 10"),
        ("Altos wear black, sopranos wear blue", "altos wear black, sopranos not, they wear blue"),
        ("User still has to test the glaze at cone 9", "still havent tested the glaze at cone 9"),
        ("User needs oat flour and rye bread", "we have no oat flour and rye bread, need some"),
        ("Mira may work on live panels when supervised", "mira may not work on live panels alone"),
    ],
)
def test_what_denies_as_much_in_other_places_is_let_pass(note: str, said: str) -> None:
    assert not retold_otherwise(note, [said])


def test_a_question_states_nothing_that_could_be_turned() -> None:
    said = "Shall I not order the oak planks for the pier?"

    assert not retold_otherwise("User wants the oak planks for the pier ordered", [said])


def test_what_another_entry_says_as_the_note_does_is_no_turn() -> None:
    entries = ["never feed the bees in hive 3", "ok from may on feed the bees in hive 3"]

    assert not retold_otherwise("Feed the bees in hive 3", entries)


def test_two_words_alike_are_no_sentence_told_again() -> None:
    assert not retold_otherwise("User likes pear cake", ["no pear cake"])


def test_the_words_are_told_as_they_stand_in_the_note() -> None:
    found = retold_otherwise("Hens get weighed before noon", ["hens never get weighed before noon"])

    assert found == "hens get weighed before noon"
