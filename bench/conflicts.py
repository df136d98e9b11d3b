"""Whether lines that contradict each other are found, and others left alone (`python -m bench conflicts`).

Pairs of statements from people's lives, in three languages (bench/conflict_pairs): another value of the same
thing, a change, two things that are alike and both hold, two things of different matter. A pair counts as
found when the second, said a day later, is told to contradict the first. *tuning* is what the rules were
written against; *sealed* was written before them, by the same author; *others* are 300 pairs by somebody who
had not read the rules, sealed before their first run. Of these, every third is never shown.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from collections.abc import Sequence
from datetime import timedelta
from itertools import islice
from typing import NamedTuple

from bench import memories
from bench.material import ROOT
from scrimshaw.core.insight.conflicts import find_conflicts
from scrimshaw.core.insight.contradictions import difference
from scrimshaw.core.ledger.lifecycle import at_birth
from scrimshaw.core.types import Line
from scrimshaw.sources.reading import paused_collector

PAIRS = ROOT / "bench/conflict_pairs"
CONFLICTS = ("value", "update")
SEALED = ("sealed", "others")
_UNSEEN = 3  # every so manieth of the others stays unseen by whoever mends the rules


class Pair(NamedTuple):
    """Two statements, the earlier first, and what they are to each other."""

    label: str
    language: str
    first: str
    second: str

    @property
    def is_conflict(self) -> bool:
        return self.label in CONFLICTS


def pairs_of(name: str) -> list[Pair]:
    """Return the pairs of *name*: "tuning", "sealed" or "others"."""
    text = (PAIRS / f"{name}.txt").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [Pair(*(part.strip() for part in row.split("|"))) for row in rows]


def is_untouched(name: str = "sealed") -> bool:
    """Tell whether the pairs of *name* are those that were sealed."""
    sealed = (PAIRS / f"{name}.sha256").read_text(encoding="utf-8").split()[0]
    return hashlib.sha256((PAIRS / f"{name}.txt").read_bytes()).hexdigest() == sealed


class Measured(NamedTuple):
    """How the pairs came out."""

    right: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float:
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        return self.right / max(1, self.right + self.missed)


def measured(pairs: Sequence[Pair]) -> Measured:
    """Return how many conflicts of *pairs* are found, wrongly found and missed."""
    found = [(pair, difference(pair.first, pair.second) is not None) for pair in pairs]
    return Measured(
        sum(pair.is_conflict and is_found for pair, is_found in found),
        sum(not pair.is_conflict and is_found for pair, is_found in found),
        sum(pair.is_conflict and not is_found for pair, is_found in found),
    )


def lines_of(count: int) -> list[Line]:
    """Return made-up lines, a minute apart, and the tuning pairs among them."""
    pairs = [text for pair in pairs_of("tuning") for text in (pair.first, pair.second)]
    texts = [*islice(memories.texts(count, 3), max(0, count - len(pairs))), *pairs]
    return [
        Line(observation, at_birth(observation))
        for observation in (
            memories.observation(at, text, memories.BEGINS + timedelta(minutes=at))
            for at, text in enumerate(texts)
        )
    ]


def main(arguments: Sequence[str]) -> int:
    """Print precision and recall of both sets."""
    parser = argparse.ArgumentParser(prog="python -m bench conflicts", description=__doc__)
    parser.add_argument("--wrong", action="store_true", help="show the pairs that came out wrong")
    parser.add_argument(
        "--lines", type=int, nargs="*", default=(10_000,), metavar="N", help="sizes of ledgers to time"
    )
    chosen = parser.parse_args(arguments)
    for name in ("tuning", *SEALED):
        pairs = pairs_of(name)
        for language in ("all", "en", "de", "es"):
            some = [pair for pair in pairs if language in ("all", pair.language)]
            got = measured(some)
            told = f"precision {got.precision:.2f}  recall {got.recall:.2f}"
            print(f"{name:7} {language:4} {len(some):4} pairs  {told}")
    print("sealed pairs untouched:", "yes" if all(map(is_untouched, SEALED)) else "NO")
    for size in chosen.lines:
        lines = lines_of(size)
        began, worked = time.perf_counter(), time.process_time()
        with paused_collector():  # as the command does
            found = len(find_conflicts(lines))
        wall, cpu = time.perf_counter() - began, time.process_time() - worked
        print(f"{size:,} lines: {found} conflicts in {wall:.1f} s ({cpu:.1f} s of the processor)")
    if chosen.wrong:
        seen = [pair for at, pair in enumerate(pairs_of("others")) if at % _UNSEEN]
        for pair in (*pairs_of("tuning"), *seen):
            how = difference(pair.first, pair.second)
            if (how is not None) is not pair.is_conflict:
                print(f"{how or '-':8} {pair.label:7} {pair.first} | {pair.second}")
    return 0
