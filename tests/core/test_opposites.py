"""What is found of the words that have an opposite (verification/opposites); the data is sound."""

from __future__ import annotations

import pytest

from scrimshaw.core.verification.antonym_pairs import IRREGULAR, NEUTRAL, PAIRS
from scrimshaw.core.verification.antonyms import MATTERS
from scrimshaw.core.verification.denials import turned_piece
from scrimshaw.core.verification.opposites import PHRASE, SIDES, TWO_ENDED


def found(text: str) -> list[str]:
    return [one.group() for one in PHRASE.finditer(text)]


def are_opposed(one: str, other: str) -> bool:
    sides = {(matter, -side) for matter, side in SIDES.get(one)}
    return not sides.isdisjoint(SIDES.get(other))


@pytest.mark.parametrize(
    "text",
    ["they turned the offer down", "turning it down", "was turned down", "she turns down such jobs"],
)
def test_a_phrase_is_found_in_any_form_and_around_its_object(text: str) -> None:
    assert found(text) == ["turn down"]


def test_a_particle_far_from_the_verb_is_not_joined_to_it() -> None:
    assert "turn down" not in found("turned left and went down the road")


def test_a_hyphen_is_a_blank_and_the_place_is_that_of_the_text() -> None:
    text = "work on-site, please"
    (one,) = PHRASE.finditer(text)
    assert (one.group(), text[one.at : one.to]) == ("on site", "on-site")


def test_an_open_place_of_a_phrase_takes_a_few_words() -> None:
    assert found("the doctor warned him and her against it") == ["warn _ against"]


def test_of_two_phrases_the_longer_is_found() -> None:
    assert found("they gave it the thumbs up") == ["give _ the thumbs up"]
    assert found("in order to pay") == ["in order to"]


def test_a_phrase_that_is_no_sum_of_its_words_has_no_opposite() -> None:
    assert SIDES.get("in+order+to") == ()


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("it was forbidden", "forbid"),
        ("we ran it", "run"),
        ("stopped early", "stop"),
        ("he hated it", "hate"),
    ],
)
def test_a_form_that_its_stem_does_not_tell_is_its_verb(text: str, verb: str) -> None:
    assert found(text) == [verb]


def test_an_on_or_off_is_told_from_a_preposition() -> None:
    assert found("the alarm is off") == ["off"]
    assert found("wifi on until noon") == ["on"]
    assert found("off the coast") == found("on the coast") == []
    assert "off" not in found("two weeks off")


def test_what_is_found_can_be_taken_out() -> None:
    assert PHRASE.sub(" ", "they called the trip off today").split() == ["they", "today"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("accept", "refus"),
        ("deni", "admitt"),
        ("unlock", "lock"),
        ("dishonest", "honest"),
        ("cheaper", "expensiv"),
        ("slowly", "fast"),
        ("non+refundable", "refundabl"),
        ("undercook", "overcook"),
        ("come+with", "lack"),
        ("out+of+the+question", "allow"),
    ],
)
def test_words_of_two_sides_are_opposed_in_any_form(one: str, other: str) -> None:
    assert are_opposed(one, other)
    assert are_opposed(other, one)


def test_two_words_with_other_senses_are_not_opposed() -> None:
    assert not are_opposed("declin", "gain")
    assert are_opposed("declin", "increas")


@pytest.mark.parametrize("word", ["don", "hat", "sam", "fri", "wed", "ill", "sun", "even", "news"])
def test_names_and_words_typed_without_an_apostrophe_say_nothing(word: str) -> None:
    assert SIDES.get(word) == ()


def test_no_word_stands_on_both_sides_of_a_matter() -> None:
    for word, sides in SIDES.known.items():
        assert not any((matter, -side) in sides for matter, side in sides), word


def test_the_data_is_in_its_form() -> None:
    for line in MATTERS.strip().replace("\n ", " ").splitlines():
        assert line.partition(": ")[2].count(" / ") == 1, line
    assert all(pair.count(" / ") == 1 for pair in " ".join(PAIRS.split()).split(";"))
    assert all(len(row.split()) > 1 for row in IRREGULAR.split(","))
    assert not any(mark in NEUTRAL for mark in "?*=/")


def test_what_has_two_ends_is_known_by_its_number() -> None:
    assert any(str(matter) in TWO_ENDED for matter, _ in SIDES.get("borrow"))
    assert not any(str(matter) in TWO_ENDED for matter, _ in SIDES.get("forbid"))


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("Bathing in the lake is forbidden", "bathing in the lake is ok"),
        ("Council vetoed the kiosk plan", "the council gave the kiosk plan the green light"),
        ("The loft lacks a balcony", "the loft comes with a balcony"),
        ("Heating in the annex is switched off", "the heating in the annex is running"),
        ("The hike has been called off", "the hike is going ahead"),
        ("The lamp in the shed is broken", "the lamp in the shed works again"),
    ],
)
def test_the_opposite_in_other_words_is_seen(note: str, said: str) -> None:
    assert turned_piece(note, [said])


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("Bathing in the lake is permitted", "bathing in the lake is ok"),
        ("Council approved the kiosk plan", "the council gave the kiosk plan the green light"),
        ("The hike takes place", "the hike is going ahead"),
        ("The offer was declined", "we turned the offer down"),
        ("Even the annex is heated", "the annex gets heated in the morning"),
    ],
)
def test_the_same_in_other_words_passes(note: str, said: str) -> None:
    assert not turned_piece(note, [said])
