"""What goes with what: whose figure it is, which day, which of two opposites, who is said to do it.

A literal of a line may stand in the entries and yet belong to another there: "Dana pays 42, Rhys pays
24" holds every literal of "Rhys pays 42". So the words around a literal are compared: those beside it
in the entries, and those beside each literal of its sort that could have been meant. When the line's
words go with another one and none with its own, the line is mixed up. Where a sentence ties words to no
literal of them in particular, nothing is seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from scrimshaw.core.gate.opposites import TWO_ENDED
from scrimshaw.core.gate.tokens import Clause, Says, Sort, Token
from scrimshaw.core.wording import stem_of

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
_TIMES_MORE = 1.5
_MORE_DIGITS = 2
_SHORT_DENIAL = 2  # tokens
_BOUND = (Sort.NUMBER, Sort.DAY, Sort.TIME, Sort.NAME)


class Held(NamedTuple):
    """A literal where it stands: what it is, and what stands beside it."""

    token: Token
    beside: dict[str, float]  # what stands in its part of the sentence, each with its weight
    near: dict[str, float]  # the same, whether or not the rest of the sentence is its own too
    lead: dict[str, float]  # what the sentence begins with before the first of its sort
    around: frozenset[str]  # its neighbours of the same sort in the same part
    clause: int  # which sentence of them all
    whole: frozenset[str]  # all that stands in the sentence
    subject: str  # the first name of its part
    before: dict[str, float]  # of the sentence before, where a pronoun speaks of it
    is_denied: bool  # its part of the sentence says no, and another part does not


def held_in(
    lines: Iterable[Clause], names: frozenset[str] = frozenset(), *, like: list[Held] | None = None
) -> list[Held]:
    """Return every literal and matter of *lines* with what stands beside it; *names* are names anywhere.

    Of the sorts and matters of *like* only, where that is given: nothing else is held against them.
    """
    sorts = _BOUND if like is None else [s for s in _BOUND if any(one.token.sort is s for one in like)]
    wanted = {one.token.unit for one in like or () if one.token.sort is Sort.MATTER}
    found: list[Held] = []
    before: dict[str, float] = {}
    for number, line in enumerate(lines):
        tokens = [_as_name(token, names) for token in line.tokens]
        here: list[Held] = []
        for sort in sorts:
            here.extend(_of_sort([t for t in tokens if t.sort is sort], tokens, number, line.denied))
        for matter in dict.fromkeys(token.unit for token in line.matters):
            if like is None or matter in wanted:
                same = [token for token in line.matters if token.unit == matter]
                here.extend(_of_sort(same, tokens, number, frozenset()))
        if line.has_pronoun and before:
            here = [one._replace(before={**before, **one.before}) for one in here]
        found.extend(here)
        before = {key: weight / 2 for key, weight in _weights(tokens).items()}
    return found


def _as_name(token: Token, names: frozenset[str]) -> Token:
    return token._replace(sort=Sort.NAME) if token.sort is Sort.WORD and token.key in names else token


def _of_sort(same: list[Token], tokens: list[Token], number: int, denied: frozenset[int]) -> Iterator[Held]:
    """Yield *same*, the literals of one sort in a sentence, each with the words of its own part of it."""
    parts = {token.part for token in same}
    whole = frozenset(token.key for token in tokens)
    is_alone = len(parts) == 1
    first = min(parts, default=0)
    lead = _weights([other for other in tokens if other.part < first and not is_alone])
    lead = {key: weight if weight > 1 else weight / 2 for key, weight in lead.items()}
    subjects = {o.part: o.key for o in reversed(tokens) if o.sort is Sort.NAME}
    for token in same:
        mine = [o for o in tokens if (is_alone or o.part == token.part) and o.key != token.key]
        near = _weights([o for o in tokens if o.part == token.part and o.key != token.key])
        around = frozenset(o.key for o in same if o.part == token.part and o.key != token.key)
        beside = _weights(mine)
        carried = {} if token.part == first else _subject_of(tokens, same[0])
        if carried and subjects.get(token.part):  # of what has a name of its own only the common words
            named = {o.key for o in tokens if o.sort is not Sort.WORD}
            carried = {key: weight for key, weight in carried.items() if key not in named}
        if token.sort is not Sort.NAME:
            beside = {key: weight for key, weight in beside.items() if key not in around}
        is_denied = token.part in denied and len(parts) > 1
        yield Held(
            token, beside, near, lead, around, number, whole, subjects.get(token.part, ""), carried, is_denied
        )


def _subject_of(tokens: list[Token], first: Token) -> dict[str, float]:
    """Return what a sentence begins with: its later parts without a name of their own speak of it."""
    at = next((at for at, token in enumerate(tokens) if token.key == first.key), len(tokens))
    if first.sort is Sort.MATTER:
        at = next((at for at, token in enumerate(tokens) if token.part > first.part), len(tokens))
        return _weights([token for token in tokens[:at] if token.sort is Sort.NAME])
    return _weights(tokens[:at])


def _weights(tokens: list[Token]) -> dict[str, float]:
    return {token.key: _weight(token) for token in tokens}


def _weight(token: Token) -> float:
    if token.sort is Sort.WORD:
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
        rivals: dict[tuple[str, int], list[Held]] = {}
        for held in source:
            if any(_is_rival(held, mine, one) for one in own):
                rivals.setdefault(_key(held.token), []).append(held)
        for key, others in rivals.items():
            if not all(any(_is_better(mine, other, one) for other in others) for one in own):
                continue
            # What the line names as well has its own place there: then both have to be out of place.
            named = [held for held in note if held.token.sort is mine.token.sort and _key(held.token) == key]
            if not named or any(
                _is_better(held, one, other) for held in named for one in own for other in others
            ):
                return mine, others[0]
    return None


def turned(note: list[Held], source: list[Held]) -> tuple[Held, Held] | None:
    """Return a word of *note* whose opposite is what *source* says of the same thing."""
    matters = [held for held in note if held.token.sort is Sort.MATTER]
    stated = [held for held in source if held.token.sort is Sort.MATTER]
    for mine in matters:
        readings = [
            held for held in matters if held.token.key == mine.token.key and held.clause == mine.clause
        ]
        if any(_is_same(held.token, one.token) for held in readings for one in stated):
            continue
        for held in stated:
            is_turned = held.token.unit == mine.token.unit and held.token.side == -mine.token.side
            is_turned &= held.token.key != mine.token.key  # else see `denied_otherwise`
            if (
                is_turned
                and not _is_of_another(mine, held)
                and _is_shared(mine, held)
                and _is_one_end(mine, held)
            ):
                return mine, held
    return None


def denied_otherwise(note: Iterable[Clause], source: Iterable[Clause]) -> str:
    """Return a word that *note* denies and *source* never does, or the other way round."""
    said: dict[str, set[Says]] = {}
    places: dict[str, set[tuple[int, int]]] = {}
    reach: dict[str, set[tuple[int, int]]] = {}
    for number, clause in enumerate(source):
        sizes = Counter(token.part for token in clause.tokens)
        for token in clause.tokens:
            said.setdefault(token.key, set()).add(token.says)
            # "Only after Dana approves, and never on Fridays": a short denial is said of the whole sentence.
            short = token.says is Says.DENIED and sizes[token.part] <= _SHORT_DENIAL
            parts = sizes if short else (token.part,)
            reach.setdefault(token.key, set()).update((number, part) for part in parts)
            places.setdefault(token.key, set()).add((number, token.part))
    note = tuple(note)
    says_no = any(token.says is not Says.PLAIN for clause in note for token in clause.tokens)
    for clause in note:
        telling = [t for t in clause.tokens if t.key in said and t.key not in LIGHT and t.unit != "self"]
        for token in telling:
            near = [other for other in telling if other.part == token.part]
            if token.says is Says.PLAIN and says_no:
                continue  # the line may deny it in other words
            # What the line says of another matter of the source is not what the source denies.
            at = reach if token.says is Says.PLAIN else places
            if _is_turned(token, said[token.key]) and not any(
                at[other.key].isdisjoint(at[token.key]) for other in near
            ):
                return token.key
        if found := _denied_at_once(telling, said, places):
            return found
    return ""


def _denied_at_once(
    telling: list[Token], said: dict[str, set[Says]], places: dict[str, set[tuple[int, int]]]
) -> str:
    """Return a word of several that the line denies together and one part of the source states together."""
    denied = [token for token in telling if token.says is Says.DENIED]
    if len({token.key for token in denied}) < 2 or any(said[token.key] != {Says.PLAIN} for token in denied):
        return ""
    clauses = [{number for number, _ in places[token.key]} for token in denied]
    return denied[0].key if set.intersection(*clauses) else ""


def _is_turned(token: Token, said: set[Says]) -> bool:
    match token.says:
        case Says.PLAIN:
            return said <= {Says.DENIED, Says.ENDED}
        case Says.DENIED:
            return said == {Says.PLAIN} and token.sort is not Sort.NUMBER
        case _:
            return False


def _is_of_another(mine: Held, held: Held) -> bool:
    """Whether the sentence says it of one thing and names the line's beside: "A has it, B doesn't"."""
    return bool(mine.subject and held.subject) and mine.subject != held.subject and mine.subject in held.whole


def _is_shared(mine: Held, held: Held) -> bool:
    beside = {**held.before, **held.lead, **held.near}
    beside = beside or held.beside
    words = mine.near or mine.beside
    return sum(w for key, w in words.items() if key in beside) >= _AGAINST_AT_LEAST


def _is_one_end(mine: Held, held: Held) -> bool:
    """Whether an act with two ends (one sells, one buys) is told from the same end."""
    return mine.token.unit not in TWO_ENDED or (mine.subject or "user") == (held.subject or "user")


def _key(token: Token) -> tuple[str, int]:
    return token.unit if token.sort is Sort.MATTER else token.key, token.side


def _is_same(one: Token, other: Token) -> bool:
    return one.sort is other.sort and _key(one) == _key(other)


def _is_rival(held: Held, mine: Held, own: Held) -> bool:
    token, wanted = held.token, mine.token
    if token.sort is not wanted.sort or token.key in mine.around:
        return False
    if held.is_denied and held.clause == own.clause:
        return False  # "not in A any more, use B"
    if own.is_denied and held.clause == own.clause and len(own.beside) <= 1:
        return False  # "A has it, B doesn't"
    if wanted.sort is Sort.MATTER:
        if token.key == wanted.key or not _is_one_end(mine, held):
            return False  # the same word denied is `denied_otherwise`'s
        return token.unit == wanted.unit and token.side == -wanted.side
    if token.key == wanted.key:
        return False
    if token.sort is Sort.NUMBER and abs(len(token.key) - len(wanted.key)) > _MORE_DIGITS:
        return False  # "three deadlocks of process 20877"
    if "self" in (token.unit, wanted.unit):
        is_near = held.clause == own.clause
        return is_near and wanted.is_first and token.unit in ("", "self") and own.token.unit in ("", "self")
    return token.unit == own.token.unit or (not own.token.unit and token.unit == wanted.unit)


def _is_elliptic(own: Held, other: Held) -> bool:
    """Whether a later figure leaves out what the one before it counts."""
    is_after = own.token.part > other.token.part
    return own.token.sort is Sort.NUMBER and is_after and not own.token.unit and bool(other.token.unit)


def _is_better(mine: Held, other: Held, own: Held) -> bool:
    """Whether the line's words stand beside *other* in the entries and not beside *own*."""
    is_one_sentence = other.clause == own.clause
    words = mine.beside if is_one_sentence and mine.beside else {**mine.lead, **mine.beside}
    here = own.beside if is_one_sentence else {**own.lead, **own.beside}
    here = {**own.before, **here}
    there = other.beside if is_one_sentence else {**other.lead, **other.beside}
    if is_one_sentence and not own.beside:
        return False
    at_least = _AGAINST_AT_LEAST
    if not is_one_sentence:
        joined = {key: weight for key, weight in mine.beside.items() if key in own.whole}
        if sum(weight for key, weight in joined.items() if key not in other.whole) > _LIGHT_WEIGHT:
            return False  # the line joins what stands in two sentences
        if sum(joined.values()) > _LIGHT_WEIGHT:
            at_least = _LITERAL_WEIGHT
    against = sum(w for key, w in words.items() if key in there and key not in here)
    if against < at_least:
        return False
    held = [w for key, w in words.items() if key in here and key not in there]
    told = [w for key, w in words.items() if key in there and key not in here]
    if is_one_sentence and _is_elliptic(own, other) and len(told) == 1 and told[0] < _LITERAL_WEIGHT:
        return False  # "78 % hydration is too much, back to 72"
    if max(held, default=0) >= _LITERAL_WEIGHT > max(told):
        return False  # "210 a night with breakfast, the Gracery 165": a name tells more than common words
    support = sum(held)
    return against >= _TIMES_MORE * support
