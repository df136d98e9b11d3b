"""The ledger into files: dated files from the outbox, then the section of MEMORY.md.

Under the write lock: read the file, take what a person did to it into the ledger, fold the ledger to the
budget, put the body between the markers, store the revision as intended, compare and rename, settle the
revision. A foreign change in between starts it again, three times at most. Everything before the rename
may be repeated: edits taken twice are one edit, and dated files know their lines.

While the host has a record of the agent's own edits, MEMORY.md is only read and the section is kept in
memory/observations/MEMORY.md (rule 13).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from zoneinfo import ZoneInfo

from scrimshaw import files
from scrimshaw.archive import dated
from scrimshaw.clock import milliseconds
from scrimshaw.core import decay, hand, merge, section
from scrimshaw.core.budget import Budget
from scrimshaw.core.fold import Fold, fold, trim
from scrimshaw.core.model import Event, EventType
from scrimshaw.host.provenance import Provenance
from scrimshaw.jobs.memory_file import memory_record, read_text, section_budget
from scrimshaw.jobs.target import Target
from scrimshaw.locks import write_lock
from scrimshaw.store.ledger import Ledger
from scrimshaw.store.records import Batch, Revision, RevisionState

_TRIES = 3
_MERGE_BASES = 100
_LOCK_SECONDS = 15.0


class Result(StrEnum):
    """How the section came out of a run."""

    WRITTEN = "written"
    UNCHANGED = "unchanged"
    EMPTY = "empty"  # nothing to say yet
    NO_ROOM = "no-room"
    DISABLED = "disabled"  # a person took the section out
    DAMAGED = "damaged"  # markers that do not pair up
    TOO_MANY = "too-many-deletions"
    CONTESTED = "contested"  # another program kept writing
    SHOWN = "shown"  # a rehearsal: nothing was written


REFUSED = frozenset({Result.DAMAGED, Result.TOO_MANY, Result.CONTESTED})


@dataclass(frozen=True, slots=True)
class Order:
    """What a publishing run may do and what the person has said."""

    run_id: str
    now: datetime
    reason: str = "observe"
    writes: bool = True  # False: a rehearsal on a copy of the ledger
    edits_are_accepted: bool = False  # the person confirmed a large deletion
    edits_are_refused: bool = False  # … or wants the section back as it was
    brings_back: bool = False  # the person wants a section that they removed


@dataclass(frozen=True, slots=True)
class Published:
    """What became of the section."""

    result: Result
    path: Path
    provenance: Provenance
    body: str = ""
    before: str = ""
    after: str = ""
    budget: Budget | None = None
    revision: int = 0
    problems: tuple[str, ...] = ()
    dated_lines: int = 0


def publish(target: Target, ledger: Ledger, order: Order) -> Published:
    """Bring dated files and section up to date with the ledger; see `Result` for what may come of it."""
    if not order.writes:
        return _attempt(target, ledger, order) or _contested(target)
    with write_lock(target.layout.state, by="publish", now=order.now, timeout_seconds=_LOCK_SECONDS):
        for folder in (target.layout.workspace, target.layout.dated, target.layout.state):
            files.sweep(folder)
        # Dated files first: what was accepted is kept there, whatever becomes of the section (rule 18).
        dated_lines = _write_dated(target, ledger, order)
        for _ in range(_TRIES):
            done = _attempt(target, ledger, order)
            if done is not None:
                return replace(done, dated_lines=done.dated_lines + dated_lines)
    return _contested(target)


def _attempt(target: Target, ledger: Ledger, order: Order) -> Published | None:
    """Publish once; None when the file changed under our hands."""
    record = memory_record(target)
    is_aside = target.config.settings.respect_provenance and record.state != "none"
    path = target.layout.aside if is_aside else target.layout.memory
    raw, text = read_text(path)
    document = section.parse(text)
    if is_aside:
        _take_passive(target, ledger, order)
    if order.brings_back and not ledger.is_section_enabled():
        _switch(ledger, order, EventType.ENABLED, "brought back with scrimshaw init")
    was_removed = raw is not files.ABSENT and not is_aside and not order.brings_back
    stopped = _take_hand(target, ledger, order, document, path, record, was_removed=was_removed)
    if stopped is not None:
        return stopped
    _apply_time(target, ledger, order)
    memory = section.parse(read_text(target.layout.memory)[1]) if is_aside else document
    budget = section_budget(target, memory)
    body, ids = _folded(target, ledger, order, budget, document)
    dated_lines = _write_dated(target, ledger, order)
    done = Published(
        Result.UNCHANGED, path, record, body=body, before=text, budget=budget, dated_lines=dated_lines
    )
    if budget.reason:
        done = replace(done, result=Result.NO_ROOM, problems=(budget.reason,))
    if not body and not isinstance(document.state, section.Owned):
        return replace(done, result=done.result if budget.reason else Result.EMPTY, after=text)
    after = section.put(document, body)
    if after == text and raw is not files.ABSENT:
        _note_unchanged(target, ledger, order, done, ids)
        return replace(done, after=after)
    if not order.writes:
        return replace(done, result=Result.SHOWN, after=after)
    return _written(target, ledger, order, replace(done, after=after), raw, ids)


def _take_passive(target: Target, ledger: Ledger, order: Order) -> None:
    """Take edits from MEMORY.md while the section is kept elsewhere; the file itself is left alone."""
    state = section.parse(read_text(target.layout.memory)[1]).state
    bases = _bases(ledger, target, target.layout.memory)
    if not isinstance(state, section.Owned) or not bases:
        return
    merged = merge.merge(state.inner, bases)
    if isinstance(merged, merge.Edits):
        _take(ledger, hand.from_edits(merged, ledger.line, _moment(target, order)), order)


def _take_hand(
    target: Target,
    ledger: Ledger,
    order: Order,
    document: section.Document,
    path: Path,
    record: Provenance,
    *,
    was_removed: bool,
) -> Published | None:
    """Take a person's edits into the ledger; return an outcome when nothing may be written."""
    stopped = Published(Result.DAMAGED, path, record, before=document.text, after=document.text)
    bases = _bases(ledger, target, path)
    match document.state:
        case section.Damaged(problems):
            return replace(stopped, problems=problems)
        case section.Absent() if not ledger.is_section_enabled():
            return replace(stopped, result=Result.DISABLED)
        case section.Absent() if was_removed and bases:
            # The file is there, the section is not, and we had written one: a hand took it out (rule 9).
            # A file that is gone as a whole says nothing of the section and is made again.
            _switch(ledger, order, EventType.DISABLED, "the section was removed with its markers")
            return replace(stopped, result=Result.DISABLED)
        case section.Absent():
            return None
        case section.Unmarked() if not ledger.is_section_enabled():
            return replace(stopped, result=Result.DISABLED)
        case section.Unmarked(content="") if was_removed and bases:
            # Only the heading is left of what we had written: that is no invitation.
            _switch(ledger, order, EventType.DISABLED, "the section was removed with its markers")
            return replace(stopped, result=Result.DISABLED)
        case section.Unmarked(content=found) | section.Owned(inner=found):
            if not ledger.is_section_enabled():
                _switch(ledger, order, EventType.ENABLED, "put back by hand")
            return _take_found(target, ledger, order, found, bases, stopped)
    return None


def _switch(ledger: Ledger, order: Order, type_: EventType, reason: str) -> None:
    ledger.append([Event(type_, "", milliseconds(order.now), hand.PERSON, reason=reason)])


def _take_found(
    target: Target,
    ledger: Ledger,
    order: Order,
    found: str,
    bases: list[merge.RevisionView],
    stopped: Published,
) -> Published | None:
    moment = _moment(target, order)
    if not bases:
        _take(ledger, _adopted(target, ledger, found, moment), order)
        return None
    if order.edits_are_refused:
        return None
    merged = merge.merge(found, bases, is_accepted=order.edits_are_accepted)
    match merged:
        case merge.Edits():
            _take(ledger, hand.from_edits(merged, ledger.line, moment), order)
        case merge.Restored():
            _take(ledger, hand.from_restore(merged, ledger.line, moment), order)
        case merge.TooMany(deleted=deleted, of=count):
            told = f"{len(deleted)} of the section's {count} lines are gone since it was last written"
            return replace(stopped, result=Result.TOO_MANY, problems=(told,))
        case merge.Unchanged():
            pass
    return None


def _adopted(target: Target, ledger: Ledger, found: str, moment: hand.Moment) -> hand.Taken:
    """Return what a text without a history becomes (rule 9).

    Lines that the ledger knows stay its own; those of a dated file become ours again; the rest is the
    person's.
    """
    archive = [
        merge.ArchiveLine(line.observation.id, line.observation.text, line.observation.local_date)
        for line in ledger.all_lines()
    ]
    kept: dict[str, tuple[str, dated.DatedLine]] = {}
    for number, (day, line) in enumerate(dated.read(target.layout.workspace)):
        if line.kind is not None and not line.superseded_on:
            key = f"dated file {number}"
            kept[key] = day, line
            archive.append(merge.ArchiveLine(key, line.text, day))
    adopted = merge.adopt(found, archive)
    taken = hand.from_import(adopted.imported, ledger.line, moment)
    for written in adopted.known:
        if written.was not in kept:
            continue
        day, entry = kept[written.was]
        if entry.kind is not None:
            ours = hand.recovered(written, entry.kind, day, entry.time, moment)
            taken = hand.Taken(taken.observations + ours.observations, taken.events + ours.events)
    return taken


def _take(ledger: Ledger, taken: hand.Taken, order: Order) -> None:
    with ledger.transaction():
        if taken.observations:
            ledger.accept(
                Batch(run_id=order.run_id, at_ms=milliseconds(order.now), observations=taken.observations)
            )
        if taken.events:
            ledger.append(taken.events)


def _apply_time(target: Target, ledger: Ledger, order: Order) -> None:
    """Write what the date has done to the lines into the ledger, so that the fold needs no clock (rule 1)."""
    today = order.now.astimezone(ZoneInfo(target.zone)).date()
    settings = target.config.settings
    at_ms = milliseconds(order.now)
    lines = ledger.live_lines()
    retired = decay.retired(
        lines,
        now_ms=at_ms,
        today=today,
        ttl_days=settings.ttl_days,
        max_observations=settings.max_observations_per_agent,
        max_reflections=settings.max_reflections_per_agent,
    )
    events = [
        Event(EventType.EXPIRED, id_, at_ms, order.run_id, reason="its date passed")
        for id_ in decay.expired(lines, today)
    ]
    events += [Event(EventType.DROPPED, due.id, at_ms, order.run_id, reason=due.reason) for due in retired]
    if events:
        ledger.append(events)


def _folded(
    target: Target, ledger: Ledger, order: Order, budget: Budget, document: section.Document
) -> tuple[str, tuple[str, ...]]:
    if not budget.body_units:
        return "", ()
    newline_units = len(document.newline)
    lines = ledger.live_lines()
    steps = trim(lines, budget.body_units, zone=target.zone, newline_units=newline_units)
    at_ms = milliseconds(order.now)
    events = [Event(EventType.TRIMMED, id_, at_ms, order.run_id, reason="no room") for id_ in steps.hide]
    events += [Event(EventType.SHOWN, id_, at_ms, order.run_id, reason="room again") for id_ in steps.show]
    if events:
        ledger.append(events)
        lines = ledger.live_lines()
    made: Fold = fold(lines, budget.body_units, zone=target.zone, newline_units=newline_units)
    return made.body, made.shown


def _write_dated(target: Target, ledger: Ledger, order: Order) -> int:
    if not order.writes:
        return 0
    written = 0
    while items := ledger.pending_outbox("dated"):
        numbers = dated.write(target.layout.workspace, target.agent_id, items)
        ledger.mark_done(numbers, at_ms=milliseconds(order.now))
        written += len(numbers)
    return written


def _written(
    target: Target,
    ledger: Ledger,
    order: Order,
    done: Published,
    raw: bytes | files.Absent,
    ids: tuple[str, ...],
) -> Published | None:
    data = done.after.encode("utf-8", "surrogateescape")
    if done.path == target.layout.memory and raw is not files.ABSENT and target.config.settings.backups:
        files.make_folder(target.layout.workspace, ".scrimshaw/backups", mode=0o700)
        stamp = order.now.strftime("%Y%m%dT%H%M%S.%fZ")
        files.backup(done.path, target.layout.backups, stamp=stamp, keep=target.config.settings.backups)
    number = ledger.add_revision(_revision(target, ledger, order, done, ids, data))
    outcome = files.replace(done.path, data, expected=raw)
    if isinstance(outcome, files.Changed):
        ledger.settle_revision(number, RevisionState.ABANDONED)
        return None
    ledger.settle_revision(number, RevisionState.WRITTEN)
    if done.path == target.layout.memory:
        _clear_aside(target, ledger)
    return replace(
        done, result=done.result if done.result is Result.NO_ROOM else Result.WRITTEN, revision=number
    )


def _note_unchanged(
    target: Target, ledger: Ledger, order: Order, done: Published, ids: tuple[str, ...]
) -> None:
    """Settle what a crash left open: the body is on disk, and the ledger should know."""
    place = _place(target, done.path)
    newest = next(iter(ledger.revisions(1, place)), None)
    if newest is not None and newest.body == done.body:
        if newest.state is RevisionState.INTENDED and order.writes:
            ledger.settle_revision(newest.number, RevisionState.WRITTEN)
        return
    if order.writes and done.body:
        data = done.after.encode("utf-8", "surrogateescape")
        number = ledger.add_revision(_revision(target, ledger, order, done, ids, data))
        ledger.settle_revision(number, RevisionState.WRITTEN)


def _revision(
    target: Target, ledger: Ledger, order: Order, done: Published, ids: tuple[str, ...], data: bytes
) -> Revision:
    return Revision(
        number=0,
        at_ms=milliseconds(order.now),
        run_id=order.run_id,
        reason=order.reason,
        place=_place(target, done.path),
        body=done.body,
        budget_chars=done.budget.body_units if done.budget else 0,
        event_seq=ledger.version(),
        line_ids=ids,
        sha256=sha256(data).hexdigest(),
    )


def _clear_aside(target: Target, ledger: Ledger) -> None:
    """Remove the copy kept beside once MEMORY.md holds the section again, if it is as we left it."""
    raw, text = read_text(target.layout.aside)
    last = ledger.latest_revision(_place(target, target.layout.aside))
    if raw is not files.ABSENT and last and section.put(section.parse(""), last.body) == text:
        target.layout.aside.unlink(missing_ok=True)


def _bases(ledger: Ledger, target: Target, path: Path) -> list[merge.RevisionView]:
    """Return the bodies that the text found may have been made from, oldest first."""
    stored: Iterable[Revision] = ledger.revisions(_MERGE_BASES, _place(target, path))
    return [merge.RevisionView(str(r.number), r.body, r.line_ids) for r in reversed(list(stored))]


def _place(target: Target, path: Path) -> str:
    return path.relative_to(target.layout.workspace).as_posix()


def _moment(target: Target, order: Order) -> hand.Moment:
    return hand.Moment(milliseconds(order.now), target.zone)


def _contested(target: Target) -> Published:
    told = f"another program changed MEMORY.md {_TRIES} times while it was being written"
    record = Provenance("none", "")
    return Published(Result.CONTESTED, target.layout.memory, record, problems=(told,))
