"""`scrimshaw import`: what archives hold, into this workspace's ledger; all of it or nothing.

What the files hold is read and checked before anything is written (services/archive/read). One transaction
joins it with what is here (core/ledger/merge_ledgers); frames of other programs become plain notes
(core/ledger/import_notes). The dated files follow from the ledger, MEMORY.md in the next pause. Each step may
be repeated: the same file twice is once.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from scrimshaw.clock import milliseconds
from scrimshaw.core.ledger.import_notes import Arrival, events_of, notes_of
from scrimshaw.core.ledger.merge_ledgers import Joined, Parcel
from scrimshaw.core.section.render import safe
from scrimshaw.core.types import Observation
from scrimshaw.logs import canonical
from scrimshaw.services.archive.read import Contents, read_archives
from scrimshaw.services.edit.sittings import begin_sitting, end_sitting
from scrimshaw.services.publish.result import Published, PublishRequest
from scrimshaw.services.results import SectionResult
from scrimshaw.services.runs import new_run_id, publish_in_pause, recorded
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.workspace import Target, own_folder

log = logging.getLogger(__name__)

MOST_NOTES = 5_000  # of files of other programs, in one import
_MOST_NAME_CHARS = 80


@dataclass(frozen=True, slots=True)
class ImportResult(SectionResult):
    """What came of an import."""

    agents: tuple[str, ...]
    lines: int  # in the files
    joined: Joined
    notes: int = 0  # of other programs' files, new here
    notes_known: int = 0
    notes_left_out: int = 0  # beyond what is taken of one frame or one import
    orders_left_out: int = 0
    foreign_frames: int = 0
    frames: int = 0  # in the files
    redacted: Mapping[str, int] = field(default_factory=dict)
    published: Published | None = None
    has_daemon: bool = False

    def to_dict(self) -> dict[str, Any]:
        joined = self.joined
        return {
            **self.head(),
            "from_agents": list(self.agents),
            "lines": self.lines,
            "new": len(joined.observations),
            "known": joined.known,
            "changed": joined.changed,
            "events": len(joined.events),
            "kept_out": joined.kept_out,
            "yours": joined.yours,
            "elsewhere": joined.elsewhere,
            "forgotten_there": list(joined.forgotten_there),
            "notes": self.notes,
            "notes_known": self.notes_known,
            "notes_left_out": self.notes_left_out,
            "orders_left_out": self.orders_left_out,
            "redacted": dict(self.redacted),
            "section": self.published.result.value if self.published else None,
            "exit_code": int(self.exit_code),
        }


def import_archives(
    target: Target, paths: Sequence[Path], now: datetime, *, writes: bool, at_once: bool
) -> ImportResult:
    """Take over what the files hold; the workspace is set up. Raises UserError, with nothing written.

    Without *writes* only tell what would come of it; *at_once*: MEMORY.md, too, amid a conversation.
    """
    own_folder(target)
    contents = read_archives(target, paths)
    with open_ledger(target.layout.ledger, create=False) as ledger:
        if not writes:
            return _joined(target, ledger, contents, new_run_id(now), milliseconds(now), writes=False)
        with recorded(ledger, "import", "person", now) as run:
            order = PublishRequest(run.id, now, reason="import")
            # Take up hand edits first: one may have deleted a line that this import would bring back.
            begin_sitting(target, ledger, order)
            done = _joined(target, ledger, contents, run.id, milliseconds(now), writes=True)
            end_sitting(ledger, order)
            published, has_daemon = publish_in_pause(target, ledger, order, at_once=at_once)
            run.outcome = "imported"
    joined, redacted = done.joined, sum(done.redacted.values())
    counts = {"new": len(joined.observations), "changed": joined.changed, "kept_out": joined.kept_out}
    told = {"files": len(paths), "lines": done.lines, **counts, "notes": done.notes}
    log.info(canonical(run=run.id, job="import", agent=target.agent_id, **told, redacted=redacted))
    return replace(done, published=published, has_daemon=has_daemon)


def _joined(
    target: Target, ledger: Ledger, contents: Contents, run_id: str, at_ms: int, *, writes: bool
) -> ImportResult:
    """Join the lines with those here; what the frames of other programs say becomes notes."""
    notes: dict[str, Observation] = {}
    left_out, orders = contents.left_out, 0
    for file_name, frame in contents.foreign:
        of_one = notes_of(frame, Arrival(at_ms, target.zone, run_id, safe(file_name)[:_MOST_NAME_CHARS]))
        notes.update((note.id, note) for note in of_one.observations)
        left_out, orders = left_out + of_one.left_out, orders + of_one.orders
    with ledger.transaction() if writes else nullcontext():
        joined = ledger.join(contents.parcel, at_ms=at_ms, by=run_id, writes=writes)
        known = ledger.lines(notes)
        fresh = [note for id_, note in notes.items() if id_ not in known]
        taken = tuple(fresh[:MOST_NOTES])
        happened = tuple(event for note in taken for event in events_of(note, at_ms))
        noted = ledger.join(Parcel(taken, happened), at_ms=at_ms, by=run_id, writes=writes)
    return ImportResult(
        target,
        contents.agents,
        len(contents.parcel.observations),
        replace(joined, kept_out=joined.kept_out + noted.kept_out),
        notes=len(noted.observations),
        notes_known=len(known),
        notes_left_out=left_out + len(fresh) - len(taken),
        orders_left_out=orders,
        foreign_frames=len(contents.foreign),
        frames=contents.frames,
        redacted=contents.redacted,
    )
