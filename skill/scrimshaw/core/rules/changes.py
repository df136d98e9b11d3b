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
from functools import lru_cache
from typing import NamedTuple

from scrimshaw.core.claims import Known, Match, content_words, is_identifier, is_ticket
from scrimshaw.core.model import MAX_SOURCES, Claim, Kind, Observation, Place, Proposal, Role
from scrimshaw.core.rules import anchors, cues
from scrimshaw.core.rules.drafts import MAX_LINE_CHARS, Draft

_REPLACES_AT = 0.3
_TWO_WORDS_AT = 0.35
_UPDATES_AT = 0.55
_COMPLETES_AT = 0.5
_MAX_COMPLETED = 2
_WITHDRAWS_AT = 0.3
_HISTORY_SHARE = 0.6  # what a plan is still worth once it is done
_HALF_SCORE = 6.0  # the score that is worth one half
_CHANGE_SCORE = 1.0  # what replaces something is what a reader must not miss
_OLD_COST = 0.5  # what a number or identifier that is known already takes from a line's score
_MAX_OLD = 5
_PREPOSITION = re.compile(r" (?:for|of|with|about|at|to|from|in|on) ", re.IGNORECASE)
_CLAIM = re.compile(
    r"\b((?:my|our|the|his|her|their) (?!same\b)[a-z][\w'-]*(?: [a-z][\w'-]*)?)"
    r"(?: (?:for|of|on|in|at|with) [\w' -]{2,40}?)?"
    r" (?:is|are|was|goes up to|goes down to|went up to|now is|is now|moves to|moved to|changes to|will be)"
    r" (?:now |on |at )?([^.,;]{1,60})",
    re.IGNORECASE,
)


class _Report(NamedTuple):
    words: frozenset[str]
    subject: frozenset[str]
    noun: str  # of the subject
    verbs: frozenset[str]
    is_arranged: bool


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
            (one, _as_done(two, draft) if at in closes_here else two)
            for at, (one, two) in enumerate(kept)
            if at not in closes_here or draft.is_weak or not _tells_as_much(draft, one)
        ]
        if not draft.is_weak or proposal.completes:
            kept.append((draft, proposal))
    for _, proposal in kept:
        yield proposal


def _tells_as_much(report: Draft, planned: Draft) -> bool:
    """Tell whether *report* holds every name, number and identifier of what was *planned*."""
    marks = {word for word in planned.words if is_identifier(word)}
    # A day or a month is written like a name: that the plan had a date is told by the report's own.
    names = (name.group() for name in anchors.NAME.finditer(planned.text))
    return marks <= report.words and all(name in report.text or _is_day(name) for name in names)


def _as_done(planned: Proposal, report: Draft) -> Proposal:
    """Return *planned* as the report of its completion within the same window leaves it."""
    sources = tuple(dict.fromkeys((*planned.sources, *report.sources)))
    text = f"{planned.text} → {report.text}"
    if report.is_weak and len(sources) <= MAX_SOURCES and len(text) <= MAX_LINE_CHARS:
        # The report says little more than that it is done: it is not worth a line of its own.
        return replace(
            planned,
            text=text,
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
    proposal = replace(proposal, withdraws=(newest.observation.id,))
    # What corrects a standing fact is one itself.
    return kept, _placed_like(proposal, newest.observation)


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
    return _placed_like(replace(proposal, replaces=(line.id,)), line)


def _placed_like(proposal: Proposal, line: Observation) -> Proposal:
    """Return *proposal* where the *line* stood that it is told instead of, not merely in the log."""
    return replace(proposal, place=line.place) if proposal.place is Place.LOG else proposal


def _is_same_subject(match: Match, *, moves: bool) -> bool:
    """Tell whether a line is what a statement changes; unless that says so, it must be nearly the same."""
    if not _names_subject(match.shared):
        return False
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
    if draft.is_asked or not _reports_done(draft):
        return proposal, set()
    is_user = draft.speaker is Role.USER
    report = _Report(draft.words, *_reported_subject(draft.text), is_arranged=_is_arranged(draft))
    completed = _completed_lines(report, known)
    here = {
        at
        for at, (earlier, planned) in enumerate(kept)
        if planned.place is Place.OPEN
        and earlier.sources != draft.sources
        and _is_completed(earlier.words & draft.words, report, _share(earlier.words, draft.words))
    }
    if (not completed and not is_user) or report.is_arranged:
        # What was arranged for a day to come closes the plan to arrange it, and is itself still to come.
        return replace(proposal, completes=completed), here
    priority = 4 if is_user else proposal.priority
    done = replace(
        proposal, completes=completed, kind=Kind.OUTCOME, done=True, place=Place.LOG, priority=priority
    )
    return done, here


def _is_arranged(draft: Draft) -> bool:
    return draft.is_ahead and draft.speaker is Role.USER and bool(cues.ARRANGED.search(draft.text))


def _reports_done(draft: Draft) -> bool:
    """Tell whether *draft* says that something is done, not that it will be or is not yet."""
    if draft.speaker is not Role.USER:
        return draft.done and not draft.is_ahead
    if cues.NOT_YET.search(draft.text) or not (draft.done or cues.COMPLETION.search(draft.text)):
        return False
    return _is_arranged(draft) or not (draft.is_ahead or draft.kind is Kind.NEXT_STEP)


def _reported_subject(text: str) -> tuple[frozenset[str], str, frozenset[str]]:
    """Return the words of what is reported done, its noun, and the words that say so."""
    said = cues.COMPLETED_SUBJECT.search(text) or cues.COMPLETED_OBJECT.search(text)
    words = text[said.start(1) : said.end(1)] if said else ""
    noun = _PREPOSITION.split(words.strip())[0].split(" ")[-1]
    verbs = frozenset().union(*(content_words(hit.group()) for hit in cues.COMPLETION.finditer(text)))
    return content_words(words), min(content_words(noun), default=""), verbs


def _completed_lines(report: _Report, known: Known) -> tuple[str, ...]:
    """Return the open lines that *report* closes; one that shares only its noun must be the only one."""
    matches = known.similar(report.words, place=Place.OPEN)
    sure = [match for match in matches if _is_completed(match.shared, report, match.score)]
    if not sure:
        sure = [match for match in matches if report.noun in match.shared]
        sure = sure if len(sure) == 1 else []
    return tuple(match.observation.id for match in sure[:_MAX_COMPLETED])


def _is_completed(shared: frozenset[str], report: _Report, score: float) -> bool:
    """Tell whether an open item is the one reported: by identifier, by subject, or by most of its words."""
    if report.subject and report.subject <= shared:
        return True
    if any(is_ticket(word) for word in shared):
        return True
    if len(shared) >= 2 and shared & report.verbs:
        return True  # "I'll send it to Dana", "sent it to Dana"
    if report.is_arranged and _names_subject(shared) and any(word.isdigit() for word in shared):
        return True  # as many of the same thing: "order 400 bags", "they do the 400 bags for 90, I said yes"
    return score >= _COMPLETES_AT and len(shared) >= 3


def _names_subject(shared: frozenset[str]) -> bool:
    """Tell whether *shared* holds more than figures and dates: a word for what two lines are about."""
    return any(word.isalpha() and not _is_day(word) for word in shared)


@lru_cache(maxsize=1024)
def _is_day(word: str) -> bool:
    """Tell whether *word* names a day or a month."""
    return bool(anchors.DATE_WORDS.search(f"in {word}"))


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / (min(len(one), len(other)) or 1)
