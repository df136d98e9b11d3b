"""The sections `memory.episodic` and `memory.embedding`: each setting does what it says."""

import http.server
import sqlite3
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from tests.daemon.processes import until
from tests.working.conftest import Home
from tests.working.ollama_server import OllamaServer

from scrimshaw import Memory, UserError
from scrimshaw.config import load, user_file
from scrimshaw.core.working import EmbeddingStatus
from scrimshaw.index import embedding
from scrimshaw.services.archive import write
from scrimshaw.services.search import chosen, index
from scrimshaw.services.search.chosen import lines_model, memories_model, stand_in
from scrimshaw.services.working import layer
from scrimshaw.services.working.rounds import keep_up
from scrimshaw.working import vectors
from scrimshaw.working.database import WorkingDatabase

NOW = {"SCRIMSHAW_MEMORY_EMBEDDING_ASYNC": "false"}
OLLAMA = {"SCRIMSHAW_MEMORY_EMBEDDING_PRIMARY": "ollama", **NOW}
INVOICE, BARN = "The invoice is overdue", "The press is in the barn"


class _Fake:
    """A model of three numbers, in place of the installed one."""

    name, dimensions = "fake", 3

    def embed(self, texts: list[str]) -> np.ndarray:
        return np.array([self.embed_query(text) for text in texts], dtype=np.float32)

    def embed_query(self, text: str) -> np.ndarray:
        row = np.array([1.0, 5.0 * ("bill" in text or "invoice" in text), 5.0 * ("barn" in text)])
        return (row / np.linalg.norm(row)).astype(np.float32)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a model installed that is quick."""
    finds, why = embedding.find_embedder, embedding.why_none

    def find(wanted: str = "auto", *more: object, **how: bool) -> object:
        return _Fake() if wanted == "auto" else finds(wanted, *more, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(embedding, "find_embedder", find)
    lends = layer._embedder
    monkeypatch.setattr(
        layer,
        "_embedder",
        lambda asked, stops: nullcontext(_Fake()) if asked.model == "auto" else lends(asked, stops),
    )
    monkeypatch.setattr(
        embedding, "why_none", lambda wanted="auto", *_: "" if wanted == "auto" else why(wanted)
    )


@pytest.fixture
def elsewhere(ollama: http.server.HTTPServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the address of an Ollama that no variable names."""
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
    return f"http://127.0.0.1:{ollama.server_port}"


def _kept(memory: Memory) -> list[tuple[object, ...]]:
    """Return what the file holds of vectors."""
    with sqlite3.connect(memory.target.layout.working) as file:
        return file.execute("select model, dimensions from vector").fetchall()


def test_ollama_is_asked_at_the_address_and_for_the_model_that_are_set(home: Home, elsewhere: str) -> None:
    own = {"OLLAMA_URL": elsewhere, "OLLAMA_MODEL": "mxbai-embed-large"}
    home.config = OLLAMA | {f"SCRIMSHAW_MEMORY_EMBEDDING_{name}": value for name, value in own.items()}
    with home.open() as memory:
        stored = memory.store(INVOICE)

        assert _kept(memory) == [("ollama/mxbai-embed-large", 768)]
        assert INVOICE in OllamaServer.asked
        assert [one.id for one in memory.search("which bill?", mode="semantic").results] == [stored.id]


def test_lines_are_embedded_at_the_same_address_by_a_process_of_their_own(home: Home, elsewhere: str) -> None:
    home.config = OLLAMA | {"SCRIMSHAW_MEMORY_EMBEDDING_OLLAMA_URL": elsewhere}
    with home.open() as memory:
        memory.add(INVOICE)
        memory.reindex()

        assert f"search_document: {INVOICE}" in OllamaServer.asked


def test_a_store_that_waits_answers_when_its_vector_is_made(home: Home, ollama: object) -> None:
    home.config = dict(OLLAMA)
    with home.open() as memory:
        stored = memory.store(INVOICE)
        changed = memory.update_memory(stored.id, content=BARN)

    assert stored.embedding_status is EmbeddingStatus.READY
    assert changed.embedding_status is EmbeddingStatus.READY


def test_a_store_in_the_background_does_not_wait(home: Home, ollama: object) -> None:
    home.config = {"SCRIMSHAW_MEMORY_EMBEDDING_PRIMARY": "ollama"}
    with home.open() as memory:
        assert memory.store(INVOICE).embedding_status is EmbeddingStatus.PENDING


def test_while_ollama_is_away_the_installed_model_serves_and_its_own_vectors_come_later(
    home: Home, installed: None, ollama: http.server.HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.config = dict(OLLAMA)
    with monkeypatch.context() as away:
        away.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
        with home.open() as memory:
            stored = memory.store(INVOICE)
            assert stored.embedding_status is not EmbeddingStatus.READY
            until(lambda: _kept(memory) == [("fake", 3)])
            assert [one.id for one in memory.search("a bill?", mode="semantic").results] == [stored.id]

    with home.open() as memory:
        keep_up(memory.target, home.now)
        assert ("ollama/nomic-embed-text", 768) in _kept(memory)
        assert memory.memory(stored.id).to_dict()["embedding_status"] == "ready"


@pytest.mark.parametrize("of_lines", ["auto", "local"], ids=["one model", "memories have their own"])
def test_in_one_process_ollama_serves_again_a_minute_after_it_went_away(
    home: Home, installed: None, ollama: object, monkeypatch: pytest.MonkeyPatch, of_lines: str
) -> None:
    home.config = OLLAMA | {"SCRIMSHAW_MEMORY_EPISODIC_EMBEDDING_MODEL": of_lines}
    clock = [1000.0]
    monkeypatch.setattr(chosen, "monotonic", lambda: clock[0])

    def serves(memory: Memory, question: str) -> bool:
        """Tell whether it is Ollama whose vector of *question* finds the memory."""
        assert [one.content for one in memory.search(question, mode="semantic").results] == [INVOICE]
        return f"search_query: {question}" in OllamaServer.asked

    with home.open() as memory:
        memory.store(INVOICE)
        layer._stand_in(memory._working().db, memory.target.config.settings, lambda: False)
        before = serves(memory, "which bill?")
        OllamaServer.is_away = True
        away = serves(memory, "whose bill?")
        OllamaServer.is_away = False
        clock[0] += 59
        too_soon, looks_too_soon = serves(memory, "what bill?"), OllamaServer.looks
        OllamaServer.is_away, clock[0] = True, clock[0] + 2
        still_away, looks = serves(memory, "a bill?"), OllamaServer.looks
        OllamaServer.is_away, clock[0] = False, clock[0] + 61
        back = serves(memory, "any bill?")

    assert (before, away, too_soon, still_away, back) == (True, False, False, False, True)
    assert (looks_too_soon, looks) == (0, 1)


def test_with_no_fallback_words_serve(home: Home, installed: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
    home.config = OLLAMA | {"SCRIMSHAW_MEMORY_EMBEDDING_FALLBACK": "off"}
    with home.open() as memory:
        stored = memory.store(INVOICE)

        assert _kept(memory) == []
        assert [one.id for one in memory.search("what of the invoice?").results] == [stored.id]


def test_without_the_cache_no_vector_is_in_the_file_and_meanings_are_found(
    home: Home, ollama: object
) -> None:
    home.config = dict(OLLAMA)
    with home.open() as memory:
        stored = memory.store(INVOICE)
        assert len(_kept(memory)) == 1

    home.config |= {"SCRIMSHAW_MEMORY_EMBEDDING_CACHE_ENABLED": "false"}
    with home.open() as memory:
        other = memory.store(BARN)
        assert _kept(memory) == []  # what was there has gone, too
        found = memory.search("which bill?", mode="semantic", limit=1).results
        assert [one.id for one in found] == [stored.id]
        assert vectors.count(memory._working().db) == 2
        with home.open() as another:  # another process, as it were
            another.update_memory(other.id, content="The cask is red")
        memory.store("One more")
        assert not vectors.has_waiting(memory._working().db, "ollama/nomic-embed-text")
        assert keep_up(memory.target, home.now) > 0
        assert _kept(memory) == []


def test_lines_and_memories_may_have_models_of_their_own(home: Home, installed: None, ollama: object) -> None:
    home.config = OLLAMA | {"SCRIMSHAW_MEMORY_EPISODIC_EMBEDDING_MODEL": "local"}
    with home.open() as memory:
        line = memory.add("The barn is locked at ten")
        stored = memory.store(INVOICE)
        settings = memory.target.config.settings
        of_lines = [one.id for one in memory.search("where is the barn?", limit=1).results]
        of_memories = [one.id for one in memory.search("which bill?", mode="semantic", limit=1).results]

        assert (lines_model(settings).model, memories_model(settings).model) == (
            "auto",
            "ollama/nomic-embed-text",
        )
        assert _kept(memory) == [("ollama/nomic-embed-text", 768)]
        assert not any("locked" in text for text in OllamaServer.asked)
        assert line.line is not None
        assert of_lines == [line.line.id]
        assert of_memories == [stored.id]


@pytest.mark.parametrize("primary", ["ollama", "local", "auto", "off"])
def test_embeddings_off_is_off_for_all(primary: str) -> None:
    env = {"SCRIMSHAW_EMBEDDINGS": "off", "SCRIMSHAW_MEMORY_EMBEDDING_PRIMARY": primary}
    settings = load(None, "", {"HOME": "/nowhere", **env}).settings

    assert memories_model(settings).model == lines_model(settings).model == "off"
    assert stand_in(settings, memories_model(settings)) is None
    assert index.why_no_vectors(settings)


def test_without_the_episodic_layer_what_is_stored_stays_and_lines_are_not_searched(home: Home) -> None:
    with home.open() as memory:
        memory.add("The barn is locked at ten")
        assert len(memory.search("barn").results) == 1

    home.config |= {"SCRIMSHAW_MEMORY_EPISODIC_ENABLED": "false"}
    with home.open() as memory:
        stored = memory.store(BARN)
        home.later(days=30)
        found = memory.search("barn")

        assert [one.id for one in found.results] == [stored.id]
        assert any("memory.episodic.enabled" in note for note in found.notes)
        with pytest.raises(UserError, match=r"memory\.episodic\.enabled"):
            memory.consolidate()
        keep_up(memory.target, home.now)
        assert [one.id for one in memory.memories().memories] == [stored.id]
        assert write.keep_up(memory.target, home.now) == ()
        assert not memory.target.layout.episodic.exists()
        assert memory.archive().problems


@pytest.mark.parametrize(
    "said", ["episodic: {data_dir: /elsewhere}", "embedding: {ollama_url: 'http://box.example'}"]
)
def test_where_things_go_is_not_an_agents_to_say(home: Home, said: str) -> None:
    with home.open() as memory:
        workspace = memory.workspace
        file = workspace / ".scrimshaw" / "config.yaml"
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"memory:\n  {said}\n")

        with pytest.raises(UserError, match="for your own file alone"):
            load(workspace, "albert", {"HOME": str(home.folder.parent)})


def test_a_file_holds_the_sections_as_blocks_and_a_variable_goes_before_it(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path)}
    file = user_file(env)
    file.parent.mkdir(parents=True)
    file.write_text(
        "memory:\n"
        "  episodic: {enabled: true, data_dir: ~/agents, embedding_model: local}\n"
        "  embedding: {primary: ollama, ollama_url: 'http://box:11434', ollama_model: nomic-embed-text,\n"
        "              fallback: local, cache_enabled: true, async: true}\n"
    )

    from_file = load(None, "", env).settings
    by_variable = load(None, "", {**env, "SCRIMSHAW_MEMORY_EMBEDDING_PRIMARY": "off"}).settings

    assert memories_model(from_file) == ("ollama/nomic-embed-text", None, "http://box:11434")
    assert from_file.memory_episodic_data_dir == "~/agents"
    assert memories_model(by_variable).model == "off"


@pytest.mark.parametrize(
    "name",
    [
        "EPISODIC_ENABLED",
        "EMBEDDING_PRIMARY",
        "EMBEDDING_OLLAMA_URL",
        "EMBEDDING_FALLBACK",
        "EMBEDDING_ASYNC",
    ],
)
def test_what_is_none_of_it_is_refused_by_its_name(name: str) -> None:
    with pytest.raises(UserError) as told:
        load(None, "", {"HOME": "/nowhere", f"SCRIMSHAW_MEMORY_{name}": "'ftp://x y'"})

    assert f"memory_{name.lower()}" in str(told.value)


def test_what_is_held_in_memory_goes_with_the_connection(tmp_path: Path) -> None:
    db = WorkingDatabase(tmp_path / "working.sqlite", keeps_vectors=False)
    with db.transaction():
        db.write("insert into vector (id, model, dimensions, vector) values (1, 'm', 1, x'00')")
    assert vectors.count(db) == 1
    db.close()

    assert vectors.count(db) == 0
