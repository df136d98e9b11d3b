"""How fast transcripts are read and classed, against decoding the same rows and nothing else.

One run measures everything on the same generated stores (fixed seed, kinds of rows mixed as in real
transcripts): our sources on JSONL and on SQLite with zstd rows; "decode only", which fetches,
decompresses and orjson-decodes the same rows; `jq`; and the parser of `observational-memory` 0.10.1,
run in an interpreter that has it (--om-python). What is not installed is skipped and said.

The peer has no parser for OpenClaw; its most general one (`codex`) takes the same file and finds the
messages of users and assistants in it. All ways are run in turn, round after round, so that a busy
machine slows all of them alike.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import orjson
import zstandard

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.stores import FakeSession, build_jsonl, build_sqlite, lines_of

from scrimshaw.sources.openclaw_jsonl import JsonlSource
from scrimshaw.sources.openclaw_sqlite import SqliteSource
from scrimshaw.sources.reading import Source

SEED = 20261121
SAYINGS = (
    "the deploy of billing api failed because migration locks invoices so we rolled back and split it in two "
    "please keep answers short call Dana on Tuesday about figures staging is green rate limit worker queue "
    "database replica lag seconds index column tenant export report draft review merge branch release café"
)
WORDS = SAYINGS.split()

PEER = """
import sys, time, pathlib
from observational_memory.transcripts.codex import parse_transcript
path = pathlib.Path(sys.argv[1])
parse_transcript(path)
start = time.perf_counter()
parse_transcript(path)
print(time.perf_counter() - start)
"""
GOALS = {"JSONL": 0.6, "SQLite+zstd": 0.6, "observational-memory": 2.0, "jq": 1.0}


def make_session(megabytes: float, seed: int = SEED) -> FakeSession:
    """Return one long session: talk, tool work with long outputs, housekeeping rows, a few pastes."""
    rng = random.Random(seed)
    session = FakeSession()
    size = 0

    def say(low: int, high: int) -> str:
        return " ".join(rng.choices(WORDS, k=rng.randint(low, high)))

    def log(lines: int) -> str:
        return "\n".join(
            f"[{rng.randint(0, 99):02}] {rng.choice(WORDS)}={rng.random():.6f} {say(3, 9)}"
            for _ in range(lines)
        )

    while size < megabytes * 1e6:
        first = len(session.events)
        session.user(say(4, 60) if rng.random() < 0.97 else log(rng.randint(100, 400)))
        for _ in range(rng.choice((0, 0, 1, 1, 2, 4))):
            session.tool("exec", {"command": f"git -C repo {say(3, 9)}"}, log(rng.choice((1, 2, 5, 20, 60))))
            session.add("custom", customType="openclaw.cache-ttl", data={"prunedToolResults": []})
        session.assistant(say(8, 120))
        size += sum(len(orjson.dumps(event)) for event in session.events[first:])
    return session


def read_all(source: Source) -> int:
    """Read everything a source holds; return how many entries it gave."""
    total = 0
    for state in source.sessions():
        for page in source.pages(state, None):
            total += len(page.entries)
    source.close()
    return total


def decode_jsonl(path: Path) -> int:
    """Decode every line and do nothing else."""
    count = 0
    with path.open("rb") as file:
        for line in file:
            orjson.loads(line)
            count += 1
    return count


def decode_sqlite(path: Path) -> int:
    """Fetch, decompress and decode every row and do nothing else."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    connection.text_factory = bytes
    unpack = zstandard.ZstdDecompressor().decompress
    count = 0
    for text, frame in connection.execute(
        "select event_json, event_zstd from transcript_events order by session_id, seq"
    ):
        orjson.loads(text if text is not None else unpack(frame))
        count += 1
    connection.close()
    return count


def timed(work: Callable[[], object]) -> float:
    """Return the seconds one call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def peer_seconds(python: str, path: Path, *, clock: str = "perf_counter") -> float:
    """Return the peer parser's time by *clock*, in its own process after one run to warm up."""
    script = PEER.replace("perf_counter", clock)
    done = subprocess.run([python, "-c", script, str(path)], capture_output=True, text=True, check=True)
    return float(done.stdout)


def has_peer(python: str) -> bool:
    """Tell whether the interpreter has the peer."""
    command = [python, "-c", "import observational_memory"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def measure(options: argparse.Namespace, folder: Path, session: FakeSession) -> dict[str, float]:
    """Return each way's median seconds."""
    jsonl = build_jsonl(folder / "sessions", [session])
    file = jsonl / f"{session.session_id}.jsonl"
    store = build_sqlite(folder / "agent" / "openclaw-agent.sqlite", [session])
    ways: dict[str, Callable[[], float]] = {
        "JSONL, decode only": lambda: timed(lambda: decode_jsonl(file)),
        "JSONL": lambda: timed(lambda: read_all(JsonlSource(jsonl, "main"))),
        "SQLite+zstd, decode only": lambda: timed(lambda: decode_sqlite(store)),
        "SQLite+zstd": lambda: timed(lambda: read_all(SqliteSource(store, "main"))),
    }
    if has_peer(options.om_python):
        ways["observational-memory"] = lambda: peer_seconds(options.om_python, file)
    jq = shutil.which("jq")
    if jq is not None:
        command = [jq, "-c", 'select(.type == "message") | .message.role', str(file)]
        ways["jq"] = lambda: timed(lambda: subprocess.run(command, stdout=subprocess.DEVNULL, check=True))
    for way in ways.values():
        way()
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(options.runs):
        for name, way in ways.items():
            times[name].append(way())
    return {name: statistics.median(found) for name, found in times.items()}


def report(seconds: dict[str, float], megabytes: float, om_python: str) -> int:
    """Print one line for each way with what is promised of it; return how many goals were missed."""
    ratios = {
        "JSONL": seconds["JSONL, decode only"] / seconds["JSONL"],
        "SQLite+zstd": seconds["SQLite+zstd, decode only"] / seconds["SQLite+zstd"],
        **{
            name: seconds[name] / seconds["JSONL"]
            for name in ("observational-memory", "jq")
            if name in seconds
        },
    }
    for name, took in seconds.items():
        note = ""
        if name in ratios:
            against = "of decode only" if name in ("JSONL", "SQLite+zstd") else "times as fast is our JSONL"
            verdict = "met" if ratios[name] >= GOALS[name] else "MISSED"
            note = f"{ratios[name]:.2f} {against} (goal {GOALS[name]}: {verdict})"
        print(f"{name:26} {megabytes / took:6.0f} MB/s  {note}".rstrip())
    if "observational-memory" not in seconds:
        print(f"observational-memory       skipped: not in {om_python} (--om-python names another)")
    if "jq" not in seconds:
        print("jq                         skipped: not installed")
    return sum(ratio < GOALS[name] for name, ratio in ratios.items())


def main(arguments: list[str] | None = None) -> int:
    """Build the stores, measure, print the table; 1 when a goal was missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--megabytes", type=float, default=50)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument(
        "--om-python", default=sys.executable, help="interpreter with observational-memory 0.10.1"
    )
    options = parser.parse_args(arguments)
    session = make_session(options.megabytes)
    with tempfile.TemporaryDirectory() as scratch:
        seconds = measure(options, Path(scratch), session)
    megabytes = len(lines_of(session.events)) / 1e6
    print(f"{len(session.events)} rows, {megabytes:.1f} MB as text, median of {options.runs} rounds")
    return min(report(seconds, megabytes, options.om_python), 1)


if __name__ == "__main__":
    sys.exit(main())
