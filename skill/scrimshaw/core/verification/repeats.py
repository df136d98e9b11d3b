"""What a line says twice where the entries say two things: "employer 5 %, user 5 %" of "5 and 3".

Every literal of such a line stands in the entries; one of them has pushed another out. It is seen by
counting: the line has a literal more often than the entries have it, and lacks the one that stands in the
same sentence there. Names are said again where people say "she", so of them only those count that stand twice
in one sentence of the line. Clauses in, the literal out; core/verification/relations asks what goes with
what.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from scrimshaw.core.text.clauses import Clause, Token, TokenSort
from scrimshaw.core.verification.relations import LIGHT

_COUNTED = (TokenSort.NUMBER, TokenSort.DAY, TokenSort.TIME)
_Key = tuple[TokenSort, str]
_FIGURE = re.compile(r"[a-z]+ (\d+)")
_ITSELF = re.compile(
    r"\b(?P<one>[^\W_][\w.#/@'-]*(?: [\w.#/@'-]+){0,2})[\"”)]*,? \(?"
    r"(?:instead of|rather than|in place of|over|but not|and not"
    r"|not|never|no longer (?:in|on|at|with))(?: the| an?)? [\"“(]*(?P=one)\b",
    re.IGNORECASE,
)


def said_twice(text: str, note: Iterable[Clause], source: Iterable[Clause]) -> str:
    """Return a literal of *note* that stands there for another one of *source* as well."""
    if itself := _ITSELF.search(text):
        return itself["one"]
    note = tuple(note)
    often = Counter(_key(token) for clause in note for token in _telling(clause))
    held = tuple(source)
    for key in _repeated(note):
        places = [clause for clause in held if any(_key(token) == key for token in _telling(clause))]
        if often[key] <= sum(_key(token) == key for clause in places for token in _telling(clause)):
            continue
        near = places if key[0] is TokenSort.WORD else held
        for own in (next(token for token in _telling(clause) if _key(token) == key) for clause in places):
            if any(_is_pushed_out(token, own, often) for clause in near for token in _telling(clause)):
                return key[1]
    return ""


def _telling(clause: Clause) -> Iterator[Token]:
    for token in clause.tokens:
        if token.unit != "self" and token.key not in LIGHT:
            yield token
            if token.sort is TokenSort.NAME and (figure := _FIGURE.fullmatch(token.key)):
                yield token._replace(
                    sort=TokenSort.NUMBER, key=figure[1], unit=""
                )  # "part 40" may be 40 for it


def _key(token: Token) -> _Key:
    return token.sort, token.key


def _repeated(note: tuple[Clause, ...]) -> list[_Key]:
    """Return what *note* has twice; of names what one sentence has twice."""
    whole = Counter(_key(token) for clause in note for token in _telling(clause))
    found = [key for key, count in whole.items() if count > 1 and key[0] in _COUNTED]
    # "Tomorrow at 9:30 (2026-11-17)" explains itself.
    parts = {(_key(token), at, token.part) for at, clause in enumerate(note) for token in _telling(clause)}
    often = Counter(key for key, _, _ in parts)
    found = [key for key in found if key[0] not in (TokenSort.DAY, TokenSort.TIME) or often[key] > 1]
    for clause in note:
        names = Counter(_key(token) for token in _telling(clause) if token.sort is TokenSort.NAME)
        found += [key for key, count in names.items() if count > 1]
        found += _words_repeated(clause)
    told = (token for clause in note for token in clause.tokens[1:] if token.sort is TokenSort.NAME)
    names = Counter(_key(token) for token in told if token.unit != "self")
    return found + [key for key, count in names.items() if count > 1]


def _words_repeated(clause: Clause) -> list[_Key]:
    """Return the words said of two names alike: not "300 seats, 45 seats" nor "exports, no exports"."""
    named = {token.part for token in clause.tokens if token.sort is TokenSort.NAME and token.unit != "self"}
    places: dict[_Key, list[int]] = {}
    for at, token in enumerate(clause.tokens):
        if token.sort is TokenSort.WORD:
            places.setdefault(_key(token), []).append(at)
    beside = [
        any(other.sort is TokenSort.NUMBER for other in clause.tokens[max(0, at - 1) : at + 2])
        for at in range(len(clause.tokens))
    ]
    return [
        key
        for key, found in places.items()
        if len(found) > 1
        and not any(beside[at] for at in found)
        and len({clause.tokens[at].part in clause.denied for at in found}) == 1
        and len({clause.tokens[at].part for at in found} & named) > 1
    ]


def _is_pushed_out(token: Token, own: Token, often: Counter[_Key]) -> bool:
    """Whether *token* could have stood where *own* is said again, and stands nowhere in the line."""
    if token.sort is not own.sort or token.key == own.key or often[_key(token)]:
        return False
    if own.sort is TokenSort.WORD:
        return token.part != own.part
    return token.unit == own.unit or (own.sort is TokenSort.NUMBER and not (token.unit and own.unit))
