"""Which live lines a later-said one has closed without anybody noticing: replaced, or done.

An observer closes what it knows of when it accepts a line. Conversations are not read in the order in which
they were held, so an older statement may come in after the one that replaced it, and stand beside it. Here
both are known. Equal claims alone say little ("my goal is", "the problem is" hold many objects at once):
the later line must say that something changed, of the same subject with the same words around it. When in
doubt nothing closes.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from scrimshaw.core.language import cues
from scrimshaw.core.ledger.known_lines import content_words, is_identifier
from scrimshaw.core.text import entities
from scrimshaw.core.text.normalize import CAPITAL, marks, normal
from scrimshaw.core.text.stems import share_held, split_words
from scrimshaw.core.types import Claim, EventType, Line, Place, Role
from scrimshaw.core.verification.polarity import contradiction, stances

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|;\s+")
_OPEN_QUESTION = re.compile(
    r"\?|\b(?:if|whether|may|might|could|would|should|maybe|perhaps|asked|trying|when)\b"
)
_PREPOSITION = re.compile(r" (?:for|of|with|about|at|from|in|on|by) ")
_DONE_SHARE = 0.6
_LEAST_SHARED = 3
_MOST_REPORTS = 60


class Closing(NamedTuple):
    """A line that another one closes."""

    type: EventType
    id: str
    by_id: str
    reason: str


class _Told(NamedTuple):
    """What a claim's sentence is about, and what it says of it."""

    subject: frozenset[str]
    sort: tuple[str, ...]  # of the object: figures and days of the same things, or names
    range: frozenset[str]  # what the object is limited to: "on geometry" of "92 % on geometry"
    has_changed: bool


def superseded(lines: Iterable[Line]) -> Iterator[Closing]:
    """Yield the lines of the user whose claim a later line of theirs has changed, oldest first."""
    groups: dict[tuple[object, ...], list[tuple[Line, Claim, bool]]] = defaultdict(list)
    for line in lines:
        claim = line.observation.claim
        if claim is None or line.observation.speaker is not Role.USER or line.observation.done:
            continue
        told = _told(line.observation.text, claim)
        if told is not None:
            groups[*claim[:2], *told[:3]].append((line, claim, told.has_changed))
    for group in groups.values():
        yield from _outdated(group)


def _outdated(group: list[tuple[Line, Claim, bool]]) -> Iterator[Closing]:
    changed = [(line, claim) for line, claim, has_changed in group if has_changed]
    if not changed:
        return
    newest, now = max(changed, key=lambda pair: (pair[0].observation.said_at_ms, pair[0].observation.id))
    for line, claim, _ in group:
        is_older = line.observation.said_at_ms < newest.observation.said_at_ms
        # An open item gives way to an open item: what is to be done must not end up as a note of that day.
        is_kept_open = line.standing.place is not Place.OPEN or newest.standing.place is Place.OPEN
        if is_older and claim.object != now.object and is_kept_open:
            yield Closing(
                EventType.SUPERSEDED, line.observation.id, newest.observation.id, "changed by a later word"
            )


def _told(text: str, claim: Claim) -> _Told | None:
    """Return what the sentence of *claim* tells, None when it asks, or tells what cannot be compared."""
    sentences = [part for part in _SENTENCE_END.split(text) if claim.subject in part.lower()]
    sentence = sentences[0] if len(sentences) == 1 else text
    at = sentence.lower().rfind(claim.object)
    before, behind = (sentence[:at], sentence[at:]) if at > 0 else (sentence, claim.object)
    what, *limits = _PREPOSITION.split(behind, maxsplit=1)
    turns = [hit.group() for cue in (cues.MOVES, cues.CHANGE) for hit in cue.finditer(sentence)]
    sort = _sort_of(what)
    if _OPEN_QUESTION.search(sentence.lower()) or not sort:
        return None
    subject = content_words(before) - frozenset().union(*map(content_words, turns))
    return _Told(subject, sort, content_words(limits[0]) if limits else frozenset(), bool(turns))


def _sort_of(said: str) -> tuple[str, ...]:
    """Return what *said* is a figure, a day or a name of; empty for anything else.

    Of two states of a thing both may hold; it has one number of seats, one day and one name.
    """
    words = content_words(entities.DATE_WORDS.cut(said, " "))
    figures = {word for word in words if word[0].isdigit()}
    if figures or entities.DATE_WORDS.search(said):
        return ("figure", *sorted(words - figures))
    is_name = bool(words) and all(word[0].isupper() for word in said.split())
    return ("name",) if is_name else ()


def completed(lines: Iterable[Line]) -> Iterator[Closing]:
    """Yield the open items that a later line reports as done, oldest first."""
    every = list(lines)
    reports = _Reports(line for line in every if line.observation.done)
    for line in every:
        if line.standing.place is Place.OPEN and not line.observation.done:
            done = reports.of(line)
            if done is not None:
                id_ = line.observation.id
                yield Closing(EventType.COMPLETED, id_, done.observation.id, "reported as done")


class _Reports:
    """What was reported as done, found by the figures, names and identifiers in it."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self._by_word: dict[str, list[Line]] = defaultdict(list)
        for line in lines:
            if marks(line.observation.text, normal(line.observation.text))[-1] == "0":
                for word in content_words(line.observation.text):
                    self._by_word[word].append(line)

    def of(self, item: Line) -> Line | None:
        """Return the first later report that holds every telling word of *item* and most of the others."""
        telling = _telling(item.observation.text)
        fewest = min((self._by_word.get(word, []) for word in sorted(telling)), key=len, default=[])
        later = [line for line in fewest if line.observation.said_at_ms > item.observation.said_at_ms]
        return next((line for line in later[:_MOST_REPORTS] if _is_report_of(line, item, telling)), None)


def _telling(text: str) -> frozenset[str]:
    """Return the words of *text* that tell one piece of work from another; its days are none."""
    names = frozenset().union(*(content_words(name) for name in CAPITAL.findall(text[1:])))
    without_days = entities.DATE_WORDS.cut(text, " ")
    marked = {word for word in content_words(without_days) if is_identifier(word) or word in names}
    return frozenset(marked)


def _is_report_of(report: Line, item: Line, telling: frozenset[str]) -> bool:
    text = report.observation.text
    if not telling <= content_words(text) or cues.NOT_YET.search(text) or "?" in text:
        return False
    planned = split_words(normal(entities.DATE_WORDS.cut(item.observation.text, " ")))
    reported = split_words(normal(text))
    if len(planned & reported) < _LEAST_SHARED or share_held(planned, reported) < _DONE_SHARE:
        return False
    return not contradiction(stances(normal(text)), stances(normal(item.observation.text)))
