"""Find the earlier line that a statement means: what it moves, calls off, turns or says is otherwise now.

A statement names the thing and what is new, seldom what was: "the audit was moved to the 9th", "walk is off".
So the line is meant that alone shares the word for the thing. Where somebody has moved house, or another
thing of the same person is moved, the day does not stand beside the move, or what stands before it is not
shared.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta
from functools import cache
from itertools import islice
from typing import NamedTuple

from scrimshaw.core.extraction.candidates import Candidate
from scrimshaw.core.extraction.change_judge import names_others, names_thing, rarity
from scrimshaw.core.extraction.claim_changes import changes, is_of_same_person
from scrimshaw.core.extraction.endings import has_other_kin
from scrimshaw.core.extraction.partly_done import is_unsettled
from scrimshaw.core.extraction.personal_statements import (
    OrderKind,
    is_of_another,
    is_refused,
    order_of,
    tells_of_others,
)
from scrimshaw.core.extraction.scorer import VITAL_PRIORITY
from scrimshaw.core.language import cues
from scrimshaw.core.language.grammatical_subject import subject_of
from scrimshaw.core.ledger.known_lines import content_words
from scrimshaw.core.text import entities
from scrimshaw.core.text.languages import NAMES, function_words, language
from scrimshaw.core.text.normalize import EAST
from scrimshaw.core.types import DateRef, Kind, Observation, Place, Proposal

_LEAST_RARE = 6  # of a word that names an appointment
_SMALL = 2  # letters of what is no noun: "al", "um"
_OF_HOURS = frozenset({"uhr", "hour", "clock", "heur", "hora", "ora", "ore", "euro"})
_WHO_CHARS = 40  # in which stands who does not come
_OPENING_CHARS = 20  # in which a task says that it is one
_OVERDUE = timedelta(3)  # what should have been then may still be moved
_CLAUSE = re.compile(r"[,;:.!–—，。！、]\s*|\s(?:but|aber|pero|mais|ma|mas)\s")


class Earlier(NamedTuple):
    """What a statement is compared with: a known line by its id, or one of this window by its index."""

    key: str | int
    told: Observation | Proposal
    score: float  # how much of the words' weight is shared
    shared: frozenset[str]
    is_near: bool  # said in the same session


def moved_by(candidate: Candidate, earlier: Sequence[Earlier]) -> Earlier | None:
    """Return the one dated plan among *earlier* to which *candidate* gives another day, if it is one."""
    day, said_at = candidate.refers_to, candidate.said_at
    if day is None or not day.certain or said_at is None or day.start < said_at.date():
        return None
    moved = _moved_in(candidate.text, day.phrase)
    return _only(
        [
            one
            for one in earlier
            if one.told.place is not Place.STANDING
            and _is_ahead(one.told.refers_to, day, said_at.date())
            and any(words <= _names(one) for words in moved)
            and not names_others(candidate.text, one.told.text)
            and not has_other_kin(candidate.text, one.told.text)
        ]
    )


def turned_by(candidate: Candidate, earlier: Sequence[Earlier]) -> Earlier | None:
    """Return the one wish, hour or figure among *earlier* that *candidate* turns from now on, if any."""
    text = candidate.text
    if candidate.refers_to is not None or not changes.TURNED.search(text):
        return None
    has_figure = any(map(str.isdigit, text))
    if is_refused(text) or is_of_another(text) or tells_of_others(text):
        return None
    return _only(
        [
            one
            for one in earlier
            if one.told.place is Place.STANDING
            and one.told.priority < VITAL_PRIORITY
            and (one.told.kind is Kind.PREFERENCE or (has_figure and any(map(str.isdigit, one.told.text))))
            and any(map(names_thing, _names(one)))
            and not names_others(text, one.told.text)
            and not has_other_kin(text, one.told.text)
        ]
    )


def called_off_by(candidate: Candidate, earlier: Sequence[Earlier]) -> Earlier | None:
    """Return the one plan among *earlier* that *candidate* says is off, by the word for it: "walk is off"."""
    text, said_at = candidate.text, candidate.said_at
    head = _CLAUSE.split(text, maxsplit=1)[0]
    hit = changes.CALLED_OFF.search(head) or changes.pattern("EAST_OFF").search(head)
    if hit is None or said_at is None or not _is_asserted(text):
        return None
    before, behind = head[: hit.start()], head[hit.end() :]
    if changes.NOT_OFF.search(f"{before} {behind}"):
        return None
    things = _last_of(before)
    if not EAST.search(head):
        things.append(_content(behind))
    owners = subject_of(head).owners - _words_of_days()
    day = candidate.refers_to
    named = day if day is not None and day.certain and day.phrase in head else None  # behind it, the new day
    return _only(
        [
            one
            for one in earlier
            if _is_event(one.told)
            and any(words and words <= _names(one) for words in things)
            and not (
                hit.group().endswith("off") and any(words & _people_in(one.told.text) for words in things)
            )
            and owners <= content_words(one.told.text)
            and _may_be_then(one.told.refers_to, named, said_at.date())
            and not names_others(head, one.told.text)
            and not has_other_kin(head, one.told.text)
        ]
    )


def stayed_away_from(candidate: Candidate, earlier: Sequence[Earlier]) -> Earlier | None:
    """Return the one visit among *earlier* of whom *candidate* says will not come: "Claire isn't coming"."""
    text, said_at = candidate.text, candidate.said_at
    hit = changes.COMES_NOT.search(text)
    if hit is None or hit.start() > _WHO_CHARS or said_at is None:
        return None
    if not _is_asserted(text) or is_of_another(text):
        return None
    head = text[: hit.end()]
    who = _content(text[: hit.start()])
    return _only(
        [
            one
            for one in earlier
            if _is_event(one.told)
            and who & _names(one)
            and changes.COMES.search(one.told.text)
            and not changes.COMES_NOT.search(one.told.text)
            and _may_be_then(one.told.refers_to, candidate.refers_to, said_at.date())
            and not names_others(head, one.told.text)
            and not has_other_kin(head, one.told.text)
        ]
    )


def altered_by(candidate: Candidate, earlier: Sequence[Earlier]) -> Earlier | None:
    """Return the one line among *earlier* of whose thing *candidate* says that it is otherwise now."""
    text = candidate.text
    is_wish = candidate.kind is Kind.PREFERENCE  # another wish may hold beside it
    if is_wish or is_of_another(text) or not _is_asserted(text):
        return None
    told, begun = _altered_in(text)
    return _only(
        [
            one
            for one in earlier
            if isinstance(one.key, str)  # within the window the later one takes the place of the earlier
            and (candidate.place in (Place.LOG, one.told.place) or one.told.place is Place.STANDING)
            and one.told.priority < VITAL_PRIORITY
            and any(
                names_thing(word) and (word in told or word in begun & _first(one.told.text))
                for word in _names(one)
            )
            and is_of_same_person(text, one.told.text)
            and not names_others(text, one.told.text)
        ]
    )


def _altered_in(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of what *text* says is otherwise, and those that begin what is "now" so."""
    told: set[str] = set()
    begun: set[str] = set()
    for clause in _CLAUSE.split(text):
        if changes.ALTERS.search(clause):
            told |= _content(changes.ALTERS.cut(clause, " "))
        elif hit := changes.ALTERS_NOW.search(clause):
            begun |= _first(clause[: hit.start()])
    return frozenset(told), frozenset(begun)


def _first(text: str) -> frozenset[str]:
    """Return the first word of content in *text*; in Chinese and Japanese each pair of its signs."""
    return next(filter(None, map(_content, text.split())), frozenset())


def _is_asserted(text: str) -> bool:
    return not (is_unsettled(text) or cues.HYPOTHETICAL.search(text))


def _is_event(told: Observation | Proposal) -> bool:
    """Tell whether *told* is a plan that is no task: "Buy fish for Saturday" is one, and fish may be off."""
    is_task = order_of(told.text) is OrderKind.TASK or changes.INTENT.search(told.text[:_OPENING_CHARS])
    return told.place is Place.OPEN and not is_task


def _people_in(text: str) -> frozenset[str]:
    """Return the names in *text*: "Priya is off this week" says nothing of the call with her."""
    return frozenset().union(*(content_words(hit.group()) for hit in entities.NAME.finditer(text)))


def _may_be_then(planned: DateRef | None, named: DateRef | None, today: date) -> bool:
    """Tell whether what is *planned* lies ahead, and may be on the day that is *named* as off, if any is."""
    if planned is None:
        return True
    is_ahead = (planned.end or planned.start) >= today - _OVERDUE
    return is_ahead and (named is None or named.start == planned.start)


def _only(plans: Sequence[Earlier]) -> Earlier | None:
    """Return the one of *plans* whose shared words no other has; None: none, or several."""
    best = [
        one for one in plans if not any(_names(one) <= _names(other) for other in plans if other is not one)
    ]
    return best[0] if len(best) == 1 else None


def _moved_in(text: str, day: str) -> list[frozenset[str]]:
    """Return what *text* may say is moved to *day*, each a few words: "the vet", "jury service".

    It stands before the move, or between that and the day; nothing else stands between those.
    """
    at = text.find(day)
    hits = list(changes.MOVES.finditer(text)) if at >= 0 else []
    found = []
    for hit in hits:
        first, start, end, _ = sorted((*hit.span(), at, at + len(day)))
        between = _content(text[start:end])
        if between and not EAST.search(text):
            found.append(between)
        elif not between:
            found += _last_of(text[:first])
    # "Morfologica spostata, ora è martedì 24": the first says what, the second when.
    if found and len(hits) > 1:
        found += _last_of(text[: hits[0].start()])
    return found


def _last_of(text: str) -> list[frozenset[str]]:
    """Return the last word of content in *text*; in Chinese and Japanese each pair of signs behind 的."""
    if EAST.search(text):
        return [frozenset({pair}) for pair in _content(text.rsplit("的", 1)[-1])]
    found = filter(None, map(_content, reversed(text.split())))
    return list(islice(found, 1))


def _content(text: str) -> frozenset[str]:
    """Return the words of *text* that are neither small nor of days."""
    words = (word for word in text.split() if word.lower().strip("().,") not in function_words())
    return frozenset(
        word for word in _no_days(content_words(" ".join(words))) if len(word) > _SMALL or EAST.match(word)
    )


def _is_ahead(day: DateRef | None, moved_to: DateRef, today: date) -> bool:
    return day is not None and day.start != moved_to.start and (day.end or day.start) >= today - _OVERDUE


def _names(earlier: Earlier) -> frozenset[str]:
    """Return the words that both share and that may name an appointment."""
    return frozenset(word for word in _no_days(earlier.shared) if rarity(word) >= _LEAST_RARE)


def _no_days(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words - _words_of_days() if not word[0].isdigit())


@cache
def _words_of_days() -> frozenset[str]:
    sorts = ("weekday", "month", "near", "unit", "part")
    return _OF_HOURS | content_words(
        " ".join(form for name in NAMES for sort in sorts for form in language(name).forms(sort))
    )
