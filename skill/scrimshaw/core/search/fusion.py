"""How hits are put in order: by words, by meaning, and by both.

A score of words (index/words: the share of the question's weight that a line holds) and a cosine have no
common scale, so two lists are fused by how well each line matches, on scales of their own, and to a quarter
by their ranks (reciprocal rank fusion). RANK_CONSTANT is small: with the usual 60 a line that both lists
have at 30 beats the first of either. More by rank finds as much in conversations, and lets a chance word
pass what was asked for in other words. Ranks alone would call the best of nothing a perfect hit; the matches
make a score mean something, so that a least score can be asked for. What was noted one after the other
speaks of one thing, so each hit lends a little to its neighbours among the hits. Each constant was looked at
on four kinds of sets; their neighbours differ by less than the interval (docs/benchmarks.md). Recency and
importance only decide between equals. A line that was replaced falls to half its score. Pure: same input,
same order.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

RANK_CONSTANT = 3
RANK_SHARE = 0.25  # of a fused score; the rest is how well the line matches
WORDS_SHARE = 0.45  # of the match; the rest is the meaning's
# The cosines between which a small English sentence model lies: of unrelated texts, and of the same text.
COSINE_FLOOR, COSINE_TOP = 0.4, 0.9
# What brings a cosine of the multilingual model to that scale: so unrelated texts and answers lie alike.
MULTILINGUAL_ZERO, MULTILINGUAL_SLOPE = 0.335, 0.74
NEIGHBOUR_SHARE = 0.2  # of a hit's score, lent to the ones noted just before and after it, if they are hits
TIE_SHARE = 0.005  # the most that recency and importance together add to a score of 0..1
REPLACED_SHARE = 0.5
_HALF_LIFE_DAYS = 90


class Scored(NamedTuple):
    """A document's key and how well it matches; higher is better, comparable within one list only."""

    key: int
    score: float


class Ranked(NamedTuple):
    """A document in the fused order. *score* is 0..1; *lexical*, *semantic*: of its list, None if in none."""

    key: int
    score: float
    lexical: float | None = None
    semantic: float | None = None
    is_foreign: bool = False  # *semantic* is of the multilingual model, on the scale of the English one


def fuse(
    lexical: Sequence[tuple[int, float]], semantic: Sequence[tuple[int, float]], most: int | None = None
) -> list[Ranked]:
    """Return the best *most* (None: all) of two lists of keys and scores, each best first, in one order.

    Keys of neighbours follow each other.
    """
    words, meanings = dict(lexical), dict(semantic)
    scores = _both(words, meanings) if words and meanings else _alone(words or meanings, is_cosine=not words)
    lifted = _lifted(scores)
    # A line with every word more than once scores above 1: shown as 1, ranked by the full score.
    order = sorted(zip(lifted.values(), scores.values(), scores, strict=True), reverse=True)
    return [Ranked(key, score, words.get(key), meanings.get(key)) for score, _, key in order[:most]]


def _alone(found: Mapping[int, float], *, is_cosine: bool) -> dict[int, float]:
    return {key: likeness(score) if is_cosine else score for key, score in found.items()}


def _both(words: Mapping[int, float], meanings: Mapping[int, float]) -> dict[int, float]:
    scores = dict.fromkeys([*words, *meanings], 0.0)
    matches = (1 - RANK_SHARE) * WORDS_SHARE, (1 - RANK_SHARE) * (1 - WORDS_SHARE)
    for rank, (key, score) in enumerate(words.items()):
        scores[key] = matches[0] * min(1.0, score) + _by_rank(rank)
    for rank, (key, cosine) in enumerate(meanings.items()):
        scores[key] += matches[1] * likeness(cosine) + _by_rank(rank)
    return scores


def _by_rank(rank: int) -> float:
    return RANK_SHARE * 0.5 * RANK_CONSTANT / (RANK_CONSTANT + rank)


def _lifted(scores: Mapping[int, float]) -> dict[int, float]:
    """Return *scores* with what neighbours lend: as if each said by itself that this is meant.

    Only what a neighbour has above the middle of the hits: any two texts are a little alike.
    """
    held = {key: min(1.0, score) for key, score in scores.items()}
    middle = sorted(held.values())[len(held) // 2] if held else 0.0
    share = NEIGHBOUR_SHARE / (1 - middle) if middle < 1 else 0.0
    lent = {key: 1 - share * (score - middle) for key, score in held.items() if score > middle}
    left = lent.get  # what a neighbour leaves of the doubt; all of it where there is none
    return {key: 1 - (1 - score) * left(key - 1, 1.0) * left(key + 1, 1.0) for key, score in held.items()}


def settle(
    ranked: Sequence[Ranked], *, ties: Mapping[int, float], replaced: Collection[int] = ()
) -> list[Ranked]:
    """Return *ranked* in the order that standing gives them; *ties* are 0..1 by key (`tie_breaker`)."""
    settled = []
    for one in ranked:
        score = (one.score + TIE_SHARE * ties.get(one.key, 0.0)) / (1 + TIE_SHARE)
        settled.append(one._replace(score=score * REPLACED_SHARE if one.key in replaced else score))
    return sorted(settled, key=lambda one: -one.score)  # equals stay as they are


def tie_breaker(*, age_days: float, priority: int, is_pinned: bool = False) -> float:
    """Return 0..1 for what decides between equals: how new (half after 90 days), how important (1..5)."""
    recency = float(0.5 ** (max(0.0, age_days) / _HALF_LIFE_DAYS))
    importance = 1.0 if is_pinned else (priority - 1) / 4
    return 0.6 * recency + 0.4 * importance


def likeness(cosine: float) -> float:
    """Return how alike two texts of this cosine are, 0..1."""
    return min(1.0, max(0.0, (cosine - COSINE_FLOOR) / (COSINE_TOP - COSINE_FLOOR)))


def levelled(cosine: float) -> float:
    """Return what a *cosine* of the multilingual model is on the scale of the English one."""
    return MULTILINGUAL_ZERO + MULTILINGUAL_SLOPE * cosine
