"""Decide whether one line says all that another one says, so that the other can be removed without loss.

The test is formal, and strict because a wrong merge loses a statement while a missed one only costs room:
every word of the line to be removed except fillers, and every figure, name, path and quotation, must stand in
one sentence of the line that stays, in the same order; and the additional words of that sentence must not
negate, doubt, ask, report or restrict. Knows texts only: who said them, when, and their place are compared by
`rules`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from scrimshaw import data
from scrimshaw.core.ledger.known_lines import WORDS_KEPT, stem
from scrimshaw.core.text.normalize import marks, normal
from scrimshaw.core.verification.polarity import contradiction, stances

_LEAD, _TRAIL = "*:;,!?'\"([{`‘’“”«»…–—", "*.:;,!?'\")]}`‘’“”«»…–—"
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=\W?[A-Z])|\s+→\s+|;\s+")
_FIRST_PERSON = frozenset(data.words("compare", "first_person"))
_FILLERS = _FIRST_PERSON | frozenset(data.words("compare", "fillers"))
_TURNING = frozenset(map(stem, data.words("compare", "turning")))
_MOST_SENTENCES = 12  # of a person's own text; a machine's line is no longer than 300 units


class _Token(NamedTuple):
    key: str  # what is compared
    is_filler: bool
    is_telling: bool  # a figure, an identifier or a capitalised word: it distinguishes things
    is_self: bool  # a word by which the person speaks of themself ("I", "my")


class ComparableText(NamedTuple):
    """A text made ready for comparing."""

    lower: str
    sentences: tuple[tuple[_Token, ...], ...]
    words: frozenset[str]  # of all sentences, without fillers
    text: str


def comparable(text: str) -> ComparableText:
    """Return *text* ready for comparing."""
    sentences = tuple(filter(None, map(_tokens, _SENTENCE_END.split(text, maxsplit=_MOST_SENTENCES))))
    words = frozenset(token.key for sentence in sentences for token in sentence if not token.is_filler)
    return ComparableText(normal(text), sentences, words, text)


def is_held(less: ComparableText, more: ComparableText) -> bool:
    """Tell whether *more* says all that *less* says, with at most a fifth more words; see `adds`."""
    return 5 * adds(less, more) <= len(less.words) if is_told_by(less, more) else False


def adds(less: ComparableText, more: ComparableText) -> int:
    """Return how many words *more* says beyond *less*."""
    return len(more.words - less.words)


def is_told_by(less: ComparableText, more: ComparableText) -> bool:
    """Tell whether one sentence of *more* holds each sentence of *less* and does not reverse it."""
    if not less.words or not less.words <= more.words or _denials(less) != _denials(more):
        return False
    if not all(any(_tells(whole, part) for whole in more.sentences) for part in less.sentences):
        return False
    return not contradiction(stances(less.lower), stances(more.lower))


def _denials(one: ComparableText) -> str:
    return marks(one.text, one.lower)[-1]


def _tells(whole: tuple[_Token, ...], part: tuple[_Token, ...]) -> bool:
    """Tell whether the words of *part* stand in *whole* in order, starting where a statement may start."""
    wanted = [token.key for token in part if not token.is_filler]
    if not wanted:
        return True
    speaks = part[0].is_self
    return any(
        _may_begin(whole, start, speaks=speaks) and _is_found(whole, start, wanted)
        for start, token in enumerate(whole)
        if token.key == wanted[0]
    )


def _may_begin(whole: tuple[_Token, ...], start: int, *, speaks: bool) -> bool:
    """Tell whether a statement may start at *start*: at the sentence's start, or at the person's "I".

    "Dana uses tabs" does not say "uses tabs": the words before may be the subject.
    """
    before = start
    while before and whole[before - 1].is_filler:
        before -= 1
    return before == 0 or (speaks and any(token.is_self for token in whole[before:start]))


def _is_found(whole: tuple[_Token, ...], start: int, wanted: list[str]) -> bool:
    between, at = [], start
    for key in wanted:
        while at < len(whole) and whole[at].key != key:
            between.append(whole[at])
            at += 1
        if at == len(whole):
            return False
        at += 1
    between = [token for token in between if not token.is_filler]
    beyond = [token for token in (*whole[:start], *between, *whole[at:]) if not token.is_filler]
    return (
        3 * len(between) <= len(wanted)
        and not any(token.is_telling for token in between)
        and not any(token.key in _TURNING for token in beyond)
    )


def _tokens(sentence: str) -> tuple[_Token, ...]:
    plain = sentence.replace("’", "'").replace("‘", "'")
    is_question = plain.rstrip("\"') ").endswith("?")
    found = [_token(word) for word in _bare(plain)]
    # A question does not assert what it asks, so its question mark is compared like a word.
    return (*found, _Token("?", False, True, False)) if is_question and found else tuple(found)


def _bare(sentence: str) -> Iterator[str]:
    for word in sentence.split():
        bare = word.lstrip(_LEAD).rstrip(_TRAIL)
        if bare.strip("-→=>|"):
            yield bare


@lru_cache(maxsize=WORDS_KEPT)
def _token(word: str) -> _Token:
    lower = word.lower()
    plain = lower.replace("'", "")
    is_filler = lower in _FILLERS and (len(word) < 2 or not word.isupper())
    if not plain.isalpha():
        return _Token(lower, is_filler, True, False)  # C++ is not C#, nor $5 €5
    if len(word) > 1 and word.isupper():
        return _Token(word, False, True, False)  # US is not us
    is_telling = word[0].isupper() or (len(word) == 1 and lower not in ("a", "i"))
    return _Token(stem(lower), is_filler, is_telling and not is_filler, lower in _FIRST_PERSON)
