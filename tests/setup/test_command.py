"""Calling the `openclaw` program."""

import os
from pathlib import Path

import psutil
import pytest
from tests.openclaw_stub import Stub, lay_stub

from scrimshaw.errors import UserError
from scrimshaw.host import command


@pytest.fixture
def stub(tmp_path: Path) -> Stub:
    return lay_stub(tmp_path / "bin")


def call(stub: Stub, tmp_path: Path, *words: str, **env: str) -> command.CommandOutput:
    state = tmp_path / "state"
    own = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)} | env
    host = command.CalledHost(stub.program, state, state / "openclaw.json", own)
    return host.call(*words, timeout_seconds=2)


def test_the_program_named_by_the_variable_comes_first_and_then_the_path(stub: Stub, tmp_path: Path) -> None:
    other = lay_stub(tmp_path / "other")

    found = [
        command.find_program({"SCRIMSHAW_OPENCLAW": str(other.program), "PATH": str(stub.folder)}),
        command.find_program({"PATH": str(stub.folder), "HOME": str(tmp_path)}),
        command.find_program({"SCRIMSHAW_OPENCLAW": str(tmp_path / "gone"), "PATH": str(stub.folder)}),
    ]

    assert found == [other.program, stub.program, None]


def test_a_program_off_the_path_is_found_where_installers_put_it(tmp_path: Path) -> None:
    stub = lay_stub(tmp_path / ".npm-global" / "bin")

    assert command.find_program({"PATH": "", "HOME": str(tmp_path)}) == stub.program


def test_the_host_that_is_meant_answers_whatever_profile_the_shell_is_in(stub: Stub, tmp_path: Path) -> None:
    call(stub, tmp_path, "--version", OPENCLAW_PROFILE="work", OPENCLAW_STATE_DIR="/elsewhere")

    env = stub.records()[0]["env"]
    assert env["OPENCLAW_STATE_DIR"] == str(tmp_path / "state")
    assert env["OPENCLAW_CONFIG_PATH"] == str(tmp_path / "state" / "openclaw.json")
    assert "OPENCLAW_PROFILE" not in env


def test_a_code_other_than_0_is_an_answer_with_its_complaint(stub: Stub, tmp_path: Path) -> None:
    answer = call(stub, tmp_path, "hooks", "enable", "nosuch")

    assert answer.code == 1
    assert answer.complaint.startswith('Error: Hook "nosuch" not found.')


def test_a_program_that_hangs_is_ended_with_all_it_started(stub: Stub, tmp_path: Path) -> None:
    stub.says("*", hangs=600)

    with pytest.raises(UserError, match="did not answer within 2 seconds"):
        call(stub, tmp_path, "hooks", "enable", "scrimshaw")

    left = [
        process.pid
        for process in psutil.process_iter(["cmdline"])
        if str(stub.program) in (process.info["cmdline"] or []) and process.status() != psutil.STATUS_ZOMBIE
    ]
    assert left == []


def test_an_answer_without_end_is_cut_and_the_program_is_not_held_up(
    stub: Stub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "MAX_ANSWER_BYTES", 1000)
    stub.says("*", out="x" * 1000, times=1000)

    answer = call(stub, tmp_path, "config", "get", "hooks")

    assert (answer.code, answer.out) == (0, "x" * 1000)


def test_a_program_that_cannot_be_started_is_told_kindly(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="could not be started"):
        call(Stub(tmp_path / "nowhere"), tmp_path, "--version")


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("OpenClaw 2026.9.6 (eb377ac)", (2026, 9, 6)),
        ("OpenClaw 2026.7.1-2 (0790d9f)", (2026, 7, 1, 2)),
        ("no idea", None),
    ],
)
def test_the_version_is_read_as_numbers(
    stub: Stub, tmp_path: Path, printed: str, expected: tuple[int, ...] | None
) -> None:
    stub.says("--version", out=printed)

    host = command.CalledHost(stub.program, tmp_path, tmp_path / "c", {"PATH": os.environ["PATH"]})
    found = host.version()

    assert found == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('notice: an update\n{\n "jobs": [1]\n}\n', {"jobs": [1]}),
        ("[plugins] loaded\n[1, 2]", [1, 2]),
        ("true", True),
        ("nothing here", None),
        ("", None),
    ],
)
def test_json_is_found_behind_notices(text: str, expected: object) -> None:
    assert command.json_in(text) == expected
