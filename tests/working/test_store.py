"""What programs store: kept with its fields, redacted, found at once in both ways, and used."""

import json
import sqlite3
import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.support.forked import exit_code_beside
from tests.working.conftest import Home

from scrimshaw import Memory, UserError
from scrimshaw.clock import milliseconds
from scrimshaw.core.working import EmbeddingStatus, MemoryType
from scrimshaw.index import embedding
from scrimshaw.services.working.cleaning import MOST_CHARS
from scrimshaw.services.working.layer import embed_all
from scrimshaw.working import memories, vectors

needs_model = pytest.mark.skipif(bool(embedding.why_none()), reason="no embedding model is installed")


def _texts(memory: Memory, query: str, **how: object) -> list[str]:
    return [one.content for one in memory.search(query, **how).results]  # type: ignore[arg-type]


def test_a_store_answers_with_the_fields_that_were_named(memory: Memory) -> None:
    stored = memory.store(
        "Gareth pays on Mondays", importance=0.7, metadata={"source": "mail"}, owner_id="o1"
    )

    assert stored.to_dict() == {
        "id": stored.id,
        "layer": "working",
        "owner_id": "o1",
        "agent": "albert",
        "type": "episodic",
        "content": "Gareth pays on Mondays",
        "metadata": {"source": "mail"},
        "importance": 0.7,
        "access_count": 0,
        "pinned": False,
        "embedding_status": "pending",
        "created_at": "2026-11-20T18:00:00.000Z",
        "updated_at": "2026-11-20T18:00:00.000Z",
        "last_accessed_at": "2026-11-20T18:00:00.000Z",
        "expires_at": "2026-11-27T18:00:00.000Z",
        "version": 1,
    }
    assert memories.by_id(memory._working().db, stored.id) == stored
    assert json.loads(str(stored)) == stored.to_dict()


def test_what_is_stored_is_found_by_another_process_at_once(home: Home, memory: Memory) -> None:
    memory.store("Gareth at the Plough pays on Mondays")

    with home.open() as other:
        assert _texts(other, "when does Gareth pay?") == ["Gareth at the Plough pays on Mondays"]
        assert _texts(other, "when does Gareth pay?", layers=["episodic"]) == []
        assert _texts(other, "who flew to the moon?") == []


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Die Hefe liegt im Kühlraum hinter der Presse", "wo liegt die hefe?"),
        ("Le pressoir est réparé depuis hier soir", "le pressoir repare"),
        ("顧客は東京に住んでいます", "東京"),
        ("Ключи лежат под ковриком", "где ключи"),
    ],
)
def test_words_of_other_languages_are_found(memory: Memory, text: str, question: str) -> None:
    memory.store(text)

    assert _texts(memory, question, mode="lexical") == [text]


def test_a_secret_and_a_private_part_are_taken_out(memory: Memory) -> None:
    key = "sk-" + "ant-api03-" + "aB3dE5fG7hJ9kL1mN2pQ4rS6" * 3

    stored = memory.store(f"The key is {key} <private>and the cat</private>", metadata={"a": [{"b": key}]})

    kept = json.dumps(stored.to_dict())
    assert key not in kept
    assert "the cat" not in kept
    path = memory.target.layout.working
    for file in path.parent.glob("working.sqlite*"):
        assert key.encode() not in file.read_bytes()


@pytest.mark.parametrize(
    "content", ["", "  ", "a\0b", "x" * (MOST_CHARS + 1), "\ud800", "<private>x</private>"]
)
def test_what_is_no_text_is_refused_and_nothing_is_stored(memory: Memory, content: str) -> None:
    with pytest.raises(UserError, match="Nothing was stored"):
        memory.store(content)

    assert memories.counts(memory._working().db) == (0, 0)


@pytest.mark.parametrize("metadata", [{"a": {1}}, {"a": "x" * 20_000}, {"a": float("nan")}])
def test_metadata_that_are_no_small_json_are_refused(memory: Memory, metadata: dict[str, object]) -> None:
    with pytest.raises(UserError, match="metadata"):
        memory.store("text", metadata=metadata)


def test_a_text_without_a_word_is_refused_for_that_and_a_private_one_for_being_private(
    memory: Memory,
) -> None:
    with pytest.raises(UserError, match="no letter and no digit"):
        memory.store("\N{PARTY POPPER}\N{PARTY POPPER}")
    with pytest.raises(UserError, match="private"):
        memory.store("<private>the safe's code</private>")


def test_an_importance_or_a_type_that_is_none_is_a_mistake_of_the_program(memory: Memory) -> None:
    with pytest.raises(ValueError, match="importance"):
        memory.store("text", importance=1.5)
    with pytest.raises(UserError, match="type: 'dream' is none of: episodic, semantic"):
        memory.store("text", type="dream")


def test_a_recall_moves_the_expiry_on_and_brings_importance_back(home: Home, memory: Memory) -> None:
    stored = memory.store("Gareth pays on Mondays", importance=0.6)
    db = memory._working().db
    home.later(days=3)
    assert memories.fade(db, "2026-11-23", round(home.now.timestamp() * 1000)) == 1
    faded = memories.by_id(db, stored.id)
    assert faded is not None
    assert faded.importance < 0.6

    memory.recall("when does Gareth pay?")

    used = memories.by_id(db, stored.id)
    assert used is not None
    assert (used.importance, used.access_count) == (0.6, 1)
    assert used.expires_at == home.now + timedelta(days=7)
    assert used.last_accessed_at == home.now


@pytest.mark.parametrize("is_knowledge", [False, True])
def test_a_read_by_id_is_a_use_like_a_recall(home: Home, memory: Memory, is_knowledge: bool) -> None:
    keep = memory.learn if is_knowledge else memory.store
    id_ = keep("Gareth pays on Mondays").id
    db = memory._working().db
    home.later(days=3)
    memories.fade(db, "2026-11-23", milliseconds(home.now))

    memory.memory(id_)

    used = memories.by_id(db, id_)
    assert used is not None
    assert (used.importance, used.access_count, used.version) == (0.5, 1, 1)
    assert used.expires_at == home.now + timedelta(days=7)
    assert used.last_accessed_at == home.now
    memory.get([id_])
    memory.why_memory(id_)
    assert memories.by_id(db, id_) == used


def test_a_reader_waits_for_nobody_who_writes(memory: Memory) -> None:
    stored = memory.store("Gareth pays on Mondays")
    other = sqlite3.connect(memory.target.layout.working, isolation_level=None)
    other.execute("begin immediate")

    assert memory.memory(stored.id) == stored
    assert [one.id for one in memory.recall("when does Gareth pay?").results] == [stored.id]
    assert memory._working().db.row("pragma busy_timeout") == (5000,)
    other.execute("rollback")
    other.close()
    assert memory.memory(stored.id).to_dict()["access_count"] == 0
    assert memory.memory(stored.id).to_dict()["access_count"] == 1


def test_a_search_alone_uses_nothing(memory: Memory) -> None:
    stored = memory.store("Gareth pays on Mondays")

    memory.search("when does Gareth pay?")

    found = memories.by_id(memory._working().db, stored.id)
    assert found is not None
    assert found.access_count == 0


def test_importance_falls_for_the_nights_that_were_missed_while_nobody_read(
    home: Home, memory: Memory
) -> None:
    unread = memory.store("one", importance=0.5)
    read = memory.store("two", importance=0.5)
    db = memory._working().db

    def fade() -> list[float]:
        memories.fade(db, f"{home.now:%Y-%m-%d}", round((home.now - timedelta(days=1)).timestamp() * 1000))
        found = [memories.by_id(db, one.id) for one in (unread, read)]
        return [one.importance for one in found if one]

    home.later(days=3)
    assert fade() == pytest.approx([0.5 * 0.97**2] * 2)  # read for the last time two nights before the third
    home.later(days=1)
    memory.recall("two")
    home.later(days=9)

    assert fade() == pytest.approx([0.5 * 0.97**12, 0.5 * 0.97**8])


def test_importance_falls_once_a_night_and_never_of_what_lasts(memory: Memory) -> None:
    plain = memory.store("one", importance=0.5)
    lasting = [memory.store("two", importance=0.95), memory.store("three", pin=True)]
    db = memory._working().db

    def night(day: int) -> int:
        return memories.fade(
            db, f"2026-11-{day}", round(datetime(2026, 11, day, tzinfo=UTC).timestamp() * 1000)
        )

    assert [night(20), night(21), night(21), night(22)] == [0, 1, 0, 1]

    fallen = memories.by_id(db, plain.id)
    assert fallen is not None
    assert fallen.importance == pytest.approx(0.5 * 0.97**2)
    for one in lasting:
        assert one.expires_at is None
        kept = memories.by_id(db, one.id)
        assert kept is not None
        assert kept.importance == one.importance


def test_both_layers_come_in_one_order_and_the_same_text_once(memory: Memory) -> None:
    memory.add("Gareth at the Plough pays on Mondays", author="person")
    memory.store("Gareth at the Plough pays on Mondays")
    memory.store("Gareth at the Plough owes 40 pounds", importance=0.9)

    found = memory.search("what about Gareth at the Plough?")

    assert len(found.results) == 2
    assert (found.working_count, found.to_dict()["episodic_count"]) in ((2, 0), (1, 1))
    scores = [one.score for one in found.results]
    assert scores == sorted(scores, reverse=True)
    assert set(found.to_dict()["results"][0]) == {
        *("id", "content", "score", "source", "agent", "type", "importance", "created_at", "metadata"),
        *("closed", "is_set_aside"),
    }


def test_a_time_range_narrows_both_layers(home: Home, memory: Memory) -> None:
    memory.store("Gareth pays on Mondays")
    home.later(days=5)
    memory.store("Gareth pays on Fridays")

    assert _texts(memory, "when does Gareth pay?", since=home.now.date()) == ["Gareth pays on Fridays"]
    assert _texts(memory, "when does Gareth pay?", min_score=0.999) == []


def test_knowledge_is_kept_apart_and_found_alike(memory: Memory) -> None:
    layer = memory._working()
    learnt = memory.learn("Perry pears ferment slowly")

    assert memory.knowledge().knowledge == (learnt,)
    assert memories.page(layer.db, 10) == []
    assert memories.counts(layer.db) == (0, 1)
    assert _texts(memory, "how do perry pears ferment?") == ["Perry pears ferment slowly"]


def test_many_threads_store_and_search(memory: Memory) -> None:
    def work(number: int) -> None:
        for at in range(20):
            memory.store(f"barrel {number} holds {at} litres")
            memory.search("barrel", mode="lexical")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert memories.counts(memory._working().db) == (80, 0)


@pytest.mark.parametrize("name", ["id", "owner_id"])
@pytest.mark.parametrize("text", ["x" * 201, "two\nlines", "half of a pair \ud800", "\0"])
def test_what_can_be_no_name_is_refused(memory: Memory, name: str, text: str) -> None:
    for put in (memory.store, memory.learn):
        with pytest.raises(UserError, match=f"{name}: should be at most 200 printable"):
            put("Gareth pays on Mondays", **{name: text})  # type: ignore[operator]

    assert memories.counts(memory._working().db) == (0, 0)


def test_a_closed_memory_stores_nothing(memory: Memory) -> None:
    memory.close()

    with pytest.raises(UserError, match="closed"):
        memory.store("text")


@pytest.mark.parametrize("call", [lambda m: m.store("Ines pays"), lambda m: m.search("Gareth")])
def test_a_forked_process_waits_for_no_thread_of_its_parent(
    memory: Memory, call: Callable[[Memory], object]
) -> None:
    memory.store("Gareth pays on Mondays")
    memory.search("Gareth")
    is_held, may_end = threading.Event(), threading.Event()

    def hold() -> None:
        layer = memory._working()
        with memory._recalling, memory._lock, layer._scans, layer.postings._lock, layer.db._lock:
            is_held.set()
            may_end.wait(60)

    assert exit_code_beside(hold, is_held, may_end, lambda: call(memory)) == 0
    assert [one.id for one in memory.search("Gareth").results]


@needs_model
def test_vectors_are_made_in_the_background_and_once(home: Home) -> None:
    home.config = {}
    with home.open() as memory:
        stored = memory.store("Gareth settles his bills every Monday", type="semantic")
        layer = memory._working()
        made = threading.Event()
        for _ in range(600):
            found = memories.by_id(layer.db, stored.id)
            assert found is not None
            if found.embedding_status is EmbeddingStatus.READY:
                break
            made.wait(0.05)

        assert vectors.count(layer.db) == 1
        assert _texts(memory, "Gareth settles bills every week on Monday", mode="semantic") == [
            stored.content
        ]
        assert stored.type is MemoryType.SEMANTIC
        embedder = embedding.find_embedder()
        assert embedder is not None
        assert embed_all(layer.db, embedder) == 0
        thread = layer._thread
        assert thread is not None
    assert not thread.is_alive()  # its own: another test's may still be ending in this process


@needs_model
def test_two_ways_to_say_the_same_stand_once(home: Home) -> None:
    home.config = {}
    with home.open() as memory:
        memory.store("The customer prefers to be called in the morning.")
        memory.store("The customer prefers to be called in the mornings")
        memory.store("The customer prefers to be called at 16:00")
        embedder = embedding.find_embedder()
        assert embedder is not None
        embed_all(memory._working().db, embedder)

        found = _texts(memory, "when does the customer prefer to be called?")

    assert len(found) == 2
    assert "The customer prefers to be called at 16:00" in found


@needs_model
def test_what_a_process_left_without_vectors_gets_them_from_the_next(home: Home) -> None:
    with home.open() as memory:  # has no model
        stored = memory.store("Gareth settles his bills every Monday")
    home.config = {}

    with home.open() as memory:
        layer = memory._working()
        pause = threading.Event()
        for _ in range(600):
            found = memories.by_id(layer.db, stored.id)
            assert found is not None
            if found.embedding_status is EmbeddingStatus.READY:
                break
            pause.wait(0.05)

        assert vectors.count(layer.db) == 1


class _Model:
    """A model of three numbers that cannot take one text, and does something while it is asked."""

    dimensions = 3

    def __init__(self, name: str = "model", meanwhile: Callable[[], object] = lambda: None) -> None:
        self.name, self.meanwhile, self.asked = name, meanwhile, list[str]()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        self.meanwhile()
        if any("unspeakable" in text for text in texts):
            raise ValueError("no text for a model")
        return np.ones((len(texts), 3), dtype=np.float32)


def test_a_text_that_the_model_cannot_take_leaves_the_others_theirs(memory: Memory) -> None:
    stored = [memory.store(f"Cask {number}") for number in range(3)]
    refused = memory.store("Something unspeakable")
    stored += [memory.store(f"Barn {number}") for number in range(3)]
    db = memory._working().db

    made = embed_all(db, _Model())

    assert made == 6
    assert {one.id for one in memory.memories().memories if one.embedding_status == "ready"} == {
        one.id for one in stored
    }
    kept = memories.by_id(db, refused.id)
    assert kept is not None
    assert kept.embedding_status is EmbeddingStatus.FAILED


def test_a_text_that_changes_while_its_vector_is_made_gets_one_of_its_own(memory: Memory) -> None:
    stored = memory.store("The press is in the barn")
    db = memory._working().db
    changes = iter([lambda: memory.update_memory(stored.id, content="The press is in the yard")])
    model = _Model(meanwhile=lambda: next(changes, lambda: None)())

    embed_all(db, model)

    assert model.asked == ["The press is in the barn", "The press is in the yard"]
    assert vectors.count(db) == 1


def test_another_model_makes_vectors_of_its_own_and_the_first_ones_are_kept(memory: Memory) -> None:
    memory.store("The press is in the barn")
    db = memory._working().db
    first, second = _Model("first"), _Model("second")
    embed_all(db, first)
    assert not vectors.has_waiting(db, "first")
    assert vectors.has_waiting(db, "second")

    for model in (second, first):
        vectors.settle(db, model.name)
        embed_all(db, model)

    assert (len(first.asked), len(second.asked)) == (1, 1)
    assert vectors.count(db) == 2
    assert not vectors.has_waiting(db, "first")


def test_a_scan_lets_go_of_what_has_left_and_of_a_file_that_is_gone(memory: Memory) -> None:
    db, model = memory._working().db, _Model()
    stored = [memory.store(f"Cask {number}") for number in range(4)]
    embed_all(db, model)
    scan = vectors.Scan(db, model.name, 3)
    asked = np.ones(3, dtype=np.float32)
    assert len(scan.search(asked, 10)) == 4

    memories.remove(db, [one.id for one in stored[1:]])
    memory.store("Barn")
    embed_all(db, model)

    assert [one.key for one in scan.search(asked, 10)] == [1, 5]
    memory.update_memory(stored[0].id, content="Cask in the yard")
    assert [one.key for one in scan.search(asked, 10)] == [5]

    for path in list((memory.workspace / ".scrimshaw").glob("working.sqlite*")):
        path.unlink()
    assert scan.search(asked, 10) == []


@pytest.mark.parametrize("other", [{"type": "system"}, {"metadata": {"a": 1}}])
def test_an_id_for_the_same_words_stored_otherwise_is_refused(memory: Memory, other: dict[str, Any]) -> None:
    first = memory.store("Gareth pays on Mondays", id="1")

    with pytest.raises(UserError, match="stands for something else"):
        memory.store("Gareth pays on Mondays", id="1", **other)

    assert memory.store("Gareth pays on Mondays", id="1") == first
