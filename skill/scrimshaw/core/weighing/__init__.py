"""What a statement is worth, what it is and whose: learned from labelled conversations in eight languages.

`weigh` reads one sentence by its words, its form and where it stands. Weights: data/weigher.bin, written by
`python -m training.train` from training/text. Integers, so that every machine comes to the same.
"""

from __future__ import annotations

from scrimshaw.core.weighing.features import Sentence, Speaker
from scrimshaw.core.weighing.weigher import Owner, Weight, weigh

__all__ = ["Owner", "Sentence", "Speaker", "Weight", "weigh"]
