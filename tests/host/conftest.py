"""One gateway a version, shared by the tests of a run; each test has an agent of its own in it."""

import os
import subprocess
import sys
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest
from tests.host.gateway import TURN_SECONDS, Gateway, Scrimshaw
from tests.host.installing import Install, UnavailableError, installed
from tests.host.scripted_model import ScriptedModel

from scrimshaw.host import hooks
from scrimshaw.sources.discover import find_agents

CURRENT = "2026.9.6"  # SQLite with compressed rows
JSONL = "2026.7.1-2"  # the last of the line before
EXTENDED = "2026.7.35"  # its extended-stable line
AGENTS = ("main", "plain", "hasty", "careful", "settled")
HOOKED_AGENTS = ("main", "healed", "returned", "ruled", "left", "right", "shared", "renewed")


def install_of(version: str) -> Install:
    """The installation of *version*, or a skip that says why there is none."""
    try:
        return installed(version)
    except UnavailableError as reason:
        if os.environ.get("SCRIMSHAW_HOST_REQUIRED") == version:
            raise  # scripts/newest-openclaw: left out is not passed
        pytest.skip(str(reason))


@pytest.fixture(scope="session")
def current_host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """A running gateway of the newest release known here."""
    install = install_of(CURRENT)
    with (
        ScriptedModel() as model,
        Gateway(install, tmp_path_factory.mktemp("host"), model, AGENTS) as gateway,
    ):
        yield gateway


@pytest.fixture(scope="session")
def hooked_host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """A running gateway of the newest release with our hook in it; "shared" is in the folder of "right"."""
    install = install_of(CURRENT)
    folder = tmp_path_factory.mktemp("hooked")
    with ScriptedModel() as model:
        gateway = Gateway(install, folder, model, HOOKED_AGENTS)
        right = str(gateway.workspace("right"))
        gateway.configure({"agents": {"entries": {"shared": {"workspace": right}}}})
        put_hook(gateway)
        with gateway:
            yield gateway


def put_hook(gateway: Gateway) -> None:
    """Put our hook where an install puts it. The selection of hooks is open, as a fresh host has it."""
    workspaces = {
        agent.agent_id: agent.workspace for agent in find_agents(gateway.env(), gateway.home).agents
    }
    program = (sys.executable, "-m", "scrimshaw")
    settings = hooks.HookSettings(program, gateway.state_dir, gateway.config_path, 20, workspaces)
    gateway.hook_folder.mkdir(parents=True)
    for name, text in hooks.files_of(settings).items():
        (gateway.hook_folder / name).write_text(text, encoding="utf-8")


@pytest.fixture(scope="session")
def jsonl_host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """A running gateway of the JSONL line."""
    install = install_of(JSONL)
    with ScriptedModel() as model, Gateway(install, tmp_path_factory.mktemp("host"), model) as gateway:
        yield gateway


@pytest.fixture(scope="session")
def scrimshaw(repo_root: Path) -> Scrimshaw:
    """Run a scrimshaw command beside a gateway, as its owner would; returns what it printed."""

    def run(gateway: Gateway, *arguments: str, codes: Collection[int] = (0,), **settings: str) -> str:
        answer = subprocess.run(
            [sys.executable, "-m", "scrimshaw", *arguments],
            env=gateway.env() | settings | {"PYTHONPATH": str(repo_root / "skill")},
            cwd=gateway.home,
            capture_output=True,
            text=True,
            check=False,
            timeout=4 * TURN_SECONDS,
        )
        assert answer.returncode in codes, (
            f"scrimshaw {arguments[0]}: {answer.returncode}\n{answer.stdout}{answer.stderr}"
        )
        return answer.stdout + answer.stderr

    return run


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here needs a real host and takes its time."""
    here = os.fspath(Path(__file__).parent)
    for item in items:
        if os.fspath(item.path).startswith(here):
            item.add_marker(pytest.mark.host)
            item.add_marker(pytest.mark.slow)
