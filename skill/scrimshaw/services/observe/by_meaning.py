"""The language models with which the rules weigh what is in doubt, unless the owner has switched that off.

Both were taught to weigh on the same labelled text as the words. They run in a process of their own
(index/reading), one for all that this one observes. Where one is not installed, or fails, the rules weigh by
words alone; nothing that was said waits for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from scrimshaw.config import Settings
from scrimshaw.core.extraction.meaning import Reads
from scrimshaw.index import embedding, reading
from scrimshaw.index.process import Ended
from scrimshaw.services.observe.task import RunStopped

afar = reading.AfarReading()


def reads_of(settings: Settings, is_stopped: Callable[[], bool]) -> Reads | None:
    """Return what reads sentences for these *settings*; None where nothing does.

    It raises RunStopped once *is_stopped*.
    """
    if not is_read(settings):
        return None

    def read(texts: Sequence[str]) -> reading.Answers:
        try:
            return afar.read(texts, is_stopped)
        except Ended as stopped:
            raise RunStopped from stopped

    return read


def is_read(settings: Settings) -> bool:
    """Tell whether anything is weighed by meaning here: it is wanted, and a model is installed."""
    return is_wanted(settings) and len(reading.lacking()) < reading.MODELS


def is_wanted(settings: Settings) -> bool:
    """Tell whether the owner wants it: `embeddings: off` leaves out every model that knows meanings."""
    return settings.weigh_by_meaning and settings.embeddings != embedding.OFF
