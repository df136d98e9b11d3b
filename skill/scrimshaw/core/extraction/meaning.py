"""The second stage of weighing, where a language model is at hand: what is in doubt is read by meaning.

The rules go over the window once and the weigher notes what it is asked. Of that, the sentences of which it
is least sure are read, at most MOST_READ a window, and the rules go over the window again with the verdicts
of both stages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from scrimshaw.core import weighing
from scrimshaw.core.extraction.candidates import candidates_of
from scrimshaw.core.types import Window
from scrimshaw.core.weighing import Sentence, Weigher, Weight

MOST_READ = 15
_HALF = 0.5


# What models answer of some texts, each as log-odds in the order of a Weight's fields; of those that none
# reads, nothing.
Reads = Callable[[Sequence[str]], Mapping[str, Sequence[float]]]


def weigher_of(window: Window, reads: Reads) -> Weigher:
    """Return what is to weigh the sentences of *window*: both stages for those in doubt, else the first."""
    asked: dict[str, Weight] = {}
    for _ in candidates_of(window, partial(_asking, asked)):
        pass
    doubtful = sorted(asked, key=lambda text: (_sureness(asked[text]), text))[:MOST_READ]
    readings = reads(doubtful) if doubtful else {}
    if not readings:
        return weighing.weigh
    read = {text: weighing.weigh_again(asked[text], answers) for text, answers in readings.items()}
    return partial(_read, read)


def _asking(asked: dict[str, Weight], sentence: Sentence) -> Weight:
    found = asked[sentence.text] = weighing.weigh(sentence)
    return found


def _read(read: dict[str, Weight], sentence: Sentence) -> Weight:
    return read.get(sentence.text) or weighing.weigh(sentence)


def _sureness(found: Weight) -> float:
    """Return how sure the first stage is whether to note a sentence and, if so, in which part, 0 to 1."""
    worth = max(found.worth)
    is_worth = abs(worth - _HALF) / _HALF
    return is_worth if worth < _HALF else min(is_worth, max(found.places))
