"""Notes by hand beside a daemon, and the host's record of MEMORY.md that comes and goes while it runs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.daemon.simulated import Simulation, simulated
from tests.places import Answer

START = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)


@pytest.fixture
def simulation(tmp_path: Path) -> Iterator[Simulation]:
    with simulated(tmp_path, START, "sqlite") as made:
        made.say("We decided to use Postgres 17.2 for the ledger.")
        made.run_for(minutes=10)
        yield made


def _add(simulation: Simulation, *args: str) -> Answer:
    return simulation.place.run("add", *args, now=simulation.clock().isoformat())


def _aside(simulation: Simulation) -> Path:
    return simulation.place.workspace / "memory" / "observations" / "MEMORY.md"


def test_a_note_in_the_middle_of_a_conversation_is_written_in_its_pause(simulation: Simulation) -> None:
    simulation.say("We decided on Frankfurt as the second region.")
    before = simulation.place.memory.read_bytes()

    answer = _add(simulation, "Call me Kit")
    simulation.run_for(minutes=2)

    assert answer.code == 0
    assert before == simulation.place.memory.read_bytes()
    simulation.run_for(minutes=6)
    assert "Call me Kit" in simulation.place.section()
    assert "Frankfurt" in simulation.place.section()


def test_a_record_that_comes_and_goes_moves_the_section_in_the_pause(simulation: Simulation) -> None:
    """The agent edits MEMORY.md with its own tools, and is healed later; not a word is said meanwhile."""
    memory = simulation.place.memory
    memory.write_text("by the agent\n" + memory.read_text())
    simulation.place.record("agent")

    simulation.run_for(minutes=8)

    assert "Postgres 17.2" in _aside(simulation).read_text()
    memory.write_text("by the agent, again\n" + memory.read_text())
    simulation.place.lift_record()
    simulation.run_for(minutes=8)
    assert not _aside(simulation).exists()
    assert "Postgres 17.2" in simulation.place.section()
