"""Which plans have expired, and which lines retention takes out of the section's candidates.

A plan expires after its last day: that of its date, or, without a date, OPEN_DAYS after it was said, and the
same number of days more for each repetition. An ambiguous date does not end it earlier than that, either. To
expire says nothing about the outcome, only that nobody waits for it here.

A machine's clock may be wrong during a run. What a run closed while the clock was ahead is taken back by the
first run with a correct clock; under a clock that shows a day before this program existed nothing is done.

Pure: `today` and `now_ms` come in, ids go out, and the caller appends the events (rule 1). Age alone removes
no line (core/section/rank lowers its rank); only above a maximum the least valuable lines stop being
candidates, and even those stay in the ledger, the dated files and the archive.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from typing import NamedTuple

from scrimshaw.core.ledger.lifecycle import age_of
from scrimshaw.core.section.rank import holds_for_life, is_own, newest_ms, worth
from scrimshaw.core.types import Author, Closed, Kind, Line, Place

OPEN_DAYS = 14  # for which an open item without a date stays open after it was said
_MOST_PROLONGED = 3  # repetitions that prolong an open item
_FIRST_DAY = date(2026, 1, 1)  # this program did not exist before


class RetiredLine(NamedTuple):
    """Lines to be DROPPED, with the reason each event carries."""

    id: str
    reason: str


def is_plausible(today: date) -> bool:
    """Tell whether a clock that says *today* is plausible; after a dead battery it says 1970."""
    return today >= _FIRST_DAY


def premature(lines: Iterable[Line], *, now_ms: int, today: date) -> tuple[str, ...]:
    """Return the ids of lines that a clock ahead of *now_ms* expired or dropped too early: TAKEN_BACK.

    Also open items that were said again since they expired.
    """
    return tuple(
        line.observation.id
        for line in lines
        if (line.standing.closed is Closed.DROPPED and line.standing.closed_at_ms > now_ms)
        or (line.standing.is_live and line.standing.is_expired and _is_ahead(line, today))
    )


def last_day(line: Line) -> date | None:
    """Return the last day on which an open line is open; None for one that time alone does not close.

    A pinned or personally written line has one only when it names a date that is certain.
    """
    observation, standing = line
    refers_to = observation.refers_to
    named = (refers_to.end or refers_to.start) if refers_to else None
    if refers_to and refers_to.certain:
        return named
    if observation.place is not Place.OPEN or standing.is_pinned or observation.author is Author.PERSON:
        return None
    times = 1 + min(_MOST_PROLONGED, standing.reinforced)
    waited = date.fromisoformat(observation.local_date) + timedelta(days=times * OPEN_DAYS)
    return max(waited, named or waited)


def expired(lines: Iterable[Line], today: date) -> tuple[str, ...]:
    """Return the ids of open lines whose last day is before *today*: EXPIRED, never completed."""
    return tuple(
        line.observation.id
        for line in lines
        if line.standing.is_live
        and not (line.standing.is_expired or line.standing.is_kept)
        and line.standing.place is Place.OPEN
        and is_past(line, today)
    )


def retired(
    lines: Iterable[Line], *, today: date, half_life_days: int, max_observations: int, max_reflections: int
) -> tuple[RetiredLine, ...]:
    """Return the lines above the maximum number of candidates, the least valuable first.

    Never returned: pinned lines, a person's own, those whose dropping a person has undone, lifelong facts,
    decisions in force, plans whose day is still to come. They do count towards the maximum.
    """
    live = [line for line in lines if line.standing.is_live]
    now_ms = newest_ms(live)
    due: list[RetiredLine] = []
    for level, most, name in (
        (0, max_observations, "max_observations_per_agent"),
        (1, max_reflections, "max_reflections_per_agent"),
    ):
        held = [line for line in live if line.observation.level == level]
        if len(held) <= most:
            continue
        spare = [line for line in held if not is_protected(line, today, now_ms)]
        spare.sort(key=lambda line: (worth(line, now_ms, half_life_days), *age_of(line)))
        due += [RetiredLine(line.observation.id, name) for line in spare[: len(held) - most]]
    return tuple(due)


def is_past(line: Line, today: date) -> bool:
    """Tell whether the last day on which *line* is open lies before *today*."""
    last = last_day(line)
    return last is not None and last < today


def _is_ahead(line: Line, today: date) -> bool:
    last = last_day(line)
    return last is not None and last >= today


def is_protected(line: Line, today: date, now_ms: int) -> bool:
    """Tell whether retention never takes *line* out of the section."""
    observation, standing = line
    if standing.is_kept or is_own(line):
        return True
    if standing.place is Place.OPEN:
        return observation.refers_to is not None and _is_ahead(line, today)
    is_in_force = observation.kind is Kind.DECISION and standing.place is Place.STANDING
    return is_in_force or holds_for_life(line, now_ms)
