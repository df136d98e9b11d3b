"""What is noted in place of a model's line that does not hold: the words that were said.

A model that words a line wrongly, or in a way that nobody can check, has still seen that something there is
worth a line. To drop the line would lose that; to take it would be to believe it. So the statements it
speaks of are taken from the entries it cites, as the rules would word them. They are true to the entries
whatever the model wrote, and pass the same gate. A line that gave orders, or that is known already, gets
nothing in its place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from zoneinfo import ZoneInfo

from scrimshaw.core.claims import Known
from scrimshaw.core.model import Entry, Observation, Place, Rejected, Reply, Role, Window
from scrimshaw.core.rules import anchors, cues, fillers
from scrimshaw.core.rules.changes import settle
from scrimshaw.core.rules.drafts import Draft, draft_of, drafts, statements_in
from scrimshaw.core.rules.speech import clip, read_message
from scrimshaw.core.rules.weigh import KEEP_AT, weigh
from scrimshaw.core.spelling import normal
from scrimshaw.core.wording import share_held, split_words

# Nothing of these is missed: it was an order, our own text, there already, or what a person took out.
_MISSED_BY_NOBODY = frozenset({"injection", "control", "duplicate", "deleted-by-hand", "sources"})
_ABOUT_ANYBODY = split_words("user assistant agent tool person said stated asked wants prefers decided plans")
_LEAST_SHARED = 2  # words of a line with a statement, unless the rules would note it anyway
_MOST_REFUSED = 60  # lines of one window: beyond that a model only babbles
_MOST_PLACES = 3  # statements for one line: it may join several
_TOLD_SHARE = 0.6  # of a statement's words in a line that was taken: it has been told
_MINOR_PRIORITY = 3
_SHORT_WORDS = 12  # of an answer that is told with what it answers
_OFFER_CHARS, _ANSWER_CHARS = 150, 110


def words_said(
    refused: Iterable[Rejected], taken: Collection[Observation], window: Window, known: Known
) -> Reply:
    """Return what of *window* is to be noted in place of *refused*, and is not told by *taken* already."""
    missed = [one.proposal for one in refused if one.reason not in _MISSED_BY_NOBODY][:_MOST_REFUSED]
    if not missed:
        return Reply(())
    zone = ZoneInfo(window.zone)
    by_rules = tuple(drafts(window))
    told = [(frozenset(one.sources), _words(one.text)) for one in taken]
    chosen: list[Draft] = []
    for proposal in missed:
        there = [draft for draft in by_rules if not set(draft.sources).isdisjoint(proposal.sources)]
        own = list(_statements(window, proposal.sources, zone))
        if own and proposal.speaker is Role.USER:
            # What was offered to a person stands in for nothing that they are said to have answered.
            there = [draft for draft in there if draft.speaker is Role.USER]
        there += own
        for draft in _spoken_of(_words(proposal.text) - _ABOUT_ANYBODY, there, by_rules):
            words = _words(draft.text)
            if not any(
                held & set(draft.sources) and share_held(words, other) >= _TOLD_SHARE for held, other in told
            ):
                told.append((frozenset(draft.sources), words))
                chosen.append(draft)
    chosen.sort(key=lambda draft: _position(window, draft))
    return Reply(tuple(settle(chosen, known)))


def _words(text: str) -> frozenset[str]:
    return split_words(normal(text))


def _position(window: Window, draft: Draft) -> int:
    return next((at for at, entry in enumerate(window.entries) if entry.entry_id in draft.sources), 0)


def _statements(window: Window, sources: Collection[str], zone: ZoneInfo) -> Iterator[Draft]:
    """Yield all that the person states in the entries cited, what the rules find too little included."""
    before: Entry | None = None
    for entry in window.entries:
        if entry.entry_id in sources and entry.role is Role.USER:
            is_short = len(entry.text.split()) <= _SHORT_WORDS
            is_answer = is_short and before is not None and before.entry_id in sources
            if is_answer and before is not None and before.role is Role.ASSISTANT:
                yield from _answers(before, entry, zone)
            else:
                yield from _stated(entry, zone)
        before = entry


def _stated(entry: Entry, zone: ZoneInfo) -> Iterator[Draft]:
    for text, raw, label in statements_in(read_message(entry.text), ""):
        if not (anchors.PLACEHOLDER.search(text) or cues.RETRACT.search(raw)):
            draft = draft_of(text, weigh(text, raw=raw, label=label), (entry,), zone, Role.USER)
            yield draft if draft.score >= KEEP_AT else _minor(draft)


def _answers(offer: Entry, answer: Entry, zone: ZoneInfo) -> Iterator[Draft]:
    """Yield each sentence of *offer* with the short *answer* to it, which says little by itself."""
    sentences = read_message(answer.text).sentences
    if any(one.is_question for one in sentences) or fillers.THANKS_ONLY.match(answer.text):
        return
    told = clip(" ".join(one.text for one in sentences) or answer.text.strip(), _ANSWER_CHARS)
    weighed = weigh(told)
    for one in read_message(offer.text).sentences:
        text = f"Assistant: “{clip(one.asked or one.text, _OFFER_CHARS)}” → User: {told}"
        draft = draft_of(text, weighed, (answer, offer), zone, Role.USER)
        # Half of the words are the assistant's: they change no line and open none. A quotation gets no dates.
        yield replace(
            _minor(draft), text=text, kind=weighed.kind, refers_to=None, is_ahead=False, is_asked=True
        )


def _minor(draft: Draft) -> Draft:
    return replace(draft, place=Place.LOG, priority=min(draft.priority, _MINOR_PRIORITY))


def _spoken_of(wanted: frozenset[str], there: list[Draft], by_rules: Collection[Draft]) -> Iterator[Draft]:
    """Yield the drafts that *wanted*, a line's words, speak of: each for words that none before it holds."""
    left = wanted
    for _ in range(_MOST_PLACES):
        scores = [len(left & _words(draft.text)) for draft in there]
        best = max(range(len(there)), key=lambda at: (scores[at], -at), default=None)
        if best is None or not scores[best]:
            return
        draft = there[best]
        if scores[best] < _LEAST_SHARED and not (draft in by_rules and left is wanted):
            return
        left = left - _words(draft.text)
        yield replace(draft, is_weak=False, score=max(draft.score, KEEP_AT))
