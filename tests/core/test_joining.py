"""What one message says of one matter is one line, unless its parts are ended or replaced apart."""

from __future__ import annotations

import pytest
from tests.core.exchanges_by_hand import known_of, line_of, proposals_of, texts_of

from scrimshaw.core.types import FOLLOWED, Kind, Place

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


def test_what_tells_too_little_alone_has_the_sentence_before_it_though_that_is_a_line_too() -> None:
    vital = "A Filipa é celíaca portanto nada de glúten na mesa dela."

    assert texts_of(("user", f"{vital} Tem de ficar escrito.")) == [vital, f"{vital} Tem de ficar escrito."]


def test_a_question_is_no_beginning_of_what_is_said_behind_it() -> None:
    said = "What do Ben and Lea want for the 28th? She has a horse called Max."

    assert any(text.startswith("She has a horse") for text in texts_of(("user", said)))
