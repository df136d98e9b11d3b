"""The wrong notes that are made by machine say something else than what was said."""

from __future__ import annotations

import pytest
from bench.verify_changes import turned_plainly


@pytest.mark.parametrize(
    ("said", "turned"),
    [
        ("dont weigh the hens before noon please", "do weigh the hens before noon please"),
        ("the upper gate is not locked at night", "the upper gate is locked at night"),
        ("the upper gate never jams in the cold", "the upper gate always jams in the cold"),
        ("the upper gate is locked at night", "the upper gate is not locked at night"),
        ("crate 4 ships without straw and lid", "crate 4 ships with straw and lid"),
    ],
)
def test_a_sentence_loses_its_denial_or_gains_one(said: str, turned: str) -> None:
    assert list(turned_plainly(said)) == [turned]


@pytest.mark.parametrize(
    "said",
    ["is the upper gate locked at night?", "not locked", "the gate isn't locked and the mill isn't either"],
)
def test_questions_scraps_and_several_denials_are_left_alone(said: str) -> None:
    assert not list(turned_plainly(said))
