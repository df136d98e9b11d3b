"""What the server finds by words: where a word is in more lines than are looked at, and in many languages."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.fleet.machines import Fleet, Machine
from tests.portability.ledgers import line

from scrimshaw.fleet import search

Made = Callable[..., Machine]
_MANY = 320  # more than are looked at of one word


def test_the_line_that_holds_both_of_two_frequent_words_is_found(machine: Made, fleet: Fleet) -> None:
    a = machine()
    apples = [line(number, f"crate {number} holds apples") for number in range(_MANY)]
    pears = [line(_MANY + number, f"crate {number} holds pears") for number in range(_MANY)]
    both = line(2 * _MANY, "the last one holds pears on apples")
    a.note(*apples, *pears, both)
    a.sync()

    with fleet.asked(a.login) as there:
        found = search.search(there, "apples pears")

    assert found[0].text == both.text


def test_a_rare_word_counts_for_more_than_a_frequent_one(machine: Made, fleet: Fleet) -> None:
    a = machine()
    rare = line(_MANY, "the quince stands in the yard")
    a.note(*(line(number, f"crate {number} holds apples") for number in range(_MANY)), rare)
    a.sync()

    with fleet.asked(a.login) as there:
        found = search.search(there, "apples or quince")

    assert found[0].text == rare.text


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("Ana bought a red canoe in Split", "when did she buy the canoe?"),
        ("Die Handwerker kommen am Dienstag wegen der Fenster", "Wann kommt der Handwerker?"),
        ("Los vecinos prestaron las escaleras a Marta", "¿Quién prestó la escalera?"),
        ("Les clefs de la cave sont chez le voisin", "Où est la clef de la cave ?"),
        ("我们星期五搬到新的办公室", "办公室在哪里？"),
        ("来週の会議は大阪で開きます", "大阪の会議"),
        ("Ключи от сарая лежат под крыльцом", "Где ключи от сарая?"),
    ],
)
def test_a_line_is_found_in_its_own_language_by_words_alone(
    machine: Made, fleet: Fleet, said: str, asked: str
) -> None:
    a = machine()
    a.note(line(1, said), *(line(number) for number in range(2, 12)))
    a.sync()

    with fleet.asked(a.login) as there:
        found = search.search(there, asked)

    assert said in [one.text for one in found]
