"""Weighing by meaning: what is in doubt is read a second time, at most fifteen sentences a window."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from tests.core.exchanges_by_hand import window_of

from scrimshaw.core import weighing
from scrimshaw.core.extraction import observe, weighed
from scrimshaw.core.extraction.candidates import candidates_of
from scrimshaw.core.extraction.meaning import MOST_READ
from scrimshaw.core.extraction.scorer import KEEP_AT
from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.types import Place as Part
from scrimshaw.core.weighing import Sentence, weigh, weigh_again
from scrimshaw.core.weighing.weigher import ANSWERS
from scrimshaw.index import reading

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
    if reading.lacking():
        pytest.skip("the extra `semantic` is not installed")
    window = window_of(("user", text), ("assistant", "I see."))

    [noted] = observe(window, KnownLines(), reading.Reading().read).proposals

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
