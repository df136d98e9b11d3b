"""How a figure has changed: computed from the ledger for the end of each past day.

The ledger's events are replayed in order up to the end of each day; nothing is stored. Conflicts are
followed from day to day: only pairs that a change may concern are compared again. The workspace's present
time zone is used. Of a line forgotten since, only its existence is known, not its type; sizes on disk are not
in the ledger. Conflicts are judged by words, without vectors. For health, sources, the section's room and
waiting proposals count as the daemon's last look of the day found them, and not at all without one. Two
figures are of the day, not of its end: what this memory's own models used (`model_tokens`, prompts and
answers, from the ledger), and what the agent's used (`agent_tokens`, from the host's transcripts and the
reports of programs).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from scrimshaw.clock import milliseconds
from scrimshaw.core.insight import figures as core
from scrimshaw.core.insight.calendar import Freshness, calendar, day_of
from scrimshaw.core.insight.fact_types import FactType
from scrimshaw.core.insight.health import Look, health_of
from scrimshaw.core.insight.known import LineInForce, known_of
from scrimshaw.core.insight.recalls import Recalls, recalls
from scrimshaw.core.ledger.lifecycle import at_birth, standing_after
from scrimshaw.core.types import Author, Event, EventType, Kind, Line, Standing
from scrimshaw.errors import usage_error
from scrimshaw.services.insight.look import MemorySnapshot
from scrimshaw.services.models.spending import caching_of
from scrimshaw.services.results import WorkspaceResult
from scrimshaw.sources.reading import paused_collector
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.workspace import Target

if TYPE_CHECKING:
    from scrimshaw.core.insight.conflicts import Conflict, PastConflicts

MOST_DAYS = 3_660
_DIGITS = 4
_NO_LOOK = Look(0, 0, 0, 0)
_TALK = (Author.RULES, Author.MODEL)


def _of_type(type_: FactType) -> Callable[[MemorySnapshot], float]:
    return lambda look: sum(line.is_fact and line.type is type_ for line in look.known)


def _of_age(fresh: Freshness) -> Callable[[MemorySnapshot], float]:
    return lambda look: sum(look.today.freshness(line.said_at_ms) is fresh for line in look.known)


def _of_kind(kind: Kind) -> Callable[[MemorySnapshot], float]:
    return lambda look: sum(line.kind is kind for line in look.known)


KINDS = {f"kind_{kind.value.replace('-', '_')}": kind for kind in Kind}
FIGURES: Mapping[str, Callable[[MemorySnapshot], float]] = {
    "memories": lambda look: len(look.known),
    "facts": lambda look: sum(line.is_fact for line in look.known),
    "sources": lambda look: len({line.source for line in look.known if line.is_fact}),
    "avg_confidence": lambda look: core.figures(look.known, look.today).avg_confidence,
    "stale": lambda look: len(core.stale(look.known, look.recalled, look.today, newest_ms=look.newest_ms)),
    "recalls": lambda look: sum(recalled.times for recalled in look.recalled.values()),
    "in_section": lambda look: sum(line.is_shown for line in look.known),
    "beyond_section": lambda look: sum(not line.is_shown for line in look.known),
    **{type_.value: _of_type(type_) for type_ in FactType},
    **{fresh.value: _of_age(fresh) for fresh in Freshness},
    **{name: _of_kind(kind) for name, kind in KINDS.items()},
}


class DayOfLines(NamedTuple):
    """The lines in force at the end of a day, and their conflicts."""

    lines: Sequence[Line]
    conflicts: Sequence[Conflict]
    end_ms: int
    look: Look


OF_LINES: Mapping[str, Callable[[DayOfLines], float]] = {
    "conflicts": lambda day: len(day.conflicts),
    "health": lambda day: health_of(day.lines, day.look.with_conflicts(day.conflicts), day.end_ms).score,
}
TOKENS = ("read_tokens", "compression", "kept_tokens", "model_tokens", "agent_tokens")
NAMES = (*FIGURES, *OF_LINES, *TOKENS)


@dataclass(frozen=True, slots=True)
class TrendResult(WorkspaceResult):
    """A figure at the end of each of some days, oldest first; the last value is of now."""

    figure: str
    points: tuple[tuple[date, float], ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.head(),
            "figure": self.figure,
            "days": [{"date": day.isoformat(), "value": round(value, _DIGITS)} for day, value in self.points],
            "exit_code": int(self.exit_code),
        }


def trends(
    target: Target,
    now: datetime,
    figures: Sequence[str],
    days: int,
    on_progress: Callable[[int, int], None],
    env: Mapping[str, str],
) -> list[TrendResult]:
    """Return each of *figures* at the end of each of the last *days*.

    *on_progress* is called with the number of days done and in all.
    """
    for figure in figures:
        if figure not in NAMES:
            raise usage_error(
                f"There is no figure “{figure}”, or none that the ledger can tell of a past day.",
                next_step=f"one of: {', '.join(NAMES)}",
            )
    today = day_of(milliseconds(now), target.zone)
    wanted = [today - timedelta(back) for back in reversed(range(days))]
    points: dict[str, list[tuple[date, float]]] = {figure: [] for figure in figures}
    of_lines = [figure for figure in figures if figure in OF_LINES]
    on_progress(0, days)
    used: dict[str, Mapping[date, int]] = {}
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger, paused_collector():
        past = _Past(ledger, target.zone)
        if "health" in figures:
            from scrimshaw.services.insight.health import look_around  # its rules take long to load

            past.looks[today.isoformat()] = look_around(target, ledger, now, [], env).look()
        if "model_tokens" in figures:
            of_model: Counter[date] = Counter()
            for row in ledger.spend_rows():
                of_model[row.local_date] += row.tokens_in + row.tokens_out
            used["model_tokens"] = of_model
        if "agent_tokens" in figures:
            by_day = caching_of(target, wanted[0]).by_day
            used["agent_tokens"] = {day: one.prompt_tokens + one.output_tokens for day, one in by_day.items()}
        for done, day in enumerate(wanted, start=1):
            look = past.at_end_of(day)
            for figure in figures:
                if figure in FIGURES:
                    points[figure].append((day, FIGURES[figure](look)))
                elif figure in TOKENS:
                    value = used[figure].get(day, 0) if figure in used else past.tokens(figure, day)
                    points[figure].append((day, value))
            if of_lines:
                whole = past.lines_of(day, min(look.today.end_ms - 1, milliseconds(now)))
                for figure in of_lines:
                    points[figure].append((day, OF_LINES[figure](whole)))
            on_progress(done, days)
    return [TrendResult(target, figure, tuple(found)) for figure, found in points.items()]


class _Past:
    """The state after the events so far; days must be asked for in order."""

    def __init__(self, ledger: Ledger, zone: str) -> None:
        self._ledger, self._zone = ledger, zone
        self._observations = {line.observation.id: line.observation for line in ledger.all_lines()}
        self._sections = ledger.insight.sections()
        self._history = ledger.insight.history()
        self._pending = next(self._history, None)
        self._standings: dict[str, Standing] = {}
        self._known: dict[str, LineInForce] = {}
        self._searches: dict[str, Recalls] = {}
        self._moments: list[tuple[int, str]] = []
        self._changed: set[str] = set()  # lines, since conflicts were looked for
        self._conflicts: PastConflicts | None = None
        self.looks = ledger.insight.looks()
        self._noted_tokens = 0
        self._read_in_all, found = ledger.insight.read_tokens()
        self._read: Counter[date] = Counter()
        for at_ms, count in found:
            self._read[day_of(at_ms, zone)] += count
        self._read_before = self._read_in_all - self._read.total()

    def at_end_of(self, day: date) -> MemorySnapshot:
        """Return the state at the end of *day*."""
        today = calendar(day, self._zone)
        while self._pending is not None and self._pending[0] < today.end_ms:
            self._add(self._pending[1])
            self._pending = next(self._history, None)
        stood = [one for one in self._sections if one[0] < today.end_ms]
        known = list(self._known.values())
        return MemorySnapshot(known, recalls(self._searches, stood, self._moments), today)

    def lines_of(self, day: date, end_ms: int) -> DayOfLines:
        """Return the lines of *day*, the one last asked for, which ended at *end_ms*."""
        lines = [
            Line(observation, self._standings[id_])
            for id_, observation in self._observations.items()
            if id_ in self._known
        ]
        from scrimshaw.core.insight.conflicts import PastConflicts  # its rules take long to load

        self._conflicts = self._conflicts or PastConflicts(self._observations.values())
        for id_ in self._changed:
            self._conflicts.update(Line(self._observations[id_], self._standings[id_]))
        self._changed.clear()
        found = self._conflicts.find(self._ledger.past.kept_both(end_ms))
        return DayOfLines(lines, found, end_ms, self.looks.get(day.isoformat(), _NO_LOOK))

    def tokens(self, figure: str, day: date) -> float:
        """Return the tokens of the lines in force, those read on *day*, or how many were read for each noted.

        What was read before it was counted by day is known as a sum only: no ratio is told of such days.
        """
        if figure == "kept_tokens":
            return sum(self._observations[id_].tokens for id_ in self._known)
        if figure == "read_tokens":
            return self._read.get(day, 0)
        later = sum(count for one, count in self._read.items() if one > day)
        is_known = self._read_before == 0 or any(one <= day for one in self._read)
        return (self._read_in_all - later) / self._noted_tokens if is_known and self._noted_tokens else 0.0

    def _add(self, event: Event) -> None:
        id_ = event.observation_id
        observation = self._observations[id_]
        if event.type is EventType.OBSERVED and id_ not in self._standings:
            self._standings[id_] = at_birth(observation)
            if observation.session_id and not observation.level and observation.author in _TALK:
                self._moments.append((observation.said_at_ms, observation.local_date))
            if not observation.level and observation.author in _TALK:
                self._noted_tokens += observation.tokens
        if event.type is EventType.RECALLED:
            before = self._searches.get(id_, Recalls())
            day = day_of(event.at_ms, self._zone).isoformat()
            self._searches[id_] = Recalls(before.times + 1, max(before.last_day, day))
        else:
            self._changed.add(id_)
        standing = standing_after(self._standings.setdefault(id_, at_birth(observation)), event)
        self._standings[id_] = standing
        if standing.is_live:
            self._known[id_] = known_of(Line(observation, standing))
        else:
            self._known.pop(id_, None)
