"""The client for Node, by its own tests; the last of them starts a server of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.clients.conftest import NODE_CLIENT, needs_node


@needs_node
def test_its_own_tests_pass(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "scrimshaw"]
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "TMPDIR": str(tmp_path),
        "XDG_RUNTIME_DIR": str(tmp_path),
        "SCRIMSHAW_COMMAND": json.dumps(command),
        **({"PYTHONPATH": os.environ["PYTHONPATH"]} if "PYTHONPATH" in os.environ else {}),
    }
    done = subprocess.run(
        ["node", "--test", "test/"], cwd=NODE_CLIENT, env=env, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert "# skipped 0" in done.stdout
