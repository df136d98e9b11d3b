"""Tell which standing wish a permission lifts: "you can stop with the letters".

What is allowed again is no order, so alone it says nothing that lasts. Beside a wish with a rare word in
common it takes its place: who asked for letters and needs them no longer must not go on getting them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import TypeVar

from scrimshaw.core.extraction.change_features import shared_words, taken_apart
from scrimshaw.core.extraction.change_judge import rarity
from scrimshaw.core.extraction.claim_changes import changes
from scrimshaw.core.extraction.personal_statements import order_of, permits
from scrimshaw.core.extraction.scorer import VITAL_PRIORITY
from scrimshaw.core.ledger.known_lines import content_words
from scrimshaw.core.types import Kind, Observation, Place, Proposal, Role

_RARE = 6  # of 9: how rare the shared word must be
_CLAUSE = re.compile(r"[,;:.!?–—]\s|\b(?:because|since|if|when|weil|wenn|porque|si|parce|perché|se)\b")
_ASIDE = re.compile(r"\([^)]*\)")
_PARTS = re.compile(r"[,;.!?:]\s|\b(?:and|und|y|et|e)\b")

_Wish = TypeVar("_Wish", Observation, Proposal)


def is_of_one_matter(wish: str, text: str) -> bool:
    """Tell whether *wish* wishes only what *text* lifts, beside reasons."""
    words = content_words(text)
    parts = [part for part in _PARTS.split(_ASIDE.sub(" ", wish)) if content_words(part)]
    others = (part for part in parts if content_words(part).isdisjoint(words))
    return all(permits.REASON.match(part.strip()) and order_of(part.strip()) is None for part in others)


@cache
def _not_of_matter() -> frozenset[str]:
    return content_words(" ".join(permits.words("PERMIT_WORDS"))) | changes.words("FOREIGN")


def _is_order(line: Observation | Proposal) -> bool:
    """Tell whether *line* orders how the agent is to do things, and protects nobody."""
    if (
        line.place is not Place.STANDING
        or line.kind is not Kind.PREFERENCE
        or line.priority == VITAL_PRIORITY
    ):
        return False
    return not (permits.PROTECTS.search(line.text) or permits.OF_ONESELF.match(line.text))


def lifted(text: str, lines: Iterable[_Wish]) -> _Wish | None:
    """Return the one of *lines* that is a wish of the person's, and that *text*, a permission, is about.

    What its first clause names the wish has to name, too.
    """
    found: list[tuple[int, _Wish]] = []
    first = _CLAUSE.split(text, maxsplit=1)[0]
    words = frozenset(word for word in taken_apart(first).words if content_words(word) - _not_of_matter())
    for line in lines:
        if _is_order(line) and line.speaker is Role.USER:
            shared, _ = shared_words(words, taken_apart(line.text).words)
            others = words - shared
            is_named = any(rarity(word) >= _RARE for word in shared) and not others
            # "Production is okay again" may be said of production itself.
            if is_named and (len(shared) > 1 or permits.TO_AGENT.search(first)):
                found.append((sum(map(rarity, shared)), line))
    found.sort(key=lambda one: -one[0])
    if not found or (len(found) > 1 and found[0][0] == found[1][0]):
        return None
    return found[0][1]
