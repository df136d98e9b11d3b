"""Decide whether a later statement says that an earlier one no longer holds, and which tasks a report closes.

A statement replaces an earlier one when it names the old value ("from Tuesday to Friday", "not the 3rd any
more", "tea instead of coffee") and the earlier one gives that value of the same subject; when it says that
the thing was moved or called off; or when it repeats nearly all of the earlier one, with what has changed. A
plan for another day is another plan.

A report says that a thing is done: "the lease is signed". It closes the open item about that thing, or about
the same act with the same names; a shared verb, day or figure is not enough, nor is a part ("the first
draft"). In doubt nothing closes: a superfluous line is corrected by a newer one, a lost line is not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from scrimshaw.core.extraction.candidates import Candidate
from scrimshaw.core.extraction.change_features import NOTED_DATE
from scrimshaw.core.extraction.change_judge import rarity
from scrimshaw.core.extraction.claim_changes import changes
from scrimshaw.core.extraction.corrections import Correction, holds_old, told_again
from scrimshaw.core.extraction.follow_ups import Kept
from scrimshaw.core.extraction.personal_statements import has_new_residence_or_employer
from scrimshaw.core.extraction.statements import MAX_LINE_CHARS
from scrimshaw.core.language import cues
from scrimshaw.core.ledger.known_lines import KnownLines, content_words, is_identifier, is_ticket
from scrimshaw.core.text import entities
from scrimshaw.core.text.normalize import normal
from scrimshaw.core.types import FOLLOWED, Author, Claim, DateRef, Observation, Place, Proposal, Role
from scrimshaw.core.verification.polarity import contradiction, stances

_MOOD = re.compile(r"\w+ed ")  # "Worried about the call being moved" does not name what was moved
_RARE = 5  # of 9
_BEHIND_ITS_VERB = "な必"  # where Japanese says that something is needless
_CLAUSE_END = re.compile(r"[,;:.!?…]\s|[，。、；！]|[.!?]$|\b(?:any ?more|after all)\b")
_LAST_SAID = 2  # statements that "make that 44" may be about
_JUST_SAID_SECONDS = 3600
_LEAST_SUBJECT = 2
_LEAST_ANEW = 3
_SOME = 0.4
_HALF = 0.5
_MOST = 2 / 3
_NEARLY_ALL = 5 / 6  # share of words; of a short line, all


class Thing(NamedTuple):
    """The subject of a statement; without words when it is not named."""

    words: frozenset[str]
    limits: frozenset[str]  # what limits it: of whom, on what, to whom

    def is_in(self, words: frozenset[str]) -> bool:
        """Tell whether *words* hold this thing, and no other of its sort."""
        return self.words <= words and self.is_alike(words)

    def is_alike(self, words: frozenset[str]) -> bool:
        """Tell whether *words* give no different limits for it."""
        return not self.limits or not self.limits.isdisjoint(words)


class Old(NamedTuple):
    """What is said to hold no longer."""

    words: frozenset[str]
    is_day: bool


class StatedChange(NamedTuple):
    """The change that a statement reports."""

    text: str
    subject: frozenset[str]  # the words of its subject, without days and figures
    days: frozenset[str]
    old: tuple[Old, ...]
    is_announced: bool
    is_moved: bool
    moved: Thing
    has_changed: bool
    is_lasting: bool

    @property
    def is_plain(self) -> bool:
        """Whether it states the change, rather than possibly implying it."""
        return bool(self.old) or self.is_announced or self.is_moved


def stated_change(text: str) -> StatedChange | None:
    """Return the change that *text* reports, None when there is none."""
    told = NOTED_DATE.sub("", cues.ASKED_BESIDE.cut(text))
    if not any(cue.search(told) for cue in (cues.MOVES, cues.CHANGE, cues.CHANGED)):
        return None
    given_up = (hit.group("old") for pattern in cues.each("OLD_VALUES") for hit in pattern.finditer(told))
    return StatedChange(
        told,
        _subject(told),
        _days(told),
        tuple(Old(content_words(old), not matter(old)) for old in given_up if content_words(old)),
        bool(cues.ANNOUNCED.search(told)),
        bool(cues.MOVED.search(told)),
        _moved(told),
        bool(cues.CHANGED.search(told)),
        bool(cues.FROM_NOW_ON.search(told)),
    )


def is_replaced_by(turn: StatedChange, text: str) -> bool:
    """Tell whether *turn* makes the earlier statement *text* untrue."""
    told = NOTED_DATE.sub("", text)
    words, subject, days = content_words(told), _subject(told), _days(told)
    if turn.is_moved and days and any(is_ticket(word) for word in turn.moved.words & words):
        return True
    shared = turn.subject & subject
    if has_new_residence_or_employer(turn.text, told):
        return True
    if any(old.words <= words and _is_told_of(old, turn, subject, told) for old in turn.old):
        return True
    if len(shared) < _LEAST_SUBJECT:
        return False
    share = len(shared) / len(subject)
    if share >= _SOME and (turn.is_announced or (turn.is_lasting and _is_turned_round(turn.text, told))):
        return True
    # Where the moved thing is not named ("it's been moved"), more shared words are needed.
    is_found = bool(turn.moved.words) or len(shared) >= _LEAST_ANEW
    is_same = is_found and turn.moved.is_in(words) and not _is_of_another(turn, told)
    if turn.is_moved and share >= _HALF and is_same:
        return True
    is_another_day = bool(days and turn.days) and days.isdisjoint(turn.days)
    return (
        turn.has_changed
        and not is_another_day
        and _is_told_anew(shared, subject, turn.subject, is_lasting=turn.is_lasting)
    )


def outdates_claim(turn: StatedChange, now: Claim, before: Claim) -> bool:
    """Tell whether both give values of one thing that differ; it may have many traits, but one figure."""
    has_figures = all(any(map(str.isdigit, claim.object)) for claim in (now, before))
    return now.object != before.object and (has_figures or turn.is_plain)


@lru_cache(maxsize=1024)
def matter(text: str) -> frozenset[str]:
    """Return the subject words of *text*; a day says when, not what."""
    return content_words(entities.without_days(text))


def names_in(text: str) -> frozenset[str]:
    """Return the words of the names in *text*, without days and months."""
    bare = entities.without_days(text)
    return frozenset().union(*(content_words(name.group()) for name in entities.NAME.finditer(bare)))


def _moved(text: str) -> Thing:
    for pattern in cues.each("MOVED_THING"):
        said = pattern.search(text)
        if said and not (cues.NO_THING.search(said.group(1)) or _MOOD.fullmatch(said.group(1))):
            # From the text, not from the lower-case match: "TP 562" is a name.
            return Thing(matter(text[said.start(1) : said.end(1)]), _subject(said.group(2) or ""))
    return Thing(frozenset(), frozenset())


def _is_told_of(old: Old, turn: StatedChange, subject: frozenset[str], text: str) -> bool:
    """Tell whether the line *text*, which holds the value *old*, gives it of the thing that has changed."""
    beside = (turn.subject & subject) - old.words
    if old.is_day:
        # A name alone is not enough: somebody may have several appointments on a day.
        is_same = turn.moved.is_in(content_words(text)) and not _is_of_another(turn, text)
        return is_same and bool(beside - names_in(text))
    if len(beside) >= _LEAST_SUBJECT and not all(word[0].isdigit() for word in old.words):
        return True
    if subject and subject == old.words:
        return True  # the line says nothing else: "I'm vegetarian", "no longer vegetarian"
    # In a short line "no longer at the bakery" is enough; a figure may belong to many things.
    held = subject & (beside | old.words)
    return len(held) > _HALF * len(subject) and len(held | old.words) >= _LEAST_SUBJECT


def _is_of_another(turn: StatedChange, text: str) -> bool:
    """Tell whether each text holds a name that the other lacks: a call with Dana, a call with Omar."""
    return not (_holds(text, names_in(turn.text)) or _holds(turn.text, names_in(text)))


def _holds(text: str, names: frozenset[str]) -> bool:
    lower = text.lower()
    return all(name in lower for name in names)


def _is_turned_round(now: str, before: str) -> bool:
    return bool(contradiction(stances(normal(now)), stances(normal(before))))


def _is_told_anew(
    shared: frozenset[str], before: frozenset[str], now: frozenset[str], *, is_lasting: bool
) -> bool:
    """Tell whether nearly all of *before* is repeated in *now*, and little is added."""
    is_all = len(shared) >= max(_LEAST_ANEW, (_MOST if is_lasting else _NEARLY_ALL) * len(before))
    return is_all and len(shared) >= _HALF * len(now)


def _subject(text: str) -> frozenset[str]:
    return frozenset(word for word in matter(text) if not word[0].isdigit())


def _days(text: str) -> frozenset[str]:
    words = frozenset().union(*(content_words(hit.group()) for hit in entities.DATE_WORDS.finditer(text)))
    return frozenset(word for word in words if ":" not in word)  # a time of day may be what has changed


_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_HELD_SHARE = 0.6
_LEAST_SHARED = 3
_MAX_COMPLETED = 2
_SHORT = 2  # a thing with at most so many words may stand for another of its sort
_LATER_SENTENCES = re.compile(r"(?<=\w\w)[.!?;] .*", re.DOTALL)
# What follows a preposition is only mentioned: in "change the tyres on the van", the van.
_HEAD = re.compile(r".+?(?=[.;:]|, (?!\d)| (?:on|of|for|with|in|at|about|from|by|before|after) |$)")
_PLACE = re.compile(r"(?<= is)(?: \S+){0,4}? (?:in|at) ")


class OpenItem(NamedTuple):
    """An open item: its key words and its text."""

    key: str
    text: str


class CompletionReport(NamedTuple):
    """What a statement reports as done."""

    words: frozenset[str]  # of the reporting sentences, without their days
    things: tuple[Thing, ...]
    acts: frozenset[str]
    is_arranged: bool
    is_handed_in: bool

    @property
    def tickets(self) -> frozenset[str]:
        """The identifiers of work that it names, only those of reporting sentences if there are any."""
        done = frozenset(filter(is_ticket, frozenset().union(*(thing.words for thing in self.things))))
        return done or frozenset(filter(is_ticket, self.words))


def read_report(text: str, *, is_arranged: bool) -> CompletionReport:
    """Return what *text* reports as done; questions in it are ignored."""
    told = cues.ASKED_BESIDE.cut(text)
    sentences = [one for one in _SENTENCE_END.split(told) if cues.COMPLETION.search(one)] or [told]
    # What was agreed to stands in the sentence before: "they do it for 90. I said yes".
    about = told if is_arranged else " ".join(sentences)
    things = tuple(thing for one in sentences for thing in _things(one))
    acts = frozenset().union(*(content_words(hit.group()) for hit in cues.COMPLETION.finditer(about)))
    return CompletionReport(matter(about), things, acts, is_arranged, bool(cues.HANDED_IN.search(about)))


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


def completed_items(report: CompletionReport, items: Sequence[OpenItem]) -> tuple[str, ...]:
    """Return the keys of the *items* that *report* closes; none when several are possible."""
    held = [(item, matter(item.text)) for item in items]
    sure = [item.key for item, words in held if _is_named(report, item) or _is_told(report, item, words)]
    if sure:
        return tuple(sure[:_MAX_COMPLETED])
    for thing in report.things:
        likely = [item for item, words in held if _may_be(thing, report, words)]
        if len(likely) == 1 and _is_about(thing, report, likely[0]):
            return (likely[0].key,)
    return ()


def _is_named(report: CompletionReport, item: OpenItem) -> bool:
    """Tell whether the report names the item by an identifier, or by two words for a thing."""
    if report.tickets:
        return not report.tickets.isdisjoint(matter(item.text))
    first = _LATER_SENTENCES.sub("", item.text)
    # "AGM is in the Methodist hall" is not about the hall.
    about = matter(_PLACE.split(first, maxsplit=1)[0])
    return any(
        len(thing.words) >= _SHORT and thing.is_in(matter(first)) and thing.words & about
        for thing in report.things
    )


def _is_told(report: CompletionReport, item: OpenItem, words: frozenset[str]) -> bool:
    """Tell whether the report repeats the item: the same act, its names and figures, most of its words."""
    shared = words & report.words
    figures = {word for word in words if is_identifier(word)}
    names = names_in(item.text)
    if report.is_arranged and shared - figures - names and any(word.isdigit() for word in shared):
        return True  # the same quantity: "order 400 bags", "they do the 400 bags for 90, I said yes"
    if report.tickets or not names | figures <= shared or len(shared) < _HELD_SHARE * len(words):
        return False
    is_alike = not report.things or any(thing.words & words for thing in report.things)
    if not (names or (figures and is_alike)):
        return False
    # "I'll send it to Dana", "the lease is sent, Dana has it"
    return len(shared) >= _LEAST_SHARED or bool(shared == words and names and shared & report.acts)


def _may_be(thing: Thing, report: CompletionReport, words: frozenset[str]) -> bool:
    """Tell whether an item may be about *thing*; something handed in may have had another name."""
    if report.is_handed_in and len(thing.words) <= _SHORT:
        return not thing.words.isdisjoint(words) and thing.is_alike(words)
    return thing.is_in(words)


def _is_about(thing: Thing, report: CompletionReport, item: OpenItem) -> bool:
    """Tell whether the only item that shares a noun with a report is about it, not merely mentions it."""
    head = _HEAD.match(entities.without_days(item.text))
    shared = thing.words & content_words(head.group() if head else item.text)
    if not shared or shared <= names_in(item.text):
        return False
    return thing.words <= shared or (report.is_handed_in and bool(cues.HAND_IN.search(item.text)))


def corrected_lines(
    said_at: datetime, correction: Correction, known: KnownLines, session_id: str | None
) -> list[tuple[Observation, tuple[str, DateRef | None]]]:
    """Return the known lines that *correction* may be about, each with its corrected text and date."""
    named = correction.rest or correction.before
    if named and correction.old is None:
        lines = [match.observation for match in known.similar(named)]
    elif correction.old is not None:
        lines = [match.observation for match in known.similar(content_words(correction.old.text))]
    else:
        lines = [line for line in known.lines() if line.session_id == session_id]
    lines = [line for line in lines if line.speaker is Role.USER and not line.done]
    if correction.is_outright and not (named or correction.old):
        lines = [line for line in lines if _is_just_said(line, said_at)]
    elif correction.old is None and not correction.is_outright:
        lines = [line for line in lines if line.place is Place.OPEN]
    beside = _beside(lines, known)
    meant = ((line, told_again(line, correction.of_what_names(beside[line.id]), said_at)) for line in lines)
    found = [(line, told) for line, told in meant if told]
    if len(found) > 1:
        found = [one for one in found if named & content_words(one[0].text)] or found
    if len(found) > 1:
        found = [one for one in found if one[0].session_id == session_id]
    return found


def amended_line(
    candidate: Candidate, correction: Correction, kept: Kept, known: KnownLines
) -> tuple[int | str, Observation | Proposal] | None:
    """Return the one line just said that holds what *correction* may exchange, with its key, if any."""
    said_at = candidate.said_at
    assert said_at is not None
    lines: list[tuple[int | str, Observation | Proposal]]
    if any(one.speaker is Role.USER for one, _ in kept):
        lines = [(at, kept[at][1]) for at in may_be_corrected(correction.bare, kept)]
    else:
        recent = (one for one in known.lines() if one.speaker is Role.USER and not one.done)
        recent = (one for one in recent if one.author is not Author.PERSON and _is_just_said(one, said_at))
        lines = [(one.id, one) for one in recent]
    found = [one for one in lines if holds_old(one[1].text, correction)]
    room = MAX_LINE_CHARS - len(FOLLOWED) - len(candidate.text)
    return found[0] if len(found) == 1 and len(found[0][1].text) <= room else None


def _beside(lines: Sequence[Observation], known: KnownLines) -> dict[str, frozenset[str]]:
    """Return for each of *lines* the words said in the same message, which may name what it is about."""
    holders: dict[str, list[str]] = {}
    for line in lines:
        for source in line.sources:
            holders.setdefault(source, []).append(line.id)
    words: dict[str, frozenset[str]] = {line.id: frozenset() for line in lines}
    for one in known.lines() if lines else ():
        for id_ in {id_ for source in one.sources for id_ in holders.get(source, ())} - {one.id}:
            words[id_] |= content_words(one.text)
    return words


def _is_just_said(line: Observation, said_at: datetime) -> bool:
    return 0 <= said_at.timestamp() - line.said_at_ms / 1000 <= _JUST_SAID_SECONDS


def is_of_either(correction: Correction, kept: Kept, at: int, said_at: datetime) -> bool:
    """Tell whether *correction*, which names nothing, may as well be of another statement of one message."""
    if correction.old or correction.rest or not correction.is_outright:
        return False
    others = (kept[other] for other in may_be_corrected(correction, kept) if other != at)
    here = kept[at][0].sources[-1]
    return any(here in one.sources and told_again(made, correction, said_at) for one, made in others)


def may_be_corrected(correction: Correction, kept: Kept) -> list[int]:
    """Return which of *kept*, in order, *correction* may be about: if it names nothing, of the last said."""
    mine = [at for at, (one, _) in enumerate(kept) if one.speaker is Role.USER and not one.is_asked]
    if correction.old or correction.rest or not mine:
        return mine
    last = kept[mine[-1]][0].sources[-1]  # of one long message each statement was just said
    return [at for at in mine if at in mine[-_LAST_SAID:] or last in kept[at][0].sources]


def needed_again(
    candidate: Candidate, kept: Kept, known: KnownLines
) -> tuple[int | str, Observation | Proposal, bool] | None:
    """Return the one line just said whose matter is, by *candidate*, to be done after all; None: no one line.

    With its key, and whether it says no more than that it need not be done.
    """
    said_at = candidate.said_at
    if candidate.speaker is not Role.USER or candidate.is_asked or said_at is None:
        return None
    if not (changes.AFTER_ALL.search(candidate.text) and changes.NEEDED.search(candidate.text)):
        return None
    lines: list[tuple[int | str, Observation | Proposal]] = [
        (at, made)
        for at, (one, made) in enumerate(kept)
        if one.said_at and 0 < (said_at - one.said_at).total_seconds() <= _JUST_SAID_SECONDS
    ]
    lines += [(line.id, line) for line in known.lines() if _is_just_said(line, said_at)]
    lines = [(key, one) for key, one in lines if one.speaker is Role.USER and not one.done]
    found = [(key, one, *_needless_in(one.text, candidate.text)) for key, one in lines]
    found = [one for one in found if one[2]]
    return (found[0][0], found[0][1], found[0][3]) if len(found) == 1 else None


def _needless_in(before: str, now: str) -> tuple[bool, bool]:
    """Tell whether *before* says that something of the matter of *now* need not be done, and only that."""
    needless = changes.NEEDLESS.search(before)
    if needless is None or changes.NEEDLESS.search(now):
        return False, False
    if needless.group()[0] in _BEHIND_ITS_VERB:
        told, *rest = reversed(_CLAUSE_END.split(before[: needless.start()]))
    else:
        told, *rest = _CLAUSE_END.split(before[needless.end() :])
        rest.append(before[: needless.start()])
    named = changes.AFTER_ALL.cut(changes.NEEDED.cut(now, " "), " ")
    shared = {word for word in content_words(named) & content_words(told) if rarity(word) >= _RARE}
    # Of one word that both hold, an act is of other things, too: "call the garage", "call mum again".
    is_same = len(shared) >= _LEAST_SUBJECT or not shared.isdisjoint(content_words(told.rsplit(" ", 1)[-1]))
    return is_same, len(content_words(" ".join(rest))) < _LEAST_SUBJECT


def tells_as_much(report: Candidate, planned: Candidate) -> bool:
    """Tell whether *report* holds every name, number and identifier of *planned*."""
    marks = {word for word in planned.words if is_identifier(word)}
    # Days and months look like names; the report's own date stands for them.
    names = (name.group() for name in entities.NAME.finditer(entities.without_days(planned.text)))
    return marks <= report.words and all(name in report.text for name in names)


def names_same(target: frozenset[str], words: frozenset[str]) -> bool:
    shared = target & words
    is_named = any(is_identifier(word) and not word.isdigit() for word in shared)
    return is_named or len(shared) >= max(1, len(target) // 2)
