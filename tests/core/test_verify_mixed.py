"""Lines that say of one of two things what the entries say of the other; and lines only worded otherwise."""

from __future__ import annotations

import pytest
from tests.core.judged_by_hand import reason, unread


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("The ferry takes bikes, the bus takes dogs.", "U the ferry takes dogs, the bus takes bikes"),
        (
            "Marit waters the tomatoes while Jorun feeds the hens.",
            "U marit feeds the hens, jorun waters the tomatoes",
        ),
        (
            "The lamp is covered by the warranty, whereas the cable costs 30.",
            "U 30 for the lamp, the cable is covered by the warranty",
        ),
        ("Stage ran for 12 min; deploy for 40.", "T stage: 40 min, ok\ndeploy: 12 min, ok"),
    ],
)
def test_two_things_told_with_their_halves_exchanged_are_seen(note: str, said: str) -> None:
    assert unread(note, said) != ""


def test_what_follows_a_name_at_some_distance_is_its_own() -> None:
    said = "U tried quickjoin, slow, 90 s a run, and fastmerge took 8 in the end"
    assert unread("quickjoin took 8 s, fastmerge 90 s", said) != ""
    assert reason("quickjoin took 90 s a run, fastmerge 8", said) == ""


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("Helmets are allowed, but drones are not.", "U drones allowed, no helmets"),
        ("Tove has a key but Inge does not.", "U inge has a key, tove dont"),
    ],
)
def test_a_denial_moved_to_the_other_of_two_is_seen(note: str, said: str) -> None:
    assert unread(note, said) != ""


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("Dogs ride on the ferry and bikes on the bus.", "U the ferry takes dogs, the bus takes bikes"),
        (
            "Jorun looks after the tomatoes; the hens are Marit's.",
            "U marit feeds the hens, jorun waters the tomatoes",
        ),
        ("Drones are fine, helmets are not.", "U drones allowed, no helmets"),
        ("A key is with Inge and none with Tove.", "U inge has a key, tove dont"),
    ],
)
def test_the_same_halves_in_another_order_pass(note: str, said: str) -> None:
    assert reason(note, said) == ""


def test_a_reply_takes_the_words_of_what_it_answers() -> None:
    said = (
        "U nine metres, visitors burn easily",
        "A I'd keep the visitors at least five metres from the kiln.",
    )
    assert reason("User wants visitors kept nine metres from the kiln.", *said) == ""


def test_what_is_named_beside_the_figure_it_replaces_goes_with_both() -> None:
    assert reason("User hires fewer guides than the original 12.", "U hire 7 guides instead of twelve") == ""


def test_a_version_and_the_clock_are_no_counts() -> None:
    assert reason("Depot alarm: -20 rose to -9, seen at 04:00", "U depot alarm at 4 am, -20 rose to -9") == ""


def test_a_word_with_an_opposite_is_no_sign_of_a_mix_up() -> None:
    said = "U the shed must not stay locked at night, tools are lent to neighbours for nothing"
    assert (
        reason("The shed has to be open at night; neighbours borrow tools free of charge.", said) != "mixed"
    )


def test_what_was_kept_instead_of_a_change_proposed_is_no_change_told_wrongly() -> None:
    said = ("A I'd raise the timeout from 1s to 5s.", "U leave the timeout at 1")

    assert reason("User wants the timeout kept at 1 s instead of the 5 s proposed", *said) == ""


def test_a_change_between_weekdays_is_not_told_the_other_way_round() -> None:
    assert unread("Choir moved from Friday to Monday", "U choir moved from monday to friday") != ""
