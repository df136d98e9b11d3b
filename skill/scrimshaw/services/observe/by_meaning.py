"""The language models with which the rules weigh what is in doubt, where the owner has switched that on.

Both were taught to weigh on the same labelled text as the words: English is read by the model that searches
(index/english), other languages by the sentence encoder (index/multilingual). Each is loaded when a window
first needs it, once for a process: half a second and 180 MB, 1.2 s and 160 MB. Where one is not installed, or
fails, the rules weigh by words alone, as always; nothing that was said waits for it.
"""

from __future__ import annotations

import logging
import zlib
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Protocol, TypeVar
from zipfile import BadZipFile

from scrimshaw.config import Settings
from scrimshaw.core.extraction.meaning import Reads
from scrimshaw.core.search.tongue import is_english
from scrimshaw.index import english, multilingual
from scrimshaw.index.embedding import failures_of_models

log = logging.getLogger(__name__)
# What a package that is lacking, damaged or of another version may bring about, and a damaged file of ours.
_FAILURES = (
    ArithmeticError,
    AttributeError,
    BadZipFile,
    BufferError,
    EOFError,
    ImportError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
    zlib.error,
)
_Found = TypeVar("_Found")
_WHAT = ("English", "other languages")


class Reader(Protocol):
    """A model that was taught to weigh."""

    def answers(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the answers to each of *texts* as log-odds, in the order of core/weighing's Weight."""


def reads_of(settings: Settings) -> Reads | None:
    """Return what reads sentences for these *settings*; None where that is not wanted or not installed."""
    return read if settings.weigh_by_meaning and can_read(settings) else None


def can_read(settings: Settings) -> bool:
    """Tell whether anything can be weighed by meaning here, wanted or not."""
    return len(lacking(settings)) < len(_WHAT)


def lacking(settings: Settings) -> list[str]:
    """Return what cannot be weighed by meaning, and why; nothing where all of it can."""
    if settings.embeddings == "off":
        return [f"{what}: `embeddings` is off" for what in _WHAT]
    reasons = zip(_WHAT, (english.why_none(), multilingual.why_no_reader()), strict=True)
    return [f"{what}: {why}" for what, why in reasons if why]


def read(texts: Sequence[str]) -> dict[str, list[float]]:
    """Return what the models answer of *texts*; nothing of those whose model is not there, or fails.

    In doubt a text is in the language of most of them: "Angemeldet." alone could be any.
    """
    of_english = {text for text in texts if is_english(text)} if is_english(" ".join(texts)) else set()
    others = [text for text in texts if text not in of_english]
    return _answered(_english, sorted(of_english)) | _answered(_multilingual, others)


def _answered(found: Callable[[], Reader | None], texts: Sequence[str]) -> dict[str, list[float]]:
    reader = found() if texts else None
    answers = _tried(partial(reader.answers, texts)) if reader else None
    return dict(zip(texts, answers or (), strict=False))


@cache
def _english() -> Reader | None:
    return _tried(english.find_reader)


@cache
def _multilingual() -> Reader | None:
    return _tried(multilingual.find_reader)


def _tried(act: Callable[[], _Found]) -> _Found | None:
    try:
        return act()
    except (*_FAILURES, *failures_of_models()) as error:  # type: ignore[misc]  # read when something fails
        log.warning("job=observe weighed by words alone: %s", type(error).__name__)
        return None
