"""A note by hand: what may be written down, which fields it gets, and what an agent's note must rest on.

A person's note is stored as typed. An agent's note is a proposal and passes the same verification as an
observer's (core/verification/verify), with two additional rules. An agent that reads a web page and then
"remembers" what the page told it to is the usual way of poisoning a memory, so foreign orders anywhere in its
transcript count against a note, whatever it cites. And what the agent says in the same exchange as the note
is no evidence for it. A paraphrase passes as long as its literals, speaker and polarity are those of entries;
the author of a refused note is told what is missing, and can say it in the conversation.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal, NamedTuple

from scrimshaw.core.extraction.scorer import features, weigh_by_form
from scrimshaw.core.language import PatternTable
from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.section.budget import units
from scrimshaw.core.section.diff import WrittenLine
from scrimshaw.core.section.render import visible
from scrimshaw.core.text.dates import find_dates
from scrimshaw.core.text.normalize import normal
from scrimshaw.core.text.stems import split_words
from scrimshaw.core.types import (
    MAX_TEXT_CHARS,
    Entry,
    Kind,
    Place,
    Proposal,
    Rejected,
    Role,
    Verdict,
    Verified,
)
from scrimshaw.core.verification.find_sources import cited
from scrimshaw.core.verification.source import ORDERS
from scrimshaw.core.verification.verify import Evidence

_MARKS = re.compile(r"(?:(?:[-*+>]|#{1,6})[ \t]+)+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029\ud800-\udfff]")
_MARKER = re.compile(r"<!--|-->|```|~~~|scrimshaw:(?:begin|end)", re.IGNORECASE)
_note_orders = PatternTable("note_orders")
_OF_PERSON = re.compile(r"\b(?:user|person|owner|human)\b", re.IGNORECASE)
# First-person words, which the section reads as the person. "US" is a country, "I/O" is a technical term.
_AS_PERSON = re.compile(r"\b(?:I\b(?!/)|[Mm](?:y|e|ine|yself)\b|[Ww]e\b|[Oo]urs?\b|us\b)")


class NoteWish(NamedTuple):
    """What the caller wants of a note; *kind* None: decided by the rules."""

    kind: Kind | None = None
    emphasis: Literal["", "important", "minor"] = ""


def cleaned(text: str) -> str:
    """Return a note as it would be stored: without invisible characters, list marks and outer white space."""
    text = visible(text).strip().replace("\t", " ")
    return _MARKS.sub("", text, count=1).strip() if _MARKS.match(text) else text


def problem_of(text: str) -> str:
    """Return why *text*, already cleaned, cannot be a note, as a sentence; "" when it can."""
    if not any(map(str.isalnum, text)):
        return "There is no word in it."
    if "\n" in text or "\r" in text:
        return "A note is one line; this has several."
    if found := _CONTROL.search(text):
        return f"It holds a control character ({found.group()!r})."
    if found := _MARKER.search(text):
        return f"It holds {found.group()!r}, which would break the section."
    size_chars = units(text)
    if size_chars > MAX_TEXT_CHARS:
        return f"It is {size_chars} characters long; a note has at most {MAX_TEXT_CHARS}."
    return ""


def by_person(text: str, wish: NoteWish, day: str) -> WrittenLine:
    """Return *text* as a line of the person's own; *day* is today's local date."""
    kind = wish.kind or weigh_by_form(text).kind
    place = _place(kind, text)
    priority = {"important": 5, "minor": 2, "": 4}[wish.emphasis]
    is_done = kind is Kind.OUTCOME
    return WrittenLine(text, place, day if place is Place.LOG else "", kind, priority, is_done, "")


def by_agent(text: str, wish: NoteWish, evidence: Evidence, known: KnownLines) -> Verdict:
    """Return the agent's note as verified by *evidence*, or why it is refused.

    *evidence* is of one session, oldest entry first, and not empty.
    """
    kind = wish.kind or weigh_by_form(text).kind
    proposal = Proposal(
        text=text,
        kind=kind,
        priority={"important": 5, "minor": 2, "": 4}[wish.emphasis],
        sources=(next(reversed(evidence.witnesses)),),
        speaker=Role.USER,
        place=_place(kind, text),
        salience={"important": 0.9, "minor": 0.25, "": 0.65}[wish.emphasis],
    )
    if detail := _orders(text, evidence):
        return Rejected(proposal, "injection", detail)
    verdict = cited(proposal, evidence, known)
    if kind in (Kind.DECISION, Kind.PREFERENCE) or _OF_PERSON.search(text) or _AS_PERSON.search(text):
        if isinstance(verdict, Rejected) and verdict.reason == "speaker":
            what = f"a {kind}" if kind is not Kind.FACT else "what the person said or wants"
            return replace(verdict, detail=f"{what} needs the person's own words")
        return _dated(verdict, evidence)
    # Not the person's words: a tool's output, or an earlier text of the agent, is a detail of the day.
    place = Place.LOG if proposal.place is Place.STANDING else proposal.place
    # However important the agent finds it: red is for what the person said.
    detail_of_day = replace(proposal, place=place, priority=min(proposal.priority, 3))
    others = (
        cited(replace(detail_of_day, speaker=role), evidence, known) for role in (Role.TOOL, Role.ASSISTANT)
    )
    return _dated(_best([verdict, *others]), evidence)


def _best(verdicts: list[Verdict]) -> Verdict:
    """Return the verified note that rests on the fewest entries; without one, the most useful refusal."""
    rejected = [v for v in verdicts if isinstance(v, Rejected)]
    # Known already, or denied by the entry that it is about: other entries cannot change that.
    if final := next((v for v in rejected if v.other_id or v.reason == "polarity"), None):
        return final
    verified = [v for v in verdicts if isinstance(v, Verified)]
    if verified:
        return min(verified, key=lambda verdict: len(verdict.proposal.sources))
    # Of several reasons, a wrong speaker is the least useful to tell: a wrong figure comes first.
    return next((v for v in rejected if v.reason != "speaker"), rejected[0])


def _dated(verdict: Verdict, evidence: Evidence) -> Verdict:
    """Return *verdict* with the date its words mean, computed from the time of the last entry cited."""
    if not isinstance(verdict, Verified):
        return verdict
    said_at = evidence.witnesses[verdict.proposal.sources[-1]].said_at
    found = next(iter(find_dates(verdict.proposal.text, said_at)), None)
    return Verified(replace(verdict.proposal, refers_to=found.ref)) if found else verdict


def witnessing(entries: list[Entry]) -> list[Entry]:
    """Return *entries* of a session without the agent's texts in the current exchange.

    Its calls in that exchange, and their results, stay.
    """
    last = max((at for at, entry in enumerate(entries) if entry.role is Role.USER), default=0)
    return [
        *entries[: last + 1],
        *(e._replace(text="") if e.role is Role.ASSISTANT else e for e in entries[last + 1 :]),
    ]


def _place(kind: Kind, text: str) -> Place:
    match kind:
        case Kind.PREFERENCE | Kind.DECISION:
            return Place.STANDING
        case Kind.NEXT_STEP:
            return Place.OPEN
        case Kind.FACT:
            return Place.LOG if features(text).is_dated else Place.STANDING
        case Kind.ISSUE:
            return Place.OPEN
        case Kind.OUTCOME:
            return Place.LOG


def order_in(text: str) -> str:
    """Return the words of *text* that give an agent an order; "" when there are none."""
    lower = normal(text)
    found = _note_orders.pattern("ORDERS").search(lower) or ORDERS.search(lower)
    return found.group() if found else ""


def _orders(text: str, evidence: Evidence) -> str:
    """Return why *text* looks like an order to the agent from somebody else; "" when it does not."""
    lower = normal(text)
    spoken = [w for w in evidence.witnesses.values() if w.entry.role is Role.USER]
    for found in _note_orders.pattern("ORDERS").finditer(lower):
        if not any(found.group() in normal(witness.spoken) for witness in spoken):
            return f"“{found.group()}” is an order to the agent, and the person did not say it"
    words = split_words(lower)
    if len(words) < 2:
        return ""
    said = frozenset().union(*(witness.spoken_words for witness in spoken))
    for witness in evidence.witnesses.values():
        for tainted in witness.tainted:
            shared = words & tainted
            if len(shared) * 2 >= len(words) and not shared <= said:
                return f"entry {witness.entry.entry_id} orders the agent about in foreign text"
    return ""
