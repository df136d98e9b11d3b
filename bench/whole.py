"""The command as a whole process: a large backlog, nothing new, and status, with time and peak memory.

Stores are generated (fixed seed) in a temporary folder, one a few times larger than the other, so that
growth shows: peak memory must not follow the backlog's size.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from multiprocessing import Process
from pathlib import Path
from typing import NamedTuple

from bench.backlogs import MIXES, Mix, build

_NOW = "2026-12-31T12:00:00+00:00"
GOALS = {"observe 50 MB work": (15.0, 150.0), "nothing new": (0.45, None), "status": (0.30, None)}


class Spent(NamedTuple):
    """One process: seconds by the clock, seconds of processor, peak resident megabytes."""

    seconds: float
    cpu_seconds: float
    peak_mb: float


def main(arguments: list[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="bench whole", description=__doc__)
    parser.add_argument("--megabytes", type=float, nargs="*", default=[10.0, 50.0])
    parser.add_argument("--mix", nargs="*", choices=MIXES, default=MIXES)
    parser.add_argument("--runs", type=int, default=7, help="of the short commands; the median is told")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    rows: dict[str, Spent] = {}
    for mix in given.mix:
        for kind in ("jsonl", "sqlite"):
            for size in given.megabytes:
                with tempfile.TemporaryDirectory(prefix="scrimshaw-bench-") as folder:
                    rows |= measure(Path(folder), kind, size, mix, given.runs)
    if given.json:
        print(json.dumps({name: spent._asdict() for name, spent in rows.items()}))
        return 0
    print(f"| {'what':32} | seconds | cpu s | peak MB | goal |\n|---|---|---|---|---|")
    for name, spent in rows.items():
        figures = f"{spent.seconds:7.2f} | {spent.cpu_seconds:5.2f} | {spent.peak_mb:7.0f}"
        print(f"| {name:32} | {figures} | {_goal(name)} |")
    return 0


def measure(folder: Path, kind: str, megabytes: float, mix: Mix, runs: int) -> dict[str, Spent]:
    """Build a backlog in *folder*, observe it, and time the short commands *runs* times."""
    state, workspace = folder / "state", folder / "workspace"
    workspace.mkdir()
    (state / "agents/main").mkdir(parents=True)
    config = {"agents": {"defaults": {"workspace": str(workspace), "userTimezone": "UTC"}}}
    (state / "openclaw.json").write_text(json.dumps(config))
    # In a process of its own: a child is said to have had the peak of its parent, so this one stays small.
    builder = Process(target=build, args=(state, kind, megabytes, mix))
    builder.start()
    builder.join()
    env = {**os.environ, "OPENCLAW_STATE_DIR": str(state), "HOME": str(folder), "SCRIMSHAW_NOW": _NOW}
    name = f"{megabytes:g} MB {mix}, {kind}"
    first = _spent(["observe", "--yes"], env)
    again = _median([_spent(["observe"], env) for _ in range(runs)])
    status = _median([_spent(["status"], env) for _ in range(runs)])
    return {f"observe {name}": first, f"nothing new, {name}": again, f"status, {name}": status}


def _spent(arguments: list[str], env: dict[str, str]) -> Spent:
    started = time.perf_counter()
    quiet = os.open(os.devnull, os.O_WRONLY)
    child = os.posix_spawn(
        sys.executable,
        [sys.executable, "-m", "scrimshaw", *arguments],
        env,
        file_actions=[(os.POSIX_SPAWN_DUP2, quiet, 1)],
    )
    _, status, usage = os.wait4(child, 0)
    seconds = time.perf_counter() - started
    os.close(quiet)
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"scrimshaw {' '.join(arguments)} ended with {os.waitstatus_to_exitcode(status)}")
    unit = 1024 if sys.platform != "darwin" else 1024 * 1024
    return Spent(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / unit)


def _median(spent: list[Spent]) -> Spent:
    return Spent(*(statistics.median(values) for values in zip(*spent, strict=True)))


def _goal(name: str) -> str:
    for start, (seconds, megabytes) in GOALS.items():
        if name.startswith(start):
            return f"<= {seconds:g} s" + (f", <= {megabytes:g} MB" if megabytes else "")
    return ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
