"""What a piece of a note denies, states or turns into its opposite against the piece it was taken from."""

from __future__ import annotations

import pytest

from scrimshaw.core.verification.denials import turned_piece

FAITHFUL = (
    ("No parcels on Fridays", "please, no parcels on Fridays"),
    ("Parcels are not taken on Fridays", "we don't take parcels on Fridays"),
    ("The lift is not working", "the lift is out of order, broken since Monday"),
    ("Gas is not wanted; induction instead", "we don't want gas, induction please"),
    ("Ferry not before Tuesday", "ferry only after Monday"),
    ("The shed was painted green (not blue)", "the shed is green instead of blue now"),
    ("Old chairs are sold, except the red one", "the old chairs aren't kept except the red one"),
    ("Oskar cannot come on Friday", "Oskar is unable to come on Friday"),
    ("Courier comes after lunch", "the courier comes after lunch, not before"),
    ("Runa pays for the key, Oskar does not", "Runa pays for the key and Oskar has none"),
    ("User asked whether the lift works", "does the lift not work?"),
    ("Not only Oskar has a key", "Oskar has a key and Runa has one"),
)
TURNED = (
    ("The lift is not working; repair on Monday", "the lift is working, the painter comes on Monday"),
    ("Lunch at noon; Oskar was not told", "lunch is at noon. I've told Oskar that too"),
    ("Offer with delivery, 14 days", "the offer is without delivery, 14 days"),
    ("Offer without delivery, 14 days", "the offer is with delivery, 14 days"),
    ("Bikes may be parked in the yard; no cars", "bikes must not be parked in the yard, and no cars there"),
    ("Parcels go by courier and by rail", "parcels go by courier, never by rail"),
    ("Shed and fence still painted by Oskar", "Oskar no longer paints the shed or the fence"),
    ("The hedge is already cut", "the hedge isn't cut yet"),
    ("Never in the blue bin, 3 bags", "glass goes only in the blue bin, 3 bags at most"),
    ("Oskar does not want keys never copied", "Oskar never wants keys copied"),
    ("Backup job at 2:00 failed; 41 files", "the backup job at 2:00 succeeded, 41 files"),
    ("41 % of orders failed last night", "so 41 % of the orders succeeded last night"),
)


@pytest.mark.parametrize(("note", "said"), FAITHFUL)
def test_what_says_the_same_in_other_words_is_let_pass(note: str, said: str) -> None:
    found = turned_piece(note, [said])

    assert found == ""


@pytest.mark.parametrize(("note", "said"), TURNED)
def test_what_is_turned_round_within_a_piece_is_seen(note: str, said: str) -> None:
    found = turned_piece(note, [said])

    assert found != ""


def test_a_denial_elsewhere_in_the_source_does_not_excuse_one_in_the_note() -> None:
    said = "The pump is not new. The valve is tight, the filter was cleaned on Monday."

    found = turned_piece("Pump not new; the valve is not tight", [said])

    assert "valve" in found


def test_words_said_plainly_in_another_entry_are_not_held_to_be_denied() -> None:
    entries = ["never by rail, please", "parcels go by rail again from June"]

    found = turned_piece("Parcels go by rail from June", entries)

    assert found == ""


def test_nothing_is_seen_in_a_source_without_words() -> None:
    found = turned_piece("Pump not new", ["", "?!"])

    assert found == ""


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("User does not plan a trip to Bergen", "Thinking about Bergen in June. The cellar is not dry yet."),
        ("Soup with cream for Runa", "Her soup: six leeks, 300 ml stock. No cream because of Runa."),
        ("Tells Oskar to give up the choir", "don't give up the choir, Oskar!"),
    ],
)
def test_a_denial_made_up_or_lost_far_from_any_other_is_seen(note: str, said: str) -> None:
    found = turned_piece(note, [said])

    assert found != ""


def test_a_no_to_what_was_asked_licenses_a_denial() -> None:
    found = turned_piece(
        "Boiler 3 is not covered", ["is boiler 3 covered?", "No, since May only 4 and 5 are."]
    )

    assert found == ""


@pytest.mark.parametrize(
    "note",
    [
        "Pump 4 no longer feeds the upper tank in winter",
        "Pump 4 stopped feeding the upper tank in winter",
        "User decided against pump 4 feeding the upper tank in winter",
        "Pump 4 feeds no upper tank in winter",
        "Pump 4 feeds the upper tank outside winter",
    ],
)
def test_one_word_that_turns_a_sentence_is_seen_whichever_it_is(note: str) -> None:
    found = turned_piece(note, ["pump 4 feeds the upper tank in winter"])

    assert found != ""


def test_against_compares_too() -> None:
    said = "The error rate is 0.3 percent, in the old checkout 0.4."

    assert turned_piece("The error rate is 0.3 percent against 0.4 in the old checkout", [said]) == ""


def test_without_may_be_written_short() -> None:
    found = turned_piece("The figs survived without cover", ["the figs survived w/o cover"])

    assert found == ""


def test_a_no_behind_what_it_is_of_denies_it() -> None:
    said = "refund yes, voucher no"

    assert turned_piece("User takes the voucher", [said]) != ""
    assert turned_piece("User takes the refund", [said]) == ""
