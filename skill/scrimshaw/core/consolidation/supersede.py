"""Decide which line makes an earlier one untrue, or reports it as done; in doubt both stay.

- `superseded`, `reported_done`: which live lines a later-said live line has closed without anybody noticing,
  since conversations are not read in the order in which they were held. Equal claims are not enough: the
  later line must say that something changed, about the same subject and with the same words around it.
- `closed_by_later`: the same for lines that come back after a while, and with the observer's own rules, too.
- `why_not_superseded`: checks a supersession of one line by another in a model's plan.
- `limit_references`: which earlier lines a model's new line may close. That the new line is verified proves
  nothing about the earlier one: a second reading must confirm it, or, without one, what both are about must
  have been said in this window, by the person when the earlier line is theirs. No run closes what a person
  wrote, pinned, hid or brought back (an open item of theirs may be reported as done, promise 7); a window
  closes at most a quarter of the lines. References that are not accepted come back with the reason.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import NamedTuple

from scrimshaw import data
from scrimshaw.core.consolidation.coverage import IMPORTANT, StepRefusal, limit_lost
from scrimshaw.core.extraction.candidates import Candidate
from scrimshaw.core.extraction.updates import resolve_changes
from scrimshaw.core.language import ASKED, cues
from scrimshaw.core.ledger.known_lines import KnownLines, content_words, is_identifier
from scrimshaw.core.ledger.lifecycle import age_of
from scrimshaw.core.ledger.observations import CLOSING
from scrimshaw.core.text import entities
from scrimshaw.core.text.normalize import CAPITAL, marks, normal
from scrimshaw.core.text.stems import share_held, split_words
from scrimshaw.core.types import (
    UNREAD,
    Author,
    Claim,
    EventType,
    Kind,
    Line,
    Observation,
    Place,
    Proposal,
    Readings,
    Rejected,
    Role,
    SaidClosed,
)
from scrimshaw.core.verification.polarity import contradiction, stances
from scrimshaw.core.verification.source import Witness
from scrimshaw.core.verification.verify import Evidence

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|;\s+")
_OPEN_QUESTION = re.compile(
    r"\?|\b(?:if|whether|may|might|could|would|should|maybe|perhaps|asked|trying|when)\b"
)
_PREPOSITION = re.compile(r" (?:for|of|with|about|at|from|in|on|by) ")
_DONE_SHARE = 0.6
_LEAST_SHARED = 3
_MOST_REPORTS = 60


_WHY = {EventType.SUPERSEDED: "changed by a later word", EventType.COMPLETED: "reported as done"}


class Closing(NamedTuple):
    """An earlier line that a later one closes."""

    type: EventType
    id: str
    by_id: str
    reason: str


class _Told(NamedTuple):
    """The subject of a claim's sentence, and what is said about it."""

    subject: frozenset[str]
    sort: tuple[str, ...]  # of the object: figures and days about the same things, or names
    range: frozenset[str]  # what limits the object: "on geometry" in "92 % on geometry"
    has_changed: bool


def superseded(lines: Iterable[Line]) -> Iterator[Closing]:
    """Yield the user's lines whose claim a later line of theirs has changed, oldest first."""
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
    newest, now = max(changed, key=lambda pair: age_of(pair[0]))
    for line, claim, _ in group:
        is_older = line.observation.said_at_ms < newest.observation.said_at_ms
        # Only an open item may replace an open item: a task must not turn into a note of that day.
        is_kept_open = line.standing.place is not Place.OPEN or newest.standing.place is Place.OPEN
        if is_older and claim.object != now.object and is_kept_open:
            yield _closing(EventType.SUPERSEDED, line, newest)


def _closing(type_: EventType, line: Line, by: Line) -> Closing:
    return Closing(type_, line.observation.id, by.observation.id, _WHY[type_])


def _told(text: str, claim: Claim) -> _Told | None:
    """Return what the sentence of *claim* says; None when it is a question or cannot be compared."""
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
    """Return what the figure, day or name in *said* is of; empty for anything else.

    A thing may have two states at once, but only one number of seats, one day and one name.
    """
    words = content_words(entities.DATE_WORDS.cut(said, " "))
    figures = {word for word in words if word[0].isdigit()}
    if figures or entities.DATE_WORDS.search(said):
        return ("figure", *sorted(words - figures))
    is_name = bool(words) and all(word[0].isupper() for word in said.split())
    return ("name",) if is_name else ()


def reported_done(lines: Iterable[Line]) -> Iterator[Closing]:
    """Yield the open items that a later line reports as done, oldest first."""
    every = list(lines)
    reports = _Reports(line for line in every if line.observation.done)
    for line in every:
        is_open = line.standing.place is Place.OPEN and not line.observation.done
        if is_open and (done := reports.of(line)) is not None:
            yield _closing(EventType.COMPLETED, line, done)


class _Reports:
    """The reports of finished work, indexed by the figures, names and identifiers in them."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self._by_word: dict[str, list[Line]] = defaultdict(list)
        for line in lines:
            if marks(line.observation.text, normal(line.observation.text))[-1] == "0":
                for word in content_words(line.observation.text):
                    self._by_word[word].append(line)

    def of(self, item: Line) -> Line | None:
        """Return the first later report with every distinguishing word of *item* and most others."""
        telling = _telling(item.observation.text)
        fewest = min((self._by_word.get(word, []) for word in sorted(telling)), key=len, default=[])
        later = [line for line in fewest if line.observation.said_at_ms > item.observation.said_at_ms]
        return next((line for line in later[:_MOST_REPORTS] if _is_report_of(line, item, telling)), None)


def _telling(text: str) -> frozenset[str]:
    """Return the words of *text* that distinguish one piece of work from another; dates do not."""
    names = _names_in(text)
    words = content_words(entities.DATE_WORDS.cut(text, " "))
    return frozenset(word for word in words if is_identifier(word) or word in names)


def _names_in(text: str) -> frozenset[str]:
    return frozenset().union(*(content_words(name) for name in CAPITAL.findall(text[1:])))


def _is_report_of(report: Line, item: Line, telling: frozenset[str]) -> bool:
    text = report.observation.text
    if not telling <= content_words(text) or cues.NOT_YET.search(text) or "?" in text:
        return False
    planned = split_words(normal(entities.DATE_WORDS.cut(item.observation.text, " ")))
    reported = split_words(normal(text))
    if len(planned & reported) < _LEAST_SHARED or share_held(planned, reported) < _DONE_SHARE:
        return False
    return not contradiction(stances(normal(text)), stances(normal(item.observation.text)))


_LEAST_SAME = 0.4  # share of the shorter line's words that two lines about the same must have in common
_LEAST_SHARED_OF_IMPORTANT = 0.5
_SAID_AGAIN = 0.8  # share of an important line's words that the line superseding it must repeat
_NOBODYS = content_words("user person owner me we agent assistant") | {"user"}
_SAYING = _NOBODYS | content_words("says said states stated wants wanted prefers likes asked decided uses")
_ASKED = re.compile(
    r"(?:the )?(?:(?:user|person) )?(?:asked|asks|wonder(?:s|ed)|wants to know)\b", re.IGNORECASE
)
_CHANGED = re.compile(r"\bnow\b|\bno longer\b|\bnot any ?more\b|\bfrom .{1,60} to\b", re.IGNORECASE)


def why_not_superseded(line: Line, by: Line) -> StepRefusal | None:
    """Return why *by* does not take the place of *line*."""
    old, new = line.observation, by.observation
    if new.said_at_ms <= old.said_at_ms:
        return StepRefusal("older", "only a line that was said later supersedes another")
    if line.standing.is_shown and by.standing.is_set_aside:
        return StepRefusal(
            "hidden", "a person has put the later line away: nothing would stand for the earlier"
        )
    is_report = line.standing.place is Place.OPEN and new.done
    if old.speaker is Role.USER and new.speaker is not Role.USER and not is_report:
        return StepRefusal("speaker", "what the person said is superseded only by their own words")
    if old.priority >= IMPORTANT and new.priority < IMPORTANT and not is_report:
        return StepRefusal("important", "an important line is superseded only by one as important")
    if by.standing.is_expired or new.level > old.level:
        return StepRefusal("later", "the later line is a pattern, or of unknown outcome")
    return _about_another(old, new, is_report=is_report)


def _about_another(old: Observation, new: Observation, *, is_report: bool) -> StepRefusal | None:
    """Return a refusal when the words show that two lines are not about the same."""
    if _ASKED.match(new.text):
        return StepRefusal("about", "who asks says nothing that could supersede anything")
    refusal = StepRefusal("about", "the two lines are not about the same")
    mine, theirs = (content_words(one.text) - _SAYING for one in (old, new))
    shared = mine & theirs
    if shared and _is_same_claim(old, new):
        return None
    is_important = old.priority >= IMPORTANT
    least = _LEAST_SHARED_OF_IMPORTANT if is_important else _LEAST_SAME
    if not shared or len(shared) < least * min(len(mine), len(theirs)):
        return refusal
    if len(shared) == 1 and not any(map(is_identifier, shared)) and min(len(mine), len(theirs)) > 1:
        return refusal
    is_change = any(cue.search(new.text) for cue in (cues.CHANGE, cues.MOVES, _CHANGED))
    is_again = len(shared) >= _SAID_AGAIN * len(mine) and not limit_lost(old.text, new.text)
    return refusal if is_important and not (is_report or is_change or is_again) else None


def _is_same_claim(old: Observation, new: Observation) -> bool:
    """Tell whether both lines make a claim about one subject; "user wants" alone is no subject."""
    if old.claim is None or new.claim is None or old.claim[:2] != new.claim[:2]:
        return False
    return not content_words(old.claim.subject) <= _NOBODYS


LEAST_CLOSED = 3  # lines that a window may close even when a quarter of them is less
_LEAST_SAID = 0.33  # share of the shorter text's words
_SHORT_REPLY_WORDS = 9  # "yes, to Thursday please": its subject stands in the question
_SAYS_CHANGED = re.compile(r"\bnow\b|\bno longer\b|\bfrom .{1,60} to\b", re.IGNORECASE)
_TELLING = content_words(" ".join(data.words("compare", "saying")))

Find = Callable[[str], Line | None]


class Declined(NamedTuple):
    """An earlier line that a model would have closed, and that stays open."""

    type: EventType
    id: str
    why: str  # for a person: completes the sentence "not taken: …"


class Reached(NamedTuple):
    """A proposal with the references that it may close, and the others."""

    proposal: Proposal
    declined: tuple[Declined, ...] = ()


def without_closings(proposal: Proposal) -> Proposal:
    """Return *proposal* without the lines it would close: the key under which readings of it are stored."""
    return replace(proposal, replaces=(), withdraws=(), completes=())


def not_taken(noted: Proposal, declined: Declined) -> Rejected:
    """Return the entry of the review list for a line that *noted* would have closed."""
    ids = (declined.id,)
    is_done = declined.type is EventType.COMPLETED
    named = (
        replace(without_closings(noted), completes=ids)
        if is_done
        else replace(without_closings(noted), replaces=ids)
    )
    return Rejected(named, CLOSING, declined.why)


def closing_bar(
    type_: EventType, line: Line | None, *, speaker: Role | None, said_at_ms: int | None = None
) -> str:
    """Return why no run may close *line* by an event *type_*; "" when it may.

    *speaker* said what would close it, None when several did; *said_at_ms* is when it was said.
    """
    if line is None:
        return "that line is no longer there"
    observation, standing = line
    is_done = type_ is EventType.COMPLETED
    if observation.author is Author.PERSON and not (is_done and _is_open(line)):
        return "you wrote that line yourself"
    if standing.is_pinned or standing.is_set_aside or standing.is_kept:
        return "you have pinned, hidden or brought back that line"
    if is_done and observation.done:
        return "that line tells what is done already"
    if said_at_ms is not None and observation.said_at_ms > said_at_ms:
        return "that line was said later"
    if not is_done and observation.speaker is Role.USER and speaker not in (None, Role.USER):
        return "only the person's own words replace what the person said"
    return ""


def limit_references(
    proposal: Proposal, evidence: Evidence, find: Find, *, room: int, readings: Readings = UNREAD
) -> Reached:
    """Return *proposal* with the references it may close, at most *room* of them, and the others."""
    named = [(EventType.COMPLETED, key) for key in proposal.completes]
    named += [(EventType.SUPERSEDED, key) for key in proposal.replaces]
    if not named:
        return Reached(proposal)
    closed: list[tuple[EventType, str]] = []
    declined = []
    said_at_ms = max(
        (one.entry.said_at_ms for key in proposal.sources if (one := evidence.witnesses.get(key))),
        default=None,
    )
    is_about = _Form(proposal, evidence)
    for type_, key in named:
        line = find(key)
        why = closing_bar(type_, line, speaker=proposal.speaker, said_at_ms=said_at_ms)
        asked = SaidClosed(without_closings(proposal), type_, key)
        if line is not None and not why:
            if asked in readings.stays:
                why = f"read once more, that line still holds: {readings.stays[asked]}".removesuffix(": ")
            elif asked not in readings.closes and not is_about(type_, line):
                why = "too little was said here of what that line is about"
        if not why and len(closed) >= room:
            why = "a conversation closes a quarter of the lines at most"
        if why:
            declined.append(Declined(type_, key, why))
        else:
            closed.append((type_, key))
    kept = replace(
        proposal,
        completes=tuple(key for type_, key in closed if type_ is EventType.COMPLETED),
        replaces=tuple(key for type_, key in closed if type_ is EventType.SUPERSEDED),
    )
    return Reached(kept, tuple(declined))


class _Form:
    """Whether a proposal is about a line, judged by the words said; used where no model has read it again."""

    def __init__(self, proposal: Proposal, evidence: Evidence) -> None:
        own = content_words(proposal.text) - _TELLING
        cited = [evidence.witnesses[source] for source in proposal.sources if source in evidence.witnesses]
        spoken = _words(own, [one for one in evidence.witnesses.values() if one.entry.role is Role.USER])
        self._spoken = spoken | _answered(own, cited)
        self._every = self._spoken | _words(own, cited)
        cue = (cues.CHANGE, cues.MOVES, cues.COMPLETION, _SAYS_CHANGED)
        self._is_told = any(one.search(proposal.text) for one in cue)

    def __call__(self, type_: EventType, line: Line) -> bool:
        if type_ is EventType.COMPLETED:
            return _is_open(line) and _is_about(line, self._every, is_told=self._is_told)
        said = self._spoken if line.observation.speaker is Role.USER else self._every
        return _is_about(line, said, is_told=self._is_told)


def _is_open(line: Line) -> bool:
    is_open = line.standing.place is Place.OPEN or line.standing.is_expired
    return is_open or line.observation.kind in (Kind.NEXT_STEP, Kind.ISSUE)


def _words(own: frozenset[str], witnesses: list[Witness]) -> frozenset[str]:
    """Return those of a line's *own* words that were said in *witnesses*, pasted text left out."""
    return own & frozenset().union(*(content_words(one.spoken) for one in witnesses))


def _answered(own: frozenset[str], cited: list[Witness]) -> frozenset[str]:
    """Return the words of a question that the person answered in a few words of their own."""
    replies = [one for one in cited if one.entry.role is Role.USER]
    if not any(0 < len(one.spoken.split()) <= _SHORT_REPLY_WORDS for one in replies):
        return frozenset()
    return _words(own, [one for one in cited if one.entry.role is Role.ASSISTANT])


def _is_about(line: Line, said: frozenset[str], *, is_told: bool) -> bool:
    """Tell whether enough of the subject of *line* is in *said*; days and speakers do not count.

    One plain shared word is enough only when *is_told*: it was said that something changed.
    """
    text = entities.DATE_WORDS.cut(line.observation.text, " ")
    words = content_words(text) - _TELLING
    shared = words & said
    if not shared or len(shared) < _LEAST_SAID * min(len(words), len(said)):
        return False
    if len(shared) > 1 or len(words) <= 2 or is_told:
        return True
    names = _names_in(text)
    return any(is_identifier(word) or word in names for word in shared)


def closed_by_later(lines: Sequence[Line], among: Collection[str]) -> Iterator[Closing]:
    """Yield the lines with ids in *among* that a later one of *lines* closes, each once."""
    seen: set[str] = set()
    for found in (*_by_statements(lines, among), *superseded(lines), *reported_done(lines)):
        if found.id in among and found.id not in seen:
            seen.add(found.id)
            yield found


def _by_statements(lines: Iterable[Line], among: Collection[str]) -> Iterator[Closing]:
    known = KnownLines()
    for line in sorted(lines, key=age_of):
        statement = line.observation
        for made in resolve_changes([_as_candidate(statement)], known) if len(known) else ():
            closes = dict.fromkeys(made.replaces, EventType.SUPERSEDED)
            closes |= dict.fromkeys(made.completes, EventType.COMPLETED)
            for id_, type_ in closes.items():
                known.close(id_)
                yield Closing(type_, id_, statement.id, _WHY[type_])
        if statement.id in among:
            known.add(statement)


def _as_candidate(statement: Observation) -> Candidate:
    """Return *statement* as the candidate that the observer had when it was said."""
    refers = statement.refers_to
    return Candidate(
        text=statement.text,
        words=content_words(statement.text),
        kind=statement.kind,
        priority=statement.priority,
        place=statement.place,
        score=0.0,
        sources=statement.sources,
        speaker=statement.speaker,
        done=statement.done,
        refers_to=refers,
        is_asked=statement.text.startswith(ASKED),
        is_ahead=refers is not None and refers.start > date.fromisoformat(statement.local_date),
    )
