"""Whether a note tells a sentence again word for word, but for one word that its opposite stands for.

Sentence is held against sentence: so it does not matter that the opposite is said of another thing elsewhere.
In doubt, where something near is denied on one side only, nothing is seen: "not late" may be "early". Texts
in, words out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from scrimshaw.core.ledger.known_lines import WORDS_KEPT
from scrimshaw.core.text.stems import stem_of
from scrimshaw.core.verification.negation import Told, told
from scrimshaw.core.verification.pieces import sides_in

_PREFIXES = ("un", "dis", "in", "im", "ir", "il", "non", "mis", "de")
_LEAST_AROUND, _LEAST_CHARS = 3, 10
_NEAR = 2  # words
_LEAST_ROOT = 4  # letters
_SMALL_TEXT = "on/off up/down before/after over/under more/less more/fewer if/unless for/against in/out"
_SMALL = frozenset(frozenset(pair.split("/")) for pair in _SMALL_TEXT.split(" "))


class _Place(NamedTuple):
    """Where a word of the note stands for a word of an entry: their numbers, and what is equal around."""

    mine: Told
    at: int
    other: Told
    to: int
    left: int  # words
    right: int


def opposite_put(note: str, sources: Iterable[str]) -> tuple[str, str] | None:
    """Return the word of *note* that stands in place of its opposite, and that one; None: none does."""
    said = [one for text in sources for one in told(text) if not one.is_question]
    for mine in told(note):
        for other in said:
            for place in _places(mine, other):
                one, its = mine.said[place.at], other.said[place.to]
                if one in other.said or not _are_opposite(one, its) or _is_denied(place):
                    continue
                if not any(_stands(place, sentence) for sentence in said):
                    return one, its
    return None


def _places(mine: Told, other: Told) -> Iterator[_Place]:
    if not mine.may_be_retold(other):
        return
    found = SequenceMatcher(None, mine.words, other.words, autojunk=False).get_opcodes()
    for number, (kind, at, end, to, its_end) in enumerate(found):
        if kind != "replace" or end - at != 1 or its_end - to != 1:
            continue
        left = found[number - 1][2] - found[number - 1][1] if number else 0
        right = found[number + 1][2] - found[number + 1][1] if number + 1 < len(found) else 0
        around = mine.words[at - left : at] + mine.words[end : end + right]
        if len(around) >= _LEAST_AROUND and len("".join(around)) >= _LEAST_CHARS:
            yield _Place(mine, at, other, to, left, right)


@lru_cache(maxsize=WORDS_KEPT)
def _are_opposite(one: str, other: str) -> bool:
    if frozenset((one, other)) in _SMALL:
        return True
    short, long = sorted((stem_of(one).removesuffix("e"), stem_of(other).removesuffix("e")), key=len)
    if len(short) >= _LEAST_ROOT and any(long == prefix + short for prefix in _PREFIXES):
        return True
    its = {(side.matter, side.side) for side in sides_in(other)}
    return any((side.matter, -side.side) in its for side in sides_in(one))


def _is_denied(place: _Place) -> bool:
    """Whether something near is denied on one side only."""
    own = place.mine.denied[max(0, place.at - _NEAR) : place.at + _NEAR + 1]
    return sum(own) != sum(place.other.denied[max(0, place.to - _NEAR) : place.to + _NEAR + 1])


def _stands(place: _Place, other: Told) -> bool:
    """Whether *other* has the note's word, with the words right beside it, as the note has it."""
    begin = place.at - min(place.left, _NEAR)
    words = place.mine.words[begin : place.at + min(place.right, _NEAR) + 1]
    return any(other.words[at : at + len(words)] == words for at in range(len(other.words) - len(words) + 1))
