"""Load the weights and compute the verdict on a sentence.

The file holds a row of small integers for each bucket, then, for each answer, the factors that mix the
columns (training/train.py writes it). The rows of a sentence's buckets are added as one large integer that
has a field of 24 bits for each column: one addition adds all columns at once, and there is no rounding.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Sequence
from enum import StrEnum
from functools import cache, lru_cache
from typing import NamedTuple

from scrimshaw import data
from scrimshaw.core.types import Kind, Place
from scrimshaw.core.weighing.features import (
    BUCKETS,
    Form,
    Sentence,
    buckets_of,
    edges_of,
    form_of,
    pair_of,
    parts_of,
    tokens,
)

NAME = "weigher"
RANK = 10  # columns of a row
SPREAD = 3.0  # the sum of a sentence's rows is divided by the root of their number and multiplied by this
KINDS = (Kind.FACT, Kind.PREFERENCE, Kind.DECISION, Kind.NEXT_STEP, Kind.OUTCOME, Kind.ISSUE)
PLACES = (Place.STANDING, Place.OPEN, Place.LOG)
_WORTHS = 4  # answers: worth at least 2, 3, 4, 5
_FIELD_BYTES = 3
_BIAS = 128
_TOGETHER = 0.5  # weight of how well a kind and a place go together; chosen on files not trained on
_ANSWER_BITS = 64
_ZERO = 1 << 63  # added to each field, so that a negative number does not borrow from the next field
SCALE_BITS, MIX_BITS = 12, 20  # fixed-point bits: of a sentence's scale, and of the mixing factors


class Owner(StrEnum):
    """Whose statement a sentence is."""

    OWN = "own"
    ANOTHERS = "another's"
    NOBODYS = "nobody's"  # quoted, drafted for somebody else, or hypothetical


OWNERS = tuple(Owner)
_PLACES_AT = _WORTHS
_KINDS_AT = _PLACES_AT + len(PLACES)
_OWNERS_AT = _KINDS_AT + len(KINDS)
_ALONE_AT = _OWNERS_AT + len(OWNERS)
ANSWERS = _ALONE_AT + 3


class Weight(NamedTuple):
    """The verdict on a sentence; all probabilities are 0 to 1."""

    worth: tuple[float, float, float, float]  # that it is worth at least 2, 3, 4, 5 (training/README.md)
    place: Place
    kind: Kind
    places: tuple[float, ...]  # one for each of PLACES
    kinds: tuple[float, ...]  # one for each of KINDS
    owners: tuple[float, ...]  # one for each of OWNERS
    needs: float  # that it cannot be understood without what was said before it
    lasts: float  # that one would still rely on it a year later
    unclear: float  # that it would tell too little in a list, to one who knows the person's circle

    @property
    def owner(self) -> Owner:
        """The most likely owner."""
        return OWNERS[max(range(len(OWNERS)), key=self.owners.__getitem__)]

    @property
    def value(self) -> float:
        """Return its worth on a scale from 0 to 1."""
        return (self.worth[0] + 2 * self.worth[1] + 2 * self.worth[2] + self.worth[3]) / 6


class _Weights(NamedTuple):
    rows: bytes
    together: tuple[
        float, ...
    ]  # kinds first: log of how much more often than by chance a kind goes with a place
    mix: tuple[int, ...]  # for each column, what it adds to each answer; _ANSWER_BITS a field
    bias: int  # of all answers, in the same fields, each above zero


@cache
def _weights() -> _Weights:
    held = zlib.decompress(data.content(f"{NAME}.bin"))
    rows, rest = held[: BUCKETS * RANK], held[BUCKETS * RANK :]
    count = ANSWERS * (RANK + 1)
    if len(rest) != 4 * (count + len(KINDS) * len(PLACES)):
        raise ValueError(f"{NAME}.bin does not hold what this version reads; train it again")
    numbers = struct.unpack(f"<{len(rest) // 4}i", rest)
    mix = tuple(_fields(numbers[column : ANSWERS * RANK : RANK]) for column in range(RANK))
    bias = _fields([_ZERO + (number << SCALE_BITS) for number in numbers[ANSWERS * RANK : count]])
    return _Weights(rows, tuple(number / (1 << MIX_BITS) for number in numbers[count:]), mix, bias)


def _fields(numbers: Sequence[int]) -> int:
    return sum(number << (_ANSWER_BITS * at) for at, number in enumerate(numbers))


@lru_cache(maxsize=BUCKETS)
def _row(bucket: int) -> int:
    spread = bytearray(_FIELD_BYTES * RANK)
    spread[::_FIELD_BYTES] = _weights().rows[bucket * RANK : (bucket + 1) * RANK]
    return int.from_bytes(spread, "little")


@lru_cache(maxsize=1 << 14)
def _of_token(token: str) -> tuple[int, int]:
    found = parts_of(token)
    return sum(map(_row, found)), len(found)


@lru_cache(maxsize=1 << 12)
def _of_form(form: Form) -> tuple[int, int]:
    found = buckets_of(form)
    return sum(map(_row, found)), len(found)


@lru_cache(maxsize=4096)
def weigh(sentence: Sentence) -> Weight:
    """Return the verdict on *sentence*; takes about 50 µs."""
    said = tokens(sentence.text)
    total, count = _of_form(form_of(sentence))
    for token in said:
        added, features = _of_token(token)
        total += added
        count += features
    beside = [*edges_of(said), *map(pair_of, said, said[1:])]
    total += sum(map(_row, beside))
    count += len(beside)
    scale = round((1 << SCALE_BITS) * SPREAD / math.sqrt(count))
    columns = total.to_bytes(_FIELD_BYTES * RANK, "little")
    mixed = _weights().bias
    for at, mix in enumerate(_weights().mix):
        start = at * _FIELD_BYTES
        column = int.from_bytes(columns[start : start + _FIELD_BYTES], "little") - _BIAS * count
        mixed += column * scale * mix
    fields = struct.unpack(f"<{ANSWERS}Q", mixed.to_bytes(ANSWERS * _ANSWER_BITS // 8, "little"))
    return verdict([(field - _ZERO) / (1 << (SCALE_BITS + MIX_BITS)) for field in fields])


def verdict(answers: Sequence[float]) -> Weight:
    """Return what *answers*, log-odds, say, in the order of a Weight's fields."""
    places = answers[_PLACES_AT:_KINDS_AT]
    kinds = answers[_KINDS_AT:_OWNERS_AT]
    w2, w3, w4, w5 = map(_chance, answers[:_WORTHS])
    kind, place = _pair(kinds, places)
    return Weight(
        (w2, w3, w4, w5),
        place,
        kind,
        _shares(places),
        _shares(kinds),
        _shares(answers[_OWNERS_AT:_ALONE_AT]),
        *map(_chance, answers[_ALONE_AT:]),
    )


def _pair(kinds: Sequence[float], places: Sequence[float]) -> tuple[Kind, Place]:
    """Return the most likely pair of kind and place, which need not hold the most likely of each."""
    together = _weights().together
    every = [
        kind + place + _TOGETHER * together[at * len(places) + where]
        for at, kind in enumerate(kinds)
        for where, place in enumerate(places)
    ]
    best = every.index(max(every))
    return KINDS[best // len(places)], PLACES[best % len(places)]


def _chance(score: float) -> float:
    return round(1 / (1 + math.exp(-max(-30.0, min(30.0, score)))), 6)


def _shares(scores: Sequence[float]) -> tuple[float, ...]:
    most = max(scores)
    powers = [math.exp(score - most) for score in scores]
    whole = sum(powers)
    return tuple(round(power / whole, 6) for power in powers)
