"""Questions and indexes as nobody wishes them, and `--deep`, with a reader whose answers are known."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.index.fake_embedder import FakeEmbedder
from tests.recall.memory import Memory

from scrimshaw.config import Settings
from scrimshaw.core.types import EventType
from scrimshaw.index import embedding, reranking
from scrimshaw.services.search import index
from scrimshaw.services.search.search import SearchMode

ON = Settings()


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Memory:
    monkeypatch.setattr(embedding, "find_embedder", lambda *_asked, **_how: FakeEmbedder())
    monkeypatch.setattr(embedding, "why_none", lambda *_asked: "")
    return Memory(tmp_path)


class Reader:
    """A reader that holds the texts with *word* for the answer."""

    def __init__(self, word: str) -> None:
        self._word = word
        self.read: list[str] = []

    def scores(self, _question: str, texts: Sequence[str]) -> list[float]:
        self.read += texts
        return [4.0 if self._word in text else -4.0 for text in texts]


def _have(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reranking, "find_reranker", lambda: reader)
    monkeypatch.setattr(reranking, "why_none", lambda: "")


@pytest.mark.parametrize(
    "query",
    ["AND OR NOT (", 'text:dog "', "\x00\x1b[31m", "dog \udcff", "🍎", "word " * 20_000, "東" * 50_000],
)
@pytest.mark.parametrize("mode", list(SearchMode))
def test_no_question_is_too_odd(memory: Memory, query: str, mode: SearchMode) -> None:
    memory.note("The dog is called Ida")

    assert memory.search(query, ON, mode=mode).notes == ()


@pytest.mark.parametrize("query", ["", " \n\t", "\u2003"])
def test_nothing_is_found_for_no_question(memory: Memory, query: str) -> None:
    memory.note("The dog is called Ida")

    assert memory.search(query, ON).hits == ()


def test_vectors_of_lines_that_are_not_there_yet_are_not_believed(memory: Memory) -> None:
    memory.note("The dog is called Ida")
    memory.search("dog", ON)
    (marks,) = index.vectors_folder(memory.layout).glob("*/marks")
    marks.write_bytes(b"\x5a" * marks.stat().st_size)

    found = memory.search("dog", ON)

    assert len(found.hits) == 1
    assert "scrimshaw reindex" in found.notes[0]


def test_deep_puts_what_the_reader_holds_for_the_answer_first(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.note("The dog is called Ida", "What is the dog called?")
    before = memory.texts("What is the dog called?")
    _have(Reader("Ida"), monkeypatch)

    hits = memory.search("What is the dog called?", is_deep=True).hits

    assert before[0] == "What is the dog called?"
    assert hits[0].line.observation.text == "The dog is called Ida"
    assert hits[0].score > 0.9
    assert hits[1].score < 0.1


def test_deep_reads_no_more_than_the_best_and_keeps_to_limit_and_score(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.note(*(f"The dog met number {number} today" for number in range(60)))
    reader = Reader("number 7 ")
    _have(reader, monkeypatch)

    few = memory.search("number 7 dog", is_deep=True, limit=2).hits
    good = memory.search("number 7 dog", is_deep=True, min_score=0.5).hits
    many = memory.search("dog", is_deep=True, limit=50).hits

    assert len(few) == 2
    assert [hit.line.observation.text for hit in good] == ["The dog met number 7 today"]
    assert len(many) == 50
    assert [hit.score for hit in many] == sorted((hit.score for hit in many), reverse=True)
    assert len(reader.read) == 3 * reranking.READ_AGAIN


def test_deep_never_reads_what_was_withdrawn_and_lays_what_was_replaced_below(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new, gone = memory.note("The dog is Ida", "The dog is now Ida the second", "The dog Ida bit me")
    memory.happen(EventType.SUPERSEDED, old, new)
    memory.happen(EventType.WITHDRAWN, gone)
    reader = Reader("Ida")
    _have(reader, monkeypatch)

    hits = memory.search("dog Ida", is_deep=True).hits

    assert [hit.line.observation.id for hit in hits] == [new, old]
    assert "The dog Ida bit me" not in reader.read


def test_without_a_reader_deep_is_a_plain_search_and_says_so(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.note("The dog is called Ida")
    monkeypatch.setattr(reranking, "why_none", lambda: "no model for reading again is installed")

    found = memory.search("dog", ON, is_deep=True)

    assert len(found.hits) == 1
    assert found.notes == ("Not read again (--deep): no model for reading again is installed.",)
