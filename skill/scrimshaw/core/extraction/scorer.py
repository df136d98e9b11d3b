"""Weigh a statement by its form (kind, priority, place, score), and choose which lines of a window matter.

A statement is weighed by its wording (cue words), its content (numbers, dates, names, identifiers) and its
speaker. The weights know no topics. What the weigher has learned about it: weighed.

Priority is a rank: at most a third of the lines noted of one window, but at least one, keep priority 4 or 5;
first by priority, then wishes, then salience. For windows of one or two lines the third is counted together
with the lines noted before. A line that the rules find harmful to forget keeps its 5, however many there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from scrimshaw.core.extraction import personal_statements
from scrimshaw.core.extraction.personal_statements import OrderKind
from scrimshaw.core.language import ASKED, cues, fillers, phrases
from scrimshaw.core.ledger.known_lines import content_words, is_ticket
from scrimshaw.core.text import entities
from scrimshaw.core.text.sentences import sentence_spans
from scrimshaw.core.types import FOLLOWED, Author, Kind, Observation, Place, Role

_STRONG = 3.0
KEEP_AT = 1.5  # a statement with a lower score is small talk
_LASTING_SCORE = 2.9  # a lasting fact is worth as much as a wish, however short it is
_VITAL_SCORE = 4.5
_ORDER_SCORE = 4.0  # the person's own orders, and what they want remembered
_LASTING_PRIORITY = 4
VITAL_PRIORITY = 5


# The kind with the strongest cue wins; earlier entries win ties.
_KIND_CUES = (
    (Kind.FACT, 2.9, personal_statements.VITAL),
    (Kind.FACT, 2.6, personal_statements.MOVED_TO),
    (Kind.FACT, 1.2, personal_statements.LASTING),
    (Kind.PREFERENCE, 3.0, cues.PREFERS),
    (Kind.DECISION, 3.0, cues.DECIDES),
    (Kind.DECISION, 1.5, cues.DECIDES_WEAKLY),
    (Kind.OUTCOME, 2.5, cues.TELLS_OUTCOME),
    (Kind.ISSUE, 2.0, cues.TELLS_ISSUE),
    (Kind.NEXT_STEP, 2.0, cues.LOOKS_AHEAD),
    (Kind.FACT, 1.2, cues.TELLS_OF_LIFE),
    (Kind.FACT, 0.5, cues.WANTS),
    (Kind.FACT, 1.0, cues.TELLS),
)
_KIND_OF_LABEL = (
    (phrases("rules?"), Kind.PREFERENCE),
    (phrases("decision / change of plans?"), Kind.DECISION),
    (phrases("reminder"), Kind.NEXT_STEP),
)


class Features(NamedTuple):
    """What a statement holds."""

    content: int
    numbers: int
    dates: int
    identifiers: int
    names: int
    tickets: int  # identifiers that name a piece of work
    is_dated: bool  # its first sentence gives a time
    is_passing: bool  # it says what somebody is working on or worried about at the moment
    changes: bool
    is_hypothetical: bool


class Weighed(NamedTuple):
    """The verdict on a statement."""

    kind: Kind
    priority: int
    place: Place
    score: float
    is_lasting: bool = False  # about the person, and not limited to a day
    stands: float = 0.0  # how surely it was learned to stand; 0 of what was not asked about
    opens: float = 0.0  # and to be still open
    is_learned: bool = False  # its kind and place are the weigher's, not those of its form


def features(text: str) -> Features:
    """Return the features of *text*."""
    dates = list(entities.DATE_WORDS.finditer(text))
    bare = text
    for hit in reversed(dates):  # the digits of a date are not figures
        bare = f"{bare[: hit.start()]} {bare[hit.end() :]}"
    versions = entities.VERSION.findall(bare)
    bare = entities.VERSION.sub(" ", bare) if versions else bare
    words = content_words(text)
    head_chars = len(head_of(text))
    return Features(
        content=len(words),
        numbers=len(entities.NUMBER.findall(bare)),
        dates=sum(1 for hit in dates if not entities.SOFT_DATE.match(hit.group())),
        identifiers=len(entities.identifiers(bare)) + len(versions),
        names=len(entities.NAME.findall(bare)) + bool(entities.NAME_FIRST.match(bare)),
        tickets=sum(map(is_ticket, words)),
        is_dated=any(hit.start() < head_chars for hit in dates),
        is_passing=bool(fillers.PASSING.match(text)),
        changes=bool(cues.CHANGE.search(text) or cues.MOVES.search(text)),
        is_hypothetical=bool(cues.HYPOTHETICAL.search(text)),
    )


def head_of(text: str) -> str:
    """Return the first sentence of *text*."""
    if ". " not in text and "! " not in text and "? " not in text:  # as most are
        return text
    return text[: next((end for _, end in sentence_spans(text)), len(text))].rstrip()


def classify_kind(text: str, label: str = "") -> tuple[Kind, float]:
    """Return the kind of *text*, and the strength of its strongest cue (0 when there is none)."""
    for pattern, kind in _KIND_OF_LABEL:
        if label and pattern.search(label):
            return kind, 4.0
    head = head_of(text)
    best, weight = _strongest(head, 0.0)
    if head != text and not weight:
        return _strongest(text, 0.0)
    if head != text:
        # What follows the first sentence is a detail, unless it is a decision or a preference.
        other, strength = _strongest(text, _STRONG)
        if strength > max(weight, _STRONG - 0.1) and best is not Kind.OUTCOME:
            best, weight = other, strength
    return best, weight


def _strongest(text: str, at_least: float) -> tuple[Kind, float]:
    best, weight = Kind.FACT, 0.0
    for kind, cue_weight, pattern in _KIND_CUES:
        if cue_weight < at_least:
            continue
        hits = len({hit.group() for hit in pattern.finditer(text)})
        strength = cue_weight * (1.0 + 0.3 * (hits - 1)) if hits else 0.0
        if strength > weight:
            best, weight = kind, strength
    return best, weight


@lru_cache(maxsize=1024)
def weigh_by_form(text: str, *, raw: str = "", label: str = "", speaker: Role = Role.USER) -> Weighed:
    """Return the verdict by cue words and form alone, in the form of `weigh`."""
    held = features(text)
    kind, strength = classify_kind(raw or text, label)
    order = None
    if speaker is Role.USER and not text.startswith(ASKED):
        order = personal_statements.order_of(raw or text)
        lasting = _lasting(raw or text, held, kind, strength) or _told(order, raw or text, label, held, kind)
        if lasting is not None:
            return _emphasised(lasting, raw or text)
    if strength < _STRONG and order in (OrderKind.TASK, OrderKind.REMINDER):
        kind, strength = Kind.NEXT_STEP, max(strength, KEEP_AT)
    elif kind is Kind.NEXT_STEP and not is_meant(head_of(text)):
        kind, strength = Kind.FACT, 0.0
    substance = substance_of(held)
    score = substance + strength
    if kind in (Kind.ISSUE, Kind.OUTCOME) and substance <= 0:
        score -= 1.0  # "something broke" names nothing that could be searched for
    if order in (OrderKind.TASK, OrderKind.REMINDER):
        score = max(score, KEEP_AT)  # the answer tells its outcome
    elif substance <= 0 and (kind is Kind.NEXT_STEP or cues.RESOLVES.match(text)):
        score -= 1.5  # "I'll keep going", "let's make it great" name no task
    if fillers.LAUGH.match(raw or text):
        score -= 2.0
    if held.changes:
        score += 1.0
    if entities.WEIGHTY.search(text):
        score += 1.0
    if text.startswith(ASKED):
        # A question asserts nothing: it is kept for the date or number in it.
        kind, score = Kind.FACT, substance - 1.0
        return Weighed(kind, 3 if held.dates + held.numbers > 1 else 2, Place.LOG, score)
    if held.is_hypothetical:
        score -= 6.0
    if speaker is not Role.USER:
        score -= 1.0
    place = _place(kind, held)
    if place is Place.OPEN:
        score += 1.0  # still to be done
    weighed = Weighed(kind, _priority(kind, held, strength, speaker), place, score)
    return _emphasised(weighed, raw or text) if speaker is Role.USER else weighed


def _emphasised(weighed: Weighed, raw: str) -> Weighed:
    """Return *weighed* with the highest priority if *raw* emphasises it that much."""
    if weighed.kind in (Kind.OUTCOME, Kind.DECISION) or not cues.EMPHASIS.search(raw):
        return weighed
    # "It's so important to me" has no content of its own, only what it goes with.
    if weighed.score < 0:
        return weighed
    return weighed._replace(
        priority=VITAL_PRIORITY,
        score=max(weighed.score, _VITAL_SCORE if weighed.is_lasting else _LASTING_SCORE),
    )


def is_meant(head: str) -> bool:
    """Tell whether *head*, a sentence about the future, says that somebody intends to do it."""
    if cues.NOT_MEANT.match(head) or head.startswith(ASKED):
        return False
    return bool(cues.INTENDS.search(head)) or not cues.HAS_BEEN.search(head)


def states_wish(text: str) -> bool:
    """Tell whether *text* states how somebody wants things from now on, which requests no work now."""
    if personal_statements.order_of(text) is OrderKind.STANDING:
        return True
    kind, strength = classify_kind(text)
    return kind is Kind.PREFERENCE and strength >= _STRONG


@lru_cache(maxsize=1024)
def about_self(raw: str) -> int:
    """Return the priority of a lasting fact about the person in *raw*, 0 when there is none."""
    if personal_statements.is_vital(raw):
        return VITAL_PRIORITY
    head = head_of(raw)
    told = personal_statements.LASTING.search(head)
    if told is None and entities.NAME.search(head):
        told = personal_statements.MOVED_TO.search(head)
    # Behind a date it is a side remark of a plan: "the party is on 12 May, I'm 65 then".
    is_beside = told and entities.DATE_WORDS.search(head[: told.start()])
    return _LASTING_PRIORITY if told and not is_beside else 0


def _lasting(raw: str, held: Features, kind: Kind, strength: float) -> Weighed | None:
    """Return *held* as a lasting fact or wish of the person, None when it is neither."""
    priority = about_self(raw)
    is_wish = kind in (Kind.PREFERENCE, Kind.DECISION)
    is_vital = priority == VITAL_PRIORITY
    if not priority or held.is_hypothetical or not (is_vital or is_wish or kind is Kind.FACT):
        return None
    score = max(substance_of(held) + strength, _VITAL_SCORE if is_vital else _LASTING_SCORE)
    if is_wish and strength >= _STRONG:
        priority = max(priority, _priority(kind, held, strength, Role.USER))
    if not is_wish:
        # "I'm deaf in one ear so no voice messages" is a wish, too.
        kind = Kind.PREFERENCE if personal_statements.orders_behind(raw) else Kind.FACT
    return Weighed(kind, priority, Place.STANDING, score, is_lasting=True)


def _told(order: OrderKind | None, raw: str, label: str, held: Features, kind: Kind) -> Weighed | None:
    """Return *held* as a standing order, something to remember or something done; else None."""
    score = max(substance_of(held), 0.0) + _ORDER_SCORE
    if order is OrderKind.STANDING:
        priority = VITAL_PRIORITY if cues.FORBIDS.match(raw) else _LASTING_PRIORITY
        return Weighed(Kind.PREFERENCE, priority, Place.STANDING, score, is_lasting=True)
    if label == personal_statements.REMEMBERED and kind is not Kind.NEXT_STEP:
        is_wish = kind in (Kind.PREFERENCE, Kind.DECISION)
        is_lasting = is_wish or not held.dates
        kind = kind if is_wish else Kind.FACT
        return Weighed(kind, _LASTING_PRIORITY, Place.STANDING, score, is_lasting=is_lasting)
    if order is OrderKind.DONE:
        return Weighed(Kind.OUTCOME, 3, Place.LOG, max(substance_of(held) + 1.0, KEEP_AT))
    return None


def substance_of(held: Features) -> float:
    """Return the part of the score that comes from the content."""
    score = 1.2 * min(held.numbers, 4) + 1.6 * min(held.dates, 3)
    score += 0.4 * min(held.identifiers, 3) + 0.4 * min(held.names, 3)
    if held.content < 3:
        score -= 2.0
    return score


def _place(kind: Kind, held: Features) -> Place:
    match kind:
        case Kind.PREFERENCE | Kind.DECISION:
            return Place.STANDING
        case Kind.FACT:
            return Place.LOG if held.is_dated or held.is_passing else Place.STANDING
        case Kind.NEXT_STEP:
            return Place.OPEN
        case Kind.ISSUE if held.tickets:
            return Place.OPEN
        case _:
            return Place.LOG


def _priority(kind: Kind, held: Features, strength: float, speaker: Role) -> int:
    if speaker is not Role.USER:
        return 3 if kind in (Kind.OUTCOME, Kind.ISSUE, Kind.FACT) and held.numbers + held.identifiers else 2
    hard = held.numbers + held.dates
    if kind in (Kind.PREFERENCE, Kind.DECISION) and strength >= _STRONG:
        return _LASTING_PRIORITY if held.content >= 3 else 3
    if hard and kind is Kind.FACT and not strength:
        return 3  # a bare figure
    if hard or held.names + held.identifiers >= 3:
        return 4
    return 3


IMPORTANT, VITAL = 4, 5
LOOKED_BACK = 6  # earlier lines that are counted when a small window is limited to a third
_ORDINARY = 3
_ONE_IN = 3


def held_to_rank(lines: Sequence[Observation], before: Sequence[int] = ()) -> list[Observation]:
    """Return the *lines* of one window, in order, with their final priorities.

    *before* are the priorities of the lines noted before that window, oldest first.
    """
    order = sorted(range(len(lines)), key=lambda at: (*_rank(lines[at]), at))
    kept = set(order[: _most([line.priority for line in lines], before[-LOOKED_BACK:])])
    kept |= {at for at, line in enumerate(lines) if line.priority == VITAL and line.author is Author.RULES}
    kept |= {at for at, line in enumerate(lines) if FOLLOWED in line.text}  # it has its rank from before
    return [
        line if at in kept or line.priority < IMPORTANT else replace(line, priority=_ORDINARY)
        for at, line in enumerate(lines)
    ]


def _rank(line: Observation) -> tuple[int, bool, float]:
    # A wish still holds when the occasion on which it was said is over.
    return -line.priority, line.kind is not Kind.PREFERENCE, -line.salience


def _most(priorities: Sequence[int], before: Sequence[int]) -> int:
    """Return how many lines of a window with these *priorities* may be important."""
    if len(priorities) >= _ONE_IN:
        return len(priorities) // _ONE_IN
    important = sum(priority >= IMPORTANT for priority in before)
    has_room = not important or (important + 1) * _ONE_IN <= len(before) + len(priorities)
    return int(has_room or VITAL in priorities)
