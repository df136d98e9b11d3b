"""What time and retention do to lines: which plans have expired, which lines leave the section's candidates.

A plan expires after its last day: that of its date, or, when it names none, OPEN_DAYS after it was said,
and as many again for each time it was said again. That is no word of the outcome, only that nobody waits
for it here.

A machine's clock may be wrong for a run. What a run did under a clock that was ahead is taken back by the
first one that knows better; under a clock from before this program nothing is done at all.

Pure: `today` and `now_ms` come in, ids go out, and the caller appends the events (rule 1). Retention only
thins what the section may choose from; nothing leaves the ledger, the dated files or the archive by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from scrimshaw.core.model import Author, Closed, Kind, Line, Place

_DAY_MS = 86_400_000
OPEN_DAYS = 14  # that an open item without a date stays open after it was said
_MOST_PROLONGED = 3  # times, for having been said again
_FIRST_DAY = date(2026, 1, 1)  # no machine that runs this lives before it


class Due(NamedTuple):
    """Lines to be DROPPED, with the reason each event carries."""

    id: str
    reason: str


def is_plausible(today: date) -> bool:
    """Tell whether a clock that says *today* may be believed; one that lost its battery says 1970."""
    return today >= _FIRST_DAY


def premature(lines: Iterable[Line], *, now_ms: int, today: date) -> tuple[str, ...]:
    """Return the ids of lines expired or dropped too early, by a clock ahead of *now_ms*: TAKEN_BACK.

    Among them open items that have been said again since they expired.
    """
    return tuple(
        line.observation.id
        for line in lines
        if (line.standing.closed is Closed.DROPPED and line.standing.closed_at_ms > now_ms)
        or (line.standing.is_live and line.standing.is_expired and _is_ahead(line, today))
    )


def last_day(line: Line) -> date | None:
    """Return the last day on which an open line is open; None for one that time alone does not close.

    A pinned line and a person's own have one only when they name a date.
    """
    observation, standing = line
    if observation.refers_to is not None:
        return observation.refers_to.end or observation.refers_to.start
    if observation.place is not Place.OPEN or standing.is_pinned or observation.author is Author.PERSON:
        return None
    times = 1 + min(_MOST_PROLONGED, standing.reinforced)
    return date.fromisoformat(observation.local_date) + timedelta(days=times * OPEN_DAYS)


def expired(lines: Iterable[Line], today: date) -> tuple[str, ...]:
    """Return the ids of open lines whose last day lies before *today*: EXPIRED, never completed."""
    return tuple(
        line.observation.id
        for line in lines
        if line.standing.is_live
        and not (line.standing.is_expired or line.standing.is_kept)
        and line.standing.place is Place.OPEN
        and _is_past(line, today)
    )


def retired(
    lines: Iterable[Line],
    *,
    now_ms: int,
    today: date,
    ttl_days: int,
    max_observations: int,
    max_reflections: int,
) -> tuple[Due, ...]:
    """Return the lines that are no longer candidates: older than *ttl_days*, or more than the maximum.

    Never among them: pinned lines, a person's own, what a person undid the dropping of, standing preferences
    and decisions in force, plans whose day is still to come. Those count towards the maximum all the same.
    The least worth keeping goes first.
    """
    live = [line for line in lines if line.standing.is_live]
    born_before = now_ms - ttl_days * _DAY_MS
    loose = [line for line in live if not _is_protected(line, today)]
    old = {line.observation.id for line in loose if line.observation.said_at_ms < born_before}
    due = [Due(line.observation.id, "ttl_days") for line in loose if line.observation.id in old]
    for level, most, name in (
        (0, max_observations, "max_observations_per_agent"),
        (1, max_reflections, "max_reflections_per_agent"),
    ):
        held = sum(line.observation.level == level and line.observation.id not in old for line in live)
        spare = [line for line in loose if line.observation.level == level and line.observation.id not in old]
        due += [Due(id_, name) for id_ in _least(spare, held - most)]
    return tuple(due)


def _least(lines: Sequence[Line], count: int) -> list[str]:
    """Return the ids of the *count* lines least worth keeping: hidden, unimportant, old."""
    ordered = sorted(
        lines,
        key=lambda line: (
            line.standing.is_shown,
            line.observation.priority,
            line.observation.salience,
            line.observation.said_at_ms,
            line.observation.id,
        ),
    )
    return [line.observation.id for line in ordered[: max(0, count)]]


def _is_past(line: Line, today: date) -> bool:
    last = last_day(line)
    return last is not None and last < today


def _is_ahead(line: Line, today: date) -> bool:
    last = last_day(line)
    return last is not None and last >= today


def _is_protected(line: Line, today: date) -> bool:
    observation, standing = line
    if standing.is_pinned or standing.is_kept or observation.author is Author.PERSON:
        return True
    if standing.place is Place.STANDING:
        return observation.kind in (Kind.PREFERENCE, Kind.DECISION)
    return standing.place is Place.OPEN and observation.refers_to is not None and _is_ahead(line, today)
