"""Evaluation sets are found by their shape, wherever below the folder they lie."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from bench.material import find
from bench.progress import track
from tests.benches.chats import make_chat


def test_beam_is_found_at_any_depth(tmp_path: Path) -> None:
    for number in (10, 2, 1):
        make_chat(tmp_path / "data" / "beam", number)

    places = [tmp_path, tmp_path / "data", tmp_path / "data/beam/100K"]

    names = [[path.parent.name for path in find(place).beam("100K")] for place in places]
    assert names == [["1", "2", "10"]] * 3
    assert find(tmp_path).beam("500K") == []


def test_a_chat_without_questions_is_none(tmp_path: Path) -> None:
    (tmp_path / "1").mkdir()
    (tmp_path / "1/chat.json").write_text("[]")

    assert find(tmp_path).beam() == []


def test_one_file_can_be_given(tmp_path: Path) -> None:
    file = tmp_path / "locomo10.json"
    file.write_text("[]")

    assert find(file).locomo() == [file]
    assert find(file).longmemeval() == []


def test_what_is_absent_is_empty(tmp_path: Path) -> None:
    found = find(tmp_path / "nowhere")

    everything = (found.beam(), found.locomo(), found.longmemeval(), found.samples(), found.transcripts())

    assert everything == ([], [], [], [], [])


def test_progress_goes_to_standard_error_alone(capsys: pytest.CaptureFixture[str]) -> None:
    seen = list(track([1, 2, 3], "counting"))

    told = capsys.readouterr()
    assert seen == [1, 2, 3]
    assert told.out == ""
    assert not sys.stderr.isatty()
