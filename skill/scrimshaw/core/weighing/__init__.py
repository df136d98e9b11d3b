"""Judge one sentence: how much a note of it would be worth, its kind and place, and whose statement it is.

`weigh` reads the sentence's words, its form and its position in the conversation. The weights were learned
from labelled conversations in eight languages: data/weigher.bin, written by `python -m training.train` from
training/text. They are integers, so the result is the same on every machine. Where a language model
is at hand, `weigh_again` has a second look, at the sentence's meaning.
"""

from __future__ import annotations

from collections.abc import Callable

from scrimshaw.core.weighing.features import Sentence, Speaker
from scrimshaw.core.weighing.second import weigh_again
from scrimshaw.core.weighing.weigher import KINDS, PLACES, Owner, Weight, weigh

Weigher = Callable[[Sentence], Weight]

__all__ = ["KINDS", "PLACES", "Owner", "Sentence", "Speaker", "Weigher", "Weight", "weigh", "weigh_again"]
