"""The pairs of `bench changes`, and how what is kept of one is counted."""

from __future__ import annotations

import pytest
from bench import changes
from bench.changes import Pair, kept_of, pairs_in

_TALK = [f"The bus number {n} is green." for n in range(9)]
_RENT = Pair("a", "replaced", "rent", "en", "My rent is 850 euros.", "My rent is 910 euros now.")
_BROTHER = Pair("a", "stands", "rent", "en", "My rent is 850 euros.", "My brother's rent is 910 euros now.")


def test_there_are_pairs_of_every_sort_and_a_third_is_sealed() -> None:
    pairs = pairs_in()

    sealed = [pair for pair in pairs if pair.hand.endswith(changes.SEALED)]
    assert len(pairs) >= 200
    assert {pair.outcome for pair in pairs} == {"replaced", "done", "stands"}
    assert len(sealed) * 3 >= len(pairs)
    assert sum(not pair.changes for pair in pairs) * 3 >= len(pairs)
    assert {pair.language for pair in pairs} == {"en", "de", "es", "fr", "it", "pt", "zh", "ja"}


def test_a_change_is_followed_and_what_only_looks_so_is_left_alone() -> None:
    rent, brother = (kept_of(pair, changes.observed, _TALK, 1) for pair in (_RENT, _BROTHER))

    assert (rent.earlier, rent.later[0] > 0) == ((0, 1), True)
    assert brother.earlier == (1, 1)
    assert rent.between[0] == rent.between[1]


def test_the_simple_rule_closes_what_shares_two_words() -> None:
    kept = [kept_of(pair, changes.simple_rule, _TALK, 1).earlier for pair in (_RENT, _BROTHER)]

    assert kept == [(0, 1), (0, 1)]


def test_without_the_public_set_it_says_so(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    assert changes.main(["--only", "beam", "--data", str(tmp_path)]) == 0

    assert "skipped: BEAM 100K: no chat.json below" in capsys.readouterr().out
