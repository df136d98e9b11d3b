"""Join what one message says of one matter into a line, once it is decided what each statement changes.

A sentence that hangs on the one before it ("Needs a deposit of 100 by Friday.") tells little where it stands
alone. Until then each is compared with earlier lines by itself: what ends one need not end the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from scrimshaw.core.extraction.candidates import Candidate
from scrimshaw.core.extraction.change_judge import names_thing
from scrimshaw.core.extraction.endings import is_allergy
from scrimshaw.core.extraction.follow_ups import Kept
from scrimshaw.core.extraction.scorer import VITAL_PRIORITY, about_self
from scrimshaw.core.extraction.statements import MAX_LINE_CHARS, ended, with_next
from scrimshaw.core.language import cues, fillers
from scrimshaw.core.ledger.known_lines import content_words
from scrimshaw.core.search.tongue import is_english
from scrimshaw.core.text import entities
from scrimshaw.core.text.sentences import split_sentences, with_question
from scrimshaw.core.types import FOLLOWED, MAX_SOURCES, Kind, Place, Proposal, Role
from scrimshaw.core.weighing import Sentence, weigh

# How likely a sentence is to tell too little alone, from which on it is told behind the one before it; where
# both last; behind what is in another part, or is another thing to do, which is better ended alone.
_HANGS_AT, _LASTING_HANGS_AT, _UNCLEAR_AT = 0.08, 0.3, 0.5
_LOST_AT = 0.4  # told with the sentence before it, though that is a line of its own
_MOST_CHARS, _LEAD_CHARS = 200, 80  # what is said in so few is mostly of one matter
_AND = re.compile(r"\b(?:and|und|y|et|e)\b|还有|還有|それと")
_TURNS = re.compile(
    r"(?:and|und|y|e|et)\b|[a-zß-ÿ]+ ?\?|.*\b(?:else|next|sonst|noch|otr[oa]|autre|altr[oa]|outr[oa])\b",
    re.IGNORECASE,
)
_LEAST_WORDS = 3  # of a sentence that tells something of its own


def joined(kept: Kept) -> Iterator[Proposal]:
    """Yield the proposals of *kept*, in order, each with those behind it that hang on it."""
    held: tuple[Candidate, Proposal] | None = None
    for candidate, proposal in kept:
        made = _together(*held, candidate, proposal) if held else None
        if made is not None and held is not None:
            held = held[0], made
            continue
        made = _told_more(*held, candidate, proposal) if held else None
        if made is not None:
            held = replace(candidate, asked=None), made
            continue
        if held is not None:
            yield _answering(*held)
        held = candidate, _led(candidate, proposal, held)
    if held is not None:
        yield _answering(*held)


def ends_part(candidate: Candidate, told: str) -> bool:
    """Tell whether *candidate* is about one sentence of *told*, or one side of an "and", and more is told."""
    told = told.split(FOLLOWED, 1)[0]
    clauses = [content_words(one) for one in _AND.split(told)]
    rest = [words for words in clauses if not words & candidate.words]
    if len(rest) < len(clauses) and any(len(words) > 1 and _is_named(words) for words in rest):
        return True
    sentences = split_sentences(told)
    others = [one for one in sentences if not content_words(one) & candidate.words]
    return len(others) < len(sentences) and any(
        len(content_words(one)) >= _LEAST_WORDS and not (at and _is_detail(one))
        for at, one in enumerate(sentences)
        if one in others
    )


def _is_named(words: frozenset[str]) -> bool:
    """Tell whether one of *words* is seldom said: a name, a medicine."""
    return any(map(names_thing, words))


def _is_detail(sentence: str) -> bool:
    """Tell whether *sentence*, behind another, goes with it: "The budget is 340"."""
    unclear = weigh(Sentence(sentence, at=1, of=2)).unclear
    return unclear >= _UNCLEAR_AT or fillers.PART_OF.match(sentence.lower()) is not None


def _led(candidate: Candidate, proposal: Proposal, before: tuple[Candidate, Proposal] | None) -> Proposal:
    """Return *proposal* behind the words that it hangs on, where they are no line themselves.

    A warning has them even so: "She is allergic to nuts." names nobody.
    """
    lead = candidate.lead
    if before and ended(lead) == before[1].text:
        lead = ""
    is_lost = candidate.unclear >= _LOST_AT and not candidate.turns
    if is_lost and not lead and before and before[0].sources == candidate.sources and not before[0].is_asked:
        lead = split_sentences(before[1].text)[-1]
    is_led = lead and len(lead) <= _LEAD_CHARS and candidate.unclear >= _HANGS_AT
    if not is_led or not _may_join(candidate, proposal, is_led=True):
        return proposal
    return replace(proposal, text=with_next(lead, proposal.text))


def _answering(candidate: Candidate, proposal: Proposal) -> Proposal:
    """Return *proposal* behind the question that it answers, if there is one."""
    if candidate.asked is None or candidate.is_asked or FOLLOWED in proposal.text:
        return proposal
    text = with_question(candidate.asked.question, proposal.text)
    if len(text) > MAX_LINE_CHARS or len(proposal.sources) >= MAX_SOURCES:
        return proposal
    return replace(proposal, text=text, sources=(*proposal.sources, candidate.asked.entry_id))


def _together(lead: Candidate, before: Proposal, candidate: Candidate, proposal: Proposal) -> Proposal | None:
    """Return *proposal* told behind *before*; None: each is a line of its own."""
    if lead.sources != candidate.sources or not (_may_join(lead, before) and _may_join(candidate, proposal)):
        return None
    if candidate.turns:
        return None
    is_unclear = candidate.unclear >= _UNCLEAR_AT
    if before.place is proposal.place is Place.OPEN and not is_unclear:
        return None
    dates = {one.refers_to for one in (before, proposal) if one.refers_to is not None}
    place = _place(before.place, proposal.place, is_unclear=is_unclear)
    # What was left out between the two goes with them: the second may be of that.
    is_between = candidate.lead and candidate.lead not in before.text
    told = with_next(before.text, candidate.lead) if is_between else before.text
    text = with_next(told, proposal.text)
    if place is None or len(text) > _MOST_CHARS or (place is Place.STANDING and not _hangs(candidate)):
        return None
    if len(dates) > 1 and (not is_unclear or before.place is proposal.place is Place.OPEN):
        return None  # of two things to do each has its day
    made = _merged(before, proposal, place, text)
    return made if len(dates) > 1 else replace(made, refers_to=next(iter(dates), None))


def _told_more(
    lead: Candidate, before: Proposal, candidate: Candidate, proposal: Proposal
) -> Proposal | None:
    """Return *before* with what the person answered to the agent's question about it; None: it is a line.

    "I've got a new pill, losartan. “What dose?” 50 milligrams": two lines would leave the dose of nothing.
    """
    asked = candidate.asked
    if asked is None or asked.said_in not in lead.sources or candidate.opens < _UNCLEAR_AT:
        return None
    if _asks_of_another(asked.question, before.text):
        return None
    may_join = _may_join(lead, before, is_lead=True) and _may_join(candidate, proposal, is_led=True)
    if not may_join or lead.asked is not None:
        return None
    dates = {one.refers_to for one in (before, proposal) if one.refers_to is not None}
    place = _place(before.place, proposal.place, is_unclear=True)
    text = with_next(before.text, with_question(asked.question, proposal.text))
    sources = (*before.sources, asked.entry_id, *proposal.sources)
    if place is None or len(dates) > 1 or len(text) > _MOST_CHARS or len(sources) > MAX_SOURCES:
        return None
    made = _merged(before, proposal, place, text)
    return replace(made, sources=sources, refers_to=next(iter(dates), None))


def _merged(before: Proposal, proposal: Proposal, place: Place, text: str) -> Proposal:
    """Return both as one line of *place* that says *text*, as important as the more important one."""
    placed = proposal if proposal.place is place and before.place is not place else before
    return replace(
        placed,
        text=text,
        priority=max(before.priority, proposal.priority),
        salience=max(before.salience, proposal.salience),
        claim=None,
    )


def _asks_of_another(question: str, told: str) -> bool:
    """Tell whether *question* turns from what was *told* to another matter: "And the kids?"."""
    if content_words(question) & content_words(told):
        return False
    is_named = is_english(question) and entities.NAME.search(question) is not None
    return is_named or is_allergy(question) or _TURNS.match(question) is not None


def _hangs(candidate: Candidate) -> bool:
    """Tell whether *candidate*, which lasts, hangs on the one before it; two things that last are two."""
    return candidate.unclear >= _LASTING_HANGS_AT or fillers.OF_ANOTHER.match(candidate.text) is not None


def _may_join(
    candidate: Candidate, proposal: Proposal, *, is_led: bool = False, is_lead: bool = False
) -> bool:
    """Tell whether *proposal* may share its line: nothing replaces or ends it alone, and it is no warning.

    *is_led*: with words that are no line, a warning may, too: "The temp is called Jo. She is allergic …".
    *is_lead*: what was asked about is told behind it, also where it says who somebody is.
    """
    if candidate.speaker is not Role.USER or candidate.is_asked or candidate.is_weak:
        return False
    if proposal.replaces or proposal.withdraws or proposal.completes or proposal.retells:
        return False
    # "The rest is due in May" is no claim; "the fee is 320 euros" is one, and will be replaced alone.
    is_vague = candidate.unclear >= _UNCLEAR_AT and not entities.NUMBER.search(proposal.text)
    is_claim = proposal.claim is not None and not is_vague
    if proposal.kind is Kind.PREFERENCE or is_claim or FOLLOWED in proposal.text:
        return False
    if proposal.priority == VITAL_PRIORITY:
        return is_led
    return is_lead or not (about_self(proposal.text) or cues.EMPHASIS.search(proposal.text))


def _place(before: Place, after: Place, *, is_unclear: bool) -> Place | None:
    """Return where both belong; what lasts may hang on what was, but does not end with a plan."""
    if before is after or (is_unclear and (before, after) == (Place.LOG, Place.STANDING)):
        return before
    return Place.OPEN if {before, after} == {Place.LOG, Place.OPEN} else None
