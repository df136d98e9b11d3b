"""The index and the ledger: always whole, whoever is killed or faster, whatever becomes of a model."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from unittest import mock

import pytest

pytest.importorskip("numpy", reason="numpy is not installed (the extra `semantic`)")

from tests.index.fake_embedder import FakeEmbedder
from tests.recall.memory import NOW, Memory

from scrimshaw.config import Config, Settings
from scrimshaw.core.types import Author, EventType
from scrimshaw.errors import UserError
from scrimshaw.index import embedding, process
from scrimshaw.index.vectors import last_key_in
from scrimshaw.index.words import IndexDamaged, IndexedDocument, Words, is_laid_out
from scrimshaw.locks import index_lock
from scrimshaw.services.search import index
from scrimshaw.services.search.search import SearchMode
from scrimshaw.sources.discover import Agent
from scrimshaw.workspace import Target

AUTO = Settings()
SERVER = Settings(embeddings="ollama/nomic-embed-text")
CHILD = """
import sys
sys.path[:0] = {path!r}
from scrimshaw.index import child, embedding
from tests.index.fake_embedder import FakeEmbedder
child.find_embedder = lambda *_: FakeEmbedder({name!r})
sys.exit(child.main())
"""


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Memory:
    _use(monkeypatch, embedding.BUNDLED)
    return Memory(tmp_path)


def _use(monkeypatch: pytest.MonkeyPatch, name: str) -> FakeEmbedder:
    fake = FakeEmbedder(name)
    monkeypatch.setattr(embedding, "find_embedder", lambda *_args, **_more: fake)
    monkeypatch.setattr(
        embedding, "why_none", lambda model="auto", _folder=None: "" if model != "off" else "off"
    )
    monkeypatch.setattr(index, "beside", lambda _: None)
    child = (sys.executable, "-c", CHILD.format(path=[path for path in sys.path if path], name=name))
    monkeypatch.setattr(process, "COMMAND", child)
    return fake


def _embed(memory: Memory, settings: Settings = AUTO, **more: object) -> index.Embedded:
    with memory.ledger() as ledger:
        return index.embed_missing(memory.layout, ledger, settings, NOW, **more)  # type: ignore[arg-type]


def test_meanings_are_made_by_the_child_and_found(memory: Memory) -> None:
    memory.note("the puppy sleeps", "a van broke", "rain tomorrow")

    made = _embed(memory)

    assert made == index.Embedded(3, 0)
    assert memory.texts("dog", AUTO, mode=SearchMode.SEMANTIC, has_floor=False)[0] == "the puppy sleeps"
    assert memory.search("dog", AUTO).mode is SearchMode.HYBRID


def test_a_second_time_nothing_is_started(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.note("the puppy sleeps")
    _embed(memory)
    monkeypatch.setattr(process, "COMMAND", ("/nowhere/at/all",))

    assert _embed(memory) == index.Embedded(0, 0)


def test_a_few_that_are_missing_a_search_makes_itself(memory: Memory) -> None:
    memory.note("the puppy sleeps")

    assert memory.texts("dog", AUTO, mode=SearchMode.SEMANTIC, has_floor=False) == ["the puppy sleeps"]


def test_what_an_observation_without_a_daemon_has_left_a_search_makes(memory: Memory) -> None:
    memory.note(*(f"line {at}" for at in range(150)), "the puppy sleeps")

    found = memory.search("dog", AUTO, has_floor=False)

    assert found.mode is SearchMode.HYBRID
    assert found.notes == ()
    assert found.hits[0].line.observation.text == "the puppy sleeps"


def test_many_that_are_missing_are_told_with_the_time_and_the_rest_is_found(memory: Memory) -> None:
    memory.note(*(f"line {at}" for at in range(450)))

    found = memory.search("line 7", AUTO)

    assert found.mode is SearchMode.LEXICAL
    assert "no line has a vector yet" in found.notes[0]
    assert "in about 5 seconds: scrimshaw reindex --keep-vectors" in found.notes[0]


class _Away(FakeEmbedder):
    """A server that nobody has started."""

    @property
    def dimensions(self) -> int:
        raise UserError("Search by meaning: http://127.0.0.1:11434 gave no vectors.")

    @dimensions.setter
    def dimensions(self, _: int) -> None:
        pass


def test_while_the_server_is_away_the_installed_model_serves_then_words(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.note("the puppy sleeps", "a van broke")
    installed = FakeEmbedder(embedding.BUNDLED)
    monkeypatch.setattr(
        embedding,
        "find_embedder",
        lambda model, *_, **__: _Away(model) if model == SERVER.embeddings else installed,
    )

    second = memory.search("dog", SERVER, has_floor=False)
    monkeypatch.setattr(
        embedding, "why_none", lambda model="auto", _folder=None: "" if model == SERVER.embeddings else "no"
    )
    none = memory.search("puppy", SERVER, has_floor=False)

    assert (second.mode, second.hits[0].line.observation.text) == (SearchMode.HYBRID, "the puppy sleeps")
    assert f"gave no vectors. Searched with {embedding.BUNDLED} instead." in second.notes[0]
    assert none.mode is SearchMode.LEXICAL
    assert "gave no vectors" in none.notes[0]


def test_a_server_that_is_back_serves_again(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.note("the puppy sleeps", "a van broke")
    installed, server = FakeEmbedder(embedding.BUNDLED), FakeEmbedder(SERVER.embeddings)
    answers = {SERVER.embeddings: _Away(SERVER.embeddings)}
    monkeypatch.setattr(embedding, "find_embedder", lambda model, *_, **__: answers.get(model, installed))
    memory.search("dog", SERVER, has_floor=False)
    answers[SERVER.embeddings] = server

    found = memory.search("dog", SERVER, has_floor=False)

    assert (found.mode, found.notes) == (SearchMode.HYBRID, ())
    assert server.texts == ["the puppy sleeps", "a van broke"]


def test_while_the_server_is_away_the_installed_models_vectors_are_made(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.note(*(f"line {at}" for at in range(40)))
    child = CHILD.replace("lambda *_: FakeEmbedder({name!r})", "found").replace(
        "child.find_embedder",
        "def found(model, *_):\n    if model != 'auto':\n        from scrimshaw.errors import UserError\n"
        "        raise UserError('the server is away')\n    return FakeEmbedder({name!r})\n"
        "child.find_embedder",
    )
    path = [path for path in sys.path if path]
    child = child.format(path=path, name=embedding.BUNDLED)
    monkeypatch.setattr(process, "COMMAND", (sys.executable, "-c", child))

    made = _embed(memory, SERVER)

    assert made.made == 40
    assert "away" in made.problem


def test_a_stop_leaves_what_was_made_and_the_next_goes_on(memory: Memory) -> None:
    memory.note(*(f"line {at}" for at in range(100)))
    done: list[int] = []

    first = _embed(memory, on_progress=done.append, is_stopped=lambda: bool(done))
    second = _embed(memory)

    rows = index.vectors_folder(memory.layout) / embedding.BUNDLED / "rows"
    assert 0 < first.made < 100
    assert 0 < second.made < 100
    assert rows.stat().st_size == 100 * FakeEmbedder().dimensions


def test_a_model_that_breaks_is_told_and_nothing_else_breaks(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.note("the puppy sleeps")
    monkeypatch.setattr(process, "COMMAND", (sys.executable, "-c", "raise SystemExit(9)"))

    made = _embed(memory)

    assert "ended before its time" in made.problem
    assert memory.texts("puppy", AUTO, mode=SearchMode.LEXICAL) == ["the puppy sleeps"]


def test_another_model_makes_them_anew_while_the_old_ones_serve(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.note(*(f"line {at}" for at in range(70)), "the puppy sleeps")
    _embed(memory)
    other = Settings(embeddings="other")

    with memory.ledger():
        serving = index.serving_model(memory.layout, other)
    _use(monkeypatch, "other")
    made = _embed(memory, other)

    assert serving == embedding.Asked()
    assert made == index.Embedded(71, 0)
    assert index.serving_model(memory.layout, other) == embedding.Asked("other")
    assert [place.name for place in index.vectors_folder(memory.layout).iterdir()] == ["other"]
    assert memory.texts("dog", other, mode=SearchMode.SEMANTIC)[0] == "the puppy sleeps"


def test_what_is_kept_from_models_is_never_sent_to_a_server(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = _use(monkeypatch, "ollama/nomic-embed-text")
    memory.note("a secret diary", session_id="diary")
    memory.note("the puppy sleeps", session_id="")

    found = memory.texts(
        "dog",
        Settings(embeddings="ollama/nomic-embed-text", private_sessions=("diary",)),
        mode=SearchMode.SEMANTIC,
    )

    assert found == ["the puppy sleeps"]
    assert fake.texts == ["the puppy sleeps"]


def test_a_secret_that_a_person_typed_is_not_sent_to_a_server(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = _use(monkeypatch, "ollama/nomic-embed-text")
    memory.note("the wifi password is " + "Wm4-tulip" + "-77", author=Author.PERSON)

    memory.texts("wifi", Settings(embeddings="ollama/nomic-embed-text"), mode=SearchMode.SEMANTIC)

    assert fake.texts == ["the wifi password is [redacted:password]"]


def test_two_may_search_while_one_writes(memory: Memory) -> None:
    memory.note("the first line")
    memory.texts("line")
    memory.note("the second line")

    with (
        index_lock(memory.layout.state, "words", by="test", now=NOW, timeout_seconds=1),
        memory.ledger() as ledger,
    ):
        words = Words(index.words_folder(memory.layout))
        monkey = pytest.MonkeyPatch()
        monkey.setattr(index, "LOCK_SECONDS", 0.05)
        added = index.bring_up_to_date(words, memory.layout, ledger, NOW)
        monkey.undo()

    assert (added, len(words.search("line", 10))) == (0, 1)
    assert len(memory.texts("line")) == 2


def test_who_comes_while_another_makes_the_index_leaves_it_alone(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.note("the first line")
    monkeypatch.setattr(index, "LOCK_SECONDS", 0.05)
    folder = index.words_folder(memory.layout)
    folder.mkdir(parents=True)
    (folder / "meta.json").write_text("half of it")

    with (
        index_lock(memory.layout.state, "words", by="test", now=NOW, timeout_seconds=1),
        memory.ledger() as ledger,
    ):
        words = index.open_words(memory.layout, ledger, NOW)

    assert len(words.search("line", 10)) == 1
    assert (folder / "meta.json").read_text() == "half of it"
    assert memory.texts("line") == ["the first line"]  # by now nobody makes it: it is made anew
    assert is_laid_out(folder)


def test_a_kill_between_two_commits_neither_loses_nor_doubles_a_line(memory: Memory) -> None:
    memory.note(*(f"line {at}" for at in range(10)))
    with memory.ledger() as ledger:
        index.open_words(memory.layout, ledger, NOW)
        index.rebuild(memory.layout, ledger, NOW)
    shutil.rmtree(index.words_folder(memory.layout))
    half = Words(index.words_folder(memory.layout))
    half.add(IndexedDocument(at, f"line {at - 1}") for at in range(1, 8))  # the last commit has not come

    found = memory.texts("line", limit=20)

    assert sorted(found) == sorted(f"line {at}" for at in range(10))


def test_the_index_of_another_ledger_is_not_believed(memory: Memory, tmp_path: Path) -> None:
    memory.note("the puppy sleeps")
    memory.texts("puppy")
    other = Memory(tmp_path / "other")
    other.note("a van broke", "rain tomorrow")
    other.texts("van")
    memory.layout.search_index.rename(tmp_path / "aside")
    other.layout.search_index.rename(memory.layout.search_index)

    assert memory.texts("puppy") == ["the puppy sleeps"]
    assert memory.texts("van") == []


def test_an_index_that_knows_more_than_the_ledger_is_made_anew(memory: Memory) -> None:
    memory.note("the puppy sleeps")
    before = memory.layout.ledger.read_bytes()
    memory.note("a van broke")
    memory.texts("van", AUTO)
    for path in memory.layout.state.glob("ledger.sqlite*"):
        path.unlink()
    memory.layout.ledger.write_bytes(before)

    gone = memory.texts("van", AUTO, mode=SearchMode.LEXICAL)
    memory.count = 1
    memory.note("rain tomorrow")

    assert gone == []
    assert memory.texts("rain", AUTO, mode=SearchMode.SEMANTIC)[0] == "rain tomorrow"


def test_forgetting_leaves_nothing_of_a_line_in_the_index(memory: Memory) -> None:
    ids = memory.note("Aunt Mathilda lives in Zanzibar", "the puppy sleeps")
    _embed(memory)
    memory.texts("mathilda")
    rows = index.vectors_folder(memory.layout) / embedding.BUNDLED / "rows"
    before = rows.read_bytes()
    with memory.ledger() as ledger:
        numbers = ledger.numbered.numbers_of(ids[:1]).values()
        index.forget(memory.layout, list(numbers), NOW)
    memory.happen(EventType.FORGOTTEN, ids[0])

    after = rows.read_bytes()
    width = len(before) // 2
    assert any(before[:width])
    assert not any(after[:width])
    assert after[width:] == before[width:]
    assert not index.words_folder(memory.layout).exists()
    assert memory.texts("mathilda zanzibar", AUTO) in ([], ["the puppy sleeps"])
    assert Words(index.words_folder(memory.layout)).search("zanzibar", 5) == []


def test_a_folder_that_cannot_be_written_is_searched_in_memory(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.note("the puppy sleeps")

    def refused(*_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(index, "_require", refused)

    assert memory.texts("puppy") == ["the puppy sleeps"]
    assert not memory.layout.search_index.exists()


@pytest.mark.parametrize("damage", ["pos", "idx", "term", "fast", "fieldnorm", "store"])
@pytest.mark.parametrize("how", ["gone", "empty", "half"])
def test_a_damaged_index_of_words_is_made_anew(memory: Memory, damage: str, how: str) -> None:
    memory.note(*(f"the puppy number {at}" for at in range(30)))
    memory.texts("puppy")
    (path,) = index.words_folder(memory.layout).glob(f"*.{damage}")
    content = path.read_bytes()
    if how == "gone":
        path.unlink()
    else:
        path.write_bytes(content[: len(content) // 2 if how == "half" else 0])

    found = memory.texts("puppy", limit=50)

    assert len(found) == 30


def test_on_a_full_disk_search_goes_on(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.note("the puppy sleeps")
    real = Words.add

    def full(self: Words, documents: object) -> int:
        if self._folder is not None:
            raise IndexDamaged("No space left on device")
        return real(self, documents)  # type: ignore[arg-type]  # as it came

    monkeypatch.setattr(Words, "add", full)

    assert memory.texts("puppy") == ["the puppy sleeps"]


def test_documents_added_twice_would_be_seen() -> None:
    # The control of the tests above: an index that doubled a line would show it.
    words = Words(None)
    words.add([IndexedDocument(1, "line")])
    words.add([IndexedDocument(1, "line")])

    assert len(words.search("line", 10)) == 2


def test_a_search_does_not_wait_for_vectors_that_are_being_made(memory: Memory) -> None:
    memory.note("the puppy sleeps")

    with index_lock(memory.layout.state, "making", by="test", now=NOW, timeout_seconds=1):
        found = memory.texts("puppy", AUTO)

    assert found == ["the puppy sleeps"]


def test_what_is_forgotten_while_vectors_are_made_gets_none(memory: Memory) -> None:
    ids = memory.note(*(f"line {at}" for at in range(80)))
    forgotten: list[str] = []

    def forget_the_last(_made: int) -> None:
        if not forgotten:
            forgotten.append(ids[-1])
            memory.happen(EventType.FORGOTTEN, ids[-1])

    made = _embed(memory, on_progress=forget_the_last)

    marks = index.vectors_folder(memory.layout) / embedding.BUNDLED
    assert (made.made, last_key_in(marks)) == (79, 79)


def test_the_daemon_keeps_meanings_and_loads_no_library_for_it(memory: Memory) -> None:
    memory.note(*(f"the puppy sleeps {number} hours" for number in range(20)))
    lacking = dict.fromkeys(("tantivy", "onnxruntime", "memvid_sdk"))

    with mock.patch.dict(sys.modules, lacking), memory.ledger() as ledger:
        problems = index.keep_up(memory.layout, ledger, AUTO, NOW, lambda: False)

    assert problems == ()
    with memory.ledger() as ledger:
        assert index.waiting_for_vectors(memory.layout, ledger, AUTO) == 0


def test_a_state_folder_that_was_taken_away_is_not_made_again(memory: Memory) -> None:
    with pytest.raises(OSError, match="No such file"):
        Words(memory.layout.state.parent / "gone" / "index" / "words")


def test_what_is_at_work_when_the_state_folder_is_taken_away_does_not_make_it_again(memory: Memory) -> None:
    memory.note(*(f"the puppy sleeps {number} hours" for number in range(20)))

    with memory.ledger() as ledger:
        memory.layout.state.rename(memory.layout.workspace / "aside")
        problems = index.keep_up(memory.layout, ledger, AUTO, NOW, lambda: False)

    assert "no such folder any more" in " ".join(problems)
    assert not memory.layout.state.exists()


def test_a_file_in_the_place_of_the_index_is_told(memory: Memory) -> None:
    memory.note("The dentist is on Tuesday.")
    index.drop(memory.layout)
    memory.layout.search_index.write_text("junk")

    with pytest.raises(UserError, match="the index could not be written") as told:
        index.reindex(_target(memory), NOW)

    assert f"ls -ld {memory.layout.search_index}" in told.value.next_step


def test_a_full_disk_is_told_by_reindex(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.note("The dentist is on Tuesday.")

    def full(*_: object) -> int:
        raise IndexDamaged("No space left on device")

    monkeypatch.setattr(Words, "add", full)

    with pytest.raises(UserError, match="No space left on device"):
        index.reindex(_target(memory), NOW)


def test_a_line_of_a_day_before_the_year_1000_is_indexed(memory: Memory) -> None:
    memory.note("The dentist is on Tuesday.", local_date="1-01-01")

    assert index.reindex(_target(memory), NOW).words == 1


def _target(memory: Memory) -> Target:
    agent = Agent("main", memory.layout.workspace, memory.root, "", (), True, memory.root / "openclaw.json")
    return Target(memory.layout, (agent,), Config(Settings(embeddings="off"), {}), "UTC")
