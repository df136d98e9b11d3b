"""The client for Node, by its own tests; the last of them starts a server of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.clients.conftest import NODE_CLIENT, needs_node


@needs_node
@pytest.mark.parametrize("depth", [0, 2], ids=["as-it-is", "deep"])
def test_its_own_tests_pass(tmp_path: Path, depth: int) -> None:
    """Also where the folder for what is temporary has a longer path than a socket can."""
    folder = tmp_path.joinpath(*["x" * 60] * depth)
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "scrimshaw"]
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "XDG_RUNTIME_DIR": str(folder),
        "SCRIMSHAW_COMMAND": json.dumps(command),
        **({"PYTHONPATH": os.environ["PYTHONPATH"]} if "PYTHONPATH" in os.environ else {}),
    }
    done = subprocess.run(
        ["node", "--test", "test/"], cwd=NODE_CLIENT, env=env, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert "# skipped 0" in done.stdout
