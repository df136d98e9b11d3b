"""Which earlier lines a model's line may close: what it names in `replaces` and `completes`, doubted.

That a line was verified says that its own words hold, not that another line holds no longer. So an earlier
line is closed only by one about the same, and what they share was said in this window: by the person
themselves, where the earlier line is the person's word. What is done must have been open. Pinned lines, and
what the person wrote, are replaced by nobody (promise 7); and of all lines a window closes a quarter at most,
as a cycle of the reflector does. A reference in doubt is dropped and the line stays: a line too many is
mended by a newer one, a line lost is not. By form, like the gate itself; no clock, no I/O.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from scrimshaw.core.claims import content_words, is_identifier
from scrimshaw.core.model import Author, Kind, Line, Place, Proposal, Role
from scrimshaw.core.rules import anchors, cues
from scrimshaw.core.spelling import CAPITAL
from scrimshaw.core.verify import Evidence
from scrimshaw.core.witness import Witness

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


def in_reach(proposal: Proposal, evidence: Evidence, find: Find, *, room: int) -> Proposal:
    """Return *proposal* with those of its references that it may close, at most *room* of them."""
    if not (proposal.replaces or proposal.completes):
        return proposal
    own = content_words(proposal.text) - _SAYING
    cited = [evidence.witnesses[source] for source in proposal.sources if source in evidence.witnesses]
    spoken = _words(own, [one for one in evidence.witnesses.values() if one.entry.role is Role.USER])
    spoken |= _answered(own, cited)
    every = spoken | _words(own, cited)
    is_told = any(cue.search(proposal.text) for cue in (cues.CHANGE, cues.MOVES, cues.COMPLETION, _CHANGED))
    completes = [key for key in proposal.completes if _may_complete(find(key), every, is_told=is_told)]
    replaces = [
        key
        for key in proposal.replaces
        if _may_replace(find(key), proposal.speaker, (spoken, every), is_told=is_told)
    ]
    completes = completes[: max(room, 0)]
    replaces = replaces[: max(room - len(completes), 0)]
    return replace(proposal, completes=tuple(completes), replaces=tuple(replaces))


def _words(own: frozenset[str], witnesses: list[Witness]) -> frozenset[str]:
    """Return those of a line's *own* words that were spoken in *witnesses*, pastes left out."""
    return own & frozenset().union(*(content_words(one.spoken) for one in witnesses))


def _answered(own: frozenset[str], cited: list[Witness]) -> frozenset[str]:
    """Return the words that the person took up in a few words of their own."""
    replies = [one for one in cited if one.entry.role is Role.USER]
    if not any(0 < len(one.spoken.split()) <= _SHORT_REPLY_WORDS for one in replies):
        return frozenset()
    return _words(own, [one for one in cited if one.entry.role is Role.ASSISTANT])


def _may_complete(line: Line | None, every: frozenset[str], *, is_told: bool) -> bool:
    if line is None or line.observation.done:
        return False
    is_open = line.standing.place is Place.OPEN or line.standing.is_expired
    is_open = is_open or line.observation.kind in (Kind.NEXT_STEP, Kind.ISSUE)
    return is_open and _is_about(line, every, is_told=is_told)


def _may_replace(
    line: Line | None, speaker: Role, said: tuple[frozenset[str], ...], *, is_told: bool
) -> bool:
    if line is None or line.observation.author is Author.PERSON or line.standing.is_pinned:
        return False
    spoken, every = said
    if line.observation.speaker is not Role.USER:
        return _is_about(line, every, is_told=is_told)
    return speaker is Role.USER and _is_about(line, spoken, is_told=is_told)


def _is_about(line: Line, said: frozenset[str], *, is_told: bool) -> bool:
    """Whether enough of what *line* is about is in what was said; days and who says it tell nothing.

    One plain word in common is enough only where it *is_told* that something changed.
    """
    text = anchors.DATE_WORDS.cut(line.observation.text, " ")
    words = content_words(text) - _SAYING
    shared = words & said
    if not shared or len(shared) < _LEAST_SHARED * min(len(words), len(said)):
        return False
    if len(shared) > 1 or len(words) <= 2 or is_told:
        return True
    names = frozenset().union(*(content_words(name) for name in CAPITAL.findall(text[1:])))
    return any(is_identifier(word) or word in names for word in shared)
