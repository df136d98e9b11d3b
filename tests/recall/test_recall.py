"""Recall: what a question brings, in which order, and what of it is never shown."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.recall.memory import Memory

from scrimshaw.core.search.fusion import Ranked, Scored, fuse, settle, tie_breaker
from scrimshaw.core.search.owner import as_the_owner_asks
from scrimshaw.core.text.moments import Span
from scrimshaw.core.types import EventType, Kind
from scrimshaw.host.openclaw import names_in_profile
from scrimshaw.services.search.search import SearchMode


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path)


def test_a_line_is_found_by_its_words_as_soon_as_it_is_noted(memory: Memory) -> None:
    memory.note("Dentist on Wednesday at 10:40")
    before = memory.texts("When is my dentist appointment?")
    memory.note("The dentist moved it to Thursday")

    assert before == ["Dentist on Wednesday at 10:40"]
    assert set(memory.texts("dentist")) == {
        "Dentist on Wednesday at 10:40",
        "The dentist moved it to Thursday",
    }


def test_without_a_model_a_search_by_both_is_one_by_words_and_says_so(memory: Memory) -> None:
    memory.note("Dentist on Wednesday")

    found = memory.search("dentist")

    assert (found.mode, len(found.hits)) == (SearchMode.LEXICAL, 1)
    assert found.notes == ("Searched by words alone: embeddings are switched off.",)
    assert memory.search("dentist", mode=SearchMode.LEXICAL).notes == ()


def test_a_replaced_line_stands_below_the_one_that_holds_and_names_it(memory: Memory) -> None:
    old, new = memory.note("The brown bottle for the cider", "The keeved one goes into champagne glass")
    memory.happen(EventType.SUPERSEDED, old, new)

    hits = memory.search("brown bottle cider").hits

    assert [hit.line.observation.id for hit in hits] == [new, old]
    assert hits[1].successor is not None
    assert hits[1].successor.observation.id == new


@pytest.mark.parametrize("type_", [EventType.WITHDRAWN, EventType.DELETED])
def test_what_was_never_so_or_taken_out_by_hand_is_shown_only_when_asked_for(
    memory: Memory, type_: EventType
) -> None:
    (gone,) = memory.note("The van is red")
    memory.note("The van is at the garage")
    memory.happen(type_, gone)

    assert memory.texts("van") == ["The van is at the garage"]
    assert len(memory.texts("van", includes_closed=True)) == 2


def test_what_was_forgotten_is_never_shown(memory: Memory) -> None:
    (gone,) = memory.note("The van is red")
    memory.happen(EventType.FORGOTTEN, gone)

    assert memory.texts("van", includes_closed=True) == []


@pytest.mark.parametrize("type_", [EventType.MERGED, EventType.EDITED])
def test_the_words_of_a_merged_or_reworded_line_find_the_one_that_took_its_place(
    memory: Memory, type_: EventType
) -> None:
    old, new = memory.note("Ordered 1,200 stickers", "1,200 labels are ordered at Harcourt")
    memory.happen(type_, old, new)

    assert memory.texts("stickers") == ["1,200 labels are ordered at Harcourt"]
    assert len(memory.texts("labels stickers ordered")) == 1


def test_what_only_left_the_section_by_its_age_is_found_like_any_other(memory: Memory) -> None:
    (old,) = memory.note("Dentist on Wednesday", day="2026-01-10")
    memory.happen(EventType.DROPPED, old)

    assert memory.texts("dentist") == ["Dentist on Wednesday"]


def test_it_is_narrowed_by_kind_time_and_score(memory: Memory) -> None:
    memory.note("apples pressed", day="2026-11-01")
    memory.note("apples ordered", kind=Kind.DECISION, day="2026-11-10")
    memory.note("apples and very much else that nobody asked for", day="2026-11-10")
    november_10 = Span(datetime(2026, 11, 10, tzinfo=UTC), datetime(2026, 11, 11, tzinfo=UTC))
    until_noon = Span(datetime(2026, 11, 1, tzinfo=UTC), datetime(2026, 11, 1, 12, tzinfo=UTC))

    assert memory.texts("apples", kinds=(Kind.DECISION,)) == ["apples ordered"]
    assert len(memory.texts("apples", when=november_10)) == 2
    assert memory.texts("apples", when=until_noon) == []
    assert len(memory.texts("apples pressed", min_score=0.9)) == 1


def test_of_lines_that_are_as_good_the_important_and_the_newer_is_first(memory: Memory) -> None:
    memory.note("van red", day="2026-01-01")
    memory.note("van red", day="2026-11-19")
    memory.note("van red", day="2026-01-01", priority=5)

    hits = memory.search("van").hits

    assert [hit.number for hit in hits] == [2, 3, 1]


def test_as_many_are_brought_as_were_wanted_though_many_fall_out(memory: Memory) -> None:
    for id_ in memory.note(*(f"van number {at}" for at in range(60))):
        memory.happen(EventType.WITHDRAWN, id_)
    memory.note(*(f"the van, a longer line about number {at}" for at in range(12)))

    assert len(memory.search("van number", limit=10).hits) == 10


@pytest.mark.parametrize("query", ["", "?", "the of and", "\x00\ud800", "a" * 100_000])
def test_no_question_is_too_strange(memory: Memory, query: str) -> None:
    memory.note("Dentist on Wednesday")

    assert memory.search(query).hits == ()


def test_the_index_may_be_deleted_at_any_time(memory: Memory) -> None:
    import shutil

    memory.note("Dentist on Wednesday")
    memory.texts("dentist")
    shutil.rmtree(memory.layout.search_index)

    assert memory.texts("dentist") == ["Dentist on Wednesday"]


# -- when there is nothing ---------------------------------------------------------------------------------

LEDGER = (
    "Dentist on Wednesday at 10:40",
    "The ledger runs on Postgres 17.2 in production",
    "unit-7x was moved to the new rack in Hall B",
    "Aunt Mathilda lives in Zanzibar",
    "Good morning, how are you doing today?",
    "Hi there, what is new?",
    "Type hints are required in every file of the project",
    "The spare key is with Mrs Lenz",
    "Wants the invoices sent on the first of the month",
    "Decided to paint the shed green",
    *(f"Ordered {at} boxes of labels from Harcourt, batch {at}" for at in range(10, 30)),
)


@pytest.mark.parametrize(
    "question",
    [
        "How many moons does the planet Jupiter have?",
        "What is the name of the capital city of Mongolia?",
        "Which file of the tax office did the lawyer of my brother ask for?",
        "What did the vet say about the parrot's wing on Monday?",
        "zeppelin",
    ],
)
def test_a_question_that_nothing_answers_brings_nothing(memory: Memory, question: str) -> None:
    memory.note(*LEDGER)

    assert memory.texts(question) == []
    assert memory.search(question).notes  # not an error, and the rest is said as ever


def test_what_lies_below_the_floor_is_there_for_who_asks_for_all(memory: Memory) -> None:
    memory.note(*LEDGER)

    question = "Which file of the tax office did the lawyer of my brother ask for?"

    assert memory.texts(question) == []
    assert "Type hints are required in every file of the project" in memory.texts(question, has_floor=False)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When is my dentist appointment?", LEDGER[0]),
        ("Which Postgres version does the ledger run on?", LEDGER[1]),
        ("Do you remember where the technicians finally put the machine unit-7x last autumn?", LEDGER[2]),
        ("Could you find the birthday present idea we had for Mathilda last spring, please?", LEDGER[3]),
        ("who has the spare key?", LEDGER[7]),
        ("shed", LEDGER[9]),
    ],
)
def test_what_answers_is_brought_and_so_are_identifiers_and_rare_names(
    memory: Memory, question: str, answer: str
) -> None:
    memory.note(*LEDGER)

    assert memory.texts(question)[0] == answer


def test_a_greeting_is_no_hit_beside_an_answer(memory: Memory) -> None:
    memory.note(*LEDGER)

    found = memory.texts("Good to know: when is the dentist today, on Wednesday at 10:40?")

    assert found[0] == LEDGER[0]
    assert not {LEDGER[4], LEDGER[5]} & set(memory.texts("How do I reach the dentist on Wednesday?"))


def test_what_is_not_shown_opens_no_door(memory: Memory) -> None:
    memory.note(*LEDGER)
    (gone,) = memory.note("The capital city of Mongolia is Ulan Bator")
    memory.happen(EventType.WITHDRAWN, gone)

    assert memory.texts("What is the name of the capital city of Mongolia?") == []


# -- the order ---------------------------------------------------------------------------------------------


def _keys(ranked: list[Ranked]) -> list[int]:
    return [one.key for one in ranked]


def test_what_both_lists_have_near_the_top_is_first() -> None:
    words = [Scored(1, 0.9), Scored(2, 0.8), Scored(3, 0.2)]
    meanings = [Scored(4, 0.8), Scored(2, 0.78), Scored(5, 0.5)]

    ranked = fuse(words, meanings)

    assert ranked[0].key == 2
    assert set(_keys(ranked)) == {1, 2, 3, 4, 5}
    assert all(0 <= one.score <= 1 for one in ranked)


def test_ties_decide_between_equals_and_no_further() -> None:
    ranked = [Ranked(1, 0.50), Ranked(2, 0.50), Ranked(3, 0.52)]

    settled = settle(
        ranked, ties={2: tie_breaker(age_days=0, priority=5), 1: tie_breaker(age_days=400, priority=1)}
    )

    assert _keys(settled) == [3, 2, 1]


def test_a_question_that_names_the_owner_finds_what_is_noted_without_a_name(memory: Memory) -> None:
    wanted, *_ = memory.note(
        "Moved to Ghent in May", "Nora's bookshelf came from an aunt", "Nora likes Nora Jones"
    )
    before = memory.search("When did Nora move to Ghent?").hits

    (memory.layout.workspace / "USER.md").write_text("- **Name:** Nora Prado\n", encoding="utf-8")
    hits = memory.search("When did Nora move to Ghent?").hits

    assert hits[0].line.observation.id == wanted
    assert {hit.line.observation.id for hit in before} > {hit.line.observation.id for hit in hits}
    assert memory.texts("Nora") != []  # nothing but the name is asked for


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("When did Nora move?", "When did I move?"),
        ("What is Nora Prado's flat like?", "What is my flat like?"),
        ("Wann ist Nora nach Gent gezogen?", "Wann ist nach Gent gezogen?"),
        ("Nora?", "Nora?"),
        ("Nora Prado", "Nora Prado"),
        ("What did Norah say about Prado-Ost?", "What did Norah say about Prado-Ost?"),
        ("mark the nora of it", "mark the nora of it"),
    ],
)
def test_the_owners_name_becomes_the_one_who_asks(question: str, asked: str) -> None:
    assert as_the_owner_asks(question, {"Nora", "Prado"}) == asked
    assert as_the_owner_asks(question, ()) == question


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("# USER.md\n\n- **Name:** Nora Prado\n- **What to call them:** Nö\n", {"Nora", "Prado", "Nö"}),
        ("- **Name:**\n- **Notes:** Name: Ben\n", set()),
        ("Name: the name is a long story about Ben and Joe and all the others\n", set()),
        ("<!-- status: superseded -->\n- Name: Ben\n<!-- status: active -->\n- Name: Joe\n", {"Joe"}),
        ("Name: " + "A" * 200_000, set()),
        ("\x00", set()),
    ],
)
def test_a_profile_names_its_person_by_a_label(tmp_path: Path, text: str, names: set[str]) -> None:
    (tmp_path / "USER.md").write_text(text, encoding="utf-8")

    assert names_in_profile(tmp_path) == names
    assert names_in_profile(tmp_path / "elsewhere") == frozenset()
