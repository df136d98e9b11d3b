"""A sentence told again word for word, with a word's opposite in its place."""

from __future__ import annotations

import pytest

from scrimshaw.core.verification.replaced import opposite_put


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("The upper sluice stays open over Easter", "upper sluice stays closed over easter"),
        ("Kiln 2 is the faster one on weekdays", "kiln 2 is the slower one on weekdays"),
        ("The loom's frame remains unpainted this year", "the loom's frame remains painted this year"),
        ("Never set the damper above 40 in winter", "never set the damper below 40 in winter"),
        ("Keep the alarm on during the night shift", "keep the alarm off during the night shift"),
        ("User disagrees with the plan for the pier", "i agree with the plan for the pier"),
        ("Ferritin 11 ug (high)", "LDL 4.2 mmol (high)\nFerritin 11 ug (low)"),
    ],
)
def test_an_opposite_is_seen_whatever_stands_elsewhere(note: str, said: str) -> None:
    assert opposite_put(note, [said]) is not None


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("Kiln 2 is the hotter one on weekdays", "kiln 2 is the slower one on weekdays"),
        ("Kiln 2 is not the slower one on weekdays", "kiln 2 is the faster one on weekdays"),
        ("wg0 received 1.2 MiB and sent 9.8 MiB", "wg0: 1.2 MiB received, 9.8 MiB sent"),
        ("Ferritin 11 ug (low)", "LDL 11 ug (high)\nFerritin 11 ug (low)"),
        ("The upper sluice stays open over Easter", "should the upper sluice stay closed over easter?"),
        ("Sluice open", "sluice closed"),
    ],
)
def test_other_words_other_denials_and_questions_are_let_pass(note: str, said: str) -> None:
    assert opposite_put(note, [said]) is None


def test_what_another_entry_says_as_the_note_does_is_no_turn() -> None:
    entries = ["upper sluice stays closed over easter", "so the upper sluice stays open over easter"]

    assert opposite_put("The upper sluice stays open over Easter", entries) is None
