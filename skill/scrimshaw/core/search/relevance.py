"""When there is nothing: whether what was found answers a question at all, or is only the nearest there is.

Any question is a little like any line, and any two texts share a word; a score among hits cannot tell, since
the best of nothing is the best all the same. So this looks at what stands by itself: how much of the question
a line holds (by the words' rarity here; a word that no line has weighs like one of a single line), how many
of its words, and the cosine of a model whose scale was measured. One word of many is chance, two together
seldom are, and a question that names somebody whom no line names has to be met by more. One hit that stands
out is enough to show the others that are near; with none there is nothing to show. A line that has the
question whole, an identifier of it, or a name that hardly any other line has is never hidden.

The constants were chosen on LoCoMo; how they do there and elsewhere tells `python -m bench retrieval`
(docs/benchmarks.md). Pure.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from scrimshaw.core.search.query import SMALL

WHOLE = 0.9  # of a question's weight: as good as all of it
# By words alone: the share that a single word must be; of several the share times their number.
ONE_WORD, TOGETHER = 0.4, 0.4
WITH_WORDS, WORDS_LIFT = 0.64, 0.1  # the cosine, lifted by so much of the share times the number
# Half of a short question in one word ("when is the dentist?"), and a meaning that is not far.
HALF, WITH_HALF = 0.45, 0.52
ALONE = 0.61  # the cosine where no words were compared
# So much more where the question names somebody whom no line names.
ONE_WORD_OF_A_STRANGER, TOGETHER_OF_A_STRANGER, COSINE_OF_A_STRANGER = 0.1, 0.35, 0.04
NEAR_WORDS, NEAR = 0.05, 0.5  # what is shown beside one that stands out: a share; a lifted cosine
RARE = 2  # lines: a name that more of them have says nothing about this one
_HUMPS = re.compile("[a-z][A-Z]")
_EDGES = "\"'`()[]{}<>.,;:!?„“”‚‘’«»"
_MOST_IDENTIFIER_CHARS = 200


class Naming(NamedTuple):
    """What a question names, as it is written there."""

    identifiers: tuple[str, ...]
    names: tuple[str, ...]


class QuestionWords(NamedTuple):
    """A question's words, stemmed, as one set of texts knows them."""

    weights: Mapping[str, float]
    identifiers: tuple[frozenset[str], ...] = ()  # the words of each
    names: frozenset[str] = frozenset()  # those that hardly any text has
    has_stranger: bool = False  # a name that no text has

    @property
    def weight(self) -> float:
        """The sum of all weights; never 0."""
        return sum(self.weights.values()) or 1.0


class TextMatch(NamedTuple):
    """What speaks for one text, by itself."""

    share: float  # of the question's weight, 0..1
    words: int
    is_named: bool = False
    cosine: float | None = None
    is_foreign: bool = False  # the cosine is of the multilingual model


def naming(question: str) -> Naming:
    """Return what *question* names: identifiers (with a digit, a path, an address) and capitalised words."""
    identifiers, names = [], []
    before = ""
    for written in question.split():
        word = written.strip(_EDGES)
        if len(word) <= _MOST_IDENTIFIER_CHARS and _is_identifier(word):
            identifiers.append(word)
        elif before and before[-1] not in ".!?" and word[:1].isupper() and word.lower() not in SMALL:
            names.append(word)
        before = written
    return Naming(tuple(identifiers), tuple(names))


def _is_identifier(word: str) -> bool:
    has_letter = any(map(str.isalpha, word))
    inside = any(mark in word[1:-1] for mark in "_@/.")
    is_mixed = any(map(str.isdigit, word)) or inside or bool(_HUMPS.search(word))
    return has_letter and is_mixed


def asked(
    frequencies: Mapping[str, int], count: int, identifiers: Iterable[Collection[str]], names: Iterable[str]
) -> QuestionWords:
    """Return a question as *count* texts know it; *frequencies*: how many have each of its words."""
    weights = {}
    for word, found in frequencies.items():
        number = min(count, max(1, found))
        weights[word] = math.log(1 + (count - number + 0.5) / (number + 0.5))
    rare = {name: frequencies.get(name, count) for name in names if frequencies.get(name, count) <= RARE}
    known = frozenset(name for name, found in rare.items() if found)
    return QuestionWords(
        weights, tuple(frozenset(one) for one in identifiers if one), known, len(known) < len(rare)
    )


def evidence(
    question: QuestionWords,
    text_words: Collection[str],
    cosine: float | None = None,
    *,
    is_foreign: bool = False,
) -> TextMatch:
    """Return what speaks for a text that has *text_words*, stemmed alike."""
    # Of every candidate of a search: no generator, and no set of the text's words where nothing asks for one.
    held = [weight for word, weight in question.weights.items() if word in text_words]
    is_named = bool(question.names) and not question.names.isdisjoint(text_words)
    if question.identifiers and not is_named:
        words = frozenset(text_words)
        is_named = any(one <= words for one in question.identifiers)
    return TextMatch(sum(held) / question.weight, len(held), is_named, cosine, is_foreign)


def standing_out(question: QuestionWords, found: Sequence[TextMatch], *, by_words: bool = True) -> list[bool]:
    """Return which of *found* are to be shown: none when none of them answers.

    *by_words*: whether words were compared, too. Across languages a right answer is hardly nearer than the
    best wrong one, so there what is near is shown, whatever else was found.
    """
    has_answer = any(_answers(question, one, by_words=by_words) for one in found if not one.is_foreign)
    return [(has_answer or one.is_foreign) and _is_near(one) for one in found]


def _answers(question: QuestionWords, one: TextMatch, *, by_words: bool) -> bool:
    more = 1.0 if question.has_stranger else 0.0
    if one.is_named or one.share >= WHOLE:
        return True
    if one.cosine is not None:
        if by_words and not more and one.share >= HALF and one.cosine >= WITH_HALF:
            return True
        least = WITH_WORDS if by_words else ALONE
        return (_lifted(one, one.cosine) if by_words else one.cosine) >= least + more * COSINE_OF_A_STRANGER
    if one.words < 2:
        return one.share >= ONE_WORD + more * ONE_WORD_OF_A_STRANGER
    return one.share * one.words >= TOGETHER + more * TOGETHER_OF_A_STRANGER


def _is_near(one: TextMatch) -> bool:
    if one.is_named or one.cosine is None:
        return one.is_named or one.share >= NEAR_WORDS
    return _lifted(one, one.cosine) >= NEAR


def _lifted(one: TextMatch, cosine: float) -> float:
    return cosine + WORDS_LIFT * one.share * one.words
