"""The retention measure by hand, and the bench on a small conversation in the public format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench import retention
from bench.beam import Rubric, content_words, load_chats, score
from bench.keeping import fill, remember, user_sentences
from bench.material import find
from bench.recalling import MOST_UNITS, bounded, recall_of
from tests.benches.chats import make_chat


def rubric(ability: str, *lines: str) -> Rubric:
    return Rubric(ability, "?", tuple((line, content_words(line)) for line in lines))


def test_a_line_is_kept_when_sixty_percent_of_its_words_stand_in_one_line() -> None:
    asked = [rubric("knowledge_update", "red green blue white black")]

    in_one = score(asked, ["red green blue", "nothing"])
    spread = score(asked, ["red green", "blue white black"[:10]])

    assert in_one["knowledge_update"] == 1.0
    assert spread["knowledge_update"] == 0.0
    assert in_one["mean"] == pytest.approx(1 / 3)


def test_a_line_of_more_than_300_units_holds_nothing() -> None:
    asked = [rubric("knowledge_update", "red green blue")]

    found = [score(asked, [f"red green blue {'x' * count}"])["knowledge_update"] for count in (285, 286)]

    assert found == [1.0, 0.0]


def test_numbers_count_exactly() -> None:
    asked = [rubric("temporal_reasoning", "April 2", "April 22")]

    assert score(asked, ["April 22"])["temporal_reasoning"] == 0.5


def test_what_recall_finds_counts_for_its_question_alone() -> None:
    asked = [
        rubric("knowledge_update", "red green"),
        rubric("knowledge_update", "blue white")._replace(question="blue?"),
    ]

    found = score(asked, [], lambda question: ["red green blue white"] if question == "blue?" else [])

    assert found["knowledge_update"] == 0.5


def test_recall_gives_ten_hits_and_4000_units_at_most() -> None:
    assert len(bounded(["x"] * 20)) == 10
    assert sum(len(text) + 1 for text in bounded(["x" * 999] * 9)) <= MOST_UNITS


def test_text_is_filled_up_to_the_budget() -> None:
    assert fill(["1234567", "1234567", "1"], 23) == ["1234567", "1234567"]


def test_the_interval_of_equal_values_is_a_point_and_the_seed_decides() -> None:
    mixed = [0.1, 0.9, 0.4, 0.5]

    assert retention.interval([0.5] * 10, 1) == (0.5, 0.5)
    assert retention.interval(mixed, 1) == retention.interval(mixed, 1)


def test_the_search_of_the_product_finds_a_note_with_its_date(tmp_path: Path) -> None:
    conversation = load_chats(find(make_chat(tmp_path)).beam())[0]

    hits = recall_of(remember(conversation)).by_words("When is the bottling deadline?")

    assert hits[0].startswith("2024-03-01")
    assert "April 2" in hits[0]
    assert "The orchard has 340 trees since last week." in user_sentences(conversation)


def test_the_bench_prints_every_way_at_every_budget(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_chat(tmp_path, 1)
    make_chat(tmp_path, 2)

    code = retention.main(
        ["--data", str(tmp_path), "--json", "--budgets", "300", "2000", "--only", "last text", "observer"]
    )

    told = json.loads(capsys.readouterr().out)
    rows = {(row["what"], row["units"], row["way"]): row["mean"] for row in told["tables"][-1]["rows"]}
    assert code == 0
    assert set(rows) == {
        (what, units, way)
        for what in ("section", "section + recall")
        for units in (300, 2000)
        for way in ("last text", "observer")
    }
    assert rows["section", 2000, "last text"] == 1.0
    assert rows["section + recall", 300, "observer"] >= rows["section", 300, "observer"]


def test_without_the_set_nothing_is_measured_and_that_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = retention.main(["--data", str(tmp_path)])

    assert code == 0
    assert f"skipped: BEAM 100K: no chat.json below {tmp_path}" in capsys.readouterr().out


def test_a_file_in_another_form_is_named(tmp_path: Path) -> None:
    chat = make_chat(tmp_path) / "100K/1/chat.json"
    chat.write_text('[{"batch_number": 1}]')

    with pytest.raises(SystemExit, match=r"chat\.json: not a chat in BEAM's format"):
        load_chats([chat])
