"""Judge one sentence: how much a note of it would be worth, its kind and place, and whose statement it is.

`weigh` reads the sentence's words, its form and its position in the conversation. The weights were learned
from labelled conversations in eight languages: data/weigher.bin, written by `python -m training.train` from
training/text. They are integers, so the result is the same on every machine.
"""

from __future__ import annotations

from scrimshaw.core.weighing.features import Sentence, Speaker
from scrimshaw.core.weighing.weigher import PLACES, Owner, Weight, weigh

__all__ = ["PLACES", "Owner", "Sentence", "Speaker", "Weight", "weigh"]
