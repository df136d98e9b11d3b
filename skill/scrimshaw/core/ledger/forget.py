"""What goes when a line is forgotten (rule 21): in the ledger, in other texts, in messages that are shown.

`forget_closure`: of a single statement all of it goes: lines that were merged with it, the person's wording
of it, lines that hold its whole text, what a reflection made of it, and what it tells again or is told again
in. Of a conversation, or of all before some day, only what lies in there goes, what was made of that, and
what tells it again word for word. A line that was merged into a made one which goes, and says something else,
holds again; so does one of another conversation that was told again in a line which goes.

`Traces` finds the forgotten texts in other ones; white space and case count for nothing. A short text ("Yes")
is found only where it stands alone, or half of a memory would go with it. A section keeps as many items as it
had, because its revisions name the line of each.

`without_forgotten`: the host keeps its messages. Of one that a forgotten line rested on a sentence is shown
when each of its words stands in a line that still rests on it; every other one is shown as `[forgotten]`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from scrimshaw.core.ledger.exact import said_by
from scrimshaw.core.ledger.retold import flattened, newest_telling, news_behind, repeats, told_before
from scrimshaw.core.search.query import SMALL
from scrimshaw.core.section.render import Item, read, spans, undress
from scrimshaw.core.types import Closed, Entry, Line, Observation

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
        # Scan each word start once, however many texts are searched for.
        for found in _START.finditer(flat):
            at = found.start()
            for one in self._by_start.get(flat[at : at + ALONE_BELOW_CHARS], ()):
                if flat.startswith(one, at):
                    return True
        return False


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
        # Keep separating rows: text after them must not join the text before.
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


_SAME = {Closed.MERGED: "the same, said again", Closed.EDITED: "the same, changed by hand"}
_MADE = "made from it"
_HOLDS = "holds its words"
_REPEATS = "tells it again"
_REPEATED = "told again in it"


class Reach(NamedTuple):
    """What goes: why it does by id, "" for what was asked for; and the lines that hold again."""

    ids: Mapping[str, str]
    restored: tuple[str, ...]


def forget_closure(lines: Sequence[Line], seeds: Iterable[str], *, is_one: bool) -> Reach:
    """Return what goes along with *seeds*, lines of *lines*; *is_one*: they are one statement."""
    walk = _Walk(lines, is_one=is_one)
    for seed in seeds:
        walk.add(seed, "", is_same=True)
    walk.go()
    while walk.add_holders() if is_one else walk.add_tellings():
        walk.go()
    made = {id_ for id_, why in walk.found.items() if why == _MADE}
    restored = tuple(
        line.observation.id
        for line in lines
        if line.observation.id not in walk.found
        and (
            (line.standing.closed is Closed.MERGED and line.standing.closed_by in made)
            or walk.was_live_in_what_goes(line)
        )
    )
    return Reach(walk.found, restored)


class _Walk:
    def __init__(self, lines: Sequence[Line], *, is_one: bool) -> None:
        self._lines = {line.observation.id: line for line in lines}
        self._is_one = is_one
        self._taken_in: dict[str, list[str]] = defaultdict(list)  # by a line: those that it stands for
        self._made_of: dict[str, list[str]] = defaultdict(list)  # of a line: those that rest on it
        self._repeated: dict[str, list[str]] = defaultdict(list)  # by a line: those that it tells again
        self._repeats: dict[str, str] = {}  # the line that tells this one again
        self.found: dict[str, str] = {}
        self._left: list[tuple[str, bool]] = []
        for id_, (observation, standing) in self._lines.items():
            if standing.closed in _SAME:
                self._taken_in[standing.closed_by].append(id_)
            by = self._lines.get(standing.closed_by)
            if by and standing.closed is Closed.SUPERSEDED and self._is_repeated(observation, by.observation):
                self._repeated[standing.closed_by].append(id_)
                self._repeats[id_] = standing.closed_by
            for support in observation.supports:
                self._made_of[support].append(id_)

    def _is_repeated(self, earlier: Observation, later: Observation) -> bool:
        # A value exchanged may have been said as a whole elsewhere: that conversation is not asked about.
        how = repeats if self._is_one else news_behind
        return bool(how(later.text, earlier.text))

    def was_live_in_what_goes(self, line: Line) -> bool:
        """Tell whether *line* was told again in one that was taken, and that one was still current."""
        by = self._lines.get(self._repeats.get(line.observation.id, ""))
        if by is None or by.observation.id not in self.found:
            return False
        newest = newest_telling(by, self._lines.get)
        return newest.standing.is_live and newest.observation.id in self.found

    def add(self, id_: str, why: str, *, is_same: bool) -> None:
        """Take a line; *is_same*: what it stands for is the same statement and goes, too."""
        if id_ in self._lines and id_ not in self.found:
            self.found[id_] = why
            self._left.append((id_, is_same))

    def go(self) -> None:
        """Follow what was taken until nothing more comes along."""
        while self._left:
            id_, is_same = self._left.pop()
            for made in self._made_of[id_]:
                self.add(made, _MADE, is_same=False)
            self.add(self._repeats.get(id_, ""), _REPEATS, is_same=is_same)
            closed, by = self._lines[id_].standing.closed, self._lines[id_].standing.closed_by
            is_reworded = closed is Closed.EDITED and self.found[id_] == _REPEATS
            if closed in _SAME and (self._is_one or is_reworded):
                self.add(by, _SAME[closed], is_same=True)
            if is_same and self._is_one:
                for other in self._repeated[id_]:
                    self.add(other, _REPEATED, is_same=True)
                for other in self._taken_in[id_]:
                    how = self._lines[other].standing.closed
                    self.add(other, _SAME[how] if how else "", is_same=True)

    def add_holders(self) -> bool:
        """Take the lines that hold the whole text of one that was taken; tell whether there are any."""
        traces = Traces(self._lines[id_].observation.text for id_ in self.found)
        holders = [
            id_
            for id_, line in self._lines.items()
            if id_ not in self.found
            and line.standing.closed is not Closed.FORGOTTEN
            and any(map(traces.are_in, said_by(line.observation)))
        ]
        for id_ in holders:
            self.add(id_, _HOLDS, is_same=True)
        return bool(holders)

    def add_tellings(self) -> bool:
        """Take the lines that tell one that was taken with news behind it, whatever became of either."""
        texts = {self._lines[id_].observation.text for id_ in self.found}
        tellings = [
            id_
            for id_, line in self._lines.items()
            if id_ not in self.found and not texts.isdisjoint(told_before(line.observation.text))
        ]
        for id_ in tellings:
            self.add(id_, _REPEATS, is_same=False)
        return bool(tellings)


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
