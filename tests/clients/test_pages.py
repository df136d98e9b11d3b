"""The examples of the pages for programs elsewhere are run as they stand there, in a clean folder.

Only what belongs to a machine differs: the port, which may be taken. The package is installed already.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
from tests.clients.conftest import NODE_CLIENT, needs_node

_GUIDE = Path(__file__).parents[2] / "docs" / "guide"
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PORT = "18892"


def blocks(page: Path, language: str) -> list[str]:
    """Return the examples of *page* in *language*, in their order."""
    return [body for name, body in _BLOCK.findall(page.read_text(encoding="utf-8")) if name == language]


@pytest.fixture
def machine(tmp_path: Path) -> dict[str, str]:
    """The environment of somebody who has installed the package, and nothing else."""
    command = tmp_path / "bin" / "scrimshaw"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m scrimshaw "$@"\n')
    command.chmod(0o755)
    return {
        "PATH": f"{command.parent}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "TMPDIR": str(tmp_path),
        "XDG_RUNTIME_DIR": str(tmp_path),
        "SCRIMSHAW_EMBEDDINGS": "off",
        **({"PYTHONPATH": os.environ["PYTHONPATH"]} if "PYTHONPATH" in os.environ else {}),
    }


def _free_port() -> str:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return str(one.getsockname()[1])


def _run(command: list[str], folder: Path, env: dict[str, str]) -> str:
    done = subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _pasted(script: str, folder: Path, env: dict[str, str]) -> str:
    """Run *script* in one shell, as pasted; the server that it starts ends with it."""
    whole = f"trap 'kill $(jobs -p); wait' EXIT\n{script}"
    return _run(["bash", "-euo", "pipefail", "-c", whole], folder, env)


def test_the_page_of_the_server_leads_from_nothing_to_an_explained_memory(
    tmp_path: Path, machine: dict[str, str]
) -> None:
    pytest.importorskip("memvid_sdk", reason="the last example writes an archive")
    install, *examples = blocks(_GUIDE / "server.md", "bash")
    assert install == "pip install 'scrimshaw[server]'\n"

    told = _pasted("\n".join(examples).replace(_PORT, _free_port()), tmp_path, machine)

    answers = list(map(json.loads, re.sub(r"(?<=})(?={)", "\n", told).splitlines()))
    assert len(answers) == 11
    health, stored, found, why, noted, why_noted, facts, _stale, _trend, _conflicts, taken = answers
    assert health["api_versions"] == ["v1", "v2"]
    assert [one["id"] for one in found["results"]] == [stored["id"]] == [why["id"]]
    assert why["checked"].startswith("a program's word")
    assert why_noted["id"] == noted["id"]
    assert facts["facts"] == 1
    assert (taken["status"], (tmp_path / "albert.mv2").is_file()) == ("imported", True)


def test_the_python_client_of_the_page_prints_what_it_says(tmp_path: Path, machine: dict[str, str]) -> None:
    page, port = _GUIDE / "clients.md", _free_port()
    (program,) = blocks(page, "python")
    token = blocks(page, "bash")[0]
    starts = blocks(_GUIDE / "server.md", "bash")[1]
    (tmp_path / "program.py").write_text(program.replace(_PORT, port))
    runs = f"{shlex.quote(sys.executable)} program.py"

    told = _pasted(f"{starts}\n{token}\n{runs}".replace(_PORT, port), tmp_path, machine)

    said, score = told.splitlines()[-1].rsplit(" ", 1)
    assert said == "Gareth at the Plough pays on Mondays"
    assert f"It prints `{said}`" in page.read_text(encoding="utf-8")
    assert 0 < float(score) <= 1
    assert (tmp_path / "token").stat().st_mode & 0o777 == 0o600


@needs_node
@pytest.mark.parametrize(
    "page", [_GUIDE / "clients.md", NODE_CLIENT / "README.md"], ids=lambda page: page.name
)
def test_the_node_client_of_the_page_finds_what_it_stored(
    tmp_path: Path, machine: dict[str, str], page: Path
) -> None:
    (program,) = blocks(page, "js")
    # As `npm install ./clients/node` does.
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "scrimshaw").symlink_to(NODE_CLIENT)
    (tmp_path / "program.mjs").write_text(program)

    told = _run([shutil.which("node") or "node", "program.mjs"], tmp_path, machine)

    assert "Gareth at the Plough pays on Mondays" in told
    if "getContext" in program:
        assert "[ 'I bought the lamp from Anna for 200 euros.' ] 1 " in told
        assert "'checked'" in told
