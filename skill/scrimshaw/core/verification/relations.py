"""What goes with what: whose figure it is, which day, who is said to do it.

A literal of a line may stand in the entries and yet belong to another there: "Dana pays 42, Rhys pays
24" holds every literal of "Rhys pays 42". So the words around a literal are compared: those beside it
in the entries, and those beside each literal of its sort that could have been meant. When the line's
words go with another one and none with its own, the line is mixed up. Where a sentence ties words to no
literal of them in particular, nothing is seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from scrimshaw.core.text.clauses import Clause, Token, TokenSort
from scrimshaw.core.text.stems import stem_of

_LIGHT_TEXT = """
want wants need needs get gets got have has make made take takes took go goes went give use uses used do
is are was will say said tell told ask asked decide decided prefer prefers like set put now new note noted
per each about only also same other please thing way lot bit today currently still already later up run
runs pay pays stay cost costs between among during above below under over least most max min maximum
minimum roughly around approximately until since till every another instead total now next last first
second half both
"""
LIGHT = frozenset(map(stem_of, _LIGHT_TEXT.split()))
_LIGHT_WEIGHT, _LITERAL_WEIGHT = 0.25, 1.5
_AGAINST_AT_LEAST = 1.0
_BOUND = (TokenSort.NUMBER, TokenSort.DAY, TokenSort.TIME, TokenSort.NAME)


class Held(NamedTuple):
    """A literal where it stands: what it is, and what stands beside it."""

    token: Token
    beside: dict[str, float]  # what stands in its part of the sentence, each with its weight
    lead: dict[str, float]  # what the sentence begins with before the first of its sort
    around: frozenset[str]  # its neighbours of the same sort in the same part
    clause: int  # which sentence of them all
    whole: frozenset[str]  # all that stands in the sentence
    speaker: str
    is_denied: bool  # its part of the sentence says no, and another part does not


def held_in(
    lines: Iterable[Clause], names: frozenset[str] = frozenset(), *, like: list[Held] | None = None
) -> list[Held]:
    """Return every literal of *lines* with what stands beside it; *names* are names anywhere.

    Of the sorts of *like* only, where that is given: nothing else is held against them.
    """
    sorts = _BOUND if like is None else [s for s in _BOUND if any(one.token.sort is s for one in like)]
    found: list[Held] = []
    for number, line in enumerate(lines):
        tokens = [_as_name(token, names) for token in line.tokens]
        for sort in sorts:
            found.extend(_of_sort([t for t in tokens if t.sort is sort], tokens, number, line))
    return found


def _as_name(token: Token, names: frozenset[str]) -> Token:
    return (
        token._replace(sort=TokenSort.NAME) if token.sort is TokenSort.WORD and token.key in names else token
    )


def _of_sort(same: list[Token], tokens: list[Token], number: int, line: Clause) -> Iterator[Held]:
    """Yield *same*, the literals of one sort in a sentence, each with the words of its own part of it."""
    parts = {token.part for token in same}
    whole = frozenset(token.key for token in tokens)
    is_alone = len(parts) == 1
    first = min(parts, default=0)
    lead = _weights([other for other in tokens if other.part < first and not is_alone])
    lead = {key: weight if weight > 1 else weight / 2 for key, weight in lead.items()}
    for token in same:
        beside = _weights([o for o in tokens if (is_alone or o.part == token.part) and o.key != token.key])
        around = frozenset(o.key for o in same if o.part == token.part and o.key != token.key)
        if token.sort is not TokenSort.NAME:
            beside = {key: weight for key, weight in beside.items() if key not in around}
        is_denied = token.part in line.denied and len(parts) > 1
        yield Held(token, beside, lead, around, number, whole, line.speaker, is_denied)


def _weights(tokens: list[Token]) -> dict[str, float]:
    return {token.key: _weight(token) for token in tokens}


def _weight(token: Token) -> float:
    if token.sort is TokenSort.WORD:
        return _LIGHT_WEIGHT if token.key in LIGHT else 1.0
    if token.unit == "self":
        return _LIGHT_WEIGHT
    return _LITERAL_WEIGHT


def mixed_up(note: list[Held], source: list[Held]) -> tuple[Held, Held] | None:
    """Return a literal of *note* whose words go with another one in *source*, and that other one."""
    for mine in note:
        own = [held for held in source if _is_same(held.token, mine.token)]
        if not own:
            continue
        rivals: dict[str, list[Held]] = {}
        for held in source:
            if any(_is_rival(held, mine, one) for one in own):
                rivals.setdefault(held.token.key, []).append(held)
        for key, others in rivals.items():
            if not all(any(_is_better(mine, other, one) for other in others) for one in own):
                continue
            # What the line names as well has its own place there: then both have to be out of place.
            named = [held for held in note if held.token.sort is mine.token.sort and held.token.key == key]
            if not named or any(
                _is_better(held, one, other) for held in named for one in own for other in others
            ):
                return mine, others[0]
    return None


def _is_same(one: Token, other: Token) -> bool:
    return one.sort is other.sort and one.key == other.key


def _is_rival(held: Held, mine: Held, own: Held) -> bool:
    token, wanted = held.token, mine.token
    if token.sort is not wanted.sort or token.key == wanted.key or token.key in mine.around:
        return False
    if held.clause == own.clause and (held.is_denied or (own.is_denied and len(own.beside) <= 1)):
        return False  # "not in A any more, use B"; "A has it, B doesn't"
    if "self" in (token.unit, wanted.unit):
        is_near = held.clause == own.clause
        return is_near and wanted.is_first and token.unit in ("", "self") and own.token.unit in ("", "self")
    return token.unit == own.token.unit or (not own.token.unit and token.unit == wanted.unit)


def _is_elliptic(own: Held, other: Held) -> bool:
    """Whether a later figure leaves out what the one before it counts."""
    is_after = own.token.part > other.token.part
    return own.token.sort is TokenSort.NUMBER and is_after and not own.token.unit and bool(other.token.unit)


def _is_better(mine: Held, other: Held, own: Held) -> bool:
    """Whether the line's words stand beside *other* in the entries and none of them beside *own*."""
    if other.clause == own.clause:
        if sum(own.beside.values()) <= _LIGHT_WEIGHT:
            return False  # "hire 6 instead of eleven": what is said of the one is said of the other
        words, here, there = mine.beside or mine.lead, own.beside, other.beside
    else:
        is_reply = own.speaker == "user" or own.clause > other.clause
        if is_reply and own.speaker != other.speaker:
            return False  # "At least five?" "Ten": a reply speaks of what was said before it
        if _joins(mine, other, own):
            return False
        words, here, there = ({**one.lead, **one.beside} for one in (mine, own, other))
    told = [weight for key, weight in words.items() if key in there and key not in here]
    if sum(weight for key, weight in words.items() if key in here and key not in there) > _LIGHT_WEIGHT:
        return False
    if other.clause == own.clause and _is_elliptic(own, other) and len(told) == 1:
        return False  # "78 % hydration is too much, back to 72"
    return sum(told) >= _AGAINST_AT_LEAST


def _joins(mine: Held, other: Held, own: Held) -> bool:
    """Whether the line joins what stands in two sentences."""
    only_own = own.whole - other.whole
    return sum(weight for key, weight in mine.beside.items() if key in only_own) > _LIGHT_WEIGHT
