"""A line in force, as the figures look at it: of a hundred thousand no more is read than they need."""

from __future__ import annotations

from typing import NamedTuple

from scrimshaw.core.insight.decay import RATES, faded
from scrimshaw.core.insight.fact_types import FactType, is_fact, type_of
from scrimshaw.core.ledger.lifecycle import confidence_of
from scrimshaw.core.section.rank import is_own, last_told_ms, pace
from scrimshaw.core.types import Author, Kind, Line, Place

OWN_FILE = "MEMORY.md"


class LineInForce(NamedTuple):
    """A line in force. Days are ISO; *newest_day* is that of the newest word of all lines."""

    id: str
    text: str
    kind: Kind
    type: FactType
    is_fact: bool
    place: Place
    priority: int
    confidence: float  # as it was noted, and confirmed
    said_at_ms: int
    told_ms: int  # when it was last said, confirmed, searched for or pinned
    local_date: str
    last_day: str  # of those it speaks of; "" for none
    source: str  # the conversation or file it rests on
    is_waiting: bool  # the person's own, pinned, or open: its age says nothing
    is_over: bool  # done, or expired
    is_shown: bool
    is_kept: bool  # a person undid what a run had done to it

    def holds_for_life(self, newest_day: str) -> bool:
        """Tell whether it does not age in the section."""
        has_passed = bool(self.last_day) and self.local_date <= self.last_day < newest_day
        return not pace(
            self.kind,
            self.priority,
            self.place,
            is_kept=self.is_waiting,
            is_over=self.is_over,
            has_passed=has_passed,
        )

    def is_rightly_kept(self, newest_day: str) -> bool:
        """Tell whether the section keeps it whatever its age: for life, or a decision in force."""
        is_in_force = self.kind is Kind.DECISION and self.place is Place.STANDING
        return self.is_kept or is_in_force or self.holds_for_life(newest_day)

    def effective_confidence(self, days: int, newest_day: str) -> float:
        """Return how sure it still is, *days* after it was last reinforced."""
        return faded(self.confidence, 0.0 if self.holds_for_life(newest_day) else RATES[self.type], days)


def known_of(line: Line) -> LineInForce:
    """Return *line*, which is in force."""
    observation, standing = line
    refers_to = observation.refers_to
    return LineInForce(
        observation.id,
        observation.text,
        observation.kind,
        type_of(line),
        is_fact(line),
        standing.place,
        observation.priority,
        confidence_of(line),
        observation.said_at_ms,
        last_told_ms(line),
        observation.local_date,
        (refers_to.end or refers_to.start).isoformat() if refers_to else "",
        source_of(observation.session_id, observation.local_date, observation.author),
        is_own(line) or (standing.place is Place.OPEN and not standing.is_expired),
        standing.is_expired or observation.done,
        standing.is_shown,
        standing.is_kept,
    )


def source_of(session_id: str, local_date: str, author: Author) -> str:
    """Return what a line rests on: a conversation, the person's file, a dated file it was read from."""
    return session_id or (OWN_FILE if author is Author.PERSON else f"obs-{local_date}.md")
