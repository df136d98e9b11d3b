"""Two things told with what is said of them exchanged: "A opens at 8, B at 9" told as "A at 9, B at 8".

Every word of such a line stands in the entries, and each beside words that stand there too. So two pieces
of the line are held against the pieces of the entries at once: in the line A goes with a and B with b,
in the entries A with b and B with a. A piece that is only worded otherwise has no such second half. Clauses
in, the words out; core/verification/relations asks of one literal alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import combinations, permutations
from typing import NamedTuple

from scrimshaw.core.text.clauses import Clause, TokenSort
from scrimshaw.core.text.stems import stem_of
from scrimshaw.core.verification.relations import LIGHT

_NO = "not"
_EMPTY_TEXT = "does did is be one this doesn didn isn wasn don aren won hasn haven no not never none"
_EMPTY = LIGHT | frozenset(map(stem_of, _EMPTY_TEXT.split()))
_SELVES = frozenset({"user", "assistant"})
_LABELLED = re.compile(r"[a-z]+ (\d+)")
_MOST_APART = 1  # sentences
_HALF = 2  # what a thing and what is said of it are at least


class _Piece(NamedTuple):
    """A part of a sentence: its words in order, the same with its denial, and whether it denies."""

    sentence: int
    words: tuple[str, ...]
    keys: frozenset[str]
    is_denied: bool


def crossed(note: Iterable[Clause], source: Iterable[Clause]) -> tuple[str, str] | None:
    """Return two words of *note* that have changed places there."""
    mine, said = list(_pieces(note)), list(_pieces(source))
    return _exchanged(mine, said) or _led_otherwise(mine, said) or _denied_instead(mine, said)


def _pieces(clauses: Iterable[Clause]) -> Iterator[_Piece]:
    for number, clause in enumerate(clauses):
        words: dict[int, list[str]] = {part: [] for part in clause.denied}
        for token in clause.tokens:
            here = words.setdefault(token.part, [])
            if token.key not in _EMPTY:
                here.append(token.key)
                if token.sort is TokenSort.NAME and (figure := _LABELLED.fullmatch(token.key)):
                    here.append(figure[1])
        for part in sorted(words):
            is_denied = part in clause.denied
            keys = frozenset(words[part]) | ({_NO} if is_denied else frozenset())
            yield _Piece(number, tuple(words[part]), keys, is_denied)


def _exchanged(mine: list[_Piece], said: list[_Piece]) -> tuple[str, str] | None:
    """Find two pieces of the line each of which joins one half of each of two pieces of the entries."""
    for one, other in combinations(mine, 2):
        a, b = one.keys - other.keys, other.keys - one.keys
        if min(len(a), len(b)) < _HALF:
            continue
        mixed = [piece for piece in said if piece.keys & a and piece.keys & b]
        for here, there in permutations(mixed, 2):
            if abs(here.sentence - there.sentence) > _MOST_APART:
                continue
            left, right = here.keys - there.keys, there.keys - here.keys
            halves = [a & left, b & left, a & right, b & right]
            if all(halves) and not any(half <= _SELVES for half in halves):
                return min(a & left), min(b & left)
    return None


def _led_otherwise(mine: list[_Piece], said: list[_Piece]) -> tuple[str, str] | None:
    """Find two pieces of the line whose words each follow the other's first word in the entries."""
    for one, other in permutations([piece for piece in mine if len(piece.words) >= _HALF], 2):
        x, y = one.words[0], other.words[0]
        if x in other.keys or y in one.keys:
            continue
        leads = _leads(said, (x, y))
        a = [key for key in one.words[1:] if key not in other.keys]
        b = [key for key in other.words[1:] if key not in one.keys]
        if any(x in leads.get(key, ()) for key in a) or any(y in leads.get(key, ()) for key in b):
            continue
        turned = next((key for key in a if leads.get(key) == {y}), "")
        if turned and any(leads.get(key) == {x} for key in b):
            return x, turned
    return None


def _leads(said: list[_Piece], names: tuple[str, str]) -> dict[str, set[str]]:
    """Return which of *names* was the last before each word in its sentence."""
    leads: dict[str, set[str]] = {}
    last, sentence = "", -1
    for piece in said:
        if piece.sentence != sentence:
            last, sentence = "", piece.sentence
        for word in piece.words:
            if word in names:
                last = word
            elif last:
                leads.setdefault(word, set()).add(last)
    return leads


def _denied_instead(mine: list[_Piece], said: list[_Piece]) -> tuple[str, str] | None:
    """Find what the line states and the entries deny, beside what it denies and they state."""
    for at, one in enumerate(mine):
        for other in mine[max(0, at - 1) : at + 2]:
            if one.is_denied or not other.is_denied or one.sentence != other.sentence:
                continue
            for x in one.keys - other.keys:
                places = [piece for piece in said if x in piece.keys]
                if not places or not all(piece.is_denied for piece in places):
                    continue
                near = {piece.sentence for piece in places}
                for y in other.keys - one.keys - {_NO}:
                    held = [piece for piece in said if y in piece.keys]
                    if any(piece.is_denied or x in piece.keys for piece in held):
                        continue
                    if any(piece.sentence in near for piece in held):
                        return x, y
    return None
