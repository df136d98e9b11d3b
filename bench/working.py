"""How fast programs store and find (`python -m bench working`).

One agent of a home. Storing with 1,000, 10,000 and 100,000 memories there, each store in turn with a bare
sqlite3 insert, without and with its FTS5 row, so that a busy machine slows all alike; storing while vectors
are made; reading by id; the working layer searched by words beside a bare FTS5, and by meaning; both layers
together, and a context, over a ledger of many lines; consolidations, into an empty ledger and into that one.
Texts and questions are generated; vectors are made by lot, as a scan takes as long over those, and the
question's vector by the model. --million is a run of its own, with a ledger of 1,000,000 lines; it takes
ten minutes and 6 GB of memory. --archive archives the lines before the round, which takes minutes from
100,000 lines on; --brief times nothing but the rounds, with it, and stores while vectors are made.
"""

from __future__ import annotations

import argparse
import resource
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple
from unittest.mock import patch

from bench import memories as material
from bench import recall
from bench.report import Column, Goal, Report, Table, options, publish
from scrimshaw import Memory
from scrimshaw.core.search.query import question_words
from scrimshaw.index import embedding
from scrimshaw.services.archive import write as archives
from scrimshaw.services.publish.result import PublishRequest
from scrimshaw.services.publish.run import publish as publish_section
from scrimshaw.services.runs import recorded
from scrimshaw.services.search.index import open_words
from scrimshaw.store.ledger import open_ledger
from scrimshaw.working import vectors

_MEMORIES = 10_000
_STORED = (1_000, 10_000, 100_000)
_AT_ONCE = 1_000  # stores that are timed at each of these sizes
_CONSOLIDATED = 500
_MESSAGES = 2_000
_MILLION = 1_000_000
_STORE, _BARE, _BARE_WORDS = "store", "bare sqlite3 insert", "bare sqlite3 insert with its FTS5 row"
_BESIDE_MODEL = "store, while vectors are made"
_BESIDE_NONE = "store, without a model, in turn with it"
_ROUND = f"consolidation of {_CONSOLIDATED}: found in the ledger alone"
_ARCHIVED = f"consolidation of {_CONSOLIDATED}: in the .mv2, too"
_REMARKS = (
    "The bare inserts are in WAL with synchronous=NORMAL, a commit each, of a text and two numbers, without "
    "an id; with its FTS5 row: porter and unicode61, in one transaction. The bare FTS5 search is over the "
    "same texts. A store also takes out secrets and private parts, cuts endings, and keeps twenty columns "
    "and three indexes. Stores are timed without a model, but for those while vectors are made. Not shown: "
    "several processes, a cold disk; without --archive: what the .mv2 of the large ledger adds.",
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
    parser.add_argument("--archive", action="store_true", help="archive the lines first, as owners have them")
    parser.add_argument(
        "--brief", action="store_true", help="rounds alone, and stores while vectors are made"
    )
    parser.add_argument("--million", action="store_true", help="once, with a ledger of 1,000,000 lines")
    given = parser.parse_args(arguments)
    given.lines = _MILLION if given.million else given.lines
    with tempfile.TemporaryDirectory(prefix="scrimshaw-bench-") as folder:
        return publish(_measured(Path(folder), given), given)


def _measured(folder: Path, given: argparse.Namespace) -> Report:
    env = {"HOME": str(folder), "SCRIMSHAW_TIMEZONE": "UTC"}
    without_model = {**env, "SCRIMSHAW_EMBEDDINGS": "off"}
    has_model = not embedding.why_none()
    if given.brief:
        given.archive = True
        brief = _beside_the_model(folder, env, given.seed) if has_model else []
        _lay_lines(folder, without_model, given)
        for agent, lines in (("albert", given.lines), ("berta", 0)):
            brief += _consolidation(folder, env, agent, lines)
        return _report(brief, given, _sizes(folder, given.lines), [])
    timed = [] if given.million else _stores(folder, without_model, given.seed)
    texts = list(material.texts(_MEMORIES, given.seed))
    asked = material.questions(1_000, given.seed, texts)[: given.questions]
    with _open(folder, without_model) as memory:
        ids = [memory.store(text).id for text in texts]
        if not given.million:
            timed.append(_timed("read by id", len(texts), memory.memory, ids[:2_000]))
            words = _searching(memory, "lexical", ["working"])
            timed.append(_timed("working layer, words", len(texts), words, asked))
            timed.append(_timed("bare FTS5", len(texts), _bare_fts5(texts), asked))
    _lay_lines(folder, without_model, given)
    if given.million:
        with _open(folder, without_model) as memory:
            timed.append(_timed(_STORE, _MILLION, memory.store, texts[:_AT_ONCE]))
    if has_model:
        with _open(folder, without_model) as memory:
            recall._put_vectors(memory.target.layout, given.lines, given.seed)
    with _open(folder, env) as memory:
        if has_model:
            _put_vectors(memory, given.seed)
            meaning = _searching(memory, "semantic", ["working"])
            timed.append(_timed("working layer, meaning", len(texts), meaning, asked))
        every = given.lines + len(texts)
        for mode in ("hybrid", "lexical") if has_model else ("lexical",):
            both = _searching(memory, mode, ["working", "episodic"])
            timed.append(_timed(f"both layers, {mode}", every, both, asked))
        timed += _contexts(memory, asked, every)
    timed += _consolidation(folder, env, "albert", given.lines, archives_too=given.archive)
    if not given.million:
        timed += _consolidation(folder, env, "berta", 0)
        timed += _beside_the_model(folder, env, given.seed) if has_model else []
    sizes = _sizes(folder, given.lines)
    return _report(timed, given, sizes, [] if has_model else ["by meaning: no embedding model is installed"])


def _stores(folder: Path, env: Mapping[str, str], seed: int) -> list[Timed]:
    """Time the last thousand stores before each of some sizes, each store in turn with the bare ones."""
    timed: list[Timed] = []
    texts = iter(material.texts(_STORED[-1], seed + 3))
    with _open(folder, env, "large") as memory:
        ways: dict[str, Callable[[str], object]] = {
            _STORE: memory.store,
            _BARE: _bare_insert(folder / "bare.sqlite", with_words=False),
            _BARE_WORDS: _bare_insert(folder / "words.sqlite", with_words=True),
        }
        there = 0
        for size in _STORED:
            for text in islice(texts, size - there - _AT_ONCE):
                for call in ways.values():
                    call(text)
            timed += _in_turn(ways, size, islice(texts, _AT_ONCE))
            there = size
    return timed


def _in_turn(ways: Mapping[str, Callable[[str], object]], size: int, texts: Iterator[str]) -> list[Timed]:
    took: dict[str, list[float]] = {name: [] for name in ways}
    for text in texts:
        for name, call in ways.items():
            began = time.perf_counter()
            call(text)
            took[name].append((time.perf_counter() - began) * 1000)
    return [_summed(name, size, times) for name, times in took.items()]


def _beside_the_model(folder: Path, env: Mapping[str, str], seed: int) -> list[Timed]:
    """Time stores while vectors are made, each in turn with one of a memory that has no model."""
    texts = material.texts(_AT_ONCE, seed + 4)
    without = {**env, "SCRIMSHAW_EMBEDDINGS": "off"}
    with _open(folder, env, "clara") as memory, _open(folder, without, "dora") as other:
        memory.store("the first, for which the model is loaded")
        db = memory._working().db
        until = time.monotonic() + 60
        while vectors.has_waiting(db, embedding.BUNDLED) and time.monotonic() < until:
            time.sleep(0.05)
        return _in_turn({_BESIDE_MODEL: memory.store, _BESIDE_NONE: other.store}, _AT_ONCE, texts)


def _lay_lines(folder: Path, env: Mapping[str, str], given: argparse.Namespace) -> None:
    """Put lines into the ledger, their words into the index, on wish the archive, else the section."""
    with _open(folder, env) as memory:
        target = memory.target
        with open_ledger(target.layout.ledger, create=False) as ledger:
            material.fill(ledger, material.texts(given.lines, given.seed + 7), given.lines)
            open_words(target.layout, ledger, recall.NOW)
            while items := ledger.pending_outbox("dated"):  # as if their files were written long ago
                ledger.mark_done([item.number for item in items], at_ms=0)
            if given.archive and archives.is_possible():
                archives.archive(target, ledger, recall.NOW)
            elif not given.archive:  # the first time is no everyday one; what it trims, an archive would hold
                with recorded(ledger, "publish", "bench", recall.NOW) as run:
                    publish_section(target, ledger, PublishRequest(run.id, recall.NOW, reason="publish"))


def _contexts(memory: Memory, asked: Sequence[str], size: int) -> list[Timed]:
    """Time contexts of a conversation of 2,000 messages: all waiting, and observed up to the last."""
    for number, text in enumerate(material.texts(_MESSAGES, 23)):
        role: Literal["user", "assistant"] = "assistant" if number % 2 else "user"
        memory.add_message(text, role=role, thread_id="talk", message_id=str(number))
    context = _timed(
        f"context, {_MESSAGES:,} messages waiting",
        size,
        lambda question: memory.get_context("talk", query=question),
        asked,
    )
    began = time.perf_counter()
    memory.force_observe("talk")
    took = (time.perf_counter() - began) * 1000
    observed = _timed(
        f"context, {_MESSAGES:,} messages observed",
        size,
        lambda question: memory.get_context("talk", query=question),
        asked,
    )
    return [context, Timed(f"observing these {_MESSAGES:,} messages, by rules", size, took, took), observed]


def _sizes(folder: Path, lines: int) -> Table:
    """Return what lies on disk for the agent with the many lines."""
    workspace = folder / "agents" / "albert"
    named = {
        "ledger": [*workspace.glob(".scrimshaw/ledger.sqlite*")],
        "index of words": [*workspace.glob(".scrimshaw/index/words/**/*")],
        "vectors": [*workspace.glob(".scrimshaw/index/vectors/**/*")],
        "working layer": [*workspace.glob(".scrimshaw/working.sqlite*")],
        "archives": [*workspace.glob("memory/episodic/*")],
    }
    rows: list[tuple[str, float, float]] = []
    for name, paths in named.items():
        size = sum(path.stat().st_size for path in paths if path.is_file())
        rows.append((name, size / 1e6, size / lines))
    columns = (Column("on disk"), Column("MB", ",.1f"), Column("bytes a line", ",.0f"))
    return Table(f"Sizes, {lines:,} lines", columns, list(rows))


def _open(folder: Path, env: Mapping[str, str], agent: str = "albert") -> Memory:
    return Memory.open(home=folder / "agents", agent=agent, env=env, clock=lambda: recall.NOW)


def _searching(memory: Memory, mode: str, layers: Sequence[str]) -> Callable[[str], object]:
    return lambda question: memory.search(question, mode=mode, layers=layers)


def _put_vectors(memory: Memory, seed: int) -> None:
    """Give each memory a vector by lot, under the model's name."""
    import numpy as np

    model = embedding.find_embedder()
    assert model
    db, lot = memory._working().db, np.random.default_rng(seed)
    numbers = [row[0] for row in db.rows("select number from memory")]
    rows = lot.standard_normal((len(numbers), model.dimensions), dtype=np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    vectors.keep(db, model.name, list(zip(numbers, rows, strict=True)))


def _consolidation(
    folder: Path, env: Mapping[str, str], agent: str, lines: int, *, archives_too: bool = True
) -> list[Timed]:
    """Time a round that moves 500 memories, without vectors, into a ledger of *lines*; then the archive."""
    env = {**env, "SCRIMSHAW_EMBEDDINGS": "off"}
    before = recall.NOW - timedelta(days=8)
    with Memory.open(home=folder / "agents", agent=agent, env=env, clock=lambda: before) as memory:
        for text in material.texts(_CONSOLIDATED, 11):
            memory.store(text)
    with _open(folder, env, agent) as memory:
        if archives_too and archives.is_possible():  # what waits of other rounds is not this one's
            with open_ledger(memory.target.layout.ledger, create=False) as ledger:
                archives.archive(memory.target, ledger, recall.NOW)
        with patch.object(archives, "is_possible", lambda: False):
            began, used = time.perf_counter(), _processor_s()
            done = memory.consolidate()
            took = (time.perf_counter() - began) * 1000
        assert done.archived + done.deduplicated >= _CONSOLIDATED
        timed = [Timed(_ROUND, lines, took, took)]
        if archives_too and archives.is_possible():
            with open_ledger(memory.target.layout.ledger, create=False) as ledger:
                began = time.perf_counter()
                archives.archive(memory.target, ledger, recall.NOW)
                took += (time.perf_counter() - began) * 1000
            timed.append(Timed(_ARCHIVED, lines, took, took))
        processor = (_processor_s() - used) * 1000
        timed.append(Timed(f"{timed[-1].what}; processor time", lines, processor, processor))
    return timed


def _processor_s() -> float:
    """Return the processor seconds of this process and of the children that have ended."""
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


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
    return _summed(what, size, times)


def _summed(what: str, size: int, times: Sequence[float]) -> Timed:
    return Timed(what, size, statistics.median(times), sorted(times)[int(len(times) * 0.95)])


def _report(
    timed: Sequence[Timed], given: argparse.Namespace, sizes: Table, skipped: Sequence[str]
) -> Report:
    columns = (Column("what"), Column("size", ",d"), Column("median ms", ",.3f"), Column("p95 ms", ",.3f"))
    table = Table("Medians of warm calls in one process", columns, [tuple(one) for one in timed])
    packages = ("tantivy", "onnxruntime", "memvid-sdk")
    return Report(
        "working", (table, sizes), (), tuple(_goals(timed, given.lines)), _REMARKS, tuple(skipped), packages
    )


def _goals(timed: Sequence[Timed], lines: int) -> Iterator[Goal]:
    by_name = {(one.what, one.size): one for one in timed}
    for size in _STORED:
        if store := by_name.get((_STORE, size)):
            yield _most(f"store, p95, {size:,} memories", store.p95_ms, 1.0)
            for bare in (_BARE, _BARE_WORDS):
                ratio = store.median_ms / by_name[bare, size].median_ms
                yield Goal(f"store beside the {bare}, {size:,}", "≤ 4 times", f"{ratio:.1f}", ratio <= 4)
    if store := by_name.get((_BESIDE_MODEL, _AT_ONCE)):
        yield _most("store, p95, while vectors are made", store.p95_ms, 1.0)
    every = lines + _MEMORIES
    for what, size, most_ms in (
        ("read by id", _MEMORIES, 0.5),
        ("working layer, words", _MEMORIES, 5),
        ("working layer, meaning", _MEMORIES, 50),
        ("both layers, hybrid", every, 50),
        (f"context, {_MESSAGES:,} messages waiting", every, 30),
        (f"context, {_MESSAGES:,} messages observed", every, 30),
        *((what, size, 5_000) for what in (_ROUND, _ARCHIVED) for size in (0, lines)),
    ):
        if lines <= 100_000 and (found := by_name.get((what, size))):
            yield _most(f"{what}, {size:,}", found.median_ms, most_ms)


def _most(what: str, found_ms: float, most_ms: float) -> Goal:
    return Goal(what, f"≤ {most_ms:,g} ms", f"{found_ms:,.2f} ms", found_ms <= most_ms)
