"""What a publishing run may do, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from scrimshaw.core.section.budget import Budget
from scrimshaw.errors import Exit
from scrimshaw.host.provenance import Provenance


class PublishOutcome(StrEnum):
    """How the section came out of a run."""

    WRITTEN = "written"
    UNCHANGED = "unchanged"
    EMPTY = "empty"  # nothing to say yet
    NO_ROOM = "no-room"
    DISABLED = "disabled"  # a person took the section out, by hand or by undoing its first revision
    DAMAGED = "damaged"  # markers that do not pair up
    TOO_MANY = "too-many-deletions"
    CONTESTED = "contested"  # another program kept writing
    SHOWN = "shown"  # a rehearsal: nothing was written
    LATER = "later"  # not in the middle of a conversation (rule 14)


REFUSED = frozenset({PublishOutcome.DAMAGED, PublishOutcome.TOO_MANY, PublishOutcome.CONTESTED})


@dataclass(frozen=True, slots=True)
class PublishRequest:
    """What a publishing run may do and what the person has said."""

    run_id: str
    now: datetime
    reason: str = "observe"
    writes: bool = True  # False: a rehearsal on a copy of the ledger
    writes_section: bool = True  # False: the dated files only
    edits_are_accepted: bool = False  # the person confirmed a large deletion
    edits_are_refused: bool = False  # … or wants the lines back
    brings_back: bool = False  # the person wants a section that they removed
    is_undo: bool = False  # back to what was shown: nothing expires, and no hidden line comes in
    takes_out: bool = False  # with nothing to show the section goes: before what is undone there was none


@dataclass(frozen=True, slots=True)
class Published:
    """What became of the section."""

    result: PublishOutcome
    path: Path
    provenance: Provenance
    body: str = ""
    before: str = ""
    after: str = ""
    budget: Budget | None = None
    revision: int = 0
    problems: tuple[str, ...] = ()
    dated_lines: int = 0
    expired: int = 0  # plans whose day has passed

    @property
    def is_refused(self) -> bool:
        """Whether the section was left as it is on purpose."""
        return self.result in REFUSED

    @property
    def exit_code(self) -> Exit:
        """The exit code of a command that changed the section."""
        return Exit.REFUSED if self.is_refused else Exit.OK
