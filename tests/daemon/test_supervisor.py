"""The supervisor, round by round: what makes it look, what it plans, what it says of itself."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.simulated import Simulation, simulated

from scrimshaw import heartbeat
from scrimshaw.daemon.supervisor import WorkerDied
from scrimshaw.daemon.worker import DueJob, What
from scrimshaw.services.observe.run import ObserveResult
from scrimshaw.services.observe.run import run as observe_run
from scrimshaw.services.observe.task import ObserveOptions
from scrimshaw.services.schedule import tick
from scrimshaw.store.ledger import open_ledger
from scrimshaw.workspace import Target

START = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)
_FIRST = "We decided that unit-1x runs release 1.4.1 in production."


@pytest.fixture
def simulation(tmp_path: Path) -> Iterator[Simulation]:
    with simulated(tmp_path, START) as made:
        made.run_for(minutes=10)
        yield made


def _state(simulation: Simulation) -> Path:
    return simulation.place.workspace / ".scrimshaw"


def test_a_request_is_answered_at_once_in_the_middle_of_a_conversation(simulation: Simulation) -> None:
    simulation.say(_FIRST)
    with open_ledger(_state(simulation) / "ledger.sqlite", create=False) as ledger:
        number = ledger.put_request("observe", by="hook", at_ms=simulation.clock.now_ms)
        (_state(simulation) / "wake").touch()

        simulation.step()

        answer = json.loads(ledger.answer(number) or "")
    assert (answer["exit_code"], answer["noted"], answer["section"]) == (0, 1, "written")
    assert answer["problems"] == []
    assert "unit-1x" in simulation.place.section()


def test_a_reset_is_observed_and_written_without_waiting_for_silence(simulation: Simulation) -> None:
    simulation.say(_FIRST)
    simulation.place.session.add("reset", reason="new")
    simulation.place.save()
    simulation.watcher.news.add(simulation.place.workspace)

    simulation.run_for(seconds=6)

    assert "unit-1x" in simulation.place.section()


@pytest.mark.parametrize("was_seen_before", [True, False])
@pytest.mark.parametrize("end", ["reset", "compaction"])
def test_a_new_conversation_in_the_same_session_is_written_in_its_pause_and_not_in_its_middle(
    simulation: Simulation, end: str, was_seen_before: bool
) -> None:
    """Whether or not anybody looked between the end and the first exchange that follows."""
    simulation.say(_FIRST)
    assert simulation.place.run("observe", "--now").code == 0  # as the hook does before the end
    simulation.place.session.add(end, reason="new", summary="what was said")
    simulation.place.save()
    if was_seen_before:
        simulation.watcher.news.add(simulation.place.workspace)
        simulation.run_for(seconds=6)
    before = simulation.place.memory.read_bytes()
    assert b"unit-1x" in before

    for number in range(2, 9):
        simulation.say(f"We decided that unit-{number}x runs release {number}.4.1. " + "Nothing else. " * 900)
        simulation.run_for(seconds=60)

    assert "unit-2x" in simulation.place.dated()
    assert simulation.place.memory.read_bytes() == before
    simulation.run_for(minutes=6)
    assert "unit-2x" in simulation.place.section()


def test_a_conversation_is_in_the_section_a_round_after_it_has_gone_idle(simulation: Simulation) -> None:
    simulation.say(_FIRST)

    simulation.run_for(minutes=4, seconds=58)
    assert "unit-1x" not in simulation.place.section()

    simulation.run_for(seconds=4)
    assert "unit-1x" in simulation.place.section()


def test_a_round_in_which_nothing_happens_opens_no_ledger_and_no_store(
    simulation: Simulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[object] = []
    connect = sqlite3.connect

    def counted(*given: Any, **settings: Any) -> sqlite3.Connection:
        opened.append(given)
        return connect(*given, **settings)

    monkeypatch.setattr(sqlite3, "connect", counted)
    for _ in range(50):
        simulation.mono += 1
        simulation.clock.advance(seconds=1)
        simulation.step()
    assert opened == []

    simulation.say(_FIRST)
    simulation.run_for(seconds=6)
    assert opened  # and where something happens it does, so this would see it


def test_messages_that_come_close_together_are_looked_at_together(simulation: Simulation) -> None:
    simulation.step()
    looks = 0
    for number in range(1, 21):
        simulation.say(f"We decided that unit-{number}x runs release {number}.4.1 in production.")
        simulation.supervisor.step()
        looks += simulation.worker.work_off()
        simulation.mono += 1
        simulation.clock.advance(seconds=1)

    assert looks <= 7


def test_a_clock_that_jumps_makes_everything_be_looked_at(simulation: Simulation) -> None:
    simulation.step()
    assert simulation.worker.work_off() == 0

    simulation.sleep(minutes=45)
    simulation.supervisor.step()

    assert simulation.worker.work_off() == 1


def test_a_dead_worker_ends_the_daemon(simulation: Simulation) -> None:
    with pytest.raises(WorkerDied):
        simulation.supervisor.step(is_alive=False)


def test_the_heartbeat_says_what_is_at_work_and_what_is_planned(simulation: Simulation) -> None:
    simulation.step()

    beat = heartbeat.read(_state(simulation))

    assert beat is not None
    assert beat.doing == "waiting"
    assert beat.age_seconds(simulation.clock()) == 0
    assert datetime.fromisoformat(beat.next_reflection_at) == START.replace(hour=22)
    assert beat.problems == ()


def test_a_problem_is_in_the_heartbeat_until_it_is_mended(simulation: Simulation) -> None:
    text = simulation.place.memory.read_text()
    simulation.place.memory.write_text(text + "<!-- scrimshaw:begin -->\n")
    simulation.say(_FIRST)
    simulation.run_for(minutes=8)
    beat = heartbeat.read(_state(simulation))
    assert beat is not None
    assert "begin" in " ".join(beat.problems)

    simulation.place.memory.write_text(text)
    simulation.run_for(minutes=10)

    beat = heartbeat.read(_state(simulation))
    assert beat is not None
    assert beat.problems == ()
    assert "unit-1x" in simulation.place.section()


def test_a_workspace_is_let_go_when_it_goes_and_served_again_when_it_comes_back(
    simulation: Simulation,
) -> None:
    aside = simulation.place.workspace.with_name("aside")
    simulation.place.workspace.rename(aside)
    simulation.watcher.is_stale = True
    simulation.step()
    assert not simulation.roster.targets

    aside.rename(simulation.place.workspace)
    simulation.watcher.is_stale = True
    simulation.say(_FIRST)
    simulation.run_for(minutes=6)

    assert "unit-1x" in simulation.place.section()


def test_a_workspace_that_is_not_set_up_is_left_alone_until_it_is(simulation: Simulation) -> None:
    other = simulation.place.root / "other"
    other.mkdir()
    config = json.loads((simulation.place.state / "openclaw.json").read_text())
    config["agents"]["list"] = [{"id": "main"}, {"id": "second", "workspace": str(other)}]
    (simulation.place.state / "openclaw.json").write_text(json.dumps(config))
    simulation.run_for(minutes=2)
    assert other in simulation.roster.refused
    assert list(other.iterdir()) == []

    assert simulation.place.run("init", "--yes", "--agent", "second").code == 0
    simulation.run_for(minutes=2)

    assert other in simulation.roster.targets
    assert heartbeat.read(other / ".scrimshaw") is not None


def test_a_mistake_in_the_configuration_of_one_keeps_what_was_in_force(simulation: Simulation) -> None:
    config = _state(simulation) / "config.yaml"
    config.write_text("idle_interval: sometimes\n")
    simulation.run_for(minutes=2)

    simulation.say(_FIRST)
    simulation.run_for(minutes=6)

    assert "unit-1x" in simulation.place.section()


def test_a_changed_setting_is_in_force_within_a_minute_or_so(simulation: Simulation) -> None:
    (_state(simulation) / "config.yaml").write_text("idle_interval: 1m\n")
    simulation.run_for(minutes=2)

    simulation.say(_FIRST)
    simulation.run_for(minutes=2)

    assert "unit-1x" in simulation.place.section()


def test_a_wiped_state_folder_is_not_made_again_without_consent(simulation: Simulation) -> None:
    import shutil

    shutil.rmtree(_state(simulation))
    simulation.say(_FIRST)
    simulation.run_for(minutes=10)

    assert not _state(simulation).exists()
    assert simulation.place.workspace in simulation.roster.refused


def test_a_state_folder_that_goes_while_a_job_is_at_work_is_not_made_again(
    simulation: Simulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, aside = _state(simulation), simulation.place.root / "aside"

    def observe(target: Target, now: datetime, options: ObserveOptions) -> ObserveResult:
        state.rename(aside)
        return observe_run(target, now, options)

    monkeypatch.setattr(tick, "run", observe)
    simulation.say(_FIRST)
    simulation.run_for(minutes=10)

    assert aside.exists()
    assert not state.exists()


def test_a_job_that_takes_too_long_is_told(simulation: Simulation, monkeypatch: pytest.MonkeyPatch) -> None:
    job = DueJob(What.FOLLOW, simulation.place.workspace)
    monkeypatch.setattr(simulation.worker, "_doing", job)
    simulation.supervisor.step()
    simulation.mono += 2400
    simulation.clock.advance(seconds=2400)
    simulation.supervisor.step()

    beat = heartbeat.read(_state(simulation))

    assert beat is not None
    assert "at work for 40 minutes" in " ".join(beat.problems)
