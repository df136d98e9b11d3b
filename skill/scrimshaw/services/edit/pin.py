"""Pinning a line, so that it is shown first and never merged away, and letting it go again.

An event of the line, then the section, at once or in the next pause of the conversation (rule 14). What is
so already is left as it is. What retention or a reflection dropped is taken back by it; another line that no
longer holds cannot be pinned: what became of it is said.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from scrimshaw.clock import milliseconds
from scrimshaw.core.types import Closed, Event, EventType, Line
from scrimshaw.logs import canonical
from scrimshaw.services.edit.author import check_may_pin
from scrimshaw.services.edit.find_line import find_line, find_lines, only
from scrimshaw.services.edit.sittings import sitting
from scrimshaw.services.publish.result import Published
from scrimshaw.services.results import SectionResult
from scrimshaw.services.runs import publish_in_pause
from scrimshaw.store.ledger import Ledger
from scrimshaw.workspace import Target

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PinResult(SectionResult):
    """The line that was pinned or unpinned, and what became of the section."""

    line: Line
    is_pinned: bool
    is_changed: bool
    published: Published
    has_daemon: bool

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.head(),
            "id": self.line.observation.id,
            "text": self.line.observation.text,
            "is_pinned": self.is_pinned,
            "is_changed": self.is_changed,
            "section": self.published.result.value,
            "exit_code": int(self.exit_code),
        }


def pin(target: Target, words: str, *, pins: bool, now: datetime, by: str, is_now: bool = False) -> PinResult:
    """Pin the line that *words* name, or unpin it; *is_now*: write MEMORY.md in a conversation, too."""
    job = "pin" if pins else "unpin"
    with sitting(target, job, by, now, tells_error=False) as (ledger, run, order):
        line, is_changed = _turn(ledger, words, pins=pins, at_ms=milliseconds(now), by=by)
        published, has_daemon = publish_in_pause(target, ledger, order, at_once=is_now)
        run.outcome = job if is_changed else "unchanged"
    told = {"by": by, "outcome": run.outcome, "section": published.result.value}
    log.info(canonical(run=run.id, job=job, agent=target.agent_id, **told))
    return PinResult(target, line, pins, is_changed, published, has_daemon)


def _turn(ledger: Ledger, words: str, *, pins: bool, at_ms: int, by: str) -> tuple[Line, bool]:
    with ledger.transaction():
        line = _found(ledger, words)
        if pins and not line.standing.is_pinned:
            check_may_pin(line, by)
        if line.standing.closed is Closed.DROPPED and pins:
            ledger.append([Event(EventType.TAKEN_BACK, line.observation.id, at_ms, by, reason="pinned")])
        if line.standing.is_pinned is pins and (line.standing.is_shown or not pins):
            return line, False
        type_ = EventType.PINNED if pins else EventType.UNPINNED
        ledger.append([Event(type_, line.observation.id, at_ms, by)])
        return line, True


def _found(ledger: Ledger, words: str) -> Line:
    """Return the line that *words* name: a live one, else one that was dropped and not replaced."""
    if not find_lines(ledger, words):
        dropped = [
            line
            for line in find_lines(ledger, words, among_closed=True)
            if line.standing.closed is Closed.DROPPED
        ]
        if dropped:
            return only(dropped, words)
    return find_line(ledger, words)
