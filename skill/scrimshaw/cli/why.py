"""`scrimshaw why`: what a line rests on, who noted it, what was checked, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from scrimshaw.cli.render.history import line_row, local, look
from scrimshaw.cli.support.one_workspace import PASTABLE, pasted
from scrimshaw.cli.support.options import as_json, which
from scrimshaw.cli.support.terminal import as_said, tell
from scrimshaw.core.types import Author, EventType, Role
from scrimshaw.services.history.provenance import Happened, LineProvenance, SourceMessage, why

_ROLES = {Role.USER: "the person", Role.ASSISTANT: "the agent", Role.TOOL: "a tool"}
_AUTHORS = {
    Author.RULES: "the rules",
    Author.MODEL: "a model",
    Author.PERSON: "you, by hand",
    Author.AGENT: "the agent, through exec",
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
}


@click.command(context_settings=PASTABLE)
@click.argument("text")
@which
@as_json
def command(
    text: str, workspace: Path | None, agent: str | None, state_dir: Path | None, wants_json: bool
) -> int:
    """Show the messages, run and checks behind the line that TEXT names (words of it, or its id)."""

    return look(
        workspace,
        agent,
        state_dir,
        wants_json=wants_json,
        asks=lambda target, _now: why(target, pasted(text)),
        say=_say,
    )


def _say(found: LineProvenance) -> None:
    observation, zone = found.line.observation, found.target.zone
    tell(line_row(found.line))
    said = f"{observation.local_date} {observation.local_time}".strip()
    tell(f"  {observation.kind.value}, said {said}, noted by {_noted_by(found, zone)}")
    tell(f"  Checked: {found.checked}.")
    if found.sources:
        key = f" ({found.session_key})" if found.session_key else ""
        tell(f"  It rests on{key}:")
    for message in found.sources:
        for row in _message_lines(message, zone):
            tell(f"    {row}")
    if found.rests_on:
        tell("  It sums up:")
        for line in found.rests_on:
            tell(f"    {line.observation.local_date}  {line_row(line)}")
    tell("  What became of it:")
    for happened in found.happened:
        tell(f"    {_happened_row(happened, zone)}")


def _noted_by(found: LineProvenance, zone: str) -> str:
    who = _AUTHORS[found.line.observation.author]
    run = found.run
    if run is None:
        return who
    if found.line.observation.author is Author.MODEL:
        who = run.observer
    return f"{who} (run {run.run_id}: {run.job}, {local(run.started_at_ms, zone)})"


def _message_lines(message: SourceMessage, zone: str) -> Iterable[str]:
    if message.entry is None:
        yield f"{message.entry_id}: {message.absence}"
        return
    entry = message.entry
    who = f"the tool {entry.tool_name}" if entry.tool_name else _ROLES[entry.role]
    yield f"{local(entry.said_at_ms, zone)}  {who}  [{message.entry_id}]"
    said = " ".join(entry.text.split())
    calls = " ".join(f"{call.name}({call.arguments})" for call in entry.calls)
    text = " ".join(part for part in (said, calls) if part)
    yield f"  {as_said(text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + '…')}"


def _happened_row(happened: Happened, zone: str) -> str:
    event = happened.stored.event
    told = f"{local(event.at_ms, zone)}  {_HAPPENED.get(event.type, event.type.value)}"
    if happened.other:
        told += f": {happened.other}"
    elif event.type in (EventType.TRIMMED, EventType.TAKEN_BACK, EventType.DROPPED) and event.reason:
        told += f": {event.reason}"
    if event.type is EventType.RECALLED:
        return told  # it changes nothing that a section shows
    return f"{told}  (revision {happened.revision})" if happened.revision else f"{told}  (not written yet)"
