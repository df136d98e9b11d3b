"""Lines sorted by what they are about, so that who sums them up sees together what belongs together.

Two lines are about the same as far as they share words that few lines hold: names before nouns. The nearest
two come together first, then the next, as long as a subject stays small enough to be read at once. By words
alone, and the same for the same lines in whatever order they come. No clock, no I/O.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, product

from scrimshaw.core.consolidation.coverage import TELLING
from scrimshaw.core.ledger.known_lines import content_words, is_identifier, stem
from scrimshaw.core.ledger.lifecycle import age_of
from scrimshaw.core.text.normalize import CAPITAL, normal
from scrimshaw.core.types import Line
from scrimshaw.core.verification.names import NEUTRAL

MOST_LINES = 16  # of one subject
_COMMON_SHARE = 0.15  # what more of the lines hold is what all of them are about, or none
_LEAST_COMMON, _MOST_COMMON = 8, 60  # lines; the second bounds the work
_NAME = 2.0  # times the weight of another word
_LEAST_NEAR = 0.12  # of two lines that bring subjects together: the cosine of their words' weights
_LEAST_MEAN = 0.06  # of all the pairs of lines that come together, so that no chain leads from oats to boats


def subjects(lines: Iterable[Line]) -> tuple[tuple[Line, ...], ...]:
    """Return *lines* by subject, the oldest first; a line that is like no other is a subject alone."""
    by_age = sorted(lines, key=age_of)
    group_of = list(range(len(by_age)))
    members = {number: [number] for number in group_of}
    near = _near(_weighed(by_age))
    for (one, other), nearness in sorted(near.items(), key=lambda pair: (-pair[1], pair[0])):
        mine, theirs = group_of[one], group_of[other]
        if nearness < _LEAST_NEAR:
            break
        if mine == theirs or len(members[mine]) + len(members[theirs]) > MOST_LINES:
            continue
        pairs = [(min(pair), max(pair)) for pair in product(members[mine], members[theirs])]
        if sum(near.get(pair, 0.0) for pair in pairs) >= _LEAST_MEAN * len(pairs):
            for number in members[theirs]:
                group_of[number] = mine
            members[mine] += members.pop(theirs)
    return tuple(tuple(by_age[number] for number in sorted(group)) for group in members.values())


def _weighed(lines: Sequence[Line]) -> list[Mapping[str, float]]:
    """Return the words of each line that tell what it is about, with their weights; each line's make 1."""
    words = [_words(line) for line in lines]
    holders = Counter(word for held in words for word in held)
    capitals = [_capitals(line.observation.text) for line in lines]
    spelled = Counter(word for found in capitals for word in found)
    named = {word for found in capitals for word, is_inside in found.items() if is_inside}
    most = min(_MOST_COMMON, max(_LEAST_COMMON, int(len(lines) * _COMMON_SHARE)))

    def weight(word: str) -> float:
        is_name = is_identifier(word) or (word in named and spelled[word] == holders[word])
        return (_NAME if is_name else 1.0) * math.log(1 + len(lines) / holders[word])

    weighed: list[Mapping[str, float]] = []
    for held in words:
        weights = {word: weight(word) for word in sorted(held)}
        length = math.sqrt(sum(one * one for one in weights.values())) or 1.0
        weighed.append({word: one / length for word, one in weights.items() if 1 < holders[word] <= most})
    return weighed


def _near(weighed: Sequence[Mapping[str, float]]) -> Mapping[tuple[int, int], float]:
    """Return how near the lines of each pair that shares a word are; the earlier line comes first."""
    holders: dict[str, list[int]] = defaultdict(list)
    for number, weights in enumerate(weighed):
        for word in weights:
            holders[word].append(number)
    near: dict[tuple[int, int], float] = defaultdict(float)
    for word in sorted(holders):
        for one, other in combinations(holders[word], 2):
            near[one, other] += weighed[one][word] * weighed[other][word]
    return near


def _words(line: Line) -> frozenset[str]:
    """Return what a line may be about: no words of saying or of time, no bare numbers and dates."""
    claim = line.observation.claim
    text = line.observation.text if claim is None else f"{line.observation.text} ; {claim.subject}"
    return frozenset(
        word
        for word in content_words(text)
        if word not in TELLING and word not in NEUTRAL and any(map(str.isalpha, word))
    )


def _capitals(text: str) -> Mapping[str, bool]:
    """Return the words with a capital in *text*, and whether it is more than the capital of a beginning."""
    found: dict[str, bool] = {}
    for match in CAPITAL.finditer(text):
        word = stem(normal(match[1]))
        found[word] = found.get(word, False) or match.start() > 0
    return found
