"""What a verified or accepted proposal becomes: an observation, and the events of what it closes.

The id is derived from the session, the entries cited and the text, so the same line twice is one line, on
whatever machine and after whatever crash. Local date, time and zone are computed here and never again (rule
5).

A proposal on the review list was verified and waits, or broke a rule. Accepted, the first is a line of
whoever proposed it; the second, like one whose words the person changes, becomes the person's own word: a
line is verified or the person's (promise 4). Both keep the entries they rest on, their date and their zone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import blake2b
from typing import NamedTuple
from zoneinfo import ZoneInfo

from scrimshaw.core.section.render import safe
from scrimshaw.core.transcript.windows import estimate_tokens
from scrimshaw.core.types import (
    Author,
    Event,
    EventType,
    Line,
    Observation,
    Place,
    Proposal,
    Rejected,
    Window,
)


def observation_id(scope: str, sources: tuple[str, ...], text: str) -> str:
    """Return the id of a line; *scope* is the session's id, or what stands for it in a person's line."""
    key = "\n".join([scope, *sorted(sources), text])
    return blake2b(key.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def accepted(proposal: Proposal, window: Window, *, author: Author, run_id: str) -> Observation:
    """Return the observation that *proposal* becomes; it was said when the last entry it cites was."""
    session_id, at_ms = window.session.session_id, said_at_ms(proposal, window)
    return observation_of(proposal, session_id, at_ms, window.zone, author=author, run_id=run_id)


def in_turn(made: Observation, noted: Sequence[Observation]) -> Observation:
    """Return *made* as said just after those *noted* that were said at the same moment.

    What one message tells stands in its order, then: an hour and a minute do not tell two lines of it apart.
    """
    taken = {one.said_at_ms for one in noted if one.session_id == made.session_id}
    at_ms = made.said_at_ms
    while at_ms in taken:
        at_ms += 1
    return replace(made, said_at_ms=at_ms)


def said_at_ms(proposal: Proposal, window: Window) -> int:
    """Return when *proposal* was said; of one that cites nothing of *window*, when that ended."""
    cited = [entry.said_at_ms for entry in window.entries if entry.entry_id in proposal.sources]
    return max(cited or [entry.said_at_ms for entry in window.entries])


def observation_of(
    proposal: Proposal, session_id: str, said_at_ms: int, zone: str, *, author: Author, run_id: str
) -> Observation:
    """Return the observation that *proposal* becomes, said in that session at that time."""
    from scrimshaw.core.text.dates import looking_ahead  # its patterns take long to load: not for a reader

    local = datetime.fromtimestamp(said_at_ms / 1000, ZoneInfo(zone))
    text, is_open = safe(proposal.text), proposal.place is Place.OPEN
    return Observation(
        id=observation_id(session_id, proposal.sources, text),
        text=text,
        kind=proposal.kind,
        priority=proposal.priority,
        place=proposal.place,
        done=proposal.done,
        author=author,
        session_id=session_id,
        sources=proposal.sources,
        speaker=proposal.speaker,
        said_at_ms=said_at_ms,
        local_date=f"{local:%Y-%m-%d}",
        local_time=f"{local:%H:%M}",
        zone=zone,
        refers_to=looking_ahead(proposal.refers_to, text, local) if is_open else proposal.refers_to,
        claim=proposal.claim,
        confidence=proposal.confidence,
        salience=proposal.salience,
        run_id=run_id,
        tokens=estimate_tokens(text),
    )


def without_closed(proposal: Proposal, closed: Collection[str]) -> Proposal:
    """Return *proposal* without the lines that an earlier one of the same reply closes."""

    def left(ids: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(key for key in ids if key not in closed)

    return replace(
        proposal,
        replaces=left(proposal.replaces),
        withdraws=left(proposal.withdraws),
        completes=left(proposal.completes),
    )


def closings(
    proposal: Proposal, observation: Observation, at_ms: int, find: Callable[[str], Observation | None]
) -> list[Event]:
    """Return the events of the earlier lines that *observation* replaces, takes back or completes.

    Conversations are not read in the order in which they were held, so what was said later stays. A line
    of the person's hand may be completed; what they wrote no run replaces (promise 7).
    """
    return [
        Event(type_, other, at_ms, observation.run_id, other_id=observation.id)
        for type_, ids in (
            (EventType.SUPERSEDED, proposal.replaces),
            (EventType.WITHDRAWN, proposal.withdraws),
            (EventType.COMPLETED, proposal.completes),
        )
        for other in ids
        if (closed := find(other)) is None
        or (
            closed.said_at_ms <= observation.said_at_ms
            and (closed.author is not Author.PERSON or type_ is EventType.COMPLETED)
        )
    ]


PENDING = "pending"  # verified, and waits for a person
CLOSING = "closing"  # of a line that was noted: an earlier one that it would have closed, and that stays
WAITS = "waits for your review"
NOT_REREAD = "unread"  # no rule is broken, and nobody has read its own words again
READ_BY_NOBODY = "it is in other words than what was said, and no model has read it a second time"
# The live line that it repeats weighs more already: there is nothing to decide.
NOT_LAID_OUT = frozenset({"duplicate"})
# Orders in foreign text, our own control text, what a person took out: one by one, never with all the rest.
ONE_BY_ONE = frozenset({"injection", "control", "deleted-by-hand", "form"})


class ReviewProposal(NamedTuple):
    """A proposal for the review list, with what a later accept needs to make a line of it."""

    session_id: str
    rejected: Rejected
    author: Author = Author.RULES  # who proposed
    said_at_ms: int = 0  # when the newest entry was said that it cites; 0: unknown
    zone: str = ""


def is_verified(reason: str) -> bool:
    """Whether a proposal on the list broke no rule, and only waits."""
    return reason in (PENDING, NOT_REREAD)


def breaks_rule(reason: str) -> bool:
    """Whether what is on the list becomes the person's own word when they accept it."""
    return reason not in (PENDING, NOT_REREAD, CLOSING)


def as_line(proposal: Proposal, origin: ReviewProposal, *, author: Author, run_id: str) -> Observation:
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
    named = {*proposal.replaces, *proposal.withdraws, *proposal.completes}
    lines = {id_: found for id_ in named - {line.id} if (found := find(id_)) and found.standing.is_live}
    still = without_closed(proposal, named - lines.keys())
    return closings(still, line, at_ms, lambda id_: lines[id_].observation)
