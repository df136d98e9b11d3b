"""The index of words: what a question finds, what narrows it, and that it is whole after anything."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from scrimshaw.core.search.query import question_words
from scrimshaw.index.words import DocumentFilter, IndexedDocument, Words

TEXTS = (
    "We press the apples at Wenbury on Saturday",
    "The label printer broke and was repaired",
    "billing-api 2.4.1 rolled back because of migration 0042",
    "Café Zürich wants forty bottles",
    "东京的苹果很贵",
)


@pytest.fixture
def words() -> Words:
    index = Words(None)
    index.add(IndexedDocument(at, text) for at, text in enumerate(TEXTS, start=1))
    return index


def _found(words: Words, question: str) -> list[int]:
    return [one.key for one in words.search(question, 10)]


@pytest.mark.parametrize(
    ("question", "key"),
    [
        ("When did we do the pressing of our apple harvest?", 1),
        ("what's with the broken labels", 2),
        ("why was migration 0042 rolled back", 3),
        ("cafe zurich", 4),
        ("苹果", 5),
        ('("wenbury" AND -saturday) OR title:*', 1),
    ],
)
def test_a_question_as_people_ask_it_finds_its_line(words: Words, question: str, key: int) -> None:
    assert _found(words, question)[0] == key


def test_words_that_only_make_a_question_find_nothing_by_themselves(words: Words) -> None:
    assert question_words("When did you tell me about the apples?") == ("apples",)
    assert 2 not in _found(words, "what was the Wenbury date")


def test_a_question_of_small_words_alone_keeps_them() -> None:
    assert question_words("who are you?") == ("who", "are", "you")


@pytest.mark.parametrize("question", ["", "   ", "?!…", "\x00", "👍", "zzzzqqq"])
def test_a_question_that_nothing_answers_finds_nothing(words: Words, question: str) -> None:
    assert words.search(question, 10) == []


def test_more_than_there_can_be_is_asked_for_without_room_for_it(words: Words) -> None:
    assert [one.key for one in words.search("apples", 2**53)] == _found(words, "apples") != []


def test_a_pasted_page_is_searched_by_its_first_words(words: Words) -> None:
    page = "apples " + " ".join(f"word{at}" for at in range(50_000))

    assert _found(words, page) == [1]


def test_a_score_is_the_share_of_the_questions_weight(words: Words) -> None:
    whole = words.search("label printer repaired", 1)[0].score
    half = words.search("label printer violin orchestra", 1)[0].score

    assert whole == pytest.approx(1.0, abs=0.25)
    assert half < 0.7 * whole


def test_a_short_line_stands_before_a_long_one_that_says_no_more() -> None:
    words = Words(None)
    words.add(
        [
            IndexedDocument(1, "the dentist " + "and much else " * 20),
            IndexedDocument(2, "the dentist is at ten"),
        ]
    )

    assert _found(words, "dentist") == [2, 1]


def test_it_is_narrowed_by_kind_and_by_day() -> None:
    words = Words(None)
    words.add(
        [
            IndexedDocument(1, "apples", "fact", 100),
            IndexedDocument(2, "apples", "issue", 101),
            IndexedDocument(3, "apples", "fact", 102),
        ]
    )

    def found(narrowed: DocumentFilter) -> set[int]:
        return {one.key for one in words.search("apples", 10, narrowed)}

    assert found(DocumentFilter(("fact",))) == {1, 3}
    assert found(DocumentFilter((), 101, 102)) == {2, 3}
    assert found(DocumentFilter(("fact", "issue"), 101, 101)) == {2}
    assert found(DocumentFilter((), 103)) == set()


def test_another_who_has_it_open_sees_what_was_added_when_it_looks_again(tmp_path: Path) -> None:
    mine, other = Words(tmp_path / "words"), Words(tmp_path / "words")
    mine.add([IndexedDocument(7, "apples")])
    before = other.last_key()

    other.reload()

    assert (before, other.last_key(), _found(other, "apples")) == (0, 7, [7])


def test_it_is_there_after_it_was_closed_and_only_for_its_owner(tmp_path: Path) -> None:
    Words(tmp_path / "words").add([IndexedDocument(3, "apples")])

    again = Words(tmp_path / "words")

    assert (again.last_key(), _found(again, "apple")) == (3, [3])
    assert stat.S_IMODE((tmp_path / "words").stat().st_mode) == 0o700


@pytest.mark.parametrize("damage", ["meta.json cut", "meta.json gone", "of an older layout"])
def test_a_damaged_one_is_empty_again_and_can_be_filled(tmp_path: Path, damage: str) -> None:
    folder = tmp_path / "words"
    Words(folder).add([IndexedDocument(3, "apples")])
    if damage == "meta.json cut":
        (folder / "meta.json").write_text('{"segm')
    elif damage == "meta.json gone":
        (folder / "meta.json").unlink()
    else:
        next(folder.glob("layout-*")).rename(folder / "layout-0")

    words = Words(folder)
    found = words.last_key()
    words.add([IndexedDocument(3, "apples")])

    assert (found, _found(words, "apples")) == (0, [3])


def test_the_text_itself_is_not_kept(tmp_path: Path) -> None:
    Words(tmp_path / "words").add([IndexedDocument(1, "The password hint is Aunt Mathilda")])

    content = b"".join(path.read_bytes() for path in (tmp_path / "words").iterdir())

    assert b"Aunt Mathilda" not in content
