"""Killed between the question and the ledger, or anywhere else: all of a plan is done, or nothing of it.

The reflection is cut off at its n-th point (tests/crash/killing.py), then done again undisturbed; what stands
then in MEMORY.md, the dated files and the ledger must be what stands there without the kill. The control does
in two transactions what has to be one, and must be caught.
"""

import json
import os
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from tests.core.plans_by_hand import notebook
from tests.crash.killing import Killing
from tests.fake_model import FakeOpener, Said, always
from tests.places import NOW, Place
from tests.reflect.ledgers import (
    DEPLOY,
    closed,
    fill,
    merging,
    numbers_in,
    texts_of,
    with_settings,
)
from tests.support.breadth import share

from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.services.reflect.run import run
from scrimshaw.store.ledger import Ledger
from scrimshaw.store.records import Accepted, Batch, WriteConflict

_FEW = 5  # points in the quick suite; all of them in the slow one


def _build(place: Place) -> None:
    fill(place, notebook())
    place.memory.write_text("# Memory\n\n- mine\n")


def _reply(prompt: Prompt) -> Said:
    """Answer by what is shown, so that a second question about other lines finds other numbers."""
    numbers = numbers_in(prompt)
    (hdmi,) = texts_of(["hdmi"])
    if hdmi not in numbers:
        return closed()
    merged = str(merging(DEPLOY, *texts_of(["fail", "lock"]))(prompt)).splitlines()[:-1]
    dropped = json.dumps({"act": "drop", "line": numbers[hdmi], "reason": "trivial"})
    return "\n".join([*merged, dropped, json.dumps({"done": len(merged) + 1})])


def _reflect(place: Place, *, dies_asked: bool = False) -> None:
    def reply(prompt: Prompt) -> Said:
        if dies_asked:
            os._exit(9)
        return _reply(prompt)

    # The owner's caps and prices are no matter of this suite, and the machine of the test has no keys.
    run(with_settings(place.target()), datetime.fromisoformat(NOW), opens=FakeOpener(always(reply)))


@pytest.fixture(scope="module")
def killing(tmp_path_factory: pytest.TempPathFactory) -> Killing:
    return Killing(tmp_path_factory.mktemp("killed"), _build, _reflect)


def test_the_reflection_that_is_killed_does_something(killing: Killing):
    assert any(DEPLOY in line for line in killing.expected.lines)
    assert DEPLOY in killing.expected.memory.decode()
    assert killing.points > 30


def test_a_reflection_killed_anywhere_is_done_whole_by_the_next(killing: Killing):
    points: Iterable[int] = range(1, killing.points + 1, killing.points // _FEW)

    assert list(killing.differing((point,) for point in points)) == []


@pytest.mark.slow
def test_a_reflection_killed_at_many_points_is_done_whole_by_the_next(killing: Killing):
    assert list(killing.differing((point,) for point in share(range(1, killing.points + 1), 3))) == []


def test_a_process_that_dies_while_it_asks_has_changed_no_line(tmp_path: Path):
    place = Place(tmp_path / "home")
    _build(place)
    with place.ledger() as ledger:
        before = ledger.live_lines()

    child = os.fork()
    if child == 0:
        _reflect(place, dies_asked=True)
        os._exit(0)
    _, status = os.waitpid(child, 0)

    assert os.waitstatus_to_exitcode(status) == 9
    with place.ledger() as ledger:
        last = ledger.last_run("reflect")
        assert before == ledger.live_lines()
    assert last is not None
    assert last.outcome == ""


def _in_two_transactions() -> None:
    accept = Ledger.accept

    def torn(self: Ledger, batch: Batch, **named: Any) -> Accepted | WriteConflict:
        accept(self, replace(batch, events=()), **named)
        return accept(self, replace(batch, observations=()))

    mock.patch.object(Ledger, "accept", torn).start()


@pytest.mark.slow
def test_a_plan_that_is_written_in_two_parts_is_caught(killing: Killing):
    points = range(1, killing.points + 1)

    found = killing.differing(((point,) for point in points), before=_in_two_transactions)

    assert next(found, None) is not None
