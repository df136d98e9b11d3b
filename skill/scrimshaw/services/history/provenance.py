"""What a line rests on: its messages, the run that noted it, what was checked, and what became of it.

The messages are read from the host's own store when they are still there, as an observer would be given them:
without secrets and private parts, and without what was forgotten (core/ledger/forget). One that
is gone is said, never guessed at. Writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from scrimshaw.core.types import Author, Entry, EventType, Line
from scrimshaw.services.edit.find_line import find_line
from scrimshaw.services.history.cited_entries import read_entries
from scrimshaw.services.results import WorkspaceResult, line_dict
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.records import Run, StoredEvent
from scrimshaw.workspace import Target

_LEFT_OUT = "not looked for: the line rests on too many messages"
MOST_SOURCES = 40


class SourceMessage(NamedTuple):
    """One message that a line rests on; without *entry*, *absence* says why."""

    session_id: str
    entry_id: str
    entry: Entry | None
    absence: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return it as `scrimshaw why --json` prints it."""
        entry = self.entry
        return {
            "session_id": self.session_id,
            "entry_id": self.entry_id,
            "role": entry.role.value if entry else None,
            "said_at_ms": entry.said_at_ms if entry else None,
            "text": entry.text if entry else None,
            "gone": self.absence or None,
        }


class Happened(NamedTuple):
    """One thing that happened to a line; *other* is the text of the line that it happened by."""

    stored: StoredEvent
    revision: int  # that wrote it first; 0: none yet
    other: str

    def to_dict(self) -> dict[str, Any]:
        """Return it as `scrimshaw why --json` prints it."""
        event = self.stored.event
        return {
            "seq": self.stored.seq,
            "type": event.type.value,
            "at_ms": event.at_ms,
            "by": event.by,
            "other_id": event.other_id or None,
            "reason": event.reason if event.type is EventType.TRIMMED else None,
            "revision": self.revision or None,
        }


@dataclass(frozen=True, slots=True)
class LineProvenance(WorkspaceResult):
    """Where a line comes from and what became of it."""

    line: Line
    sources: tuple[SourceMessage, ...]
    run: Run | None
    session_key: str
    happened: tuple[Happened, ...]
    rests_on: tuple[Line, ...]  # of a reflection, or a line that others were merged into
    replaced: tuple[Line, ...] = ()  # lines of which it took the place; a corrected one keeps their words

    @property
    def checked(self) -> str:
        """What stood between the proposal and the ledger, in a sentence."""
        match self.line.observation.author:
            case Author.PERSON:
                return "your own words: not checked against anything"
            case Author.AGENT:
                return "the agent's note: held against its conversations before it was noted"
            case Author.PROGRAM:
                return "a program's word: not checked against anything, and not in the section unless pinned"
            case _ if self.line.observation.level:
                return "held against the lines it rests on: no new number, name, date or quotation"
            case _ if not self.line.observation.sources:
                return "read back from a dated file: it was checked when it was first noted"
            case _:
                return "every number, date, name, path and quotation in it was found in these messages"

    def to_dict(self) -> dict[str, Any]:
        """Return it as `scrimshaw why --json` prints it."""
        run = self.run
        return {
            **self.head(zone=True),
            **line_dict(self.line),
            "confidence": self.line.observation.confidence,
            "session_key": self.session_key,
            "checked": self.checked,
            "run": {
                "id": run.run_id,
                "job": run.job,
                "trigger": run.trigger,
                "observer": run.observer,
                "at_ms": run.started_at_ms,
                "prompt_sha256": run.prompt,
            }
            if run
            else None,
            "sources": [message.to_dict() for message in self.sources],
            "rests_on": [line_dict(line) for line in self.rests_on],
            "replaced": [line_dict(line) for line in self.replaced],
            "events": [happened.to_dict() for happened in self.happened],
            "exit_code": int(self.exit_code),
        }


def why(target: Target, words: str) -> LineProvenance:
    """Return where the line that *words* name comes from; raise UserError when they name none, or several."""
    with open_ledger(target.layout.ledger, create=False, read_only=True) as ledger:
        line = find_line(ledger, words, among_closed=True)
        observation = line.observation
        pairs, rests_on = ledger.sources(observation.id), ledger.lines(observation.supports)
        events = ledger.events_of(observation.id)
        run = ledger.past.run(observation.run_id) if observation.run_id else None
        if run is None and events:
            run = ledger.past.run(events[0].event.by)
        return LineProvenance(
            target,
            line,
            tuple(read_sources(target, ledger, pairs)),
            run,
            ledger.session_keys().get(observation.session_id, ""),
            tuple(_happened(ledger, events)),
            tuple(rests_on[id_] for id_ in observation.supports if id_ in rests_on),
            replaced=tuple(ledger.replaced_by(observation.id)),
        )


def _happened(ledger: Ledger, events: Sequence[StoredEvent]) -> Iterable[Happened]:
    stretches = ledger.past.stretches()
    others = ledger.lines({stored.event.other_id for stored in events} - {""})
    for stored in events:
        other = others.get(stored.event.other_id)
        revision = next((one.number for one in stretches if stored.seq in one), 0)
        yield Happened(stored, revision, other.observation.text if other else "")


def read_sources(target: Target, ledger: Ledger, pairs: Sequence[tuple[str, str]]) -> Iterable[SourceMessage]:
    """Yield each of the (session id, entry id) *pairs* with its message as it can be read now.

    In the order of the conversation; what cannot be read comes last.
    """
    looked_for = pairs[:MOST_SOURCES]
    found: dict[tuple[str, str], Entry] = {}
    absence: dict[str, str] = {}
    for session_id in dict.fromkeys(session_id for session_id, _ in looked_for):
        wanted = {entry_id for one, entry_id in looked_for if one == session_id}
        entries, absence[session_id] = read_entries(target, ledger, session_id, wanted)
        found.update(((session_id, entry_id), entry) for entry_id, entry in entries.items())
    places = {pair: place for place, pair in enumerate(found)}
    for session_id, entry_id in sorted(pairs, key=lambda pair: places.get(pair, len(places))):
        entry = found.get((session_id, entry_id))
        why = "" if entry else absence.get(session_id, _LEFT_OUT)
        yield SourceMessage(session_id, entry_id, entry, why)
