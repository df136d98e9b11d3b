"""The language models with which the rules weigh what is in doubt, unless the owner has switched that off.

Both were taught to weigh on the same labelled text as the words. They run in a process of their own
(index/reading), one for all that this one observes. Where one is not installed, or fails, the rules weigh by
words alone; nothing that was said waits for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from scrimshaw.config import Settings
from scrimshaw.core.extraction.meaning import Reads
from scrimshaw.index import reading
from scrimshaw.index.process import Ended
from scrimshaw.services.observe.task import RunStopped

_WHAT = 2  # English and the rest
afar = reading.AfarReading()


def reads_of(settings: Settings, is_stopped: Callable[[], bool]) -> Reads | None:
    """Return what reads sentences for these *settings*; None where that is not wanted or not installed.

    It raises RunStopped once *is_stopped*.
    """
    if not settings.weigh_by_meaning or not can_read(settings):
        return None

    def read(texts: Sequence[str]) -> reading.Answers:
        try:
            return afar.read(texts, is_stopped)
        except Ended as stopped:
            raise RunStopped from stopped

    return read


def can_read(settings: Settings) -> bool:
    """Tell whether anything can be weighed by meaning here, wanted or not."""
    return len(lacking(settings)) < _WHAT


def lacking(settings: Settings) -> list[str]:
    """Return what cannot be weighed by meaning, and why; nothing where all of it can."""
    if settings.embeddings == "off":
        return ["English: `embeddings` is off", "other languages: `embeddings` is off"]
    return [f"{what}: {why}" for what, why in reading.lacking().items()]
