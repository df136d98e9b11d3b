"""A model as the observer of a bench: asked twice at most, then the rules; no answer ends the measurement."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench import modelled
from bench.beam import Conversation, load_chats
from bench.material import find
from tests.benches.chats import make_chat
from tests.fake_model import always, in_turn

from scrimshaw.core.types import Author

NOTE = {"text": "The orchard has 340 trees.", "kind": "fact", "priority": 4, "sources": [3]}
GOOD = f"{json.dumps(NOTE)}\n{json.dumps({'done': 1})}"


@pytest.fixture
def conversation(tmp_path: Path) -> Conversation:
    return load_chats(find(make_chat(tmp_path)).beam())[0]


def observed(
    conversation: Conversation, model: object, monkeypatch: pytest.MonkeyPatch
) -> list[tuple[str, Author]]:
    monkeypatch.setattr(modelled, "opener", lambda _env: lambda _choice: model)
    memory = modelled.observer_by_model("fake/model")(conversation)
    return [(line.observation.text, line.observation.author) for line in memory.lines.values()]


def test_what_the_model_says_is_judged_and_noted_as_its_own(
    conversation: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    invented = json.dumps({**NOTE, "text": "The orchard has 999 trees."})
    reply = f"{json.dumps(NOTE)}\n{invented}\n{json.dumps({'done': 2})}"

    found = observed(conversation, always(reply), monkeypatch)

    assert found == [("The orchard has 340 trees.", Author.MODEL)]


def test_a_reply_that_did_not_close_is_asked_for_once_more(
    conversation: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = in_turn([json.dumps(NOTE), GOOD])

    found = observed(conversation, model, monkeypatch)

    assert found == [("The orchard has 340 trees.", Author.MODEL)]
    assert len(model.prompts) == 2
    assert '{"done": N}' in model.prompts[1].text


def test_after_two_bad_replies_the_rules_note_the_window(
    conversation: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = observed(conversation, always("I am sorry."), monkeypatch)

    assert {author for _, author in found} == {Author.RULES}


def test_no_answer_ends_the_measurement(conversation: Conversation, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit, match="fake/model"):
        observed(conversation, in_turn([]), monkeypatch)
