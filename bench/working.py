"""How fast programs store and find (`python -m bench working`).

One agent of a home: storing beside a bare sqlite3 insert, reading by id, the working layer searched by words
beside a bare FTS5, and by meaning; both layers together over a ledger of many lines; a consolidation. Texts
and questions are generated; vectors are made by lot, as a scan takes as long over those, and the question's
vector by the model. --lines 1000000 takes some minutes.
"""

from __future__ import annotations

import argparse
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

from bench import memories as material
from bench import recall
from bench.report import Column, Goal, Report, Table, options, publish
from scrimshaw import Memory
from scrimshaw.core.search.query import question_words
from scrimshaw.index import embedding
from scrimshaw.services.search.index import open_words
from scrimshaw.store.ledger import open_ledger
from scrimshaw.working import memories, vectors

_MEMORIES = 10_000
_CONSOLIDATED = 500
_REMARKS = (
    "The bare inserts are in WAL with synchronous=NORMAL, a commit each; the bare FTS5 is the "
    "same texts with porter and unicode61. Stores are timed without a model, as the thread that makes "
    "vectors works at the same time.",
)


class Timed(NamedTuple):
    """What was timed, in milliseconds."""

    what: str
    size: int
    median_ms: float
    p95_ms: float


def main(arguments: list[str]) -> int:
    """Measure and print."""
    parser = options("working", __doc__, data=False)
    parser.add_argument("--lines", type=int, default=100_000, help="of the ledger (100,000)")
    parser.add_argument("--questions", type=int, default=100, help="of each kind (100)")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="scrimshaw-bench-") as folder:
        return publish(_measured(Path(folder), given), given)


def _measured(folder: Path, given: argparse.Namespace) -> Report:
    texts = list(material.texts(_MEMORIES, given.seed))
    asked = material.questions(1_000, given.seed, texts)[: given.questions]
    now = recall.NOW
    env = {"HOME": str(folder), "SCRIMSHAW_TIMEZONE": "UTC"}
    timed: list[Timed] = []
    with _open(folder, {**env, "SCRIMSHAW_EMBEDDINGS": "off"}) as memory:
        ids: list[str] = []
        timed.append(_timed("store", len(texts), lambda text: ids.append(memory.store(text).id), texts))
        bare = _bare_insert(folder / "bare.sqlite", with_words=False)
        timed.append(_timed("bare sqlite3 insert", len(texts), bare, texts))
        bare = _bare_insert(folder / "words.sqlite", with_words=True)
        timed.append(_timed("bare sqlite3 insert with its FTS5 row", len(texts), bare, texts))
        db = memory._working().db
        timed.append(_timed("read by id", len(texts), lambda id_: memories.by_id(db, id_), ids[:2_000]))
        words = _searching(memory, "lexical", ["working"])
        timed.append(_timed("working layer, words", len(texts), words, asked))
        timed.append(_timed("bare FTS5", len(texts), _bare_fts5(texts), asked))
    has_model = not embedding.why_none()
    with open_ledger(memory.target.layout.ledger, create=False) as ledger:
        material.fill(ledger, material.texts(given.lines, given.seed + 7), given.lines)
        open_words(memory.target.layout, ledger, now)
    if has_model:
        recall._put_vectors(memory.target.layout, given.lines, given.seed)
    with _open(folder, env) as memory:
        if has_model:
            _put_vectors(memory, given.seed)
            meaning = _searching(memory, "semantic", ["working"])
            timed.append(_timed("working layer, meaning", len(texts), meaning, asked))
        both = _searching(memory, "hybrid" if has_model else "lexical", ["working", "episodic"])
        timed.append(_timed("both layers", given.lines + len(texts), both, asked))
    took = _consolidation(folder, env)
    timed.append(Timed(f"consolidation of {_CONSOLIDATED}", _CONSOLIDATED, took, took))
    return _report(timed, given.lines, [] if has_model else ["by meaning: no embedding model is installed"])


def _open(folder: Path, env: dict[str, str], agent: str = "albert") -> Memory:
    return Memory.open(home=folder / "agents", agent=agent, env=env, clock=lambda: recall.NOW)


def _searching(memory: Memory, mode: str, layers: Sequence[str]) -> Callable[[str], object]:
    return lambda question: memory.search(question, mode=mode, layers=layers)


def _put_vectors(memory: Memory, seed: int) -> None:
    """Give each memory a vector by lot, under the model's name."""
    import numpy as np

    model = embedding.find_embedder()
    assert model
    db, lot = memory._working().db, np.random.default_rng(seed)
    ids = [row[0] for row in db.rows("select id from memory")]
    rows = lot.standard_normal((len(ids), model.dimensions), dtype=np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    vectors.keep(db, model.name, list(zip(ids, rows, strict=True)))


def _consolidation(folder: Path, env: dict[str, str]) -> float:
    texts = list(material.texts(_CONSOLIDATED, 11))
    with _open(folder, {**env, "SCRIMSHAW_EMBEDDINGS": "off"}, "berta") as memory:
        for text in texts:
            memory.store(text)
        later = recall.NOW + timedelta(days=8)
        with Memory.open(home=folder / "agents", agent="berta", env=env, clock=lambda: later) as one:
            began = time.perf_counter()
            done = one.consolidate()
            took = (time.perf_counter() - began) * 1000
    assert done.archived + done.deduplicated == _CONSOLIDATED
    return took


def _bare_insert(path: Path, *, with_words: bool) -> Callable[[str], object]:
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("pragma journal_mode = wal")
    db.execute("pragma synchronous = normal")
    db.execute("create table t (id integer primary key, content text, importance real, at integer)")
    insert = "insert into t (content, importance, at) values (?, .5, 0)"
    if not with_words:
        return lambda text: db.execute(insert, (text,))
    db.execute("create virtual table w using fts5(content, content='t', tokenize='porter unicode61')")

    def both(text: str) -> None:
        db.execute("begin immediate")
        number = db.execute(insert, (text,)).lastrowid
        db.execute("insert into w (rowid, content) values (?, ?)", (number, text))
        db.execute("commit")

    return both


def _bare_fts5(texts: Sequence[str]) -> Callable[[str], object]:
    db = sqlite3.connect(":memory:")
    db.execute("create virtual table t using fts5(text, tokenize='porter unicode61')")
    db.executemany("insert into t (text) values (?)", ((text,) for text in texts))

    def search(question: str) -> object:
        query = " OR ".join(f'"{word}"' for word in question_words(question))
        return db.execute("select rowid from t where t match ? order by rank limit 10", (query,)).fetchall()

    return search


def _timed(what: str, size: int, call: Callable[[str], object], asked: Sequence[str]) -> Timed:
    call(asked[0])  # warm
    times = []
    for one in asked:
        began = time.perf_counter()
        call(one)
        times.append((time.perf_counter() - began) * 1000)
    times.sort()
    return Timed(what, size, statistics.median(times), times[int(len(times) * 0.95)])


def _report(timed: Sequence[Timed], lines: int, skipped: Sequence[str]) -> Report:
    by_name = {one.what: one for one in timed}
    store, bare = by_name["store"], by_name["bare sqlite3 insert with its FTS5 row"]
    goals = [
        _most("store, p95", store.p95_ms, 1.0),
        Goal(
            "store beside the bare insert with its FTS5 row",
            "≤ 4 times",
            f"{store.median_ms / bare.median_ms:.1f}",
            store.median_ms <= 4 * bare.median_ms,
        ),
        _most("read by id", by_name["read by id"].median_ms, 0.5),
        _most("working layer, words", by_name["working layer, words"].median_ms, 5),
        *(
            []
            if skipped
            else [_most("working layer, meaning", by_name["working layer, meaning"].median_ms, 50)]
        ),
        *([_most("both layers", by_name["both layers"].median_ms, 50)] if lines == 100_000 else []),
        _most(
            f"consolidation of {_CONSOLIDATED}", by_name[f"consolidation of {_CONSOLIDATED}"].median_ms, 5_000
        ),
    ]
    columns = (Column("what"), Column("size", ",d"), Column("median ms", ",.3f"), Column("p95 ms", ",.3f"))
    table = Table("Medians of warm calls in one process", columns, [tuple(one) for one in timed])
    packages = ("tantivy", "onnxruntime", "memvid-sdk")
    return Report("working", (table,), (), tuple(goals), _REMARKS, tuple(skipped), packages)


def _most(what: str, found_ms: float, most_ms: float) -> Goal:
    return Goal(what, f"≤ {most_ms:,g} ms", f"{found_ms:,.2f} ms", found_ms <= most_ms)
