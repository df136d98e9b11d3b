"""A search may go on with the ledger that the one before has left open; what was written since is seen."""

import os
import sqlite3
import threading
import time
from pathlib import Path

import pytest

from scrimshaw import Memory
from scrimshaw.store import database, ledger


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Return the ledgers that were opened to look."""
    paths: list[Path] = []
    opens = ledger.open_database

    def opening(path: Path, *, create: bool, read_only: bool) -> database.Database:
        paths.extend([path] * read_only)
        return opens(path, create=create, read_only=read_only)

    monkeypatch.setattr(ledger, "open_database", opening)
    monkeypatch.setattr(database, "_SETTLED_NS", -1)  # a test does not wait
    return paths


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    env = {"HOME": str(tmp_path), "SCRIMSHAW_EMBEDDINGS": "off"}
    memory = Memory.open(home=tmp_path / "agents", agent="albert", env=env)
    memory.add("The barn is locked at ten")
    return memory


def _open_files() -> list[Path]:
    return [one.readlink() for one in Path("/proc/self/fd").iterdir() if one.exists()]


def _found(memory: Memory, query: str) -> list[str]:
    return [one.content for one in memory.search(query).results]


def test_a_ledger_that_nobody_has_written_to_is_opened_once(memory: Memory, opened: list[Path]) -> None:
    seen: list[list[str]] = []
    for _ in range(3):  # whoever asks
        one = threading.Thread(target=lambda: seen.append(_found(memory, "when is the barn locked?")))
        one.start()
        one.join()

    assert seen == [["The barn is locked at ten"]] * 3
    assert len(opened) == 1


def test_what_is_written_in_between_is_seen(memory: Memory, opened: list[Path]) -> None:
    assert _found(memory, "where is the press?") == []
    memory.add("The press is in the mill")

    assert _found(memory, "where is the press?") == ["The press is in the mill"]
    assert len(opened) > 1


def test_while_somebody_writes_it_is_opened_each_time(memory: Memory, opened: list[Path]) -> None:
    _found(memory, "barn")
    with sqlite3.connect(memory.target.layout.ledger) as writing:
        writing.execute("insert into meta values ('x', 'y')")
        _found(memory, "barn")
        _found(memory, "barn")
    writing.close()

    assert len(opened) == 3


def test_one_that_was_written_a_moment_ago_is_not_left_open(
    memory: Memory, opened: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "_SETTLED_NS", 3_600 * 10**9)
    _found(memory, "barn")
    _found(memory, "barn")

    assert len(opened) == 2


def test_a_ledger_that_takes_its_place_is_searched(
    memory: Memory, opened: list[Path], tmp_path: Path
) -> None:
    file = memory.target.layout.ledger
    before = file.read_bytes()
    memory.add("The press is in the mill")
    assert _found(memory, "where is the press?") == ["The press is in the mill"]
    copy = tmp_path / "copy"
    copy.write_bytes(before)
    os.utime(copy, ns=(time.time_ns(), file.stat().st_mtime_ns))
    copy.replace(file)

    assert _found(memory, "where is the press?") == []
    assert _found(memory, "when is the barn locked?") == ["The barn is locked at ten"]


def test_a_memory_that_is_closed_leaves_no_file_open(memory: Memory, opened: list[Path]) -> None:
    _found(memory, "barn")
    file = memory.target.layout.ledger
    assert file in _open_files()

    memory.close()

    assert file not in _open_files()


def test_an_index_that_somebody_else_has_taken_away_is_opened_anew(memory: Memory, tmp_path: Path) -> None:
    assert _found(memory, "when is the barn locked?") == ["The barn is locked at ten"]
    with Memory.open(home=tmp_path / "agents", agent="albert", env=memory._env) as other:
        other.forget(other.plan_forget("The barn is locked at ten"))
        other.add("The gate is green")

    assert _found(memory, "the gate") == ["The gate is green"]
    assert _found(memory, "when is the barn locked?") == []
