"""What of a text goes when a statement is forgotten, and what stands in its place (rule 21).

`Traces` knows the forgotten texts and finds them in other ones: white space and case count for nothing, so
that what an editor has wrapped is found, too. A short text ("Yes") is found only where it stands alone, or
half of a memory would go with it. A section keeps as many items as it had, because its revisions name the
line of each. Text in, text out; what is erased nowhere else, and when, is the caller's.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable

from scrimshaw.core.section.render import Item, read, spans, undress

FORGOTTEN = "[forgotten]"
_ITEM = f"- {FORGOTTEN}"
ALONE_BELOW_CHARS = 12  # a shorter text is found only where nothing stands beside it
_FEW = 16  # texts that are looked for one by one
_START = re.compile(r"(?<!\w)\S")
_LIST_MARK = re.compile(r"^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?")
_ROWS = re.compile(r"(\r\n|\r|\n)")


class Traces:
    """The forgotten texts, for looking whether another text holds one of them."""

    def __init__(self, texts: Iterable[str]) -> None:
        flat = {flattened(text) for text in texts} - {"", FORGOTTEN}
        self._short = {text for text in flat if len(text) < ALONE_BELOW_CHARS}
        self._long = sorted(flat - self._short)
        self._by_start: dict[str, list[str]] = defaultdict(list)
        for text in self._long:
            self._by_start[text[:ALONE_BELOW_CHARS]].append(text)

    def __bool__(self) -> bool:
        return bool(self._short or self._long)

    def are_in(self, text: str) -> bool:
        """Tell whether *text* holds one of them; of a short one whether it is nothing else."""
        flat = flattened(text)
        if self._short and flattened(undress(_LIST_MARK.sub("", text)).text) in self._short:
            return True
        if len(self._long) <= _FEW:
            return any(one in flat for one in self._long)
        # One look at each beginning of a word, however many texts there are.
        for found in _START.finditer(flat):
            at = found.start()
            for one in self._by_start.get(flat[at : at + ALONE_BELOW_CHARS], ()):
                if flat.startswith(one, at):
                    return True
        return False


def flattened(text: str) -> str:
    """Return *text* on one row, in one case."""
    return " ".join(text.split()).casefold()


def without(body: str, is_forgotten: Callable[[int, Item], bool]) -> str:
    """Return a section's *body* with `[forgotten]` for each item that is; it reads back as many items."""
    gone = [is_forgotten(number, item) for number, item in enumerate(read(body))]
    if not any(gone):
        return body
    rows = body.split("\n") if "\r" not in body else re.split(r"\r\n|\r|\n", body)
    kept: list[str] = []
    behind = 0
    for (first, last), is_gone in zip(spans(body), gone, strict=True):
        kept += rows[behind:first]
        part = rows[first:last]
        blank = len(part) - len("\n".join(part).rstrip().split("\n"))
        # The rows apart stay: what stands behind them must not become a part of it.
        kept += [_ITEM, *[""] * blank] if is_gone else part
        behind = last
    return "\n".join([*kept, *rows[behind:]])


def without_ids(body: str, line_ids: Collection[str], forgotten: Collection[str], traces: Traces) -> str:
    """Return a revision's *body* without the lines of the ids in *forgotten*, and without *traces*."""
    ids = tuple(line_ids)

    def is_forgotten(number: int, item: Item) -> bool:
        return (number < len(ids) and ids[number] in forgotten) or traces.are_in(item.text)

    return without(body, is_forgotten)


def without_rows(text: str, traces: Traces) -> str:
    """Return *text* with `[forgotten]` for each of its rows that holds one of *traces*, all else as it is."""
    parts = _ROWS.split(text)
    for at in range(0, len(parts), 2):
        if parts[at] and traces.are_in(parts[at]):
            mark = _LIST_MARK.match(parts[at])
            parts[at] = (mark[0] if mark else "") + FORGOTTEN
    return "".join(parts)
