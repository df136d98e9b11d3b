"""Looking literals up in what is cited: whole, between boundaries, and with dates cut out.

People write a name together or apart, with a hyphen or without one, with its accents or without them;
the rest of its spelling counts.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import datetime
from functools import lru_cache

from scrimshaw.core.text.dates import FoundDate, find_dates
from scrimshaw.core.text.times import find_times
from scrimshaw.core.verification.source import Witness

Witnesses = tuple[Witness, ...]


@lru_cache(maxsize=8)  # several checks of one line ask it
def dates_of(text: str, said_at: datetime, *, is_english: bool = False) -> tuple[FoundDate, ...]:
    """Return the dates that *text*, written of what was said at *said_at*, names."""
    return tuple(find_dates(text, said_at, is_english=is_english))


@lru_cache(maxsize=8)
def without_dates(text: str, said_at: datetime) -> str:
    """Return *text* with its dates and times cut out."""
    text = unglued(text)
    spans = [(item.start, item.end) for item in dates_of(text, said_at)]
    times = ((time.start, time.end) for time in find_times(text))
    spans += [span for span in times if text.count(":", *span) < 2]  # 1:52:08 is looked for to the second
    kept, at = [], 0
    for start, end in sorted(spans):  # a time may lie inside its date
        if start >= at:
            kept.append(text[at:start])
        at = max(at, end)
    return "; ".join([*kept, text[at:]])


_GLUED = re.compile(r"(?<=[ap]m|\d\d):(?=\s|$)")


def unglued(text: str) -> str:
    """Return *text* with the colon after a time set apart: "at 7:30 pm: two tickets"."""
    return _GLUED.sub(";", text)


def stands(needle: str, hay: str) -> bool:
    """Whether *needle* stands in *hay* between boundaries, so that 17 is not found in 17.1 or bill17."""
    start = hay.find(needle)
    while start >= 0:
        end = start + len(needle)
        before, after = hay[start - 1 : start], hay[end : end + 2]
        joined = (_is_letter(before) and _is_letter(needle[0])) or (
            _is_letter(after[:1]) and _is_letter(needle[-1])
        )
        decimal = needle[-1].isdigit() and after[:1] in (".", ",") and after[1:].isdigit()
        decimal |= needle[0].isdigit() and before in (".", ",") and hay[start - 2 : start - 1].isdigit()
        if not joined and not decimal:
            return True
        start = hay.find(needle, start + 1)
    return False


_JOINTS = re.compile(r"(?<=[a-zà-ÿ])(?=[A-ZÀ-Þ])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])|[-_.]")
_LEAST_JOINED, _LEAST_APART = 4, 6  # letters of a name written with joints of its own, and without any


def stands_otherwise(name: str, hay: str) -> bool:
    """Whether *name* stands in *hay* written together or apart or without its accents: EpiPen, "epi pen"."""
    pieces = [piece for piece in _JOINTS.split(name) if piece]
    if sum(map(len, pieces)) < (_LEAST_JOINED if len(pieces) > 1 else _LEAST_APART):
        return name != unaccented(name) and stands(unaccented(name).lower(), unaccented(hay))
    if len(pieces) == 1:
        pieces = re.findall(r"\d+|.", name)
    spelled = r"[\s_-]?".join(re.escape(unaccented(piece).lower()) for piece in pieces)
    return re.search(rf"(?<![^\W_]){spelled}(?![^\W_])", unaccented(hay)) is not None


@lru_cache(maxsize=64)
def unaccented(text: str) -> str:
    """Return *text* with its letters bare: "Café" is "Cafe"."""
    if text.isascii():
        return text
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def _is_letter(character: str) -> bool:
    """Whether words go on over *character*; Chinese and Japanese put no spaces between theirs."""
    return character.isalnum() and character < "\u2e80"
