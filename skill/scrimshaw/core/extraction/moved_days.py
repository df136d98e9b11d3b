"""Find the appointment that a statement gives another day: "the audit was moved to the 9th".

It names the appointment and the new day, seldom the old one; what else stands in either line says nothing of
whether they are of one matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from functools import cache
from typing import NamedTuple

from scrimshaw.core.extraction.candidates import Candidate
from scrimshaw.core.extraction.change_judge import RAREST, names_others, rarity
from scrimshaw.core.extraction.claim_changes import changes
from scrimshaw.core.extraction.endings import moves_day
from scrimshaw.core.extraction.personal_statements import is_of_another, is_refused
from scrimshaw.core.extraction.scorer import VITAL_PRIORITY
from scrimshaw.core.ledger.known_lines import content_words
from scrimshaw.core.text.languages import NAMES, function_words, language
from scrimshaw.core.text.normalize import EAST
from scrimshaw.core.types import DateRef, Kind, Observation, Place, Proposal

_LEAST_RARE = 6  # of a word that names an appointment
_OF_HOURS = frozenset({"uhr", "hour", "clock", "heur", "hora", "ora", "ore", "euro"})
_OVERDUE = timedelta(3)  # what should have been then may still be moved


class Earlier(NamedTuple):
    """What a statement is compared with: a known line by its id, or one of this window by its index."""

    key: str | int
    told: Observation | Proposal
    score: float  # how much of the words' weight is shared
    shared: frozenset[str]
    is_near: bool  # said in the same session


def moved_by(candidate: Candidate, earlier: Sequence[Earlier]) -> Earlier | None:
    """Return the one dated plan among *earlier* to which *candidate* gives another day, if it is one."""
    day = candidate.refers_to
    if day is None or not day.certain or candidate.said_at is None or not moves_day(candidate.text):
        return None
    today = candidate.said_at.date()
    if day.start < today:
        return None
    moved = _moved_in(candidate.text)
    plans = [
        one
        for one in earlier
        if one.told.place is not Place.STANDING
        and _is_ahead(one.told.refers_to, day, today)
        and _names(one) & moved
        and not names_others(candidate.text, one.told.text)
    ]
    return _only(plans)


def turned_by(candidate: Candidate, earlier: Sequence[Earlier]) -> Earlier | None:
    """Return the one standing line among *earlier* that *candidate* wants otherwise from now on, if any.

    "Nur noch eine Frage am Sonntag": a wish, or an hour or figure, of which both name the thing.
    """
    text = candidate.text
    if candidate.refers_to is not None or not changes.TURNED.search(text):
        return None
    if is_refused(text) or is_of_another(text):
        return None
    has_figure = any(map(str.isdigit, text))
    return _only(
        [
            one
            for one in earlier
            if one.told.place is Place.STANDING
            and one.told.priority < VITAL_PRIORITY
            and (one.told.kind is Kind.PREFERENCE or (has_figure and any(map(str.isdigit, one.told.text))))
            and any(rarity(word) == RAREST for word in _names(one))
            and not names_others(text, one.told.text)
        ]
    )


def _only(plans: Sequence[Earlier]) -> Earlier | None:
    """Return the one of *plans* whose shared words no other has; None: none, or several."""
    best = [
        one for one in plans if not any(_names(one) <= _names(other) for other in plans if other is not one)
    ]
    return best[0] if len(best) == 1 else None


def _moved_in(text: str) -> frozenset[str]:
    """Return what *text* may say is moved: the last word before that, or the first behind it."""
    hit = changes.MOVES.search(text)
    if hit is None or EAST.search(text):
        return content_words(text)
    before, behind = text[: hit.start()].split(), text[hit.end() :].split()
    for word in (*reversed(before), *behind):
        found = _no_days(content_words(word))
        if found and word.lower() not in function_words():
            return found
    return frozenset()


def _is_ahead(day: DateRef | None, moved_to: DateRef, today: date) -> bool:
    return day is not None and day.start != moved_to.start and (day.end or day.start) >= today - _OVERDUE


def _names(earlier: Earlier) -> frozenset[str]:
    """Return the words that both share and that may name an appointment."""
    return frozenset(word for word in _no_days(earlier.shared) if rarity(word) >= _LEAST_RARE)


def _no_days(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word for word in words - _words_of_days() if not word[0].isdigit())


@cache
def _words_of_days() -> frozenset[str]:
    forms = (
        form for name in NAMES for sort in ("weekday", "month", "near") for form in language(name).forms(sort)
    )
    return _OF_HOURS | content_words(" ".join(forms))
