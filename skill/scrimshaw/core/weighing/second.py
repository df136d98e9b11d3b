"""Weigh a sentence a second time, by what it means: `weigh` knows words, a language model their sense.

English sentences are answered by a reader of their own (index/english); of others the vector of a
multilingual sentence encoder (index/multilingual) comes as whole numbers, whose weights were learned from
the same labelled text: data/second.bin, written by `python -m training.second`. The verdict lies between both
stages, as log-odds: where they disagree, neither is sure.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Sequence
from functools import cache
from operator import mul
from typing import NamedTuple

from scrimshaw import data
from scrimshaw.core.weighing.weigher import ANSWERS, Weight, verdict

NAME = "second"
DIMENSIONS = 512  # of a vector
VECTOR_BITS = 10  # fixed-point bits of a component of a vector of length 1
WEIGHT_BITS = 16
_LEAST = 1e-6  # of a probability, so that it has log-odds


class _Second(NamedTuple):
    columns: tuple[tuple[int, ...], ...]  # one for each answer, a whole number for each dimension
    steps: tuple[int, ...]  # what a unit of a column is worth, in fixed point
    biases: tuple[int, ...]


@cache
def _weights() -> _Second:
    held = zlib.decompress(data.content(f"{NAME}.bin"))
    size = DIMENSIONS * ANSWERS
    if len(held) != size + 8 * ANSWERS:
        raise ValueError(f"{NAME}.bin does not hold what this version reads; train it again")
    whole = struct.unpack(f"<{size}b", held[:size])
    numbers = struct.unpack(f"<{2 * ANSWERS}i", held[size:])
    columns = tuple(whole[at * DIMENSIONS : (at + 1) * DIMENSIONS] for at in range(ANSWERS))
    return _Second(columns, numbers[:ANSWERS], numbers[ANSWERS:])


def scores_of(vector: Sequence[int]) -> list[float]:
    """Return the answers by meaning alone, as log-odds; *vector* has DIMENSIONS whole numbers."""
    if len(vector) != DIMENSIONS:
        raise ValueError(f"a vector of {DIMENSIONS} numbers is needed, not of {len(vector)}")
    held = _weights()
    return [
        ((sum(map(mul, vector, column)) * step >> VECTOR_BITS) + bias) / (1 << WEIGHT_BITS)
        for column, step, bias in zip(held.columns, held.steps, held.biases, strict=True)
    ]


def weigh_again(first: Weight, answers: Sequence[float], share: float = 0.5) -> Weight:
    """Return the verdict of both stages; *first* is `weigh`'s, *share* is how much *answers* count of both.

    *answers* are log-odds, in the order of a Weight's fields. Takes half a millisecond.
    """
    if len(answers) != ANSWERS:
        raise ValueError(f"{ANSWERS} answers are needed, not {len(answers)}")
    odds = [_odds(chance) for chance in first.worth]
    odds += [math.log(max(_LEAST, part)) for part in (*first.places, *first.kinds, *first.owners)]
    odds += map(_odds, (first.needs, first.lasts, first.unclear))
    both = verdict([(1 - share) * one + share * other for one, other in zip(odds, answers, strict=True)])
    # What words know to do harm when it is forgotten no model talks away.
    worth = (*both.worth[:3], max(first.worth[3], both.worth[3]))
    return both._replace(worth=worth, is_read=share > 0.5)


def _odds(chance: float) -> float:
    held = min(1 - _LEAST, max(_LEAST, chance))
    return math.log(held / (1 - held))
