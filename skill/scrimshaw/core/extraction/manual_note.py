"""A note by hand: what may be written down, what sort of line it becomes, and what an agent's rests on.

A person's note is theirs: stored as typed. An agent's is a proposal like any observer's and passes the same
gate (core/verification/verify), with two things more. An agent that reads a web page and then "remembers"
what the page told it to is the way memories get poisoned, so foreign orders anywhere in its transcript taint
a note, whatever it cites. And what the agent says in the same breath as the note bears no witness for it.
Nothing is looser than for an observer: a paraphrase passes as long as its literals, speaker and polarity are
those of entries, so what an honest note loses is told to its author, who can say it in the conversation's
words.
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
# The section says that "I" is the person. "US" is a country, and "I/O" is none of theirs.
_AS_PERSON = re.compile(r"\b(?:I\b(?!/)|[Mm](?:y|e|ine|yself)\b|[Ww]e\b|[Oo]urs?\b|us\b)")


class NoteWish(NamedTuple):
    """What the caller says of a note; *kind* None: whatever the rules make of it."""

    kind: Kind | None = None
    emphasis: Literal["", "important", "minor"] = ""


def cleaned(text: str) -> str:
    """Return a note as it would be stored: no invisible letters, list marks or white space around it."""
    text = visible(text).strip().replace("\t", " ")
    return _MARKS.sub("", text, count=1).strip() if _MARKS.match(text) else text


def problem_of(text: str) -> str:
    """Return why *text*, cleaned, can be no note, as a sentence; "" when it can."""
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
    """Return the agent's note as verified by what *evidence* holds, or why it is not.

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
    # Not the person's words: what a tool printed or the agent had said before is detail of the day.
    place = Place.LOG if proposal.place is Place.STANDING else proposal.place
    # Never as what the person said, however important the agent finds it: that is the red mark.
    detail_of_day = replace(proposal, place=place, priority=min(proposal.priority, 3))
    others = (
        cited(replace(detail_of_day, speaker=role), evidence, known) for role in (Role.TOOL, Role.ASSISTANT)
    )
    return _dated(_best([verdict, *others]), evidence)


def _best(verdicts: list[Verdict]) -> Verdict:
    """Return the verdict that rests on the fewest entries, the person's before others; else how it failed."""
    rejected = [v for v in verdicts if isinstance(v, Rejected)]
    # Known already, or denied by the entry that speaks of it most: what others leave unsaid is no news.
    if final := next((v for v in rejected if v.other_id or v.reason == "polarity"), None):
        return final
    verified = [v for v in verdicts if isinstance(v, Verified)]
    if verified:
        return min(verified, key=lambda verdict: len(verdict.proposal.sources))
    # Whose words they are not is the least of what a note with a wrong figure lacks.
    return next((v for v in rejected if v.reason != "speaker"), rejected[0])


def _dated(verdict: Verdict, evidence: Evidence) -> Verdict:
    """Return *verdict* with the date its words name, computed from when the last entry cited was said."""
    if not isinstance(verdict, Verified):
        return verdict
    said_at = evidence.witnesses[verdict.proposal.sources[-1]].said_at
    found = next(iter(find_dates(verdict.proposal.text, said_at)), None)
    return Verified(replace(verdict.proposal, refers_to=found.ref)) if found else verdict


def witnessing(entries: list[Entry]) -> list[Entry]:
    """Return *entries* of a session without what the agent says in the exchange that still goes on.

    What it does there counts: its calls, and what they give back.
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
    """Return the words of *text* that order an agent about; "" when there are none."""
    lower = normal(text)
    found = _note_orders.pattern("ORDERS").search(lower) or ORDERS.search(lower)
    return found.group() if found else ""


def _orders(text: str, evidence: Evidence) -> str:
    """Return why *text* looks like an order that somebody else gave the agent; "" when it does not."""
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
