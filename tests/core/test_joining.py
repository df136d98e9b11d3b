"""What one message says of one matter is one line, unless its parts are ended or replaced apart."""

from __future__ import annotations

import pytest
from tests.core.exchanges_by_hand import (
    SESSION,
    entries_of,
    known_of,
    line_of,
    proposals_of,
    texts_of,
)

from scrimshaw.core.extraction import observe
from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.types import FOLLOWED, Kind, Place, Window

SENT = "I've sent the signed lease to Mr Price, recorded delivery."


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Joists are in.", "Took me a day and a half and a pub visit."),
        ("Whitaker's can do it, 620 quid for a 49-seater.", "Needs a deposit of 100 by Friday"),
        ("Torta ordinata, 65 euro.", "Ritiro sabato"),
        ("War da in Rastede, alles vermessen.", "Decke ist schief, 3 cm auf 4 Meter."),
    ],
)
def test_what_hangs_on_the_sentence_before_stands_behind_it(first: str, second: str) -> None:
    (told,) = texts_of(("user", f"{first} {second}"))
    assert told.startswith(f"{first} {second.rstrip('.')}")


@pytest.mark.parametrize(
    "said",
    [
        "I'm vegetarian. I live in Porto.",
        "My rent is 850 euros. My sister has asthma.",
        "Please keep answers short. She's allergic to nuts, this one is important.",
    ],
)
def test_what_is_replaced_alone_stands_alone(said: str) -> None:
    assert len(texts_of(("user", said))) == 2


@pytest.mark.parametrize(
    "said",
    [
        "I need to ring the plumber. I need to buy paint on Saturday.",
        "Pick up the keys on Monday. Give them back on 12 December.",
    ],
)
def test_two_things_to_do_are_two_lines(said: str) -> None:
    assert len(texts_of(("user", said))) == 2


def test_a_message_that_goes_on_with_the_one_before_shares_its_line() -> None:
    said = [
        ("user", "We looked at the flat in Sotomayor, sixth floor, 92 metres."),
        ("assistant", "How are the doors?"),
        ("user", "82 the bedrooms, 70 the bathroom."),
    ]
    (told,) = proposals_of(*said)
    assert told.text == f"{said[0][1]} {said[2][1]}"
    assert told.sources == ("e0", "e2")


def test_a_message_that_tells_something_of_its_own_is_a_line_of_its_own() -> None:
    said = [("user", "I sold the trailer for 2800."), ("user", "Gareth at the Plough paid the 286 pounds.")]
    assert len(texts_of(*said)) == 2


@pytest.mark.parametrize(("hours", "sources"), [(0.5, 2), (5, 1)])
def test_what_is_said_hours_later_is_not_told_as_of_the_same_matter(hours: float, sources: int) -> None:
    said = entries_of(
        ("user", "We looked at the flat in Sotomayor, sixth floor, 92 metres."),
        ("assistant", "How are the doors?"),
        ("user", "82 the bedrooms, 70 the bathroom."),
    )
    later = said[2]._replace(said_at_ms=said[0].said_at_ms + int(hours * 3_600_000))
    made = observe(Window(SESSION, (*said[:2], later), 0, "UTC"), KnownLines()).proposals
    assert max(len(one.sources) for one in made) == sources


def test_a_wish_that_hangs_on_a_line_of_its_own_is_told_with_it() -> None:
    first, wish = "We hired Tapia as the butcher.", "Always go with him, even if it costs two pesos more."
    assert texts_of(("user", f"{first} {wish}")) == [first, f"{first} {wish}"]


def test_a_wish_about_the_answers_is_told_alone() -> None:
    said = "I sold the trailer for 2800. Please keep it short."
    assert "Please keep it short." in texts_of(("user", said))


def test_words_too_few_for_a_line_stand_before_what_hangs_on_them() -> None:
    (told,) = texts_of(("user", "Decided, november. Moves to 26 october."))
    assert told == "Decided, november. Moves to 26 october."


def test_a_line_that_lasts_half_a_year_by_no_sign_is_of_its_day() -> None:
    (made,) = proposals_of(("user", "Camille's feedback: she loves it. Spreads 7 and 15 need redoing."))
    assert made.place is Place.LOG


def test_what_ends_one_matter_of_a_line_is_told_behind_it_and_the_other_stays() -> None:
    before = line_of(
        "Send the signed lease to Mr Price by post. Buy paint for the hall in April.",
        id_="both",
        kind=Kind.NEXT_STEP,
        place=Place.OPEN,
    )
    (made,) = proposals_of(
        ("user", "I've sent the signed lease to Mr Price, recorded delivery."), known=known_of(before)
    )
    assert made.text.startswith(before.text + FOLLOWED)
    assert made.place is Place.OPEN
    assert made.replaces == ("both",)
    assert made.completes == ()


def test_what_ends_the_only_matter_of_a_line_ends_it() -> None:
    before = line_of("Send the signed lease to Mr Price.", id_="one", kind=Kind.NEXT_STEP, place=Place.OPEN)
    (made,) = proposals_of(
        ("user", "I've sent the signed lease to Mr Price, recorded delivery."), known=known_of(before)
    )
    assert made.completes == ("one",)
