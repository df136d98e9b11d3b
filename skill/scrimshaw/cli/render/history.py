"""How what is looked back on is worded: revisions, a section, days, and what a line rests on."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import timedelta
from itertools import groupby
from typing import TYPE_CHECKING

import click

from scrimshaw.cli.support.command import head
from scrimshaw.cli.support.terminal import as_said, in_a_row, printable, tell
from scrimshaw.clock import local_minute
from scrimshaw.core.section.render import mark_of
from scrimshaw.core.text.plural import counted
from scrimshaw.core.types import Author, Closed, EventType, Line, Role
from scrimshaw.services.edit.find_line import ID_SHOWN

if TYPE_CHECKING:
    from scrimshaw.services.history.provenance import Happened, LineProvenance, SourceMessage
    from scrimshaw.services.history.revisions import (
        KnownAt,
        LogEntry,
        RevisionLog,
        SectionAsOf,
        SectionDiff,
        Timeline,
    )
    from scrimshaw.services.working.keeping import MemoryProvenance
    from scrimshaw.store.records import Revision, Run

_BECAME = {
    Closed.SUPERSEDED: "replaced since",
    Closed.WITHDRAWN: "withdrawn: it was never so",
    Closed.COMPLETED: "done since",
    Closed.MERGED: "told by another line since",
    Closed.DELETED: "taken out by hand",
    Closed.EDITED: "changed by hand",
    Closed.DROPPED: "retired",
    Closed.UNDONE: "undone",
    Closed.FORGOTTEN: "forgotten",
}
_WHY = {
    "command": "scrimshaw observe",
    "observe": "scrimshaw observe",
    "reflect": "a reflection",
    "note": "a note by hand",
    "hand": "an edit by hand",
    "undo": "an undo",
    "stale": "decisions on stale lines",
}
_ROLES = {Role.USER: "the person", Role.ASSISTANT: "the agent", Role.TOOL: "a tool"}
_AUTHORS = {
    Author.RULES: "the rules",
    Author.MODEL: "a model",
    Author.PERSON: "you, by hand",
    Author.AGENT: "the agent, through exec",
    Author.PROGRAM: "a program, by way of the working layer",
}
_SHOWN_CHARS = 400
_HAPPENED = {
    EventType.OBSERVED: "noted",
    EventType.SUPERSEDED: "replaced by a later word",
    EventType.WITHDRAWN: "withdrawn: it was never so",
    EventType.COMPLETED: "reported as done",
    EventType.MERGED: "told by another line",
    EventType.DELETED: "taken out by hand",
    EventType.EDITED: "changed by hand",
    EventType.DROPPED: "retired",
    EventType.UNDONE: "undone",
    EventType.SET_BACK: "set back by an undo",
    EventType.FORGOTTEN: "forgotten",
    EventType.RESTORED: "brought back",
    EventType.EXPIRED: "its date passed",
    EventType.TAKEN_BACK: "taken back",
    EventType.TRIMMED: "hidden",
    EventType.SHOWN: "shown again",
    EventType.PROMOTED: "made a standing line",
    EventType.PINNED: "pinned",
    EventType.UNPINNED: "unpinned",
    EventType.RECALLED: "found by a search",
    EventType.REINFORCED: "said again",
    EventType.SOURCE_GONE: "its conversation was deleted",
    EventType.KEPT_BOTH: "kept beside another line, by you",
}


def log_lines(found: RevisionLog, limit: int) -> Iterator[str]:
    """Yield the revisions, the newest first."""
    zone = found.target.zone
    yield f"{head(found)}  (times are {zone})"
    if not found.entries:
        yield "  Nothing was written to MEMORY.md yet.\nNext: scrimshaw observe"
        return
    yield from (f"  {_log_row(one, zone)}" for one in found.entries)
    if len(found.entries) == limit:
        yield f"The newest {limit}; more with --limit."
    yield "See one: scrimshaw diff REV. Take one back: scrimshaw undo REV"


def _log_row(one: LogEntry, zone: str) -> str:
    revision = one.revision
    told = f"{revision.number:>5}  {local_minute(revision.at_ms, zone)}  lines +{one.added} -{one.removed}"
    told += f", {one.moved} moved" if one.moved else ""
    told += f"  {counted(one.units, 'unit')}  {_why(revision, one.run)}"
    if one.undoes:
        told += f" of {one.undoes}"
    if one.undone_by:
        told += f"; undone by {one.undone_by}"
    if revision.place != "MEMORY.md":
        told += f"; in {revision.place}"
    return told


def _why(revision: Revision, run: Run | None) -> str:
    reason = as_said(_WHY.get(revision.reason, revision.reason))  # told, and not to be typed
    who = f", noted by {run.observer}" if run and run.counts.accepted and run.observer != "hand" else ""
    return f"{reason}{who}"


def diff_lines(found: SectionDiff) -> Iterator[str]:
    """Yield the diff as one piece."""
    nothing = "Nothing differs between {} and {}.".format(*found.names)
    yield as_said(found.text.rstrip("\n")) or nothing


def print_section(stood: SectionAsOf) -> tuple[()]:
    """Print the body alone on standard output, so that it can be compared; what it is beside it."""
    if stood.revision is None:
        tell(f"{stood.at:%Y-%m-%d %H:%M}: {stood.why}", is_error=True)
        return ()
    revision = stood.revision
    what = "a person's edit, as it was found" if stood.is_by_hand else f"in {revision.place}"
    told = f"The section as of {stood.at:%Y-%m-%d %H:%M}: revision {revision.number}"
    tell(f"{told} of {local_minute(revision.at_ms, stood.target.zone)}, {what}", is_error=True)
    is_seen = sys.stdout.isatty()
    click.echo(printable(revision.body) if is_seen else revision.body)
    return ()


def known_lines(found: KnownAt) -> Iterator[str]:
    yield (
        f"Known at {found.at:%Y-%m-%d %H:%M}: everything said by then, also if noted later; what was taken "
        "back is marked."
    )
    if found.why:
        yield f"  {found.why}"
    yield from (f"  {one.line.observation.local_date}  {line_row(one.line)}" for one in found.hits)


def timeline_lines(shown: Timeline) -> Iterator[str]:
    target, last = shown.target, shown.end - timedelta(milliseconds=1)
    yield (
        f"{target.agent_id}  {shown.start:%Y-%m-%d %H:%M} to {last:%Y-%m-%d %H:%M}  (times are {target.zone})"
    )
    if not shown.lines:
        yield "  Nothing was noted then.\nNext: scrimshaw timeline --from DATE looks further back"
    if shown.left_out:
        yield f"  … {counted(shown.left_out, 'older one')}; more with --limit"
    for day, lines in groupby(shown.lines, key=lambda line: line.observation.local_date):
        yield day
        yield from (f"  {line_row(line)}" for line in lines)
    if shown.unfinished:
        yield "Left unfinished then, as the model told it"
    for one in shown.unfinished:
        task, then = one.state.task, one.state.next and f"next: {one.state.next}"
        yield f"  {local_minute(one.said_at_ms, target.zone)}  {'; '.join(filter(None, (task, then)))}"


def why_memory_lines(found: MemoryProvenance) -> Iterator[str]:
    told = found.memory.to_dict()
    yield " ".join(found.memory.content.split())
    kind = f"{told['category']}, {told['status']}" if "category" in told else told["type"]
    whose = f" of {found.memory.owner_id}" if found.memory.owner_id else ""
    yield f"  {kind}{whose}, stored {found.memory.created_at:%Y-%m-%d %H:%M}, version {found.memory.version}"
    if told.get("expires_at"):
        yield f"  Moves into the ledger from {told['expires_at'][:10]} on."
    yield f"  Checked: {found.checked}."


def why_lines(found: LineProvenance) -> Iterator[str]:
    observation, zone = found.line.observation, found.target.zone
    yield line_row(found.line)
    said = f"{observation.local_date} {observation.local_time}".strip()
    yield f"  {observation.kind.value}, said {said}, noted by {_noted_by(found, zone)}"
    yield f"  Checked: {found.checked}."
    if found.sources:
        key = f" ({found.session_key})" if found.session_key else ""
        yield f"  It rests on{key}:"
    for message in found.sources:
        for row in _message_lines(message, zone):
            yield f"    {row}"
    if found.rests_on:
        yield "  It sums up:"
        for line in found.rests_on:
            yield f"    {line.observation.local_date}  {line_row(line)}"
    if found.replaced:
        yield "  It took the place of:"
        for line in found.replaced:
            yield f"    {line.observation.local_date}  {line_row(line)}"
    yield "  What became of it:"
    for happened in found.happened:
        yield f"    {_happened_row(happened, zone)}"


def _noted_by(found: LineProvenance, zone: str) -> str:
    who = _AUTHORS[found.line.observation.author]
    run = found.run
    if run is None:
        return who
    if found.line.observation.author is Author.MODEL:
        who = run.observer
    return f"{who} (run {run.run_id}: {run.job}, {local_minute(run.started_at_ms, zone)})"


def _message_lines(message: SourceMessage, zone: str) -> Iterator[str]:
    if message.entry is None:
        yield f"{message.entry_id}: {message.absence}"
        return
    entry = message.entry
    who = f"the tool {entry.tool_name}" if entry.tool_name else _ROLES[entry.role]
    yield f"{local_minute(entry.said_at_ms, zone)}  {who}  [{message.entry_id}]"
    said = " ".join(entry.text.split())
    calls = " ".join(f"{call.name}({call.arguments})" for call in entry.calls)
    text = " ".join(part for part in (said, calls) if part)
    yield f"  {as_said(text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + '…')}"


def _happened_row(happened: Happened, zone: str) -> str:
    event = happened.stored.event
    is_confirmed = event.type is EventType.REINFORCED and event.by == Author.PERSON
    what = "confirmed by you" if is_confirmed else _HAPPENED.get(event.type, event.type.value)
    if event.type is EventType.SUPERSEDED and event.by == Author.PERSON:
        what = "you kept another line instead"
    told = f"{local_minute(event.at_ms, zone)}  {what}"
    if happened.other:
        told += f": {happened.other}"
    elif event.type in (EventType.TRIMMED, EventType.TAKEN_BACK, EventType.DROPPED) and event.reason:
        told += f": {event.reason}"
    if event.type is EventType.RECALLED:
        return told  # it changes nothing that a section shows
    return f"{told}  (revision {happened.revision})" if happened.revision else f"{told}  (not written yet)"


def line_row(line: Line) -> str:
    """Return a line for a list of one day: mark, time, text, what became of it, and the id to name it by."""
    observation, standing = line
    time = f"{observation.local_time} " if observation.local_time else ""
    became = f" ({_BECAME[standing.closed]})" if standing.closed else ""
    return f"{mark_of(observation)} {time}{in_a_row(observation.text)}{became}  [{observation.id[:ID_SHOWN]}]"
