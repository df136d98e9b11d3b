"""What a statement changes: the lines it takes back, replaces or completes.

The candidates of a window are resolved one after another, each against the lines already known and against
the candidates before it that share words with it (`decided`). What was said and taken back within the window
is not proposed at all; an accepted line is named, so that the ledger closes it with its reason. Only the
person's own words replace theirs; an answer may report what was open as done. In doubt nothing is closed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from scrimshaw.core.extraction.candidates import MAX_LINE_CHARS, Candidate
from scrimshaw.core.extraction.change_features import Setting, Statement
from scrimshaw.core.extraction.change_judge import judged_update
from scrimshaw.core.extraction.claim_changes import Update, is_called_off, leaves_alone, update_of
from scrimshaw.core.ledger.known_lines import Known, content_words, is_identifier
from scrimshaw.core.ledger.observations import without_closed
from scrimshaw.core.text import entities
from scrimshaw.core.types import MAX_SOURCES, Claim, Kind, Observation, Place, Proposal, Role

_WITHDRAWS_AT = 0.3
_HISTORY_SHARE = 0.6  # what a plan is still worth once it is done
_HALF_SCORE = 6.0  # the score that is worth one half
_CHANGE_SCORE = 1.0  # what replaces something is what a reader must not miss
_OLD_COST = 0.5  # what a number or identifier that is known already takes from a line's score
_MAX_OLD = 5
_MOST_COMPARED, _MOST_UPDATED = 12, 2  # lines, for each statement
_SURE = 1_000  # what a rule is, in the unit of the judge
_GRAVE = 5  # the priority of what does harm when it is lost
_CLAIM = re.compile(
    r"\b((?:my|our|the|his|her|their) (?!same\b)[a-z][\w'-]*(?: [a-z][\w'-]*)?)"
    r"(?: (?:for|of|on|in|at|with) (?P<limit>[\w' -]{2,40}?))?"
    r" (?:is|are|was|goes up to|goes down to|went up to|now is|is now|moves to|moved to|changes to|will be)"
    r" (?:now |on |at )?(?P<object>[^.,;]{1,60})",
    re.IGNORECASE,
)

_WORK = re.compile(r"\b[A-Za-z]{2,10}-\d+|#\d+|\b[A-Z]{2,4} \d{2,5}\b")  # a ticket, a flight
_CLAUSE_END = re.compile(r"[,;]|\. ")

_Kept = tuple[Candidate, Proposal]


class _Earlier(NamedTuple):
    """An earlier line that shares words with a statement: one that is known, or one of this window."""

    score: float
    line: Observation | None
    at: int  # among those kept of this window
    statement: Statement
    is_grave: bool


class _Changes(NamedTuple):
    """What a candidate does to earlier lines."""

    replaces: tuple[Observation, ...] = ()
    completes: tuple[Observation, ...] = ()
    replaces_here: frozenset[int] = frozenset()  # of those kept of this window
    completes_here: frozenset[int] = frozenset()
    made: Update | None = None  # of the line that it is surest of

    @property
    def is_any(self) -> bool:
        """Whether it changes anything."""
        return bool(self.replaces or self.completes or self.replaces_here or self.completes_here)


def resolve_changes(candidates: Iterable[Candidate], known: Known) -> Iterator[Proposal]:
    """Yield the proposals of *candidates*, with what each replaces, withdraws and completes."""
    kept: list[_Kept] = []
    said: frozenset[str] = frozenset()
    closed: set[str] = set()
    for candidate in candidates:
        old = {
            word for word in candidate.words if is_identifier(word) and (word in said or known.holds(word))
        }
        said |= candidate.words
        proposal = _proposal(candidate)
        made = _Changes()
        if candidate.takes_back is not None:
            kept, proposal = _taken_back(candidate, proposal, kept, known)
        if not proposal.withdraws:
            made = _changes(candidate, kept, known, closed)
            proposal = _changing(proposal, made)
        proposal = without_closed(proposal, closed)
        if proposal.replaces or candidate.takes_back is not None:
            score = candidate.score + _CHANGE_SCORE
        else:
            score = candidate.score - _OLD_COST * min(len(old), _MAX_OLD)
        proposal = replace(proposal, salience=_salience(score))
        closed |= {*proposal.replaces, *proposal.withdraws, *proposal.completes}
        kept = list(_left(kept, candidate, made))
        is_bare = candidate.takes_back == frozenset() and not proposal.withdraws  # "I take it back": no news
        if (not candidate.is_weak and not is_bare) or proposal.completes or proposal.replaces:
            kept.append((candidate, proposal))
    for _, proposal in kept:
        yield proposal


def decided(
    now: Statement, before: Statement, setting: Setting, *, is_own: bool = True, is_grave: bool = False
) -> tuple[Update, int] | None:
    """Return what *now* makes of *before*, by rule or else by the trained judge, and how sure that is.

    Rules know few forms and are hardly ever wrong; the judge knows what people say. *is_own*: *now* is the
    person's own word; *is_grave*: it does harm when *before* is lost.
    """
    is_open = before.place is Place.OPEN
    if is_own and before.kind not in (Kind.OUTCOME, Kind.ISSUE):
        update = update_of(now.text, before.text, is_open=is_open)
        if update is not None:
            return update, _SURE
    work = _work_of(now.text, before.text)
    if work is not None and work not in content_words(before.text):
        return None  # another piece of work
    if work is not None and is_open and (now.is_done or now.kind is Kind.OUTCOME):
        return Update.DONE, _SURE
    if work is not None and is_called_off(now.text):
        return Update.OFF, _SURE
    if leaves_alone(now.text, before.text):
        return None
    verdict = judged_update(now, before, setting, is_grave=is_grave)
    if verdict is None or not (is_own or (is_open and verdict.update is Update.DONE)):
        return None
    is_part = verdict.update is Update.DONE and "%" in _CLAUSE_END.split(now.text, maxsplit=1)[0]
    return None if is_part else verdict


def _work_of(now: str, before: str) -> str | None:
    """Return the first piece of work that *now* names of those that are numbered as one in *before* is."""
    told, named = ([hit.lower().replace(" ", "-") for hit in _WORK.findall(one)] for one in (now, before))
    sorts = {one.rstrip("0123456789") for one in named}
    return next((one for one in told if one.rstrip("0123456789") in sorts), None)


def _changes(candidate: Candidate, kept: Sequence[_Kept], known: Known, closed: set[str]) -> _Changes:
    """Return which of the earlier lines *candidate* makes untrue, or reports as done."""
    is_own = candidate.speaker is Role.USER
    if candidate.is_asked or not (is_own or (candidate.done and not candidate.is_ahead)):
        return _Changes()
    now = Statement(candidate.text, candidate.kind, candidate.place, candidate.done)
    found: list[tuple[int, Update, _Earlier]] = []
    for rank, earlier in enumerate(_compared(candidate, kept, known, closed)):
        setting = Setting(rank, is_near=earlier.line is None)
        made = decided(now, earlier.statement, setting, is_own=is_own, is_grave=earlier.is_grave)
        if made is not None:
            found.append((made[1], made[0], earlier))
    found.sort(key=lambda one: -one[0])
    found = found[:_MOST_UPDATED]
    if not found:
        return _Changes()
    replaces: list[Observation] = []
    completes: list[Observation] = []
    here: tuple[set[int], set[int]] = (set(), set())
    for _, update, earlier in found:
        is_done = update is not Update.REPLACED and earlier.statement.place is Place.OPEN
        if earlier.line is not None:
            (completes if is_done else replaces).append(earlier.line)
        else:
            here[is_done].add(earlier.at)
    return _Changes(tuple(replaces), tuple(completes), frozenset(here[0]), frozenset(here[1]), found[0][1])


def _compared(candidate: Candidate, kept: Sequence[_Kept], known: Known, closed: set[str]) -> list[_Earlier]:
    """Return the lines that share most with *candidate*: what the person said, and what is open."""
    found = []
    for match in known.similar(candidate.words)[:_MOST_COMPARED]:
        line = match.observation
        if (
            line.id not in closed
            and not line.done
            and (line.speaker is Role.USER or line.place is Place.OPEN)
        ):
            old = Statement(line.text, line.kind, line.place)
            found.append(_Earlier(match.score, line, -1, old, line.priority >= _GRAVE))
    for at, (one, two) in enumerate(kept):
        if one.sources == candidate.sources or one.is_asked or two.done or one.speaker is not Role.USER:
            continue
        score = known.nearness(candidate.words, one.words)
        if score > 0:
            old = Statement(one.text, two.kind, two.place)
            found.append(_Earlier(score, None, at, old, two.priority >= _GRAVE))
    found.sort(key=lambda earlier: -earlier.score)
    return found[:_MOST_COMPARED]


def _changing(proposal: Proposal, made: _Changes) -> Proposal:
    """Return *proposal* naming what it closes, and placed by that."""
    if not made.is_any:
        return proposal
    proposal = replace(
        proposal,
        replaces=tuple(line.id for line in made.replaces),
        completes=tuple(line.id for line in made.completes),
    )
    if made.made is not Update.REPLACED:
        if proposal.kind is Kind.NEXT_STEP:
            return proposal  # what was arranged for a day to come closes the plan to arrange it
        is_done = made.made is Update.DONE
        kind = Kind.OUTCOME if is_done else proposal.kind
        return replace(proposal, place=Place.LOG, kind=kind, done=is_done)
    # What stands in for a line stands where it stood, not merely in the log.
    first = made.replaces[0].place if made.replaces else proposal.place
    return replace(proposal, place=first) if proposal.place is Place.LOG else proposal


def _left(kept: Sequence[_Kept], candidate: Candidate, made: _Changes) -> Iterator[_Kept]:
    """Yield what is left of *kept* once *candidate* is said."""
    for at, (one, two) in enumerate(kept):
        if at in made.completes_here:
            # Opened and closed within one window: what was planned is history, not an open item.
            if candidate.is_weak or not _tells_as_much(candidate, one):
                yield one, _as_done(two, candidate)
        elif at not in made.replaces_here or candidate.is_weak:
            yield one, two


def _tells_as_much(report: Candidate, planned: Candidate) -> bool:
    """Tell whether *report* holds every name, number and identifier of what was *planned*."""
    marks = {word for word in planned.words if is_identifier(word)}
    # A day or a month is written like a name: that the plan had a date is told by the report's own.
    names = (name.group() for name in entities.NAME.finditer(entities.without_days(planned.text)))
    return marks <= report.words and all(name in report.text for name in names)


def _as_done(planned: Proposal, report: Candidate) -> Proposal:
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
    return round(max(score, 0.1) / (max(score, 0.1) + _HALF_SCORE), 4)


def claim_in(text: str) -> Claim | None:
    """Return what *text* says of what, when it plainly says one thing of one thing."""
    match = _CLAIM.search(text)
    if match is None:
        return None
    return Claim(match.group(1).lower(), "is", match.group("object").strip().lower())


def _proposal(candidate: Candidate) -> Proposal:
    return Proposal(
        text=candidate.text,
        kind=candidate.kind,
        priority=candidate.priority,
        sources=candidate.sources,
        speaker=candidate.speaker,
        place=candidate.place,
        done=candidate.done,
        refers_to=candidate.refers_to,
        claim=claim_in(candidate.text) if candidate.speaker is Role.USER else None,
        confidence=0.9 if candidate.speaker is Role.USER else 0.7,
    )


def _taken_back(
    candidate: Candidate, proposal: Proposal, kept: list[_Kept], known: Known
) -> tuple[list[_Kept], Proposal]:
    """Return *kept* without what *candidate* withdraws, and *proposal* naming it where it was accepted."""
    target = candidate.takes_back or frozenset()
    matter = content_words(entities.without_days(candidate.text))
    if target & matter:
        target &= matter
    for at in range(len(kept) - 1, -1, -1):
        earlier = kept[at][0]
        if earlier.speaker is Role.USER and (not target or _names_same(target, earlier.words)):
            return kept[:at] + kept[at + 1 :], proposal
    matches = [
        match
        for match in known.similar(target)
        if match.score >= _WITHDRAWS_AT
        and match.observation.speaker is Role.USER
        and _names_same(target, match.shared)
    ]
    if not matches:
        return kept, proposal
    newest = max(matches, key=lambda match: (match.observation.said_at_ms, match.score)).observation
    # What corrects a standing fact is one itself.
    place = newest.place if proposal.place is Place.LOG else proposal.place
    return kept, replace(proposal, withdraws=(newest.id,), place=place)


def _names_same(target: frozenset[str], words: frozenset[str]) -> bool:
    shared = target & words
    is_named = any(is_identifier(word) and not word.isdigit() for word in shared)
    return is_named or len(shared) >= max(1, len(target) // 2)
