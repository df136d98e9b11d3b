"""The command as a whole process: a large backlog, nothing new, and status, with time and peak memory.

Stores are generated (fixed seed) in a temporary folder, one a few times larger than the other, so that
growth shows: peak memory must not follow the backlog's size.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from tests.stores import FakeSession, build_jsonl, build_sqlite

from bench.reading import make_session

_NOW = "2026-12-31T12:00:00+00:00"
GOALS = {"observe 50 MB": (15.0, 150.0), "nothing new": (0.45, None), "status": (0.30, None)}


class Spent(NamedTuple):
    """One process: seconds by the clock, seconds of processor, peak resident megabytes."""

    seconds: float
    cpu_seconds: float
    peak_mb: float


def main(arguments: list[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="bench whole", description=__doc__)
    parser.add_argument("--megabytes", type=float, nargs="*", default=[10.0, 50.0])
    parser.add_argument("--runs", type=int, default=7, help="of the short commands; the median is told")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    rows: dict[str, Spent] = {}
    for kind in ("jsonl", "sqlite"):
        for size in given.megabytes:
            with tempfile.TemporaryDirectory(prefix="scrimshaw-bench-") as folder:
                rows |= _measure(Path(folder), kind, size, given.runs)
    if given.json:
        print(json.dumps({name: spent._asdict() for name, spent in rows.items()}))
        return 0
    print(f"| {'what':32} | seconds | cpu s | peak MB | goal |\n|---|---|---|---|---|")
    for name, spent in rows.items():
        print(f"| {name:32} | {spent.seconds:7.2f} | {spent.cpu_seconds:5.2f} | {spent.peak_mb:7.0f} | {_goal(name)} |")
    return 0


def _measure(folder: Path, kind: str, megabytes: float, runs: int) -> dict[str, Spent]:
    state, workspace = folder / "state", folder / "workspace"
    workspace.mkdir()
    (state / "agents/main").mkdir(parents=True)
    config = {"agents": {"defaults": {"workspace": str(workspace), "userTimezone": "UTC"}}}
    (state / "openclaw.json").write_text(json.dumps(config))
    sessions = [_talk(megabytes / 5, seed) for seed in range(5)]
    if kind == "jsonl":
        build_jsonl(state / "agents/main/sessions", sessions)
    else:
        build_sqlite(state / "agents/main/agent/openclaw-agent.sqlite", sessions)
    del sessions
    env = {**os.environ, "OPENCLAW_STATE_DIR": str(state), "HOME": str(folder), "SCRIMSHAW_NOW": _NOW}
    name = f"{kind} {megabytes:g} MB"
    first = _spent(["observe", "--yes"], env)
    again = _median([_spent(["observe"], env) for _ in range(runs)])
    status = _median([_spent(["status"], env) for _ in range(runs)])
    return {f"observe {name}": first, f"nothing new, {name}": again, f"status, {name}": status}


def _talk(megabytes: float, seed: int) -> FakeSession:
    """Return a session of the reading bench's mix, with statements in it that are worth noting."""
    session = make_session(megabytes, seed)
    session.session_id = f"{seed:08x}-0000-4000-8000-000000000000"
    session.key = "agent:main:main" if seed == 0 else f"agent:main:explicit:{seed}"
    chance = random.Random(seed)
    for number in range(int(20 * megabytes)):
        release = f"{chance.randint(1, 9)}.{chance.randint(0, 99)}.{number}"
        session.user(f"We decided that service {chance.choice('abcdef')}{number} runs release {release} in production.")
        session.assistant("Noted.")
    return session


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
        if name.startswith(start.split(" 50")[0]):
            if start.startswith("observe") and "50 MB" not in name:
                return ""
            return f"<= {seconds:g} s" + (f", <= {megabytes:g} MB" if megabytes else "")
    return ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
