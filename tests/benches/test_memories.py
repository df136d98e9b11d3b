"""Generated ledgers and how growth is fitted."""

import pytest
from bench import memories
from bench.growth import exponent

from scrimshaw.store.ledger import open_ledger


def test_a_generated_ledger_is_the_same_again_and_its_questions_are_about_its_lines(tmp_path):
    lines = list(memories.texts(50, seed=3))
    with open_ledger(tmp_path / "ledger.sqlite", create=True) as ledger:
        memories.fill(ledger, iter(lines), len(lines))
        stored = [one.text for one in ledger.numbered.texts_after(0)]
    asked = memories.questions(20, 3, lines)

    assert stored == lines == list(memories.texts(50, seed=3))
    words = {word for line in lines for word in line.lower().split()}
    assert all(words & set(question.lower().rstrip("?").split()) for question in asked)


@pytest.mark.parametrize("power", [0.0, 1.0, 2.0])
def test_the_exponent_of_growth_is_found(power):
    points = [(size, 3 * size**power) for size in (10, 100, 1000)]

    assert exponent(points) == pytest.approx(power)
