"""Which memories reach the context of a conversation: of both layers, its owner's, and those for all."""

import pytest
from tests.working.conftest import Home

from scrimshaw import Memory
from scrimshaw.index import embedding

needs_model = pytest.mark.skipif(bool(embedding.why_none()), reason="no embedding model is installed")


def _told(memory: Memory, query: str, resource_id: str = "") -> list[str]:
    context = memory.get_context("t1", resource_id, query=query)
    return [str(one).partition(" (id: ")[0] for one in context.parts.memories]


def test_memories_and_knowledge_of_both_layers_come_with_what_they_are(home: Home, memory: Memory) -> None:
    memory.store("Perry pears ferment slowly in the barn")
    home.later(days=8)
    memory.consolidate()
    memory.store("Perry is racked in March", type="procedural")
    memory.learn("Owen likes perry", category="preference")

    assert sorted(_told(memory, "what of the perry?")) == [
        "- [fact, said by a program] Perry pears ferment slowly in the barn",
        "- [preference, said by a program] Owen likes perry",
        "- [procedural, said by a program] Perry is racked in March",
    ]


@needs_model
def test_a_context_finds_by_meaning_what_a_search_has_loaded_the_model_for(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.config = {"SCRIMSHAW_MEMORY_EMBEDDING_ASYNC": "false"}
    said, asked = "The physician told Dana to stop eating bread", "What did her doctor say about her diet?"
    with home.open() as memory:
        memory.store(said)
        assert _told(memory, asked) == []
        memory.search(asked)

        with monkeypatch.context() as patched:
            patched.setattr(embedding, "find_embedder", _none_to_load)
            assert _told(memory, asked) == [f"- [episodic, said by a program] {said}"]
            assert _told(memory, "Was hat ihr der Arzt zu ihrer Ernährung gesagt?") == []
        home.later(days=8)
        memory.consolidate()
        with monkeypatch.context() as patched:
            patched.setattr(embedding, "find_embedder", _none_to_load)
            assert _told(memory, asked) == []  # its vector is not made here
        memory.search(asked)
        assert _told(memory, asked) == [f"- [fact, said by a program] {said}"]


def _none_to_load(*_: object, **__: object) -> None:
    raise AssertionError("a context loads no model")


def test_a_memory_of_another_owner_is_in_no_context_in_either_layer(home: Home, memory: Memory) -> None:
    for owner in ("owen", "dana", ""):
        memory.store(f"The gate code of {owner or 'everybody'} is brass", owner_id=owner)
    for _ in range(2):
        assert sorted(_told(memory, "what is the gate code?", "owen")) == [
            f"- [{kind}, said by a program] The gate code of {whose} is brass"
            for kind, whose in ((_kind(memory), "everybody"), (_kind(memory), "owen"))
        ]
        home.later(days=8)
        memory.consolidate()


def test_what_two_owners_have_in_the_same_words_is_in_the_context_of_each(memory: Memory) -> None:
    for owner, importance in (("owen", 0.8), ("dana", 0.3)):
        memory.store("The gate code is brass", owner_id=owner, importance=importance)

    assert len(_told(memory, "what is the gate code?", "owen")) == 1
    assert len(_told(memory, "what is the gate code?", "dana")) == 1


def _kind(memory: Memory) -> str:
    return "episodic" if memory.memories().memories else "fact"


def test_a_conversation_with_nobody_named_gets_no_memory_that_has_an_owner(memory: Memory) -> None:
    memory.store("The gate code of owen is brass", owner_id="owen")
    memory.store("The gate code of everybody is brass")

    assert _told(memory, "what is the gate code?") == [
        "- [episodic, said by a program] The gate code of everybody is brass"
    ]


def test_what_the_shared_agent_keeps_reaches_every_agent_of_the_home_and_no_other(
    home: Home, memory: Memory
) -> None:
    with home.open("shared") as shared:
        shared.store("The cellar closes at six")
    with home.open("dana") as dana:
        dana.store("The cellar is Dana's")

    assert _told(memory, "when does the cellar close?") == [
        "- [episodic, said by a program] The cellar closes at six"
    ]


def test_superseded_knowledge_reaches_no_context_also_when_there_is_no_room_for_it(home: Home) -> None:
    home.config["SCRIMSHAW_MEMORY_WORKING_MAX_ENTRIES"] = "100"
    with home.open() as memory:
        old = memory.learn("Owen likes perry")
        memory.learn("Owen likes cider now", supersedes=old.id)
        for number in range(100):
            memory.store(f"cask {number}")

        assert memory.consolidate().archived >= 1

        assert _told(memory, "what does Owen like?") == ["- [fact, said by a program] Owen likes cider now"]
        lines = [hit.line for hit, _ in memory.search("does Owen like perry?", closed=True).hits]
        assert {line.observation.text: line.standing.is_live for line in lines}["Owen likes perry"] is False
