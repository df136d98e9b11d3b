"""Which line a person means: by its id, or by words of it.

An id, or six and more of its first letters, names one line. Words name the line that reads so, else the one
that holds them in this order, else the one that holds all of them in any order; upper and lower case, kinds
of quotes and the marks the section puts around a text count for nothing. More than one line is no answer:
the person gets the list to choose from. What was forgotten is found by its id alone. Reads, writes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import eq

from scrimshaw.archive.dated import parse_line
from scrimshaw.core.section.render import inert, safe, undress
from scrimshaw.core.text.normalize import normal
from scrimshaw.core.text.plural import counted
from scrimshaw.core.types import Closed, Line
from scrimshaw.errors import UserError, usage_error
from scrimshaw.store.ledger import Ledger

ID_SHOWN = 10  # letters of an id that are printed: enough to tell 100,000 lines apart
_ID = re.compile(r"[0-9a-f]{6,24}")
_LIST_MARK = re.compile(r"^(?:[-*+]|\d{1,9}[.)])\s+")
# As `search` and `timeline` say it, where the ledger's own word is another.
_BECAME = {
    Closed.SUPERSEDED: "replaced",
    Closed.COMPLETED: "done",
    Closed.DELETED: "taken out by hand",
    Closed.EDITED: "reworded by hand",
    Closed.DROPPED: "retired",
}
PUT_AWAY = "kept out of the section by hand"
_MOST_LISTED = 12
# The next step where nothing is noted yet.
NOTING = "scrimshaw observe; whether there is anything to read: scrimshaw status"


def find_line(ledger: Ledger, words: str, *, among_closed: bool = False) -> Line:
    """Return the one line that *words* name; only a live one, unless *among_closed*.

    Raises UserError when there is none, or with the list when there are several (exit code 2).
    """
    found = find_lines(ledger, words, among_closed=among_closed)
    if not found and not ledger.numbered.last():
        raise usage_error(
            f"No line says “{shortened(words)}”: nothing is noted here yet.",
            next_step=f"{NOTING}; what programs stored: scrimshaw search",
        )
    if not found:
        raise none_says(words, [] if among_closed else find_lines(ledger, words, among_closed=True))
    return only(found, words)


def only(found: Sequence[Line], words: str) -> Line:
    """Return the one line of *found*; raises UserError with the list when there are several."""
    if len(found) == 1:
        return found[0]
    raise usage_error(
        f"{len(found)} lines are meant by “{shortened(words)}”:",
        *lines_to_choose(found),
        next_step="name one of them by the letters in front of it, or by more of its words",
    )


def find_lines(ledger: Ledger, words: str, *, among_closed: bool = False) -> list[Line]:
    """Return the lines that *words* name, in the order they were accepted; none is an answer, too."""
    if _ID.fullmatch(wanted := words.strip().lower()):
        found = ledger.lines_by_prefix(wanted)
        if named := [line for line in found if among_closed or line.standing.is_live]:
            return named
    return among(ledger.all_lines() if among_closed else ledger.live_lines(), words)


def among(lines: Sequence[Line], words: str) -> list[Line]:
    """Return those of *lines* that *words* name; raises UserError when there is no word in it."""
    wanted = words.strip()
    if not any(map(str.isalnum, wanted)):
        raise usage_error(
            "This names no line: it holds no word.",
            next_step="give some words of the line, or the first six letters of its id",
        )
    if _ID.fullmatch(wanted.lower()):
        by_id = [line for line in lines if line.observation.id.startswith(wanted.lower())]
        if by_id:
            return by_id
    readable = [line for line in lines if line.standing.closed is not Closed.FORGOTTEN]
    texts = [_plain(line.observation.text) for line in readable]
    for says in _ways(wanted):
        found = [line for line, text in zip(readable, texts, strict=True) if says(text)]
        if found:
            return found
    return []


def lines_to_choose(lines: Sequence[Line], most: int = _MOST_LISTED) -> list[str]:
    """Return *lines* as a list to choose from, the newest last; of many only the newest."""
    shown = [f"  {line_label(line)}" for line in lines[-most:]]
    more = len(lines) - len(shown)
    return [f"  … {counted(more, 'older one')}", *shown] if more else shown


def line_label(line: Line) -> str:
    """Return a line's id, day and text for a list, with what became of it."""
    observation, standing = line
    became = f" ({became_of(standing.closed)})" if standing.closed else ""
    text = shortened(observation.text)
    return f"{observation.id[:ID_SHOWN]}  {observation.local_date}{became}  {text}"


def became_of(closed: Closed) -> str:
    """Return what became of a line that no longer holds, in a word or three."""
    return _BECAME.get(closed, closed.value)


def _plain(text: str) -> str:
    return normal(inert(safe(text)))


def _ways(wanted: str) -> Iterator[Callable[[str], bool]]:
    """Yield what tells of a line's text whether it is meant: exactly, in one piece, then in single words."""
    # Pasted from a dated file or the section, perhaps: what stands around a text there is no part of it.
    row = parse_line(wanted)
    pasted = _plain(row.text if row and row.text else undress(_LIST_MARK.sub("", wanted)).text)
    said = [one for one in dict.fromkeys((_plain(wanted), pasted)) if one]
    yield from (partial(eq, one) for one in said)
    yield from (lambda text, one=one: one in text for one in said)
    words = [re.compile(rf"(?<!\w){re.escape(word)}") for word in (pasted or normal(wanted)).split()]
    yield lambda text: all(word.search(text) for word in words)


def none_says(words: str, closed: Sequence[Line]) -> UserError:
    """Return what to raise when no line is named; *closed*: those that no longer hold and would be."""
    if not closed:
        return usage_error(
            f"No line says “{shortened(words)}”.",
            next_step="look for other words: scrimshaw search WORDS; or give the first six letters of its id",
        )
    what = "A line that no longer holds says" if len(closed) == 1 else "Lines that no longer hold say"
    return usage_error(
        f"{what} “{shortened(words)}”, and none that does:",
        *lines_to_choose(closed),
        next_step=f"see what became of it: scrimshaw why {closed[-1].observation.id[:ID_SHOWN]}",
    )


def shortened(text: str, most_chars: int = 100) -> str:
    """Return *text* on one line; of a long one the beginning."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most_chars else flat[: most_chars - 1] + "…"
