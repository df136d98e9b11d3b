"""Where sentences end, in eight languages: each row of the table is cut where it says, and nowhere else."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.cases import read_cases

from scrimshaw.core.text.sentences import sentence_spans, split_sentences

CASES = read_cases(Path(__file__).with_name("cases") / "sentences.txt")
ROWS = [(name, row) for name, rows in CASES.items() for row in rows]


@pytest.mark.parametrize(("language", "sentences"), ROWS)
def test_a_text_is_cut_where_its_sentences_end(language: str, sentences: tuple[str, ...]) -> None:
    text = ("" if language in ("zh", "ja") else " ").join(sentences)

    assert list(sentences) == split_sentences(text)


def test_the_end_of_a_line_ends_a_sentence_and_the_number_of_an_item_does_not() -> None:
    text = "Einkauf:\n1. Milch\n2. Eier, z. B. braune\n\n- Brot. Und Käse"

    assert split_sentences(text) == ["Einkauf:", "1. Milch", "2. Eier, z. B. braune", "- Brot.", "Und Käse"]


@pytest.mark.parametrize(
    "text",
    [
        "op am 23. april in der vitos klinik",
        "ich bin schwanger, 12. woche, aber pst",
        "wollt eigentlich am 17. mit Sophie aufs Konzert",
        "sie macht den 24. und ich den 28. märz",
        "hotel ist gebucht, 14. mai ab mittag",
        "die op ist jetzt am 7. mai um 8",
        "zum 1. juni zieht sie aus",
    ],
)
def test_a_day_in_lower_case_ends_no_sentence(text: str) -> None:
    assert split_sentences(text) == [text]


def test_a_number_before_a_word_that_is_no_month_ends_one() -> None:
    assert split_sentences("we need 23. april is late") == ["we need 23.", "april is late"]


@given(st.text(alphabet="aZ1.!?…。 \n\"'«»“”「」¿z", max_size=60))
def test_nothing_is_lost_between_two_sentences(text: str) -> None:
    spans = list(sentence_spans(text))

    assert "".join(text[start:end] for start, end in spans) == text
    assert all(first[1] == second[0] for first, second in pairwise(spans))
