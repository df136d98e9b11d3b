"""The labelled set as a model reads it the second time."""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest
from bench import verify_reading
from bench.verify import GOALS
from bench.verify_reading import Batch, batches, prompt_of, recorded, reread, vouching
from bench.verify_set import PARTS

from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.core.types import Rejected, Window
from scrimshaw.core.verification.verify import prepare


def _found(file: str) -> list[Batch]:
    return list(batches(file, random.Random(11)))


def _refused(found: list[Batch], answers: verify_reading.Answers) -> Counter[str]:
    told = reread(found, answers)
    count: Counter[str] = Counter()
    for case in told.cases:
        evidence = prepare(Window(verify_reading.SESSION, case.window, 0, "UTC"))
        count[case.label] += isinstance(told.judge(case, evidence), Rejected)
    return count


def _refusing(batch: Batch, _prompt: Prompt) -> str:
    lines = [json.dumps({"not": number}) for number in range(1, len(batch.cases) + 1)]
    return "\n".join([*lines, '{"holds": []}'])


@pytest.mark.parametrize("file", ["last", "unseen"])
def test_the_recorded_replies_answer_the_requests_as_they_are(file: str) -> None:
    answers = recorded()

    assert [batch.key for batch in _found(file) if answers(batch, prompt_of(batch)) is None] == []


def test_a_request_that_has_changed_finds_no_recorded_reply() -> None:
    (batch, *_) = _found("last")
    prompt = prompt_of(batch)

    assert recorded()(batch, prompt._replace(system=prompt.system + " ")) is None


def test_each_case_is_asked_about_once_and_never_beside_what_was_made_of_the_same_note() -> None:
    found = _found("last")
    asked = [case for batch in found for case in batch.cases]

    assert len({id(case) for case in asked}) == len(asked)
    for batch in found:
        good = [case.proposal.text for case in batch.cases if case.label == "good"]
        assert len(set(good)) == len(good)
        assert len({case.proposal for case in batch.cases}) == len(batch.cases)


def test_what_is_answered_decides() -> None:
    found = _found("last")[:40]
    gate = _refused(found, lambda _batch, _prompt: None)

    everything, nothing = _refused(found, _refusing), _refused(found, vouching)

    total = Counter(case.label for batch in found for case in batch.cases)
    assert everything == total
    assert nothing["polarity"] < everything["polarity"]
    assert gate["good"] > 0.5 * total["good"]  # in other words, they wait


@pytest.mark.slow
def test_with_the_recorded_reading_the_goals_of_what_was_kept_aside_are_met() -> None:
    found = [batch for file in PARTS["kept_aside"] for batch in _found(file)]
    total = Counter(case.label for batch in found for case in batch.cases)

    refused = _refused(found, recorded())

    assert refused["good"] <= 0.03 * total["good"]
    for label in ("polarity", "retold", "speaker", "merged", "swapped"):
        assert refused[label] >= GOALS[label] * total[label], label
    for label in ("polarity", "speaker", "merged", "swapped"):
        assert _refused(found, lambda _batch, _prompt: None)[label] >= 0.99 * total[label], label
