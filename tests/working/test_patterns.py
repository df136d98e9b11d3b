"""What several agents of a home have noted alike: in its agent `shared`, where the owner wants that."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from tests.working.conftest import Home

from scrimshaw import Memory
from scrimshaw.working import memories

_ON = "SCRIMSHAW_MEMORY_CONSOLIDATION_SHARE_PATTERNS"
_SAID = "I always drink my tea without sugar."
_OTHER = "I prefer to be called in the morning."


@pytest.fixture
def opened(home: Home) -> Iterator[Callable[[str], Memory]]:
    home.config = {**home.config, _ON: "true"}
    with ExitStack() as stack:
        yield lambda agent: stack.enter_context(home.open(agent))


def _says(memory: Memory, *texts: str, resource_id: str = "owen", thread_id: str = "t") -> None:
    for text in texts:
        memory.add_message(text, thread_id=thread_id, resource_id=resource_id)
        memory.add_message("Noted.", role="assistant", thread_id=thread_id)
    memory.force_observe(thread_id)
    memory.reflect()


def _shared(home: Home) -> list[tuple[str, str, object]]:
    with home.open("shared") as memory:
        kept = memories.newest(memory._working().db, 99)
        return sorted((one.content, one.owner_id, one.metadata["agents"]) for one in kept)


def test_what_two_agents_have_noted_alike_is_kept_for_all_once(
    home: Home, opened: Callable[[str], Memory]
) -> None:
    albert, berta = opened("albert"), opened("berta")
    _says(albert, _SAID, _OTHER)
    assert _shared(home) == []

    _says(berta, _SAID.replace("I always", "I  ALWAYS").lower())

    ((text, owner_id, agents),) = _shared(home)
    assert (text.lower(), owner_id, agents) == (_SAID.lower(), "owen", ["albert", "berta"])
    home.later(days=8)
    with home.open("shared") as shared:
        assert shared.consolidate().archived == 1
    for memory in (albert, berta):
        memory.reflect()
    assert _shared(home) == []
    with home.open("shared") as shared:
        (line,) = shared.search("tea without sugar").results
        assert line.source == "episodic"
    carl = opened("carl")
    carl.add_message("What of my tea?", thread_id="c", resource_id="owen")
    carl.add_message("What of my tea?", thread_id="d", resource_id="gareth")
    assert [one.id for one in carl.get_context("c").parts.memories] == [line.id]
    assert carl.get_context("d").parts.memories == ()


def test_of_different_people_it_is_no_pattern(home: Home, opened: Callable[[str], Memory]) -> None:
    _says(opened("albert"), _SAID)
    _says(opened("berta"), _SAID, resource_id="gareth")

    assert _shared(home) == []


def test_without_the_owner_s_wish_nothing_is_offered(home: Home, opened: Callable[[str], Memory]) -> None:
    albert = opened("albert")
    home.config = {**home.config, _ON: "false"}
    berta = opened("berta")
    _says(albert, _SAID)
    _says(berta, _SAID)

    assert _shared(home) == []


def test_what_is_private_to_one_is_not_offered(home: Home, opened: Callable[[str], Memory]) -> None:
    _says(opened("albert"), _SAID)
    berta = opened("berta")
    _says(berta, _SAID)
    assert len(_shared(home)) == 1

    home.config = {**home.config, "SCRIMSHAW_PRIVATE_PATTERNS": '["tea without"]'}
    opened("berta").reflect()

    assert _shared(home) == []


def test_what_only_one_still_holds_is_taken_back_also_from_the_ledger(
    home: Home, opened: Callable[[str], Memory]
) -> None:
    albert, berta = opened("albert"), opened("berta")
    for memory in (albert, berta):
        _says(memory, _SAID)
    home.later(days=8)
    with home.open("shared") as shared:
        shared.consolidate()
        assert shared.search("tea without sugar").results
        (line,) = (hit.line for hit, _ in berta.search("tea without sugar", shared=False).hits)
        home.config = {**home.config, _ON: "false"}
        opened("berta").reflect()
        assert not shared.search("tea without sugar").results

    home.config = {**home.config, _ON: "true"}
    opened("berta").reflect()
    assert len(_shared(home)) == 1
    assert line.standing.is_live


@pytest.mark.parametrize("days", [0, 8])
def test_what_one_forgets_goes_from_there_and_does_not_come_back(
    home: Home, opened: Callable[[str], Memory], days: int
) -> None:
    albert, berta, carl = opened("albert"), opened("berta"), opened("carl")
    for memory in (albert, berta, carl):
        _says(memory, _SAID)
    home.later(days=days)
    with home.open("shared") as shared:
        shared.consolidate()
        assert shared.search("tea without sugar").results

        albert.forget(albert.plan_forget("tea without sugar"))

        assert not shared.search("tea without sugar", closed=True).results
        for memory in (albert, berta, carl):
            memory.reflect()
        assert not shared.search("tea without sugar", closed=True).results
    folder = home.folder / "shared"
    for path in folder.rglob("*"):
        assert not path.is_file() or b"without sugar" not in path.read_bytes(), path
