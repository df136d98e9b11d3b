"""Memories and knowledge one by one: read, listed by pages, changed against a version, taken out."""

import sqlite3
import threading
from contextlib import suppress

import pytest
from tests.working.conftest import Home

from scrimshaw import Knowledge, Memory, NotFoundError, OutdatedError, StoredMemory, UserError
from scrimshaw.working import memories


def _texts(memory: Memory, query: str) -> list[str]:
    return [one.content for one in memory.search(query, mode="lexical").results]


def _index_is_whole(memory: Memory) -> None:
    """Raise where the index of words and the memories differ."""
    with sqlite3.connect(memory.target.layout.working) as connection:
        connection.create_function("folded", 1, str.casefold)
        connection.execute("insert into memory_words (memory_words, rank) values ('integrity-check', 1)")


def test_a_memory_and_knowledge_are_read_by_their_ids(memory: Memory) -> None:
    stored, learnt = memory.store("Gareth pays on Mondays"), memory.learn("Perry pears ferment slowly")

    assert memory.memory(stored.id) == stored
    assert memory.memory(learnt.id) == learnt
    assert isinstance(memory.memory(learnt.id), Knowledge)
    with pytest.raises(NotFoundError, match="No memory nothing"):
        memory.memory("nothing")


def test_pages_bring_every_memory_once_the_newest_first(home: Home, memory: Memory) -> None:
    stored = []
    for number in range(7):
        stored.append(memory.store(f"note {number}").id)
        if number % 3 == 0:  # some at the same moment
            home.later(seconds=1)
    memory.learn("no memory")

    found, after = [], None
    for _ in range(4):
        page = memory.memories(2, after=after)
        found += page.memories
        after = page.after

    assert after is None
    assert sorted(one.id for one in found) == sorted(stored)
    times = [one.created_at for one in found]
    assert times == sorted(times, reverse=True)


def test_a_page_stays_in_its_place_while_memories_come_change_and_go(home: Home, memory: Memory) -> None:
    stored = []
    for number in range(4):
        stored.append(memory.store(f"note {number}"))
        home.later(seconds=1)
    first = memory.memories(2)
    memory.store("came meanwhile")
    memory.update_memory(stored[1].id, content="note one")
    memory.delete_memory(first.memories[0].id)

    rest = memory.memories(9, after=first.after)

    assert [one.content for one in rest.memories] == ["note one", "note 0"]


def test_a_place_that_no_page_has_told_is_refused(memory: Memory) -> None:
    for after in ("x", "1", "-1:a", "9" * 30 + ":a", ""):
        with pytest.raises(UserError, match="is not the `after` of any page"):
            memory.memories(after=after)


def test_a_substring_is_found_as_it_is_for_any_case(memory: Memory) -> None:
    memory.store("Der \u00c4rger mit 100% Birnen")
    memory.store("nothing of it")

    for text in ("\u00e4rger", "0% b", "BIRNEN"):
        assert [one.content for one in memory.memories(text=text).memories] == [
            "Der \u00c4rger mit 100% Birnen"
        ]
    assert memory.memories(text="0_ B").memories == ()


def test_a_list_is_narrowed_by_type_and_owner(home: Home, memory: Memory) -> None:
    memory.store("one", type="procedural", owner_id="o1")
    home.later(seconds=1)
    memory.store("two", owner_id="o1")

    assert [one.content for one in memory.memories(type="procedural").memories] == ["one"]
    assert [one.content for one in memory.memories(owner_id="o1").memories] == ["two", "one"]
    assert memory.memories(owner_id="o2").memories == ()


def test_a_changed_memory_is_found_by_its_new_words_alone(home: Home, memory: Memory) -> None:
    stored = memory.store("Gareth pays on Mondays", metadata={"a": 1})
    home.later(days=1)

    changed = memory.update_memory(stored.id, content="Gareth pays on Fridays", importance=0.7)

    assert (changed.id, changed.created_at, changed.metadata) == (stored.id, stored.created_at, {"a": 1})
    assert (changed.importance, changed.version, changed.updated_at) == (0.7, 2, home.now)
    assert _texts(memory, "what happens on Fridays?") == ["Gareth pays on Fridays"]
    assert _texts(memory, "what happens on Mondays?") == []
    _index_is_whole(memory)


def test_a_pin_keeps_and_without_it_a_memory_expires_again(home: Home, memory: Memory) -> None:
    stored = memory.store("Gareth pays on Mondays")
    pinned = memory.update_memory(stored.id, pinned=True)

    assert (pinned.pinned, pinned.expires_at) == (True, None)
    assert memory.update_memory(stored.id, pinned=False).expires_at == stored.expires_at
    assert memory.update_memory(stored.id, importance=0.95).expires_at is None


def test_a_change_against_an_older_version_writes_nothing(memory: Memory) -> None:
    stored = memory.store("Gareth pays on Mondays")
    memory.update_memory(stored.id, content="Gareth pays on Fridays", if_version=1)

    with pytest.raises(OutdatedError, match="version 2, not 1"):
        memory.update_memory(stored.id, content="Gareth never pays", if_version=1)
    with pytest.raises(OutdatedError):
        memory.delete_memory(stored.id, if_version=1)

    assert [one.content for one in memory.memories().memories] == ["Gareth pays on Fridays"]


def test_of_many_who_change_one_version_one_comes_first(memory: Memory) -> None:
    stored, won = memory.store("one"), []

    def change(number: int) -> None:
        with suppress(OutdatedError):
            won.append(memory.update_memory(stored.id, content=f"by {number}", if_version=1).content)

    threads = [threading.Thread(target=change, args=(number,)) for number in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()

    assert len(won) == 1
    assert [one.content for one in memory.memories().memories] == won


def test_what_is_no_text_changes_nothing(memory: Memory) -> None:
    stored = memory.store("one")

    with pytest.raises(UserError, match="no text"):
        memory.update_memory(stored.id, content=" ")
    with pytest.raises(ValueError, match="importance"):
        memory.update_memory(stored.id, importance=2)

    assert memory.memory(stored.id) == stored


def test_a_deleted_memory_is_found_nowhere(memory: Memory) -> None:
    stored = memory.store("Gareth pays on Mondays")

    memory.delete_memory(stored.id, if_version=1)

    assert _texts(memory, "when does Gareth pay?") == []
    assert memory.memories().memories == ()
    with pytest.raises(NotFoundError):
        memory.delete_memory(stored.id)
    _index_is_whole(memory)


def test_what_moved_into_the_ledger_is_no_memory_to_change(home: Home, memory: Memory) -> None:
    stored = memory.store("Gareth pays on Mondays")
    home.later(days=8)
    memory.consolidate()

    with pytest.raises(NotFoundError, match="moved into the ledger"):
        memory.update_memory(stored.id, content="Gareth pays on Fridays")


def test_knowledge_has_the_fields_that_were_named(memory: Memory) -> None:
    learnt = memory.learn("Owen likes perry", category="preference", owner_id="owen", metadata={"a": 1})

    assert learnt.to_dict() == {
        "id": learnt.id,
        "owner_id": "owen",
        "category": "preference",
        "content": "Owen likes perry",
        "metadata": {"a": 1},
        "confidence": 0.8,
        "source": "conversation",
        "status": "active",
        "created_at": "2026-11-20T18:00:00.000Z",
        "updated_at": "2026-11-20T18:00:00.000Z",
        "version": 1,
    }


def test_what_was_superseded_or_archived_is_kept_and_not_found(memory: Memory) -> None:
    old = memory.learn("Owen likes perry")
    new = memory.learn("Owen likes cider now", supersedes=old.id)
    other = memory.learn("Owen has a press")
    memory.update_knowledge(other.id, status="archived")

    assert _texts(memory, "what does Owen like, and have?") == ["Owen likes cider now"]
    assert memory.knowledge().knowledge == (new,)
    every = {one.content: str(one.status) for one in memory.knowledge(status=None).knowledge}
    assert every == {
        "Owen likes perry": "superseded",
        "Owen likes cider now": "active",
        "Owen has a press": "archived",
    }
    _index_is_whole(memory)


def test_archived_knowledge_that_holds_again_is_found(memory: Memory) -> None:
    learnt = memory.learn("Owen likes perry")
    memory.update_knowledge(learnt.id, status="archived")
    memory.update_knowledge(learnt.id, status="active", confidence=0.9)

    assert _texts(memory, "what does Owen like?") == ["Owen likes perry"]
    _index_is_whole(memory)


def test_superseding_what_is_not_there_stores_nothing(memory: Memory) -> None:
    memory_id = memory.store("a memory").id

    for missing in ("nothing", memory_id):
        with pytest.raises(NotFoundError):
            memory.learn("Owen likes cider", supersedes=missing)
    with pytest.raises(NotFoundError):
        memory.update_knowledge(memory_id, confidence=0.1)

    assert memories.counts(memory._working().db) == (1, 0)


def test_knowledge_is_listed_by_category(memory: Memory) -> None:
    memory.learn("a fact")
    memory.learn("a way", category="solution")

    assert [one.content for one in memory.knowledge(category="solution").knowledge] == ["a way"]
    with pytest.raises(NotFoundError):
        memory.update_memory(memory.knowledge().knowledge[0].id, content="x")


def test_a_memory_is_changed_in_the_type_that_was_stored(memory: Memory) -> None:
    assert isinstance(memory.update_memory(memory.store("one").id, pinned=True), StoredMemory)
