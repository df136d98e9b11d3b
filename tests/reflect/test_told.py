"""`scrimshaw reflect` with a model, as an owner meets it: the real client, against a server on loopback."""

import json
from pathlib import Path

import pytest
from tests.core.plans_by_hand import notebook
from tests.model_server import Asked, ModelServer, Refused
from tests.places import Answer, Place
from tests.reflect.ledgers import DEPLOY, a_place, closed, numbers_in, texts_of

from scrimshaw.core.prompting.fence import Prompt


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return a_place(tmp_path)


def _numbers(asked: Asked) -> dict[str, int]:
    return numbers_in(Prompt("", asked.text, 0))


def _all_four(asked: Asked) -> str:
    numbers = _numbers(asked)
    of = {line.observation.id: numbers[line.observation.text] for line in notebook()}
    diffs = [of["diff1"], of["diff2"], of["diff3"]]
    return closed(
        {"act": "merge", "lines": [of["fail"], of["lock"]], "text": DEPLOY},
        {"act": "pattern", "lines": diffs, "text": "Wants the diff before each commit", "pattern": "habit"},
        {"act": "supersede", "line": of["five"], "by": of["eight"]},
        {"act": "drop", "line": of["hdmi"], "reason": "trivial"},
        {"act": "drop", "line": of["relay"], "reason": "trivial"},
    )


def _reflect(place: Place, server: ModelServer, *args: str) -> Answer:
    return place.run("reflect", *args, env=server.env(reflects=True))


def test_it_says_what_became_of_what_who_did_it_and_at_what_cost(place: Place):
    with ModelServer(_all_four) as server:
        answer = _reflect(place, server)

    out = answer.out
    assert answer.code == 0, answer.err
    assert "local/fake-1" in out
    assert "went over 20 lines: 1 question, " in out
    assert "tokens in" in out
    assert "1 of its proposals did not hold and was left (important 1)." in out
    assert "2 merged into 1 shorter" in out
    fail, lock, five, eight, hdmi = texts_of(["fail", "lock", "five", "eight", "hdmi"])
    assert f"  merged: {fail}\n  merged: {lock}\n    → {DEPLOY}\n" in out
    assert f"  superseded: {five}\n    → {eight}\n" in out
    assert f"  dropped (trivial): {hdmi}\n" in out
    assert "  pattern (habit): Wants the diff before each commit\n    from: " in out
    assert "section written" in out
    assert DEPLOY in place.section()
    assert "20 lines of " in out
    assert "; the section shows " in out
    assert "(before: 20 in " in out


def test_the_answer_for_a_program_holds_all_of_it(place: Place):
    with ModelServer(_all_four) as server:
        (one,) = _reflect(place, server, "--json").object["workspaces"]

    model = one["model"]
    assert (model["name"], model["calls"], model["lines_shown"], model["trouble"]) == (
        "local/fake-1",
        1,
        20,
        "",
    )
    assert [made["text"] for made in model["made"]] == [DEPLOY, "Wants the diff before each commit"]
    assert [refused["reason"] for refused in model["refused"]] == ["important"]
    assert (one["before"]["lines"], one["after"]["lines"]) == (20, 18)
    assert one["after"]["units"] < one["before"]["units"]
    assert (one["counts"]["merged"], one["counts"]["dropped"], one["counts"]["generalised"]) == (2, 1, 1)


def test_a_model_that_refuses_is_named_and_the_rules_do_it(place: Place):
    with ModelServer(Refused(401, {}), repeats=True) as server:
        answer = _reflect(place, server)

    assert answer.code == 0
    assert "local/fake-1: " in answer.out
    assert "The rules went over the lines alone." in answer.out
    assert "section written" in answer.out


def test_a_rehearsal_asks_nobody_and_says_so(place: Place):
    with ModelServer(_all_four) as server:
        answer = _reflect(place, server, "--dry-run")

        assert server.requests == []
    assert "local/fake-1 was not asked: a dry run shows what the rules do." in answer.out


def test_the_question_holds_the_lines_and_the_versioned_prompt(place: Place):
    with ModelServer(json.dumps({"done": 0})) as server:
        _reflect(place, server)
        (asked,) = server.requests

    assert asked.system.startswith("<!-- reflector prompt, version 3 -->")
    assert set(_numbers(asked)) == {line.observation.text for line in notebook()}
