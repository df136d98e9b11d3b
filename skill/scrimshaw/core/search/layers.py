"""One order for what two layers brought: the working layer's memories and the ledger's lines.

A hit's match is 0..1 in either layer (core/search/fusion). It is weighed by importance; a memory is lifted by
how lately it was used and how often. Two texts of one owner that say the same stand once, with the higher
score. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from scrimshaw.core.text.normalize import marks, normal
from scrimshaw.core.text.signs import signs

SAME = 0.95  # the cosine above which two texts say the same
_IMPORTANCE_SHARE = 0.2  # of a score; the rest is the match alone
_LIFT = 0.15  # of what is missing to a full score, for a memory of this moment
_HALF_LIFE_DAYS = 3.5
_USES = 5


class LayerName(StrEnum):
    """Where something was found."""

    WORKING = "working"
    EPISODIC = "episodic"


BOTH_LAYERS = (LayerName.WORKING, LayerName.EPISODIC)


class LayerCandidate(NamedTuple):
    """What one layer brought."""

    key: int  # within its layer
    layer: LayerName
    score: float  # 0..1
    text: str
    owner_id: str = ""  # whom a program keeps it of


Likeness = Callable[[LayerCandidate, LayerCandidate], float | None]


def line_score(match: float, importance: float) -> float:
    """Return the score of a line of the ledger."""
    return match * (1 - _IMPORTANCE_SHARE * (1 - importance))


def memory_score(match: float, importance: float, *, unused_days: float, access_count: int) -> float:
    """Return the score of a memory that was last used so many days ago."""
    weighed = line_score(match, importance)
    recency = float(0.5 ** (max(0.0, unused_days) / _HALF_LIFE_DAYS))
    use = access_count / (access_count + _USES)
    return weighed + (1 - weighed) * match * _LIFT * (0.8 * recency + 0.2 * use)


def merged(
    candidates: Sequence[LayerCandidate],
    most: int,
    likeness: Likeness | None = None,
) -> list[LayerCandidate]:
    """Return the best *most* of *candidates*, best first, what says the same once.

    *likeness* is the cosine of two of them where it is known, None where none is.
    """
    kept: list[_Compared] = []
    for candidate in sorted(candidates, key=lambda c: (-c.score, c.layer is not LayerName.WORKING, -c.key)):
        if len(kept) == most:
            break
        one = _Compared(candidate, normal(candidate.text))
        if not any(_is_again(one, other, likeness) for other in kept):
            kept.append(one)
    return [one.candidate for one in kept]


@dataclass
class _Compared:
    """A candidate with what others are held against, made once."""

    candidate: LayerCandidate
    plain: str

    @cached_property
    def figures(self) -> tuple[str, ...]:
        return marks(self.candidate.text, self.plain)

    @cached_property
    def signs(self) -> tuple[str, ...]:
        return signs(self.candidate.text)


def _is_again(
    one: _Compared,
    other: _Compared,
    likeness: Likeness | None,
) -> bool:
    if one.candidate.layer is other.candidate.layer is LayerName.EPISODIC:
        return False  # the ledger has settled that of its lines
    if one.candidate.owner_id != other.candidate.owner_id:
        return False  # who may see the one need not see the other
    if one.plain == other.plain:
        return one.signs == other.signs
    if likeness is None or one.figures != other.figures or one.signs != other.signs:
        return False
    cosine = likeness(one.candidate, other.candidate)
    return cosine is not None and cosine > SAME


def has_same_figures(text: str, other: str) -> bool:
    """Tell whether two texts have the same figures, names and symbols, and deny as often."""
    return marks(text, normal(text)) == marks(other, normal(other)) and signs(text) == signs(other)
