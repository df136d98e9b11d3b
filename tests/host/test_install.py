"""The README's own steps on a real OpenClaw: dropped in, installed, in the prompt, taken away again.

The environment of the copy is made by hand, so that pip does not run again: a virtual environment that finds
this one's packages, with the stamp that scripts/lib.sh leaves when it has made one.
"""

import json
import shutil
import subprocess
import sys
import sysconfig
import threading
import time
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.host.conftest import CURRENT, JSONL, install_of
from tests.host.gateway import Gateway
from tests.host.scripted_model import ScriptedModel
from tests.setup.home import snapshot

from scrimshaw.core.section.block import BEGIN as SNIPPET
from scrimshaw.core.section.markers import BEGIN, END, HEADING

_NOT_COPIED = (".git", ".venv*", ".run", "__pycache__", ".*_cache", ".hypothesis", "*.egg-info", "dist")
ALL = ("--section", "remove", "--data", "delete")


@pytest.fixture(scope="module", params=[CURRENT, JSONL])
def host(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """A gateway as a new user has it: nothing said of hooks, nothing of ours anywhere."""
    install = install_of(request.param)
    with ScriptedModel() as model:
        gateway = Gateway(install, tmp_path_factory.mktemp("new"), model)
        config = gateway.configuration()
        del config["hooks"]
        gateway.config_path.write_text(json.dumps(config), encoding="utf-8")
        with gateway:
            yield gateway


def drop_in(gateway: Gateway, repo_root: Path) -> Path:
    """Put a copy of this repository where the README says, with its environment made."""
    checkout = gateway.workspace("main") / "skills" / "observational-memory"
    shutil.copytree(repo_root, checkout, ignore=shutil.ignore_patterns(*_NOT_COPIED))
    environment = checkout / ".venv"
    venv.create(environment, symlinks=True, with_pip=False)
    site = environment / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"
    (site / "here.pth").write_text(f"{checkout / 'skill'}\n{sysconfig.get_path('purelib')}\n")
    sum_ = subprocess.run(
        ["cksum"], stdin=(checkout / "pyproject.toml").open("rb"), capture_output=True, text=True, check=True
    )
    (environment / ".scrimshaw-stamp").write_text(f". {checkout.resolve()} {sum_.stdout.strip()}\n")
    extras = f"semantic,archives {checkout.resolve()} {sum_.stdout.strip()}\n"
    (environment / ".scrimshaw-extras").write_text(extras)
    return checkout


def script(gateway: Gateway, checkout: Path, name: str, *words: str) -> str:
    """Run one of the copy's scripts as its owner would."""
    done = subprocess.run(
        [checkout / "scripts" / name, *words],
        env=gateway.env(),
        cwd=gateway.home,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, f"{name}: {done.returncode}\n{done.stdout}{done.stderr}\n{gateway.tail()}"
    return done.stdout


def workspace_now(gateway: Gateway) -> dict[str, bytes | None]:
    """The workspace, but for what Python keeps of imported modules."""
    found = snapshot(gateway.workspace("main"))
    return {name: data for name, data in found.items() if "__pycache__" not in name}


def wait_for(path: Path, seconds: float = 60) -> Any:
    """The JSON object at *path*, once it is there."""
    deadline, pause = time.monotonic() + seconds, threading.Event()
    while time.monotonic() < deadline:
        if path.exists():
            return json.loads(path.read_text("utf-8"))
        pause.wait(0.2)
    raise AssertionError(f"{path.name} has not appeared within {seconds:g} s")


def jobs(gateway: Gateway) -> list[dict[str, Any]]:
    listed = gateway.run("cron", "list", "--all", "--json")["jobs"]
    return [job for job in listed if job["name"] == "scrimshaw"]


def test_dropped_in_installed_in_the_prompt_and_taken_away(host: Gateway, repo_root: Path) -> None:
    checkout = drop_in(host, repo_root)
    listed = host.run("skills", "list", "--agent", "main", "--json")["skills"]
    skill = next(skill for skill in listed if skill["name"] == "observational-memory")
    assert skill["eligible"], skill
    host.say("We decided to use Postgres 17 for the billing service, because of the merge command.")
    host.say("I prefer short answers with the command first.")
    before, config_before = workspace_now(host), host.config_path.read_bytes()

    planned = script(host, checkout, "install", "--dry-run")
    assert workspace_now(host) == before
    assert "openclaw hooks enable scrimshaw" in planned
    assert "openclaw cron add" in planned, planned  # a gateway runs, and no systemd manager answers

    told = script(host, checkout, "install", "--yes")
    memory = host.memory("main").read_text("utf-8")
    section = memory[memory.index(HEADING) :]
    assert "Postgres 17" in section, told
    prompt = host.new_session("Good morning, what is new?").system_prompt
    assert [line for line in section.splitlines() if line not in prompt] == []
    assert f"{checkout}/scripts/scrimshaw add" in prompt.replace("'", "")
    if "openclaw gateway restart" in told:
        assert host.install.version == JSONL, "the newer host takes the hook from the changed configuration"
        host.stop()
        host.start()
        host.say("Are you back?")
    alive = wait_for(host.hook_folder / "alive.json")
    assert alive["pid"] > 0

    (job,) = jobs(host)
    try:
        ran = host.run_text("cron", "run", job["id"])
    except AssertionError as refused:
        ran = str(refused)
        assert '"already-running"' in ran, ran  # its own minute came while the host was asked
    assert '"ok": true' in ran, ran
    run = _finished_run(host, job["id"])
    assert run["status"] == "ok", run

    again = script(host, checkout, "install", "--yes")
    assert "Everything is in place; nothing to change." in again

    away = script(host, checkout, "uninstall", "--yes", *ALL)
    assert workspace_now(host) == before, away
    assert not host.hook_folder.exists()
    assert jobs(host) == []
    assert "scrimshaw" not in json.dumps(host.configuration().get("hooks", {}))
    assert host.config_path.read_bytes() == config_before, away
    prompt = host.new_session("Good evening, what is new?").system_prompt
    assert [mark for mark in (BEGIN, END, SNIPPET) if mark in prompt] == []


def _finished_run(gateway: Gateway, job_id: str) -> dict[str, Any]:
    deadline, pause = time.monotonic() + 60, threading.Event()
    while time.monotonic() < deadline:
        found = gateway.run("cron", "runs", "--id", job_id)
        for entry in (found or {}).get("entries", []):
            if entry.get("status"):
                return dict(entry)
        pause.wait(0.5)
    raise AssertionError("the cron run has not ended")
