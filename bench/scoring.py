"""How well a ranking finds what was asked for: any@k, recall@k, NDCG@k, MRR, LongMemEval's own measures.

A ranking is a list of places, best first; gold the set of right ones. At session level a session stands
where the first of its texts stands. LongMemEval's `ndcg_any` leaves ranks 1 and 2 both undiscounted, as its
own evaluation does.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence, Set

Measure = Callable[[Sequence[object], Set[object], int], float]


def any_at(ranking: Sequence[object], gold: Set[object], k: int) -> float:
    """Return 1.0 when any right one is among the first *k*."""
    return float(any(one in gold for one in ranking[:k]))


def all_at(ranking: Sequence[object], gold: Set[object], k: int) -> float:
    """Return 1.0 when every right one is among the first *k*."""
    return float(gold <= set(ranking[:k]))


def recall_at(ranking: Sequence[object], gold: Set[object], k: int) -> float:
    """Return the share of the right ones among the first *k*."""
    return len(gold & set(ranking[:k])) / len(gold)


def ndcg_at(ranking: Sequence[object], gold: Set[object], k: int) -> float:
    """Return the discounted gain of the first *k* over the best possible one."""
    gain = sum(1 / math.log2(at + 2) for at, one in enumerate(ranking[:k]) if one in gold)
    return gain / sum(1 / math.log2(at + 2) for at in range(min(k, len(gold))))


def longmemeval_ndcg_at(ranking: Sequence[object], gold: Set[object], k: int) -> float:
    """Return the same as LongMemEval counts it."""

    def discounted(at: int) -> float:
        return 1.0 if at == 0 else 1 / math.log2(at + 1)

    gain = sum(discounted(at) for at, one in enumerate(ranking[:k]) if one in gold)
    return gain / sum(discounted(at) for at in range(min(k, len(gold))))


def reciprocal_rank(ranking: Sequence[object], gold: Set[object]) -> float:
    """Return 1 / the rank of the first right one, 0 when there is none."""
    return next((1 / rank for rank, one in enumerate(ranking, 1) if one in gold), 0.0)


def by_session(ranking: Sequence[int], sessions: Sequence[str]) -> list[str]:
    """Return the sessions of a ranking of texts, each where its first text stands."""
    return list(dict.fromkeys(sessions[place] for place in ranking))


def interval(values: Sequence[float], seed: int) -> tuple[float, float]:
    """Return the 95 % interval of the mean by bootstrap."""
    lot = random.Random(seed)
    means = sorted(sum(lot.choices(values, k=len(values))) / len(values) for _ in range(1000))
    return means[25], means[-26]
