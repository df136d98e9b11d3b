"""The words of a sentence as they are compared: figures, days, times, names, matters and other words.

Values only; core/gate/clauses reads them from a text, core/gate/denied marks what is denied.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import NamedTuple


class Sort(Enum):
    """What a token is; MATTER is a word that has an opposite."""

    WORD = auto()
    NUMBER = auto()
    DAY = auto()
    TIME = auto()
    NAME = auto()
    MATTER = auto()


class Says(Enum):
    """How a sentence puts a word: as it is, denied, or in a way that may be either."""

    PLAIN = auto()
    DENIED = auto()
    ENDED = auto()  # "no longer", "rather than": denied of now, and true of before or of another's wish
    UNCLEAR = auto()


class Token(NamedTuple):
    """A token: what is compared, and the part of its sentence it stands in. A number has what it measures."""

    sort: Sort
    key: str
    part: int
    unit: str = ""  # what a number measures, the shape of an identifier, the number of a matter
    side: int = 0  # of a matter
    is_first: bool = False  # of its part
    says: Says = Says.PLAIN


class Clause(NamedTuple):
    """A sentence, or what a semicolon sets apart; *matters* are those of its words that have an opposite."""

    tokens: tuple[Token, ...]
    matters: tuple[Token, ...]
    has_pronoun: bool
    denied: frozenset[int]  # the parts that say no


Placed = tuple[int, int, Token]
Part = Callable[[int], int]
