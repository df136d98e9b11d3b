"""How fast transcripts are read and classed, against decoding the same rows and nothing else.

One run measures everything on the same generated stores (fixed seed, kinds of rows mixed as in real
transcripts): our sources on JSONL and on SQLite with zstd rows; "decode only", which fetches,
decompresses and orjson-decodes the same rows; `jq`; and the parser of `observational-memory` 0.10.1,
run in an interpreter that has it (--om-python). What is not installed is skipped and said.

The peer does not know OpenClaw's form, so it gets the same messages in the form it reads, and both
are compared by megabytes a second of what they were given.
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
from observational_memory.transcripts.claude import parse_transcript
path = pathlib.Path(sys.argv[1])
for _ in range(int(sys.argv[2])):
    start = time.perf_counter()
    found = parse_transcript(path)
    print(time.perf_counter() - start, len(found))
"""


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


def as_peer_lines(session: FakeSession) -> bytes:
    """Return the same messages in the form that the peer's parser reads."""
    rows = []
    for event in session.events:
        message = event.get("message")
        if message is None:
            rows.append({**event, "uuid": event["id"]})
            continue
        role = "assistant" if message["role"] == "assistant" else "user"
        rows.append({**event, "type": role, "uuid": event["id"], "message": {**message, "role": role}})
    return lines_of(rows)


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


def median_seconds(work: Callable[[], object], runs: int) -> float:
    """Return the median time of *runs* calls, after one to warm up."""
    work()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def peer_seconds(python: str, path: Path, runs: int) -> float | None:
    """Return the peer parser's median time; None when that interpreter does not have it."""
    done = subprocess.run(
        [python, "-c", PEER, str(path), str(runs + 1)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        return None
    return statistics.median(float(line.split()[0]) for line in done.stdout.splitlines()[1:])


def main(arguments: list[str] | None = None) -> None:
    """Build the stores, measure, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=50)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument(
        "--om-python", default=sys.executable, help="interpreter with observational-memory 0.10.1"
    )
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        session = make_session(options.megabytes)
        jsonl = build_jsonl(folder / "sessions", [session])
        file = jsonl / f"{session.session_id}.jsonl"
        store = build_sqlite(folder / "agent" / "openclaw-agent.sqlite", [session])
        peer_file = folder / "peer.jsonl"
        peer_file.write_bytes(as_peer_lines(session))
        megabytes = file.stat().st_size / 1e6
        print(f"{len(session.events)} rows, {megabytes:.1f} MB as text, median of {options.runs} runs")
        report(options, megabytes, jsonl, file, store, peer_file)


def report(
    options: argparse.Namespace, megabytes: float, jsonl: Path, file: Path, store: Path, peer_file: Path
) -> None:
    """Measure each way and print one line for it, with the ratio that is promised."""
    runs: int = options.runs
    plain = median_seconds(lambda: decode_jsonl(file), runs)
    ours = median_seconds(lambda: read_all(JsonlSource(jsonl, "main")), runs)
    plain_rows = median_seconds(lambda: decode_sqlite(store), runs)
    ours_rows = median_seconds(lambda: read_all(SqliteSource(store, "main")), runs)
    lines = [
        ("JSONL, decode only", megabytes / plain, ""),
        ("JSONL, scrimshaw", megabytes / ours, f"{plain / ours:.0%} of decode only (goal 60 %)"),
        ("SQLite+zstd, decode only", megabytes / plain_rows, ""),
        (
            "SQLite+zstd, scrimshaw",
            megabytes / ours_rows,
            f"{plain_rows / ours_rows:.0%} of decode only (goal 60 %)",
        ),
    ]
    peer = peer_seconds(options.om_python, peer_file, runs)
    if peer is None:
        lines.append(("observational-memory", 0, f"skipped: not in {options.om_python} (--om-python)"))
    else:
        speed = peer_file.stat().st_size / 1e6 / peer
        lines.append(
            ("observational-memory", speed, f"ours is {megabytes / ours / speed:.1f} times as fast (goal 2)")
        )
    jq = shutil.which("jq")
    if jq is None:
        lines.append(("jq", 0, "skipped: not installed"))
    else:
        command = [jq, "-c", 'select(.type == "message") | .message.role', str(file)]
        seconds = median_seconds(lambda: subprocess.run(command, stdout=subprocess.DEVNULL, check=True), runs)
        lines.append(("jq", megabytes / seconds, f"ours is {seconds / ours:.1f} times as fast (goal 1)"))
    for name, speed, note in lines:
        print(f"{name:26} {f'{speed:7.0f} MB/s' if speed else '':13} {note}".rstrip())


if __name__ == "__main__":
    main()
