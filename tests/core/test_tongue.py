"""Which texts count as English, and what a question in another language asks for."""

from __future__ import annotations

import pytest

from scrimshaw.core.search.query import question_words
from scrimshaw.core.search.tongue import is_english


@pytest.mark.parametrize(
    "text",
    [
        "My son is allergic to penicillin.",
        "I'm in the bath",
        "When was Elise visiting Las Vegas?",
        "Dentist Friday 15:30",
        "penicillin",
        "The café on the corner is closed",
        "My teacher's name is 王老师 and she is strict about homework",
        "",
        "2026-11-20",
    ],
)
def test_english_and_what_tells_nothing_count_as_english(text: str) -> None:
    assert is_english(text)


@pytest.mark.parametrize(
    "text",
    [
        "Mein Sohn verträgt kein Penicillin.",
        "Wer gießt die Blumen?",
        "¿Quién me debe dinero?",
        "Combien est-ce que je paie de loyer ?",
        "Quem vai sair do apartamento?",
        "Perché mio figlio non parla più con me?",
        "Mijn zoon is allergisch voor penicilline.",
        "Gdzie mieszka mój brat?",
        "Kardeşim nerede oturuyor?",
        "我对青霉素过敏",
        "年金はいくらもらっていますか。",
        "У моего сына аллергия на пенициллин.",
        "내 아들은 땅콩을 못 먹어요.",
        "用 Python 写的",
    ],
)
def test_other_languages_are_told_by_their_script_or_small_words(text: str) -> None:
    assert not is_english(text)


def test_of_a_question_in_another_language_its_small_words_are_dropped() -> None:
    assert question_words("Wer gießt die Blumen, wenn wir weg sind?") == ("gießt", "blumen", "weg")
    assert question_words("Will I die of it?") == ("die",)
