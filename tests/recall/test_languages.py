"""Search across languages: two models side by side, the second only where it is needed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

np = pytest.importorskip("numpy", reason="numpy is not installed (the extra `semantic`)")

from tests.index.fake_embedder import FakeEmbedder  # noqa: E402
from tests.recall.memory import NOW, Memory  # noqa: E402

from scrimshaw.config import Settings  # noqa: E402
from scrimshaw.index import embedding, multilingual, process, vectors  # noqa: E402
from scrimshaw.services.search import index  # noqa: E402
from scrimshaw.services.search.search import Recall, SearchMode, SearchQuery  # noqa: E402

AUTO = Settings()
_ALIKE = {
    "mein sohn verträgt kein penicillin": "boy",
    "what is the boy allergic to": "boy",
    "der hund schläft": "dog",
    "wo ist der hund": "dog",
    "the dog sleeps": "dog",
}


class Tongues(FakeEmbedder):
    """A model to which what is alike is alike in every language."""

    def __init__(self) -> None:
        super().__init__(multilingual.NAME)

    def _row(self, text: str) -> np.ndarray:
        return super()._row(_ALIKE.get(text.lower().strip(".?"), text))


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> dict[str, FakeEmbedder]:
    """The two models, which both are installed."""
    found: dict[str, FakeEmbedder] = {
        embedding.AUTO: FakeEmbedder(embedding.BUNDLED, 384),
        multilingual.NAME: Tongues(),
    }
    monkeypatch.setattr(embedding, "find_embedder", lambda model, *_, **__: found[model])
    monkeypatch.setattr(embedding, "why_none", lambda *_: "")
    monkeypatch.setattr(multilingual, "why_none", lambda: "")
    return found


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path)


def _places(memory: Memory) -> set[str]:
    return {place.name for place in index.vectors_folder(memory.layout).iterdir()}


def test_a_question_in_another_language_finds_the_english_line(
    memory: Memory, models: dict[str, FakeEmbedder]
) -> None:
    memory.note("a van broke", "the dog sleeps", "rain tomorrow")

    found = memory.search("Wo ist der Hund?", AUTO)

    assert [hit.line.observation.text for hit in found.hits] == ["the dog sleeps"]
    assert found.mode is SearchMode.HYBRID
    assert found.notes == ()


def test_an_english_question_finds_the_line_in_another_language(
    memory: Memory, models: dict[str, FakeEmbedder]
) -> None:
    memory.note("a van broke", "Mein Sohn verträgt kein Penicillin.", "rain tomorrow")

    assert memory.texts("What is the boy allergic to?", AUTO) == ["Mein Sohn verträgt kein Penicillin."]


def test_where_all_is_english_the_second_model_is_never_asked(
    memory: Memory, models: dict[str, FakeEmbedder]
) -> None:
    memory.note("a van broke", "the puppy sleeps")

    found = memory.search("the dog", AUTO)

    assert found.hits[0].line.observation.text == "the puppy sleeps"
    assert models[multilingual.NAME].texts == []
    assert _places(memory) == {embedding.BUNDLED}


def test_the_vectors_of_both_are_kept_apart_and_forgotten_in_both(
    memory: Memory, models: dict[str, FakeEmbedder]
) -> None:
    memory.note("a van broke", "Der Hund schläft.")
    memory.search("Wo ist der Hund?", AUTO)
    folder = index.vectors_folder(memory.layout)
    rows = {name: (folder / name / "rows").stat().st_size for name in _places(memory)}

    index.forget(memory.layout, [2], NOW)

    assert rows == {embedding.BUNDLED: 2 * 384, multilingual.NAME: 2 * 512}
    for name, width in ((embedding.BUNDLED, 384), (multilingual.NAME, 512)):
        assert vectors.Vectors(folder, name, width).after(0)[0] == [1]


def test_what_is_left_of_other_models_goes_and_the_one_beside_stays(
    memory: Memory, models: dict[str, FakeEmbedder]
) -> None:
    memory.note("Der Hund schläft.")
    memory.search("Wo ist der Hund?", AUTO)
    folder = index.vectors_folder(memory.layout)
    (folder / "older").mkdir()

    vectors.forget_other_models(folder, embedding.BUNDLED, multilingual.NAME)

    assert _places(memory) == {embedding.BUNDLED, multilingual.NAME}


def test_the_model_beside_never_serves_in_place_of_the_wanted_one(
    memory: Memory, models: dict[str, FakeEmbedder]
) -> None:
    memory.note("Der Hund schläft.", "a van broke")
    memory.search("Wo ist der Hund?", AUTO)
    for file in (index.vectors_folder(memory.layout) / embedding.BUNDLED).iterdir():
        file.unlink()

    assert index.serving_model(memory.layout, AUTO) == embedding.Asked()


def test_a_model_of_the_owners_is_asked_for_every_language(
    memory: Memory, models: dict[str, FakeEmbedder], tmp_path: Path
) -> None:
    assert index.beside(Settings(embeddings="ollama/bge-m3")) is None
    assert index.beside(Settings(embeddings_folder=str(tmp_path))) is None
    assert index.beside(Settings(embeddings="off")) is None
    assert index.beside(AUTO) == embedding.Asked(multilingual.NAME)


def test_without_the_second_model_a_foreign_question_says_what_lacks_and_an_english_one_does_not(
    memory: Memory, models: dict[str, FakeEmbedder], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(multilingual, "why_none", lambda: "it is not installed")
    memory.note("Der Hund schläft.", "the dog sleeps")

    foreign, english = memory.search("Wo ist der Hund?", AUTO), memory.search("the dog", AUTO)

    assert foreign.lacks == "What is not in English was found by its words: it is not installed."
    assert foreign.notes == (foreign.lacks,)
    assert [hit.line.observation.text for hit in foreign.hits][:1] == ["Der Hund schläft."]
    assert (english.notes, english.lacks) == ((), "")


def test_many_lines_without_the_second_vector_are_told(
    memory: Memory, models: dict[str, FakeEmbedder], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scrimshaw.services.search.meanings._MADE_AT_ONCE", 2)
    memory.note("the dog sleeps", "a van broke")
    memory.search("the dog", AUTO)
    memory.note("rain tomorrow")
    memory.search("the dog", AUTO)

    found = memory.search("Wo ist der Hund?", AUTO)

    assert "3 lines have no vector for other languages than English yet." in found.notes[0]


def test_that_a_line_is_foreign_is_known_before_its_vector_is(
    memory: Memory, models: dict[str, FakeEmbedder], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.note("Der Hund schläft.")

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(vectors, "fill", killed)
    with pytest.raises(KeyboardInterrupt):
        memory.search("the dog", AUTO)

    assert index.has_foreign(memory.layout)


_CHILD = f"""
import sys
sys.path[:0] = {[path for path in sys.path if path]!r}
from scrimshaw.index import child
from tests.index.fake_embedder import FakeEmbedder
names = {{"auto": {embedding.BUNDLED!r}}}
child.find_embedder = lambda model, *_: FakeEmbedder(names.get(model, model))
sys.exit(child.main())
"""


def test_both_are_made_in_the_background_and_a_second_time_nothing_is_started(
    memory: Memory, models: dict[str, FakeEmbedder], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "COMMAND", (sys.executable, "-c", _CHILD))
    memory.note(*(f"line {at}" for at in range(20)), "Der Hund schläft.")

    with memory.ledger() as ledger:
        made = index.embed_missing(memory.layout, ledger, AUTO, NOW)
        monkeypatch.setattr(process, "COMMAND", ("/nowhere/at/all",))
        again = index.embed_missing(memory.layout, ledger, AUTO, NOW)
        problems = index.keep_up(memory.layout, ledger, AUTO, NOW, lambda: False)

    assert (made, again, problems) == (index.Embedded(21, 0), index.Embedded(0, 0), ())
    assert _places(memory) == {embedding.BUNDLED, multilingual.NAME}
    assert index.has_foreign(memory.layout)


def test_vectors_of_the_model_beside_that_are_missing_are_made_in_the_background(
    memory: Memory, models: dict[str, FakeEmbedder], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "COMMAND", (sys.executable, "-c", _CHILD))
    memory.note(*(f"line {at}" for at in range(20)))
    memory.search("line", AUTO)
    assert _places(memory) == {embedding.BUNDLED}

    with memory.ledger() as ledger:
        index.keep_up(memory.layout, ledger, AUTO, NOW, lambda: False)

    assert _places(memory) == {embedding.BUNDLED, multilingual.NAME}


def _first_five(corpus: Sequence[str], question: str, tmp_path: Path) -> list[str]:
    memory = Memory(tmp_path)
    memory.note(*corpus)
    return memory.texts(question, AUTO, limit=5)


@pytest.mark.skipif(
    bool(embedding.why_none() or multilingual.why_none()), reason="no models (the extra `semantic`)"
)
@pytest.mark.parametrize(
    "question",
    [
        "Which grandchild must not eat peanuts?",
        "Pourquoi le chien ne doit-il pas monter l'escalier ?",
        "次に心臓の医者に行くのはいつですか。",
    ],
)
def test_the_installed_models_find_across_languages(tmp_path: Path, question: str) -> None:
    from bench.tongues import read

    (person,) = [one for one in read(0) if one.language == "de"]
    (asked,) = [one for one in person.questions if one.text == question]

    found = _first_five(person.notes, question, tmp_path)

    assert person.notes[asked.place] in found


def test_a_quick_search_compares_english_alone_and_makes_and_asks_nothing_that_takes_long(
    memory: Memory, models: dict[str, FakeEmbedder], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.note("the puppy sleeps", "Der Hund schläft.", "a van broke")
    with memory.ledger() as ledger:
        recall = Recall(memory.layout, ledger, AUTO, NOW)

        def found(query: str) -> tuple[list[str], SearchMode]:
            told = recall.search(SearchQuery(query, is_quick=True))
            return [hit.line.observation.text for hit in told.hits], told.mode

        assert found("the dog") == ([], SearchMode.LEXICAL)
        recall.search(SearchQuery("the dog"))
        memory.note("the puppy eats")
        made = [list(model.texts) for model in models.values()]
        monkeypatch.setattr(models[multilingual.NAME], "embed_query", pytest.fail)

        assert found("the dog") == (["the puppy sleeps"], SearchMode.HYBRID)
        assert found("Wo ist der Hund?") == (["Der Hund schläft."], SearchMode.LEXICAL)
        assert [list(model.texts) for model in models.values()] == made
