"""A real OpenClaw takes our MCP server, starts it and finds its tools."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.host.conftest import CURRENT, install_of
from tests.mcp_server.talking import agents

pytestmark = pytest.mark.host


def test_openclaw_adds_the_server_and_finds_its_tools(tmp_path: Path) -> None:
    install = install_of(CURRENT)
    home = agents(tmp_path)
    environment = {
        **{name: said for name, said in os.environ.items() if not name.startswith("OPENCLAW_")},
        "HOME": str(tmp_path),
        "OPENCLAW_STATE_DIR": str(tmp_path / "state"),
        "PATH": install.path(),
    }
    (tmp_path / "state").mkdir()

    def openclaw(*words: str) -> str:
        done = subprocess.run(
            [str(install.node), str(install.openclaw), "mcp", *words],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=180,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    server = ["-m", "scrimshaw", "mcp", "--home", str(home), "--agent", "albert"]
    arguments = [f"--arg={one}" for one in server]
    openclaw("add", "scrimshaw", "--command", sys.executable, *arguments)
    reads = [*arguments, "--arg=--read-only"]
    openclaw("add", "reads", "--command", sys.executable, *reads)
    told = openclaw("probe")

    saved = json.loads((tmp_path / "state" / "openclaw.json").read_text(encoding="utf-8"))
    assert saved["mcp"]["servers"]["scrimshaw"]["args"] == server
    assert "scrimshaw: 7 tools, resources" in told
    assert "reads: 5 tools, resources" in told
