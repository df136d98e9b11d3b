"""How sure a fact still is: its confidence, faded by how long nobody said it again.

    effective confidence = confidence × exp(−rate × days since reinforced),   rate = ln 2 / half-life

| type | half-life in days | why |
|---|---|---|
| identity | 3,650 | who somebody is hardly changes |
| relationship | 1,825 | people stay close for years; jobs and friends change sooner than kin |
| preference | 730 | taste lasts, and is mostly said again when it changes |
| location | 730 | people move every few years, things more often |
| decision | 365 | holds until another one, but what it was made for passes |
| kv | 365 | a setting, a price, an address: right until somebody changes it without a word |
| state | 90 | how things stand changes within a season; the half-life by which the section ranks |
| temporal | 15 | what was bound to a time has mostly passed: an open item waits fourteen days |

A line's clock is the section's (core/section/rank): said again, confirmed, searched for or pinned it is young
again; and what holds for life there (the person's own and pinned lines, open items, wishes, harm if it were
forgotten, what matters much and stands) does not fade here. Confirming adds to the confidence itself, at most
up to 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from scrimshaw.core.insight.fact_types import FactType
from scrimshaw.core.section.rank import HALF_LIFE_DAYS

HALF_LIVES: Mapping[FactType, int] = {
    FactType.IDENTITY: 3650,
    FactType.RELATIONSHIP: 1825,
    FactType.PREFERENCE: 730,
    FactType.LOCATION: 730,
    FactType.DECISION: 365,
    FactType.KV: 365,
    FactType.STATE: HALF_LIFE_DAYS,
    FactType.TEMPORAL: 15,
}
RATES: Mapping[FactType, float] = {type_: math.log(2) / days for type_, days in HALF_LIVES.items()}  # a day


def faded(confidence: float, rate: float, days: int) -> float:
    """Return what is left of *confidence* after *days*."""
    return confidence * math.exp(-rate * max(0, days))
