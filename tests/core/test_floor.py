"""The floor: what stands out by itself, and what a question names."""

from __future__ import annotations

from scrimshaw.core.search.relevance import QuestionWords, TextMatch, asked, evidence, naming, standing_out

PLAIN = QuestionWords({})


def test_one_chance_word_of_many_is_nothing_and_two_together_are_something() -> None:
    one, two = TextMatch(0.3, 1), TextMatch(0.4, 2)

    assert standing_out(PLAIN, [one]) == [False]
    assert standing_out(PLAIN, [two, one]) == [True, True]


def test_of_a_short_question_one_word_is_enough() -> None:
    question = asked({"dentist": 1, "appoint": 0}, 200, (), ())

    assert standing_out(question, [evidence(question, {"dentist", "wednesday"})]) == [True]


def test_a_cosine_alone_must_be_high_and_words_lift_it() -> None:
    assert standing_out(PLAIN, [TextMatch(0.0, 0, cosine=0.62)]) == [False]
    assert standing_out(PLAIN, [TextMatch(0.4, 2, cosine=0.62)]) == [True]
    assert standing_out(PLAIN, [TextMatch(0.0, 0, cosine=0.7)]) == [True]
    assert standing_out(PLAIN, [TextMatch(0.0, 0, cosine=0.62)], by_words=False) == [True]


def test_half_of_a_short_question_in_one_word_is_enough_where_the_meaning_is_not_far() -> None:
    stranger = asked({"jolen": 0, "paint": 3}, 100, (), ["jolen"])
    half = TextMatch(0.5, 1, cosine=0.55)

    assert standing_out(PLAIN, [half]) == [True]
    assert standing_out(PLAIN, [half._replace(cosine=0.45)]) == [False]
    assert standing_out(PLAIN, [half._replace(share=0.3)]) == [False]
    assert standing_out(stranger, [half]) == [False]


def test_beside_what_stands_out_only_what_is_near_is_shown() -> None:
    assert standing_out(PLAIN, [TextMatch(1.0, 2, cosine=0.8), TextMatch(0.0, 0, cosine=0.4)]) == [
        True,
        False,
    ]
    assert standing_out(PLAIN, [TextMatch(1.0, 2), TextMatch(0.04, 1)]) == [True, False]


def test_a_question_about_somebody_whom_no_line_names_must_be_met_by_more() -> None:
    stranger = asked({"jolen": 0, "paint": 3, "boat": 9}, 100, (), ["jolen"])

    assert stranger.has_stranger is True
    assert standing_out(PLAIN, [TextMatch(0.3, 2)]) == [True]
    assert standing_out(stranger, [TextMatch(0.3, 2)]) == [False]
    assert standing_out(stranger, [TextMatch(0.3, 2, cosine=0.61)]) == [False]


def test_a_name_that_many_have_names_none_of_them() -> None:
    question = asked({"mara": 40, "lenz": 1, "roof": 0, "tile": 0, "colour": 0}, 100, (), ["mara", "lenz"])

    assert evidence(question, {"mara", "walk"}).is_named is False
    assert evidence(question, {"lenz", "key"}).is_named is True


def test_an_identifier_counts_when_a_text_has_all_of_it() -> None:
    question = asked({"unit": 50, "7x": 2}, 100, [["unit", "7x"]], ())

    assert evidence(question, {"unit", "8x"}).is_named is False
    assert evidence(question, {"unit", "7x", "rack"}).is_named is True


def test_what_a_question_names() -> None:
    found = naming(
        "Where does Ada keep unit-7x, /etc/hosts and parseDate()? Tell me, Bob. The well-being of 2026?"
    )

    assert found.identifiers == ("unit-7x", "/etc/hosts", "parseDate")
    assert found.names == ("Ada", "Bob")


def test_without_texts_or_words_there_is_nothing() -> None:
    assert standing_out(PLAIN, []) == []
    assert evidence(asked({}, 0, (), ()), ()) == TextMatch(0.0, 0)
