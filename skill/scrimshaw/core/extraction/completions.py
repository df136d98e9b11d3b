"""Which open items a report closes.

A report says of a thing that it is done: "the lease is signed", "I've sent the figures to Dana". What
closes an open item is that thing, or the same act with the same names; that both speak of the same
matter, or share a verb, a day or a figure, closes nothing. Said of a part ("the first draft", "40 % of
it") it closes nothing either. When in doubt the item stays open: its day passes by itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from scrimshaw.core.extraction.replacements import Thing, matter, names_in
from scrimshaw.core.language import cues
from scrimshaw.core.ledger.known_lines import content_words, is_identifier, is_ticket
from scrimshaw.core.text import entities

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_HELD_SHARE = 0.6
_LEAST_SHARED = 3
_MAX_COMPLETED = 2
_SHORT = 2  # words of a thing that may stand for another of its sort
_LATER_SENTENCES = re.compile(r"(?<=\w\w)[.!?;] .*", re.DOTALL)
# What stands behind a preposition an item only mentions: "change the tyres on the van".
_HEAD = re.compile(r".+?(?=[.;:]|, (?!\d)| (?:on|of|for|with|in|at|about|from|by|before|after) |$)")


class Item(NamedTuple):
    """An open item: what names it, and what it says."""

    key: str
    text: str


class Report(NamedTuple):
    """What a statement reports as done."""

    words: frozenset[str]  # of the sentences that say so, without their days
    things: tuple[Thing, ...]
    acts: frozenset[str]
    is_arranged: bool
    is_handed_in: bool

    @property
    def tickets(self) -> frozenset[str]:
        """The pieces of work that it names, those it says are done if it says so of any."""
        done = frozenset(filter(is_ticket, frozenset().union(*(thing.words for thing in self.things))))
        return done or frozenset(filter(is_ticket, self.words))


def read_report(text: str, *, is_arranged: bool) -> Report:
    """Return what *text* says is done; what it asks besides is no part of it."""
    told = cues.ASKED_BESIDE.cut(text)
    sentences = [one for one in _SENTENCE_END.split(told) if cues.COMPLETION.search(one)] or [told]
    # What was agreed to stands in the sentence before: "they do it for 90. I said yes".
    about = told if is_arranged else " ".join(sentences)
    things = tuple(thing for one in sentences for thing in _things(one))
    acts = frozenset().union(*(content_words(hit.group()) for hit in cues.COMPLETION.finditer(about)))
    return Report(matter(about), things, acts, is_arranged, bool(cues.HANDED_IN.search(about)))


def _things(sentence: str) -> list[Thing]:
    found = []
    for pattern in (cues.COMPLETED_SUBJECT, cues.COMPLETED_OBJECT):
        for hit in pattern.finditer(sentence):
            if not (cues.NO_THING.search(hit.group(1)) or cues.ANY_THING.search(hit.group(1))):
                more = cues.OF_THING.match(sentence[hit.end() :])
                limits = matter(more.group(1)) if more else frozenset()
                words = matter(sentence[hit.start(1) : hit.end(1)])
                found.append(Thing(words, frozenset(filter(str.isalpha, limits))))
    return [thing for thing in found if thing.words]


def completed(report: Report, items: Sequence[Item]) -> tuple[str, ...]:
    """Return the keys of the *items* that *report* closes; of several it could mean, none."""
    held = [(item, matter(item.text)) for item in items]
    sure = [item.key for item, words in held if _is_named(report, item) or _is_told(report, item, words)]
    if sure:
        return tuple(sure[:_MAX_COMPLETED])
    for thing in report.things:
        likely = [item for item, words in held if _may_be(thing, report, words)]
        if len(likely) == 1 and _is_about(thing, report, likely[0]):
            return (likely[0].key,)
    return ()


def _is_named(report: Report, item: Item) -> bool:
    """Tell whether the report names an item as one does a piece of work, or by two words for a thing."""
    if report.tickets:
        return not report.tickets.isdisjoint(matter(item.text))
    first = matter(_LATER_SENTENCES.sub("", item.text))
    return any(len(thing.words) >= _SHORT and thing.is_in(first) for thing in report.things)


def _is_told(report: Report, item: Item, words: frozenset[str]) -> bool:
    """Tell whether the report says what the item says: the same act, its names and figures, most words."""
    shared = words & report.words
    figures = {word for word in words if is_identifier(word)}
    names = names_in(item.text)
    if report.is_arranged and shared - figures - names and any(word.isdigit() for word in shared):
        return True  # as many of the same thing: "order 400 bags", "they do the 400 bags for 90, I said yes"
    if report.tickets or not names | figures <= shared or len(shared) < _HELD_SHARE * len(words):
        return False
    is_alike = not report.things or any(thing.words & words for thing in report.things)
    if not (names or (figures and is_alike)):
        return False
    # "I'll send it to Dana", "the lease is sent, Dana has it"
    return len(shared) >= _LEAST_SHARED or bool(shared == words and names and shared & report.acts)


def _may_be(thing: Thing, report: Report, words: frozenset[str]) -> bool:
    """Tell whether an item may be about *thing*; what was handed in may have been called otherwise."""
    if report.is_handed_in and len(thing.words) <= _SHORT:
        return not thing.words.isdisjoint(words) and thing.is_alike(words)
    return thing.is_in(words)


def _is_about(thing: Thing, report: Report, item: Item) -> bool:
    """Tell whether the one item that shares a noun with a report is about it, not merely mentions it."""
    head = _HEAD.match(entities.without_days(item.text))
    shared = thing.words & content_words(head.group() if head else item.text)
    if not shared or shared <= names_in(item.text):
        return False
    return thing.words <= shared or (report.is_handed_in and bool(cues.HAND_IN.search(item.text)))
