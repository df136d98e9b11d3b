"""Tell which standing wish a permission lifts: "you can stop with the letters".

What is allowed again is no order, so alone it says nothing that lasts. Beside a wish with a rare word in
common it takes its place: who asked for letters and needs them no longer must not go on getting them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import TypeVar

from scrimshaw import data
from scrimshaw.core.extraction.change_features import shared_words, taken_apart
from scrimshaw.core.extraction.change_judge import rarity
from scrimshaw.core.extraction.claim_changes import changes
from scrimshaw.core.ledger.known_lines import content_words
from scrimshaw.core.text.languages import NAMES, language
from scrimshaw.core.types import Kind, Observation, Place, Proposal, Role

_RARE = 6  # of 9: how rare the shared word must be
_ASIDE = re.compile(r"\([^)]*\)")
_PARTS = re.compile(r"[,;.!?:]\s|\b(?:and|und|y|et|e)\b")

_Wish = TypeVar("_Wish", Observation, Proposal)


def is_of_one_matter(wish: str, text: str) -> bool:
    """Tell whether *wish* wishes only what *text* lifts, beside reasons and conditions."""
    words = content_words(text)
    parts = [part for part in _PARTS.split(_ASIDE.sub(" ", wish)) if content_words(part)]
    others = (part for part in parts if content_words(part).isdisjoint(words))
    return all(part.split()[0].lower() in _function_words() for part in others)


@cache
def _function_words() -> frozenset[str]:
    """Return what a reason or a condition begins with: subjects and small words of each language."""
    marks = (language(name).marks for name in NAMES)
    return frozenset(data.words("requests", "subjects")).union(*marks)


def lifted(text: str, lines: Iterable[_Wish]) -> _Wish | None:
    """Return the one of *lines* that is a wish of the person's, and that *text*, a permission, is about."""
    found: list[tuple[int, _Wish]] = []
    words = frozenset(
        word for word in taken_apart(text).words if content_words(word) - changes.words("FOREIGN")
    )
    for line in lines:
        is_wish = line.place is Place.STANDING and line.kind in (Kind.PREFERENCE, Kind.DECISION)
        if is_wish and line.speaker is Role.USER:
            shared, _ = shared_words(words, taken_apart(line.text).words)
            if any(rarity(word) >= _RARE for word in shared):
                found.append((sum(map(rarity, shared)), line))
    found.sort(key=lambda one: -one[0])
    if not found or (len(found) > 1 and found[0][0] == found[1][0]):
        return None
    return found[0][1]
