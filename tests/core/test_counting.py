"""One of something is not told like several."""

from __future__ import annotations

import pytest

from scrimshaw.core.text.plural import counted


@pytest.mark.parametrize(
    ("number", "told"), [(0, "0 entries"), (1, "1 entry"), (2, "2 entries"), (1204, "1,204 entries")]
)
def test_one_is_told_apart_from_none_and_many(number: int, told: str) -> None:
    assert counted(number, "entry", "entries") == told


def test_without_a_word_for_many_it_takes_an_s() -> None:
    assert [counted(number, "line") for number in (1, 2)] == ["1 line", "2 lines"]
