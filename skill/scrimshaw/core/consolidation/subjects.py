"""Group lines by subject, so that a model which consolidates them sees related lines together.

Lines are as close as the rare words that they share, names counting more than nouns. The closest two groups
are joined first, then the next, as long as a group stays small enough for one request. Uses words alone, and
the result does not depend on the order of the lines. No clock, no I/O.
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
_COMMON_SHARE = 0.15  # a word that a larger share of the lines holds does not tell subjects apart
_LEAST_COMMON, _MOST_COMMON = 8, 60  # lines; the maximum bounds the work
_NAME = 2.0  # weight of a name relative to another word
_LEAST_NEAR = 0.12  # least cosine of the word weights of two lines, for their groups to be joined
_LEAST_MEAN = 0.06  # least mean cosine over all pairs of two groups: prevents chains of neighbours


def subjects(lines: Iterable[Line]) -> tuple[tuple[Line, ...], ...]:
    """Return *lines* by subject, the oldest first; a line similar to no other is a subject of its own."""
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
    """Return for each line the words that tell its subject, with weights; each vector has length 1."""
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
    """Return the similarity of each pair of lines that shares a word; the earlier line comes first."""
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
    """Return the words that may tell a line's subject: no verbs of saying, times or bare numbers."""
    claim = line.observation.claim
    text = line.observation.text if claim is None else f"{line.observation.text} ; {claim.subject}"
    return frozenset(
        word
        for word in content_words(text)
        if word not in TELLING and word not in NEUTRAL and any(map(str.isalpha, word))
    )


def _capitals(text: str) -> Mapping[str, bool]:
    """Return the capitalised words of *text*, each with whether it stands inside a sentence."""
    found: dict[str, bool] = {}
    for match in CAPITAL.finditer(text):
        word = stem(normal(match[1]))
        found[word] = found.get(word, False) or match.start() > 0
    return found
