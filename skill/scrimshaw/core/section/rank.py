"""What a line is worth to the section: how much it matters, and how young it is.

Age lowers a line's rank and never makes it worthless: what it loses it loses to something better. What holds
for life does not age (who somebody is, wishes, the harm if it were forgotten), a decision in force and a
small standing fact age slowly; what was done, expired or has passed sinks first. Being said again, searched
for or pinned makes a line young. Age is counted up to the newest word of all lines, so that no clock comes
in: an agent that was silent for a year remembers what it did (rule 1). Pure.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import date

from scrimshaw.core.ledger.lifecycle import confidence_of, day_at
from scrimshaw.core.types import Author, Kind, Line, Observation, Place

HALF_LIFE_DAYS = 90
WORTH = {1: 0.4, 2: 0.6, 3: 1.0, 4: 1.3, 5: 1.7}
# An observer's salience tells lines apart better than priority does: measured on long conversations, a flat
# sum lost a sixth of what a section of 9,000 units retains.
SALIENCE_POWER = 2.5
# What is left of the worth of a line that ages as usual, however old it is: of two that matter alike the
# younger stands, and a price of today does not push out what mattered much a year ago. With a half, sections
# of 4,500 units over months of conversation kept a tenth less of what was asked of them, with a tenth 40 %.
LEAST_YOUTH = 0.7
# A line that several were merged into is longer than each of them, and worth what they were: by its length
# alone it would lose its place to one of them. Like the cost of length (select's COST_POWER).
MERGED_POWER = 0.5
_FOR_LIFE, _SLOWLY, _USUALLY, _SOON = 0.0, 0.25, 1.0, 2.0  # powers of it: how fast a line ages
_LASTING_PRIORITY, _VITAL_PRIORITY = 4, 5
_DAY_MS = 86_400_000


def is_own(line: Line) -> bool:
    """Tell whether *line* comes before all others: a person's, or pinned by one."""
    return line.observation.author is Author.PERSON or line.standing.is_pinned


def last_told_ms(line: Line) -> int:
    """Return when *line* was last said, searched for or pinned."""
    return max(line.observation.said_at_ms, line.standing.renewed_at_ms)


def newest_ms(lines: Iterable[Line]) -> int:
    """Return the newest moment that *lines* know of, 0 for none."""
    return max(map(last_told_ms, lines), default=0)


def does_harm(line: Line, now_ms: int) -> bool:
    """Tell whether harm is done when *line* is forgotten; what was decided, or is over, is no such thing."""
    observation, standing = line
    is_over = standing.is_expired or observation.done or _has_passed(line, now_ms)
    is_act = observation.kind in (Kind.DECISION, Kind.OUTCOME)
    return observation.priority >= _VITAL_PRIORITY and not (is_over or is_act)


def holds_for_life(line: Line, now_ms: int) -> bool:
    """Tell whether no age makes *line* worth less."""
    return _pace(line, now_ms) == _FOR_LIFE


def worth(line: Line, now_ms: int, half_life_days: int = HALF_LIFE_DAYS) -> float:
    """Return what *line* is worth at *now_ms*, its length left aside."""
    observation, standing = line
    mattering: float = WORTH[min(5, max(1, observation.priority))] * observation.salience**SALIENCE_POWER
    mattering *= 0.5 + 0.5 * confidence_of(line)
    mattering *= 1 + 0.1 * min(3, standing.reinforced + standing.recalled)
    mattering *= _stands_for(observation) ** MERGED_POWER
    pace = _pace(line, now_ms)
    if pace == _FOR_LIFE:
        return mattering
    age = max(0.0, (now_ms - last_told_ms(line)) / _DAY_MS / half_life_days)
    return mattering * math.pow(LEAST_YOUTH + (1 - LEAST_YOUTH) * math.pow(0.5, age), pace)


def _stands_for(observation: Observation) -> int:
    """Return how many lines were merged into one; a pattern stands beside the lines that it rests on."""
    return 1 if observation.level else max(1, len(observation.supports))


def pace(kind: Kind, priority: int, place: Place, *, is_kept: bool, is_over: bool, has_passed: bool) -> float:
    """Return how fast a line ages, 0 for never.

    *is_kept*: it is the person's own, or an open item, which its day closes and not its age; *is_over*: it
    was done, or has expired; *has_passed*: a day to come that it spoke of has.
    """
    if is_kept:
        return _FOR_LIFE
    if is_over:
        return _SOON
    if has_passed or kind is Kind.OUTCOME:
        return _USUALLY
    if priority >= _VITAL_PRIORITY and kind is not Kind.DECISION:
        return _FOR_LIFE
    if place is Place.LOG:
        return _USUALLY
    if kind is Kind.DECISION:
        return _SLOWLY
    return _FOR_LIFE if kind is Kind.PREFERENCE or priority >= _LASTING_PRIORITY else _SLOWLY


def _pace(line: Line, now_ms: int) -> float:
    observation, standing = line
    is_waiting = standing.place is Place.OPEN and not standing.is_expired
    return pace(
        observation.kind,
        observation.priority,
        standing.place,
        is_kept=is_waiting or is_own(line),
        is_over=standing.is_expired or observation.done,
        has_passed=_has_passed(line, now_ms),
    )


def _has_passed(line: Line, now_ms: int) -> bool:
    """Tell whether *line* spoke of a day to come that has passed since."""
    refers_to = line.observation.refers_to
    if refers_to is None:
        return False
    last = refers_to.end or refers_to.start
    return date.fromisoformat(line.observation.local_date) <= last < day_at(now_ms)
