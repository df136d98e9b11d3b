"""Judge whether a later statement makes an earlier one untrue or done; trained on labelled conversations.

The score is a sum of small integers, one for each feature of the two statements (`change_features`), so it is
the same on every machine. The weights are in data/change_weights.txt, written by `python -m training.change`.
Questions, and statements with the same wording, change nothing. The judge finds contradictions
(core/insight/contradictions) and closes no line; bench/decision measures what it would close.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from scrimshaw.core.extraction.change_features import Setting, Statement, features, taken_apart
from scrimshaw.core.extraction.claim_changes import Update
from scrimshaw.data import lines, words

_WEIGHTS = "change_weights"
# Long statements of one project share words whatever they say; few in the training data were longer.
_MOST_CHARS, _MOST_WORDS = 400, 18
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
_RAREST = 9
_ASKED = ("?", "？")


class Verdict(NamedTuple):
    """What the judge decides, and by how much, in the unit of the score."""

    update: Update
    sureness: int


class _Model(NamedTuple):
    weights: Mapping[str, tuple[int, int]]  # of a feature: points for "replaced", points for "done"
    rarity: Mapping[str, int]
    bound: int
    careful_bound: int  # least score for a line whose loss does harm


@cache
def _model() -> _Model:
    weights = {}
    for line in lines(_WEIGHTS, "weights"):
        replaced, done, feature = line.split(" ", 2)
        weights[feature] = (int(replaced), int(done))
    rarity = {}
    for line in lines(_WEIGHTS, "rarity"):
        level, *tokens = line.split()
        rarity.update(dict.fromkeys(tokens, int(level)))
    bound, careful_bound = map(int, words(_WEIGHTS, "bounds"))
    return _Model(weights, rarity, bound, careful_bound)


def rarity(token: str) -> int:
    """Return how rare *token* is in the training data, 1 (common) to 9."""
    return _model().rarity.get(token, _RAREST)


def is_long(text: str) -> bool:
    """Tell whether *text* is too long to judge; two pairs of characters count as a word."""
    tokens = taken_apart(text).tokens
    return len(tokens) - sum(token[0] > "\u3000" for token in tokens) / 2 > _MOST_WORDS


def judged(new: Statement, old: Statement, setting: Setting) -> Verdict | None:
    """Return the most likely effect of *new* on *old*, even if unlikely; None: no effect can be judged."""
    if max(len(new.text), len(old.text)) > _MOST_CHARS:
        return None
    if is_long(old.text):
        return None
    if is_long(new.text):
        # The change is stated in the first sentence; reasons follow.
        first = _SENTENCE_END.split(new.text, maxsplit=1)[0]
        return judged(new._replace(text=first), old, setting) if first != new.text else None
    if new.text.rstrip().endswith(_ASKED) or new.text.casefold() == old.text.casefold():
        return None
    weights = _model().weights
    replaced = done = 0
    for feature in dict.fromkeys(features(new, old, setting, rarity)):
        one, other = weights.get(feature, (0, 0))
        replaced += one
        done += other
    return Verdict(Update.REPLACED, replaced) if replaced >= done else Verdict(Update.DONE, done)
