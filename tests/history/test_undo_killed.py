"""An undo that is killed anywhere: asked again, or followed by any run, it stands as if it had not been."""

import contextlib
from pathlib import Path
from unittest import mock

import pytest
from tests.crash.killing import Killing
from tests.places import Place

from scrimshaw.store import events
from scrimshaw.store.ledger import Ledger

_LATER = "2026-11-20T20:00:00+00:00"


def _talk(place: Place, *numbers: int) -> None:
    place.say(
        *[(f"We decided that unit-{n}x runs release {n}.4.1 in production.", "Noted.") for n in numbers]
    )


def _build(place: Place) -> None:
    place.memory.write_bytes(b"# Memory\r\n\r\n- mine\r\n")
    _talk(place, 0, 1, 2)
    assert place.run("observe", "--yes", "--now").code == 0
    text = place.memory.read_bytes().decode()
    place.memory.write_bytes(text.replace("runs release 1.4.1 in", "runs 1.4.1 in").encode())
    _talk(place, 3, 4)
    assert place.run("observe", "--now", now="2026-11-20T19:00:00+00:00").code == 0


def _undo(place: Place) -> None:
    answer = place.run("undo", "2", now=_LATER)
    assert answer.code == 0 or "undone already" in answer.err, answer


def _undo_and_observe(place: Place) -> None:
    with place.ledger() as ledger:
        is_asked = ledger.latest_revision().number < 3 and not ledger.past.undos()
    if is_asked:
        _undo(place)
    assert place.run("observe", "--now", now="2026-11-20T21:00:00+00:00").code == 0


@pytest.mark.slow
@pytest.mark.parametrize("act", [_undo, _undo_and_observe])
def test_an_undo_killed_at_any_point_is_finished_by_the_next_run(tmp_path: Path, act):
    killing = Killing(tmp_path, _build, act)

    assert killing.points > 40
    assert list(killing.differing((point,) for point in range(1, killing.points + 1, 2))) == []


@pytest.mark.slow
def test_the_check_of_kills_bites(tmp_path: Path):
    """Negative control: events that become true one by one leave half an undo behind."""

    def one_by_one(self: Ledger, new):
        for event in new:
            with self._db.transaction():
                events.append(self._db, [event])

    def breaks() -> None:
        mock.patch.object(Ledger, "append", one_by_one).start()
        mock.patch.object(Ledger, "transaction", return_value=contextlib.nullcontext()).start()

    killing = Killing(tmp_path, _build, _undo)

    assert list(killing.differing(((point,) for point in range(1, killing.points + 1, 2)), before=breaks))
