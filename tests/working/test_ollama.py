"""Vectors of memories by Ollama: 768 numbers, kept once, and a server that is away or comes back."""

import http.server
from collections.abc import Iterator
from math import inf
from typing import Never

import numpy as np
import pytest
from tests.working.conftest import Home
from tests.working.ollama_server import OllamaServer, ollama_vector

from scrimshaw import Memory
from scrimshaw.core.working import EmbeddingStatus
from scrimshaw.errors import UserError
from scrimshaw.services.working.layer import make_missing
from scrimshaw.services.working.rounds import keep_up
from scrimshaw.working import memories, vectors


def _looked(memory: Memory) -> float:
    """Return what a daemon's look at the vectors says."""
    settings = memory.target.config.settings
    return make_missing(memory._working(), settings, lambda: False)


@pytest.fixture
def memory(home: Home, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    """Return a memory whose own threads make nothing: what is made, a look of the daemon's has made."""
    home.config = {
        "SCRIMSHAW_EMBEDDINGS": "ollama/nomic-embed-text",
        "SCRIMSHAW_MEMORY_EMBEDDING_FALLBACK": "off",
    }
    monkeypatch.setattr("scrimshaw.services.working.layer.WorkingLayer.embed_soon", lambda _: None)
    with home.open() as opened:
        yield opened


def test_a_memory_gets_768_numbers_of_ollama_and_is_found_by_its_meaning(
    memory: Memory, ollama: object
) -> None:
    stored = memory.store("The invoice is overdue")
    memory.store("The press is in the barn")

    assert _looked(memory) == inf

    kept = memory._working().db.rows("select model, dimensions, length(vector) from vector")
    assert kept == [("ollama/nomic-embed-text", 768, 768 * 4)] * 2
    found = memory.search("which bill?", mode="semantic", limit=1).results
    assert [one.id for one in found] == [stored.id]
    by_words = memory.search("what of the invoice?", mode="lexical", limit=1).results
    assert [one.id for one in by_words] == [stored.id]


def test_a_context_asks_no_server_for_the_vector_of_its_question(memory: Memory, ollama: object) -> None:
    memory.store("The invoice is overdue")
    memory.store("The press is in the barn")
    _looked(memory)
    memory.search("which bill?")
    asked = list(OllamaServer.asked)

    context = memory.get_context("t1", query="what of the invoice or the bill?")

    assert [one.content for one in context.parts.memories] == ["The invoice is overdue"]
    assert OllamaServer.asked == asked


_ALIKE = ("The invoice of the press is overdue", "Overdue: the bill of the press")


class _Asked(BaseException):
    """Nothing catches it: that a server was asked shows, whatever is made of its answer."""


def _refuses() -> Never:
    raise UserError("It gave no vectors.")


def _hangs() -> Never:
    raise _Asked


@pytest.fixture(params=[_refuses, _hangs])
def mute(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return which requests were made to a server that refuses them, or would never answer."""
    requests: list[str] = []

    def ask(*_: object) -> Never:
        requests.append("asked")
        request.param()

    monkeypatch.setattr("scrimshaw.index.embedding.Ollama._ask", ask)
    monkeypatch.setattr("scrimshaw.index.embedding.Ollama.why_away", ask)
    return requests


def test_a_context_of_memories_that_are_alike_asks_no_server_that_refuses_or_hangs(
    memory: Memory, mute: list[str]
) -> None:
    for text in _ALIKE:
        memory.store(text)

    context = memory.get_context("t1", query="what of the overdue press?")

    assert {one.content for one in context.parts.memories} == set(_ALIKE)
    assert mute == []


def test_a_search_by_words_of_memories_that_are_alike_asks_no_server_that_refuses_or_hangs(
    memory: Memory, mute: list[str]
) -> None:
    for text in _ALIKE:
        memory.store(text)

    found = memory.search("what of the overdue press?", mode="lexical").results

    assert {one.content for one in found} == set(_ALIKE)
    assert mute == []


@pytest.mark.parametrize("has_searched", [False, True])
def test_a_search_goes_by_words_where_the_server_refuses_though_memories_are_alike(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, *, has_searched: bool
) -> None:
    def refuses(*_: object) -> Never:
        raise UserError("It gave no vectors.")

    for text in _ALIKE:
        memory.store(text)
    monkeypatch.setattr("scrimshaw.index.embedding.Ollama._ask", refuses)
    if has_searched:
        memory.search("what of the overdue press?")

    found = memory.search("what of the overdue press?").results

    assert {one.content for one in found} == set(_ALIKE)
    context = memory.get_context("t1", query="what of the overdue press?")
    assert {one.content for one in context.parts.memories} == set(_ALIKE)


def test_vectors_that_are_there_tell_what_says_the_same_while_the_server_is_away(
    home: Home, memory: Memory, ollama: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text in _ALIKE:
        memory.store(text)
    _looked(memory)

    def ask(*_: object) -> Never:
        raise _Asked

    monkeypatch.setattr("scrimshaw.index.embedding.Ollama._ask", ask)
    monkeypatch.setattr("scrimshaw.index.embedding.Ollama.why_away", ask)
    with home.open() as anew:  # knows nothing of the server
        context = anew.get_context("t1", query="what of the overdue press?")
        found = anew.search("what of the overdue press?", mode="lexical").results

    assert len(context.parts.memories) == 1
    assert len(found) == 1


def test_a_vector_is_made_once_for_each_text_and_anew_where_it_changes(
    memory: Memory, ollama: object
) -> None:
    stored = memory.store("The invoice is overdue")
    _looked(memory)
    _looked(memory)
    assert len(OllamaServer.asked) == 1

    memory.update_memory(stored.id, importance=0.7)
    _looked(memory)
    assert len(OllamaServer.asked) == 1
    memory.update_memory(stored.id, content="The barn is empty")
    _looked(memory)

    assert OllamaServer.asked[1:] == ["search_document: The barn is empty"]
    assert vectors.count(memory._working().db) == 1


def test_the_nearness_of_two_texts_is_their_cosine(memory: Memory, ollama: object) -> None:
    first, second = memory.store("The invoice is overdue"), memory.store("He pays the bill")
    _looked(memory)
    db = memory._working().db
    numbers = dict(db.rows("select id, number from memory"))
    scan = vectors.Scan(db, "ollama/nomic-embed-text", 768)
    asked = scan.vector(numbers[first.id])
    assert asked is not None

    found = scan.cosines(asked, [numbers[second.id]])[numbers[second.id]]

    texts = ("search_document: The invoice is overdue", "search_document: He pays the bill")
    a, b = (np.array(ollama_vector(text)) for text in texts)
    assert found == pytest.approx(float(a @ b / np.linalg.norm(a) / np.linalg.norm(b)), abs=1e-5)


def test_with_ollama_down_a_store_stands_a_search_goes_by_words_and_the_daemon_comes_again(
    home: Home, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
    stored = memory.store("The invoice is overdue")

    assert _looked(memory) == 60
    assert keep_up(memory.target, home.now) == 60

    (found,) = memory.search("what of the invoice?").results
    assert found.id == stored.id
    assert vectors.count(memory._working().db) == 0
    held = memories.by_id(memory._working().db, stored.id)
    assert held is not None
    assert held.embedding_status in (EmbeddingStatus.PENDING, EmbeddingStatus.QUEUED)


def test_when_ollama_is_back_what_waited_gets_its_vectors(
    home: Home, memory: Memory, ollama: http.server.HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as away:
        away.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
        stored = memory.store("The invoice is overdue")
        assert _looked(memory) == 60

    keep_up(memory.target, home.now)

    held = memories.by_id(memory._working().db, stored.id)
    assert held is not None
    assert held.embedding_status is EmbeddingStatus.READY


def test_with_ollama_gone_in_the_middle_of_a_round_nothing_is_lost_or_doubled(
    home: Home, memory: Memory, ollama: http.server.HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        memory.store(f"Cask {number} is in the barn")
    _looked(memory)
    monkeypatch.setenv("OLLAMA_HOST", "http://127.0.0.1:9")
    home.later(days=8)

    done = memory.consolidate()

    assert done.archived + done.deduplicated == 4
    assert memory.memories().memories == ()
    texts = sorted(hit.line.observation.text for hit, _ in memory.search("cask", mode="lexical").hits)
    assert texts == [f"Cask {number} is in the barn" for number in range(4)]


def test_many_vectors_are_made_a_look_at_a_time(
    memory: Memory, ollama: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scrimshaw.services.working.layer._A_LOOK", 1)
    for number in range(40):
        memory.store(f"Cask {number}")

    assert _looked(memory) == 1
    assert _looked(memory) == inf
    assert vectors.count(memory._working().db) == 40
