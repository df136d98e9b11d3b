"""One run of the reflector over a workspace's ledger: what time has done, then what the rules decide.

MEMORY.md is not written by `reflect`: whoever calls it publishes when that may be (rule 14), as `run` does
for a person who asked. What a person did to the section is taken first: they may have deleted the very line
that another one would be merged into. Decided on one version of the ledger and appended to that one only;
when another process was faster it is decided anew.

A model is asked before the lock is taken (rule 10, services/reflect/ask_model). What it proposed is held
against the lines once more under the lock; the rules go on with what is left of the cycle's share. Whatever
becomes of the model, the rules have their turn at once.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from scrimshaw.clock import milliseconds
from scrimshaw.config import OFFLINE
from scrimshaw.core.consolidation.apply_plan import RefusedStep as StepRefused
from scrimshaw.core.consolidation.apply_plan import Step, Supersede
from scrimshaw.core.consolidation.rules import NOTHING, Reflection, room_for
from scrimshaw.core.consolidation.rules import reflect as decide
from scrimshaw.core.ledger.lifecycle import at_birth
from scrimshaw.core.ledger.observations import CLOSING, ReviewProposal
from scrimshaw.core.prompting.reflect_prompt import NO_SIZES, Sizes, sizes
from scrimshaw.core.types import Author, EventType, Line, Observation, Place, Proposal, Rejected
from scrimshaw.errors import Exit
from scrimshaw.locks import write_lock
from scrimshaw.models.model import Opens
from scrimshaw.services.conversations.follow import condense_due
from scrimshaw.services.observe.task import RunStopped
from scrimshaw.services.publish import hand_edits
from scrimshaw.services.publish.expiry import UNAGED, Aged, age
from scrimshaw.services.publish.result import REFUSED, Published, PublishRequest
from scrimshaw.services.publish.run import finish_forgetting, publish
from scrimshaw.services.reflect.ask_model import NOBODY, Advice, advise, consolidated, note_asked
from scrimshaw.services.results import WorkspaceResult
from scrimshaw.services.runs import recorded, rehearsal
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.records import Accepted, Batch, RunCounts, WriteConflict
from scrimshaw.workspace import Target, own_folder

log = logging.getLogger(__name__)

COMMAND = "command"  # the trigger when a person is waiting
NOTE = "reflected"  # the ledger's note of the version that nothing is left to do at
_RULES = "rules"
_A_PERSONS_TO_DECIDE = frozenset({"about", "important"})  # of what keeps a line from being superseded
_MOST_TRIES = 5
_USED_UP = 0.25  # of what a cycle may take away: an answer of so much may have had more to say
_LOCK_SECONDS = 15.0


class ReflectOutcome(StrEnum):
    """How a reflection ended."""

    REFLECTED = "reflected"
    NOTHING = "nothing"  # there was nothing to change
    WAITING = "waiting"  # for the person to say whether a large change of the section was meant
    CONTESTED = "contested"  # other processes kept writing; nothing was merged, the next run tries again


@dataclass(frozen=True, slots=True)
class Reflected:
    """What a reflection did; *lines* holds every line that it names, as they were before; new ones as made.

    *made* are a model's new lines, *refused* what else it proposed. *before* and *after* is how much the live
    lines are; what the section shows of them then follows from publishing.
    """

    run_id: str
    outcome: ReflectOutcome
    reflection: Reflection = NOTHING
    aged: Aged = UNAGED
    lines: Mapping[str, Line] = field(default_factory=dict)
    advice: Advice = NOBODY
    made: tuple[Observation, ...] = ()
    refused: tuple[StepRefused, ...] = ()
    to_review: int = 0  # of what was refused, how much waits for a person
    before: Sizes = NO_SIZES
    after: Sizes = NO_SIZES

    @property
    def patterns(self) -> tuple[Observation, ...]:
        """The new lines that stand beside those they rest on."""
        replacing = {change.other_id for change in self.reflection.of(EventType.MERGED)}
        return tuple(made for made in self.made if made.level and made.id not in replacing)

    def counts(self) -> dict[str, int]:
        """Return how many lines were merged, superseded … by what was done to them."""
        told = Counter(change.type.value for change in self.reflection.changes)
        names = (EventType.MERGED, EventType.SUPERSEDED, EventType.COMPLETED, EventType.PROMOTED)
        return {
            **{name.value: told[name.value] for name in names},
            "dropped": told[EventType.DROPPED.value],
            "generalised": len(self.patterns),
            "expired": len(self.aged.expired),
            "retired": len(self.aged.retired),
        }


@dataclass(frozen=True, slots=True)
class ReflectResult(WorkspaceResult):
    """What a reflection did to the lines and to the section."""

    reflected: Reflected
    published: Published

    @property
    def exit_code(self) -> Exit:
        if self.published.result in REFUSED or self.reflected.outcome is ReflectOutcome.WAITING:
            return Exit.REFUSED
        return Exit.LOCKED if self.reflected.outcome is ReflectOutcome.CONTESTED else Exit.OK

    def to_dict(self) -> dict[str, Any]:
        done = self.reflected
        return {
            **self.head(),
            "outcome": done.outcome.value,
            "counts": done.counts(),
            "has_more": done.reflection.has_more,
            "before": done.before._asdict(),
            "after": done.after._asdict(),
            "model": _model_dict(done),
            "changes": [
                {"what": change.type.value, "id": change.id, "by": change.other_id, "reason": change.reason}
                for change in done.reflection.changes
            ],
            "section": {"result": self.published.result.value, "path": str(self.published.path)},
            "exit_code": int(self.exit_code),
        }


def _model_dict(done: Reflected) -> dict[str, Any] | None:
    advice = done.advice
    if not advice.model:
        return None
    made = [
        {"id": one.id, "text": one.text, "supports": list(one.supports), "pattern": one.pattern}
        for one in done.made
    ]
    return {
        "name": advice.model,
        "place": advice.place,
        "calls": advice.used.calls,
        "tokens_in": advice.used.tokens_in,
        "tokens_out": advice.used.tokens_out,
        "cost_microdollars": advice.used.cost_microdollars,
        "lines_shown": advice.shown,
        "lines_left_out": advice.left_out,
        "trouble": advice.trouble,
        "made": made,
        "refused": [{"line": one.number, "reason": one.reason, "detail": one.detail} for one in done.refused],
    }


def run(
    target: Target,
    now: datetime,
    *,
    trigger: str = COMMAND,
    opens: Opens | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
    thread_id: str = "",
) -> ReflectResult:
    """Reflect, condense the log of *thread_id* if named, and bring dated files and section up to date."""
    with open_ledger(target.layout.ledger, create=False) as ledger:
        own_folder(target, makes=False)
        reflected = reflect(
            target, ledger, now=now, trigger=trigger, opens=opens, is_stopped=is_stopped, thread_id=thread_id
        )
        published = publish(target, ledger, PublishRequest(reflected.run_id, now, reason="reflect"))
        return ReflectResult(target, replace(reflected, after=sizes(ledger.live_lines())), published)


def rehearse(target: Target, now: datetime) -> ReflectResult:
    """Do the same on a copy of the ledger in a temporary folder; no model is asked.

    Nothing in the workspace is written.
    """
    with rehearsal(target) as ledger:
        reflected = reflect(target, ledger, now=now, trigger="rehearsal", writes=False)
        order = PublishRequest(reflected.run_id, now, reason="reflect", writes=False)
        published = publish(target, ledger, order)
        after = sizes(ledger.live_lines())
        return ReflectResult(target, replace(reflected, after=after), published)


def reflect(
    target: Target,
    ledger: Ledger,
    *,
    now: datetime,
    trigger: str,
    writes: bool = True,
    opens: Opens | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
    thread_id: str = "",
) -> Reflected:
    """Go over the ledger's live lines once, and condense logs of conversations; only these are written.

    *writes* is False for a rehearsal's copy of the ledger. Without *opens* no model is asked. Raises
    UserError when the workspace stays locked, and RunStopped when *is_stopped* says so while a model
    is asked.
    """
    by = target.config.settings.reflector_model if opens is not None else _RULES
    with recorded(ledger, "reflect", trigger, now, by=by if by != OFFLINE else _RULES) as run:
        order = PublishRequest(run.id, now, reason="reflect", writes=writes)
        advice = advise(
            target,
            ledger,
            run_id=order.run_id,
            now=now,
            is_asked_for=trigger == COMMAND,
            opens=opens,
            is_stopped=is_stopped,
        )
        run.error = advice.trouble
        if advice.is_stopped:
            raise RunStopped
        state = target.layout.state
        lock = write_lock(state, by="reflect", now=now, timeout_seconds=_LOCK_SECONDS)
        with lock if writes else nullcontext():
            done = _reflect(target, ledger, order, advice)
        if writes:
            condense_due(target, ledger, now, run.id, thread_id)
            if target.is_in_home:
                from scrimshaw.services.working.patterns import share_patterns  # loads what a fleet needs

                share_patterns(target, ledger, now)
        run.outcome = done.outcome.value
    _log(target, done)
    return done


class _Decided(NamedTuple):
    """What a cycle does to the lines: a model's plan first, then the rules with what room it left."""

    reflection: Reflection
    made: tuple[Observation, ...] = ()
    refused: tuple[StepRefused, ...] = ()
    waiting: frozenset[str] = frozenset()  # lines that the next cycle may have room for


def _decide(ledger: Ledger, advice: Advice, lines: list[Line], run_id: str) -> _Decided:
    if not advice.plan.steps:
        return _Decided(decide(lines), refused=advice.refused)
    room = room_for(len(lines))
    ids = {line.observation.id for line in lines} & advice.plan.ids()
    planned = consolidated(ledger, advice.plan, lines, ids, room=room, run_id=run_id)
    rest = decide(planned.lines, room=room - planned.removed)
    reflection = Reflection(planned.changes + rest.changes, planned.has_more or rest.has_more)
    # Where nothing could go there is no point in asking the same again at once.
    numbers = {one.number for one in planned.refused if one.reason == "room" and planned.removed}
    waiting = frozenset(advice.plan.ids_of(numbers))
    hidden = any(line.standing.is_live and not line.standing.is_shown for line in planned.lines)
    if hidden and planned.removed >= _USED_UP * room:
        # It had more to say than a cycle may do, and lines still find no place: the rest is asked on.
        waiting |= advice.gone_over & {line.observation.id for line in planned.lines}
    return _Decided(reflection, planned.observations, planned.refused, waiting)


def _reflect(target: Target, ledger: Ledger, order: PublishRequest, advice: Advice) -> Reflected:
    if order.writes:
        finish_forgetting(target, ledger, order)
    for path in (target.layout.aside, target.layout.memory):
        if hand_edits.take_from_other(target, ledger, order, path) is not None:
            ledger.set_meta(NOTE, str(ledger.version()))  # nothing more to say before the ledger grows
            return Reflected(order.run_id, ReflectOutcome.WAITING, advice=advice)
    before = {line.observation.id: line for line in ledger.live_lines()}
    aged = age(target, ledger, now=order.now, run_id=order.run_id)
    before |= {line.observation.id: line for line in ledger.live_lines() if line.observation.id not in before}
    named = {id_: before[id_] for id_ in (*aged.expired, *aged.retired) if id_ in before}
    for _ in range(_MOST_TRIES):
        version = ledger.version()
        lines = ledger.live_lines()
        decided = _decide(ledger, advice, lines, order.run_id)
        match ledger.accept(_batch(decided, advice, order, lines), expected_version=version):
            case Accepted(version=after):
                if not decided.reflection.has_more:
                    ledger.set_meta(NOTE, str(after))
                note_asked(ledger, advice, decided.made, decided.waiting, order.now)
                named |= _named(decided, lines)
                is_changed = bool(decided.reflection.changes or any(aged))
                return Reflected(
                    order.run_id,
                    ReflectOutcome.REFLECTED if is_changed else ReflectOutcome.NOTHING,
                    decided.reflection,
                    aged,
                    named,
                    advice,
                    decided.made,
                    decided.refused,
                    to_review=sum(1 for _ in _to_review(decided, advice, lines)),
                    before=sizes(before.values()),
                )
            case WriteConflict():
                continue
    return Reflected(order.run_id, ReflectOutcome.CONTESTED, aged=aged, lines=named, advice=advice)


def _batch(decided: _Decided, advice: Advice, order: PublishRequest, lines: list[Line]) -> Batch:
    at_ms = milliseconds(order.now)
    steps = max(len(advice.plan.steps) + len(advice.plan.refused), len(decided.refused))
    return Batch(
        order.run_id,
        at_ms,
        observations=decided.made,
        events=tuple(change.event(at_ms, order.run_id) for change in decided.reflection.changes),
        rejections=tuple(_to_review(decided, advice, lines)),
        counts=RunCounts(proposals=steps, accepted=steps - len(decided.refused)),
    )


def _to_review(decided: _Decided, advice: Advice, lines: list[Line]) -> Iterator[ReviewProposal]:
    """Yield what a later line replaces in a model's eyes, and not by form: a person decides."""
    live = {line.observation.id: line for line in lines}
    steps: dict[int, Step] = dict(advice.plan.steps)
    for refused in decided.refused:
        step = steps.get(refused.number)
        if not isinstance(step, Supersede) or refused.reason not in _A_PERSONS_TO_DECIDE:
            continue
        line, by = live[step.id], live[step.by_id].observation
        if not by.session_id:
            continue  # a person's own line: what it replaces they have decided
        is_done = line.standing.place is Place.OPEN and by.done
        proposal = Proposal(
            text=by.text,
            kind=by.kind,
            priority=by.priority,
            sources=by.sources,
            speaker=by.speaker,
            place=by.place,
            done=by.done,
            refers_to=by.refers_to,
            replaces=() if is_done else (step.id,),
            completes=(step.id,) if is_done else (),
            claim=by.claim,
        )
        rejected = Rejected(proposal, CLOSING, refused.detail)
        yield ReviewProposal(by.session_id, rejected, Author.MODEL, by.said_at_ms, by.zone)


def _named(decided: _Decided, lines: list[Line]) -> dict[str, Line]:
    found = {line.observation.id: line for line in lines}
    found |= {made.id: Line(made, at_birth(made)) for made in decided.made}
    ids = {id_ for change in decided.reflection.changes for id_ in (change.id, change.other_id)}
    ids |= {id_ for made in decided.made for id_ in (made.id, *made.supports)}
    return {id_: found[id_] for id_ in ids & found.keys()}


def _log(target: Target, done: Reflected) -> None:
    """One canonical line a run, without any text of a line."""
    counts = " ".join(f"{name}={count}" for name, count in done.counts().items())
    log.info(
        "run=%s agent=%s job=reflect outcome=%s %s has_more=%s model=%s tries=%d refused=%d trouble=%r",
        done.run_id,
        target.agent_id,
        done.outcome,
        counts,
        done.reflection.has_more,
        done.advice.model or _RULES,
        done.advice.tries,
        len(done.refused),
        done.advice.trouble,
    )
