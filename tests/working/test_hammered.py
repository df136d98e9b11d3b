"""Many processes, and many agents, at one home at once: nothing is lost, doubled or mixed up."""

import multiprocessing
import threading
import time
from collections import Counter
from pathlib import Path

import pytest
from tests.working.conftest import Home

from scrimshaw.services.archive import write

_PROCESSES = 8


def _work(folder: Path, number: int, seconds: float, told: "multiprocessing.Queue[list[str]]") -> None:
    """Store, read and consolidate, at least four times and for so long; tell what was stored."""
    if not seconds:  # an archive takes half a second, and has tests of its own
        write.is_possible = lambda: False
    stored: list[str] = []
    until = time.monotonic() + seconds
    with Home(folder).open() as memory:
        while len(stored) < 4 or time.monotonic() < until:
            text = f"Barrel p{number}b{len(stored)} was filled"
            memory.store(text)
            stored.append(text)
            (found,) = memory.search(text, mode="lexical", limit=1).results
            assert found.content == text
            if len(stored) % 4 == 0:
                memory.consolidate(ttl_override="0s")
    told.put(stored)


@pytest.mark.parametrize("seconds", [0, pytest.param(60, marks=pytest.mark.slow)])
def test_eight_processes_store_read_and_consolidate_and_all_of_it_is_there_once(
    home: Home, seconds: float
) -> None:
    home.open().close()
    context = multiprocessing.get_context("spawn")
    told = context.Queue()
    processes = [
        context.Process(target=_work, args=(home.folder, number, seconds, told))
        for number in range(_PROCESSES)
    ]
    for process in processes:
        process.start()
    stored = [text for _ in processes for text in told.get(timeout=seconds + 120)]
    for process in processes:
        process.join()

    assert [process.exitcode for process in processes] == [0] * _PROCESSES
    with home.open() as memory:
        lines = memory.timeline(since="2026-01-01", limit=1_000_000).lines
        held = Counter(line.observation.text for line in lines)
        after = None
        while True:
            page = memory.memories(500, after=after)
            held.update(one.content for one in page.memories)
            if (after := page.after) is None:
                break
    assert held == Counter(stored)


def test_several_agents_of_a_home_at_once_stay_apart(home: Home) -> None:
    failed: list[BaseException] = []

    def work(agent: str) -> None:
        try:
            with home.open(agent) as memory:
                for number in range(10):
                    memory.store(f"Barrel {agent}{number} was filled")
                memory.consolidate(ttl_override="0s")
                memory.store(f"Barrel {agent}-last was filled")
        except BaseException as error:  # noqa: BLE001  # told below
            failed.append(error)

    agents = ["albert", "dana", "owen", "shared"]
    threads = [threading.Thread(target=work, args=(agent,)) for agent in agents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failed == []
    for agent in agents:
        with home.open(agent) as memory:
            found = memory.search("which barrel was filled?", mode="lexical", limit=50).results
            wanted = {f"Barrel {of}{n} was filled" for of in (agent, "shared") for n in (*range(10), "-last")}
            assert sorted(one.content for one in found) == sorted(wanted)
            assert {one.agent for one in found} == {agent, "shared"}
