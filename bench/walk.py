"""How far one thing travels through the code: the functions and files that one command passes.

`python -m bench walk [--command "search glass"]`. The demo's agent; each command runs in its own process.
A switch is a call of a function in another module than the last one; a way back is a switch into one that
was left before. What an import runs is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMMANDS = ["observe --yes", "observe", "search glass", "status", "log"]
NOW = "2026-10-15T21:00:00+01:00"

_TRACED = """
import json, os, sys
from pathlib import Path
import scrimshaw
home = str(Path(scrimshaw.__file__).parent) + "/"
seen, modules, last, switches, back, importing = set(), set(), "", 0, 0, 0
def watch(frame, event, _):
    global last, switches, back, importing
    name = frame.f_code.co_filename
    if name.startswith("<frozen importlib"):
        importing += {"call": 1, "return": -1}.get(event, 0)
    if importing or event != "call" or not name.startswith(home) or frame.f_code.co_name.startswith("<"):
        return
    seen.add((name, frame.f_code.co_qualname))
    if name != last:
        switches += 1
        back += name in modules
        modules.add(name)
        last = name
from scrimshaw.cli import main
sys.setprofile(watch)
try:
    main()
except SystemExit as ended:
    assert not ended.code, ended
sys.setprofile(None)
loaded = sum(name.startswith("scrimshaw") for name in sys.modules)
Path(os.environ["WALK_OUT"]).write_text(
    json.dumps([len(seen), len(modules), switches, back, loaded]))
"""


def walk(home: Path, command: str, out: Path) -> list[int]:
    """Return functions, modules, switches, ways back and modules loaded of *command* in *home*."""
    where = ["--workspace", str(home / "workspace"), "--state-dir", str(home / "state")]
    env = os.environ | {"HOME": str(home), "SCRIMSHAW_NOW": NOW, "WALK_OUT": str(out)}
    call = [sys.executable, "-c", _TRACED, *command.split(), *where]
    subprocess.run(call, env=env, check=True, stdout=subprocess.DEVNULL)
    return [int(figure) for figure in json.loads(out.read_text(encoding="utf-8"))]


def main(arguments: list[str]) -> int:
    """Print the walk of each command."""
    parser = argparse.ArgumentParser(prog="python -m bench walk", description=__doc__)
    parser.add_argument("--command", action="append", help="a command to follow; may be given again")
    commands = parser.parse_args(arguments).command or [
        "observe --yes",
        "observe",
        "search glass bottle",
        "status",
    ]
    print(f"{'':24}{'functions':>11}{'modules':>9}{'switches':>10}{'back':>6}{'loaded':>8}")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        subprocess.run(
            [sys.executable, ROOT / "demo" / "lay_out.py", home], check=True, stdout=subprocess.DEVNULL
        )
        for command in commands:
            row = walk(home, command, home / "walk.json")
            print(f"{command:24}{row[0]:11}{row[1]:9}{row[2]:10}{row[3]:6}{row[4]:8}")
    return 0
