"""Each hostile reply comes to what the corpus says, and nothing in it gets past the gate."""

import pytest
from tests.dialogue.hostile_replies import ALL, CASES, GOOD, Case, outcome_of


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_hostile_reply_comes_to_what_the_corpus_says(case: Case) -> None:
    outcome = outcome_of(case.reply, is_cut=case.is_cut)

    assert outcome == case.outcome


def test_the_corpus_holds_sixty_replies_and_no_name_twice() -> None:
    names = [case.name for case in CASES]

    assert len(set(names)) == len(names) >= 60


def test_a_wrong_expectation_is_noticed() -> None:
    # The negative control: were the check blind, a good answer would pass for a bad one.
    assert outcome_of(GOOD).accepted == ALL
    assert outcome_of(GOOD.replace("PR-77", "PR-78")).accepted != ALL
    assert not outcome_of(GOOD.replace('"done": 4', '"done": 5')).is_closed
