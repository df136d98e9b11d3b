"""Killed at any file operation of an observe: nothing lost, nothing doubled, other text untouched.

A child process is ended without warning (`os._exit`, as a kill -9 would) at the n-th audit event that
touches the workspace; then the command runs again undisturbed. Two controls break the write order on
purpose and must be caught: without them nobody would know that the check bites.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.places import Place

from scrimshaw.files import sweep

_TOUCHING = {"open", "os.rename", "os.remove", "os.mkdir", "os.chmod", "os.truncate", "sqlite3.connect"}
_LATER = "2026-11-20T20:00:00+00:00"


def _talk(place: Place, first: int, count: int) -> None:
    place.say(
        *[
            (f"We decided that unit-{n}x runs release {n}.4.1 in production.", "Noted.")
            for n in range(first, first + count)
        ]
    )


def _place(folder: Path) -> Place:
    place = Place(folder / "machine")
    place.memory.write_text("# Memory\r\n\r\n- mine\r\n")
    _talk(place, 0, 4)
    place.run("observe", "--yes")
    text = place.memory.read_bytes().decode()
    place.memory.write_bytes(text.replace("### Standing\r\n", "### Standing\r\n- My own line\r\n").encode())
    _talk(place, 4, 3)
    return place


def _killed_at(place: Place, number: int, before: Callable[[], None] = lambda: None) -> bool:
    """Run the command in a child that dies at its *number*-th event; return whether it got that far."""
    child = os.fork()
    if child == 0:
        before()
        seen = 0

        def hook(event: str, args: tuple[object, ...]) -> None:
            nonlocal seen
            if event in _TOUCHING and str(place.workspace) in str(args[0]):
                seen += 1
                if seen == number:
                    os._exit(9)

        sys.addaudithook(hook)
        place.run("observe", now=_LATER)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) == 9


def _outcome(place: Place) -> tuple[str, list[str]]:
    return place.memory.read_bytes().decode(), sorted(place.dated().splitlines())


def _expected(folder: Path) -> tuple[str, list[str]]:
    place = _place(folder)
    place.run("observe", now=_LATER)
    return _outcome(place)


def _differences(tmp_path: Path, numbers: range, before: Callable[[], None] = lambda: None) -> list[int]:
    """Return the points after which a second run does not end where an undisturbed one does."""
    expected = _expected(tmp_path / "undisturbed")
    wrong = []
    for number in numbers:
        place = _place(tmp_path / str(number))
        if not _killed_at(place, number, before):
            break
        for _ in range(2):
            _killed_at(
                place, 0, before
            )  # never: these run through, broken on purpose as before or not at all
        leftovers = [
            left
            for folder in (place.workspace, place.workspace / "memory/observations")
            for left in sweep(folder)
        ]
        if _outcome(place) != expected or leftovers:
            wrong.append(number)
    return wrong


def test_a_kill_at_a_sample_of_points_changes_nothing_in_the_end(tmp_path: Path) -> None:
    assert _differences(tmp_path, range(1, 200, 9)) == []


@pytest.mark.slow
def test_a_kill_at_every_point_changes_nothing_in_the_end(tmp_path: Path) -> None:
    assert _differences(tmp_path, range(1, 400)) == []


@pytest.mark.slow
def test_the_check_bites_when_coverage_is_written_before_the_observations(tmp_path: Path) -> None:
    """Negative control: the cursor first."""

    def cover_first() -> None:
        from scrimshaw.store import ledger

        whole = ledger.Ledger.accept

        def accept(self, batch, *, expected_version=None):  # type: ignore[no-untyped-def]
            from dataclasses import replace

            whole(self, replace(batch, observations=(), events=()))
            self.path.with_name("control").touch()  # a point between the two
            return whole(self, replace(batch, covered={}))

        ledger.Ledger.accept = accept  # type: ignore[method-assign]

    assert _differences(tmp_path, range(1, 200), cover_first)


@pytest.mark.slow
def test_the_check_bites_when_ids_are_not_stable(tmp_path: Path) -> None:
    """Negative control: a random id for each line, nothing covered, no look for duplicates."""

    def forget() -> None:
        import secrets

        from scrimshaw.core import accepting, claims, hand, verify
        from scrimshaw.jobs import session  # noqa: F401
        from scrimshaw.store import coverage

        accepting.observation_id = lambda *_: secrets.token_hex(12)
        hand.observation_id = accepting.observation_id  # type: ignore[attr-defined]
        coverage.cover = lambda *_: None  # type: ignore[assignment]
        coverage.write_cursors = lambda *_: None  # type: ignore[assignment]
        # The gate that knows a line said again would catch it, too.
        claims.Known.same = lambda *_, **__: None  # type: ignore[method-assign]
        verify._twin = lambda _: None  # type: ignore[assignment]

    assert _differences(tmp_path, range(1, 200, 5), forget)
