"""One gateway a version, shared by the tests of a run; each test has an agent of its own in it."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.host.gateway import Gateway, Scrimshaw
from tests.host.installing import Install, UnavailableError, installed
from tests.host.scripted_model import ScriptedModel

CURRENT = "2026.9.6"  # SQLite with compressed rows
JSONL = "2026.7.1-2"  # the last of the line before
AGENTS = ("main", "plain", "hasty", "careful", "settled")


def _install(version: str) -> Install:
    try:
        return installed(version)
    except UnavailableError as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="session")
def current_host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """A running gateway of the newest release known here."""
    install = _install(CURRENT)
    with (
        ScriptedModel() as model,
        Gateway(install, tmp_path_factory.mktemp("host"), model, AGENTS) as gateway,
    ):
        yield gateway


@pytest.fixture(scope="session")
def jsonl_host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """A running gateway of the JSONL line."""
    install = _install(JSONL)
    with ScriptedModel() as model, Gateway(install, tmp_path_factory.mktemp("host"), model) as gateway:
        yield gateway


@pytest.fixture(scope="session")
def scrimshaw(repo_root: Path) -> Scrimshaw:
    """Run a scrimshaw command beside a gateway, as its owner would; returns what it printed."""

    def run(gateway: Gateway, *arguments: str, **settings: str) -> str:
        answer = subprocess.run(
            [sys.executable, "-m", "scrimshaw", *arguments],
            env=gateway.env() | settings | {"PYTHONPATH": str(repo_root / "skill")},
            cwd=gateway.home,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert answer.returncode == 0, (
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
