"""The language models with which the rules weigh what is in doubt, where the owner has switched that on.

English is read by the model that searches, taught to weigh (index/english), other languages by the sentence
encoder (index/multilingual). Each is loaded when a window first needs it, once for a process: half a second
and 150 MB, 1.4 s and 160 MB. Where one is not installed, or fails, the rules weigh by words alone, as always;
nothing that was said waits for it.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import cache

from scrimshaw.config import Settings
from scrimshaw.core.extraction.meaning import Reading, Reads
from scrimshaw.core.search.tongue import is_english
from scrimshaw.core.weighing.second import scores_of
from scrimshaw.index import english, multilingual

log = logging.getLogger(__name__)
_ENGLISH_SHARE = 0.75  # of what the reader of English answers, beside what words tell


def reads_of(settings: Settings) -> Reads | None:
    """Return what reads sentences for these *settings*; None where that is not wanted or not installed."""
    return read if settings.weigh_by_meaning and not why_not(settings) else None


def why_not(settings: Settings) -> str:
    """Return why nothing can be weighed by meaning, "" where it can."""
    if settings.embeddings == "off":
        return "`embeddings` is off"
    return multilingual.why_none()


@cache
def _encoder() -> multilingual.Multilingual:
    return multilingual.Multilingual()


@cache
def _reader() -> english.EnglishReader | None:
    return english.find_reader()


def read(texts: Sequence[str]) -> Sequence[Reading]:
    """Return what the models answer of *texts*, one reading for each; nothing at all where one fails.

    In doubt a text is in the language of most of them: "Angemeldet." alone could be any.
    """
    english_ones = [text for text in texts if is_english(text)] if is_english(" ".join(texts)) else []
    try:
        found = dict(_read_english(english_ones))
        others = [text for text in texts if text not in found]
        vectors = _encoder().whole(others) if others else ()
        found |= {text: Reading(scores_of(one)) for text, one in zip(others, vectors, strict=True)}
    except (ImportError, OSError, RuntimeError, ValueError, MemoryError) as error:
        log.warning("job=observe weighed by words alone: %s", type(error).__name__)
        return ()
    return [found[text] for text in texts]


def _read_english(texts: Sequence[str]) -> list[tuple[str, Reading]]:
    reader = _reader() if texts else None
    answers = reader.answers(texts) if reader else ()
    return [(text, Reading(one, _ENGLISH_SHARE)) for text, one in zip(texts, answers, strict=bool(reader))]
