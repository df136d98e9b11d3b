"""The commands `context` and `conversations`: thin, and the same object as the methods return."""

import json
from pathlib import Path

import pytest
from tests.conversations.talking import START, bought, opened, talk
from tests.places import Answer, Place

from scrimshaw import Memory


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    made = opened(tmp_path, message_threshold=1000)
    talk(made, 20, resource_id="anna")
    made.force_observe("t1")
    return made


@pytest.fixture
def place(memory: Memory) -> Place:
    return Place(memory.workspace.parent.parent / "other")


def _run(memory: Memory, place: Place, *words: str) -> Answer:
    root = memory.workspace.parent
    env = {"HOME": str(root), "OPENCLAW_STATE_DIR": str(root / "state")}
    return place.run(*words, env=env)


def test_the_context_is_printed_as_a_model_gets_it(memory: Memory, place: Place) -> None:
    told = _run(memory, place, "context", "t1", "--system", "Help.")

    assert told.out.startswith("Help.\n\n## Conversation Context (Observations)\n\n2026-11-20\n")
    assert f"user: {bought(19)}\n\nassistant: Noted.\n\nAbout " in told.out


def test_a_context_says_that_a_memory_in_it_counts_as_used(memory: Memory, place: Place) -> None:
    stored = memory.store("The harbour gate opens with a brass lever.")

    told = _run(memory, place, "context", "t1", "--query", "How does the harbour gate open?")

    assert "brass lever" in told.out
    assert memory.memory(stored.id).to_dict()["access_count"] == 1
    shown = _run(memory, place, "context", "--help").out
    assert "A memory in it counts as used, and is kept longer; nothing else is written." in shown


@pytest.mark.parametrize("shape", ["text", "anthropic", "openai"])
def test_the_object_is_the_method_s(memory: Memory, place: Place, shape: str) -> None:
    told = _run(memory, place, "context", "t1", "--resource", "anna", "--shape", shape, "--json")

    method_told = json.loads(str(memory.get_context("t1", "anna", shape=shape)))
    assert told.object == {**method_told, "exit_code": 0}


def test_conversations_are_listed_and_one_is_shown(memory: Memory, place: Place) -> None:
    talk(memory, 70, "t2", first=20)

    listed = _run(memory, place, "conversations").out.splitlines()
    one = _run(memory, place, "conversations", "t1", "--json").object

    assert listed[1].endswith("t2: 140 messages, 0 observations, 1,043 tokens not observed yet; due")
    assert "t1 (anna): 40 messages, 20 observations, 0 tokens not observed yet" in listed[2]
    assert set(one) >= {"memoryState", "observationLog", "observationCount", "totalObservationTokens"}
    assert one == {**json.loads(str(memory.conversation("t1"))), "exit_code": 0}
    assert _run(memory, place, "conversations", "none").code == 2


def test_a_conversation_is_closed_and_told_to_be_archived(memory: Memory, place: Place) -> None:
    talk(memory, 1)

    told = _run(memory, place, "conversations", "t1", "--close")

    assert told.code == 0
    assert "closed; archived" in told.out
    assert _run(memory, place, "conversations", "--close").code == 2


def test_a_conversation_goes_by_the_id_that_is_listed(memory: Memory, place: Place) -> None:
    memory.add_message("My sister Ottoline has leukaemia.", thread_id="u", timestamp=START)
    assert "  u: 1 message, 0 obs" in _run(memory, place, "conversations").out

    told = _run(memory, place, "forget", "--session", "u", "--yes")

    assert "Its messages that are kept here would be emptied." in told.out
    assert "It cannot be undone." in told.out
    assert "Ottoline" not in _run(memory, place, "search", "--transcripts", "Ottoline leukaemia").out
