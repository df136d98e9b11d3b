"""What time and retention do to lines: which plans have expired, which lines leave the section's candidates.

A plan expires after its last day: that of its date, or, when it names none, OPEN_DAYS after it was said,
and as many again for each time it was said again. A date that may be another one ends nothing before those
days are over, too. That is no word of the outcome, only that nobody waits for it here.

A machine's clock may be wrong for a run. What a run did under a clock that was ahead is taken back by the
first one that knows better; under a clock from before this program nothing is done at all.

Pure: `today` and `now_ms` come in, ids go out, and the caller appends the events (rule 1). Age alone takes no
line out (core/section/rank lowers its rank); only beyond a maximum the least worth are no candidates any
more, and nothing leaves the ledger, the dated files or the archive by it.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from typing import NamedTuple

from scrimshaw.core.ledger.lifecycle import age_of
from scrimshaw.core.section.rank import holds_for_life, is_own, newest_ms, worth
from scrimshaw.core.types import Author, Closed, Kind, Line, Place

OPEN_DAYS = 14  # that an open item without a date stays open after it was said
_MOST_PROLONGED = 3  # times, for having been said again
_FIRST_DAY = date(2026, 1, 1)  # no machine that runs this lives before it


class RetiredLine(NamedTuple):
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

    A pinned line and a person's own have one only when they name a date, and that for sure.
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
    """Return the ids of open lines whose last day lies before *today*: EXPIRED, never completed."""
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
    """Return the lines that are more than the maximum of candidates, the least worth first.

    Never among them: pinned lines, a person's own, what a person undid the dropping of, what holds for life,
    decisions in force, plans whose day is still to come. Those count towards the maximum all the same.
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
