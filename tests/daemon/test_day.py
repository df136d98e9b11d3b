"""Whole days of a daemon in simulated time: what is done when, to the minute."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from tests.daemon.simulated import Simulation, simulated

START = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)
_NIGHT = "the nightly round"


def _talk(simulation: Simulation, hours: float, every_minutes: float, first: int = 1) -> int:
    """Let the person say something every so often; return the next number."""
    number = first
    end = simulation.mono + hours * 3600
    while simulation.mono < end:
        simulation.say(f"We decided that unit-{number}x runs release {number}.4.1 in production.")
        simulation.run_for(minutes=every_minutes)
        number += 1
    return number


def test_a_day_of_talk_is_noted_written_in_the_pauses_and_reflected_on_every_four_hours(
    tmp_path: Path,
) -> None:
    with simulated(tmp_path, START) as simulation:
        simulation.run_for(minutes=10)

        last = _talk(simulation, hours=24, every_minutes=40)

        reflections = [at for at, _, _ in simulation.runs("reflect")]
        assert [START + timedelta(hours=4 * n) for n in range(7)] == reflections
        nights = [at for at, why, _ in simulation.runs("observe") if why == _NIGHT]
        assert nights == [START, datetime(2026, 11, 21, 3, 40, tzinfo=UTC)]
        section = simulation.place.section()
        assert all(f"unit-{number}x" in section for number in range(last))


def test_memory_is_never_written_within_five_minutes_of_a_message(tmp_path: Path) -> None:
    with simulated(tmp_path, START) as simulation:
        simulation.run_for(minutes=10)
        said: list[datetime] = []
        written: list[datetime] = []
        before = simulation.place.memory.read_bytes()
        for number in range(1, 60):
            said.append(simulation.clock())
            simulation.say(f"We decided that unit-{number}x runs release {number}.4.1 in production. " * 3)
            for _ in range(number % 9):
                simulation.run_for(minutes=1)
                now = simulation.place.memory.read_bytes()
                if now != before:
                    written.append(simulation.clock())
                    before = now

        assert written
        pauses = [min(at - moment for moment in said if moment < at) for at in written]
        assert [pause for pause in pauses if pause < timedelta(minutes=5)] == []


def test_an_idle_day_changes_no_byte_of_the_workspace_but_the_ledgers_own_nightly_notes(
    tmp_path: Path,
) -> None:
    with simulated(tmp_path, START) as simulation:
        simulation.run_for(hours=11)
        before = simulation.place.memory.read_bytes(), simulation.place.dated()
        runs = len(simulation.runs("reflect")), len(simulation.runs("publish"))

        simulation.run_for(hours=24)

        assert (simulation.place.memory.read_bytes(), simulation.place.dated()) == before
        assert (len(simulation.runs("reflect")), len(simulation.runs("publish"))) == runs
        assert [why for at, why, _ in simulation.runs("observe") if at > START + timedelta(hours=11)] == [
            _NIGHT
        ]


@pytest.mark.parametrize(
    "change", [datetime(2026, 10, 25, 1, tzinfo=UTC), datetime(2027, 3, 28, 1, tzinfo=UTC)]
)
def test_a_change_of_the_clocks_moves_the_night_and_not_the_interval(
    tmp_path: Path, change: datetime
) -> None:
    zone = ZoneInfo("Europe/Paris")
    start = (change - timedelta(hours=12)).astimezone(UTC)
    with simulated(tmp_path, start) as simulation:
        config = simulation.place.workspace / ".scrimshaw/config.yaml"
        config.write_text("timezone: Europe/Paris\n")

        _talk(simulation, hours=36, every_minutes=50)

        reflections = [at for at, _, _ in simulation.runs("reflect")]
        assert [start + timedelta(hours=4 * n) for n in range(10)] == reflections
        nights = [at.astimezone(zone) for at, why, _ in simulation.runs("observe") if why == _NIGHT]
        assert [(night.hour, night.minute) for night in nights[1:]] == [(3, 40)] * (len(nights) - 1)
        assert len({night.date() for night in nights[1:]}) == len(nights) - 1 >= 1


def test_after_a_suspend_everything_is_looked_at_and_each_job_caught_up_once(tmp_path: Path) -> None:
    with simulated(tmp_path, START) as simulation:
        simulation.run_for(minutes=10)
        simulation.say("We decided that unit-1x runs release 1.4.1 in production.")
        simulation.run_for(minutes=1)
        assert "unit-1x" not in simulation.place.section()

        simulation.sleep(hours=13)
        simulation.step()

        woke = simulation.clock()
        assert "unit-1x" in simulation.place.section()
        assert [at for at, _, _ in simulation.runs("reflect")][1:] == [woke]
        assert [at for at, why, _ in simulation.runs("observe") if why == _NIGHT][1:] == [woke]


def test_a_clock_set_back_by_a_day_keeps_the_memory_current(tmp_path: Path) -> None:
    with simulated(tmp_path, START) as simulation:
        simulation.run_for(minutes=10)
        simulation.sleep(hours=-24)
        simulation.step()

        simulation.say("We decided that unit-1x runs release 1.4.1 in production.")
        simulation.run_for(minutes=20)

        assert "unit-1x" in simulation.place.section()
