"""One score for a memory, 0 to 100, and what takes its points.

    score = 100 − Σ points lost, at least 0;   share = lines with the fault / lines in force

| fault | points lost | what gives them back |
|---|---|---|
| junk | 100 × share | `scrimshaw clean` |
| doubled | 60 × share | `scrimshaw clean` |
| contradictory | 3 a conflict, at most 25 | `scrimshaw conflicts` |
| unverifiable | 20 × share | `scrimshaw clean --only unverifiable` |
| stale | 20 × share | `scrimshaw stale` |
| dry source | 10 | `scrimshaw observe` |
| section cut | 10 | `scrimshaw observe --now` |
| not shown | 10 | `scrimshaw install` |
| waiting for you | 1 each, at most 10 | `scrimshaw review` |

A line counts for the first of these that it has. Unverifiable is what no conversation can bear out any more
and nobody has confirmed; a source is dry when what was said in it has waited for more than a day, unread;
not shown is a section that MEMORY.md cannot carry (a quarantine, for instance) and that nothing else brings.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from scrimshaw.core.insight.junk import Doubled, find_chatter, find_doubled, is_protected
from scrimshaw.core.insight.known import LineInForce, known_of
from scrimshaw.core.ledger.lifecycle import day_at
from scrimshaw.core.types import Line

if TYPE_CHECKING:
    from scrimshaw.core.insight.conflicts import Conflict

FULL = 100
LEAST_SURE = 0.5  # below it a fact is stale
_DAY_MS = 86_400_000


class FaultName(StrEnum):
    """What takes points, the gravest first."""

    JUNK = "junk"
    DOUBLED = "doubled"
    CONTRADICTORY = "contradictory"
    UNVERIFIABLE = "unverifiable"
    STALE = "stale"
    DRY_SOURCE = "dry source"
    SECTION_CUT = "section cut"
    NOT_SHOWN = "not shown"
    WAITING = "waiting for you"


_COMMANDS = {
    FaultName.JUNK: "scrimshaw clean",
    FaultName.DOUBLED: "scrimshaw clean",
    FaultName.CONTRADICTORY: "scrimshaw conflicts",
    FaultName.UNVERIFIABLE: "scrimshaw clean --only unverifiable",
    FaultName.STALE: "scrimshaw stale",
    FaultName.DRY_SOURCE: "scrimshaw observe",
    FaultName.SECTION_CUT: "scrimshaw observe --now",
    FaultName.NOT_SHOWN: "scrimshaw install",
    FaultName.WAITING: "scrimshaw review",
}
_OF_SHARE = {
    FaultName.JUNK: 100.0,
    FaultName.DOUBLED: 60.0,
    FaultName.UNVERIFIABLE: 20.0,
    FaultName.STALE: 20.0,
}
_EACH = {FaultName.CONTRADICTORY: (3.0, 25.0), FaultName.WAITING: (1.0, 10.0)}  # points each, and at most
_AT_ONCE = 10.0


class Fault(NamedTuple):
    """What takes points: how many, of which lines, and the command that gives them back."""

    name: FaultName
    points: float
    amount: int
    lines: tuple[Line, ...]
    told: tuple[str, ...]  # of what is no line: sources, proposals

    @property
    def command(self) -> str:
        """The command that gives the points back."""
        return _COMMANDS[self.name]


class Around(NamedTuple):
    """What is known beside the lines themselves."""

    conflicts: Sequence[Conflict] = ()
    dry_sources: Sequence[str] = ()  # a sentence each
    units_over: int = 0  # by how much the section is larger than its room
    waiting: int = 0  # proposals that wait for the person
    unshown: Sequence[str] = ()  # why the agent sees no section, in a sentence

    def look(self) -> Look:
        """Return it as counts, without the conflicts."""
        return Look(len(self.dry_sources), max(0, self.units_over), self.waiting, len(self.unshown))


class Look(NamedTuple):
    """`Around` without the conflicts, as counts: what is kept of a day on which somebody looked."""

    dry_sources: int
    units_over: int
    waiting: int
    unshown: int

    def with_conflicts(self, conflicts: Sequence[Conflict]) -> Around:
        """Return what was known beside the lines; what was told in sentences is not known any more."""
        return Around(
            conflicts, ("",) * self.dry_sources, self.units_over, self.waiting, ("",) * self.unshown
        )


class Health(NamedTuple):
    """The score and what takes its points, most points first."""

    score: int
    line_count: int
    faults: tuple[Fault, ...]


class Faulty(NamedTuple):
    """The lines with a fault, each counted once."""

    chatter: tuple[Line, ...]
    doubled: tuple[Doubled, ...]
    unverifiable: tuple[Line, ...]
    stale: tuple[Line, ...]


def find_faulty(lines: Sequence[Line], now_ms: int) -> Faulty:
    """Return which of *lines*, all in force, have what fault."""
    chatter = find_chatter(lines)
    rest = _without(lines, chatter)
    doubled = find_doubled(rest)
    rest = _without(rest, [one.line for one in doubled])
    unverifiable = [line for line in rest if is_unverifiable(line)]
    rest = _without(rest, unverifiable)
    newest = max((line.observation.said_at_ms for line in lines), default=now_ms)
    newest_day = day_at(newest).isoformat()
    stale = [line for line in rest if _is_stale(known_of(line), now_ms, newest_day)]
    return Faulty(tuple(chatter), tuple(doubled), tuple(unverifiable), tuple(stale))


def is_unverifiable(line: Line) -> bool:
    """Tell whether no conversation bears *line* out any more, and nobody has confirmed it."""
    return line.standing.is_source_gone and not line.standing.confirmed and not is_protected(line)


def health_of(lines: Sequence[Line], around: Around, now_ms: int) -> Health:
    """Return the health of a memory whose lines in force are *lines*."""
    faulty = find_faulty(lines, now_ms)
    junk = {line.observation.id for line in faulty.chatter} | {
        one.line.observation.id for one in faulty.doubled
    }
    conflicts = [one for one in around.conflicts if junk.isdisjoint(one.ids)]
    of_conflicts = {line.observation.id: line for one in conflicts for line in (one.older, one.newer)}
    found = [
        _of_lines(FaultName.JUNK, faulty.chatter, len(lines)),
        _of_lines(FaultName.DOUBLED, [one.line for one in faulty.doubled], len(lines)),
        _each(FaultName.CONTRADICTORY, len(conflicts))._replace(lines=tuple(of_conflicts.values())),
        _of_lines(FaultName.UNVERIFIABLE, faulty.unverifiable, len(lines)),
        _of_lines(FaultName.STALE, faulty.stale, len(lines)),
        _at_once(FaultName.DRY_SOURCE, around.dry_sources),
        _at_once(
            FaultName.SECTION_CUT,
            [f"the section is {around.units_over} units larger than its room"]
            if around.units_over > 0
            else [],
        ),
        _at_once(FaultName.NOT_SHOWN, around.unshown),
        _each(FaultName.WAITING, around.waiting),
    ]
    faults = sorted((fault for fault in found if fault.amount), key=lambda fault: -fault.points)
    score = FULL - sum(fault.points for fault in faults)
    return Health(max(0, round(score)), len(lines), tuple(faults))


def _of_lines(name: FaultName, lines: Collection[Line], of: int) -> Fault:
    points = round(_OF_SHARE[name] * len(lines) / of, 2) if of else 0.0
    return Fault(name, points, len(lines), tuple(lines), ())


def _each(name: FaultName, count: int) -> Fault:
    each, most = _EACH[name]
    return Fault(name, min(most, each * count), count, (), ())


def _at_once(name: FaultName, told: Sequence[str]) -> Fault:
    return Fault(name, _AT_ONCE if told else 0.0, len(told), (), tuple(told))


def _without(lines: Iterable[Line], gone: Iterable[Line]) -> list[Line]:
    ids = {line.observation.id for line in gone}
    return [line for line in lines if line.observation.id not in ids]


def _is_stale(known: LineInForce, now_ms: int, newest_day: str) -> bool:
    """Tell what `scrimshaw stale` shows for its confidence: what it gives back, and nothing else."""
    if not known.is_fact or known.is_rightly_kept(newest_day):
        return False
    days = max(0, now_ms - known.told_ms) // _DAY_MS
    return known.effective_confidence(days, newest_day) < LEAST_SURE
