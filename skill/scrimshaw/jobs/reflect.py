"""One run of the reflector over a workspace's ledger: what time has done, then what core/reflecting decides.

MEMORY.md is not written by `reflect`: whoever calls it publishes when that may be (rule 14), as `run` does
for a person who asked. What a person did to the section is taken first: they may have deleted the very line
that another one would be merged into. Decided on one version of the ledger and appended to that one only;
when another process was faster it is decided anew.
"""

from __future__ import annotations

import logging
import secrets
import tempfile
from collections import Counter
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from scrimshaw import files
from scrimshaw.clock import milliseconds
from scrimshaw.core.model import EventType, Line
from scrimshaw.core.reflecting import NOTHING, Reflection
from scrimshaw.core.reflecting import reflect as decide
from scrimshaw.errors import UserError
from scrimshaw.jobs import edits
from scrimshaw.jobs.ageing import UNAGED, Aged, age
from scrimshaw.jobs.order import Order, Published
from scrimshaw.jobs.publish import publish
from scrimshaw.jobs.target import Target
from scrimshaw.locks import write_lock
from scrimshaw.store.ledger import Ledger, copy_ledger, open_ledger
from scrimshaw.store.records import Accepted, Conflict, Run

log = logging.getLogger(__name__)

NOTE = "reflected"  # the ledger's note of the version that nothing is left to do at
_MOST_TRIES = 5
_LOCK_SECONDS = 15.0


class Outcome(StrEnum):
    """How a reflection ended."""

    REFLECTED = "reflected"
    NOTHING = "nothing"  # there was nothing to change
    WAITING = "waiting"  # for the person to say whether a large change of the section was meant
    CONTESTED = "contested"  # other processes kept writing; nothing was merged, the next run tries again


@dataclass(frozen=True, slots=True)
class Reflected:
    """What a reflection did; *lines* holds every line that it names, as they were before."""

    run_id: str
    outcome: Outcome
    reflection: Reflection = NOTHING
    aged: Aged = UNAGED
    lines: Mapping[str, Line] = field(default_factory=dict)

    def counts(self) -> dict[str, int]:
        """Return how many lines were merged, superseded, completed, promoted, expired and retired."""
        told = Counter(change.type.value for change in self.reflection.changes)
        names = (EventType.MERGED, EventType.SUPERSEDED, EventType.COMPLETED, EventType.PROMOTED)
        return {
            **{name.value: told[name.value] for name in names},
            "expired": len(self.aged.expired),
            "retired": len(self.aged.retired),
        }


def run(target: Target, now: datetime, *, trigger: str = "command") -> tuple[Reflected, Published]:
    """Reflect and bring dated files and section up to date."""
    files.own_folder(target.layout.workspace)
    with open_ledger(target.layout.ledger, create=False) as ledger:
        reflected = reflect(target, ledger, now=now, trigger=trigger)
        return reflected, publish(target, ledger, Order(reflected.run_id, now, reason="reflect"))


def rehearse(target: Target, now: datetime) -> tuple[Reflected, Published]:
    """Do the same on a copy of the ledger in a temporary folder; nothing in the workspace is written."""
    with tempfile.TemporaryDirectory(prefix="scrimshaw-rehearsal-") as folder:
        copy = Path(folder) / "ledger.sqlite"
        copy_ledger(target.layout.ledger, copy)
        with open_ledger(copy, create=False) as ledger:
            reflected = reflect(target, ledger, now=now, trigger="rehearsal", writes=False)
            order = Order(reflected.run_id, now, reason="reflect", writes=False)
            return reflected, publish(target, ledger, order)


def reflect(target: Target, ledger: Ledger, *, now: datetime, trigger: str, writes: bool = True) -> Reflected:
    """Go over the ledger's live lines once; only the ledger is written.

    *writes* is False for a rehearsal's copy of the ledger. Raises UserError when the workspace stays locked.
    """
    order = Order(f"{now:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}", now, reason="reflect", writes=writes)
    at_ms = milliseconds(now)
    ledger.begin_run(Run(order.run_id, "reflect", trigger, "rules", at_ms))
    outcome, error = "killed", ""
    try:
        state = target.layout.state
        lock = write_lock(state, by="reflect", now=now, timeout_seconds=_LOCK_SECONDS)
        with lock if writes else nullcontext():
            done = _reflect(target, ledger, order)
        outcome = done.outcome.value
    except UserError as failed:
        outcome, error = "failed", failed.problems[0] if failed.problems else ""
        raise
    finally:
        ledger.finish_run(order.run_id, outcome=outcome, at_ms=at_ms, error=error)
    _log(target, done)
    return done


def _reflect(target: Target, ledger: Ledger, order: Order) -> Reflected:
    for path in (target.layout.aside, target.layout.memory):
        if edits.take_from_other(target, ledger, order, path) is not None:
            ledger.set_meta(NOTE, str(ledger.version()))  # nothing more to say before the ledger grows
            return Reflected(order.run_id, Outcome.WAITING)
    before = {line.observation.id: line for line in ledger.live_lines()}
    aged = age(target, ledger, now=order.now, run_id=order.run_id)
    named = {id_: before[id_] for id_ in (*aged.expired, *aged.retired) if id_ in before}
    for _ in range(_MOST_TRIES):
        version = ledger.version()
        live = {line.observation.id: line for line in ledger.live_lines()}
        reflection = decide(live.values())
        events = [change.event(milliseconds(order.now), order.run_id) for change in reflection.changes]
        match ledger.append(events, expected_version=version):
            case Accepted(version=after):
                if not reflection.has_more:
                    ledger.set_meta(NOTE, str(after))
                ids = {id_ for change in reflection.changes for id_ in (change.id, change.other_id)}
                named |= {id_: live[id_] for id_ in ids & live.keys()}
                is_changed = bool(reflection.changes or any(aged))
                outcome = Outcome.REFLECTED if is_changed else Outcome.NOTHING
                return Reflected(order.run_id, outcome, reflection, aged, named)
            case Conflict():
                continue
    return Reflected(order.run_id, Outcome.CONTESTED, aged=aged, lines=named)


def _log(target: Target, done: Reflected) -> None:
    """One canonical line a run, without any text of a line."""
    counts = " ".join(f"{name}={count}" for name, count in done.counts().items())
    log.info(
        "run=%s agent=%s job=reflect outcome=%s %s has_more=%s",
        done.run_id,
        target.agent_id,
        done.outcome,
        counts,
        done.reflection.has_more,
    )
