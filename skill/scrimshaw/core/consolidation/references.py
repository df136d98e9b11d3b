"""Which earlier lines a model's line closes, of those that it names in `replaces` and `completes`.

That a line was verified says that its own words hold, not that another line holds no longer. Whether that is
so the second reading says (core/verification/judge). Where nobody read, it goes by form: what both are about
was said in this window, by the person themselves, where the earlier line is the person's word.

Whoever says so, some things stay: what a person wrote, pinned, hid or got back is closed by no run (what they
wrote to be done may be done, promise 7), what the person said is replaced by their own words only, nothing by
what was said before it; and of all lines a window closes a quarter at most, as a cycle of the reflector does.
What is not taken comes back with the reason, for the review list. No clock, no I/O.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from scrimshaw.core.language import cues
from scrimshaw.core.ledger.known_lines import content_words, is_identifier
from scrimshaw.core.ledger.review import CLOSING
from scrimshaw.core.text import entities
from scrimshaw.core.text.normalize import CAPITAL
from scrimshaw.core.types import (
    UNREAD,
    Author,
    EventType,
    Kind,
    Line,
    Place,
    Proposal,
    Readings,
    Rejected,
    Role,
    SaidClosed,
)
from scrimshaw.core.verification.source import Witness
from scrimshaw.core.verification.verify import Evidence

LEAST_CLOSED = 3  # of few lines a quarter is too little for what one conversation may settle
_LEAST_SHARED = 0.33  # of the fewer words
_SHORT_REPLY_WORDS = 9  # "yes, to Thursday please": what it is about stands in what was asked
_SAYING_TEXT = """
    user person owner assistant agent tool say said state stated ask asked want prefer decide decided plan
    planned note noted tell told report reported need now still no longer done finished completed
"""
_CHANGED = re.compile(r"\bnow\b|\bno longer\b|\bfrom .{1,60} to\b", re.IGNORECASE)
_SAYING = content_words(_SAYING_TEXT)

Find = Callable[[str], Line | None]


class Declined(NamedTuple):
    """An earlier line that a model would have closed, and that stays."""

    type: EventType
    id: str
    why: str  # for a person, the end of "not taken: …"


class Reached(NamedTuple):
    """A proposal with those of its references that it closes, and the others."""

    proposal: Proposal
    declined: tuple[Declined, ...] = ()


def alone(proposal: Proposal) -> Proposal:
    """Return *proposal* without what it would close: what a reading of it is known by."""
    return replace(proposal, replaces=(), withdraws=(), completes=())


def not_taken(noted: Proposal, declined: Declined) -> Rejected:
    """Return for the list what *noted* would have closed, alone, and why it stays."""
    ids = (declined.id,)
    is_done = declined.type is EventType.COMPLETED
    named = replace(alone(noted), completes=ids) if is_done else replace(alone(noted), replaces=ids)
    return Rejected(named, CLOSING, declined.why)


def closing_bar(
    type_: EventType, line: Line | None, *, speaker: Role | None, said_at_ms: int | None = None
) -> str:
    """Return why no run closes *line*, by whatever it was told; "" when one may.

    *speaker* says what would close it, None: several do; *said_at_ms* is when it was said.
    """
    if line is None:
        return "that line is no longer there"
    observation, standing = line
    is_done = type_ is EventType.COMPLETED
    if observation.author is Author.PERSON and not (is_done and _is_open(line)):
        return "you wrote that line yourself"
    if standing.is_pinned or standing.is_set_aside or standing.is_kept:
        return "you have pinned, hidden or brought back that line"
    if is_done and observation.done:
        return "that line tells what is done already"
    if said_at_ms is not None and observation.said_at_ms > said_at_ms:
        return "that line was said later"
    if not is_done and observation.speaker is Role.USER and speaker not in (None, Role.USER):
        return "only the person's own words replace what the person said"
    return ""


def in_reach(
    proposal: Proposal, evidence: Evidence, find: Find, *, room: int, readings: Readings = UNREAD
) -> Reached:
    """Return *proposal* with those of its references that it closes, at most *room* of them."""
    named = [(EventType.COMPLETED, key) for key in proposal.completes]
    named += [(EventType.SUPERSEDED, key) for key in proposal.replaces]
    if not named:
        return Reached(proposal)
    closed: list[tuple[EventType, str]] = []
    declined = []
    said_at_ms = max(
        (one.entry.said_at_ms for key in proposal.sources if (one := evidence.witnesses.get(key))),
        default=None,
    )
    is_about = _Form(proposal, evidence)
    for type_, key in named:
        line = find(key)
        why = closing_bar(type_, line, speaker=proposal.speaker, said_at_ms=said_at_ms)
        asked = SaidClosed(alone(proposal), type_, key)
        if line is not None and not why:
            if asked in readings.stays:
                why = f"read once more, that line still holds: {readings.stays[asked]}".removesuffix(": ")
            elif asked not in readings.closes and not is_about(type_, line):
                why = "too little was said here of what that line is about"
        if not why and len(closed) >= room:
            why = "a conversation closes a quarter of the lines at most"
        if why:
            declined.append(Declined(type_, key, why))
        else:
            closed.append((type_, key))
    kept = replace(
        proposal,
        completes=tuple(key for type_, key in closed if type_ is EventType.COMPLETED),
        replaces=tuple(key for type_, key in closed if type_ is EventType.SUPERSEDED),
    )
    return Reached(kept, tuple(declined))


class _Form:
    """Whether a proposal is about a line, by the words that were said: where nobody has read it once more."""

    def __init__(self, proposal: Proposal, evidence: Evidence) -> None:
        own = content_words(proposal.text) - _SAYING
        cited = [evidence.witnesses[source] for source in proposal.sources if source in evidence.witnesses]
        spoken = _words(own, [one for one in evidence.witnesses.values() if one.entry.role is Role.USER])
        self._spoken = spoken | _answered(own, cited)
        self._every = self._spoken | _words(own, cited)
        cue = (cues.CHANGE, cues.MOVES, cues.COMPLETION, _CHANGED)
        self._is_told = any(one.search(proposal.text) for one in cue)

    def __call__(self, type_: EventType, line: Line) -> bool:
        if type_ is EventType.COMPLETED:
            return _is_open(line) and _is_about(line, self._every, is_told=self._is_told)
        said = self._spoken if line.observation.speaker is Role.USER else self._every
        return _is_about(line, said, is_told=self._is_told)


def _is_open(line: Line) -> bool:
    is_open = line.standing.place is Place.OPEN or line.standing.is_expired
    return is_open or line.observation.kind in (Kind.NEXT_STEP, Kind.ISSUE)


def _words(own: frozenset[str], witnesses: list[Witness]) -> frozenset[str]:
    """Return those of a line's *own* words that were spoken in *witnesses*, pastes left out."""
    return own & frozenset().union(*(content_words(one.spoken) for one in witnesses))


def _answered(own: frozenset[str], cited: list[Witness]) -> frozenset[str]:
    """Return the words that the person took up in a few words of their own."""
    replies = [one for one in cited if one.entry.role is Role.USER]
    if not any(0 < len(one.spoken.split()) <= _SHORT_REPLY_WORDS for one in replies):
        return frozenset()
    return _words(own, [one for one in cited if one.entry.role is Role.ASSISTANT])


def _is_about(line: Line, said: frozenset[str], *, is_told: bool) -> bool:
    """Whether enough of what *line* is about is in what was said; days and who says it tell nothing.

    One plain word in common is enough only where it *is_told* that something changed.
    """
    text = entities.DATE_WORDS.cut(line.observation.text, " ")
    words = content_words(text) - _SAYING
    shared = words & said
    if not shared or len(shared) < _LEAST_SHARED * min(len(words), len(said)):
        return False
    if len(shared) > 1 or len(words) <= 2 or is_told:
        return True
    names = frozenset().union(*(content_words(name) for name in CAPITAL.findall(text[1:])))
    return any(is_identifier(word) or word in names for word in shared)
