"""Undo a revision: the ledger first, in one transaction, then the section.

Under the write lock what a person did to the section by hand is taken, what was decided in a conversation
and is in no revision yet gets one (services/edit/sittings), then core/ledger/undo says what
undoing takes, and it is appended to that version of the ledger or decided anew. The section is published like
after any run, but nothing expires in it and no hidden line comes in: at the newest revision it is, to the
byte, the one before. Killed between the two, the undo stands and the next run writes it; asked again, this
one does.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from scrimshaw import files
from scrimshaw.clock import milliseconds
from scrimshaw.core.ledger.undo import (
    History,
    Marks,
    RevisionSpan,
    Undoing,
    beginning,
    named,
    undo,
    undone_by,
)
from scrimshaw.core.section import markers
from scrimshaw.core.section.edits import PERSON
from scrimshaw.core.types import Author, Event, EventType, Line
from scrimshaw.errors import UserError, refused_error, saying, usage_error
from scrimshaw.locks import write_lock
from scrimshaw.logs import canonical
from scrimshaw.services.edit.find_line import shortened
from scrimshaw.services.edit.sittings import close_sittings
from scrimshaw.services.publish import first_write, hand_edits
from scrimshaw.services.publish.intents import note_revision
from scrimshaw.services.publish.memory_file import is_kept_aside, memory_record, own_folders, read_document
from scrimshaw.services.publish.result import Published, PublishOutcome, PublishRequest
from scrimshaw.services.publish.run import finish_forgetting, publish
from scrimshaw.services.results import SectionResult
from scrimshaw.services.runs import CONSOLIDATION, recorded, rehearsal
from scrimshaw.store.events import FIRST_UNDONE
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.records import Revision, StoredEvent
from scrimshaw.workspace import Target, own_folder

log = logging.getLogger(__name__)

_LOCK_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class UndoResult(SectionResult):
    """What was undone. *lines* holds every line that is named, as it was before."""

    revision: Revision
    before: Revision | None  # the one that the section goes back to; None: there was no section
    undoing: Undoing
    published: Published
    lines: Mapping[str, Line] = field(default_factory=dict)
    is_finished: bool = False  # it was undone already, and only MEMORY.md was still to be written
    is_written: bool = True  # False: a rehearsal

    @property
    def is_exact(self) -> bool:
        """Whether the section is, to the byte, what it was before that revision."""
        return self.published.body == (self.before.body if self.before else "")

    @property
    def is_taken_out(self) -> bool:
        """Whether the section is gone: its first revision was undone, and nothing was left to show."""
        return (
            self.before is None
            and self.is_exact
            and self.published.result in (PublishOutcome.WRITTEN, PublishOutcome.SHOWN)
        )

    @property
    def next_step(self) -> str:
        """What brings a section back that was taken out; "" while one stands."""
        return "to have a section again: scrimshaw init" if self.is_taken_out and self.is_written else ""

    def to_dict(self) -> dict[str, Any]:
        undoing = self.undoing
        return {
            **self.head(),
            "undone": self.revision.number,
            "back_to": self.before.number if self.before else None,
            "is_exact": self.is_exact,
            "is_written": self.is_written,
            "gone": list(undoing.gone),
            "back": list(undoing.back),
            "changed": list(undoing.changed),
            "by_hand": sorted({event.observation_id for event in undoing.of_person}),
            "texts": {id_: line.observation.text for id_, line in self.lines.items()},
            "section": self.published.result.value,
            "revision": self.published.revision or None,
            "next_step": self.next_step,
            "exit_code": int(self.exit_code),
        }


class _Decided(NamedTuple):
    revision: RevisionSpan
    before: RevisionSpan | None
    undoing: Undoing
    lines: Mapping[str, Line]


def run(target: Target, now: datetime, number: int | None = None) -> UndoResult:
    """Undo revision *number*, or the newest that still counts; raise UserError with what is against it."""
    own_folder(target)
    with open_ledger(target.layout.ledger, create=False) as ledger:
        return _undone(target, ledger, now, number, writes=True)


def rehearse(target: Target, now: datetime, number: int | None = None) -> UndoResult:
    """Do the same on a copy of the ledger in a temporary folder; nothing in the workspace is written."""
    with rehearsal(target) as ledger:
        return _undone(target, ledger, now, number, writes=False)


def _undone(target: Target, ledger: Ledger, now: datetime, number: int | None, *, writes: bool) -> UndoResult:
    with recorded(ledger, "undo", "command", now, failed="refused") as run:
        order = PublishRequest(run.id, now, reason="undo", writes=writes, is_undo=True)
        lock = write_lock(target.layout.state, by="undo", now=now, timeout_seconds=_LOCK_SECONDS)
        with lock if writes else nullcontext():
            if writes:
                # An undo that was killed after publishing: the second call has nothing left to publish.
                for folder in own_folders(target):
                    files.sweep(folder)
                with saying("Nothing was undone."):
                    finish_forgetting(target, ledger, order)
            _refuse_unknown(ledger.past.stretches(), number)
            _refuse_unwritable(target, ledger)
            _take_edits(target, ledger, order)
            decided = _decide_and_append(target, ledger, number, order)
            order = replace(order, takes_out=decided.before is None)
        published = publish(target, ledger, order)
        if writes and published.result is PublishOutcome.UNCHANGED:
            note_revision(ledger, order)
        run.outcome = published.result.value
    undoing, section = decided.undoing, published.result.value
    changed = {"events": len(undoing.events), "gone": len(undoing.gone), "back": len(undoing.back)}
    told = {"undone": decided.revision.number, **changed, "section": section, "revision": published.revision}
    log.info(canonical(run=run.id, agent=target.agent_id, job="undo", **told))
    revision = ledger.past.revision(decided.revision.number)
    before = ledger.past.revision(decided.before.number) if decided.before else None
    assert revision, "it was read a moment ago"
    is_finished = not undoing.events
    done = UndoResult(target, revision, before, undoing, published, decided.lines, is_finished, writes)
    if done.is_taken_out:
        hand_edits.switch(ledger, order, EventType.DISABLED, FIRST_UNDONE)
    return done


def _refuse_unwritable(target: Target, ledger: Ledger) -> None:
    """Raise UserError where the section could not be written: the ledger is to say what the section says."""
    if by := ledger.section_removed_by():
        raise refused_error(
            f"The section was taken out of MEMORY.md by {by}, so there is nothing to put back. "
            "Nothing was undone.",
            next_step="scrimshaw init brings the section back; then this again",
        )
    path = _file_of(target)
    state = read_document(target, ledger, path)[1].state
    if isinstance(state, markers.Damaged):
        raise refused_error(
            *(f"{path.name}: {problem}" for problem in state.problems),
            "Nothing was undone.",
            next_step="mend the file (scrimshaw doctor says how), then this again",
        )


def _file_of(target: Target) -> Path:
    is_aside = is_kept_aside(target, memory_record(target))
    return target.layout.aside if is_aside else target.layout.memory


def _take_edits(target: Target, ledger: Ledger, order: PublishRequest) -> None:
    for path in (target.layout.aside, target.layout.memory):
        stopped = hand_edits.take_from_other(target, ledger, order, path)
        if stopped is not None:
            raise refused_error(
                *(f"{path.name}: {problem}." for problem in stopped.problems),
                "Nothing was undone.",
                next_step="scrimshaw accept-edits (they are to go) or scrimshaw restore; then this again",
            )


def _decide_and_append(target: Target, ledger: Ledger, number: int | None, order: PublishRequest) -> _Decided:
    with ledger.transaction():  # nothing is closed into a revision where the undo is refused
        if number is None:
            close_sittings(ledger, order)
        decided = plan_undo(ledger, number, milliseconds(order.now))
        if decided.undoing.dependents:
            raise _refusal(ledger, decided)
        if decided.before is None:  # what stood there is to be found before anything is undone
            path = _file_of(target)
            first_write.text_before(target, ledger, path, read_document(target, ledger, path)[1])
        if decided.undoing.events:
            ledger.append(decided.undoing.events)
        return decided


def plan_undo(ledger: Ledger, number: int | None, at_ms: int) -> _Decided:
    """Return what undoing revision *number* (None: the newest that counts) takes; raise UserError if none."""
    marks = Marks(ledger.past.stretches(), ledger.past.undos())
    stretches, void = marks.stretches, undone_by(marks)
    at = _chosen(stretches, void, number)
    revision, before = stretches[at], stretches[at - 1] if at else None
    later = [one.number for one in _counting(stretches, void) if one.number > revision.number]
    if before is None and later and revision.number not in void:
        raise refused_error(
            f"Revision {revision.number} is the first: before it there was no section, and what later ones "
            "brought stands in it. Nothing was undone.",
            next_step=f"undo those first: scrimshaw undo {later[-1]}",
        )
    if by := void.get(revision.number):
        raise refused_error(
            f"Revision {revision.number} is undone already, by revision {by}. Nothing was undone.",
            next_step=f"scrimshaw undo {by} takes that back",
        )
    if revision.after_seq == revision.last_seq:
        raise refused_error(
            f"Revision {revision.number} brought nothing: the section was only written again, or elsewhere. "
            "Nothing was undone.",
            next_step="scrimshaw log shows which revision brought what",
        )
    if ledger.past.has_forgotten(revision):
        raise refused_error(
            f"In revision {revision.number} something was forgotten, and that cannot be undone. "
            "Nothing was undone.",
            next_step=(f"scrimshaw undo {before.number} for what came before it; " if before else "")
            + "scrimshaw log lists them",
        )
    undoing = undo(_history(ledger, marks, revision), revision, at_ms, PERSON)
    told = {event.observation_id for event in (*undoing.events, *undoing.of_person)}
    told |= {one.line for one in undoing.dependents}
    return _Decided(revision, before, undoing, ledger.lines(told - {""}))


def _history(ledger: Ledger, marks: Marks, revision: RevisionSpan) -> History:
    """Return what there is to look at; never the whole ledger, which may be long."""
    events = ledger.events_since(beginning(marks, revision))
    apart = _moved(ledger, events)
    ids = named(marks, [stored for stored in events if stored.seq not in apart], revision)
    own: dict[str, list[tuple[int, Event]]] = {}
    for stored in (of_lines := ledger.past.events_of(ids)):
        own.setdefault(stored.event.observation_id, []).append(stored)
    born = {stored.event.observation_id for stored in events if stored.event.type is EventType.OBSERVED}
    lines = ledger.lines(ids | born)
    return History(
        marks,
        events,
        own,
        {id_: line.observation for id_, line in lines.items()},
        {id_: line.standing for id_, line in lines.items()},
        ledger.past.undone_lines(),
        ledger.past.forgotten_lines(),
        apart | _moved(ledger, of_lines),
    )


def _moved(ledger: Ledger, events: Collection[StoredEvent]) -> frozenset[int]:
    """Return the numbers of those of *events* by which programs' memories came into the ledger."""
    runs = {by: ledger.past.run(by) for by in {stored.event.by for stored in events}}
    moving = [one for one in events if (run := runs[one.event.by]) and run.job == CONSOLIDATION]
    lines = ledger.lines({one.event.observation_id for one in moving})
    programs = {id_ for id_, line in lines.items() if line.observation.author is Author.PROGRAM}
    return frozenset(one.seq for one in moving if one.event.observation_id in programs)


def _chosen(stretches: Sequence[RevisionSpan], void: Mapping[int, int], number: int | None) -> int:
    """Return the place of the revision that is meant; without a number neither an undo nor what is undone."""
    if not stretches:
        raise refused_error(
            "Nothing was written to MEMORY.md yet, so there is nothing to undo.",
            next_step="scrimshaw observe",
        )
    _refuse_unknown(stretches, number)
    if number is not None:
        return next(at for at, one in enumerate(stretches) if one.number == number)
    if 0 in void.values():  # undone by a run that was killed before it wrote: that is to be finished
        return next(at for at, one in enumerate(stretches) if void.get(one.number) == 0)
    uninvolved = [at for at, one in enumerate(stretches) if one.number not in {*void, *void.values()}]
    changing = _counting(stretches, void)
    return stretches.index(changing[-1]) if changing else (uninvolved or [0])[-1]


def _refuse_unknown(stretches: Sequence[RevisionSpan], number: int | None) -> None:
    if number is not None and stretches and all(one.number != number for one in stretches):
        raise usage_error(
            f"There is no revision {number}. Nothing was undone.", next_step="scrimshaw log lists them"
        )


def _counting(stretches: Sequence[RevisionSpan], void: Mapping[int, int]) -> list[RevisionSpan]:
    """Return the revisions that brought something and still count; an undo is none."""
    involved = {*void, *void.values()}
    return [one for one in stretches if one.number not in involved and one.after_seq < one.last_seq]


def _refusal(ledger: Ledger, decided: _Decided) -> UserError:
    holders = ledger.past.stretches()
    told: list[str] = []
    needed: list[int] = []
    for one in decided.undoing.dependents:
        holder = next((stretch.number for stretch in holders if one.seq in stretch), 0)
        where = f"revision {holder}" if holder else "not written yet"
        text = decided.lines[one.line].observation.text if one.line in decided.lines else one.line
        needed += [holder] if holder else []
        what = _HAPPENED.get(one.event.type.value, one.event.type.value)
        told.append(f"  {where}: {what}: {shortened(text)}")
    first = f"Later changes rest on what revision {decided.revision.number} brought. Nothing was undone."
    step = (
        f"undo those first: scrimshaw undo {max(needed)}" if needed else "delete single lines by hand instead"
    )
    return refused_error(first, *dict.fromkeys(told), next_step=step)


_HAPPENED = {
    "superseded": "replaced by a later word",
    "completed": "reported as done",
    "merged": "merged with another line",
    "edited": "changed by hand",
    "restored": "brought back by hand",
    "pinned": "pinned",
    "reinforced": "said again",
    "observed": "a pattern rests on it",
}
