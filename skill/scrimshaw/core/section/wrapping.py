"""Rows that an editor has wrapped, made the lines again that they were, before a text is compared.

An editor that breaks long rows leaves one item in several, the later ones without a list mark, indented or
not. What reads as a line that the text should hold, row behind row, is that line as we wrote it. What is
nearer to such a line with its further rows than without them is that line with a word changed. Below a line
that stands there as it was, a row without a mark is a paragraph of its own. Text in, text out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import NamedTuple

from scrimshaw.core.section.markers import OPENING
from scrimshaw.core.section.render import (
    UNDATED,
    Item,
    as_item,
    begins_something,
    bullet_end,
    fence_after,
    is_day,
    is_headed,
    is_ours,
    is_part,
    normal,
    undress,
)
from scrimshaw.core.text.normalize import EAST

# A line and its missing neighbour are one edited line from this ratio on (tests/core/test_merge: rewordings
# of one line lie at 60 and above, two lines about different things that share a form lie below).
CLOSE = 60.0
_MOST_ROWS = 40  # of one item
_NARROWEST = 60  # columns: nobody's editor wraps a row before that
_NUMBERED = re.compile(r" ?\d{1,9}[.)][ \t]+(?=\S)")
_ONE = re.compile(r"1[.)][ \t]")
_EAST_MARK = re.compile(r"[\u3000-\u303f\uff00-\uffef]")  # their punctuation
_ENDS = (".", "!", "?", "…", "。", "！", "？", ")")
_ABOVE = tuple(" ".join(text.split()[:2]) for text in (OPENING, UNDATED))  # all items
_NEWLINE = re.compile(r"\r\n|\r|\n")


class WrittenBody(NamedTuple):
    """A section's text as it was written, and the items that it holds."""

    body: str
    items: Sequence[Item]


def unwrapped(found: str, bodies: Iterable[WrittenBody]) -> str:
    """Return *found* with each wrapped item in one row, or in the rows that one of *bodies* has it in.

    A text with nothing wrapped in it comes back as it is.
    """
    reading = _Unwrapping(_NEWLINE.split(found), _Known.of(bodies))
    rows = reading.laid_out()
    return "\n".join(rows) if rows != reading.rows else found


class _KnownItem(NamedTuple):
    flat: str  # in one row, without its list mark
    rows: tuple[str, ...]  # as it was written


class _Known(NamedTuple):
    """What the text may hold: items by what they say, and the days that stand above some of them."""

    items: dict[str, _KnownItem]
    days: frozenset[str]

    @classmethod
    def of(cls, bodies: Iterable[WrittenBody]) -> _Known:
        items: dict[str, _KnownItem] = {}
        days = set()
        for body, held in bodies:
            for item in chain.from_iterable(item.parts or (item,) for item in held):
                rows = tuple(as_item(item.text).split("\n"))
                items.setdefault(_flat(item.text), _KnownItem(_flat(item.text), rows))
            days |= {row for row in body.split("\n") if is_day(row)}
            ours = [row for row in body.split("\n", 3)[:3] if is_ours(row)]
            for some in (ours, *([row] for row in ours)):
                items.setdefault(_flat(" ".join(some)), _KnownItem(" ".join(some), tuple(some)))
        return cls(items, frozenset(days))


class _Run(NamedTuple):
    """An item that reads as none that is known, with the rows below that may go on with it."""

    rows: tuple[str, ...]
    is_below_own: bool  # under a sub-heading of the person's, where all stays as typed


class _Unwrapping:
    """One text, row by row: first what is known, then what is like something that is missing."""

    def __init__(self, rows: list[str], known: _Known) -> None:
        self.rows = rows
        self._known = known
        self._seen: set[str] = set()

    def laid_out(self) -> list[str]:
        laid = list(self._laid())
        here = set(self.rows)
        missing = [
            item
            for flat, item in self._known.items.items()
            if flat not in self._seen and not here.issuperset(item.rows)
        ]
        return list(
            chain.from_iterable(_likened(one, missing) if isinstance(one, _Run) else one for one in laid)
        )

    def _laid(self) -> Iterator[list[str] | _Run]:
        fence, is_comment, is_below_own, at = "", False, False, 0
        while at < len(self.rows):
            row = self.rows[at]
            head = None if fence or is_comment else _head(row)
            if head is not None:
                taken, one = self._item(at, head, is_below_own)
                at += taken
                yield one
                continue
            if is_comment or (not fence and row.lstrip().startswith("<!--")):
                is_comment = "-->" not in row
            else:
                fence = fence_after(fence, row)
                is_below_own = is_headed(row) or (is_below_own and not is_part(row))
            at += 1
            yield [row]

    def _item(self, at: int, head: int, is_below_own: bool) -> tuple[int, list[str] | _Run]:
        """Return how many rows the item at row *at* takes, and what becomes of them."""
        rows = self.rows[at : at + _MOST_ROWS]
        rows = rows[: next((n for n, row in enumerate(rows) if not row.strip()), len(rows))]
        pieces = [_flat(rows[0][head:]), *map(_flat, rows[1:])]
        taken, known, day = self._covered(pieces)
        if known is not None:
            self._seen.add(known.flat)
            if not head and is_below_own:
                return taken, []  # a section pasted a second time, behind a sub-heading of theirs
            is_as_was = taken == 1 and not day and not _NUMBERED.match(rows[0])
            laid = [rows[0]] if is_as_was else list(known.rows)
            below = rows[taken] if taken < len(rows) else ""
            if not day and below[:1].isspace() and below.strip() in self._known.days:
                # A formatter takes the day below an item for more of it.
                taken, day = taken + 1, below.strip()
            return taken, [*laid, day] if day else laid
        if not head:
            return 1, rows[:1]
        follows = 1
        while follows < len(rows) and self._may_go_on(rows[follows], rows[0]):
            follows += 1
        return follows, _Run(tuple(rows[:follows]), is_below_own)

    def _covered(self, pieces: Sequence[str]) -> tuple[int, _KnownItem | None, str]:
        """Return how many of *pieces* are together a known item, which, and a day at their end."""
        first = pieces[0]
        alone = self._known.items.get(first)
        if alone is not None:
            return 1, alone, ""
        for flat, known in self._known.items.items():
            if flat.startswith(first) or (first[-10:] in self._known.days and first.startswith(flat)):
                taken, day = _cover(flat, pieces, self._known.days)
                if taken:
                    return taken, known, day
        return 0, None, ""

    def _may_go_on(self, row: str, head: str) -> bool:
        text = row.strip()
        if text in self._known.days or begins_something(row):
            return False
        return not _ONE.match(text) and not (_NUMBERED.match(text) and _NUMBERED.match(head))


def _head(row: str) -> int | None:
    """Return where the text of an item begins, 0 for the row that we put above them all; None for neither."""
    if end := bullet_end(row):
        return None if fence_after("", row[end:]) else end
    found = _NUMBERED.match(row)
    return found.end() if found else 0 if row.lstrip().startswith(_ABOVE) else None


def _cover(flat: str, pieces: Sequence[str], days: frozenset[str]) -> tuple[int, str]:
    """Return how many of *pieces* make up *flat*, whatever white space is between, and a day behind."""
    at = 0
    for number, piece in enumerate(pieces):
        rest = flat[at:]
        if piece == rest:
            return number + 1, ""
        if piece[-10:] in days and piece[:-10].rstrip() == rest:
            return number + 1, piece[-10:]
        if not rest.startswith(piece):
            break
        at += len(piece)
        if flat[at] == " ":
            at += 1
        elif flat[at - 1].isalnum() and flat[at].isalnum() and not EAST.search(flat[at - 1 : at + 1]):
            break  # within a word
    return 0, ""


def _likened(run: _Run, missing: Sequence[_KnownItem]) -> list[str]:
    """Return the rows of *run* as one item where they are one."""
    rows, is_numbered = list(run.rows), _NUMBERED.match(run.rows[0]) is not None
    end = _head(rows[0])
    if end is None or (len(rows) == 1 and not is_numbered):
        return rows
    known, count = _nearest([_flat(rows[0][end:]), *map(_flat, rows[1:])], missing)
    if is_numbered:
        if known is None or len(known.rows) > 1 or _NUMBERED.match(known.flat):
            return rows
        rows[0] = f"- {rows[0][end:]}"
    if known is None:
        count = 0 if run.is_below_own else len(rows)
    elif count or not _is_whole(rows[0]):
        count = len(rows) if _is_wrapped(rows) else count + 1
    else:
        count = 1
    held, below = rows[:count], rows[count:]
    is_flush = not any(row[:1].isspace() for row in held[1:])
    if (known is not None and len(known.rows) == 1) or (known is None and is_flush):
        return [*([joined(held, known.flat if known else "")] if held else []), *below]
    return [*held[:1], *(row if row[:1].isspace() else f"  {row}" for row in held[1:]), *below]


def _nearest(pieces: Sequence[str], missing: Sequence[_KnownItem]) -> tuple[_KnownItem | None, int]:
    """Return the missing item closest to *pieces*, None for none, and how many but the first that takes."""
    from rapidfuzz import fuzz  # as in diff

    best: tuple[float, int, _KnownItem | None] = (CLOSE, 0, None)
    texts = [_bare(" ".join(pieces[: count + 1])) for count in range(len(pieces))]
    for known in missing:
        was = _bare(known.flat)
        for count, text in enumerate(texts):
            ratio = fuzz.ratio(text, was, score_cutoff=best[0])
            if ratio > best[0]:
                best = (ratio, count, known)
    return best[2], best[1]


def _bare(text: str) -> str:
    return normal(undress(text).text).casefold()


def _is_whole(row: str) -> bool:
    """Tell whether *row* ends as a line does: what stands below it may be another."""
    return row.rstrip().endswith(_ENDS)


def _is_wrapped(rows: Sequence[str]) -> bool:
    """Tell whether an editor may have broken *rows*: the next word had no room behind the row before."""
    return all(_columns(row) + 1 + _columns(below.split()[0]) > _NARROWEST for row, below in pairwise(rows))


def _columns(text: str) -> int:
    return len(text) + len(EAST.findall(text))


def joined(rows: Sequence[str], was: str) -> str:
    """Return *rows* as one, with a blank between two unless they stood, or are written, without."""
    text = rows[0].rstrip()
    for row in map(str.strip, rows[1:]):
        word = text.split()[-1] + row.split()[0]
        is_east = all(EAST.match(char) or _EAST_MARK.match(char) for char in (text[-1], row[0]))
        text += row if is_east or (word in was and not word.isalpha()) else f" {row}"
    return text


def _flat(text: str) -> str:
    return " ".join(text.replace("\ufe0f", "").split())
