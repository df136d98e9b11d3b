"""The host's records of its turns, in stores made up here; what cannot be read is not taken for silence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.places import Place
from tests.stores import FakeSession, build_jsonl, build_sqlite

from scrimshaw.core.types import SessionKind
from scrimshaw.host.turns import UnknownError, newest_turns, seconds_of, shell_began_at_ms

SINCE = 1_795_417_766_000
GROUP = "agent:main:telegram:group:-100"


@pytest.fixture(params=["jsonl", "sqlite"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return Place(tmp_path / "machine", request.param)


def found(place: Place) -> list[tuple[str, SessionKind, bool, int, int]]:
    turns = newest_turns(place.state, (), SINCE)
    return [(turn.agent_id, turn.kind, turn.is_running, turn.began_at_ms, turn.ended_at_ms) for turn in turns]


def put(place: Place, *sessions: FakeSession, agent: str = "main") -> Path:
    folder = place.state / "agents" / agent
    if place.kind == "jsonl":
        return build_jsonl(folder / "sessions", sessions) / "sessions.json"
    (folder / "agent" / "openclaw-agent.sqlite").unlink(missing_ok=True)
    return build_sqlite(folder / "agent" / "openclaw-agent.sqlite", sessions)


def test_turns_that_run_and_those_that_ended_since_are_found_in_every_agents_store(place: Place) -> None:
    main = FakeSession(turn={"status": "running", "startedAt": 5})
    group = FakeSession(key=GROUP, turn={"status": "done", "startedAt": 5, "endedAt": SINCE + 1})
    group.at_ms = SINCE + 2
    old = FakeSession(key="agent:main:discord:channel:7", turn={"status": "done", "endedAt": 7})
    other = FakeSession(key="agent:other:main", turn={"status": "running", "startedAt": 6})
    put(place, main, group, old)
    put(place, other, agent="other")  # no configuration names it

    turns = found(place)

    assert sorted(turns) == [
        ("main", SessionKind.DIRECT, True, 5, main.at_ms),
        ("main", SessionKind.GROUP, False, 5, SINCE + 1),
        ("other", SessionKind.DIRECT, True, 6, other.at_ms),
    ]


def test_a_turn_that_ended_without_a_word_of_when_ended_when_its_record_was_written(place: Place) -> None:
    group = FakeSession(key=GROUP, turn={"status": "failed", "startedAt": 5})
    group.at_ms = SINCE + 9
    put(place, group)

    assert found(place) == [("main", SessionKind.GROUP, False, 5, SINCE + 9)]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\x00" * 4096])
def test_a_store_that_cannot_be_read_is_no_store_without_turns(place: Place, content: bytes) -> None:
    put(place, FakeSession()).write_bytes(content)

    with pytest.raises(UnknownError, match="agents"):
        newest_turns(place.state, (), SINCE)


def test_without_a_folder_of_agents_nothing_is_known(tmp_path: Path) -> None:
    with pytest.raises(UnknownError):
        newest_turns(tmp_path, (), SINCE)


def test_a_record_of_nonsense_is_a_doubt_and_no_defect(place: Place) -> None:
    turn = {"status": "running", "startedAt": "soon", "endedAt": [], "chatType": 7}
    put(place, FakeSession(key=GROUP, turn=turn))

    assert [turn[:4] for turn in found(place)] == [("main", SessionKind.GROUP, True, 0)]


def test_a_shell_began_when_its_session_did(tmp_path: Path) -> None:
    code = "from scrimshaw.host.turns import shell_began_at_ms; print(shell_began_at_ms())"
    env = os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[2] / "skill")}
    before = time.time() * 1000
    command = [sys.executable, "-c", code]
    answer = subprocess.run(
        command, env=env, cwd=tmp_path, start_new_session=True, capture_output=True, text=True, check=True
    )
    own = shell_began_at_ms()

    assert before - 2_000 <= json.loads(answer.stdout) <= time.time() * 1000
    assert own is None or own <= before


@pytest.mark.parametrize(
    ("elapsed", "seconds"),
    [("  00:07\n", 7), ("02:03", 123), ("01:00:01", 3_601), ("2-01:00:00", 176_400), ("", None), ("x", None)],
)
def test_the_age_of_a_process_is_read_as_the_system_writes_it(elapsed: str, seconds: int | None) -> None:
    assert seconds_of(elapsed) == seconds
