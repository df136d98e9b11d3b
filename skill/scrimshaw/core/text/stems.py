"""Words as they are compared when a line is held against what it was taken from.

Made `normal` first (core/text/normalize), then endings cut, stop words out. Looser than
core/ledger/known_lines, whose words must tell one line from another: here compounds fall into their parts.
"""

from __future__ import annotations

import re
from functools import lru_cache

from scrimshaw import data
from scrimshaw.core.ledger.known_lines import WORDS_KEPT, stem

_WORD = re.compile(r"[^\W_]+")
STOP = frozenset(stem(word) for word in data.words("small_words", "compared"))


@lru_cache(maxsize=WORDS_KEPT)
def stem_of(word: str) -> str:
    """Return *word* without its ending, short ones too."""
    # "ends" and "days" are too short for core/ledger/known_lines, which must keep short names apart.
    return (
        word[:3]
        if len(word) == 4 and word.endswith("s") and word[2] != "s" and word.isalpha()
        else stem(word)
    )


def split_words(lower: str) -> frozenset[str]:
    """Return the stemmed words of *lower* that carry its matter, compounds in their parts."""
    return split_stems(lower) - STOP


@lru_cache(maxsize=64)
def split_stems(lower: str) -> frozenset[str]:
    """Return every stemmed word of *lower*."""
    return frozenset(map(stem_of, set(_WORD.findall(lower))))


def share_held(words: frozenset[str], held: frozenset[str]) -> float:
    """Return how much of *words* stands in *held*; a longer form of the same word counts."""
    missing = [word for word in words if word not in held and not any(c.isdigit() for c in word)]
    if not missing:
        return 1.0
    roots = {word[:5] for word in missing if len(word) >= 5}
    if roots:
        roots &= {word[:5] for word in held if len(word) >= 5 and word.isalpha()}
    return (len(words) - sum(word[:5] not in roots for word in missing)) / len(words)


ABOUT_ANYBODY = split_words("user assistant agent tool person said stated asked wants prefers decided plans")
"""Words with which a line begins, whatever it is about."""
