"""What the home's agent `shared` keeps: among what every agent of the home finds, and used there."""

from collections.abc import Iterator

import pytest
from tests.working.conftest import Home

from scrimshaw import Memory
from scrimshaw.memory import Memories


@pytest.fixture
def shared(home: Home) -> Iterator[Memory]:
    with home.open("shared") as opened:
        opened.store("The office closes at six on Fridays")
        yield opened


def _found(memory: Memory, query: str, **how: object) -> list[tuple[str, str, str]]:
    results = memory.search(query, **how).results  # type: ignore[arg-type]
    return [(one.agent, one.source.value, one.content) for one in results]


def test_what_is_for_all_is_found_by_each_agent_in_one_order_with_its_own(
    home: Home, shared: Memory, memory: Memory
) -> None:
    memory.store("Gareth likes the office on Fridays")

    assert _found(memory, "when does the office close on Fridays?") == [
        ("shared", "working", "The office closes at six on Fridays"),
        ("albert", "working", "Gareth likes the office on Fridays"),
    ]
    assert _found(memory, "when does the office close on Fridays?", limit=1)[0][0] == "shared"
    assert _found(memory, "when does the office close?", shared=False) == [
        ("albert", "working", "Gareth likes the office on Fridays")
    ]

    shared.consolidate(ttl_override="0s")
    assert _found(memory, "closes at six", layers=["episodic"]) == [
        ("shared", "episodic", "The office closes at six on Fridays")
    ]
    assert _found(memory, "closes at six", layers=["working"]) == []


def test_what_an_agent_says_itself_stands_once(home: Home, shared: Memory, memory: Memory) -> None:
    memory.store("the office closes at six on Fridays")

    assert [agent for agent, _, _ in _found(memory, "when does the office close?")] == ["albert"]


def test_a_recall_counts_as_a_use_where_the_memory_lies(home: Home, shared: Memory, memory: Memory) -> None:
    own = memory.store("Gareth likes the office on Fridays")
    home.later(days=3)

    memory.recall("the office on Fridays")

    for one in (shared.memories().memories[0], memory.memory(own.id)):
        assert one.access_count == 1  # type: ignore[union-attr]
        assert one.expires_at is not None  # type: ignore[union-attr]
        assert (one.expires_at - home.now).days == 7  # type: ignore[union-attr]


def test_over_all_agents_of_a_home_it_comes_once(home: Home, shared: Memory, memory: Memory) -> None:
    with home.open("berta") as berta:
        for every in ([memory, berta], [memory, berta, shared]):
            found = Memories(every).search("when does the office close?")
            assert [hit.agent for one in found for hit in one.results] == ["shared"]


def test_what_stands_in_a_context_is_used_there_and_what_does_not_is_not(
    home: Home, shared: Memory, memory: Memory
) -> None:
    own = memory.store("Gareth likes the office on Fridays")
    others = memory.store("Owen hates the office on Fridays", owner_id="owen")
    memory.add_message("What is with the office on Fridays?", thread_id="t", resource_id="gareth")

    memory.get_context("t", "gareth")

    counts = {one.id: one.access_count for one in memory.memories().memories}
    assert counts == {own.id: 1, others.id: 0}
    assert shared.memories().memories[0].access_count == 1
    memory.get_context("t", "gareth", memories=0)
    assert memory.memory(own.id).access_count == 1  # type: ignore[union-attr]


@pytest.mark.parametrize("content", [b"", b"no ledger"])
def test_what_is_for_all_and_cannot_be_read_keeps_nobody_from_their_own(
    home: Home, memory: Memory, content: bytes
) -> None:
    memory.store("Gareth likes the office on Fridays")
    memory.add_message("Who likes the office on Fridays?", thread_id="one")
    with home.open("shared") as shared:
        ledger = shared.workspace / ".scrimshaw" / "ledger.sqlite"
    ledger.write_bytes(content)

    found = memory.search("the office on Fridays")

    assert [one.content for one in found.results] == ["Gareth likes the office on Fridays"]
    assert any("was not searched" in note for note in found.notes) == bool(content)
    assert "Gareth likes" in str(memory.get_context("one").to_dict())
