"""What of a question is searched for."""

import pytest

from scrimshaw.core.search.query import levelled, question_words


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("When did I tell you about the pressing at Wenbury?", ("pressing", "wenbury")),
        ("What's Ana's address?", ("ana", "address")),
        ("Which bike did she buy?", ("bike", "buy")),
        ("who is who", ("who", "is")),
        ("", ()),
        ("?!", ()),
    ],
)
def test_the_words_that_only_ask_are_dropped_unless_there_are_no_others(question, words):
    assert question_words(question) == words


@pytest.mark.parametrize(
    ("said", "asked"), [("Bought a bike", "When did she buy it?"), ("He went to Rome", "Where did he go?")]
)
def test_an_irregular_form_is_found_by_its_first_form(said, asked):
    assert set(question_words(asked)) <= set(levelled(said).lower().split())


def test_a_script_without_spaces_is_cut_into_pairs_on_both_sides():
    assert set(question_words("東京都")) <= set(levelled("私は東京都に住む").split())


def test_a_name_that_holds_an_irregular_form_stays_as_it_is():
    assert levelled("Wentworth sold_out keptX") == "Wentworth sold_out keptX"
