"""A live archive may be copied at any time: what is copied is an older one or a newer one, never a mix."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from datetime import datetime
from pathlib import Path

import pytest
from tests.places import NOW, Place
from tests.portability.ledgers import fill

from scrimshaw.archive import mv2
from scrimshaw.layout import Layout
from scrimshaw.services.archive.scratch import scratch
from scrimshaw.services.archive.write import archive

needs_memvid = pytest.mark.skipif(not mv2.is_installed(), reason="memvid-sdk is not installed")


def more(place: Place, count: int, *, seed: int) -> Path:
    """Put lines into the ledger and all of it into the archive; return the archive."""
    with place.ledger() as ledger:
        fill(ledger, count, seed=seed)
        archive(place.target(), ledger, datetime.fromisoformat(NOW))
    return place.workspace / "memory" / "episodic" / "main.mv2"


def machine(folder: Path) -> Place:
    place = Place(folder)
    place.memory.write_text("# Memory\n\nmine\n")
    assert place.run("init", "--yes").code == 0
    return place


def count(place: Place) -> int:
    with place.ledger() as ledger:
        return len(ledger.all_lines())


@needs_memvid
@pytest.mark.slow
def test_a_copy_begun_before_an_archive_is_replaced_and_ended_after_is_the_older_one(tmp_path: Path) -> None:
    there, here = machine(tmp_path / "there"), machine(tmp_path / "here")
    live = more(there, 60, seed=1)
    copy = tmp_path / "copy.mv2"

    with live.open("rb") as source, copy.open("wb") as target:
        target.write(source.read(live.stat().st_size // 2))
        more(there, 120, seed=2)
        shutil.copyfileobj(source, target)
    answers = [here.run("import", str(path), "--json").object["new"] for path in (copy, live)]

    assert (60, count(there)) == (answers[0], count(here))


@needs_memvid
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("rsync") is None, reason="rsync is not installed")
def test_rsync_beside_a_machine_at_work_carries_a_whole_archive(tmp_path: Path) -> None:
    there, here = machine(tmp_path / "there"), machine(tmp_path / "here")
    live = more(there, 60, seed=1)
    # Slow, so that the archive is replaced while it is read.
    command = ["rsync", "-a", "--bwlimit=400", str(live), str(tmp_path / "copy.mv2")]
    with subprocess.Popen(command) as rsync:
        more(there, 120, seed=2)
    assert rsync.returncode in (0, 23, 24)

    answer = here.run("import", str(tmp_path / "copy.mv2"), "--json")

    assert answer.object["new"] in (60, count(there))


@needs_memvid
@pytest.mark.slow
def test_a_lost_ledger_comes_back_from_the_agents_own_archive(tmp_path: Path) -> None:
    place = machine(tmp_path / "machine")
    place.say(("We decided to use Postgres 17.2 for the ledger.", "Noted."))
    place.run("observe", "--now")
    archive_path = more(place, 40, seed=1)
    with place.ledger() as ledger:
        before = {line.observation.id for line in ledger.all_lines()}
    shutil.rmtree(place.workspace / ".scrimshaw")
    place.run("init", "--yes")

    answer = place.run("import", str(archive_path), "--now")

    with place.ledger() as ledger:
        after = ledger.all_lines()
    live = [line.observation.text for line in after if line.standing.is_live]
    assert answer.code == 0
    assert before <= {line.observation.id for line in after}
    assert len(set(live)) == len(live)
    assert place.section().count("Postgres 17.2") == 1


def test_what_a_killed_run_left_is_swept_when_it_is_old(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    old, young = layout.state / "carrying-1", layout.state / "carrying-2"
    for folder in (old, young):
        folder.mkdir(parents=True)
        (folder / "copy.mv2").write_bytes(b"words")
    long_ago = time.time() - 100_000
    os.utime(old, (long_ago, long_ago))

    with scratch(layout) as folder:
        here = set(layout.state.glob("carrying-*"))

    assert {young, folder} == here
    assert [young] == list(layout.state.glob("carrying-*"))
