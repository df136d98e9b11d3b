"""Looking back: which sections we wrote, which one stood at some time, and what was known then."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from scrimshaw.core.types import Closed, EventType, Line
from scrimshaw.store import events, lines, revisions, runs
from scrimshaw.store.database import Database
from scrimshaw.store.records import Revision, Run, StoredEvent

if TYPE_CHECKING:
    from scrimshaw.core.ledger.undo import Stretch


class Past:
    """The history in an open ledger."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def stretches(self) -> list[Stretch]:
        """Return the sections that we wrote, oldest first, each with the events that are its own.

        What only remembers a person's text in a file left alone is none.
        """
        from scrimshaw.core.ledger.undo import Stretch, key_of  # most who open a ledger never look back

        rows = revisions.written_by_us(self._db)
        starts = [0, *(seq for _, _, seq in rows)]
        return [
            Stretch(number, key_of(run_id, number), after, seq)
            for (number, run_id, seq), after in zip(rows, starts, strict=False)
        ]

    def revision(self, number: int) -> Revision | None:
        """Return one revision, whatever became of it."""
        return revisions.by_number(self._db, number)

    def revision_at(self, at_ms: int) -> Revision | None:
        """Return the section that stood at *at_ms*, with a person's edits as far as they were seen."""
        return revisions.in_force(self._db, at_ms)

    def is_section_enabled_at(self, at_ms: int) -> bool:
        """Whether the person wanted a section at *at_ms* (rule 9)."""
        return events.is_section_enabled(self._db, at_ms)

    def undos(self) -> list[StoredEvent]:
        """Return the events that say that a revision was undone, oldest first."""
        return events.of_section(self._db, EventType.UNDID)

    def events_of(self, ids: Collection[str]) -> list[StoredEvent]:
        """Return what happened to *ids*, oldest first."""
        return events.of_several(self._db, ids)

    def undone_lines(self) -> set[str]:
        """Return the ids of the lines that an undo has closed."""
        return lines.closed_as(self._db, Closed.UNDONE)

    def forgotten_lines(self) -> set[str]:
        """Return the ids of the lines that were forgotten."""
        return lines.closed_as(self._db, Closed.FORGOTTEN)

    def has_forgotten(self, stretch: Stretch) -> bool:
        """Whether a line from before *stretch* was forgotten in it; an import brings some that never held."""
        return events.is_older_forgotten_between(self._db, stretch.after_seq, stretch.last_seq)

    def said_between(self, start_ms: int, end_ms: int) -> list[Line]:
        """Return what was said from *start_ms* until before *end_ms*, oldest first, closed or not."""
        return lines.said_between(self._db, start_ms, end_ms)

    def run(self, run_id: str) -> Run | None:
        """Return one run, None when nothing is known of it any more."""
        return runs.by_id(self._db, run_id)
