"""Speed of the rules alone and with verification, in MB of text a second (`python -m bench observing`)."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from bench.beam import load
from bench.pipeline import Memory
from bench.samples import conversations
from scrimshaw.core.extraction import observe
from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.transcript.windows import windows

DEFAULT_CACHE = Path.home() / ".cache/scrimshaw-evaluation"


def main(arguments: list[str]) -> int:
    """Print the speeds."""
    parser = argparse.ArgumentParser(prog="bench observing", description=__doc__)
    parser.add_argument("--data", type=Path, default=DEFAULT_CACHE)
    given = parser.parse_args(arguments)
    inputs = {}
    if (given.data / "data/beam/500K").is_dir():
        inputs["BEAM 500K"] = [pair for one in load(given.data / "data/beam/500K") for pair in one.sessions]
    if (given.data / "samples/dev-sqlite").is_dir():
        inputs["sample"] = list(conversations(given.data / "samples/dev-sqlite"))
    if not inputs:
        print(f"{given.data}: no evaluation data. Nothing was measured.")
        return 0
    for name, sessions in inputs.items():
        size_mb = sum(len(entry.text) for _, entries in sessions for entry in entries) / 1e6
        started = time.perf_counter()
        found = sum(
            len(observe(window, KnownLines()).proposals)
            for session, entries in sessions
            for window in windows(session, entries, "UTC")
        )
        rules_seconds = time.perf_counter() - started
        started = time.perf_counter()
        memory = Memory()
        for session, entries in sessions:
            memory.feed(session, entries)
        all_seconds = time.perf_counter() - started
        print(
            f"{name:10} {size_mb:6.1f} MB  rules {size_mb / rules_seconds:5.1f} MB/s ({found} proposals)"
            f"  with verification {size_mb / all_seconds:5.1f} MB/s ({len(memory.lines)} lines)"
        )
    return 0
