"""Of which of eight types a fact is: what decides how fast it fades.

| type | what |
|---|---|
| decision | of kind decision |
| preference | of kind preference |
| temporal | bound to a time: a next step, an open item, or a line of the log that names a date |
| relationship | a fact that names somebody close: kin, friends, colleagues, pets (data/fact_types.txt) |
| identity | a fact about who somebody is: name, birth, origin, what they cannot eat |
| location | a fact that says where somebody or something is |
| kv | a fact that gives something a value: a claim, or a number, path or address in it |
| state | how things stand: every other fact, an issue, an outcome |

The first that fits is taken, in this order. Pure, and quick: a hundred thousand lines are looked at.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache

from scrimshaw.core.language import PatternTable
from scrimshaw.core.types import Author, Kind, Line, Place


class FactType(StrEnum):
    """What a fact is about."""

    KV = "kv"
    RELATIONSHIP = "relationship"
    PREFERENCE = "preference"
    TEMPORAL = "temporal"
    IDENTITY = "identity"
    DECISION = "decision"
    LOCATION = "location"
    STATE = "state"


_BY_KIND = {Kind.DECISION: FactType.DECISION, Kind.PREFERENCE: FactType.PREFERENCE}
_BY_WORD = (FactType.RELATIONSHIP, FactType.IDENTITY, FactType.LOCATION)
_ROUND_WORDS = dict.fromkeys(map(ord, '.,;:!?()[]"“”„«»'), " ") | {ord("’"): " ", ord("'"): " "}
_VALUE = re.compile(r"\d|`[^`]+`|https?://|\w/\w|\w@\w")


def is_fact(line: Line) -> bool:
    """Tell whether somebody stands behind *line*, a memory: it was checked, or is the person's."""
    observation, standing = line
    return not observation.level and (observation.author is not Author.PROGRAM or standing.is_pinned)


def type_of(line: Line) -> FactType:
    """Return of which type *line* is."""
    observation, standing = line
    return fact_type(
        observation.kind,
        standing.place,
        observation.text,
        is_dated=observation.refers_to is not None,
        has_claim=observation.claim is not None,
    )


def fact_type(kind: Kind, place: Place, text: str, *, is_dated: bool, has_claim: bool) -> FactType:
    """Return of which type a line is of which no more is known."""
    if by_kind := _BY_KIND.get(kind):
        return by_kind
    if place is Place.OPEN or kind is Kind.NEXT_STEP or (is_dated and place is not Place.STANDING):
        return FactType.TEMPORAL
    if kind is not Kind.FACT:
        return FactType.STATE
    words = text.lower().translate(_ROUND_WORDS).split()
    for type_ in _BY_WORD:
        if not _words_of(type_).isdisjoint(words):
            return type_
    return FactType.KV if has_claim or _VALUE.search(text) else FactType.STATE


@cache
def _words_of(type_: FactType) -> frozenset[str]:
    return PatternTable("fact_types").words(type_.value)
