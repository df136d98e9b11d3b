"""Decide what a statement makes of the person's earlier plans, as the trained judge sees it.

Where the judge is sure, it ends the one plan that is meant. Where it is not, but the statement is plainly of
the plan's matter, neither stands for the other: the plan is told again with the newer words behind it ("I'll
ring the surveyor tomorrow. → Booked him for the 19th, 450."). A reader sees how things stand, and nothing is
lost if the two are of one matter only by half.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from math import fsum
from typing import NamedTuple

from scrimshaw.core.extraction.candidates import HABIT, Candidate
from scrimshaw.core.extraction.change_features import Setting, Statement
from scrimshaw.core.extraction.change_judge import Verdict, decided, followed, names_thing
from scrimshaw.core.extraction.claim_changes import Update, changes, is_called_off
from scrimshaw.core.extraction.endings import (
    ends_bond_of,
    ends_state,
    ends_state_of,
    is_allergy,
    tells_stop_of,
)
from scrimshaw.core.extraction.partly_done import is_of_part
from scrimshaw.core.extraction.personal_statements import OrderKind, order_of
from scrimshaw.core.extraction.referents import (
    Earlier,
    altered_by,
    called_off_by,
    moved_by,
    stayed_away_from,
    turned_by,
)
from scrimshaw.core.extraction.scorer import VITAL_PRIORITY
from scrimshaw.core.extraction.statements import MAX_LINE_CHARS
from scrimshaw.core.language import cues
from scrimshaw.core.ledger.known_lines import KnownLines, content_words
from scrimshaw.core.types import (
    FOLLOWED,
    MAX_SOURCES,
    Author,
    DateRef,
    Kind,
    Observation,
    Place,
    Proposal,
    Role,
)

_MOST_COMPARED = 12  # lines, for each statement
_MOST_CHARS = MAX_LINE_CHARS - 40  # of both
_APART = 15  # from the next plan that may be meant
_EVERYDAY_FROM = 4  # of the person's lines that hold a word

Kept = list[tuple[Candidate, Proposal]]  # of this window, so far


class Judged(NamedTuple):
    """The only plan that a statement may mean; *verdict* is sure, or else it only follows up the plan."""

    verdict: Verdict
    plan: Earlier
    is_sure: bool


def judge_plans(
    candidate: Candidate, kept: Kept, known: KnownLines, closed: Collection[str], session_id: str
) -> Judged | None:
    """Return the one open line of the person that *candidate* ends or follows up; None: none, or several.

    *closed*: the ids of lines that this window has ended already.
    """
    if candidate.speaker is not Role.USER or candidate.is_asked or candidate.takes_back is not None:
        return None
    now = Statement(candidate.text, candidate.kind, candidate.place, candidate.done)
    sure: list[Judged] = []
    unsure: list[Judged] = []
    alike = [one for one in _alike(candidate, kept, known, session_id) if one.key not in closed]
    plans = [one for one in alike if one.told.place is Place.OPEN]
    for rank, one in enumerate(alike):
        if _is_everyday(one, kept, known):
            continue
        among = plans if one in plans else alike
        if any(one.shared <= other.shared for other in among if other is not one):
            continue  # of two that it may mean, neither
        before = Statement(one.told.text, one.told.kind, one.told.place)
        setting = Setting(rank, one.is_near)
        is_sure = one in plans and not cues.NOT_YET.search(candidate.text)
        verdict = decided(now, before, setting) if is_sure else None
        if verdict is not None and not (verdict.update is Update.OFF and sets_day(candidate, one.told)):
            sure.append(Judged(verdict, one, is_sure=True))
            continue
        is_stop = _ends(candidate, one.told)
        if may_follow(candidate, one.told) and (verdict := followed(now, before, setting, is_stop=is_stop)):
            unsure.append(Judged(verdict, one, is_sure=False))
    if sure:
        return sure[0] if len(sure) == 1 else None
    turns = (moved_by, turned_by, called_off_by, stayed_away_from, altered_by)
    meant = next(filter(None, (find(candidate, alike) for find in turns)), None)
    if meant and may_follow(candidate, meant.told):
        return Judged(Verdict(Update.REPLACED, 0), meant, is_sure=False)
    unsure.sort(key=lambda one: -one.verdict.sureness)
    best = [one for one in unsure if one.verdict.sureness + _APART > unsure[0].verdict.sureness]
    return best[0] if len(best) == 1 else None


def _is_everyday(one: Earlier, kept: Kept, known: KnownLines) -> bool:
    """Tell whether all that *one* shares is said by the person in many lines: the cat's name, the club's."""
    return all(
        known.how_many_hold(word) + sum(word in told.words for told, _ in kept) >= _EVERYDAY_FROM
        for word in one.shared
    )


def sets_day(candidate: Candidate, plan: Observation | Proposal) -> bool:
    """Tell whether *candidate* gives *plan*, no task, another day: "Booked it, so the AGM is now 28 May"."""
    day, planned, said_at = candidate.refers_to, plan.refers_to, candidate.said_at
    if day is None or planned is None or said_at is None or is_called_off(candidate.text):
        return False
    if (
        changes.INTENT.search(plan.text)
        or changes.DUE.search(plan.text)
        or order_of(plan.text) is OrderKind.TASK
    ):
        return False
    return day.certain and day.start > said_at.date() and day.start != planned.start


def may_follow(candidate: Candidate, plan: Observation | Proposal) -> bool:
    """Tell whether *candidate* may be told behind *plan*: it adds something, and was said later."""
    is_end = candidate.takes_back is not None or _ends(candidate, plan)
    is_more = not candidate.words <= content_words(plan.text) or _tells_part(candidate.text, plan)
    is_more = is_more or (plan.place is Place.OPEN and is_called_off(candidate.text))
    if not (is_more or is_end):
        return False
    if plan.place is not Place.OPEN and plan.priority == VITAL_PRIORITY and not is_end:
        return False  # beside an allergy or a dose nothing else is read
    if isinstance(plan, Observation) and not _may_tell_again(candidate, plan):
        return False
    return len(plan.text) + len(FOLLOWED) + len(candidate.text) <= _MOST_CHARS


def _ends(candidate: Candidate, line: Observation | Proposal) -> bool:
    """Tell whether *candidate* ends what *line* says of oneself for long: a medicine, a job, a diet."""
    if line.place is Place.OPEN or line.kind is Kind.PREFERENCE:
        return False
    if _stops_medicine(candidate, line):
        return True
    if candidate.place is Place.OPEN:
        return False  # "Lo dejamos para el sábado" plans
    if ends_state_of(candidate.text, line.text):
        return True
    return line.priority < VITAL_PRIORITY and ends_bond_of(candidate.text, line.text)


def _stops_medicine(candidate: Candidate, line: Observation | Proposal) -> bool:
    """Tell whether *candidate* may tell how a medicine in *line* is taken from now on."""
    is_vital = line.priority == VITAL_PRIORITY or is_allergy(line.text)
    return line.place is Place.STANDING and is_vital and tells_stop_of(candidate.text, line.text)


def _tells_part(text: str, plan: Observation | Proposal) -> bool:
    """Tell whether *text*, which has only words of *plan*, tells which part of that is done."""
    is_plan = plan.place is Place.OPEN and FOLLOWED not in plan.text
    return is_plan and is_of_part(text, plan.text)


def _may_tell_again(candidate: Candidate, line: Observation) -> bool:
    """Tell whether *line* is not the person's own writing, and was not said after *candidate*."""
    if line.author is Author.PERSON or candidate.said_at is None:
        return False
    return line.said_at_ms <= candidate.said_at.timestamp() * 1000


def newer_word(candidate: Candidate, proposal: Proposal, known: KnownLines) -> Proposal | None:
    """Return the plan with *candidate* for what was told behind it, if that is what *proposal* replaces."""
    line = known.get(proposal.replaces[0]) if len(proposal.replaces) == 1 else None
    if line is None or FOLLOWED not in line.text or not _may_tell_again(candidate, line):
        return None
    rest = line.text.split(FOLLOWED, 1)[1]
    is_newer = not (_ends(candidate, line) and _names_other(candidate.text, rest))
    return follow_up(candidate, proposal, line, is_newer=is_newer)


def _names_other(now: str, before: str) -> bool:
    """Tell whether each names something rare that the other does not: two medicines, a firm and a friend."""
    mine, theirs = (set(filter(names_thing, content_words(text))) for text in (now, before))
    return bool(mine - theirs and theirs - mine)


def follow_up(
    candidate: Candidate, proposal: Proposal, plan: Observation | Proposal, *, is_newer: bool = False
) -> Proposal | None:
    """Return *plan* told again with *candidate* behind it; None: it would cite too many entries.

    *is_newer*: it takes the place of what was told behind the plan before.
    """
    told = plan.text.split(FOLLOWED, 1)[0] if is_newer else plan.text
    here = plan.sources if isinstance(plan, Proposal) else ()
    sources = tuple(dict.fromkeys((*here, *candidate.sources)))
    if len(sources) > MAX_SOURCES:
        return None
    return replace(
        proposal,
        text=told + FOLLOWED + candidate.text,
        kind=plan.kind,
        place=plan.place,
        priority=plan.priority,
        done=plan.done,
        refers_to=_day_of(candidate, plan),
        sources=sources,
        claim=None,
        replaces=plan.replaces if isinstance(plan, Proposal) else (plan.id,),
        retells=plan,
    )


def _day_of(candidate: Candidate, plan: Observation | Proposal) -> DateRef | None:
    """Return the day of *plan* with *candidate* behind it: what was done yesterday ends no day ahead."""
    day, planned = candidate.refers_to, plan.refers_to
    if day is None or planned is None or candidate.said_at is None:
        return day or planned
    has_passed = (day.end or day.start) < candidate.said_at.date()
    return planned if has_passed else day


def told_behind(text: str, before: str) -> str:
    """Return what *text* tells behind *before*, or behind the plan in that; "" if nothing."""
    for plan in (before, before.split(FOLLOWED, 1)[0]):
        if text.startswith(plan + FOLLOWED):
            return text.removeprefix(plan + FOLLOWED)
    return ""


def told_alone(proposal: Proposal) -> Proposal:
    """Return what *proposal* tells behind a plan without the plan; itself where it tells nothing so."""
    own = told_behind(proposal.text, proposal.retells.text) if proposal.retells else ""
    return replace(proposal, text=own, retells=None, replaces=()) if own else proposal


def _alike(candidate: Candidate, kept: Kept, known: KnownLines, of: str) -> list[Earlier]:
    """Return the person's own earlier statements that share most with *candidate*, most first."""
    found = []
    for match in known.similar(candidate.words)[:_MOST_COMPARED]:
        line = match.observation
        if line.speaker is Role.USER and not line.done:
            is_near = bool(of) and line.session_id == of
            found.append(Earlier(line.id, line, match.score, match.shared, is_near))
    if ends_state(candidate.text):  # of a diet, whatever words tell it
        states = [line for line in known.lines() if ends_state_of(candidate.text, line.text)]
        found = [Earlier(line.id, line, 1.0, content_words(line.text), is_near=False) for line in states]
    mine = fsum(map(known.weight, candidate.words))
    for at, (one, planned) in enumerate(kept):
        shared = candidate.words & one.words
        if shared and one.speaker is Role.USER and one.sources != candidate.sources and not one.is_weak:
            size = min(mine, fsum(map(known.weight, one.words)))
            score = fsum(map(known.weight, shared)) / size
            found.append(Earlier(at, planned, score, shared, is_near=True))
    return sorted(found, key=lambda one: (-one.score, str(one.key)))[:_MOST_COMPARED]


def is_arranged(candidate: Candidate) -> bool:
    """Tell whether *candidate* says that what lies ahead is arranged: "the table is booked for Friday"."""
    return (
        candidate.is_ahead and candidate.speaker is Role.USER and bool(cues.ARRANGED.search(candidate.text))
    )


def reports_done(candidate: Candidate) -> bool:
    """Tell whether *candidate* reports something as done, or as arranged."""
    if candidate.speaker is not Role.USER:
        return candidate.done and not candidate.is_ahead
    if cues.NOT_YET.search(candidate.text) or not (candidate.done or cues.COMPLETION.search(candidate.text)):
        return False
    if candidate.place is Place.STANDING and HABIT.search(candidate.text):
        return False  # "closed on Mondays"
    return is_arranged(candidate) or not (candidate.is_ahead or candidate.kind is Kind.NEXT_STEP)
