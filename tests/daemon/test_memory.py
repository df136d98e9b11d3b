"""What an idle daemon holds in memory. How fast it is, is what `python -m bench daemon` prints."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.daemon import Machine, build, idle, in_child

_MOST_MB = 80


@pytest.mark.slow
def test_an_idle_daemon_of_twenty_agents_holds_little_in_memory(tmp_path: Path) -> None:
    machine = in_child(build, Machine(tmp_path), 20, 20)

    assert idle(machine, 0.5).rss_mb <= _MOST_MB
