"""Weigh a sentence a second time, by what it means: `weigh` knows words, a sentence embedding their sense.

The vector of a multilingual sentence encoder (index/multilingual) comes as whole numbers. The weights were
learned from the same labelled text, without what the first stage says: data/second.bin, written by
`python -m training.second`. The verdict is the mean of both stages, as log-odds: where they disagree, neither
is sure.
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
    held = _weights()
    return [
        ((sum(map(mul, vector, column)) * step >> VECTOR_BITS) + bias) / (1 << WEIGHT_BITS)
        for column, step, bias in zip(held.columns, held.steps, held.biases, strict=True)
    ]


def weigh_again(first: Weight, vector: Sequence[int]) -> Weight:
    """Return the verdict of both stages; *first* is `weigh`'s. Takes half a millisecond."""
    if len(vector) != DIMENSIONS:
        raise ValueError(f"a vector of {DIMENSIONS} numbers is needed, not of {len(vector)}")
    odds = [_odds(chance) for chance in first.worth]
    odds += [math.log(max(_LEAST, share)) for share in (*first.places, *first.kinds, *first.owners)]
    odds += map(_odds, (first.needs, first.lasts, first.unclear))
    return verdict([(one + other) / 2 for one, other in zip(odds, scores_of(vector), strict=True)])


def _odds(chance: float) -> float:
    held = min(1 - _LEAST, max(_LEAST, chance))
    return math.log(held / (1 - held))
