"""A person's decisions on lines in force: to confirm one, or to remove it.

Each decision is stored as events in the ledger, in one transaction; the dated files and MEMORY.md are updated
after the last one, in the next pause of the conversation. All decisions of one session are one revision,
which one `undo` reverts, even if nothing shown has changed. If the process is killed, the decisions made
stay, and the next run writes them to the files. Nothing is locked while a person thinks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from scrimshaw.clock import milliseconds
from scrimshaw.core.insight.calendar import day_of
from scrimshaw.core.ledger.lifecycle import confidence_of
from scrimshaw.core.types import Author, Event, EventType, Line
from scrimshaw.services.edit.find_line import find_line
from scrimshaw.services.edit.sittings import LateRun
from scrimshaw.services.publish.intents import note_revision
from scrimshaw.services.publish.result import Published, PublishOutcome, PublishRequest
from scrimshaw.services.results import SectionResult
from scrimshaw.services.runs import new_run_id, publish_in_pause
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.workspace import Target, own_folder

_BY = Author.PERSON.value


class Choice(StrEnum):
    """The result of a decision on a line."""

    REINFORCED = "reinforced"
    DELETED = "deleted"
    KNOWN = "known"  # it was confirmed today already, or is no longer in force


@dataclass(frozen=True, slots=True)
class DecidedLine(SectionResult):
    """A line that was decided on, with its present state, and the result for the section."""

    line: Line
    choice: Choice
    published: Published | None  # None: nothing was changed
    has_daemon: bool

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.head(),
            "id": self.line.observation.id,
            "text": self.line.observation.text,
            "outcome": self.choice.value,
            "confidence": round(confidence_of(self.line), 4),
            "section": self.published.result.value if self.published else None,
            "exit_code": int(self.exit_code),
        }


class Decisions(LateRun):
    """One session; belongs to the thread that opened the ledger."""

    def __init__(self, target: Target, ledger: Ledger, order: PublishRequest) -> None:
        super().__init__(target, ledger, order)
        self.count = 0

    @property
    def ledger(self) -> Ledger:
        """The open ledger."""
        return self._ledger

    def find(self, words: str) -> Line:
        """Return the line in force that *words* identify; raises UserError for none or several."""
        self._begin()
        return find_line(self._ledger, words)

    def reinforce(self, line_id: str) -> Choice:
        """Record that a line still holds: confidence grows by .3 and its age starts anew; once a day."""
        return self._decide(line_id, EventType.REINFORCED, Choice.REINFORCED)

    def delete(self, line_id: str) -> Choice:
        """Remove a line from section and search; no run notes it again."""
        return self._decide(line_id, EventType.DELETED, Choice.DELETED)

    def _decide(self, line_id: str, type_: EventType, choice: Choice) -> Choice:
        def decide() -> list[Event]:
            line = self._ledger.line(line_id)
            if line is None or not line.standing.is_live:
                return []
            if type_ is EventType.REINFORCED and self._is_confirmed_today(line):
                return []
            return [Event(type_, line_id, milliseconds(self._order.now), _BY)]

        return choice if self.append(decide) else Choice.KNOWN

    def append(self, decide: Callable[[], list[Event]]) -> Sequence[Event]:
        """Append what *decide* returns for the ledger's state at that moment; return it, () for nothing."""
        self._begin()
        with self._ledger.transaction():
            events = decide()
            if events:
                self._ledger.append(events)
                self.count += 1
        return events or ()

    def finish(self, *, at_once: bool = False) -> tuple[Published | None, bool]:
        """Update dated files and section; return the result, None when nothing was decided."""
        if not self.count:
            return None, False
        published, has_daemon = publish_in_pause(self._target, self._ledger, self._order, at_once=at_once)
        if published.result is PublishOutcome.UNCHANGED:
            note_revision(self._ledger, self._order)
        return published, has_daemon

    def _is_confirmed_today(self, line: Line) -> bool:
        """Tell whether it was confirmed today, and that was not undone."""
        zone, now_ms = self._target.zone, milliseconds(self._order.now)
        return line.standing.confirmed > 0 and any(
            event.type is EventType.REINFORCED
            and event.by == _BY
            and day_of(event.at_ms, zone) == day_of(now_ms, zone)
            and line.standing.renewed_at_ms >= event.at_ms
            for _, event in self._ledger.events_of(line.observation.id)
        )


@contextmanager
def deciding(target: Target, now: datetime, job: str) -> Iterator[Decisions]:
    """Open a session; the workspace must be set up. Decisions are kept and published however it ends."""
    own_folder(target)
    with open_ledger(target.layout.ledger, create=False) as ledger:
        decisions = Decisions(target, ledger, PublishRequest(new_run_id(now), now, reason=job))
        outcome = "stopped"
        try:
            yield decisions
            outcome = "decided" if decisions.count else "unchanged"
        finally:
            decisions.end(outcome, decided=decisions.count)


def decide_on(
    target: Target, words: str, choice: Choice, now: datetime, *, at_once: bool = False
) -> DecidedLine:
    """Confirm or remove the line that *words* identify."""
    with deciding(target, now, "stale") as decisions:
        line_id = decisions.find(words).observation.id
        done = decisions.delete(line_id) if choice is Choice.DELETED else decisions.reinforce(line_id)
        published, has_daemon = decisions.finish(at_once=at_once)
        line = decisions.ledger.line(line_id)
        assert line, "it was found a moment ago"
        return DecidedLine(target, line, done, published, has_daemon)
