"""Memories on their way into the ledger: killed at any step, none is lost and none is doubled.

A consolidation is cut off, in a process of its own, at its n-th step: a statement or a transaction of either
database, a file opened, renamed or removed. Whatever is left, each memory must still be found; the next round
brings every one into the ledger, once. The control takes memories out before they are noted, and must be
caught.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from tests.working.conftest import Home

from scrimshaw.services.working.moving import Move, Moves
from scrimshaw.store import database as ledger_database
from scrimshaw.store.ledger import open_ledger
from scrimshaw.working import database as working_database
from scrimshaw.working import memories

_KILLED = 9
_TOUCHING = {"open", "os.rename", "os.remove"}
_TEXTS = [f"Barrel b{number} went to the mill at Wenbury" for number in range(5)]
_POINTS = 72


def _home(folder: Path) -> Home:
    home = Home(folder)
    home.config["SCRIMSHAW_MEMORY_CONSOLIDATION_BATCH_SIZE"] = "2"
    return home


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = _home(tmp_path_factory.mktemp("home") / "agents")
    with home.open() as memory:
        memory.add("The press is in the barn", author="person")
        for text in _TEXTS:
            memory.store(text)
    return home.folder


def _hasty(move: Callable[..., list[Move]]) -> Callable[..., list[Move]]:
    """Return a round's step that takes out first, and notes then."""

    def first_out(self: Moves, moves: Sequence[Move]) -> list[Move]:
        memories.leave(self._layer.db, [one.kept for one in moves])
        with mock.patch.object(memories, "is_as_read", return_value=True):
            return move(self, moves)

    return first_out


def _killed_at(folder: Path, point: int, *, is_hasty: bool = False) -> int:
    """Consolidate in a process that ends at *point*; return how many steps there were, -1 when killed."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        seen = 0

        def step() -> None:
            nonlocal seen
            seen += 1
            if seen == point:
                os._exit(_KILLED)

        def counted(real: Callable[..., Any]) -> Callable[..., Any]:
            def call(*given: Any, **named: Any) -> Any:
                step()
                done = real(*given, **named)
                step()
                return done

            return call

        def on_event(event: str, args: tuple[object, ...]) -> None:
            if event in _TOUCHING and args and str(folder) in str(args[0]):
                step()

        with (
            mock.patch.multiple(
                working_database.WorkingDatabase,
                write=counted(working_database.WorkingDatabase.write),
                transaction=counted(working_database.WorkingDatabase.transaction),
            ),
            mock.patch.multiple(
                ledger_database.Database,
                write=counted(ledger_database.Database.write),
                write_many=counted(ledger_database.Database.write_many),
                transaction=counted(ledger_database.Database.transaction),
            ),
            mock.patch.object(Moves, "move", _hasty(Moves.move) if is_hasty else Moves.move),
        ):
            home = _home(folder)
            home.now += timedelta(days=8)
            sys.addaudithook(on_event)
            with mock.patch("scrimshaw.services.archive.write.is_possible", return_value=False):
                home.open().consolidate()
        os.write(write, str(seen).encode())
        os._exit(0)
    os.close(write)
    _, status = os.waitpid(child, 0)
    told = os.read(read, 100)
    os.close(read)
    code = os.waitstatus_to_exitcode(status)
    assert code in (0, _KILLED), code
    return int(told) if code == 0 else -1


def _lost_or_doubled(folder: Path) -> list[str]:
    """Return what is wrong after a kill, and after the round that follows it."""
    home = _home(folder)
    home.now += timedelta(days=8)
    wrong = []
    with (
        home.open() as memory,
        mock.patch("scrimshaw.services.archive.write.is_possible", return_value=False),
    ):
        for text in _TEXTS:
            found = [one.content for one in memory.search(text, mode="lexical", limit=9).results]
            if found.count(text) != 1:
                wrong.append(f"found {found.count(text)} times: {text}")
        memory.consolidate()
        with open_ledger(memory.target.layout.ledger, create=False, read_only=True) as ledger:
            lines = [line.observation.text for line in ledger.live_lines()]
        wrong += [f"{lines.count(text)} lines: {text}" for text in _TEXTS if lines.count(text) != 1]
        wrong += [f"left: {one.content}" for one in memories.page(memory._working().db, 99)]
    dated = "".join(path.read_text() for path in folder.rglob("obs-*.md"))
    wrong += [
        f"{dated.count(text)} times in a dated file: {text}" for text in _TEXTS if dated.count(text) != 1
    ]
    return wrong


def _tried(prepared: Path, folder: Path, point: int, *, is_hasty: bool = False) -> tuple[int, list[str]]:
    if folder.exists():
        shutil.rmtree(folder)
    shutil.copytree(prepared, folder / "agents")
    steps = _killed_at(folder / "agents", point, is_hasty=is_hasty)
    return steps, _lost_or_doubled(folder / "agents")


@pytest.mark.slow
def test_a_consolidation_killed_at_any_step_loses_and_doubles_nothing(prepared: Path, tmp_path: Path) -> None:
    steps, wrong = _tried(prepared, tmp_path / "whole", 0)
    assert wrong == []
    assert steps >= _POINTS
    points = sorted({1 + round(number * (steps - 1) / (_POINTS - 1)) for number in range(_POINTS)})
    assert len(points) >= 60

    for point in points:
        told, wrong = _tried(prepared, tmp_path / "killed", point)
        assert told == -1, point
        assert wrong == [], point


def test_the_control_that_takes_out_first_is_caught(prepared: Path, tmp_path: Path) -> None:
    steps, wrong = _tried(prepared, tmp_path / "whole", 0, is_hasty=True)
    assert wrong == []

    assert any(_tried(prepared, tmp_path / "k", point, is_hasty=True)[1] for point in range(1, steps, 5))
