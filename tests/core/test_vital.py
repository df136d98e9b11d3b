"""What does harm when it is forgotten goes for no later word but a new dose of the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.core.exchanges_by_hand import known_of, line_of, proposals_of

from scrimshaw.core.types import Proposal

_CASES = Path(__file__).with_name("cases") / "vital.txt"
_MOST_TOLD, _LEAST_ENDED = 0.08, 0.55  # of what holds, told behind it all the same; of what is over, told


def _pairs(part: str) -> list[tuple[str, str]]:
    _, _, text = _CASES.read_text(encoding="utf-8").partition(f"[{part}]\n")
    pairs = (line.split(" || ") for line in text.partition("\n\n")[0].splitlines())
    return [(before, now) for before, now in pairs]


def _said_after(pairs: list[tuple[str, str]]) -> Iterator[tuple[str, str, list[Proposal]]]:
    """Yield each pair with what is noted of its later word that closes the line."""
    for before, now in pairs:
        made = proposals_of(("user", now), known=known_of(replace(line_of(before), priority=5)))
        yield before, now, [one for one in made if one.replaces or one.withdraws or one.completes]


@pytest.fixture(scope="module")
def holds() -> list[tuple[str, str, list[Proposal]]]:
    """What still holds after what was said."""
    return list(_said_after(_pairs("holds")))


def test_no_later_word_takes_the_line_away(holds: list[tuple[str, str, list[Proposal]]]) -> None:
    gone = [
        (before, now) for before, now, made in holds if any(not one.text.startswith(before) for one in made)
    ]

    assert len(holds) > 400
    assert gone == []


def test_few_words_that_change_nothing_are_told_behind_it(
    holds: list[tuple[str, str, list[Proposal]]],
) -> None:
    told = [(before, now) for before, now, made in holds if made]

    assert len(told) <= _MOST_TOLD * len(holds), told


def test_most_of_what_ends_or_changes_it_is_told() -> None:
    ends = list(_said_after(_pairs("ends")))
    missed = [(before, now) for before, now, made in ends if not made]

    assert len(ends) > 120
    assert len(missed) <= (1 - _LEAST_ENDED) * len(ends), missed
