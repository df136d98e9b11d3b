"""Decide which earlier lines a statement takes back, replaces or completes.

The candidates of a window are resolved in order, each against the lines already known and the candidates
before it. What was said and taken back within the window is not proposed at all; for an accepted line the
proposal names its id, so that the ledger closes it with a reason. In doubt nothing is closed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from scrimshaw.core.extraction.candidates import Candidate
from scrimshaw.core.extraction.claim_changes import (
    Update,
    is_called_off,
    may_close,
    may_update,
    plans_more,
    update_of,
)
from scrimshaw.core.extraction.corrections import Correction, told_again
from scrimshaw.core.extraction.endings import is_new_dose
from scrimshaw.core.extraction.follow_ups import (
    Judged,
    Kept,
    follow_up,
    is_arranged,
    judge_plans,
    may_follow,
    newer_word,
    reports_done,
    sets_day,
)
from scrimshaw.core.extraction.joining import ends_part, joined
from scrimshaw.core.extraction.lifted_wishes import (
    Wish,
    is_of_one_matter,
    lifted,
    may_lift,
    may_replace,
    speaks_to_agent,
    told_of,
    touches,
    wished_otherwise,
)
from scrimshaw.core.extraction.partly_done import leaves_open
from scrimshaw.core.extraction.personal_statements import has_new_residence_or_employer
from scrimshaw.core.extraction.replacements import (
    OpenItem,
    StatedChange,
    amended_line,
    completed_items,
    corrected_lines,
    is_of_either,
    is_replaced_by,
    matter,
    may_be_corrected,
    names_same,
    needed_again,
    outdates_claim,
    read_report,
    stated_change,
    tells_as_much,
)
from scrimshaw.core.extraction.scorer import VITAL_PRIORITY
from scrimshaw.core.extraction.statements import MAX_LINE_CHARS
from scrimshaw.core.ledger.known_lines import KnownLines, content_words, is_identifier, is_ticket
from scrimshaw.core.ledger.observations import without_closed
from scrimshaw.core.types import (
    MAX_SOURCES,
    Claim,
    Kind,
    Observation,
    Place,
    Proposal,
    Role,
)

_WITHDRAWS_AT = 0.3
_LEAST_SHARED = 2  # words that a line must share with the statement that changes it
_HISTORY_SHARE = 0.6  # factor on the salience of a plan once it is done
_HALF_SCORE = 6.0  # the score that corresponds to a salience of one half
_CHANGE_SCORE = 1.0  # added to a line that replaces something, which a reader must not miss
_OLD_COST = 0.5  # taken from a line's score for a number or identifier that is already known
_MAX_OLD = 5
_MOST_COMPARED, _MOST_UPDATED = 12, 2  # lines, for each statement
_CLAIM = re.compile(
    r"\b((?:my|our|the|his|her|their) (?!same\b)[a-z][\w'-]*(?: [a-z][\w'-]*)?)"
    r"(?: (?:for|of|on|in|at|with) (?P<limit>[\w' -]{2,40}?))?"
    r" (?:is|are|was|goes up to|goes down to|went up to|now is|is now|moves to|moved to|changes to|will be)"
    r" (?:now |on |at )?(?P<object>[^.,;]{1,60})",
    re.IGNORECASE,
)


def resolve_changes(
    candidates: Iterable[Candidate], known: KnownLines, session_id: str | None = None
) -> Iterator[Proposal]:
    """Yield the proposals of *candidates*, with the lines that each replaces, withdraws and completes.

    *session_id*: of the session in which they were said; without one the trained judge is not asked.
    """
    kept: Kept = []
    said: frozenset[str] = frozenset()
    closed: set[str] = set()
    for candidate in candidates:
        old = {
            word for word in candidate.words if is_identifier(word) and (word in said or known.holds(word))
        }
        if not candidate.is_weak:
            said |= candidate.words
        made, is_all = _told_in_place(candidate, kept, known, session_id)
        closed |= {*made.replaces} if made else set()
        if is_all:
            continue
        proposal = _proposal(candidate)
        if candidate.takes_back is not None:
            kept, proposal = _taken_back(candidate, proposal, kept, known)
        kept, proposal, closes_here = _by_rules(candidate, proposal, kept, known)
        if (line := _ended_in_part(candidate, proposal, known)) is not None:
            proposal = replace(proposal, replaces=(), completes=(), withdraws=())
            if may_follow(candidate, line) and _followed(candidate, proposal, line.id, line, kept):
                closed.add(line.id)
                continue
        is_judged = not (closes_here or proposal.replaces or proposal.withdraws or proposal.completes)
        if session_id is not None and is_judged:
            judged = judge_plans(candidate, kept, known, closed, session_id)
            if judged and not judged.is_sure:
                key, plan, *_ = judged.plan
                if _followed(candidate, proposal, key, plan, kept):
                    closed |= {key} if isinstance(key, str) else set()
                    continue
            proposal, closes_here = _as_judged(proposal, judged)
        as_wish = _as_wish(candidate, proposal, known)
        # What is allowed stays beside the wish that it may be meant to lift, and that it must not.
        is_beside = as_wish is not proposal and touches(candidate.text, known.lines())
        proposal = without_closed(as_wish, closed)
        if proposal.replaces or candidate.takes_back is not None:
            score = candidate.score + _CHANGE_SCORE
        else:
            score = candidate.score - _OLD_COST * min(len(old), _MAX_OLD)
        proposal = replace(proposal, salience=_salience(score))
        closed |= {*proposal.replaces, *proposal.withdraws, *proposal.completes}
        kept = _without_ended(candidate, kept, closes_here, is_judged=is_judged)
        is_bare = candidate.takes_back == frozenset() and not proposal.withdraws  # "I take it back": no news
        if (not candidate.is_weak and not is_bare) or is_beside or proposal.completes or proposal.replaces:
            kept.append((candidate, proposal))
    yield from joined(kept)


def _without_ended(candidate: Candidate, kept: Kept, closes_here: set[int], *, is_judged: bool) -> Kept:
    """Return *kept* without what *candidate* outdates or tells as well; what else it completes is done."""
    is_said = candidate.speaker is Role.USER and not (candidate.is_asked or candidate.is_weak)
    left: Kept = []
    for at, (one, proposal) in enumerate(kept):
        if is_said and _is_outdated(one, candidate):
            continue
        if at not in closes_here:
            left.append((one, proposal))
        elif candidate.is_weak or is_judged or not tells_as_much(candidate, one):
            # Opened and closed within one window: the plan is history, not an open item.
            left.append((one, _as_done(proposal, candidate)))
    return left


def _by_rules(
    candidate: Candidate, proposal: Proposal, kept: Kept, known: KnownLines
) -> tuple[Kept, Proposal, set[int]]:
    """Return what is left of *kept*, *proposal* with what it closes, and what of *kept* it completes."""
    is_said = candidate.speaker is Role.USER and not candidate.is_asked
    turn = stated_change(candidate.text) if is_said else None
    if turn is not None and not proposal.withdraws:
        proposal = _replacing(candidate, turn, proposal, known)
    if turn is not None and not candidate.is_weak:
        kept = [pair for pair in kept if not _is_replaced(pair[0], candidate, turn)]
    proposal, closes_here = _completing(candidate, proposal, kept, known)
    if not (closes_here or proposal.replaces or proposal.withdraws or proposal.completes):
        proposal = _updating(candidate, proposal, known)
    return kept, newer_word(candidate, proposal, known) or proposal, closes_here


def _told_in_place(
    candidate: Candidate, kept: Kept, known: KnownLines, session_id: str | None
) -> tuple[Proposal | None, bool]:
    """Put the line into *kept* that *candidate* corrects, corrected, or what it allows in place of a wish.

    Return that, if there is one, and whether *candidate* says nothing else.
    """
    if candidate.corrects is not None:
        made = _correcting(candidate, candidate.corrects, kept, known, session_id)
        if made is not None:
            beside = (candidate.corrects.before | candidate.corrects.after) - content_words(made.text)
            return made, candidate.takes_back is not None or not beside
        if candidate.corrects.is_outright and (made := _amended(candidate, candidate.corrects, kept, known)):
            return made, True
    if (again := needed_again(candidate, kept, known)) is not None:
        return _needed_again(candidate, *again, kept)
    is_said = candidate.speaker is Role.USER and not candidate.is_asked and candidate.takes_back is None
    is_wish = candidate.place is Place.STANDING and candidate.kind is Kind.PREFERENCE
    is_lifting = is_said and may_lift(candidate.text, is_wish=is_wish)
    made = _lifting(candidate, kept, known) if is_lifting else None
    return made, made is not None


def _correcting(
    candidate: Candidate,
    correction: Correction,
    kept: Kept,
    known: KnownLines,
    session_id: str | None,
) -> Proposal | None:
    """Return the line of *kept* or *known* that *candidate* corrects, corrected; it is in *kept* then."""
    assert candidate.said_at is not None
    for at in reversed(may_be_corrected(correction, kept)):
        earlier, proposal = kept[at]
        about = [one.words for one, _ in kept if one.sources == earlier.sources and one is not earlier]
        said = correction.of_what_names(frozenset().union(*about))
        told = told_again(proposal, said, candidate.said_at)
        sources = (*(one for one in proposal.sources if one not in candidate.sources), *candidate.sources)
        if told is not None and len(sources) <= MAX_SOURCES:
            if is_of_either(correction, kept, at, candidate.said_at):
                return None
            text, refers_to = told
            made = replace(
                proposal,
                text=text,
                sources=sources,
                refers_to=refers_to,
                claim=claim_in(text),
                retells=proposal,
            )
            words = content_words(text)
            kept[at] = replace(earlier, text=text, words=words, sources=sources, refers_to=refers_to), made
            return made
    found = corrected_lines(candidate.said_at, correction, known, session_id)
    if len(found) != 1:
        return None
    ((line, (text, refers_to)),) = found
    made = replace(
        _proposal(candidate),
        text=text,
        kind=line.kind,
        priority=line.priority,
        place=line.place,
        refers_to=refers_to,
        claim=claim_in(text),
        replaces=(line.id,),
        salience=line.salience,
        retells=line,
    )
    kept.append((candidate, made))
    return made


def _needed_again(
    candidate: Candidate, key: int | str, line: Observation | Proposal, is_whole: bool, kept: Kept
) -> tuple[Proposal | None, bool]:
    """Put *candidate* into *kept* for *line*, which found needless what is to be done after all; as above."""
    proposal = _proposal(candidate)
    if is_whole and isinstance(key, int):
        del kept[key]  # nothing has come of it
        return None, False
    if is_whole:
        made = replace(proposal, replaces=(str(key),), salience=_salience(candidate.score))
        kept.append((candidate, made))
        return made, True
    if not _followed(candidate, proposal, key, line, kept):
        return None, False
    at = key if isinstance(key, int) else -1
    made = replace(kept[at][1], kind=proposal.kind, place=proposal.place, priority=proposal.priority)
    kept[at] = kept[at][0], made
    return made, True


def _amended(candidate: Candidate, correction: Correction, kept: Kept, known: KnownLines) -> Proposal | None:
    """Return the one line just said that *candidate* plainly corrects, with it told behind; in *kept* then.

    "Correction, it's not 30, it's 35 over Christmas": what else it says may limit the new value.
    """
    found = amended_line(candidate, correction, kept, known)
    if found is None or not _followed(candidate, _proposal(candidate), *found, kept):
        return None
    return kept[found[0] if isinstance(found[0], int) else -1][1]


def _lifting(candidate: Candidate, kept: Kept, known: KnownLines) -> Proposal | None:
    """Return *candidate* in place of the wish that it lifts, behind it or beside it; it is in *kept* then."""
    here = {at: made for at, (one, made) in enumerate(kept) if one.sources != candidate.sources}
    there = {line.id: line for line in known.lines() if line.place is Place.STANDING and not line.done}

    def found(by: Callable[[str, Iterable[Wish]], Wish | None]) -> tuple[int | str, Wish] | None:
        for wishes in (here, there):
            wish = by(candidate.text, wishes.values())
            if wish is not None:
                return next((key, one) for key, one in wishes.items() if one is wish)
        return None

    named = found(lifted)
    # Else the rest of it still holds.
    whole = named if named and is_of_one_matter(named[1].text, candidate.text) else found(wished_otherwise)
    if whole is None or candidate.refers_to is not None or not may_replace(candidate.text, whole[1]):
        told = (whole or found(told_of)) if candidate.refers_to is None else None
        if told is not None and not _is_of_plan(candidate, told[1], kept, known):
            made = _told_behind(candidate, *told, kept)
            if made is not None:
                return made
        whole = None
    wish = whole or named
    if wish is None:
        return None
    key, old = wish
    made = replace(_proposal(candidate), place=Place.STANDING, kind=Kind.PREFERENCE, priority=old.priority)
    if whole and isinstance(key, int):
        del kept[key]
    elif whole and isinstance(key, str):
        made = replace(made, replaces=(key,))
    kept.append((candidate, made))
    return made


def _told_behind(candidate: Candidate, key: int | str, wish: Wish, kept: Kept) -> Proposal | None:
    """Return *wish* told again with *candidate* behind it, if they make a line; it is in *kept* then."""
    if not may_follow(candidate, wish):
        return None
    if not _followed(candidate, _proposal(candidate), key, wish, kept):
        return None
    return kept[key if isinstance(key, int) else -1][1]


def _is_of_plan(candidate: Candidate, wish: Wish, kept: Kept, known: KnownLines) -> bool:
    """Tell whether *candidate* may as well be about something open as about *wish*."""
    shared = candidate.words & content_words(wish.text)
    plans = [match.observation.text for match in known.similar(candidate.words, place=Place.OPEN)]
    plans += [made.text for _, made in kept if made.place is Place.OPEN]
    return any(shared <= content_words(plan) for plan in plans)


def _as_wish(candidate: Candidate, proposal: Proposal, known: KnownLines) -> Proposal:
    """Return *proposal* as a wish where it allows the agent something, which wishes of the person bound."""
    if candidate.speaker is not Role.USER or candidate.is_asked or candidate.refers_to is not None:
        return proposal
    if proposal.replaces or proposal.withdraws or proposal.completes or not speaks_to_agent(candidate.text):
        return proposal
    if not any(line.kind is Kind.PREFERENCE and line.place is Place.STANDING for line in known.lines()):
        return proposal
    return replace(proposal, place=Place.STANDING, kind=Kind.PREFERENCE, done=False)


def _as_done(planned: Proposal, report: Candidate) -> Proposal:
    """Return the proposal *planned* after its completion was reported within the same window."""
    sources = tuple(dict.fromkeys((*planned.sources, *report.sources)))
    text = f"{planned.text} → {report.text}"
    if report.is_weak and len(sources) <= MAX_SOURCES and len(text) <= MAX_LINE_CHARS:
        # The report says little more than that it is done, so it gets no line of its own.
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
    """Return the claim in *text*, when it plainly states one value of one thing."""
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
    candidate: Candidate, proposal: Proposal, kept: Kept, known: KnownLines
) -> tuple[Kept, Proposal]:
    """Return *kept* without what *candidate* withdraws, and *proposal* naming a withdrawn accepted line."""
    target = candidate.takes_back or frozenset()
    if target & matter(candidate.text):
        target &= matter(candidate.text)
    for at in range(len(kept) - 1, -1, -1):
        earlier = kept[at][0]
        if earlier.speaker is Role.USER and (not target or names_same(target, earlier.words)):
            return kept[:at] + kept[at + 1 :], proposal
    matches = [
        match
        for match in known.similar(target)
        if match.score >= _WITHDRAWS_AT
        and match.observation.speaker is Role.USER
        and names_same(target, match.shared)
    ]
    if not matches:
        return kept, proposal
    newest = max(matches, key=lambda match: (match.observation.said_at_ms, match.score))
    proposal = replace(proposal, withdraws=(newest.observation.id,))
    # A correction of a standing fact is a standing fact itself.
    return kept, _placed_like(proposal, newest.observation)


def _replacing(candidate: Candidate, turn: StatedChange, proposal: Proposal, known: KnownLines) -> Proposal:
    if proposal.claim is not None:
        for line in known.with_claim(proposal.claim):
            if (
                line.claim is not None
                and outdates_claim(turn, proposal.claim, line.claim)
                and _is_of_same(candidate.text, line.text)
                and may_close(candidate.text, line.text)
            ):
                return _replaced(proposal, line)
    for match in known.similar(candidate.words):
        line = match.observation
        is_known_by = len(match.shared) >= _LEAST_SHARED or any(map(is_ticket, match.shared))
        if not (
            is_known_by
            or match.shared == content_words(line.text)
            or has_new_residence_or_employer(turn.text, line.text)
        ):
            continue
        # A past event stays true, whatever followed.
        if (
            line.speaker is Role.USER
            and line.place is not Place.LOG
            and is_replaced_by(turn, line.text)
            and may_close(candidate.text, line.text)
        ):
            return _replaced(proposal, line)
    return proposal


def _updating(candidate: Candidate, proposal: Proposal, known: KnownLines) -> Proposal:
    """Return *proposal* with those of the person's lines that it makes untrue, or reports as done."""
    if candidate.speaker is not Role.USER or candidate.is_asked or not may_update(candidate.text):
        return proposal
    found: dict[Update, list[Observation]] = {}
    for match in known.similar(candidate.words)[:_MOST_COMPARED]:
        line = match.observation
        if line.speaker is Role.USER and not line.done and line.kind not in (Kind.OUTCOME, Kind.ISSUE):
            made = update_of(candidate.text, line.text, is_open=line.place is Place.OPEN)
            if made is not None:
                found.setdefault(made, []).append(line)
    if not found:
        return proposal
    update, lines = next(iter(found.items()))  # of the line that shares most words
    lines = lines[:_MOST_UPDATED]
    if update is Update.REPLACED or all(map(_is_vital, lines)):
        return _placed_like(replace(proposal, replaces=tuple(line.id for line in lines)), lines[0])
    closed = replace(
        proposal,
        completes=tuple(line.id for line in lines if line.place is Place.OPEN),
        replaces=tuple(line.id for line in lines if line.place is not Place.OPEN),
        place=Place.LOG,
    )
    if plans_more(candidate.text, is_open=candidate.place is Place.OPEN):
        return replace(closed, kind=Kind.NEXT_STEP, place=Place.OPEN, done=False)
    return replace(closed, kind=Kind.OUTCOME, done=True) if update is Update.DONE else closed


def _as_judged(proposal: Proposal, judged: Judged | None) -> tuple[Proposal, set[int]]:
    """Return *proposal* with the line that it surely ends, or the index of that among those of the window."""
    if judged is None or not judged.is_sure:
        return proposal, set()
    update, key = judged.verdict.update, judged.plan.key
    if update is not Update.REPLACED and proposal.place is not Place.STANDING:
        is_more = plans_more(proposal.text, is_open=proposal.place is Place.OPEN)
        place, kind = (Place.OPEN, Kind.NEXT_STEP) if is_more else (Place.LOG, Kind.OUTCOME)
        proposal = replace(proposal, place=place, kind=kind)
    elif update is Update.REPLACED and proposal.place is Place.LOG:
        proposal = replace(proposal, place=Place.OPEN)
    if isinstance(key, int):
        return proposal, {key}
    if update is Update.REPLACED:
        return replace(proposal, replaces=(key,)), set()
    return replace(proposal, completes=(key,)), set()


def _followed(
    candidate: Candidate, proposal: Proposal, key: int | str, plan: Observation | Proposal, kept: Kept
) -> bool:
    """Put *plan* into *kept* with *candidate* behind it; False: they make no line together."""
    salience = max(_salience(candidate.score), plan.salience)
    made = follow_up(candidate, replace(proposal, salience=salience), plan)
    if made is None:
        return False
    words = candidate.words | content_words(plan.text)
    told = replace(candidate, text=made.text, words=words, sources=made.sources, is_weak=False)
    if isinstance(key, int):
        kept[key] = told, made
    else:
        kept.append((told, made))
    return True


def _is_vital(line: Observation) -> bool:
    return line.place is Place.STANDING and line.priority == VITAL_PRIORITY


def _ended_in_part(candidate: Candidate, proposal: Proposal, known: KnownLines) -> Observation | None:
    """Return the known line of which *proposal* ends one matter of several; None: it ends none so."""
    ends = (*proposal.replaces, *proposal.completes, *proposal.withdraws)
    line = known.get(ends[0]) if len(ends) == 1 and not proposal.retells else None
    if line is None or (proposal.withdraws and line.priority < VITAL_PRIORITY):
        return None  # what was wrong goes whole, but for what keeps somebody from harm
    if _is_vital(line) and not is_new_dose(candidate.text, line.text):
        return line
    is_dateless = proposal.replaces and line.refers_to is not None and candidate.refers_to is None
    is_dateless = is_dateless and not is_called_off(candidate.text)
    return line if is_dateless or ends_part(candidate, line.text) else None


def _is_outdated(earlier: Candidate, later: Candidate) -> bool:
    if earlier.speaker is not Role.USER or earlier.is_asked or earlier.sources == later.sources:
        return False
    if earlier.kind in (Kind.OUTCOME, Kind.ISSUE) or not may_update(later.text):
        return False
    return update_of(later.text, earlier.text) is Update.REPLACED


def _is_of_same(one: str, other: str) -> bool:
    """Tell whether two claims may be about one thing: not "budget" for a party and for a trip."""
    found = (_CLAIM.search(text) for text in (one, other))
    limits = [matter(match.group("limit") or "") for match in found if match]
    return not all(limits) or not limits[0].isdisjoint(limits[-1])


def _replaced(proposal: Proposal, line: Observation) -> Proposal:
    return _placed_like(replace(proposal, replaces=(line.id,)), line)


def _placed_like(proposal: Proposal, line: Observation) -> Proposal:
    """Return *proposal* with the place of the *line* that it replaces, instead of merely the log."""
    return replace(proposal, place=line.place) if proposal.place is Place.LOG else proposal


def _is_replaced(earlier: Candidate, later: Candidate, turn: StatedChange) -> bool:
    if earlier.speaker is not Role.USER or earlier.sources == later.sources:
        return False
    is_changed = earlier.place is not Place.LOG and turn.is_plain and is_replaced_by(turn, earlier.text)
    return is_changed and may_close(later.text, earlier.text)


def _completing(
    candidate: Candidate, proposal: Proposal, kept: Kept, known: KnownLines
) -> tuple[Proposal, set[int]]:
    """Return *proposal* with the open items it reports as done, and the indexes of those in *kept*."""
    if candidate.is_asked or not reports_done(candidate):
        return proposal, set()
    is_user = candidate.speaker is Role.USER
    is_settled = is_arranged(candidate)
    here = {
        f"kept {at}": at
        for at, (earlier, planned) in enumerate(kept)
        if planned.place is Place.OPEN and earlier.sources != candidate.sources
    }
    items = [OpenItem(key, kept[at][0].text) for key, at in here.items()]
    found = (match.observation for match in known.similar(candidate.words, place=Place.OPEN))
    items += [OpenItem(line.id, line.text) for line in found if not sets_day(candidate, line)]
    items = [item for item in items if not leaves_open(candidate.text, item.text)]
    keys = completed_items(read_report(candidate.text, is_arranged=is_settled), items)
    lines = tuple(key for key in keys if key not in here)
    done_here = {here[key] for key in keys if key in here}
    if (not lines and not is_user) or is_settled:
        # An arrangement for a future day closes the plan to arrange it, and is itself still open.
        return replace(proposal, completes=lines), done_here
    if candidate.kind is Kind.PREFERENCE and not (lines or done_here):
        return proposal, set()  # "I'm paid monthly, so always show totals per month"
    priority = 4 if is_user else proposal.priority
    done = replace(
        proposal, completes=lines, kind=Kind.OUTCOME, done=True, place=Place.LOG, priority=priority
    )
    return done, done_here
