"""A forgetting erases the memories that were shown, as they were shown, or nothing."""

from collections.abc import Callable

import pytest
from tests.working.conftest import Home

from scrimshaw import Memory, UserError
from scrimshaw.core.working import StoredMemory
from scrimshaw.mcp_server.calls import ConfirmationQuestion, MemoryTools, ToolAnswer

_LATER = "The will lies in the safe"


def _change(memory: Memory, was: StoredMemory) -> None:
    memory.update_memory(was.id, content=_LATER)


def _store_anew(memory: Memory, was: StoredMemory) -> None:
    memory.delete_memory(was.id)
    memory.store(_LATER, id=was.id)


def _change_and_move(memory: Memory, was: StoredMemory) -> None:
    _change(memory, was)
    assert memory.consolidate(ttl_override="0s").archived == 1


def _move(memory: Memory, was: StoredMemory) -> None:
    assert memory.consolidate(ttl_override="0s").archived == 1


@pytest.mark.parametrize("meanwhile", [_change, _store_anew, _change_and_move])
def test_a_memory_that_says_something_else_by_now_is_not_forgotten(
    memory: Memory, meanwhile: Callable[[Memory, StoredMemory], None]
) -> None:
    shown = memory.store("Gareth pays on Mondays")
    plan = memory.plan_forget(shown.id)
    meanwhile(memory, shown)

    with pytest.raises(UserError, match="Nothing was forgotten"):
        memory.forget(plan)

    assert memory.memory(shown.id).content == _LATER
    memory.forget(memory.plan_forget(shown.id))
    assert memory.memories().memories == ()


def test_a_memory_that_has_only_moved_since_it_was_shown_is_forgotten(memory: Memory) -> None:
    shown = memory.store("Gareth pays on Mondays")
    plan = memory.plan_forget(shown.id)
    _move(memory, shown)

    assert memory.forget(plan).lines == 1

    assert memory.get([shown.id]).missing == (shown.id,)


def test_a_refused_forgetting_has_erased_no_memory(home: Home, memory: Memory) -> None:
    memory.add("Gareth pays on Mondays")
    kept = memory.store("Gareth pays by card, says the till")
    plan = memory.plan_forget("Gareth pays", all_lines=True)
    memory.add("Gareth pays in cash at the fair")

    with pytest.raises(UserError, match="Nothing was forgotten"):
        memory.forget(plan)

    assert memory.memory(kept.id).content == kept.content


def test_a_yes_over_mcp_is_for_the_words_that_were_shown(home: Home, memory: Memory) -> None:
    shown = memory.store("Gareth pays on Mondays")
    tools = MemoryTools(lambda: memory)
    asked = tools.call("memory_forget", {"id": shown.id})
    assert isinstance(asked, ConfirmationQuestion)
    _change(memory, shown)

    again = tools.call("memory_forget", {"id": shown.id}, confirmed=asked.about)

    assert isinstance(again, ConfirmationQuestion)
    assert again.message.startswith("What would go has changed since.")
    assert _LATER in again.message
    assert memory.memory(shown.id).content == _LATER
    done = tools.call("memory_forget", {"id": shown.id}, confirmed=again.about)
    assert isinstance(done, ToolAnswer)
    assert done.content == {"outcome": "forgotten", "count": 1}
