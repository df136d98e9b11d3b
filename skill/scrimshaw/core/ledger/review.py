"""What a person's decision on a proposal makes of it: whose line, of which words, closing what.

A proposal that waits was verified, and accepted it is a line of whoever proposed it. One that broke a rule
becomes the person's own word by being accepted, and so does one whose words they change: a line is verified
or the person's (promise 4). Both keep the entries they rest on, their date and their zone. Of a line that was
noted the list may hold what it would have closed: accepted, that is closed by the person's word. Knows no
list and no ledger; what is live is handed in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from scrimshaw.core.ledger.observations import closings, observation_of
from scrimshaw.core.types import Author, Event, EventType, Line, Observation, Proposal, Rejected

PENDING = "pending"  # verified, and waits for a person
CLOSING = "closing"  # of a line that was noted: an earlier one that it would have closed, and that stays
WAITS = "waits for your review"
# The live line that it repeats weighs more already: there is nothing to decide.
NOT_LAID_OUT = frozenset({"duplicate"})
# Orders in foreign text, our own control text, what a person took out: one by one, never with all the rest.
ONE_BY_ONE = frozenset({"injection", "control", "deleted-by-hand", "form"})


class Refused(NamedTuple):
    """A proposal for the review list, with what a later accept needs to make a line of it."""

    session_id: str
    rejected: Rejected
    author: Author = Author.RULES  # who proposed
    said_at_ms: int = 0  # when the newest entry was said that it cites; 0: unknown
    zone: str = ""


def is_verified(reason: str) -> bool:
    """Whether a proposal on the list was verified, and only waits."""
    return reason == PENDING


def breaks_rule(reason: str) -> bool:
    """Whether what is on the list becomes the person's own word when they accept it."""
    return reason not in (PENDING, CLOSING)


def as_line(proposal: Proposal, origin: Refused, *, author: Author, run_id: str) -> Observation:
    """Return the observation that *proposal* becomes, with the date it was said and its sources (rule 5)."""
    return observation_of(
        proposal, origin.session_id, origin.said_at_ms, origin.zone, author=author, run_id=run_id
    )


def closed_at_persons_word(
    proposal: Proposal, by_id: str, at_ms: int, find: Callable[[str], Line | None]
) -> list[Event]:
    """Return the events of the lines that *proposal* names, of those still live: a person said yes."""
    return [
        Event(type_, key, at_ms, Author.PERSON.value, other_id=by_id, reason="accepted in a review")
        for type_, keys in (
            (EventType.COMPLETED, proposal.completes),
            (EventType.SUPERSEDED, proposal.replaces),
        )
        for key in keys
        if key != by_id and (found := find(key)) and found.standing.is_live
    ]


def closed_by(
    proposal: Proposal, line: Observation, at_ms: int, find: Callable[[str], Line | None]
) -> list[Event]:
    """Return the events of the lines that *line* replaces, takes back or completes, of those still live."""

    def live(ids: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(id_ for id_ in ids if id_ != line.id and (found := find(id_)) and found.standing.is_live)

    still = replace(
        proposal,
        replaces=live(proposal.replaces),
        withdraws=live(proposal.withdraws),
        completes=live(proposal.completes),
    )
    return closings(still, line, at_ms, lambda id_: found.observation if (found := find(id_)) else None)
