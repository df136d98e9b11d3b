"""A host whose state folder is where nobody looks by default: named at the install, found from then on."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from tests.setup.home import Home

_ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "home", state="srv/claw state")
    made.run("install", "--yes", "--state-dir", str(made.state))
    return made


def _plain(home: Home, *words: object) -> subprocess.CompletedProcess[str]:
    """Run what was installed as cron or an agent's shell would: with next to no environment."""
    return subprocess.run(
        [str(word) for word in words],
        env={"HOME": str(home.root), "PATH": os.defpath, "PYTHONPATH": str(_ROOT / "skill")},
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_before_the_install_it_is_not_found_and_after_it_by_every_command(tmp_path: Path) -> None:
    home = Home(tmp_path / "home", state="srv/claw")
    before = home.run("status")

    home.install("--state-dir", str(home.state))

    assert (before.code, "No OpenClaw agent was found" in before.err) == (1, True)
    for words in (("status",), ("observe",), ("search", "Postgres"), ("run", "--once")):
        answer = home.run(*words)
        assert answer.code == 0, answer.out + answer.err
    home.uninstall("--data", "delete", "--section", "remove")
    assert home.run("status").code == 1


def test_a_relative_state_folder_is_the_one_that_was_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home(tmp_path / "home", state="srv/claw")
    monkeypatch.chdir(home.root)
    home.install("--state-dir", "srv/claw")
    monkeypatch.chdir("/")

    assert home.run("status").code == 0


def test_the_launchers_work_in_a_shell_that_knows_nothing(home: Home) -> None:
    scripts = home.skill() / "scripts"

    noted = _plain(home, scripts / "scrimshaw", "add", "Backups go to Lisbon.")
    answers = [_plain(home, scripts / name) for name in ("observe-now", "reflect-now")]

    assert noted.returncode == 0, noted.stderr
    assert [answer.returncode for answer in answers] == [0, 0], [answer.stderr for answer in answers]
    assert "Lisbon" in (home.workspace() / "MEMORY.md").read_text("utf-8")


def test_a_receipt_that_is_damaged_or_of_a_host_that_is_gone_names_nothing(home: Home) -> None:
    folder = home.receipts / "installed"
    (folder / "0.json").write_text("[1")
    (folder / "1.json").write_text(json.dumps({"state_dir": "/nowhere/else", "config_path": "x"}))
    (folder / "2.json").write_text(json.dumps({"state_dir": 7}))

    answer = home.run("status")

    assert answer.code == 0, answer.err
    assert str(home.workspace()) in answer.out


def test_the_settings_can_be_asked_for_by_agent_and_state_folder(home: Home) -> None:
    own = home.workspace() / ".scrimshaw" / "config.yaml"
    own.write_text("ttl_days: 7\n")

    answer = home.run("config", "--state-dir", str(home.state), "--agent", "main")

    assert answer.code == 0, answer.err
    assert str(own) in next(line for line in answer.out.splitlines() if line.startswith("ttl_days"))


def test_the_line_for_cron_runs_as_it_stands(tmp_path: Path) -> None:
    home = Home(tmp_path / "home", state="srv/claw state")
    answer = home.run("install", "--yes", "--keep-fresh", "none", "--state-dir", str(home.state))
    assert answer.code == 0, answer.err
    told = home.run("service", "status")
    line = next(line for line in told.out.splitlines() if "*/15 * * * *" in line)
    command = line.split("*/15 * * * *")[1].strip()

    done = _plain(home, "sh", "-c", command)

    assert command.split()[0].startswith(("/", "'/")), line
    assert done.returncode == 0, done.stderr
