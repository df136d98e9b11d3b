"""What a person decided in a conversation and no revision holds yet: MEMORY.md is written in its next pause.

Each sitting (a note, a pin, a review, an import, decisions on lines) leaves a mark before its first event.
`undo` closes them into revisions of their own, so that it takes back the newest act, and not what was written
before it.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from scrimshaw.clock import milliseconds
from scrimshaw.core.ledger.undo import Marks, undone_by
from scrimshaw.core.types import EventType
from scrimshaw.logs import canonical
from scrimshaw.services.publish.result import PublishRequest
from scrimshaw.services.publish.run import take_edits
from scrimshaw.services.runs import RunRow, recorded
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.records import RevisionState, Run, StoredEvent
from scrimshaw.workspace import Target, own_folder

log = logging.getLogger(__name__)

_NOTE = "sittings"  # the ledger's note of the newest marks
_MOST_MARKS = 50


class _Mark(NamedTuple):
    """Where a sitting begins; all of its events have its time."""

    after_seq: int
    at_ms: int
    run_id: str
    reason: str
    last_seq: int = 0  # 0: its events are known by their time


class _Sitting(NamedTuple):
    first: int  # the numbers of its first and last event
    last: int
    mark: _Mark


class LateRun:
    """A person's run that is in the ledger only once they decide something; for who opened the ledger."""

    def __init__(self, target: Target, ledger: Ledger, order: PublishRequest) -> None:
        self._target, self._ledger, self._order = target, ledger, order
        self._has_begun = False

    def _begin(self) -> None:
        """Record the run, and take what a hand did to the section before the first decision."""
        if self._has_begun:
            return
        order = self._order
        self._ledger.begin_run(Run(order.run_id, order.reason, "command", "person", milliseconds(order.now)))
        self._has_begun = True
        begin_sitting(self._target, self._ledger, order)

    def end(self, outcome: str, error: str = "", **told: object) -> None:
        """Record how it ended, if anything was decided at all."""
        if self._has_begun:
            run_id, job = self._order.run_id, self._order.reason
            at_ms = milliseconds(self._order.now)
            self._ledger.finish_run(run_id, outcome=outcome, at_ms=at_ms, error=error)
            log.info(canonical(run=run_id, job=job, agent=self._target.agent_id, outcome=outcome, **told))


@contextmanager
def sitting(
    target: Target, job: str, by: str, now: datetime, *, tells_error: bool = True
) -> Iterator[tuple[Ledger, RunRow, PublishRequest]]:
    """Open *target*'s ledger for a sitting of one act, and keep a row for it; the workspace is set up."""
    own_folder(target)
    with (
        open_ledger(target.layout.ledger, create=False) as ledger,
        recorded(ledger, job, by, now, tells_error=tells_error) as run,
    ):
        order = PublishRequest(run.id, now, reason=job)
        begin_sitting(target, ledger, order)
        yield ledger, run, order


def begin_sitting(target: Target, ledger: Ledger, order: PublishRequest) -> None:
    """Take what a hand did to the section, and mark that somebody is about to decide."""
    take_edits(target, ledger, order)
    with ledger.transaction():
        mark = _Mark(ledger.version(), milliseconds(order.now), order.run_id, order.reason)
        ledger.set_meta(_NOTE, json.dumps([*_marks(ledger), mark][-_MOST_MARKS:]))


def end_sitting(ledger: Ledger, order: PublishRequest) -> None:
    """Note where it ends: for an import, whose events bring their own times."""
    marks = _marks(ledger)
    end = ledger.version()
    told = [one._replace(last_seq=end) if one.run_id == order.run_id else one for one in marks]
    ledger.set_meta(_NOTE, json.dumps(told))


def close_sittings(ledger: Ledger, order: PublishRequest) -> None:
    """Make a revision of each sitting that is in none, and of what came before it; what came after is left.

    In a transaction with the undo: they hold the section as it stands, and only the undo writes the next one.
    """
    marks = Marks(ledger.past.stretches(), ledger.past.undos())
    if not marks.stretches or 0 in undone_by(marks).values():
        return  # nothing to go back to, or an undo that was cut off: that is finished first
    end, ours = marks.stretches[-1].last_seq, ledger.past.revision(marks.stretches[-1].number)
    # The file as edited by hand since then is the base of the next merge.
    newest = next(iter(ledger.revisions(1, ours.place)), None) if ours else None
    if newest is None or newest.state is not RevisionState.WRITTEN:
        return
    as_it_stands = replace(newest, number=0, at_ms=milliseconds(order.now))
    for sitting in _sittings(_marks(ledger), ledger.events_since(end)):
        mark = sitting.mark
        parts = [(sitting.first - 1, order.run_id, "observe"), (sitting.last, mark.run_id, mark.reason)]
        for seq, run_id, reason in parts:
            if seq > end:
                number = ledger.add_revision(
                    replace(as_it_stands, run_id=run_id, reason=reason, event_seq=seq)
                )
                ledger.settle_revision(number, RevisionState.WRITTEN)
                end = seq


def _sittings(marks: list[_Mark], events: Iterable[StoredEvent]) -> list[_Sitting]:
    """Return the sittings in *events*, oldest first; of two at the same time one."""
    found: dict[_Mark, _Sitting] = {}
    for stored in events:
        mark = next((mark for mark in reversed(marks) if _holds(mark, stored)), None)
        if mark is not None:
            found[mark] = _Sitting(found[mark].first if mark in found else stored.seq, stored.seq, mark)
    apart: list[_Sitting] = []
    for one in sorted(found.values()):
        if apart and one.first <= apart[-1].last:
            apart[-1] = apart[-1]._replace(last=max(one.last, apart[-1].last))
        else:
            apart.append(one)
    return apart


def _holds(mark: _Mark, stored: StoredEvent) -> bool:
    if stored.event.type is EventType.RECALLED:
        return False  # who searches at that very moment decides nothing
    is_known = mark.at_ms == stored.event.at_ms or stored.seq <= mark.last_seq
    return is_known and mark.after_seq < stored.seq


def _marks(ledger: Ledger) -> list[_Mark]:
    return [_Mark(*one) for one in json.loads(ledger.meta().get(_NOTE, "[]"))]
