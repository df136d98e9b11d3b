"""What is known, in figures: of one moment, from the lines in force then and their recalls."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from scrimshaw.core.insight.calendar import Calendar, Freshness
from scrimshaw.core.insight.fact_types import FactType
from scrimshaw.core.insight.known import LineInForce
from scrimshaw.core.insight.recalls import NEVER, Recalls
from scrimshaw.core.ledger.lifecycle import day_at

MOST_RECALLED = 5
MIN_CONFIDENCE, STALE_DAYS = 0.5, 30


@dataclass(frozen=True, slots=True)
class Figures:
    """Counts of lines; *avg_confidence* is of the facts, 0 without any."""

    memories: int
    facts: int
    sources: int
    avg_confidence: float
    facts_by_type: Mapping[FactType, int]
    freshness: Mapping[Freshness, int]


class StaleLine(NamedTuple):
    """A fact that may no longer hold."""

    line: LineInForce
    effective_confidence: float
    days: int  # since it was reinforced: said, confirmed, searched for or pinned
    age: int  # days since it was said
    recalls: Recalls


def figures(known: Iterable[LineInForce], today: Calendar) -> Figures:
    """Return what *known* lines come to on a day."""
    types, fresh = Counter[FactType](), Counter[Freshness]()
    sources = set()
    confidences: list[float] = []
    for line in known:
        fresh[today.freshness(line.said_at_ms)] += 1
        if line.is_fact:
            types[line.type] += 1
            confidences.append(line.confidence)
            sources.add(line.source)
    return Figures(
        fresh.total(),
        len(confidences),
        len(sources),
        math.fsum(confidences) / (len(confidences) or 1),
        {type_: types[type_] for type_ in FactType},
        {one: fresh[one] for one in Freshness},
    )


def top_recalled(
    known: Iterable[LineInForce], recalled: Mapping[str, Recalls]
) -> list[tuple[LineInForce, int]]:
    """Return the facts that were recalled most, with their counts; of those alike the one said last first."""
    counted = [(line, recalled[line.id].times) for line in known if line.is_fact and line.id in recalled]
    counted.sort(key=lambda one: (-one[1], -one[0].said_at_ms, one[0].id))
    return counted[:MOST_RECALLED]


def stale(
    known: Iterable[LineInForce],
    recalled: Mapping[str, Recalls],
    today: Calendar,
    *,
    newest_ms: int,
    min_confidence: float = MIN_CONFIDENCE,
    days: int = STALE_DAYS,
) -> list[StaleLine]:
    """Return the facts that may no longer hold, stalest first.

    Those whose effective confidence is below *min_confidence*, and those that nobody said, recalled or was
    shown for more than *days*. Never one that the section rightly keeps however old it is (`LineInForce`);
    and what stands in the section is before the agent's eyes: that nobody searched for it says nothing.
    """
    newest_day = day_at(newest_ms).isoformat()
    found = []
    for line in known:
        if not line.is_fact or line.is_rightly_kept(newest_day):
            continue
        since = today.days_since(line.told_ms)
        sure = line.effective_confidence(since, newest_day)
        of_line = recalled.get(line.id, NEVER)
        is_forgotten = not line.is_shown and since > days
        if is_forgotten and of_line.last_day:
            is_forgotten = (today.day - date.fromisoformat(of_line.last_day)).days > days
        if sure < min_confidence or is_forgotten:
            found.append(StaleLine(line, sure, since, today.days_since(line.said_at_ms), of_line))
    found.sort(key=lambda one: (one.effective_confidence, -one.days, one.line.id))
    return found
