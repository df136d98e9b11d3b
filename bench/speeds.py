"""The parts of `bench speed`: each builds what it measures at growing sizes and gives figures.

Reading, redacting, observing, folding, the command as a process, searching with what else could have been
used beside it, and the daemon. What is not installed is raised as `Absent`, with a line for a person.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from itertools import cycle
from pathlib import Path

from tests.stores import build_jsonl, build_sqlite, lines_of

from bench import daemon, material, memories, whole
from bench.backlogs import build
from bench.pipeline import Memory
from bench.reading import decode_jsonl, decode_sqlite, has_peer, make_session, peer_seconds, read_all
from bench.redaction import session_texts
from bench.timing import FACTORS, Figure, Point, Work, collected, medians
from scrimshaw.core.search.query import question_words
from scrimshaw.core.section.select import fold
from scrimshaw.core.types import Entry, Line, Session, SessionKind
from scrimshaw.redaction import redact
from scrimshaw.sources.openclaw_jsonl import JsonlSource
from scrimshaw.sources.openclaw_sqlite import SqliteSource

Part = Callable[[argparse.Namespace], list[Figure]]
Points = dict[str, list[Point]]
_READING_GOALS = {"jq": 1.0, "observational-memory": 2.0}


class Absent(Exception):  # noqa: N818  # no fault
    """Something that a part needs is not here; says what."""


def sizes(given: argparse.Namespace, largest: float) -> list[float]:
    """Return a hundredth of *largest*, a tenth and all of it, scaled."""
    return [largest * given.scale * factor / FACTORS[-1] for factor in FACTORS]


def read_transcripts(given: argparse.Namespace) -> list[Figure]:
    """Reading and classing transcripts, against decoding the same rows, jq and a peer's parser."""
    found: Points = defaultdict(list)
    for megabytes in sizes(given, 50):
        session = make_session(megabytes, given.seed)
        with tempfile.TemporaryDirectory() as scratch:
            jsonl = build_jsonl(Path(scratch) / "sessions", [session])
            store = build_sqlite(Path(scratch) / "agent" / "openclaw-agent.sqlite", [session])
            ways = _ways_to_read(jsonl, jsonl / f"{session.session_id}.jsonl", store, given.om_python)
            true_size = len(lines_of(session.events)) / 1e6
            for name, point in medians(ways, true_size, given.runs).items():
                found[name].append(point)
    figures = {one.what: one for one in collected(found, "s", "MB")}
    for name, decoded in (("JSONL", "JSONL, decode only"), ("SQLite+zstd", "SQLite+zstd, decode only")):
        figures[decoded] = figures[decoded]._replace(peer_of=name, least_ratio=0.6)
    for name, ratio in _READING_GOALS.items():
        if name in figures:
            figures[name] = figures[name]._replace(peer_of="JSONL", least_ratio=ratio)
    return [
        one._replace(what=f"read {one.what}", peer_of=one.peer_of and f"read {one.peer_of}")
        for one in figures.values()
    ]


def _ways_to_read(jsonl: Path, file: Path, store: Path, om_python: str) -> dict[str, Work]:
    ways: dict[str, Work] = {
        "JSONL": lambda: read_all(JsonlSource(jsonl, "main")),
        "SQLite+zstd": lambda: read_all(SqliteSource(store, "main")),
        "JSONL, decode only": lambda: decode_jsonl(file),
        "SQLite+zstd, decode only": lambda: decode_sqlite(store),
    }
    if has_peer(om_python):
        ways["observational-memory"] = lambda: peer_seconds(om_python, file, clock="process_time")
    jq = shutil.which("jq")
    if jq is not None:
        command = [jq, "-c", 'select(.type == "message") | .message.role', str(file)]
        ways["jq"] = lambda: bool(subprocess.run(command, stdout=subprocess.DEVNULL, check=True))
    return ways


def redact_texts(given: argparse.Namespace) -> list[Figure]:
    """Looking for secrets, in one text after the other."""
    try:
        library = importlib.import_module("betterleaks")
    except ImportError:
        library = None
    found: Points = defaultdict(list)
    for megabytes in sizes(given, 10):
        texts = _texts(given, megabytes)
        whole_text = "\n".join(texts)  # each call costs the peer milliseconds: one call, in its favour
        ways: dict[str, Work] = {"redact": partial(_redacted, texts)}
        if library is not None:
            ways["redact, betterleaks"] = partial(_leaks, library.scan_string, whole_text)
        for name, point in medians(ways, len(whole_text) / 1e6, given.runs).items():
            found[name].append(point)
    largest = found["redact"][-1].size
    figures = collected(found, "s", "MB", {"redact": largest / 20})
    return [one._replace(peer_of="redact" if one.what != "redact" else "") for one in figures]


def _texts(given: argparse.Namespace, megabytes: float) -> list[str]:
    """Return what the real coding sessions hold, over and over; generated text without them."""
    folders = dict.fromkeys(path.parent for path in material.find(given.data).transcripts())
    found = [text for folder in folders for text in session_texts(folder)]
    if not found:
        return [str(event.get("message", "")) for event in make_session(megabytes, given.seed).events]
    texts: list[str] = []
    size = 0
    for text in cycle(found):
        if size >= megabytes * 1e6:
            return texts
        texts.append(text)
        size += len(text)
    return texts


def _redacted(texts: Sequence[str]) -> int:
    return sum(len(redact(text).text) for text in texts)


def _leaks(find: Callable[[str], Sequence[object]], text: str) -> int:
    return len(find(text))


def observe_entries(given: argparse.Namespace) -> list[Figure]:
    """The rules and the gate over entries in memory, of an agent at work."""
    found: Points = defaultdict(list)
    session = Session("bench", "agent:main:main", "main", SessionKind.DIRECT)
    for megabytes in sizes(given, 10):
        with tempfile.TemporaryDirectory() as scratch:
            build(Path(scratch), "jsonl", megabytes, "work")
            source = JsonlSource(Path(scratch) / "agents/main/sessions", "main")
            entries = [
                entry
                for state in source.sessions()
                for page in source.pages(state, None)
                for entry in page.entries
            ]
            source.close()
        point = medians({"": partial(_observed, session, entries)}, megabytes, given.runs)[""]
        found["rules and gate, work"].append(point)
    return collected(found, "s", "MB")


def _observed(session: Session, entries: Sequence[Entry]) -> int:
    memory = Memory()
    memory.feed(session, entries)
    return len(memory.lines)


def fold_section(given: argparse.Namespace) -> list[Figure]:
    """The section of 9,000 units out of growing ledgers."""
    found: Points = defaultdict(list)
    memory = Memory()
    with tempfile.TemporaryDirectory() as scratch:
        build(Path(scratch), "jsonl", 0.1, "talk")
        source = JsonlSource(Path(scratch) / "agents/main/sessions", "main")
        for state in source.sessions():
            memory.feed(
                state.session, [entry for page in source.pages(state, None) for entry in page.entries]
            )
        source.close()
    lines = list(memory.lines.values())
    for count in map(int, sizes(given, 10_000)):
        many = _copies(lines, list(memories.texts(count, given.seed)))
        work = partial(fold, many, 9_000, zone="UTC")
        found["fold the section"].append(medians({"": work}, count, given.runs, unit_seconds=1e-3)[""])
    return collected(found, "ms", "lines")


def _copies(lines: Sequence[Line], texts: Sequence[str]) -> list[Line]:
    """Return a line for each of *texts*, with the standing and the worth of *lines* in turn."""
    made = []
    for number, (text, line) in enumerate(zip(texts, cycle(lines), strict=False)):
        observation = replace(line.observation, id=f"{number:032x}", text=text)
        made.append(Line(observation, line.standing))
    return made


_PROCESS_GOALS = {"observe": 15.0, "nothing new": 0.45, "status": 0.30}
_MOST_OBSERVE_MB = 150.0


def run_processes(given: argparse.Namespace) -> list[Figure]:
    """The command as a whole process on a backlog, when nothing is new, and status."""
    found: dict[tuple[str, str, float], list[Point]] = defaultdict(list)
    for kind in ("jsonl", "sqlite"):
        for megabytes in sizes(given, 50):
            with tempfile.TemporaryDirectory(prefix="scrimshaw-bench-") as folder:
                told = whole.measure(Path(folder), kind, megabytes, "work", given.runs)
            for command, (name, spent) in zip(_PROCESS_GOALS, told.items(), strict=True):
                assert name.startswith(command)
                what, most = f"scrimshaw: {command}, {kind}", _PROCESS_GOALS[command]
                runs = 1 if command == "observe" else given.runs
                found[what, "s", most].append(Point(megabytes, spent.seconds, spent.seconds, runs))
                if command == "observe":
                    memory = Point(megabytes, spent.peak_mb, spent.peak_mb, 1)
                    found[f"{what}, memory", "MB", _MOST_OBSERVE_MB].append(memory)
    return [Figure(what, unit, "MB", tuple(points), most) for (what, unit, most), points in found.items()]


def run_daemon(_given: argparse.Namespace) -> list[Figure]:
    """The daemon: up, idle, and how soon a section is written; one size."""
    figures: dict[str, daemon.Figure] = {}
    with tempfile.TemporaryDirectory(prefix="scrimshaw-bench-") as folder:
        machine = daemon.in_child(daemon.build, daemon.Machine(Path(folder)), 20, 100)
        figures |= daemon.start_figures(machine, 5)
        figures |= daemon.idle_figures(machine, 60.0)
    with tempfile.TemporaryDirectory(prefix="scrimshaw-bench-") as folder:
        machine = daemon.in_child(daemon.build, daemon.Machine(Path(folder)), 8, 3)
        figures |= daemon.fresh_figures(machine, 40)
    return [
        Figure(f"daemon: {name}", one.unit, "", (Point(1, one.median, one.worst, one.count),), one.goal)
        for name, one in figures.items()
    ]


def search_memory(given: argparse.Namespace) -> list[Figure]:
    """What `bench recall` times: searches beside FTS5 and memvid, indexing, embedding, carrying, as-of."""
    from bench import recall

    by_name: dict[str, list[recall.Timed]] = defaultdict(list)
    for part in recall.PARTS.values():
        try:
            timed, met = part(argparse.Namespace(**{**vars(given), "largest": 0, "questions": 100}))
        except recall.Absent as absent:
            given.skipped.append(f"{absent}")
            continue
        given.goals += met
        for one in timed:
            by_name[one.what].append(one)
    figures = []
    for what, rows in by_name.items():
        points = tuple(Point(one.size, one.median_ms, one.p95_ms, 1) for one in rows)
        goals = [one.goal_ms for one in rows if one.goal_ms is not None]
        peer = "search, lexical" if what == "search, FTS5 alone" else ""
        figures.append(Figure(what, "ms", "lines", points, goals[-1] if goals else None, peer))
    return figures


def search_memvid(given: argparse.Namespace) -> list[Figure]:
    """memvid alone: a month of days as frames, and its own search, a question's words joined by OR."""
    if find_spec("memvid_sdk") is None:
        raise Absent("memvid alone: memvid-sdk is not installed")
    found: Points = defaultdict(list)
    for count in map(int, sizes(given, 10_000)):
        texts = list(memories.texts(count, given.seed))
        asked = [" OR ".join(question_words(one)) for one in memories.questions(20, given.seed, texts)]
        with tempfile.TemporaryDirectory() as folder:
            told = subprocess.run(
                [sys.executable, "-c", _MEMVID, str(Path(folder) / "peer.mv2")],
                input=json.dumps({"texts": texts, "asked": asked}),
                env={**os.environ, "MEMVID_TELEMETRY": "0", "MEMVID_OFFLINE": "1"},
                capture_output=True, text=True, check=False,
            )  # fmt: skip
        if told.returncode:
            raise Absent(f"memvid alone: {told.stderr.strip().splitlines()[-1]}")
        times = json.loads(told.stdout.strip().splitlines()[-1])
        searches = sorted(times["searches"])
        found["memvid alone: search"].append(
            Point(count, statistics.median(searches) * 1000, searches[-1] * 1000, len(searches))
        )
        found["memvid alone: put 30 frames"].append(Point(count, times["put"] * 1000, times["put"] * 1000, 1))
    return collected(found, "ms", "lines")


_MEMVID = """
import json, sys, time
from memvid_sdk import create, use
said = json.load(sys.stdin)
began = time.perf_counter()
memory = create(sys.argv[1], enable_lex=True, enable_vec=False)
size = -(-len(said["texts"]) // 30)
for at in range(0, len(said["texts"]), size):
    day = "\\n".join(said["texts"][at:at + size])
    memory.put(title=str(at), label="day", metadata={}, text=str(at), search_text=day,
               enable_embedding=False, auto_tag=False, extract_dates=False)
memory.commit()
memory.close()
memory = use("basic", sys.argv[1], read_only=True)
put, searches = time.perf_counter() - began, []
for question in said["asked"]:
    began = time.perf_counter()
    memory.find(question, k=10)
    searches.append(time.perf_counter() - began)
print(json.dumps({"put": put, "searches": searches}))
"""

PARTS: dict[str, Part] = {
    "reading": read_transcripts,
    "redaction": redact_texts,
    "observing": observe_entries,
    "folding": fold_section,
    "process": run_processes,
    "memory": search_memory,
    "memvid": search_memvid,
    "daemon": run_daemon,
}
