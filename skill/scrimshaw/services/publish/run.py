"""The ledger into files: dated files from the outbox, then the section of MEMORY.md.

Under the write lock: read the file, take what a person did to it into the ledger, fold the ledger to the
budget, put the body between the markers, store the revision as intended, compare and rename, settle the
revision. A foreign change in between starts it again, three times at most. Everything before the rename
may be repeated: edits taken twice are one edit, and dated files know their lines.

While the host has a record of the agent's own edits, MEMORY.md is only read and the section is kept in
memory/observations/MEMORY.md (rule 13); without one it returns, and what we left beside is taken away.
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from scrimshaw import files
from scrimshaw.archive import dated
from scrimshaw.clock import milliseconds
from scrimshaw.core.section import markers
from scrimshaw.core.section.budget import Budget
from scrimshaw.core.section.render import inert, preamble
from scrimshaw.core.section.select import Fold, fold, trim
from scrimshaw.core.types import Event, EventType
from scrimshaw.errors import saying
from scrimshaw.host.provenance import Provenance
from scrimshaw.locks import write_lock
from scrimshaw.services.publish import expiry, first_write, hand_edits, memory_file
from scrimshaw.services.publish.intents import intend, is_made_by
from scrimshaw.services.publish.redaction import without_secrets
from scrimshaw.services.publish.result import Published, PublishOutcome, PublishRequest
from scrimshaw.services.publish.state import is_ranked_alike, note_folded
from scrimshaw.store.ledger import Ledger
from scrimshaw.store.records import Revision, RevisionState
from scrimshaw.workspace import Target, refuse_unread

_TRIES = 3
_LOCK_SECONDS = 15.0
_LATER = "the next run that can brings it into the files"
_KEPT = f"What was noted is kept in the ledger; {_LATER}."
_KEPT_OF = {  # by the reason of the request
    "undo": f"It is undone in the ledger; {_LATER}: scrimshaw observe.",
    "pin": f"The line is pinned in the ledger; {_LATER}: scrimshaw observe.",
    "unpin": f"The line is unpinned in the ledger; {_LATER}: scrimshaw observe.",
    "forget": f"It is forgotten in the ledger; {_LATER}: scrimshaw observe.",
}


def publish(target: Target, ledger: Ledger, order: PublishRequest) -> Published:
    """Bring dated files and section up to date with the ledger; see `PublishOutcome` for what may come of it.

    Raises UserError where a file cannot be written; what the ledger holds by then stays, and that is said.
    """
    if not order.writes:
        return _attempt(target, ledger, order)
    with saying(_KEPT_OF.get(order.reason, _KEPT)):
        return _published(target, ledger, order)


def _published(target: Target, ledger: Ledger, order: PublishRequest) -> Published:
    refuse_unread(target)
    with write_lock(target.layout.state, by="publish", now=order.now, timeout_seconds=_LOCK_SECONDS):
        for folder in memory_file.own_folders(target):
            files.sweep(folder)
        finish_forgetting(target, ledger, order)
        # Dated files first: what was accepted is kept there, whatever becomes of the section (rule 18).
        dated_lines = _write_dated(target, ledger, order)
        if not order.writes_section:
            provenance = Provenance("none", "")
            return Published(PublishOutcome.LATER, target.layout.memory, provenance, dated_lines=dated_lines)
        expired = 0
        for _ in range(_TRIES):
            done = _attempt(target, ledger, order)
            # The ledger keeps what a lost try did, so the next one does not find it to do again.
            dated_lines, expired = dated_lines + done.dated_lines, expired + done.expired
            if done.result is not PublishOutcome.CONTESTED:
                note_folded(target, ledger, done)
                break
    return replace(done, dated_lines=dated_lines, expired=expired)


def take_edits(target: Target, ledger: Ledger, order: PublishRequest) -> None:
    """Take what a person did to the section into the ledger; no file is written.

    For whoever is about to decide on the ledger's lines. What stops a publishing run stops nothing here.
    Raises UserError where a forgetting that was cut off cannot go on: nothing is decided before it has.
    """
    with write_lock(target.layout.state, by=order.reason, now=order.now, timeout_seconds=_LOCK_SECONDS):
        with saying("Until then nothing else is changed."):
            finish_forgetting(target, ledger, order)
        for path in (target.layout.aside, target.layout.memory):
            hand_edits.take_from_other(target, ledger, order, path)


def finish_forgetting(target: Target, ledger: Ledger, order: PublishRequest) -> None:
    """Go on with what a kill has cut off, or words that are to be forgotten would be taken for a new line.

    For whoever is about to take what a person did, under the write lock.
    """
    if ledger.forgetting.stage() is not None:
        from scrimshaw.services.edit.forget_resume import go_on_if_free  # nearly never

        go_on_if_free(target, ledger, order.now)


def _attempt(target: Target, ledger: Ledger, order: PublishRequest) -> Published:
    """Publish once; CONTESTED when the file changed under our hands."""
    record = memory_file.memory_record(target)
    is_aside = memory_file.is_kept_aside(target, record)
    path = target.layout.aside if is_aside else target.layout.memory
    if order.writes:
        files.refuse_links(path)  # before anything is taken from it: what a link leads to is nobody's edit
    raw, document = memory_file.read_document(target, ledger, path)
    text = document.text
    if order.brings_back and not ledger.is_section_enabled():
        hand_edits.switch(ledger, order, EventType.ENABLED, hand_edits.ASKED_BACK)
    other = target.layout.memory if is_aside else target.layout.aside
    stopped = hand_edits.take_from_other(target, ledger, order, other) or hand_edits.take(
        target, ledger, order, document, path, is_there=raw is not files.ABSENT
    )
    if stopped is not None:
        return Published(
            stopped.result, stopped.path, record, before=text, after=text, problems=stopped.problems
        )
    aged = expiry.UNAGED
    if not order.is_undo:
        hand_edits.show_again(target, ledger, order)
        aged = expiry.age(target, ledger, now=order.now, run_id=order.run_id)
    memory = memory_file.read_document(target, ledger, target.layout.memory)[1] if is_aside else document
    budget = memory_file.section_budget(target, memory)
    body, ids = _folded(target, ledger, order, budget, document, path)
    dated_lines = _write_dated(target, ledger, order)
    done = Published(
        PublishOutcome.UNCHANGED,
        path,
        record,
        body=body,
        before=text,
        budget=budget,
        dated_lines=dated_lines,
        expired=len(aged.expired),
    )
    if budget.reason:
        done = replace(done, result=PublishOutcome.NO_ROOM, problems=(budget.reason,))
    if not body and not isinstance(document.state, markers.Owned):
        return replace(done, result=done.result if budget.reason else PublishOutcome.EMPTY, after=text)
    is_taken_out = order.takes_out and not body and not budget.reason
    after = (
        first_write.text_before(target, ledger, path, document)
        if is_taken_out
        else markers.put(document, body)
    )
    if after == text and raw is not files.ABSENT:
        _note_unchanged(target, ledger, order, done, ids)
        return replace(done, after=after)
    if not order.writes:
        return replace(done, result=PublishOutcome.SHOWN, after=after)
    return _written(target, ledger, order, replace(done, after=after), document, raw, ids)


def _folded(
    target: Target,
    ledger: Ledger,
    order: PublishRequest,
    budget: Budget,
    document: markers.Document,
    path: Path,
) -> tuple[str, tuple[str, ...]]:
    if not budget.body_units:
        return "", ()
    if current := _still_current(target, ledger, budget, document, path):
        return current.body, current.line_ids
    newline_units = len(document.newline)
    lines = ledger.live_lines()
    half_life_days = target.config.settings.ttl_days
    open_to_choice = [line for line in lines if line.standing.is_shown] if order.is_undo else lines
    steps = trim(
        open_to_choice,
        budget.body_units,
        zone=target.zone,
        newline_units=newline_units,
        half_life_days=half_life_days,
    )
    at_ms = milliseconds(order.now)
    events = [Event(EventType.TRIMMED, id_, at_ms, order.run_id, reason="no room") for id_ in steps.hide]
    events += [Event(EventType.SHOWN, id_, at_ms, order.run_id, reason="room again") for id_ in steps.show]
    if events:
        ledger.append(events)
        lines = ledger.live_lines()
    made: Fold = fold(
        lines, budget.body_units, zone=target.zone, newline_units=newline_units, half_life_days=half_life_days
    )
    return made.body, made.shown


def _still_current(
    target: Target, ledger: Ledger, budget: Budget, document: markers.Document, path: Path
) -> Revision | None:
    """Return the newest revision when a fold could only give its body again (rule 1).

    Same ledger, same budget, same zone, and the file holds it; where lines end in two
    characters the size may have changed, so that is folded all the same.
    """
    newest = next(iter(ledger.revisions(1, memory_file.place_of(target, path))), None)
    if newest is None or not isinstance(document.state, markers.Owned) or document.newline != "\n":
        return None
    is_same = (newest.body, newest.event_seq, newest.budget_chars) == (
        document.state.inner,
        ledger.version(),
        budget.body_units,
    )
    # Sections written by older versions have another preamble and unescaped links.
    is_ours = newest.body.startswith(preamble(target.zone)) and inert(newest.body) == newest.body
    return newest if is_same and is_ours and is_ranked_alike(target, ledger) else None


def _write_dated(target: Target, ledger: Ledger, order: PublishRequest) -> int:
    if not order.writes:
        return 0
    written = 0
    while items := ledger.pending_outbox("dated"):
        shared = [item._replace(observation=without_secrets(item.observation)) for item in items]
        numbers = dated.write(target.layout.workspace, target.agent_id, shared)
        ledger.mark_done(numbers, at_ms=milliseconds(order.now))
        written += len(numbers)
    return written


def _written(
    target: Target,
    ledger: Ledger,
    order: PublishRequest,
    done: Published,
    document: markers.Document,
    raw: bytes | files.Absent,
    ids: tuple[str, ...],
) -> Published:
    files.refuse_links(done.path)  # before anything is noted: it will be tried again and again
    data = done.after.encode("utf-8", "surrogateescape")
    copy = None
    if done.path == target.layout.memory and raw is not files.ABSENT and target.config.settings.backups:
        files.make_folder(target.layout.workspace, ".scrimshaw/backups", mode=0o700, parents=False)
        stamp = order.now.strftime("%Y%m%dT%H%M%S.%fZ")
        copy = files.backup(
            done.path, target.layout.backups, stamp=stamp, keep=target.config.settings.backups
        )
    first_write.note(target, ledger, done.path, document, copy)
    was_made = not data and is_made_by(ledger, memory_file.place_of(target, done.path))
    number = intend(ledger, _revision(target, ledger, order, done, ids, data), raw)
    outcome = files.replace(done.path, data, expected=raw)
    if isinstance(outcome, files.Changed):
        ledger.settle_revision(number, RevisionState.ABANDONED)
        hand_edits.remember(target, ledger, order, document, done.path)
        return _contested(target, done)
    ledger.settle_revision(number, RevisionState.WRITTEN)
    if was_made and files.read_bytes(done.path, memory_file.LARGEST_MEMORY_BYTES) == b"":
        done.path.unlink(missing_ok=True)  # there was no file, and nobody has written in it since
    if done.path == target.layout.memory:
        _clear_aside(target, ledger)
    return replace(
        done,
        result=done.result if done.result is PublishOutcome.NO_ROOM else PublishOutcome.WRITTEN,
        revision=number,
    )


def _note_unchanged(
    target: Target, ledger: Ledger, order: PublishRequest, done: Published, ids: tuple[str, ...]
) -> None:
    """Settle what a crash left open: the body is on disk, and the ledger should know that and where."""
    if order.writes and done.path == target.layout.memory:
        _clear_aside(target, ledger)
    place = memory_file.place_of(target, done.path)
    newest = next(iter(ledger.revisions(1, place)), None)
    last = next(iter(ledger.revisions(1)), None)
    if newest is not None and newest.body == done.body and last and last.place == place:
        if newest.state is RevisionState.INTENDED and order.writes:
            ledger.settle_revision(newest.number, RevisionState.WRITTEN)
        return
    if order.writes and done.body:
        data = done.after.encode("utf-8", "surrogateescape")
        number = ledger.add_revision(_revision(target, ledger, order, done, ids, data))
        ledger.settle_revision(number, RevisionState.WRITTEN)


def _revision(
    target: Target, ledger: Ledger, order: PublishRequest, done: Published, ids: tuple[str, ...], data: bytes
) -> Revision:
    return Revision(
        number=0,
        at_ms=milliseconds(order.now),
        run_id=order.run_id,
        reason=order.reason,
        place=memory_file.place_of(target, done.path),
        body=done.body,
        budget_chars=done.budget.body_units if done.budget else 0,
        event_seq=ledger.version(),
        line_ids=ids,
        sha256=sha256(data).hexdigest(),
    )


def _clear_aside(target: Target, ledger: Ledger) -> None:
    """Take the section out of the file beside once MEMORY.md holds it again; away with a file of ours alone.

    One that holds something else than what was last taken from it stays for the next run.
    """
    raw, document = memory_file.read_document(target, ledger, target.layout.aside)
    last = ledger.latest_revision(memory_file.place_of(target, target.layout.aside))
    if raw is files.ABSENT or last is None or not isinstance(document.state, markers.Owned):
        return
    if document.state.inner != last.body:
        return
    rest = markers.take_out(document)
    if rest.strip():
        files.replace(target.layout.aside, rest.encode("utf-8", "surrogateescape"), expected=raw)
    else:
        target.layout.aside.unlink(missing_ok=True)


def _contested(target: Target, done: Published) -> Published:
    told = f"another program changed MEMORY.md {_TRIES} times while it was being written"
    return Published(
        PublishOutcome.CONTESTED,
        target.layout.memory,
        Provenance("none", ""),
        problems=(told,),
        dated_lines=done.dated_lines,
        expired=done.expired,
    )
