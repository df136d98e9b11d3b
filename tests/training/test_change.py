"""How the judge of change is trained: what is compared with what, and that it comes out the same again."""

from __future__ import annotations

from pathlib import Path

import pytest
from training.labels import read_all

from training import change

_TEXT = """@ c01 en 2026-01-05 money
U
4fsm | The rent of the flat in Deal is 850 euros.
3nom | I have to pay the plumber in Deal.
1--m | Anyway.

@ c02 en 2026-02-05 money +c01
U
4fsm =c01.1 | The rent of the flat in Deal is 910 euros now.
3olm +c01.2 | Paid the plumber in Deal.
2flm | The flat in Deal has a green door.
"""


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[change.Row]:
    monkeypatch.setattr(change, "_STRANGERS", 0)
    (tmp_path / "en-x1.txt").write_text(_TEXT, encoding="utf-8")
    found, lost = change.rows_of(read_all(tmp_path))
    assert lost == 0
    return found


def test_each_statement_is_compared_with_what_was_said_before_it(rows: list[change.Row]) -> None:
    changed = {(row.new.text, row.old.text, row.outcome) for row in rows if row.outcome}

    assert changed == {
        ("The rent of the flat in Deal is 910 euros now.", "The rent of the flat in Deal is 850 euros.", 1),
        ("Paid the plumber in Deal.", "I have to pay the plumber in Deal.", 2),
    }
    # What has been replaced is no longer known, and small talk never is.
    later = {row.old.text for row in rows if row.of.endswith("c02.3")}
    assert "The rent of the flat in Deal is 850 euros." not in later
    assert all(row.old.text != "Anyway." for row in rows)


def test_training_twice_gives_the_same_weights(rows: list[change.Row]) -> None:
    monday, tuesday = (change.trained(rows * 3, [], None) for _ in range(2))

    assert monday == tuesday
    assert change.text_of(monday, "# told") == change.text_of(tuesday, "# told")


def test_pairs_say_what_becomes_of_the_earlier_one() -> None:
    found = [row for path in change.PAIRS for row in change.rows_of_pairs(path)]

    assert {row.outcome for row in found} == {0, 1, 2}
    assert {row.language for row in found} == {"en", "de", "es", "fr", "pt", "it", "zh", "ja"}
