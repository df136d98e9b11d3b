"""Which archive a memory moves into: its agent's, `system.mv2`, or `shared.mv2`."""

import json
import sys
from pathlib import Path

import pytest
from tests.working.conftest import Home

from scrimshaw import Memory
from scrimshaw.archive import frames, mv2
from scrimshaw.services.archive import write
from scrimshaw.services.archive.write import ArchiveOptions, archive, rebuild, remove
from scrimshaw.store.ledger import Ledger, open_ledger

_FAKE = Path(__file__).parents[1] / "archive" / "fake_memvid.py"
_TERMS = ArchiveOptions(child=mv2.Child(command=(sys.executable, "-S", str(_FAKE), "good")))


@pytest.fixture(autouse=True)
def _played(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have archives made by the fake alone."""
    monkeypatch.setattr(write, "is_possible", lambda: False)


def _moved(home: Home, memory: Memory, *kept: tuple[str, str]) -> None:
    for text, kind in kept:
        memory.store(text, type=kind)
    home.later(days=8)
    memory.consolidate()


def _archived(home: Home, memory: Memory) -> None:
    with open_ledger(memory.target.layout.ledger, create=False) as ledger:
        archive(memory.target, ledger, home.now, _TERMS)


def _texts(memory: Memory) -> dict[str, list[str]]:
    """Return the texts of the lines in each archive."""
    return {
        path.name: [
            line.text
            for one in json.loads(path.read_text())
            for line in frames.unpack(one["metadata"]).observations
        ]
        for path in sorted(memory.target.layout.episodic.glob("*.mv2"))
    }


def _seqs(memory: Memory) -> list[int]:
    found = [
        event.seq
        for path in memory.target.layout.episodic.glob("*.mv2")
        for one in json.loads(path.read_text())
        for event in frames.unpack(one["metadata"]).events
    ]
    return sorted(found)


def _all_seqs(ledger: Ledger) -> list[int]:
    return [one.seq for one in ledger.frames.events(0, ledger.version(), 10_000)]


def test_a_memory_of_type_system_moves_into_an_archive_of_its_own(home: Home, memory: Memory) -> None:
    _moved(home, memory, ("Gareth pays", "episodic"), ("The press restarts", "system"), ("Owen", "episodic"))
    _archived(home, memory)

    assert _texts(memory) == {"albert.mv2": ["Gareth pays", "Owen"], "system.mv2": ["The press restarts"]}
    (found,) = memory.search("what does the press do?", mode="lexical").results
    assert found.type == "system"


def test_every_event_is_in_one_archive_however_often_they_are_made(home: Home, memory: Memory) -> None:
    for number in range(3):
        _moved(home, memory, (f"note {number}", "episodic"), (f"restart {number}", "system"))
        memory.pin(f"restart {number}")
        _archived(home, memory)
        with open_ledger(memory.target.layout.ledger, create=False) as ledger:
            assert _seqs(memory) == _all_seqs(ledger)
    with open_ledger(memory.target.layout.ledger, create=False) as ledger:
        rebuild(memory.target, ledger, home.now, _TERMS)
        assert _seqs(memory) == _all_seqs(ledger)

    assert _texts(memory)["system.mv2"] == ["restart 0", "restart 1", "restart 2"]


def test_a_lost_archive_is_made_anew_of_what_it_held_alone(home: Home, memory: Memory) -> None:
    for number in range(2):
        _moved(home, memory, (f"note {number}", "episodic"), (f"restart {number}", "system"))
        _archived(home, memory)
    before = _texts(memory)
    (memory.target.layout.episodic / "system.mv2").unlink()

    _archived(home, memory)

    assert _texts(memory) == before


def test_what_was_forgotten_is_in_neither_archive(home: Home, memory: Memory) -> None:
    _moved(home, memory, ("Gareth pays", "episodic"), ("The press restarts", "system"))
    _archived(home, memory)
    with open_ledger(memory.target.layout.ledger, create=False) as ledger:
        gone = remove(memory.target, ledger, home.now)

    assert [path.name for path in gone] == ["albert.mv2", "system.mv2"]


def test_the_shared_agent_of_a_home_has_the_shared_archive(home: Home) -> None:
    with home.open("shared") as memory:
        _moved(home, memory, ("The cellar closes at six", "episodic"), ("The press restarts", "system"))
        _archived(home, memory)

        assert set(_texts(memory)) == {"shared.mv2"}
        assert sorted(_texts(memory)["shared.mv2"]) == ["The cellar closes at six", "The press restarts"]
