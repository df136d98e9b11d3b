"""What of a message may still be shown after something that it said was forgotten (rule 21).

The host keeps the message; we show it in `why`, in `review` and in a search of the transcripts, by one rule.
Of a message that a forgotten line rested on a sentence is shown when each of its words stands in a line that
still rests on the message: that part was not forgotten. Every other sentence is shown as `[forgotten]`, also
where it may have said nothing of it: which words were forgotten nobody knows any more. What lies within a
whole conversation, or a time, that was forgotten is not shown at all. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

from scrimshaw.core.ledger.forget_text import FORGOTTEN
from scrimshaw.core.search.query import SMALL
from scrimshaw.core.types import Entry

_SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\s*\n\s*")  # as they are written there
_WORD = re.compile(r"\w+")


class Silenced(NamedTuple):
    """What was forgotten of one conversation."""

    entries: Mapping[
        str, Collection[str]
    ]  # that a forgotten line rested on; the texts of others that do still
    until_ms: int | None = None  # all that was said up to then; None: only those


def without_forgotten(entry: Entry, silenced: Silenced) -> Entry:
    """Return *entry* as it may be shown: the very same, or with `[forgotten]` for what may not."""
    if silenced.until_ms is not None and entry.said_at_ms <= silenced.until_ms:
        return entry._replace(text=FORGOTTEN, calls=())
    kept = silenced.entries.get(entry.entry_id)
    if kept is None:
        return entry
    told = _words(" ".join(kept))
    shown: list[str] = []
    for sentence in filter(None, _SENTENCE.split(entry.text)):
        words = _words(sentence)
        if words and words <= told:
            shown.append(sentence)
        elif shown[-1:] != [FORGOTTEN]:
            shown.append(FORGOTTEN)
    return entry._replace(text=" ".join(shown) or FORGOTTEN, calls=())


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold())) - SMALL
