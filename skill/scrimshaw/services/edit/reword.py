"""Rewording a line: the person's own words in its place, as if they had edited it in MEMORY.md.

The line before is closed in the ledger, what it rested on goes on with the new one, and both are one
revision, which `undo` takes back. Private parts and secrets are taken out as of any note.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from scrimshaw.clock import milliseconds
from scrimshaw.core.section import edits
from scrimshaw.core.section.diff import Edits, WrittenLine
from scrimshaw.core.transcript.privacy import read_patterns
from scrimshaw.core.types import Author, Line
from scrimshaw.services.edit.add import read_note
from scrimshaw.services.edit.find_line import find_line
from scrimshaw.services.edit.sittings import sitting
from scrimshaw.services.publish.result import Published, PublishRequest
from scrimshaw.services.results import SectionResult
from scrimshaw.services.runs import publish_in_pause
from scrimshaw.store.ledger import Ledger
from scrimshaw.store.records import Batch
from scrimshaw.workspace import Target

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RewordedLine(SectionResult):
    """The line as it reads now, which line it took the place of, and what became of the section."""

    line: Line
    was: str
    published: Published

    @property
    def is_changed(self) -> bool:
        """Whether it read otherwise before."""
        return self.line.observation.id != self.was

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.head(),
            "id": self.line.observation.id,
            "was": self.was,
            "text": self.line.observation.text,
            "is_changed": self.is_changed,
            "section": self.published.result.value,
            "exit_code": int(self.exit_code),
        }


def reword(target: Target, words: str, text: str, now: datetime, *, at_once: bool = False) -> RewordedLine:
    """Put *text* in the place of the line in force that *words* name; raises UserError when it is no note."""
    said, _ = read_note(text, read_patterns(target.config.settings.private_patterns).compiled)
    with sitting(target, "reword", Author.PERSON.value, now) as (ledger, run, order):
        was, line = _reworded(ledger, words, said, order, target.zone)
        published, _ = publish_in_pause(target, ledger, order, at_once=at_once)
        run.outcome = "reworded" if was != line.observation.id else "unchanged"
    log.info("run=%s job=reword agent=%s outcome=%s", run.id, target.agent_id, run.outcome)
    return RewordedLine(target, line, was, published)


def _reworded(ledger: Ledger, words: str, text: str, order: PublishRequest, zone: str) -> tuple[str, Line]:
    """Write it in one transaction; return the id of the line before, and the line that stands now."""
    with ledger.transaction():
        line = find_line(ledger, words)
        before = line.observation
        if before.text == text:
            return before.id, line
        written = WrittenLine(
            text,
            line.standing.place,
            before.local_date,
            before.kind,
            before.priority,
            before.done,
            before.local_time,
            before.id,
        )
        moment = edits.Moment(milliseconds(order.now), zone)
        taken = edits.from_edits(Edits("", (), (written,), ()), ledger.line, moment)
        own = tuple(replace(one, run_id=order.run_id) for one in taken.observations)
        ledger.accept(Batch(order.run_id, moment.at_ms, observations=own, events=taken.events))
        made = ledger.line(edits.by_hand(written, moment, before, ledger.line).id)
        assert made, "it was accepted a moment ago"
        return before.id, made
