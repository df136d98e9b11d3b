"""What each constant of the order does to what is found: `python -m bench retrieval --vary`.

One constant is changed at a time, the lists of candidates stay the same. A constant that only fits one set
shows: its best value there is not the best elsewhere.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench import progress, scoring
from bench.peers.ours import ByBoth
from bench.questions import Corpus
from bench.report import Column, Table
from scrimshaw.core.search import fusion
from scrimshaw.core.search.fusion import Scored
from scrimshaw.services.search.search import CANDIDATES

VALUES: dict[str, tuple[float, ...]] = {
    "RANK_SHARE": (0.0, 0.25, 0.5, 1.0),
    "RANK_CONSTANT": (1, 3, 5, 10, 60),
    "WORDS_SHARE": (0.2, 0.3, 0.4, 0.45, 0.5, 0.6),
    "NEIGHBOUR_SHARE": (0.0, 0.1, 0.2, 0.3),
}
Asked = tuple[list[Scored], list[Scored], frozenset[int]]


def table(sets: Mapping[str, Sequence[Corpus]], shared: Path) -> Table:
    """Return any@1 and any@10 of every set for every value of every constant."""
    asked = {name: list(_asked(corpora, shared)) for name, corpora in sets.items()}
    columns = [Column("constant"), Column("value", "g"), Column("in use")]
    for name in asked:
        columns += [Column(f"{name} @1", ".3f"), Column("@10", ".3f")]
    rows: list[tuple[str | float, ...]] = []
    for constant, values in VALUES.items():
        used = getattr(fusion, constant)
        for value in values:
            with _set(constant, value):
                found = [_found(one, k) for one in asked.values() for k in (1, 10)]
            rows.append((constant, value, "*" if value == used else "", *found))
    return Table("The hybrid order, one constant changed at a time: any@k", tuple(columns), list(rows))


def _asked(corpora: Sequence[Corpus], shared: Path) -> Iterator[Asked]:
    system = ByBoth(shared)
    for corpus in progress.track(list(corpora), corpora[0].name):
        system.build(corpus.texts)
        for question in corpus.questions:
            words, meaning = system.lists(question.text, CANDIDATES)
            yield words, meaning, frozenset(place + 1 for place in question.gold)


def _found(asked: Sequence[Asked], k: int) -> float:
    hits = (
        scoring.any_at([one.key for one in fusion.fuse(words, meaning)[:k]], gold, k)
        for words, meaning, gold in asked
    )
    return statistics.fmean(hits)


@contextmanager
def _set(constant: str, value: float) -> Iterator[None]:
    before = getattr(fusion, constant)
    setattr(fusion, constant, value)
    try:
        yield
    finally:
        setattr(fusion, constant, before)
