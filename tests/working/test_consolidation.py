"""Consolidation: what moves, what stays, what is found meanwhile, and that nothing is lost or doubled."""

import threading
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.places import EXEC
from tests.working.conftest import Home

from scrimshaw import Memory, NotFoundError, UserError
from scrimshaw.clock import milliseconds
from scrimshaw.core.ledger.program_lines import origin_of
from scrimshaw.core.types import Author, Event, EventType
from scrimshaw.core.working import StoredMemory
from scrimshaw.errors import Exit
from scrimshaw.index import embedding
from scrimshaw.services.working import consolidate as module
from scrimshaw.services.working.layer import embed_all
from scrimshaw.services.working.moving import Move, Moves
from scrimshaw.services.working.rounds import keep_up
from scrimshaw.store.ledger import open_ledger
from scrimshaw.working import memories

needs_model = pytest.mark.skipif(bool(embedding.why_none()), reason="no embedding model is installed")


def _lines(memory: Memory) -> list[str]:
    with open_ledger(memory.target.layout.ledger, create=False, read_only=True) as ledger:
        return [line.observation.text for line in ledger.live_lines()]


def _working(memory: Memory) -> list[str]:
    return [one.content for one in memories.page(memory._working().db, 100_000)]


def test_an_age_may_reach_back_beyond_every_date(memory: Memory) -> None:
    memory.store("The dentist moved to Friday.")

    assert memory.consolidate(ttl_override="999999d").candidates == 0
    with pytest.raises(UserError, match="Nothing was moved"):
        memory.consolidate(ttl_override=f"{10**18}d")


def test_what_has_expired_becomes_a_line_of_the_program(home: Home, memory: Memory) -> None:
    memory.store("Gareth pays on Mondays", metadata={"source": "mail"}, importance=0.6, owner_id="o1")
    home.later(days=8)

    done = memory.consolidate()

    assert (done.candidates, done.archived, done.deduplicated, done.skipped_pinned) == (1, 1, 0, 0)
    assert _working(memory) == []
    (found,) = memory.search("when does Gareth pay?").results
    assert (found.source, found.type, found.importance) == ("episodic", "episodic", 0.6)
    assert found.metadata["source"] == "mail"
    assert found.created_at == home.now - timedelta(days=8)
    trace = memory.why(found.id)
    assert trace.line.observation.author is Author.PROGRAM
    assert "not checked" in trace.checked
    dated = (memory.workspace / "memory/observations/obs-2026-11-20.md").read_text()
    assert "(program) fact: Gareth pays on Mondays" in dated


def test_promise_4_no_line_of_a_program_is_in_the_section_until_a_person_pins_it(
    home: Home, memory: Memory
) -> None:
    memory.store("Gareth pays on Mondays", importance=0.8)
    home.later(days=8)
    memory.consolidate()
    memory.add("The press is in the barn", author="person", at_once=True)
    section = memory.workspace / "MEMORY.md"
    assert "Gareth" not in section.read_text()

    memory.reflect()
    assert "Gareth" not in section.read_text()

    memory.pin("Gareth pays on Mondays", at_once=True)
    assert "Gareth" in section.read_text()
    memory.unpin("Gareth pays on Mondays", at_once=True)
    assert "Gareth" not in section.read_text()


def test_promise_4_an_agent_s_shell_cannot_pin_what_a_program_stored(home: Home, memory: Memory) -> None:
    memory.store("Gareth pays on Mondays", importance=0.8)
    home.later(days=8)
    memory.consolidate()
    memory.add("The press is in the barn", author="person", at_once=True)
    home.config |= EXEC
    with home.open() as agents:
        with pytest.raises(UserError, match="a program stored") as refused:
            agents.pin("Gareth pays on Mondays", at_once=True)

        assert refused.value.exit_code == Exit.REFUSED
        assert "Gareth" not in (memory.workspace / "MEMORY.md").read_text()
        assert agents.pin("The press is in the barn").is_changed
        memory.pin("Gareth pays on Mondays", at_once=True)
        assert not agents.pin("Gareth pays on Mondays").is_changed


def test_what_is_pinned_lasting_or_of_another_type_stays(home: Home, memory: Memory) -> None:
    memory.store("pinned", pin=True)
    memory.store("lasting", importance=0.9)
    memory.store("semantic", type="semantic")
    memory.store("procedural", type="procedural")
    memory.store("of the system", type="system")
    memory.learn("known")
    home.later(days=400)

    done = memory.consolidate()

    assert (done.archived, done.skipped_pinned) == (1, 2)
    assert _lines(memory) == ["of the system"]
    assert sorted(_working(memory)) == ["lasting", "pinned", "procedural", "semantic"]


def test_a_dry_run_moves_nothing_and_an_age_of_ones_own_overrides(home: Home, memory: Memory) -> None:
    memory.store("Gareth pays on Mondays")
    home.later(hours=30)

    assert memory.consolidate(dry_run=True).candidates == 0
    assert memory.consolidate(dry_run=True, ttl_override="24h").candidates == 1
    assert _lines(memory) == []
    assert memory.consolidate(ttl_override="24h").archived == 1
    with pytest.raises(UserError, match="duration"):
        memory.consolidate(ttl_override="soon")


def test_an_age_of_ones_own_leaves_what_was_used_or_changed_since(home: Home, memory: Memory) -> None:
    memory.store("Gareth pays on Mondays")
    changed = memory.store("The press is in the barn")
    memory.store("Owen likes cider")
    home.later(days=3)
    memory.recall("when does Gareth pay?")
    memory.update_memory(changed.id, metadata={"seen": True})
    home.later(hours=20)

    assert memory.consolidate(ttl_override="24h").archived == 1
    assert _lines(memory) == ["Owen likes cider"]


def test_what_only_looks_makes_no_working_layer(memory: Memory) -> None:
    layout = memory.target.layout
    before = sorted(layout.working.parent.iterdir())
    assert not layout.working.exists()

    assert memory.consolidate(dry_run=True).archived == 0
    assert memory.conversations().conversations == ()
    with pytest.raises(UserError, match="after"):
        memory.conversations(after="no place")
    with pytest.raises(UserError, match="Nothing was moved"):
        memory.consolidate(dry_run=True, ttl_override=f"{10**18}d")

    assert sorted(layout.working.parent.iterdir()) == before


def test_a_dry_run_tells_what_a_round_does(home: Home) -> None:
    home.config["SCRIMSHAW_MEMORY_WORKING_MAX_ENTRIES"] = "10"
    with home.open() as memory:
        memory.add("The press is in the barn", author="person")
        for _ in range(2):
            memory.store("Gareth pays on Mondays")
        memory.store("The press is in the barn")
        home.later(days=8)
        memory.store("Gareth pays on Mondays", type="semantic", importance=0.1)
        for number in range(11):
            memory.store(f"kept {number}", importance=0.8, type="semantic")
        foreseen = memory.consolidate(dry_run=True)
        assert len(_lines(memory)) == 1

        done = memory.consolidate()

    assert (done.candidates, done.archived, done.deduplicated) == (5, 2, 3)
    assert (foreseen.candidates, foreseen.archived, foreseen.deduplicated) == (5, 2, 3)


def test_the_same_words_are_not_noted_again(home: Home, memory: Memory) -> None:
    memory.add("Gareth pays on Mondays", author="person")
    for _ in range(2):
        memory.store("Gareth pays on Mondays")
    memory.store("Gareth pays on Fridays")
    home.later(days=8)

    done = memory.consolidate()

    assert (done.candidates, done.archived, done.deduplicated) == (3, 1, 2)
    assert sorted(_lines(memory)) == ["Gareth pays on Fridays", "Gareth pays on Mondays"]


def test_the_same_words_of_another_owner_are_another_memory(home: Home, memory: Memory) -> None:
    memory.store("Prefers tea in the morning", owner_id="owen")
    home.later(days=8)
    assert memory.consolidate().archived == 1
    for owner in ("owen", "dana", "dana", ""):
        memory.store("Prefers tea in the morning", owner_id=owner)
    home.later(days=8)

    done = memory.consolidate()

    assert (done.archived, done.deduplicated) == (2, 2)
    found = memory.search("who prefers tea?").results
    assert sorted(one.owner_id for one in found) == ["", "dana", "owen"]


def test_what_a_conversation_has_told_of_its_person_is_not_noted_again_of_them_alone(
    home: Home, memory: Memory
) -> None:
    memory.add_message("I prefer tea in the morning.", role="user", thread_id="talk", resource_id="owen")
    memory.force_observe("talk")
    (told,) = _lines(memory)
    for owner in ("owen", "dana"):
        memory.store(told, owner_id=owner)
    home.later(days=8)

    done = memory.consolidate()

    assert (done.archived, done.deduplicated) == (1, 1)


@needs_model
def test_near_duplicates_are_not_noted_again_and_other_figures_are(home: Home) -> None:
    home.config = {}
    with home.open() as memory:
        memory.add("The customer prefers to be called in the morning.", author="person")
        memory.search("anything at all")  # makes the vector of the line
        memory.store("The customer prefers to be called in the mornings")
        memory.store("The customer prefers to be called in the mornings", owner_id="dana")
        memory.store("The customer owes us 500 pounds for the cider")
        memory.store("The customer owes us 600 pounds for the cider")
        embedder = embedding.find_embedder()
        assert embedder is not None
        embed_all(memory._working().db, embedder)
        home.later(days=8)

        done = memory.consolidate()

        assert (done.archived, done.deduplicated) == (3, 1)
        assert len(_lines(memory)) == 4


def test_a_long_text_becomes_several_lines_and_all_of_it_is_found(home: Home, memory: Memory) -> None:
    memory.store("\n".join(f"Paragraph {number} tells of barrel b{number:03}." for number in range(60)))
    home.later(days=8)

    assert memory.consolidate().archived == 1
    assert len(_lines(memory)) == 60
    assert "b059" in memory.search("what of barrel b059?").results[0].content


def test_beyond_the_cap_the_least_worth_goes_first(home: Home) -> None:
    home.config["SCRIMSHAW_MEMORY_WORKING_MAX_ENTRIES"] = "10"
    with home.open() as memory:
        for number in range(12):
            memory.store(f"kept {number}", importance=0.7, type="semantic")
        memory.store("worth little", importance=0.1, type="semantic")
        memory.store("pinned and worth little", importance=0.1, type="semantic", pin=True)

        done = memory.consolidate()

        assert done.archived == 4
        assert len(_working(memory)) == 10
        assert "worth little" in _lines(memory)
        assert "pinned and worth little" in _working(memory)


def test_what_is_important_stays_beyond_the_cap_and_makes_no_round_due(home: Home) -> None:
    home.config["SCRIMSHAW_MEMORY_WORKING_MAX_ENTRIES"] = "10"
    with home.open() as memory:
        for number in range(11):
            memory.store(f"lasting {number}", importance=0.95)
        home.later(days=40)
        memory.store("new and worth more by age", importance=0.89, type="semantic")
        assert memory.consolidate(dry_run=True).candidates == 1

        done = memory.consolidate()

        assert (done.candidates, done.archived, done.skipped_pinned) == (1, 1, 11)
        assert _lines(memory) == ["new and worth more by age"]
        assert memory.consolidate(dry_run=True).candidates == 0
        rounds = len(memories.rounds(memory._working().db))
        keep_up(memory.target, home.now)
        assert len(memories.rounds(memory._working().db)) == rounds


def test_knowledge_that_is_forced_out_is_still_told_to_be_what_it_is(home: Home) -> None:
    home.config["SCRIMSHAW_MEMORY_WORKING_MAX_ENTRIES"] = "10"
    with home.open() as memory:
        memory.learn("Owen prefers cider", category="preference", confidence=0.3, source="mail")
        home.later(days=30)
        for number in range(10):
            memory.store(f"kept {number}", importance=0.8, type="semantic")
        assert memory.consolidate().archived == 1

        (found,) = memory.search("what does Owen prefer?").results
        assert (found.source, found.type, found.category) == ("episodic", "semantic", "preference")
        origin = origin_of(memory.why(found.id).line.observation)
        assert origin is not None
        assert origin.learnt == ("preference", 0.3, "mail", "active")
        memory.add_message("What does Owen prefer?", thread_id="t")
        (told,) = memory.get_context("t").parts.memories
        assert told.category == "preference, said by a program"


def test_what_no_longer_holds_keeps_nothing_else_out(home: Home) -> None:
    home.config["SCRIMSHAW_MEMORY_WORKING_MAX_ENTRIES"] = "10"
    with home.open() as memory:
        old = memory.learn("Owen likes perry")
        memory.update_knowledge(old.id, status="superseded")
        memory.learn("Owen likes perry")
        home.later(days=30)
        for number in range(10):
            memory.store(f"kept {number}", importance=0.8, type="semantic")
        memory.consolidate()

        assert _lines(memory) == ["Owen likes perry"]


def test_two_rounds_at_once_double_nothing(home: Home, memory: Memory) -> None:
    for number in range(150):
        memory.store(f"Note {number} of the mill")
    home.later(days=8)
    failed: list[BaseException] = []

    def work() -> None:
        try:
            with home.open() as one:
                one.consolidate()
        except BaseException as error:  # noqa: BLE001  # told below
            failed.append(error)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failed == []
    assert sorted(_lines(memory)) == sorted(f"Note {number} of the mill" for number in range(150))
    assert _working(memory) == []


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.mark.parametrize("at", ["accept", "publish", "leave"])
def test_a_kill_between_the_steps_loses_and_doubles_nothing(
    home: Home, memory: Memory, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    texts = [f"Note {number} of the mill" for number in range(5)]
    for text in texts:
        memory.store(text)
    home.later(days=8)

    def kill(*_: object, **__: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        if at == "accept":
            patch.setattr("scrimshaw.store.ledger.Ledger.accept", kill)
        elif at == "leave":
            patch.setattr(memories, "leave", kill)
        else:
            patch.setattr(module, at, kill)
        with pytest.raises(Killed):
            memory.consolidate()
        for text in texts:
            assert [one.content for one in memory.search(text, mode="lexical", limit=1).results] == [text]

    memory.consolidate()

    assert sorted(_lines(memory)) == texts
    assert _working(memory) == []


def test_a_round_folds_no_section_and_takes_what_a_person_did_to_it(home: Home, memory: Memory) -> None:
    memory.add("The press is in the barn", author="person", at_once=True)
    section = memory.workspace / "MEMORY.md"
    edited = section.read_text().replace("in the barn", "in the shed")
    section.write_text(edited)
    memory.store("Gareth pays on Mondays")
    home.later(days=8)

    memory.consolidate()

    assert section.read_text() == edited
    assert sorted(_lines(memory)) == ["Gareth pays on Mondays", "The press is in the shed"]


def test_an_undo_of_the_section_takes_no_memory_with_it(home: Home, memory: Memory) -> None:
    memory.add("No meetings on Fridays", author="person", at_once=True)
    stored = memory.store("The boiler was serviced by Henk")
    home.later(days=8)
    memory.consolidate()
    line = memory.why(stored.id).line.observation.id
    memory.pin(line)
    memory.add("The press is in the barn", author="person", at_once=True)

    added = memory.undo()
    pinned = memory.undo()

    assert [len(one.undoing.gone) for one in (added, pinned)] == [1, 0]
    assert pinned.undoing.changed == (line,)
    assert [one.content for one in memory.search("who serviced the boiler?").results] == [stored.content]
    assert "boiler" not in (memory.workspace / "MEMORY.md").read_text()


def test_an_undo_leaves_what_no_longer_held_when_it_moved_as_it_was(home: Home) -> None:
    home.config["SCRIMSHAW_MEMORY_WORKING_MAX_ENTRIES"] = "10"
    with home.open() as memory:
        memory.add("No meetings on Fridays", author="person", at_once=True)
        old = memory.learn("Owen prefers perry")
        memory.learn("Owen prefers cider", supersedes=old.id)
        for number in range(10):
            memory.store(f"kept {number}", importance=0.95)
        memory.consolidate()
        before = memory.why(old.id).line.standing
        memory.add("The press is in the barn", author="person", at_once=True)

        undone = memory.undo()

        assert [line.observation.text for line in undone.lines.values()] == ["The press is in the barn"]
        assert memory.why(old.id).line.standing == before


def _in_between(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Have *act* done once in the next round, when it has read what will move and not yet moved it."""
    move = Moves.move
    acts = [act]

    def acted_meanwhile(self: Moves, moves: Sequence[Move]) -> list[Move]:
        if acts:
            acts.pop()()
        return move(self, moves)

    monkeypatch.setattr(Moves, "move", acted_meanwhile)


def _kill_between_commits(monkeypatch: pytest.MonkeyPatch, memory: Memory) -> None:
    """Consolidate, and be killed when the ledger has the line and the working layer still the memory."""

    def kill(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(memories, "leave", kill)
        with pytest.raises(Killed):
            memory.consolidate()


def _holders(home: Home, text: bytes) -> list[str]:
    return [one.name for one in home.folder.rglob("*") if one.is_file() and text in one.read_bytes()]


def test_what_is_used_or_pinned_during_a_round_stays(
    home: Home, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = memory.store("Gareth pays on Mondays")
    home.later(days=8)
    _in_between(monkeypatch, lambda: memory.recall("when does Gareth pay?"))

    memory.consolidate()

    assert [one.id for one in memories.page(memory._working().db, 9)] == [stored.id]
    assert _lines(memory) == []


def test_what_is_forgotten_during_a_round_is_not_noted(
    home: Home, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.store("Wenbury sold the Gloxinia orchard")
    memory.store("Nothing of it")
    home.later(days=8)
    with home.open() as other:
        _in_between(monkeypatch, lambda: other.forget(other.plan_forget("Gloxinia orchard")))
        done = memory.consolidate()
    memory.close()

    assert done.archived == 1
    assert _lines(memory) == ["Nothing of it"]
    assert _holders(home, b"loxinia") == []


def test_what_moves_between_the_plan_and_its_forgetting_is_forgotten(home: Home, memory: Memory) -> None:
    memory.store("Wenbury sold the Gloxinia orchard")
    home.later(days=8)
    plan = memory.plan_forget("Gloxinia orchard")
    assert memory.consolidate().archived == 1

    memory.forget(plan)
    memory.close()

    assert _lines(memory) == []
    assert _holders(home, b"loxinia") == []


def test_what_is_forgotten_after_a_kill_is_forgotten_in_both_layers(
    home: Home, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = memory.store("Wenbury sold the Gloxinia orchard")
    home.later(days=8)
    _kill_between_commits(monkeypatch, memory)
    memory.update_memory(stored.id, content="Wenbury sold a meadow")

    memory.forget(memory.plan_forget("Wenbury sold a meadow"))
    memory.consolidate()
    memory.close()

    assert _lines(memory) == []
    assert _holders(home, b"loxinia") == []


CHANGES: dict[str, dict[str, Any]] = {
    "its content": {"content": "Gareth pays on Fridays"},
    "its metadata": {"metadata": {"source": "letter"}, "importance": 0.8},
}


@pytest.mark.parametrize("changed", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("when", ["during the round", "after a kill"])
def test_a_memory_that_is_changed_before_it_has_moved_moves_later_as_it_is_then(
    home: Home, memory: Memory, monkeypatch: pytest.MonkeyPatch, when: str, changed: dict[str, Any]
) -> None:
    stored = memory.store("Gareth pays on Mondays", metadata={"source": "mail"})
    home.later(days=8)
    if when == "during the round":
        _in_between(monkeypatch, lambda: memory.update_memory(stored.id, **changed))
        assert memory.consolidate().archived == 0
    else:
        _kill_between_commits(monkeypatch, memory)
        memory.update_memory(stored.id, **changed)
        memory.consolidate()
    (found,) = memory.search("when does Gareth pay?").results
    assert found.source == "working"
    assert _lines(memory) == []
    home.later(days=8)

    assert memory.consolidate().archived == 1

    (found,) = memory.search("when does Gareth pay?").results
    assert (found.source, found.content) == ("episodic", changed.get("content", "Gareth pays on Mondays"))
    assert found.metadata["source"] == changed.get("metadata", {"source": "mail"})["source"]
    assert found.importance == changed.get("importance", 0.5)


@pytest.mark.parametrize("when", ["during the round", "after a kill"])
def test_a_memory_that_is_deleted_before_it_has_moved_is_no_line(
    home: Home, memory: Memory, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    stored = memory.store("Gareth pays on Mondays", id="pay")
    home.later(days=8)
    if when == "during the round":
        _in_between(monkeypatch, lambda: memory.delete_memory(stored.id))
    else:
        _kill_between_commits(monkeypatch, memory)
        memory.delete_memory(stored.id)

    memory.consolidate()

    assert _lines(memory) == []
    memory.store("Gareth pays on Mondays", id="pay")
    home.later(days=8)
    memory.consolidate()
    assert _lines(memory) == ["Gareth pays on Mondays"]  # it was said once more


@pytest.mark.parametrize("how", ["deleted", "forgotten"])
def test_another_memory_stored_meanwhile_by_the_id_of_one_that_is_gone_stays_and_the_other_is_no_line(
    home: Home, memory: Memory, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    memory.store("Wenbury sold the Gloxinia orchard", id="slot")
    home.later(days=8)

    def replaced() -> None:
        if how == "deleted":
            memory.delete_memory("slot")
        else:
            memory.forget(memory.plan_forget("Gloxinia orchard"))
        memory.store("The meeting is at noon", id="slot")

    _in_between(monkeypatch, replaced)

    assert memory.consolidate().archived == 0

    assert (_working(memory), _lines(memory)) == (["The meeting is at noon"], [])
    assert memory._working().db.rows("select * from moved") == []
    home.later(days=8)
    assert memory.consolidate().archived == 1
    assert _lines(memory) == ["The meeting is at noon"]


def test_another_memory_stored_after_a_kill_by_the_id_of_a_deleted_one_closes_the_line_of_that(
    home: Home, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.store("Gareth pays on Mondays", id="slot")
    home.later(days=8)
    _kill_between_commits(monkeypatch, memory)
    memory.delete_memory("slot")
    memory.store("The meeting is at noon", id="slot")

    memory.consolidate()

    assert (_working(memory), _lines(memory)) == (["The meeting is at noon"], [])


def test_what_is_stored_again_after_it_was_forgotten_becomes_a_line_again(home: Home, memory: Memory) -> None:
    for _ in range(2):  # each time another line
        memory.store("Gareth pays on Mondays", id="pay")
        home.later(days=8)
        memory.consolidate()
        memory.forget(memory.plan_forget("pay"))
        assert _lines(memory) == []
    memory.store("Gareth pays on Mondays", id="pay")
    home.later(days=8)

    assert memory.consolidate(dry_run=True).archived == 1
    assert memory.consolidate().archived == 1

    assert (_working(memory), _lines(memory)) == ([], ["Gareth pays on Mondays"])
    assert memory.memory("pay").content == "Gareth pays on Mondays"
    assert memory.search("when does Gareth pay?").results[0].content == "Gareth pays on Mondays"


def test_a_memory_whose_line_is_forgotten_before_it_moves_stays_until_it_has_a_line_of_its_own(
    home: Home, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.store("Gareth pays on Mondays", id="pay")
    home.later(days=8)
    _kill_between_commits(monkeypatch, memory)

    def forgotten_as_a_line() -> None:
        with open_ledger(memory.target.layout.ledger, create=False) as ledger:
            (line,) = ledger.live_lines()
            at_ms = milliseconds(home.now)
            ledger.append([Event(EventType.FORGOTTEN, line.observation.id, at_ms, "person")])

    _in_between(monkeypatch, forgotten_as_a_line)

    assert memory.consolidate().archived == 0
    assert _working(memory) == ["Gareth pays on Mondays"]
    assert memory.consolidate().archived == 1
    assert (_working(memory), _lines(memory)) == ([], ["Gareth pays on Mondays"])


def test_what_says_the_same_as_a_memory_that_stays_stays_too(
    home: Home, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = memory.store("Gareth pays on Mondays")
    memory.store("Gareth pays on Mondays")
    home.later(days=8)
    _in_between(monkeypatch, lambda: memory.update_memory(first.id, content="Gareth pays on Fridays"))

    assert memory.consolidate().archived == 0
    assert sorted(_working(memory)) == ["Gareth pays on Fridays", "Gareth pays on Mondays"]
    assert memory.consolidate().archived == 1
    assert _lines(memory) == ["Gareth pays on Mondays"]


def test_a_program_can_store_while_a_round_compares_and_while_it_writes_files(
    home: Home, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.store("Gareth pays on Mondays")
    home.later(days=8)
    publish = module.publish
    with home.open() as other:

        def stored_meanwhile(*given: object) -> object:
            other.store("The press is in the barn")
            return publish(*given)  # type: ignore[arg-type]

        _in_between(monkeypatch, lambda: other.store("Owen likes cider"))
        monkeypatch.setattr(module, "publish", stored_meanwhile)

        assert memory.consolidate().archived == 1
    assert sorted(_working(memory)) == ["Owen likes cider", "The press is in the barn"]


def test_a_round_that_is_killed_before_the_files_has_the_next_one_write_them(
    home: Home, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.store("Gareth pays on Mondays")
    home.later(days=8)

    def kill(*_: object, **__: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(module, "publish", kill)
        with pytest.raises(Killed):
            memory.consolidate()
    dated = memory.workspace / "memory/observations/obs-2026-11-20.md"
    assert not dated.exists()

    memory.consolidate()

    assert "Gareth pays on Mondays" in dated.read_text()


def test_a_memory_that_has_moved_is_found_by_its_id(home: Home, memory: Memory) -> None:
    stored = memory.store("Gareth pays on Mondays", metadata={"source": "mail"}, importance=0.6, owner_id="o")
    home.later(days=8)
    memory.consolidate()
    (line,) = memory.search("when does Gareth pay?").results

    found = memory.memory(stored.id)

    assert isinstance(found, StoredMemory)
    assert found.to_dict() | {"layer": "episodic"} == found.to_dict()
    assert (found.id, found.content, found.type) == (stored.id, stored.content, stored.type)
    assert (found.metadata, found.importance, found.owner_id) == ({"source": "mail"}, 0.6, "o")
    assert (found.created_at, found.agent) == (stored.created_at, "albert")
    got = memory.get([stored.id])
    assert ([one.observation.id for one in got.lines], got.missing) == ([line.id], ())
    assert memory.why(stored.id).line.observation.id == line.id
    assert memory.pin(stored.id).line.observation.id == line.id
    assert memory.unpin(stored.id).line.observation.id == line.id
    assert [one.observation.id for one in memory.plan_forget(stored.id).lines] == [line.id]


def test_what_was_said_already_is_found_by_the_id_that_it_was_stored_with(home: Home, memory: Memory) -> None:
    memory.add("Gareth pays on Mondays", author="person")
    stored = memory.store("gareth pays on mondays")
    home.later(days=8)
    assert memory.consolidate().deduplicated == 1

    assert memory.why(stored.id).line.observation.author is Author.PERSON
    found = memory.memory(stored.id)
    assert (found.id, found.content) == (stored.id, "Gareth pays on Mondays")
    assert memory.store("gareth pays on mondays", id=stored.id).content == "gareth pays on mondays"
    with pytest.raises(UserError, match="something else"):
        memory.store("Gareth pays on Fridays", id=stored.id)


def test_what_is_stored_again_by_an_id_that_has_moved_is_known(home: Home, memory: Memory) -> None:
    memory.store("The cellar is cold", id="k1")
    memory.store("The cellar is dark", id="k2")
    memory.update_memory("k2", content="The cellar is light")
    home.later(days=8)
    memory.consolidate()

    again = memory.store("The cellar is cold", id="k1")

    assert (again.layer, again.content) == ("episodic", "The cellar is cold")
    assert memory.store("The cellar is dark", id="k2").content == "The cellar is light"  # as in the layer
    with pytest.raises(UserError, match="something else"):
        memory.store("The cellar is warm", id="k1")
    with pytest.raises(UserError, match="something else"):
        memory.learn("The cellar is cold", id="k1")
    assert _working(memory) == []


def test_knowledge_that_has_moved_is_known_by_its_id(home: Home) -> None:
    home.config["SCRIMSHAW_MEMORY_WORKING_MAX_ENTRIES"] = "10"
    with home.open() as memory:
        told: dict[str, Any] = {"category": "preference", "confidence": 0.3, "source": "mail"}
        learnt = memory.learn("Owen prefers cider", **told, metadata={"a": 1}, owner_id="owen")
        home.later(days=30)
        for number in range(10):
            memory.store(f"kept {number}", importance=0.8, type="semantic")
        memory.consolidate()

        assert memory.memory(learnt.id) == learnt
        assert memory.learn("Owen prefers cider", **told, id=learnt.id) == learnt


def test_a_forgotten_memory_leaves_nothing_by_its_id(home: Home, memory: Memory) -> None:
    stored = memory.store("\n".join(f"Paragraph {number} of the Gloxinia deed." for number in range(20)))
    home.later(days=8)
    memory.consolidate()
    with pytest.raises(UserError, match="20 lines"):
        memory.pin(stored.id)
    assert memory.why(stored.id).line.observation.text == "Paragraph 0 of the Gloxinia deed."

    memory.forget(memory.plan_forget(stored.id))

    with pytest.raises(NotFoundError):
        memory.memory(stored.id)
    assert memory.get([stored.id]).missing == (stored.id,)
    assert memory._working().db.rows("select * from moved") == []
    memory.close()
    assert _holders(home, b"loxinia") == []


def test_each_round_is_logged(home: Home, memory: Memory) -> None:
    memory.store("one")
    memory.store("two", pin=True)
    home.later(days=8)
    memory.consolidate()

    (row,) = memories.rounds(memory._working().db)

    assert row[:5] == ("albert", 1, 1, 0, 1)
    assert row.duration_ms >= 0


def test_a_round_is_due_by_its_interval_at_night_and_for_want_of_room(home: Home) -> None:
    home.config["SCRIMSHAW_MEMORY_WORKING_MAX_ENTRIES"] = "10"
    with home.open() as memory:
        target = memory.target

        def look() -> int:
            keep_up(target, home.now)
            return len(memories.rounds(memory._working().db))

        memory.store("Gareth pays on Mondays", importance=0.5)
        assert look() == 1  # 18:00
        home.later(hours=2)
        assert look() == 1
        home.later(hours=4)
        assert look() == 2  # six hours later
        home.later(hours=3, minutes=30)
        assert look() == 3  # 03:30, the night
        assert keep_up(target, home.now) == 6 * 3600
        for number in range(11):
            memory.store(f"kept {number}", type="semantic")
        assert look() == 4
        home.later(days=3)
        assert look() == 5
        assert all(one.importance < 0.5 for one in memories.page(memory._working().db, 20))


def test_importance_falls_each_night_also_where_a_program_consolidates_first(home: Home) -> None:
    with home.open() as memory:
        stored = memory.store("Gareth pays on Mondays", type="semantic")
        seen = []
        home.later(days=1)
        for _night in range(3):
            home.later(days=1)
            home.now = home.now.replace(hour=3, minute=1)
            memory.consolidate()
            home.later(hours=7)
            keep_up(memory.target, home.now)
            (kept,) = memories.page(memory._working().db, 1)
            seen.append(kept.importance)

    assert stored.importance > seen[0] > seen[1] > seen[2]


def test_consolidation_that_is_switched_off_is_never_due(home: Home) -> None:
    home.config["SCRIMSHAW_MEMORY_CONSOLIDATION_ENABLED"] = "false"
    with home.open() as memory:
        memory.store("Gareth pays on Mondays")
        home.later(days=30)

        assert keep_up(memory.target, home.now) == float("inf")
        assert _lines(memory) == []


def test_a_memory_is_forgotten_with_its_line_and_leaves_no_trace(home: Home, memory: Memory) -> None:
    memory.store("Wenbury sold the Gloxinia orchard")
    memory.store("Nothing of it")
    plan = memory.plan_forget("Gloxinia orchard")
    assert [one.content for one in plan.memories] == ["Wenbury sold the Gloxinia orchard"]
    memory.forget(plan)
    memory.store("Wenbury bought the Gloxinia meadow")
    home.later(days=8)
    memory.consolidate()
    memory.store("Wenbury bought the Gloxinia meadow")  # said once more, since

    memory.forget(memory.plan_forget("Gloxinia meadow"))
    memory.close()

    for path in Path(home.folder).rglob("*"):
        if path.is_file():
            assert b"loxinia" not in path.read_bytes(), path


def test_several_memories_that_are_meant_are_told_apart(memory: Memory) -> None:
    one = memory.store("Wenbury sold the orchard")
    memory.store("Wenbury bought the meadow")

    with pytest.raises(UserError, match="2 memories"):
        memory.plan_forget("Wenbury")
    assert [found.id for found in memory.plan_forget(one.id).memories] == [one.id]
    assert len(memory.plan_forget("Wenbury", all_lines=True).memories) == 2


def test_a_line_of_a_program_is_exported_and_imported_whole(home: Home, memory: Memory) -> None:
    pytest.importorskip("memvid_sdk")
    memory.store("Gareth pays on Mondays", metadata={"source": "mail"})
    home.later(days=8)
    memory.consolidate()
    file = home.folder / "memory.mv2"
    memory.export(file)

    with home.open("berta") as other:
        other.import_(file)
        (found,) = other.search("when does Gareth pay?").results
        other.add("The press is in the barn", author="person", at_once=True)

        assert found.metadata["source"] == "mail"
        assert found.metadata["author"] == "program"
        assert "Gareth" not in (other.workspace / "MEMORY.md").read_text()


def test_a_broken_working_file_is_told_and_the_ledger_goes_on(memory: Memory) -> None:
    memory.store("one")
    memory.add("The press is in the barn", author="person")
    memory._working().close()
    path = memory.target.layout.working
    for file in path.parent.glob("working.sqlite*"):
        file.unlink()
    path.write_bytes(b"nothing of a database" * 50)

    with pytest.raises(UserError, match="damaged"):
        memory.store("two")
    assert memory.search("where is the press?", layers=["episodic"]).hits
