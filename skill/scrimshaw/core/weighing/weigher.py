"""Load the weights and compute the verdict on a sentence.

The file holds a row of small integers for each bucket that tells most, then, for each answer, the factors
that mix the columns, what it starts from, and what the form of a sentence adds (training/train.py writes it).
The rows of a sentence's buckets are added as one large integer that has a field of 24 bits for each column:
one addition adds all columns at once, and there is no rounding.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Sequence
from enum import StrEnum
from functools import cache, lru_cache
from itertools import accumulate
from typing import NamedTuple

from scrimshaw import data
from scrimshaw.core.types import Kind, Place
from scrimshaw.core.weighing.features import (
    FORMS,
    Form,
    Sentence,
    buckets_of,
    edges_of,
    form_of,
    forms_of,
    pairs_of,
    parts_of,
    tokens,
)

NAME = "weigher"
RANK = 10  # columns of a row
ROWS = 50_000  # how many buckets have one; the others add nothing
FAR = 255  # a gap between two bucket numbers, one byte each, that goes on in the next byte
SPREAD = 3.0  # the sum of a sentence's rows is divided by the root of their number and multiplied by this
KINDS = (Kind.FACT, Kind.PREFERENCE, Kind.DECISION, Kind.NEXT_STEP, Kind.OUTCOME, Kind.ISSUE)
PLACES = (Place.STANDING, Place.OPEN, Place.LOG)
_WORTHS = 4  # answers: worth at least 2, 3, 4, 5
_FIELD_BYTES = 3
_BIAS = 128
_TOGETHER = 0.5  # weight of how well a kind and a place go together; chosen on files not trained on
_ANSWER_BITS = 64
_EXACT = 1e6  # parts in which probabilities are told, the same on every machine
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
    is_read: bool = False  # mostly by a model that knows the language, not by its words alone

    @property
    def owner(self) -> Owner:
        """The most likely owner."""
        return OWNERS[max(range(len(OWNERS)), key=self.owners.__getitem__)]

    @property
    def stands(self) -> float:
        """How surely it holds until it is replaced: what two labels told, each of it in its own way."""
        return (self.lasts + self.places[PLACES.index(Place.STANDING)]) / 2

    @property
    def value(self) -> float:
        """Return its worth on a scale from 0 to 1."""
        return (self.worth[0] + 2 * self.worth[1] + 2 * self.worth[2] + self.worth[3]) / 6


class _Weights(NamedTuple):
    where: dict[int, int]  # of a bucket, which row is its own
    rows: bytes
    together: tuple[
        float, ...
    ]  # kinds first: log of how much more often than by chance a kind goes with a place
    mix: tuple[int, ...]  # for each column, what it adds to each answer; _ANSWER_BITS a field
    bias: int  # of all answers, in the same fields, each above zero
    forms: tuple[int, ...]  # what each of FORMS adds to all answers, in the same fields


@cache
def _weights() -> _Weights:
    held = zlib.decompress(data.content(f"{NAME}.bin"))
    count = ANSWERS * (RANK + 1 + FORMS)
    tail = 4 * (count + len(KINDS) * len(PLACES))
    gaps, rows = held[: -ROWS * RANK - tail], held[-ROWS * RANK - tail : -tail]
    numbers_of = zip(accumulate(gaps), gaps, strict=True)
    where = {bucket: at for at, bucket in enumerate(bucket for bucket, gap in numbers_of if gap != FAR)}
    if len(where) != ROWS:
        raise ValueError(f"{NAME}.bin does not hold what this version reads; train it again")
    numbers = struct.unpack(f"<{tail // 4}i", held[-tail:])
    mix = tuple(_fields(numbers[column : ANSWERS * RANK : RANK]) for column in range(RANK))
    added = [numbers[at : at + ANSWERS] for at in range(ANSWERS * RANK, count, ANSWERS)]
    bias, *forms = [_fields([number << SCALE_BITS for number in one]) for one in added]
    together = tuple(number / (1 << MIX_BITS) for number in numbers[count:])
    return _Weights(where, rows, together, mix, bias + _fields([_ZERO] * ANSWERS), tuple(forms))


def _fields(numbers: Sequence[int]) -> int:
    return sum(number << (_ANSWER_BITS * at) for at, number in enumerate(numbers))


def _spread(row: bytes) -> int:
    spread = bytearray(_FIELD_BYTES * RANK)
    spread[::_FIELD_BYTES] = row
    return int.from_bytes(spread, "little")


_NOTHING = _spread(bytes([_BIAS] * RANK))


@lru_cache(maxsize=ROWS)
def _row_at(at: int) -> int:
    return _spread(_weights().rows[at * RANK : (at + 1) * RANK])


def _sum_of(found: Sequence[int]) -> int:
    """Return the sum of the rows of the buckets *found*."""
    where = _weights().where
    rows = [where[bucket] for bucket in found if bucket in where]
    return sum(map(_row_at, rows)) + (len(found) - len(rows)) * _NOTHING


@lru_cache(maxsize=1 << 14)
def _of_token(token: str) -> tuple[int, int]:
    found = parts_of(token)
    return _sum_of(found), len(found)


@lru_cache(maxsize=1 << 12)
def _of_form(form: Form) -> tuple[int, int, int]:
    found = buckets_of(form)
    weights = _weights()
    added = weights.bias + sum([weights.forms[at] for at in forms_of(form)])
    return _sum_of(found), len(found), added


@lru_cache(maxsize=4096)
def weigh(sentence: Sentence) -> Weight:
    """Return the verdict on *sentence*; takes about 50 µs."""
    said = tokens(sentence.text)
    total, count, mixed = _of_form(form_of(sentence))
    for token in said:
        added, features = _of_token(token)
        total += added
        count += features
    beside = [*edges_of(said), *pairs_of(said)]
    total += _sum_of(beside)
    count += len(beside)
    scale = round((1 << SCALE_BITS) * SPREAD / math.sqrt(count))
    columns = total.to_bytes(_FIELD_BYTES * RANK, "little")
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
    needs, lasts, unclear = map(_chance, answers[_ALONE_AT:])
    kind, place = _pair(kinds, places)
    return Weight(
        (w2, w3, w4, w5),
        place,
        kind,
        _shares(places),
        _shares(kinds),
        _shares(answers[_OWNERS_AT:_ALONE_AT]),
        needs,
        lasts,
        unclear,
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
    return int(_EXACT / (1 + math.exp(-max(-30.0, min(30.0, score)))) + 0.5) / _EXACT


def _shares(scores: Sequence[float]) -> tuple[float, ...]:
    most = max(scores)
    powers = [math.exp(score - most) for score in scores]
    whole = sum(powers)
    return tuple([int(_EXACT * power / whole + 0.5) / _EXACT for power in powers])
