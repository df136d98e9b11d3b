"""The sentence encoder with which the rules weigh what is in doubt, where the owner has switched that on.

Loaded when the first window needs it, once for a process: 1.4 s and 160 MB. Where it is not installed, or
fails, the rules weigh by words alone, as always; nothing that was said waits for it.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import cache

from scrimshaw.config import Settings
from scrimshaw.core.extraction.meaning import Embeds
from scrimshaw.index import multilingual

log = logging.getLogger(__name__)


def embeds_of(settings: Settings) -> Embeds | None:
    """Return the encoder for these *settings*; None where it is not wanted or not installed."""
    return _embed if settings.weigh_by_meaning and not why_not(settings) else None


def why_not(settings: Settings) -> str:
    """Return why nothing can be weighed by meaning, "" where it can."""
    if settings.embeddings == "off":
        return "`embeddings` is off"
    return multilingual.why_none()


@cache
def _encoder() -> multilingual.Multilingual:
    return multilingual.Multilingual()


def _embed(texts: Sequence[str]) -> Sequence[Sequence[int]]:
    try:
        return _encoder().whole(texts)
    except (ImportError, OSError, RuntimeError, ValueError, MemoryError) as error:
        log.warning("job=observe weighed by words alone: %s", type(error).__name__)
        return ()
