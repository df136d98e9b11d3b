"""What goes wrong around a daemon: it goes on with the rest, says so once, and never goes in circles."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.daemon.simulated import Simulation, simulated
from tests.stores import FakeSession, write_session

from scrimshaw.daemon.worker import JOB, DueJob, FinishedJob, What
from scrimshaw.store.ledger import open_ledger

START = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)
_TORN = b'{"type":"message","id":"zz","par'


@pytest.fixture
def simulation(tmp_path: Path) -> Iterator[Simulation]:
    with simulated(tmp_path, START) as made:
        made.run_for(minutes=20)
        yield made


def _statement(number: int) -> str:
    return f"We decided that unit-{number}x runs release {number}.4.1 in production."


def _transcript(simulation: Simulation) -> Path:
    return simulation.place.store / f"{simulation.place.session.session_id}.jsonl"


def _writings(simulation: Simulation, minutes: int) -> int:
    """Talk for so many minutes, a message each, and return how often MEMORY.md changed meanwhile."""
    changes, before = 0, simulation.place.memory.read_bytes()
    for number in range(100, 100 + minutes):
        simulation.say(_statement(number))
        simulation.run_for(minutes=1)
        now = simulation.place.memory.read_bytes()
        changes, before = changes + (now != before), now
    return changes


def test_a_line_that_stays_torn_makes_no_run_after_another(simulation: Simulation) -> None:
    with _transcript(simulation).open("ab") as file:
        file.write(_TORN)
    simulation.watcher.news.add(simulation.place.workspace)
    before = len(simulation.runs("observe"))

    simulation.run_for(hours=3)

    assert len(simulation.runs("observe")) == before


def test_the_same_bytes_in_another_file_are_nothing_new(simulation: Simulation) -> None:
    path = _transcript(simulation)
    copy = path.with_name("copy")
    copy.write_bytes(path.read_bytes())
    copy.replace(path)
    simulation.watcher.news.add(simulation.place.workspace)
    before = len(simulation.runs("observe"))

    simulation.run_for(hours=3)

    assert len(simulation.runs("observe")) == before
    assert "nothing new" in simulation.place.run("status", now=simulation.clock().isoformat()).out


def test_a_damaged_store_does_not_stop_the_others_and_is_told_once(
    simulation: Simulation, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "scrimshaw")
    bad = simulation.place.state / "agents/main/agent/openclaw-agent.sqlite"
    bad.parent.mkdir(parents=True)
    bad.write_bytes(b"not a database" * 500)
    simulation.watcher.is_stale = True
    simulation.say(_statement(1))

    simulation.run_for(hours=2)

    assert "unit-1x" in simulation.place.section()
    assert sum("is no SQLite" in record.getMessage() for record in caplog.records) == 1


def test_a_message_from_the_future_does_not_make_a_conversation_idle(simulation: Simulation) -> None:
    ahead = FakeSession(key="agent:main:other", at_ms=simulation.clock.now_ms + 3_600_000)
    ahead.user("What time is it?")
    ahead.assistant("Late.")
    simulation.place.sessions.append(ahead)
    simulation.place.save()
    simulation.run_for(minutes=1)

    assert _writings(simulation, minutes=20) <= 1


def test_a_time_in_what_a_tool_was_told_is_not_the_messages(simulation: Simulation) -> None:
    session = simulation.place.session
    session.at_ms = simulation.clock.now_ms
    session.user("Book it.")
    call = {
        "type": "toolCall",
        "id": "c1",
        "name": "book",
        "arguments": {"timestamp": "2027-01-01T00:00:00Z"},
    }
    session.message("assistant", [call])
    simulation.place.save()

    assert _writings(simulation, minutes=6) == 0


def test_an_end_that_comes_after_all_was_observed_is_still_an_end(simulation: Simulation) -> None:
    place = simulation.place
    simulation.say(_statement(1))
    simulation.say("Here is the log:\n" + "word word\n" * 4000, "ok ok\n" * 2000)
    simulation.run_for(seconds=20)
    assert "unit-1x" in place.dated()
    assert "unit-1x" not in place.section()

    path = _transcript(simulation)
    path.rename(path.with_name(f"{path.name}.reset.2026-11-20T18-21-00.000Z"))
    place.sessions = [FakeSession(session_id="9" * 8 + place.session.session_id[8:])]
    simulation.say("A new question?", "An answer.")
    simulation.run_for(minutes=2)

    assert "unit-1x" in place.section()


def test_a_clock_that_was_years_ahead_for_a_while_leaves_the_plans_as_they_were(
    simulation: Simulation,
) -> None:
    simulation.sleep(days=1000)
    simulation.run_for(minutes=5)
    simulation.sleep(days=-1000)
    simulation.step()

    now, workspace = simulation.clock(), simulation.place.workspace
    for what, longest in ((What.REFLECT, timedelta(hours=4)), (What.MAINTAIN, timedelta(days=1))):
        planned = simulation.supervisor._schedule.next_at(what, workspace)
        assert planned is not None
        assert now <= planned <= now + longest


def test_a_memory_that_is_a_link_is_refused_without_a_row_for_each_look(simulation: Simulation) -> None:
    memory = simulation.place.memory
    real = memory.with_name("real.md")
    memory.rename(real)
    memory.symlink_to(real)
    simulation.say(_statement(1))
    ledger = simulation.place.workspace / ".scrimshaw/ledger.sqlite"

    def rows() -> tuple[int, int]:
        with closing(sqlite3.connect(ledger)) as connection:
            counts = [
                connection.execute(f"select count(*) from {name}").fetchone()[0]
                for name in ("run", "revision")
            ]
        return counts[0], counts[1]

    before = rows()
    simulation.run_for(hours=6)

    assert rows()[0] - before[0] <= 15
    assert rows()[1] == before[1]


def test_a_request_of_long_ago_does_not_write_in_the_middle_of_a_conversation(simulation: Simulation) -> None:
    ledger_path = simulation.place.workspace / ".scrimshaw/ledger.sqlite"
    with open_ledger(ledger_path, create=False) as ledger:
        number = ledger.put_request("observe", by="hook", at_ms=simulation.clock.now_ms - 12 * 3_600_000)
    simulation.say(_statement(1))
    simulation.run_for(minutes=2)

    assert "unit-1x" not in simulation.place.section()
    with open_ledger(ledger_path, create=False, read_only=True) as ledger:
        assert json.loads(ledger.answer(number) or "")["exit_code"] == 3


def test_a_refused_hand_edit_stays_in_status_until_it_is_decided(simulation: Simulation) -> None:
    place = simulation.place
    for number in range(1, 9):
        simulation.say(_statement(number))
    simulation.run_for(minutes=10)
    kept = [line for line in place.memory.read_text().splitlines(keepends=True) if "x runs" not in line]
    place.memory.write_text("".join(kept))
    simulation.run_for(minutes=10)
    _writings(simulation, minutes=15)

    status = place.run("status", now=simulation.clock().isoformat())

    assert "accept-edits" in status.out
    assert status.code == 1


def test_one_message_with_an_hour_of_work_is_observed_in_pieces_of_some_size(simulation: Simulation) -> None:
    session = simulation.place.session
    session.at_ms = simulation.clock.now_ms
    session.user(_statement(1))
    before = len(simulation.runs("observe"))
    for number in range(180):
        session.at_ms = simulation.clock.now_ms
        call = {
            "type": "toolCall",
            "id": f"c{number}",
            "name": "exec",
            "arguments": {"command": f"make {number}"},
        }
        session.message("assistant", [call])
        content = [{"type": "text", "text": "done"}]
        session.message("toolResult", content, toolCallId=f"c{number}", toolName="exec", isError=False)
        simulation.place.save()
        simulation.watcher.news.add(simulation.place.workspace)
        simulation.run_for(seconds=20)

    assert 1 <= len(simulation.runs("observe")) - before <= 13


def test_a_rewritten_session_with_fewer_rows_is_seen(tmp_path: Path) -> None:
    with simulated(tmp_path, START, "sqlite") as simulation:
        simulation.run_for(minutes=10)
        for number in range(1, 7):
            simulation.say(_statement(number))
        simulation.run_for(minutes=10)
        session = simulation.place.session
        session.events, session.leaf = session.events[:4], session.events[3]["id"]
        session.at_ms = simulation.clock.now_ms
        session.user(_statement(50))
        session.assistant("Noted.")
        for number, event in enumerate(session.events[4:]):
            event["id"] = f"rewritten-{number}"
        session.events[5]["parentId"] = session.events[4]["id"]
        _rewrite(simulation.place.store, session)
        simulation.watcher.news.add(simulation.place.workspace)

        simulation.run_for(minutes=20)

        assert "unit-50x" in simulation.place.section()


def _rewrite(store: Path, session: FakeSession) -> None:

    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute(
            "update transcript_rewrite_watermarks set generation = 'another' where session_id = ?",
            (session.session_id,),
        )
        write_session(connection, session)


def test_a_clock_set_back_does_not_keep_an_exchange_waiting_for_as_long(simulation: Simulation) -> None:
    simulation.sleep(days=30)
    simulation.say("Here is the log:\n" + "word word\n" * 4000, "ok " * 10)
    simulation.place.session.user("And now?")
    simulation.place.save()
    simulation.run_for(seconds=30)
    simulation.sleep(days=-30)
    before = len(simulation.runs("observe"))

    _writings(simulation, minutes=40)

    assert len(simulation.runs("observe")) > before


def test_a_transcript_that_cannot_be_opened_is_told_and_tried_after_longer_and_longer_pauses(
    simulation: Simulation,
) -> None:
    other = FakeSession(key="agent:main:other", at_ms=simulation.clock.now_ms)
    other.user(_statement(1))
    other.assistant("Noted.")
    simulation.place.sessions.append(other)
    simulation.place.save()
    path = simulation.place.store / f"{other.session_id}.jsonl"
    whole = path.read_bytes()
    path.write_bytes(b"")  # a host that has emptied it and is gone
    simulation.watcher.news.add(simulation.place.workspace)
    before = len(simulation.runs("observe"))
    simulation.run_for(hours=3)
    assert len(simulation.runs("observe")) - before <= 2

    path.write_bytes(whole)
    simulation.watcher.news.add(simulation.place.workspace)
    simulation.run_for(minutes=10)

    assert "unit-1x" in simulation.place.section()


def test_a_damaged_ledger_stays_told_after_the_night(
    simulation: Simulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scrimshaw.store.ledger.Ledger.check", lambda _: ["the ledger is damaged."])
    simulation.run_for(hours=11)

    status = simulation.place.run("status", now=simulation.clock().isoformat())

    assert "the ledger is damaged." in status.out
    assert status.code == 1


def test_another_zone_is_in_the_section_at_once(simulation: Simulation) -> None:
    (simulation.place.workspace / ".scrimshaw/config.yaml").write_text("timezone: Asia/Tokyo\n")
    simulation.run_for(minutes=5)

    assert "times are Asia/Tokyo" in simulation.place.section()


def test_a_thousand_failures_in_a_row_are_a_pause_of_an_hour_and_no_more(simulation: Simulation) -> None:
    looks = next(iter(simulation.supervisor._looks.values()))
    job = DueJob(What.FOLLOW, simulation.place.workspace)
    for _ in range(1100):
        simulation.supervisor._take(
            looks, FinishedJob(job, 60.0, {JOB: ("no",)}, has_failed=True), simulation.mono
        )

    assert 3000 <= looks.not_before - simulation.mono <= 7200


def test_an_exchange_that_nobody_finishes_is_observed_as_soon_as_the_conversation_is_idle(
    simulation: Simulation,
) -> None:
    session = simulation.place.session
    session.at_ms = simulation.clock.now_ms
    session.user(_statement(1))
    blob = {"type": "image", "data": "A" * 400_000, "mimeType": "image/png"}
    session.message("toolResult", [blob], toolCallId="c1", toolName="read", isError=False)
    call = {"type": "toolCall", "id": "c2", "name": "exec", "arguments": {"command": "make"}}
    session.message("assistant", [call])
    simulation.place.save()
    simulation.watcher.news.add(simulation.place.workspace)
    before = simulation.clock()
    simulation.run_for(minutes=6)

    at, why, _ = simulation.runs("observe")[-1]
    assert why == "the conversation is idle"
    assert timedelta(minutes=5) <= at - before < timedelta(minutes=5, seconds=10)


def test_while_the_hosts_configuration_is_broken_nothing_is_written_and_then_all_is_made_up(
    simulation: Simulation,
) -> None:
    config = simulation.place.state / "openclaw.json"
    whole = config.read_text()
    (simulation.place.state / "workspace").mkdir()
    config.write_text(whole[:20])
    simulation.watcher.news.add(simulation.place.workspace)
    before = simulation.place.everything_written()
    simulation.say(_statement(900))
    simulation.run_for(hours=2)

    assert _statement(900).encode() not in simulation.place.everything_written()
    assert simulation.place.memory.read_bytes() in before
    assert list((simulation.place.state / "workspace").iterdir()) == []

    config.write_text(whole)
    simulation.run_for(minutes=20)

    assert _statement(900) in simulation.place.section()
