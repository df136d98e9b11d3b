"""A daemon observes a program's conversation when enough of it waits, and not before."""

from datetime import UTC, datetime
from pathlib import Path

from tests.conversations.talking import bought
from tests.daemon.simulated import Simulation, simulated

from scrimshaw import Memory
from scrimshaw.config import workspace_file

START = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)


def _hand_in(simulation: Simulation, memory: Memory, first: int, count: int) -> None:
    for number in range(first, first + count):
        memory.add_message(
            bought(number), thread_id="t1", message_id=f"u{number}", timestamp=simulation.clock()
        )
        memory.add_message("Noted.", role="assistant", thread_id="t1", timestamp=simulation.clock())


def test_a_daemon_observes_at_the_threshold(tmp_path: Path) -> None:
    with simulated(tmp_path, START) as simulation:
        workspace_file(simulation.place.workspace).write_text("message_threshold: 1000\nwindow_tokens: 500\n")
        simulation.run_for(minutes=10)
        memory = Memory(simulation.place.target(), clock=simulation.clock)
        _hand_in(simulation, memory, 0, 20)
        simulation.run_for(minutes=30)
        assert memory.conversation("t1").log.version == 0

        _hand_in(simulation, memory, 20, 60)
        simulation.run_for(minutes=10)

        told = memory.conversation("t1")
        assert told.log.observation_count >= 79
        assert "t1-30 " in told.log.text
        memory.close()
