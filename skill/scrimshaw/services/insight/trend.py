"""How a figure has moved: worked out for each past day from the ledger, as a look at its end would have been.

Every event is replayed from the first on, up to the last that was known by the end of the day; nothing is
kept for it from day to day. The zone is the workspace's of today. Of a line that was forgotten since, only
that it was there is still known, and not of which type; what was on disk is not in the ledger.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from scrimshaw.clock import milliseconds
from scrimshaw.core.insight import figures as core
from scrimshaw.core.insight.calendar import Freshness, calendar, day_of
from scrimshaw.core.insight.fact_types import FactType
from scrimshaw.core.insight.known import LineInForce, known_of
from scrimshaw.core.insight.recalls import Recalls, recalls
from scrimshaw.core.ledger.lifecycle import at_birth, standing_after
from scrimshaw.core.types import Author, Event, EventType, Line, Observation, Standing
from scrimshaw.errors import Exit, UserError
from scrimshaw.services.insight.look import MemorySnapshot
from scrimshaw.services.results import WorkspaceResult
from scrimshaw.sources.reading import paused_collector
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.workspace import Target

MOST_DAYS = 3_660
_DIGITS = 4
_TALK = (Author.RULES, Author.MODEL)


def _stale(look: MemorySnapshot) -> float:
    return len(core.stale(look.known, look.recalled, look.today, newest_ms=look.newest_ms))


def _of_type(type_: FactType) -> Callable[[MemorySnapshot], float]:
    return lambda look: sum(line.is_fact and line.type is type_ for line in look.known)


def _of_age(fresh: Freshness) -> Callable[[MemorySnapshot], float]:
    return lambda look: sum(look.today.freshness(line.said_at_ms) is fresh for line in look.known)


FIGURES: Mapping[str, Callable[[MemorySnapshot], float]] = {
    "memories": lambda look: len(look.known),
    "facts": lambda look: sum(line.is_fact for line in look.known),
    "sources": lambda look: len({line.source for line in look.known if line.is_fact}),
    "avg_confidence": lambda look: core.figures(look.known, look.today).avg_confidence,
    "stale": _stale,
    "recalls": lambda look: sum(recalled.times for recalled in look.recalled.values()),
    **{type_.value: _of_type(type_) for type_ in FactType},
    **{fresh.value: _of_age(fresh) for fresh in Freshness},
}


@dataclass(frozen=True, slots=True)
class TrendResult(WorkspaceResult):
    """A figure at the end of each of some days, oldest first; of today up to now."""

    figure: str
    points: tuple[tuple[date, float], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it as `scrimshaw trend --json` prints it for one workspace."""
        return {
            **self.head(),
            "figure": self.figure,
            "days": [{"date": day.isoformat(), "value": round(value, _DIGITS)} for day, value in self.points],
            "exit_code": int(self.exit_code),
        }


def trend(
    target: Target, now: datetime, figure: str, days: int, on_progress: Callable[[int, int], None]
) -> TrendResult:
    """Return *figure* at the end of each of the last *days*; *on_progress*: days done, of how many."""
    if figure not in FIGURES:
        raise UserError(
            f"There is no figure “{figure}”, or none that the ledger can tell of a past day.",
            next_step=f"one of: {', '.join(FIGURES)}",
            exit_code=Exit.USAGE,
        )
    today = day_of(milliseconds(now), target.zone)
    wanted = [today - timedelta(back) for back in reversed(range(days))]
    points: list[tuple[date, float]] = []
    on_progress(0, days)
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger, paused_collector():
        for look in past_looks(ledger, target.zone, wanted):
            points.append((look.today.day, FIGURES[figure](look)))
            on_progress(len(points), days)
    return TrendResult(target, figure, tuple(points))


def past_looks(ledger: Ledger, zone: str, days: Sequence[date]) -> Iterator[MemorySnapshot]:
    """Yield what was known at the end of each of *days*, which come in their order."""
    observations = {line.observation.id: line.observation for line in ledger.all_lines()}
    past = _Past(observations, zone)
    sections = ledger.insight.sections()
    history = ledger.insight.history()
    pending = next(history, None)
    for day in days:
        today = calendar(day, zone)
        while pending is not None and pending[0] < today.end_ms:
            past.add(pending[1])
            pending = next(history, None)
        stood = [one for one in sections if one[0] < today.end_ms]
        yield MemorySnapshot(list(past.known.values()), recalls(past.searches, stood, past.moments), today)


class _Past:
    """What is known after the events so far."""

    def __init__(self, observations: Mapping[str, Observation], zone: str) -> None:
        self._observations, self._zone = observations, zone
        self._standings: dict[str, Standing] = {}
        self.known: dict[str, LineInForce] = {}
        self.searches: dict[str, Recalls] = {}
        self.moments: list[tuple[int, str]] = []

    def add(self, event: Event) -> None:
        """Take the next event."""
        id_ = event.observation_id
        observation = self._observations[id_]
        if event.type is EventType.OBSERVED and id_ not in self._standings:
            self._standings[id_] = at_birth(observation)
            if observation.session_id and not observation.level and observation.author in _TALK:
                self.moments.append((observation.said_at_ms, observation.local_date))
        if event.type is EventType.RECALLED:
            before = self.searches.get(id_, Recalls())
            day = day_of(event.at_ms, self._zone).isoformat()
            self.searches[id_] = Recalls(before.times + 1, max(before.last_day, day))
        standing = standing_after(self._standings.setdefault(id_, at_birth(observation)), event)
        self._standings[id_] = standing
        if standing.is_live:
            self.known[id_] = known_of(Line(observation, standing))
        else:
            self.known.pop(id_, None)
