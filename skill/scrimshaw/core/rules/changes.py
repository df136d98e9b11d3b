"""What a statement changes: the lines it takes back, replaces or completes.

Settles the drafts of a window one after another, each against the lines already known and against
the drafts before it. What was said and taken back within the window is not proposed at all; an
accepted line is named, so that the ledger closes it with its reason. When in doubt nothing is
closed: a line too many is mended by a newer one, a line lost is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from scrimshaw.core.claims import Known, Match, content_words, is_identifier, is_ticket
from scrimshaw.core.model import MAX_SOURCES, Claim, Kind, Observation, Place, Proposal, Role
from scrimshaw.core.rules import cues
from scrimshaw.core.rules.drafts import Draft

_REPLACES_AT = 0.3
_TWO_WORDS_AT = 0.35
_UPDATES_AT = 0.55
_COMPLETES_AT = 0.5
_WITHDRAWS_AT = 0.3
_HISTORY_SHARE = 0.6  # what a plan is still worth once it is done
_HALF_SCORE = 6.0  # the score that is worth one half
_CHANGE_SCORE = 1.0  # what replaces something is what a reader must not miss
_OLD_COST = 0.5  # what a number or identifier that is known already takes from a line's score
_MAX_OLD = 5
_CLAIM = re.compile(
    r"\b((?:my|our|the|his|her|their) (?!same\b)[a-z][\w'-]*(?: [a-z][\w'-]*)?)"
    r"(?: (?:for|of|on|in|at|with) [\w' -]{2,40}?)?"
    r" (?:is|are|was|goes up to|goes down to|went up to|now is|is now|moves to|moved to|changes to|will be)"
    r" (?:now |on |at )?([^.,;]{1,60})",
    re.IGNORECASE,
)


def settle(drafts: Iterable[Draft], known: Known) -> Iterator[Proposal]:
    """Yield the proposals of *drafts*, with what each replaces, withdraws and completes."""
    kept: list[tuple[Draft, Proposal]] = []
    said: frozenset[str] = frozenset()
    closed: set[str] = set()
    for draft in drafts:
        old = {word for word in draft.words if is_identifier(word) and (word in said or known.holds(word))}
        said |= draft.words
        proposal = _proposal(draft)
        if draft.takes_back is not None:
            kept, proposal = _taken_back(draft, proposal, kept, known)
        proposal = _replacing(draft, proposal, known)
        kept = [pair for pair in kept if not _is_replaced(pair[0], draft)]
        proposal, closes_here = _completing(draft, proposal, kept, known)
        proposal = _only_once(proposal, closed)
        if proposal.replaces or draft.takes_back is not None:
            score = draft.score + _CHANGE_SCORE
        else:
            score = draft.score - _OLD_COST * min(len(old), _MAX_OLD)
        proposal = replace(proposal, salience=_salience(score))
        closed |= {*proposal.replaces, *proposal.withdraws, *proposal.completes}
        # Opened and closed within one window: what was planned is history, not an open item.
        kept = [
            (one, _as_done(two, draft) if at in closes_here else two) for at, (one, two) in enumerate(kept)
        ]
        if not draft.is_weak or proposal.completes:
            kept.append((draft, proposal))
    for _, proposal in kept:
        yield proposal


def _as_done(planned: Proposal, report: Draft) -> Proposal:
    """Return *planned* as the report of its completion within the same window leaves it."""
    sources = tuple(dict.fromkeys((*planned.sources, *report.sources)))
    if report.is_weak and len(sources) <= MAX_SOURCES:
        # The report says nothing more than that it is done: it is not worth a line of its own.
        return replace(
            planned,
            place=Place.LOG,
            kind=Kind.OUTCOME,
            done=True,
            sources=sources,
            priority=3,
            salience=planned.salience * _HISTORY_SHARE,
        )
    return replace(
        planned,
        place=Place.LOG,
        priority=min(planned.priority, 3),
        salience=planned.salience * _HISTORY_SHARE,
    )


def _salience(score: float) -> float:
    """Return *score* as 0..1."""
    return round(max(score, 0.1) / (max(score, 0.1) + _HALF_SCORE), 4)


def _only_once(proposal: Proposal, closed: set[str]) -> Proposal:
    """Return *proposal* without the lines that an earlier one of the same reply closes."""
    return replace(
        proposal,
        replaces=tuple(key for key in proposal.replaces if key not in closed),
        withdraws=tuple(key for key in proposal.withdraws if key not in closed),
        completes=tuple(key for key in proposal.completes if key not in closed),
    )


def claim_of(text: str) -> Claim | None:
    """Return what *text* says of what, when it plainly says one thing of one thing."""
    match = _CLAIM.search(text)
    if match is None:
        return None
    return Claim(match.group(1).lower(), "is", match.group(2).strip().lower())


def _proposal(draft: Draft) -> Proposal:
    return Proposal(
        text=draft.text,
        kind=draft.kind,
        priority=draft.priority,
        sources=draft.sources,
        speaker=draft.speaker,
        place=draft.place,
        done=draft.done,
        refers_to=draft.refers_to,
        claim=claim_of(draft.text) if draft.speaker is Role.USER else None,
        confidence=0.9 if draft.speaker is Role.USER else 0.7,
    )


def _taken_back(
    draft: Draft, proposal: Proposal, kept: list[tuple[Draft, Proposal]], known: Known
) -> tuple[list[tuple[Draft, Proposal]], Proposal]:
    """Return *kept* without what *draft* withdraws, and *proposal* naming it where it was accepted."""
    target = draft.takes_back or frozenset()
    for at in range(len(kept) - 1, -1, -1):
        earlier = kept[at][0]
        if earlier.speaker is Role.USER and (not target or _names_same(target, earlier.words)):
            return kept[:at] + kept[at + 1 :], proposal
    matches = [
        match
        for match in known.similar(target)
        if match.score >= _WITHDRAWS_AT and match.observation.speaker is Role.USER
    ]
    if not matches:
        return kept, proposal
    newest = max(matches, key=lambda match: (match.observation.said_at_ms, match.score))
    return kept, replace(proposal, withdraws=(newest.observation.id,))


def _names_same(target: frozenset[str], words: frozenset[str]) -> bool:
    shared = target & words
    return any(is_identifier(word) for word in shared) or len(shared) >= max(1, len(target) // 2)


def _replacing(draft: Draft, proposal: Proposal, known: Known) -> Proposal:
    if draft.speaker is not Role.USER or draft.is_asked or proposal.withdraws:
        return proposal
    moves = bool(cues.MOVES.search(draft.text))
    if not moves and not cues.CHANGE.search(draft.text):
        return proposal
    if proposal.claim is not None:
        for line in known.with_claim(proposal.claim):
            if line.claim is not None and line.claim.object != proposal.claim.object:
                return _replaced(proposal, line)
    for match in known.similar(draft.words):
        is_live_plan = match.observation.speaker is Role.USER and not match.observation.done
        if is_live_plan and _is_same_subject(match, moves=moves):
            return _replaced(proposal, match.observation)
    return proposal


def _replaced(proposal: Proposal, line: Observation) -> Proposal:
    place = line.place if proposal.place is Place.LOG and line.place is not Place.LOG else proposal.place
    return replace(proposal, replaces=(line.id,), place=place)


def _is_same_subject(match: Match, *, moves: bool) -> bool:
    """Tell whether a line is what a statement changes; unless that says so, it must be nearly the same."""
    if not moves:
        return len(match.shared) >= 3 and match.score >= _UPDATES_AT
    if any(is_ticket(word) for word in match.shared):
        return True
    return (
        match.score >= (_REPLACES_AT if len(match.shared) >= 3 else _TWO_WORDS_AT) and len(match.shared) >= 2
    )


def _is_replaced(earlier: Draft, later: Draft) -> bool:
    """Tell whether *later* says within the same window that *earlier* no longer holds."""
    if later.is_asked or Role.USER is not earlier.speaker or Role.USER is not later.speaker:
        return False
    if earlier.sources == later.sources:
        return False
    if not cues.MOVES.search(later.text):
        return False
    shared = earlier.words & later.words
    return len(shared) >= 3 and len(shared) >= 0.6 * min(len(earlier.words), len(later.words))


def _completing(
    draft: Draft, proposal: Proposal, kept: list[tuple[Draft, Proposal]], known: Known
) -> tuple[Proposal, set[int]]:
    """Return *proposal* with the open items it reports as done, and which of *kept* it does."""
    is_user = draft.speaker is Role.USER
    if draft.is_asked:
        return proposal, set()
    if not (draft.done or (is_user and cues.COMPLETION.search(draft.text))) or draft.is_ahead:
        return proposal, set()
    if is_user and (draft.kind is Kind.NEXT_STEP or cues.NOT_YET.search(draft.text)):
        return proposal, set()
    said = cues.COMPLETED_SUBJECT.search(draft.text)
    subject = content_words(said.group(1)) if said else frozenset()
    verbs = frozenset().union(*(content_words(hit.group()) for hit in cues.COMPLETION.finditer(draft.text)))
    completed = [
        match.observation.id
        for match in known.similar(draft.words, place=Place.OPEN)
        if _is_completed(match.shared, subject, verbs, match.score)
    ][:2]
    here = {
        at
        for at, (earlier, planned) in enumerate(kept)
        if planned.place is Place.OPEN
        and earlier.sources != draft.sources
        and _is_completed(earlier.words & draft.words, subject, verbs, _share(earlier.words, draft.words))
    }
    if not completed and not is_user:
        return proposal, here
    priority = 4 if is_user else proposal.priority
    done = replace(
        proposal, completes=tuple(completed), kind=Kind.OUTCOME, done=True, place=Place.LOG, priority=priority
    )
    return done, here


def _is_completed(
    shared: frozenset[str], subject: frozenset[str], verbs: frozenset[str], score: float
) -> bool:
    """Tell whether an open item is the one reported: by identifier, by subject, or by most of its words."""
    if subject and subject <= shared:
        return True
    if any(is_ticket(word) for word in shared):
        return True
    if len(shared) >= 2 and shared & verbs:
        return True  # "I'll send it to Dana", "sent it to Dana"
    return score >= _COMPLETES_AT and len(shared) >= 3


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / (min(len(one), len(other)) or 1)
