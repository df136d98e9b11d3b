"""The words of a sentence as they are compared: figures, days, times, names and other words.

Values only; core/text/clauses reads them from a text.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import NamedTuple


class Sort(Enum):
    """What a token is."""

    WORD = auto()
    NUMBER = auto()
    DAY = auto()
    TIME = auto()
    NAME = auto()


class Token(NamedTuple):
    """A token: what is compared, and the part of its sentence it stands in. A number has what it measures."""

    sort: Sort
    key: str
    part: int
    unit: str = ""  # what a number measures, the shape of an identifier
    is_first: bool = False  # of its part


class Clause(NamedTuple):
    """A sentence, or what a semicolon sets apart."""

    tokens: tuple[Token, ...]
    denied: frozenset[int]  # the parts that say no
    speaker: str


Placed = tuple[int, int, Token]
Part = Callable[[int], int]
