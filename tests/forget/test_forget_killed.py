"""Killed at any point of a forgetting: going on finishes it, and nothing else of the memory is touched.

The act is cut off at its n-th point (tests/crash/killing.py); then either the same command is given again,
or only the daemon's ordinary work is done. The first must leave no trace; the second must leave either all
of it, when the kill came before the ledger had taken the wish, or none. A control leaves the ledger's note
out, and must be caught.
"""

from __future__ import annotations

import os
import shutil
import traceback
from pathlib import Path

import pytest
from tests.crash.killing import PointCounter
from tests.forget.traces import ADDRESS, KEPT, SECRET, holding, told_secret
from tests.places import Place

from scrimshaw.core.types import Closed
from scrimshaw.store.forgetting import Forgetting

LATER = "2026-11-21T09:00:00+00:00"
_KILLED = 9
_EVERY_SLOWLY = 4  # all of them take minutes


class Kills:
    """A place with something to forget, put back as it was before each kill."""

    def __init__(self, folder: Path) -> None:
        self.place = Place(folder / "machine")
        told_secret(self.place)
        self.place.say(("We decided that unit-9x runs release 9.4.1 in production.", "Noted."))
        self.place.run("observe", now=LATER)  # leaves a copy of MEMORY.md with the words
        self._kept = folder / "kept"
        shutil.copytree(self.place.root, self._kept)
        told = folder / "points"
        self.child(0, told=told)
        self.points = int(told.read_text())

    def put_back(self) -> None:
        shutil.rmtree(self.place.root)
        shutil.copytree(self._kept, self.place.root)

    def child(self, point: int, *, told: Path | None = None, forgets_note: bool = False) -> None:
        """Forget in a child process that is killed at *point*; 0: it is not."""
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                if forgets_note:
                    Forgetting.stage = lambda _self: None  # type: ignore[method-assign]
                counter = PointCounter(self.place, point)
                counter.watch()
                self.place.run("forget", SECRET, "--yes", now=LATER)
                if told:
                    told.write_text(str(counter.seen))
                status = 0
            except BaseException:  # noqa: BLE001  # told, and the child ends all the same
                traceback.print_exc()
            finally:
                os._exit(status)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        assert code == (_KILLED if point else 0), f"{code} at point {point}"

    def traces(self) -> list[str]:
        return holding(self.place.workspace, SECRET, ADDRESS)

    def lines(self) -> dict[str, Closed | None]:
        with self.place.ledger() as ledger:
            assert ledger.check() == []
            return {line.observation.text: line.standing.closed for line in ledger.all_lines()}


@pytest.fixture(scope="module")
def kills(tmp_path_factory):
    return Kills(tmp_path_factory.mktemp("forget"))


def _others(lines):
    return {text: closed for text, closed in lines.items() if SECRET not in text and text != "[forgotten]"}


def _again(kills, point):
    kills.put_back()
    kills.child(point)
    kills.place.run("forget", SECRET, "--yes", now=LATER)
    kills.place.run("observe", now=LATER)
    return kills.traces(), _others(kills.lines())


def _ordinary(kills, point):
    kills.put_back()
    kills.child(point)
    kills.place.run("observe", now=LATER)
    kills.place.run("observe", now="2026-11-21T10:00:00+00:00")
    return kills.traces(), kills.lines()


def _check(kills, points):
    kills.put_back()
    before = kills.lines()
    for point in points:
        traces, others = _again(kills, point)
        assert (traces, others) == ([], _others(before)), f"point {point}, the same command again"
        assert KEPT in kills.place.memory.read_text()
        traces, lines = _ordinary(kills, point)
        is_untouched = lines == before
        assert is_untouched or traces == [], f"point {point}, then an ordinary run"
        assert is_untouched or sorted(_others(lines)) == sorted(_others(before)), f"point {point}"
        assert "[forgotten]" not in kills.place.memory.read_text(), f"point {point}"


def test_killed_at_some_points_it_is_finished_by_the_next_run(kills):
    assert kills.points > 60

    _check(kills, range(1, kills.points + 1, max(_EVERY_SLOWLY, kills.points // 3)))


@pytest.mark.slow
def test_killed_at_many_points_it_is_finished_by_the_next_run(kills):
    _check(kills, range(1, kills.points + 1, _EVERY_SLOWLY))


def test_without_the_ledger_s_note_a_kill_leaves_traces_that_nobody_goes_after(kills):
    caught = 0
    for point in range(kills.points // 3, kills.points, max(1, kills.points // 6)):
        kills.put_back()
        kills.child(point)
        stage, Forgetting.stage = Forgetting.stage, lambda _self: None
        try:
            kills.place.run("observe", now=LATER)
        finally:
            Forgetting.stage = stage
        with kills.place.ledger() as ledger:
            was_begun = any(line.standing.closed is Closed.FORGOTTEN for line in ledger.all_lines())
        caught += was_begun and kills.traces() != []

    assert caught
