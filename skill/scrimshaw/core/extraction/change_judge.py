"""Whether a later statement makes an earlier one untrue, or done: a judge trained on labelled conversations.

A sum of small whole numbers, one for each feature of the two statements (`change_features`), so that it
comes out the same on every machine. The numbers lie in data/change_weights.txt; `python -m training.change`
makes them. What is asked, and what reads the same, changes nothing. It finds contradictions
(core/insight/contradictions) and closes nothing; what it would close, bench/decision measures.
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
# Long statements of one project share words whatever they tell; few of those it learned from were longer.
_MOST_CHARS, _MOST_WORDS = 400, 18
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
_RAREST = 9
_ASKED = ("?", "？")


class Verdict(NamedTuple):
    """What the judge thinks, and how sure it is, in the unit of the bounds."""

    update: Update
    sureness: int


class _Model(NamedTuple):
    weights: Mapping[str, tuple[int, int]]  # of a feature: for replaced, for done
    rarity: Mapping[str, int]
    bound: int
    careful_bound: int  # for what does harm when it is lost


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
    """Return how rare *token* is in what people say, 1 to 9."""
    return _model().rarity.get(token, _RAREST)


def is_long(text: str) -> bool:
    """Tell whether *text* is too long to be judged; two pairs of characters count as a word."""
    tokens = taken_apart(text).tokens
    return len(tokens) - sum(token[0] > "\u3000" for token in tokens) / 2 > _MOST_WORDS


def judged(new: Statement, old: Statement, setting: Setting) -> Verdict | None:
    """Return what the later statement *new* most likely does to *old*, however unlikely; None: nothing."""
    if max(len(new.text), len(old.text)) > _MOST_CHARS:
        return None
    if is_long(old.text):
        return None
    if is_long(new.text):
        # That something has changed is told in its first sentence; why, behind it.
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
