"""Apply a model's plan for the lines (merges, patterns, supersessions, drops), each step on its own.

A plan is a proposal. Every step is checked against the lines as they are now: when the plan arrives, and once
more under the lock. The rules:

- lines that the person wrote or pinned, and others that the caller names, are never touched;
- an important line (🔴) is never dropped: it is merged into an equally important line that keeps all that it
  says (core/consolidation/coverage), or superseded by a later line about the same;
- at most the cycle's share of lines is removed, counted before new lines are added; further steps wait;
- a merge must be shorter than its lines; a pattern may use only the room that the other steps save;
- lines that were all merged before are merged again only together with a new one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from scrimshaw.core.consolidation.coverage import (
    IMPORTANT,
    StepRefusal,
    lost,
    verify_generalisation,
    verify_merge,
)
from scrimshaw.core.consolidation.rules import IN_ITS_PLACE, KEPT_REINFORCEMENT, LineChange, is_own
from scrimshaw.core.consolidation.supersede import why_not_superseded
from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.ledger.lifecycle import at_birth, standing_after, told_on
from scrimshaw.core.section.budget import units
from scrimshaw.core.section.rank import last_told_ms
from scrimshaw.core.section.render import shown
from scrimshaw.core.types import EventType, Line, Observation, Place

DROPPED_AS = frozenset({"trivial", "outdated", "transient", "repeated"})
_SAME_PATTERN = 0.5  # a pattern that shares this much of its lines with another one is refused


class Merge(NamedTuple):
    """Replace several lines by one, with new words."""

    ids: tuple[str, ...]
    text: str


class Generalise(NamedTuple):
    """Add a line that says what several lines have in common; they stay."""

    ids: tuple[str, ...]
    text: str
    pattern: str


class Supersede(NamedTuple):
    """Close a line that a later one has made untrue."""

    id: str
    by_id: str


class Drop(NamedTuple):
    """Drop a line that is not worth its room."""

    id: str
    reason: str


Step = Merge | Generalise | Supersede | Drop


class NumberedStep(NamedTuple):
    """A step, and the number of its line in the reply."""

    number: int
    step: Step


class RefusedStep(NamedTuple):
    """A line of the reply that is not carried out, and why."""

    number: int
    reason: str
    detail: str


class ConsolidationPlan(NamedTuple):
    """A parsed reply. *is_closed*: it ended with the closing line; *refused*: lines that are not steps."""

    steps: tuple[NumberedStep, ...] = ()
    refused: tuple[RefusedStep, ...] = ()
    is_closed: bool = True

    def ids(self) -> set[str]:
        """Return the ids of every line that a step names."""
        return {id_ for _, step in self.steps for id_ in _ids_of(step)}

    def ids_of(self, numbers: Collection[int]) -> set[str]:
        """Return the ids of the lines that the steps of these numbers name."""
        return {id_ for number, step in self.steps if number in numbers for id_ in _ids_of(step)}

    def plus(self, other: ConsolidationPlan) -> ConsolidationPlan:
        """Return both plans as one, with the line numbers of *other* following on."""
        numbers = [*(one.number for one in self.steps), *(one.number for one in self.refused)]
        so_far = max(numbers, default=0)
        steps = (NumberedStep(so_far + number, step) for number, step in other.steps)
        refused = (one._replace(number=one.number and so_far + one.number) for one in other.refused)
        return ConsolidationPlan(
            (*self.steps, *steps), (*self.refused, *refused), self.is_closed and other.is_closed
        )


def _ids_of(step: Step) -> tuple[str, ...]:
    match step:
        case Merge(ids=ids) | Generalise(ids=ids):
            return ids
        case Supersede(id=id_, by_id=by_id):
            return id_, by_id
        case Drop(id=id_):
            return (id_,)


class Consolidation(NamedTuple):
    """What a plan does, and the lines after it."""

    observations: tuple[Observation, ...]
    changes: tuple[LineChange, ...]
    refused: tuple[RefusedStep, ...]
    lines: tuple[Line, ...]  # all live lines afterwards
    removed: int  # how many of the lines that were live before
    saved_units: int  # over all live lines, in UTF-16 units
    has_more: bool  # steps are waiting because this cycle's share is used up


Bars = Callable[[Observation], bool]
Origins = Callable[[Observation], Iterable[Observation]]


def consolidate(
    plan: ConsolidationPlan,
    lines: Iterable[Line],
    *,
    room: int,
    run_id: str,
    is_barred: Bars = lambda _made: False,
    origins: Origins = lambda _made: (),
    kept: Collection[str] = frozenset(),
) -> Consolidation:
    """Return what *plan* does to *lines*, the live ones, when *room* of them may go.

    *is_barred* tells whether a person deleted a new line before, or it existed before; *origins* gives the
    lines that a line was once merged from; lines in *kept* are left alone.
    """
    table = _Table(lines, room, run_id, (is_barred, origins), frozenset(kept))
    # Patterns come last, because they may use only what the other steps save.
    for numbered in sorted(plan.steps, key=lambda one: isinstance(one.step, Generalise)):
        table.take(numbered)
    return table.finished(plan.refused)


class _Table:
    """The lines, as the steps so far have left them."""

    def __init__(
        self, lines: Iterable[Line], room: int, run_id: str, asks: tuple[Bars, Origins], kept: frozenset[str]
    ) -> None:
        self._live = {line.observation.id: line for line in lines if line.standing.is_live}
        self._known = KnownLines(line.observation for line in self._live.values())
        self._room, self._run_id, self._kept = room, run_id, kept
        self._is_barred, self._origins = asks
        self._leant_on: set[str] = set()
        self._gone: dict[str, int] = {}  # line id -> number of the reply's line that removed it
        self._observations: list[Observation] = []
        self._changes: list[LineChange] = []
        self._refused: list[RefusedStep] = []
        self._saved_units = 0
        self._has_more = False

    def take(self, numbered: NumberedStep) -> None:
        """Apply one step, or record why it is refused."""
        number, step = numbered
        match step:
            case Merge():
                refusal = self._merge(number, step)
            case Generalise():
                refusal = self._generalise(step)
            case Supersede():
                refusal = self._supersede(number, step)
            case Drop():
                refusal = self._drop(number, step)
        if refusal is not None:
            self._refused.append(RefusedStep(number, *refusal))

    def finished(self, unreadable: Sequence[RefusedStep]) -> Consolidation:
        """Return what was done."""
        return Consolidation(
            tuple(self._observations),
            tuple(self._changes),
            tuple(sorted([*unreadable, *self._refused])),
            tuple(self._live.values()),
            len(self._gone),
            self._saved_units,
            self._has_more,
        )

    # -- the steps ---------------------------------------------------------------------------------------

    def _merge(self, number: int, step: Merge) -> StepRefusal | None:
        lines = self._present(step.ids)
        if isinstance(lines, StepRefusal):
            return lines
        if refusal := self._unfit(step.ids):
            return refusal
        if all(map(_is_merged, lines)):
            return StepRefusal("again", "all of its lines were merged before, and nothing is new among them")
        made = self._judged(step.ids, lambda known: self._restated(step, lines, known))
        if isinstance(made, StepRefusal):
            return made
        born = self._born(made, is_shown=any(line.standing.is_shown for line in lines))
        if _size(born) >= sum(map(_size, lines)):
            return StepRefusal("larger", "it is no shorter than the lines it is made of")
        self._add(born)
        for id_ in step.ids:
            self._close(number, LineChange(EventType.MERGED, id_, made.id, "said in one line with others"))
        again = max(line.standing.reinforced for line in lines)
        for _ in range(min(KEPT_REINFORCEMENT, again)):
            day = told_on(max(map(last_told_ms, lines)))
            self._note(LineChange(EventType.REINFORCED, made.id, lines[-1].observation.id, day))
        return None

    def _restated(self, step: Merge, lines: Sequence[Line], known: KnownLines) -> Observation | StepRefusal:
        made = verify_merge(step.text, lines, known, run_id=self._run_id)
        if isinstance(made, StepRefusal):
            return made
        # Small losses would add up over repeated merges: the lines merged earlier must still be covered, too.
        losses = (lost(origin, made) for origin in self._origins(made))
        return next(filter(None, losses), made)

    def _generalise(self, step: Generalise) -> StepRefusal | None:
        lines = self._present(step.ids)
        if isinstance(lines, StepRefusal):
            return lines
        for line in self._live.values():
            shared = set(line.observation.supports) & set(step.ids)
            if line.observation.level and len(shared) >= _SAME_PATTERN * len(step.ids):
                return StepRefusal(
                    "known", f"a pattern rests on these lines already: {line.observation.text[:120]}"
                )
        made = self._judged(
            (),
            lambda known: verify_generalisation(step.text, step.pattern, lines, known, run_id=self._run_id),
        )
        if isinstance(made, StepRefusal):
            return made
        born = self._born(made, is_shown=True)
        if _size(born) >= self._saved_units:
            return StepRefusal("larger", "a pattern must take less room than the other steps save")
        self._add(born)
        self._leant_on |= set(step.ids)
        return None

    def _supersede(self, number: int, step: Supersede) -> StepRefusal | None:
        lines = self._present((step.id, step.by_id))
        if isinstance(lines, StepRefusal):
            return lines
        refusal = self._unfit((step.id,)) or why_not_superseded(*lines)
        if refusal is not None:
            return refusal
        line, by = lines
        is_done = line.standing.place is Place.OPEN and by.observation.done
        type_ = EventType.COMPLETED if is_done else EventType.SUPERSEDED
        reason = "reported as done" if is_done else "a later word on the same"
        stands = line.standing.place is Place.STANDING and by.standing.place is Place.LOG
        self._close(number, LineChange(type_, step.id, step.by_id, reason))
        self._leant_on.add(step.by_id)
        if line.standing.is_shown and not by.standing.is_shown:
            self._note(LineChange(EventType.SHOWN, step.by_id, reason=IN_ITS_PLACE))
        if stands and not is_own(by) and not by.standing.is_expired:
            self._note(LineChange(EventType.PROMOTED, step.by_id, reason="stands for what stood"))
        return None

    def _drop(self, number: int, step: Drop) -> StepRefusal | None:
        lines = self._present((step.id,))
        if isinstance(lines, StepRefusal):
            return lines
        (line,) = lines
        if step.reason not in DROPPED_AS:
            return StepRefusal("reason", f"the reason is none of: {', '.join(sorted(DROPPED_AS))}")
        if refusal := self._unfit((step.id,)):
            return refusal
        if line.observation.priority >= IMPORTANT:
            return StepRefusal("important", "an important line is never dropped")
        if line.standing.place is not Place.LOG or line.observation.level:
            return StepRefusal("place", "only a line of the log is dropped; what stands or is open stays")
        if step.id in self._leant_on:
            return StepRefusal("leant-on", "another line rests on it")
        self._close(number, LineChange(EventType.DROPPED, step.id, reason=step.reason))
        return None

    # -- checks that all steps share -------------------------------------------------------------------------

    def _present(self, ids: Sequence[str]) -> list[Line] | StepRefusal:
        if len(set(ids)) < len(ids):
            return StepRefusal("numbers", "it names one line twice")
        for id_ in ids:
            if id_ in self._gone:
                return StepRefusal(
                    "taken", f"line {self._gone[id_]} of the answer has dealt with one of its lines"
                )
            if id_ not in self._live:
                return StepRefusal("gone", "one of its lines is no longer there")
        return [self._live[id_] for id_ in ids]

    def _unfit(self, ids: Sequence[str]) -> StepRefusal | None:
        """Return why these lines may not be removed: they are the person's, or enough have been removed."""
        for id_ in ids:
            line = self._live[id_]
            if is_own(line) or id_ in self._kept or line.standing.is_set_aside:
                return StepRefusal(
                    "own", "one of its lines is pinned, or the person's own: it may not be touched"
                )
        if len(ids) > self._room:
            self._has_more = True
            return StepRefusal("room", "no more lines may go in this round")
        return None

    def _judged(
        self, apart: Sequence[str], judge: Callable[[KnownLines], Observation | StepRefusal]
    ) -> Observation | StepRefusal:
        """Judge a new line against the known lines, without those that it replaces."""
        taken = [self._live[id_].observation for id_ in apart]
        for observation in taken:
            self._known.close(observation.id)
        made = judge(self._known)
        for observation in taken:
            self._known.add(observation)
        if isinstance(made, Observation) and self._is_barred(made):
            return StepRefusal("deleted-by-hand", "a person took this out before, or it was there before")
        return made

    def _born(self, made: Observation, *, is_shown: bool) -> Line:
        standing = at_birth(made)
        if not is_shown:
            standing = standing_after(standing, _hidden(made).event(0, self._run_id))
        return Line(made, standing)

    def _add(self, born: Line) -> None:
        self._observations.append(born.observation)
        self._live[born.observation.id] = born
        self._known.add(born.observation)
        self._saved_units -= _size(born)
        if not born.standing.is_shown:
            self._changes.append(_hidden(born.observation))

    def _close(self, number: int, change: LineChange) -> None:
        self._room -= 1
        self._changes.append(change)
        self._gone[change.id] = number
        self._saved_units += _size(self._live.pop(change.id))
        self._known.close(change.id)

    def _note(self, change: LineChange) -> None:
        self._changes.append(change)
        line = self._live[change.id]
        self._live[change.id] = line._replace(
            standing=standing_after(line.standing, change.event(0, self._run_id))
        )


def _hidden(made: Observation) -> LineChange:
    return LineChange(EventType.TRIMMED, made.id, reason="nothing it is made of was shown")


def _is_merged(line: Line) -> bool:
    return bool(line.observation.supports) and not line.observation.level


def _size(line: Line) -> int:
    return units(shown(line)) + 1
