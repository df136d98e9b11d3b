"""What hosts do to their stores while the daemon follows them, on real files and with the real watcher."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.daemon.simulated import Simulation, simulated
from tests.stores import FakeSession, build_sqlite

from scrimshaw.daemon.watching import Watcher
from scrimshaw.store.ledger import open_ledger

START = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)


@pytest.fixture(params=["jsonl", "sqlite"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def simulation(tmp_path: Path, kind: str) -> Iterator[Simulation]:
    watcher = Watcher(lambda: None)
    with simulated(tmp_path, START, kind, watcher) as made:
        made.run_for(minutes=10)
        yield made
    watcher.close()


def _statement(number: int) -> str:
    return f"We decided that unit-{number}x runs release {number}.4.1 in production."


def _noted(simulation: Simulation) -> list[str]:
    path = simulation.place.workspace / ".scrimshaw/ledger.sqlite"
    with open_ledger(path, create=False, read_only=True) as ledger:
        return [line.observation.text for line in ledger.all_lines()]


def test_what_is_said_is_in_the_section_after_the_pause(simulation: Simulation) -> None:
    simulation.say(_statement(1))
    simulation.run_for(minutes=7)

    assert "unit-1x" in simulation.place.section()


def test_a_new_session_is_followed(simulation: Simulation) -> None:
    fresh = FakeSession(key="agent:main:other", at_ms=simulation.clock.now_ms)
    simulation.place.sessions.append(fresh)
    fresh.user(_statement(1))
    fresh.assistant("Noted.")
    simulation.place.save()
    simulation.run_for(minutes=7)

    assert "unit-1x" in simulation.place.section()


@pytest.mark.parametrize("kind", ["jsonl"], indirect=True)
def test_a_host_that_moves_to_sqlite_is_followed_and_nothing_is_noted_twice(simulation: Simulation) -> None:
    place = simulation.place
    simulation.say(_statement(1))
    simulation.run_for(minutes=2)
    shutil.rmtree(place.store)
    place.kind = "sqlite"
    build_sqlite(place.store, place.sessions)
    place.written = {session.session_id: len(session.events) for session in place.sessions}
    simulation.run_for(minutes=2)

    simulation.say(_statement(2))
    simulation.run_for(minutes=7)

    texts = _noted(simulation)
    assert [sum(f"unit-{n}x" in text for text in texts) for n in range(3)] == [1, 1, 1]
    assert "unit-2x" in place.section()


@pytest.mark.parametrize("kind", ["jsonl"], indirect=True)
def test_a_reset_that_renames_the_transcript_is_observed_and_written_at_once(simulation: Simulation) -> None:
    place = simulation.place
    simulation.say(_statement(1))
    old = place.store / f"{place.session.session_id}.jsonl"
    known = {"sessionId": place.session.session_id, "sessionKey": place.session.key}
    (place.store / f"{place.session.session_id}.trajectory.jsonl").write_text(json.dumps(known))
    old.rename(old.with_name(f"{old.name}.reset.2026-11-20T18-10-00.000Z"))
    place.sessions = [
        FakeSession(session_id="0" * 8 + place.session.session_id[8:], at_ms=simulation.clock.now_ms)
    ]
    simulation.say(_statement(2))
    simulation.run_for(minutes=2)

    assert "unit-1x" in place.section()


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_a_session_that_the_host_deletes_keeps_its_notes_and_a_mark(simulation: Simulation) -> None:
    place = simulation.place
    session_id = place.session.session_id
    with closing(sqlite3.connect(place.store)) as connection, connection:
        connection.execute("delete from transcript_events where session_id = ?", (session_id,))
    simulation.run_for(minutes=7)

    assert "unit-0x" in place.section()


def test_a_state_folder_that_vanishes_and_comes_back_is_followed_again(simulation: Simulation) -> None:
    place = simulation.place
    aside = place.state.with_name("state-aside")
    place.state.rename(aside)
    simulation.run_for(minutes=3)
    assert "unit-0x" in place.section()

    aside.rename(place.state)
    simulation.run_for(minutes=3)
    simulation.say(_statement(1))
    simulation.run_for(minutes=7)

    assert "unit-1x" in place.section()


def test_a_store_that_cannot_be_read_for_a_while_is_told_and_then_followed(simulation: Simulation) -> None:
    place = simulation.place
    simulation.say(_statement(1))
    store = place.store if place.kind == "sqlite" else place.store / f"{place.session.session_id}.jsonl"
    aside = store.with_name("aside")
    store.rename(aside)
    store.mkdir()
    simulation.run_for(minutes=3)
    store.rmdir()
    aside.rename(store)
    simulation.run_for(minutes=12)

    assert "unit-1x" in place.section()
    assert len(_noted(simulation)) == 2
