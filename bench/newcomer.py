"""How long a new user needs from install to a mended contradiction (`python -m bench newcomer`).

What git keeps of this checkout is put into an empty folder, and the README's commands are run there, under a
home of their own. `scripts/start` makes the environment and the demo, a note is added that contradicts one of
the demo's lines, `conflicts` shows the pair, and one command settles it. Packages come from the package
index, none from a cache. Reading and typing are not counted.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.material import ROOT

_GOAL_SECONDS = 120
_DEMO = ("--state-dir", "demo/.run/state")
_OLD, _NEW = "12 acres", "The orchard is 14 acres."
_STEPS = (
    ("install, and see the demo", ("scripts/start", "--demo-only")),
    ("note the opposite", ("scripts/scrimshaw", "add", _NEW, "--now", *_DEMO)),
    ("see the contradiction", ("scripts/scrimshaw", "conflicts", "--json", *_DEMO)),
    ("mend it", ("scripts/scrimshaw", "conflicts", "--merge", _OLD, _NEW, "--now", *_DEMO)),
    ("see that it is gone", ("scripts/scrimshaw", "conflicts", "--json", *_DEMO)),
)


def main(arguments: Sequence[str]) -> int:
    """Take the steps and print what each took; 1 where one does not do what it is for."""
    argparse.ArgumentParser(prog="python -m bench newcomer", description=__doc__).parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="scrimshaw-newcomer-") as folder:
        home = Path(folder)
        place = home / "workspace/skills/observational-memory"
        place.mkdir(parents=True)
        kept = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True)
        subprocess.run(["tar", "-x", "-C", place], input=kept.stdout, check=True)
        told, took = walk(home, place)
    print(f"{'altogether':28}{sum(took):7.1f} s  (goal: {_GOAL_SECONDS} s)")
    counts = [json.loads(told[at])["count"] for at in (2, 4)]
    if counts != [1, 0]:
        print(f"Contradictions before and after were {counts}, and should be 1 and 0.", file=sys.stderr)
        return 1
    return 0


def walk(home: Path, place: Path) -> tuple[list[str], list[float]]:
    """Take the steps in *place*; return what each said, and how many seconds it took."""
    own = {
        name: value for name, value in os.environ.items() if not name.startswith(("SCRIMSHAW", "OPENCLAW"))
    }
    env = {**own, "HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "PIP_NO_CACHE_DIR": "1"}
    told, took = [], []
    for name, command in _STEPS:
        began = time.monotonic()
        done = subprocess.run(command, cwd=place, env=env, capture_output=True, text=True, check=False)
        took.append(time.monotonic() - began)
        print(f"{name:28}{took[-1]:7.1f} s  {' '.join(command)}", flush=True)
        if done.returncode:
            raise SystemExit(f"It ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        told.append(done.stdout)
    return told, took
