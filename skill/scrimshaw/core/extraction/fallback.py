"""Quote the words that were said, in place of a model's line that was refused.

A model that words a line wrongly, or unverifiably, has still noticed something worth a line. Dropping the
line would lose that; accepting it would mean believing it. So the entries that it cites are quoted instead:
first what the rules note of the whole window, with everything taken back, completed and done in it; then
plain statements of the person that the rules find too small; then a short answer together with the one offer
it answers. A quotation that is noted only because the model pointed at it becomes a minor line of the log: it
closes no line, opens no task, and is no order. All quotations pass the same verification.

What cannot be understood alone is not quoted: a question, words that point elsewhere ("he said that it was
good"), a greeting, a caption. And a refused line proves nothing: its quotation never gets the highest
priority, nor a date that the refused line had different.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple
from zoneinfo import ZoneInfo

from scrimshaw.core import weighing
from scrimshaw.core.extraction import observe
from scrimshaw.core.extraction.candidates import candidate_of
from scrimshaw.core.extraction.change_features import NOTED_DATE
from scrimshaw.core.extraction.exchanges import exchanges
from scrimshaw.core.extraction.scorer import KEEP_AT, features
from scrimshaw.core.extraction.sentences import MessageSentence, clip, read_message
from scrimshaw.core.extraction.statements import statements_in
from scrimshaw.core.extraction.weighed import weigh
from scrimshaw.core.language import ASKED, PatternTable, cues, fillers
from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.text import entities
from scrimshaw.core.text.normalize import marks, normal
from scrimshaw.core.text.stems import ABOUT_ANYBODY, share_held, split_words
from scrimshaw.core.types import (
    MAX_SOURCES,
    Entry,
    Kind,
    Observation,
    Place,
    Proposal,
    Rejected,
    Reply,
    Role,
    Window,
)
from scrimshaw.core.verification.source import ORDERS
from scrimshaw.core.verification.speaker import answers

# Lines refused for these reasons are not replaced: an order, our own text, already known, or deleted by hand.
_MISSED_BY_NOBODY = frozenset({"injection", "control", "duplicate", "deleted-by-hand", "sources"})
_quotes = PatternTable("quotes")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_MOST_PRIORITY = 4
_LEAST_SHARED = 2  # words that a line and a statement must share, unless the rules note the statement anyway
_MOST_REFUSED = 60  # refused lines of one window; a model with more of them produces noise
_MOST_MINOR = 6  # quotations in one window that the rules would not note
_MOST_PLACES = 3  # statements that replace one line, which may have joined several
_TOLD_SHARE = 0.6  # a statement with this share of its words in an accepted line is already told
_MINOR_PRIORITY, _MINOR_SALIENCE = 3, 0.2
_UNCLEAR_AT = 0.8  # how likely a list would leave it unclear
_SHORT_WORDS = 12  # longest answer that is quoted together with its question
_OFFER_CHARS, _ANSWER_CHARS = 150, 110


class _Told(NamedTuple):
    sources: frozenset[str]
    words: frozenset[str]
    marks: frozenset[str]  # figures and names
    denials: str

    def tells(self, other: _Told) -> bool:
        """Tell whether this holds everything that matters in *other*, from the same entries."""
        return (
            not self.sources.isdisjoint(other.sources)
            and other.marks <= self.marks
            and other.denials == self.denials
            and share_held(other.words, self.words) >= _TOLD_SHARE
        )


def quote_instead(
    refused: Iterable[Rejected], taken: Collection[Observation], window: Window, known: KnownLines
) -> Reply:
    """Return what is to be noted of *window* in place of *refused* and is not in *taken* already."""
    missed = [one.proposal for one in refused if one.reason not in _MISSED_BY_NOBODY][:_MOST_REFUSED]
    if not missed:
        return Reply(())
    by_rules = tuple(one for one in observe(window, known).proposals if _stands_alone(one.text))
    stated = (one for one in _stated(window) if _stands_alone(one.text))
    minor = [*stated, *_answered(window, by_rules)]
    told = [_told(one.text, one.sources) for one in taken]
    chosen: list[Proposal] = []
    minors = 0
    for proposal in missed:
        cited = frozenset(proposal.sources[:MAX_SOURCES])
        there = [one for one in by_rules if not cited.isdisjoint(one.sources)]
        if proposal.speaker is Role.USER:
            # What was offered to a person must not replace what they are said to have answered.
            there = [one for one in there if one.speaker is Role.USER]
        there += [one for one in minor if cited.issuperset(one.sources)]
        for one in _spoken_of(_words(proposal.text) - ABOUT_ANYBODY, there, by_rules):
            mine = _told(one.text, one.sources)
            is_room = one in by_rules or minors < _MOST_MINOR
            if is_room and not any(other.tells(mine) for other in told):
                told.append(mine)
                minors += one not in by_rules
                chosen.append(_in_place_of(proposal, one))
    order = {entry.entry_id: at for at, entry in enumerate(window.entries)}
    return Reply(tuple(sorted(chosen, key=lambda one: min(order[source] for source in one.sources))))


def _stands_alone(text: str) -> bool:
    """Tell whether *text* is understandable, and informative, without what was said before it."""
    lower = normal(text)
    if weighing.weigh(weighing.Sentence(text)).unclear >= _UNCLEAR_AT:
        return False
    return not (
        lower.endswith("?")
        or _quotes.pattern("POINTS_BACK").match(lower)
        or _quotes.pattern("GREETS").match(lower)
        or _quotes.pattern("CAPTION").match(lower)
        or fillers.WISHES.match(lower)
        or fillers.LAUGH.match(lower)
    )


def _in_place_of(refused: Proposal, one: Proposal) -> Proposal:
    """Return *one* as the replacement of *refused*."""
    days = set(_DAY.findall(refused.text))
    # A corrected line has its date by the correction, which the gate makes again.
    if (
        one.retells is None
        and days
        and not days.issuperset(_DAY.findall("".join(NOTED_DATE.findall(one.text))))
    ):
        one = replace(one, text=NOTED_DATE.sub("", one.text), refers_to=None)
    return replace(one, priority=min(one.priority, _MOST_PRIORITY))


@lru_cache(maxsize=1024)
def _words(text: str) -> frozenset[str]:
    return split_words(normal(text))


def _told(text: str, sources: Iterable[str]) -> _Told:
    plain = NOTED_DATE.sub("", text)
    *figures_and_names, denials = marks(plain, normal(plain))
    return _Told(frozenset(sources), _words(text), frozenset(figures_and_names), denials)


def _spoken_of(
    wanted: frozenset[str], there: Sequence[Proposal], by_rules: Collection[Proposal]
) -> Iterator[Proposal]:
    """Yield the proposals that the words *wanted* are about; each adds some of these words."""
    left = wanted
    for _ in range(_MOST_PLACES):
        scores = [len(left & _words(one.text)) for one in there]
        best = max(range(len(there)), key=lambda at: (scores[at], -at), default=None)
        if best is None or not scores[best]:
            return
        one = there[best]
        if scores[best] < _LEAST_SHARED and not (one in by_rules and left is wanted):
            return
        left = left - _words(one.text)
        yield one


def _stated(window: Window) -> Iterator[Proposal]:
    """Yield the plain statements that the rules find too small; none from an exchange with a request."""
    entries = window.entries
    taken_back = [
        at for at, one in enumerate(entries) if one.role is Role.USER and cues.RETRACT.search(one.text)
    ]
    since = entries[taken_back[-1]].position if taken_back else -1
    for exchange in exchanges(entries):
        user = exchange.user
        if user is None or exchange.has_work or user.position <= since:
            continue
        for text, raw, label, _ in statements_in(read_message(user.text), ""):
            weighed = weigh(text, raw=raw, label=label)
            if weighed.score < KEEP_AT and _is_plain(text):
                candidate = candidate_of(text, weighed, (user,), ZoneInfo(window.zone), Role.USER)
                yield replace(_minor(candidate.text, candidate.kind, user), refers_to=candidate.refers_to)


def _is_plain(text: str) -> bool:
    """Tell whether a statement asserts something: no hypothesis, question, order or request."""
    lower = normal(text)
    return not (
        entities.PLACEHOLDER.search(text)
        or features(text).is_hypothetical
        or fillers.QUESTION_START.match(text)
        or fillers.IMPERATIVE.match(text)
        or fillers.LAUGH.match(text)
        or text.startswith(ASKED)
        or _quotes.pattern("ORDER").match(lower)
        or ORDERS.search(lower)
    )


def _answered(window: Window, by_rules: Collection[Proposal]) -> Iterator[Proposal]:
    """Yield each short answer with the one offer it answers, unless the rules note it."""
    noted = {source for one in by_rules for source in one.sources}
    for offer, answer in pairwise(window.entries):
        if offer.role is not Role.ASSISTANT or answer.role is not Role.USER or answer.entry_id in noted:
            continue
        sentences = read_message(answer.text).sentences
        is_none = any(one.is_question for one in sentences) or fillers.THANKS_ONLY.match(answer.text)
        if is_none or len(answer.text.split()) > _SHORT_WORDS or cues.RETRACT.search(answer.text):
            continue
        if not answers(answer.text) and _words(answer.text).isdisjoint(_words(offer.text)):
            continue  # "what a day" is an exclamation, not an answer
        told = clip(" ".join(one.text for one in sentences) or answer.text.strip(), _ANSWER_CHARS)
        if (offered := _offered(offer.text, told)) and not entities.PLACEHOLDER.search(offered + told):
            text = f"Assistant: “{clip(offered, _OFFER_CHARS)}” → User: {told}"
            yield _minor(text, weigh(told).kind, answer, offer)


def _offered(offer: str, answer: str) -> str:
    """Return the sentence of *offer* that *answer* responds to, "" where that is not clear."""
    if ORDERS.search(normal(offer)):
        return ""
    sentences = read_message(offer).sentences
    offers = [(one, text) for one in sentences if (text := _offer_of(one))]
    asked = [text for one, text in offers if one.is_question]
    if len(asked) == 1 and sentences[-1].is_question:
        return asked[0]  # the last sentence, if a question, is the one answered
    if len(offers) > 1:
        offers = [(one, text) for one, text in offers if not _words(text).isdisjoint(_words(answer))]
    return offers[0][1] if len(offers) == 1 else ""


def _offer_of(sentence: MessageSentence) -> str:
    """Return what *sentence* asks or offers in the assistant's own name, "" when it reports."""
    text = sentence.asked if sentence.is_question else sentence.text
    lower = normal(text)
    if _quotes.pattern("REPORTS").search(lower) or not (
        sentence.is_question or _quotes.pattern("OFFERS").search(lower)
    ):
        return ""
    return text


def _minor(text: str, kind: Kind, *entries: Entry) -> Proposal:
    """Return *text* as a line of the log that closes no line and makes no claim."""
    return Proposal(
        text=text,
        kind=kind,
        priority=_MINOR_PRIORITY,
        sources=tuple(entry.entry_id for entry in entries),
        speaker=Role.USER,
        place=Place.LOG,
        confidence=0.9,
        salience=_MINOR_SALIENCE,
    )
