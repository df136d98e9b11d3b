"""Weigh a sentence a second time, by what it means: `weigh` knows words, a language model their sense.

Its answers come from a model that was taught on the same labelled text (index/taught). The verdict lies
between both stages, as log-odds: where they disagree, neither is sure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from scrimshaw.core.weighing.weigher import ANSWERS, Weight, verdict

_SHARE = 0.75  # of what a model answers, beside what words tell
_LEAST = 1e-6  # of a probability, so that it has log-odds


def weigh_again(first: Weight, answers: Sequence[float]) -> Weight:
    """Return the verdict of both stages; *first* is `weigh`'s.

    *answers* are log-odds, in the order of a Weight's fields. Takes half a millisecond.
    """
    if len(answers) != ANSWERS:
        raise ValueError(f"{ANSWERS} answers are needed, not {len(answers)}")
    odds = [_odds(chance) for chance in first.worth]
    odds += [math.log(max(_LEAST, part)) for part in (*first.places, *first.kinds, *first.owners)]
    odds += map(_odds, (first.needs, first.lasts, first.unclear))
    both = verdict([(1 - _SHARE) * one + _SHARE * other for one, other in zip(odds, answers, strict=True)])
    # What words know to do harm when it is forgotten no model talks away.
    worth = (*both.worth[:3], max(first.worth[3], both.worth[3]))
    return both._replace(worth=worth, is_read=True)


def _odds(chance: float) -> float:
    held = min(1 - _LEAST, max(_LEAST, chance))
    return math.log(held / (1 - held))
