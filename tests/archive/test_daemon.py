"""Archives are the daemon's work beside all else: done when due, given up quietly, in nobody's way."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from math import inf
from pathlib import Path
from unittest import mock

import pytest
from tests.daemon.processes import PATIENCE_SECONDS, TWO_SECONDS, counts, grace, running, until
from tests.places import NOW, Place

from scrimshaw.archive import mv2
from scrimshaw.daemon.background import ARCHIVES, INSIGHT, SEARCH, background
from scrimshaw.daemon.worker import DueJob, FinishedJob, What
from scrimshaw.services.archive.write import ArchiveOptions
from scrimshaw.services.search import index

_FAKE = Path(__file__).with_name("fake_memvid.py")
# Replaces what the daemon's background does by one whose memvid behaves as MODE.
_SEAM = """
from scrimshaw.archive import mv2
from scrimshaw.services.archive import write as archiving
command = ({python!r}, "-S", {fake!r}, {mode!r})
daemon.PATIENT = archiving.ArchiveOptions(child=mv2.Child(command=command))
mv2.is_installed = lambda: True
archiving.archive_due = lambda *_: "at once"
"""


class _Beside:
    """The daemon's background on one place, with a clock that is moved by hand."""

    def __init__(self, place: Place, mode: str = "good") -> None:
        self.now = datetime.fromisoformat(NOW)
        self.place = place
        child = mv2.Child(command=(sys.executable, "-S", str(_FAKE), mode))
        self._do = background(lambda _: place.target(), lambda: self.now, ArchiveOptions(child=child))

    def do(self) -> FinishedJob:
        return self._do(DueJob(What.ARCHIVE, self.place.workspace))

    @property
    def has_archive(self) -> bool:
        return (self.place.workspace / "memory" / "episodic" / "main.mv2").exists()


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    place = Place(tmp_path / "machine")
    place.say(("We decided that unit-1x runs release 1.4.1 in production.", "Noted."))
    assert place.run("observe", "--yes").code == 0
    # The search index is kept by the same thread; it has tests of its own.
    with (
        mock.patch.object(mv2, "is_installed", return_value=True),
        mock.patch.object(index, "keep_up", return_value=()),
    ):
        yield place


def test_what_is_not_due_is_left_alone_and_a_day_that_is_over_is_archived(place: Place) -> None:
    beside = _Beside(place)

    assert (beside.do().problems, beside.has_archive) == ({ARCHIVES: (), SEARCH: (), INSIGHT: ()}, False)
    beside.now += timedelta(days=1)
    assert (beside.do().problems, beside.has_archive) == ({ARCHIVES: (), SEARCH: (), INSIGHT: ()}, True)


def test_an_archive_that_is_gone_is_made_anew_although_nothing_is_due(place: Place) -> None:
    beside = _Beside(place)
    beside.now += timedelta(days=1)
    beside.do()
    (place.workspace / "memory" / "episodic" / "main.mv2").unlink()

    beside.do()

    assert beside.has_archive


def test_a_failure_is_told_and_tried_again_after_longer_and_longer_pauses(place: Place) -> None:
    beside = _Beside(place, "die")
    beside.now += timedelta(days=1)
    tried = []
    for _ in range(100):
        tried.append(bool(beside.do().problems.get(ARCHIVES)))
        beside.now += timedelta(minutes=10)

    assert tried[0]
    # At 0, 10, 30, 70, 150 and 310 minutes, and 630.
    assert [number for number, has_tried in enumerate(tried) if has_tried] == [0, 1, 3, 7, 15, 31, 63, 99]


def test_without_memvid_nothing_is_tried_and_nothing_is_wrong(place: Place) -> None:
    beside = _Beside(place, "die")
    beside.now += timedelta(days=1)

    with mock.patch.object(mv2, "is_installed", return_value=False):
        done = beside.do()

    assert done == FinishedJob(
        DueJob(What.ARCHIVE, place.workspace), inf, {ARCHIVES: (), SEARCH: (), INSIGHT: ()}
    )


def test_a_workspace_that_was_wiped_is_left_alone(place: Place) -> None:
    (place.workspace / ".scrimshaw" / "ledger.sqlite").unlink()

    assert _Beside(place).do().problems == {}


@pytest.mark.slow
def test_a_signal_ends_a_daemon_while_memvid_hangs(place: Place) -> None:
    seam = _SEAM.format(python=sys.executable, fake=str(_FAKE), mode="hang") + grace(PATIENCE_SECONDS)
    state = place.workspace / ".scrimshaw"
    with running(place, seam=seam) as daemon:
        place.say(("We decided that unit-2x runs release 2.4.1 in production.", "Noted."))
        until(lambda: list(state.glob("archiving-*")) or daemon.process.poll() is not None)
        place.say(("We decided that unit-3x runs release 3.4.1 in production.", "Noted."))
        # Notes go on meanwhile: nobody waits for an archive.
        until(lambda: counts(place).observations >= 3 or daemon.process.poll() is not None)
        code = daemon.end()

    assert code == 0, daemon.log
    assert 0 < daemon.would_wait < TWO_SECONDS
    assert daemon.children
    assert daemon.left_behind() == []
    assert "at_work=finished" in daemon.log
    assert list(state.glob("archiving-*")) == []


@pytest.mark.slow
def test_a_daemon_archives_and_says_so(place: Place) -> None:
    seam = _SEAM.format(python=sys.executable, fake=str(_FAKE), mode="good")
    with running(place, seam=seam) as daemon:
        place.say(("We decided that unit-2x runs release 2.4.1 in production.", "Noted."))
        until(lambda: "job=archive" in daemon.log or daemon.process.poll() is not None)
        daemon.end()

    assert "job=archive agent=main frames=" in daemon.log
    assert _Beside(place).has_archive
