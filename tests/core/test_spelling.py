"""Spelling: what counts as the same text, and what marks a text apart."""

from scrimshaw.core.text.normalize import marks, normal


def test_quotes_dashes_and_spaces_of_any_sort_are_one():
    assert normal("The “rate”\u00a0–  it’s `95`\n*a* DAY") == """the "rate" - it's 95 a day"""
    assert normal("The `rate`  *is* 95") == "the rate is 95"


def test_figures_names_and_denials_mark_a_text():
    text = "Ask Dana, not Priya, for v3.4.12"

    assert marks(text, normal(text)) == ("v3.4.12", "Dana", "Priya", "1")


def test_the_letter_a_sentence_begins_with_marks_nothing():
    assert marks("Ask her", "ask her") == marks("ask her", "ask her")
