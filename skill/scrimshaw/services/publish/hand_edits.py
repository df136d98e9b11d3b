"""What a person did to the section, from the file that holds it into the ledger (rules 4 and 6 to 9).

The section is kept in one of two files: MEMORY.md, or beside it while the host has a record (rule 13).
Edits are taken from both. The one that is not written now is left as it is, so its text is stored as a
revision once its edits are taken: the same edit is taken once, and what a person does later in the other
file is not undone by it. Only the file that held the section last can say that it was taken out. Only one
that has held it ever since can say that it was put back to how it stood before: a copy from before the
section was elsewhere, or the file made anew (a file recovered, or frozen), says nothing of what came since.
"""

from __future__ import annotations

from hashlib import sha256
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from scrimshaw.archive import dated
from scrimshaw.clock import milliseconds
from scrimshaw.core.section import diff, edits, markers, retold_by_hand
from scrimshaw.core.section.render import MARKS, inert, normal, shown, shown_before
from scrimshaw.core.text.plural import counted
from scrimshaw.core.types import Author, Event, EventType, Line, Place
from scrimshaw.services.publish.intents import settle_left_open
from scrimshaw.services.publish.memory_file import place_of, read_document
from scrimshaw.services.publish.result import PublishOutcome, PublishRequest
from scrimshaw.store.ledger import Ledger
from scrimshaw.store.records import Batch, Revision, RevisionState
from scrimshaw.store.revisions import BY_HAND
from scrimshaw.workspace import Target

_MERGE_BASES = 100
_MOST_BY_HAND = 20
# As releases up to 0.6.0 gave the reason of an event.
_UNSEEN, _RESTORED = "may have been deleted by hand", "older text restored"
_SHOWN_AGAIN = "shown again"
ASKED_BACK = "brought back with scrimshaw init"


class Stop(NamedTuple):
    """Why nothing may be written."""

    result: PublishOutcome
    path: Path
    problems: tuple[str, ...] = ()


def take(
    target: Target,
    ledger: Ledger,
    order: PublishRequest,
    document: markers.Document,
    path: Path,
    *,
    is_there: bool,
) -> Stop | None:
    """Take what a person did to *document*, the file at *path*, which is about to be written."""
    bases = _bases(ledger, target, path, order)
    newest = next((one for one in ledger.revisions(_MOST_BY_HAND) if one.reason != BY_HAND), None)
    is_home = newest is None or newest.place == place_of(target, path)
    was_removed = is_there and is_home and bool(bases) and not order.brings_back
    match document.state:
        case markers.Damaged(problems):
            return Stop(PublishOutcome.DAMAGED, path, problems)
        case markers.Absent() | markers.Unmarked() if by := ledger.section_removed_by():
            return _removed(path, by)
        case markers.Absent() | markers.Unmarked() if (
            was_removed and not _holds_ours(document) and not _is_asked_back(ledger)
        ):
            # The file is there, the section is not (or only its heading, and what its owner wrote there), and
            # we had written one: a hand took it out (rule 9). A file that is gone as a whole says nothing and
            # is made again.
            switch(ledger, order, EventType.DISABLED, "the section was removed with its markers")
            return _removed(path, "hand")
        case markers.Unmarked(content=found) if document.state.is_kept:
            if not bases:
                taken = _adopted(target, ledger, found, _moment(target, order))
                _take(ledger, edits.beside(taken, _moment(target, order)), order)
            return None
        case markers.Absent() | markers.Unmarked(content=""):
            return None
        case markers.Unmarked(content=found) | markers.Owned(inner=found):
            if not ledger.is_section_enabled():
                switch(ledger, order, EventType.ENABLED, "put back by hand")
            if bases:
                return _take_found(ledger, order, target, document, found, bases, path)
            _take(ledger, _adopted(target, ledger, found, _moment(target, order)), order)
    return None


def _removed(path: Path, by: str) -> Stop:
    told = (f"the section was removed by {by} and stays removed", "scrimshaw init brings it back")
    return Stop(PublishOutcome.DISABLED, path, told)


def _holds_ours(document: markers.Document) -> bool:
    """Tell whether what stands under the heading may be lines of ours that have lost their markers."""
    state = document.state
    return isinstance(state, markers.Unmarked) and bool(state.content) and not state.is_kept


def _is_asked_back(ledger: Ledger) -> bool:
    """Tell whether a section was asked for since the last one was written: there was nothing to write yet."""
    newest = ledger.latest_revision()
    since = ledger.events_since(newest.event_seq) if newest else []
    return any((one.event.type, one.event.reason) == (EventType.ENABLED, ASKED_BACK) for one in since)


def take_from_other(target: Target, ledger: Ledger, order: PublishRequest, path: Path) -> Stop | None:
    """Take what a person did to the file at *path*, which held the section before and is left alone now."""
    if path.is_symlink():
        return None  # what it leads to is nobody's edit
    document = read_document(target, ledger, path)[1]
    state = document.state
    bases = _bases(ledger, target, path, order)
    if not isinstance(state, markers.Owned) or not bases or state.inner == bases[-1].body:
        return None
    found = diff.laid_out(state.inner, bases)
    if found == bases[-1].body:
        return None
    with ledger.transaction():
        stopped = _take_found(ledger, order, target, document, found, bases, path)
        if stopped is None:
            _remember(ledger, order, target, found, bases, path)
    return stopped


def remember(
    target: Target, ledger: Ledger, order: PublishRequest, document: markers.Document, path: Path
) -> None:
    """Note what stood in *document*, whose edits were taken, before somebody changed it under our hands.

    What they change next is a change of that.
    """
    bases = _bases(ledger, target, path, order)
    if isinstance(document.state, markers.Owned) and bases:
        found = diff.laid_out(document.state.inner, bases)
        if found != bases[-1].body:
            _remember(ledger, order, target, found, bases, path)


def show_again(target: Target, ledger: Ledger, order: PublishRequest) -> None:
    """Show, once, what releases up to 0.6.0 hid for good though nobody had taken it out.

    The reason of the event tells: a line that the base of a merge never held, or one that had been kept aside
    when an older file came back.
    """
    if ledger.meta().get(_SHOWN_AGAIN):
        return
    aside = ledger.revisions(_MERGE_BASES, place_of(target, target.layout.aside))
    were_aside = {id_ for one in aside for id_ in one.line_ids}
    found = []
    for line in ledger.live_lines():
        id_ = line.observation.id
        if line.standing.is_set_aside:
            trims = [one.event for one in ledger.events_of(id_) if one.event.type is EventType.TRIMMED]
            reason = trims[-1].reason if trims else ""
            if reason == _UNSEEN or (reason == _RESTORED and id_ in were_aside):
                found.append(id_)
    at_ms = milliseconds(order.now)
    with ledger.transaction():
        ledger.set_meta(_SHOWN_AGAIN, order.run_id)
        if found:
            ledger.append(
                [Event(EventType.SHOWN, id_, at_ms, order.run_id, reason="nobody hid it") for id_ in found]
            )


def switch(ledger: Ledger, order: PublishRequest, type_: EventType, reason: str) -> None:
    """Note that the person wants a section, or wants none."""
    ledger.append([Event(type_, "", milliseconds(order.now), edits.PERSON, reason=reason)])


def _take_found(
    ledger: Ledger,
    order: PublishRequest,
    target: Target,
    document: markers.Document,
    found: str,
    bases: list[diff.RevisionView],
    path: Path,
) -> Stop | None:
    moment = _moment(target, order)
    is_decided = order.edits_are_accepted or order.edits_are_refused
    lines = ledger.lines(bases[-1].lines)
    typed = {id_ for id_, line in lines.items() if line.observation.author is Author.PERSON}

    def is_own(id_: str) -> bool:
        line = ledger.line(id_)
        return line is not None and line.observation.author is Author.PERSON

    merged = diff.merge(found, bases, is_accepted=is_decided, typed=typed, is_own=is_own)
    match merged:
        case diff.Edits() if order.edits_are_refused:
            # The lines come back as they were; what the person wrote beside them is still theirs.
            kept = merged._replace(deleted=(), edited=())
            _take(ledger, edits.from_edits(kept, ledger.line, moment), order)
        case diff.Edits():
            base = next(one for one in bases if one.id == merged.base)
            unseen = [one for one in ledger.live_lines() if one.observation.id not in base.lines]
            known = _recognised(ledger, merged)
            known, cut = retold_by_hand.news_cut_off(known, ledger.line, ledger.replaced_by, moment)
            news = retold_by_hand.news_alone(known, ledger.line, moment, order.run_id)
            made = edits.from_edits(known, ledger.line, moment, unseen)
            _take(ledger, edits.together(cut, news, made), order)
        case diff.Restored(revision=older) if not order.edits_are_refused:
            if not _is_recovered(target, ledger, path, document, int(older)):
                _take(ledger, edits.from_restore(merged, ledger.line, moment), order)
        case diff.TooMany(deleted=deleted, of=count):
            gone = f"{len(deleted)} of the section's {counted(count, 'line')}"
            told = f"{gone} {'is' if len(deleted) == 1 else 'are'} gone since it was last written"
            return Stop(PublishOutcome.TOO_MANY, path, (told,))
        case _:
            pass
    return None


def _recognised(ledger: Ledger, merged: diff.Edits) -> diff.Edits:
    """Return *merged* with added lines that read as one of the ledger's taken for that one.

    Their revision is forgotten, or was never here: an old ledger put back, a file from another machine.
    """
    if all(written.was for written in merged.added):
        return merged
    known: dict[tuple[Place, str, str], Line] = {}
    for line in ledger.live_lines():
        place, day = line.standing.place, line.observation.local_date
        for text in (shown_before(line), shown(line)):
            known[place, day if place is Place.LOG else "", inert(normal(text))] = line
    added = []
    for written in merged.added:
        same = None if written.was else known.get((written.place, written.date, inert(normal(written.text))))
        if same is None:
            added.append(written)
        elif not same.standing.is_shown:
            added.append(written._replace(was=same.observation.id))
    return merged._replace(added=tuple(added))


def _remember(
    ledger: Ledger,
    order: PublishRequest,
    target: Target,
    found: str,
    bases: list[diff.RevisionView],
    path: Path,
) -> None:
    """Store *found* as what stands in the file, for the next comparison."""
    moment = _moment(target, order)

    def own(written: diff.WrittenLine) -> str:
        id_ = edits.by_hand(written, moment, None, ledger.line).id
        return id_ if ledger.line(id_) else ""

    ids = diff.line_ids(found, bases, own)
    if "" in ids:
        return
    number = ledger.add_revision(
        Revision(
            number=0,
            at_ms=moment.at_ms,
            run_id=order.run_id,
            reason=BY_HAND,
            place=place_of(target, path),
            body=found,
            budget_chars=0,
            event_seq=ledger.version(),
            line_ids=ids,
            sha256=sha256(found.encode("utf-8", "surrogateescape")).hexdigest(),
        )
    )
    ledger.settle_revision(number, RevisionState.WRITTEN)


def take_marks(target: Target, ledger: Ledger, at_ms: int) -> None:
    """Take what the dated files say of lines that a hand took out or reworded, where the ledger is new.

    The transcripts hold them still, and would have them noted again beside what the hand made of them.
    """
    if ledger.version():
        return
    lines = dated.read(target.layout.workspace)
    # What is reworded keeps our mark in its text, and the day and time of the line that it was.
    reworded = {(day, line.time) for day, line in lines if line.text.startswith(MARKS)}
    gone = {
        line.text
        for day, line in lines
        if line.became == "removed" or (line.became == "superseded" and (day, line.time) in reworded)
    }
    gone -= {line.text for _, line in lines if not line.became}
    if gone:
        with ledger.transaction():
            ledger.keep_words_out(sorted(gone), at_ms)


def _adopted(target: Target, ledger: Ledger, found: str, moment: edits.Moment) -> edits.Taken:
    """Return what a text without a history becomes (rule 9).

    Lines that the ledger knows stay its own, or are what a hand made of them; those of a dated file become
    ours again; the rest is the person's.
    """
    archive = [
        diff.ArchiveLine(line.observation.id, line.observation.text, line.observation.local_date)
        for line in ledger.all_lines()
    ]
    kept: dict[str, tuple[str, dated.DatedLine]] = {}
    for number, (day, line) in enumerate(dated.read(target.layout.workspace)):
        if line.kind is not None and not line.became:
            key = f"dated file {number}"
            kept[key] = day, line
            archive.append(diff.ArchiveLine(key, line.text, day))
    adopted = diff.adopt(found, archive)
    known = {written.was for written in adopted.known}
    noted = {line.observation.id: line for line in ledger.live_lines() if line.observation.id not in known}
    reworded, rest = edits.reworded(adopted.imported, {id_: shown(line) for id_, line in noted.items()})
    made = edits.from_edits(diff.Edits("", (), reworded, ()), ledger.line, moment)
    taken = edits.together(made, edits.from_import(rest, ledger.line, moment))
    for written in adopted.known:
        if written.was not in kept:
            continue
        day, entry = kept[written.was]
        if entry.kind is not None:
            ours = edits.recovered(written, entry.kind, day, entry.time, moment)
            taken = edits.Taken(taken.observations + ours.observations, taken.events + ours.events)
    return taken


def _take(ledger: Ledger, taken: edits.Taken, order: PublishRequest) -> None:
    with ledger.transaction():
        if taken.observations:
            ledger.accept(
                Batch(run_id=order.run_id, at_ms=milliseconds(order.now), observations=taken.observations)
            )
        if taken.events:
            ledger.append(taken.events)


def _bases(ledger: Ledger, target: Target, path: Path, order: PublishRequest) -> list[diff.RevisionView]:
    """Return the bodies that the text found may have been made from, oldest first."""
    settle_left_open(target, ledger, path)
    stored = ledger.revisions(_MERGE_BASES, place_of(target, path))
    return [
        # What this very run has found is no file left alone: an older copy may have taken its place.
        diff.RevisionView(str(r.number), r.body, r.line_ids, r.reason == BY_HAND and r.run_id != order.run_id)
        for r in reversed(stored)
    ]


def _is_recovered(
    target: Target, ledger: Ledger, path: Path, document: markers.Document, number: int
) -> bool:
    """Tell whether *document*, with the section of revision *number*, is a copy from before a break.

    Since then another file has held the section; or the one at *path* was gone and was made anew: text stands
    around the section where there was none when we last wrote it.
    """
    place = place_of(target, path)
    ours = [one for one in ledger.revisions(_MERGE_BASES) if one.reason != BY_HAND]
    since = takewhile(lambda one: one.place != place or one.number > number, ours)
    if any(one.place != place for one in since):
        return True
    if not ours or not markers.take_out(document).strip():
        return False
    alone = markers.put(markers.parse(""), ours[0].body).encode("utf-8", "surrogateescape")
    return sha256(alone).hexdigest() == ours[0].sha256


def _moment(target: Target, order: PublishRequest) -> edits.Moment:
    return edits.Moment(milliseconds(order.now), target.zone)
