"""What a person did to the section since we wrote it (rules 6 to 9).

The text found is compared with the stored revision nearest to it, item by item: what is gone was deleted,
what is close to something gone was edited, what only stands elsewhere was moved, the rest was added. What
that revision never held cannot have been deleted: it stays. Text in, values out; the caller turns them into
events under its own ids and times.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple, TypeVar

from scrimshaw.core.section.budget import units
from scrimshaw.core.section.render import (
    Item,
    as_item,
    frame,
    inert,
    is_headed,
    normal,
    read,
    safe_note,
    undress,
)
from scrimshaw.core.section.wrapping import CLOSE, WrittenBody, joined, unwrapped
from scrimshaw.core.types import Kind, Place

_IN_PLACE = 15.0  # so much nearer is what stands beside the line that the missing one stood beside
# Rule 7: of the base's lines gone at once. One line may always go, or a short section could not be edited.
MOST_DELETED = 0.30
_SPELLING = 80.0  # of two words from this ratio on one is the other, spelled otherwise
_LONG_UNITS = 1_500  # of what stands under one sub-heading, when it is adopted
LIKELY = 8  # revisions that are read item by item

_COMMENT = re.compile(r"\s*<!--.*?-->", re.DOTALL)


K = TypeVar("K")


class RevisionView(NamedTuple):
    """A section's body as it was written, with the ids of its lines in the order of its items."""

    id: str
    body: str
    lines: tuple[str, ...]
    is_by_hand: bool = False  # as a person left it in a file that we do not write now


class WrittenLine(NamedTuple):
    """A line as a person left it. *was* names the line whose sources, claim and state it takes over."""

    text: str  # as typed, without its list mark
    place: Place
    date: str  # of the log's date heading; "" where there is none
    kind: Kind
    priority: int
    done: bool
    time: str
    was: str = ""


class SectionUnchanged(NamedTuple):
    """The text is what was last written, up to white space, list marks and order."""


class Restored(NamedTuple):
    """The text is an older revision (rule 7). *hidden*: lines that came since, to be kept but not shown."""

    revision: str
    hidden: tuple[str, ...]
    back: tuple[str, ...]  # lines that the newest revision no longer showed, deleted ones among them


class Edits(NamedTuple):
    """What the person did to revision *base*; of lines that came since it says nothing (rule 6)."""

    base: str
    deleted: tuple[str, ...]
    edited: tuple[WrittenLine, ...]  # changed or moved
    added: tuple[WrittenLine, ...]  # *was* names a line of an earlier revision that reads the same


class TooMany(NamedTuple):
    """More lines are gone than may go unasked: nothing may be written until the person says so."""

    base: str
    deleted: tuple[str, ...]
    of: int


Merged = SectionUnchanged | Restored | Edits | TooMany


class ArchiveLine(NamedTuple):
    """A line of a dated file, for matching when the ledger is lost."""

    key: str  # whatever the caller finds it by
    text: str  # as the section showed it, or bare
    date: str


class Adopted(NamedTuple):
    """Lines found between markers without a ledger (rule 9); *was* of a known one is the archive's key."""

    known: tuple[WrittenLine, ...]
    imported: tuple[WrittenLine, ...]


def merge(
    found: str,
    revisions: Sequence[RevisionView],
    *,
    is_accepted: bool = False,
    typed: Collection[str] = frozenset(),
    is_own: Callable[[str], bool] = lambda _id: False,
) -> Merged:
    """Return what became of the newest revision; *revisions* are oldest first and not empty.

    *is_accepted*: the person has confirmed that the missing lines are meant to go. *typed*: the ids of lines
    that the person wrote, which may stand in a text before any revision had them. *is_own* tells whether they
    wrote a line of any revision.
    """
    newest = revisions[-1]
    if found == newest.body:
        return SectionUnchanged()
    found, bodies = _laid_out(found, revisions)
    items = read(found)
    here = Counter(item.key for item in items)
    if here == bodies[-1].keys:
        return SectionUnchanged()
    equal = next((body for body in reversed(bodies[:-1]) if body.keys == here), None)
    if equal is not None:
        shown = set(newest.lines)
        return Restored(
            equal.revision.id,
            tuple(id_ for id_ in newest.lines if id_ not in equal.revision.lines),
            tuple(id_ for id_ in equal.revision.lines if id_ not in shown),
        )
    seen = _spread(items, bodies)
    base = _nearest(seen, bodies[_oldest_seen(seen, bodies, typed) :])
    edits = _compared(items, base, revisions)
    if base is not bodies[-1]:
        of_newest = _compared(items, bodies[-1], revisions)
        stand_in = _in_their_places(items, of_newest, bodies[-1])
        is_replaced = _has_replaced(items, of_newest, bodies[-1], base)
        if is_replaced or _has_reworded(of_newest, edits, bodies[-1], base, typed, is_own, stand_in):
            base, edits = bodies[-1], of_newest
    gone = len(edits.deleted)
    # A single deletion is always allowed, except against an older revision: an emptied section resembles the
    # smallest one most.
    least = 1 if base is bodies[-1] else 0
    if gone > max(least, int(MOST_DELETED * len(base.items))) and not is_accepted:
        return TooMany(base.revision.id, edits.deleted, len(base.items))
    return edits


def laid_out(found: str, revisions: Sequence[RevisionView]) -> str:
    """Return *found* with the items in one row that an editor has wrapped; it is read so everywhere here."""
    return _laid_out(found, revisions)[0]


def line_ids(
    found: str, revisions: Sequence[RevisionView], own: Callable[[WrittenLine], str]
) -> tuple[str, ...]:
    """Return the line that each item of *found* is, once its edits were taken; "" for one that is none.

    *own* names the line that a person has written so, "" when there is none.
    """
    found, bodies = _laid_out(found, revisions)
    items = read(found)
    base = _nearest(_spread(items, bodies), bodies)
    of_base = {item.key: id_ for item, id_ in base.named()}
    return tuple(of_base.get(item.key) or own(written(item)) or _earlier(item, revisions) for item in items)


def adopt(found: str, archive: Iterable[ArchiveLine]) -> Adopted:
    """Return the lines of *found* that the archive knows, and the rest, which is imported."""
    by_text: dict[str, list[ArchiveLine]] = defaultdict(list)
    for line in archive:
        by_text[without_marks(line.text)].append(line)
    known, imported = [], []
    for item in _apart(_rejoined(read(found), by_text)):
        same = by_text.get(without_marks(item.text), [])
        # The same words on two days are two lines: the day under which it stands decides, then the first.
        match = next((line for line in same if line.date == item.date), same[0] if same else None)
        if match is None:
            imported.append(written(item))
        else:
            same.remove(match)
            known.append(written(item, match.key))
    return Adopted(tuple(known), tuple(imported))


def _rejoined(items: Sequence[Item], known: Collection[str]) -> Iterator[Item]:
    """Yield *items* with what an editor has wrapped as the line of *known* that it was."""
    by_letters = {_letters(text): text for text in known}
    at = 0
    while at < len(items):
        item = items[at]
        at += 1
        text = item.text
        if _letters(text) not in by_letters and at < len(items) and not item.parts:
            text = f"{text}\n{items[at].text}"
            at += _letters(text) in by_letters
        was = by_letters.get(_letters(text))
        yield (
            item
            if was is None or without_marks(item.text) in known
            else item._replace(text=joined(text.split("\n"), was))
        )


def _letters(text: str) -> str:
    return "".join(without_marks(" ".join(text.split())).split())


def written(item: Item, was: str = "") -> WrittenLine:
    """Return a line as its person typed it, with what its emoji and time say."""
    dress = undress(item.text, item.place)
    return WrittenLine(
        item.text, item.place, item.date, dress.kind, dress.priority, dress.done, dress.time, was
    )


def _apart(items: Iterable[Item]) -> Iterator[Item]:
    """Yield *items* with what stands under one sub-heading in several where it is long.

    A line gives way as a whole: a month of notes under one heading would be shown all or not at all.
    """
    for item in items:
        if units(item.text) <= _LONG_UNITS or len(item.parts) < 2:
            yield item
            continue
        title = item.text.partition("\n")[0]
        held: list[Item] = []
        for part in item.parts:
            if held and units(_under(title, [*held, part])) > _LONG_UNITS:
                yield item._replace(text=_under(title, held), parts=tuple(held))
                held = []
            held.append(part)
        yield item._replace(text=_under(title, held), parts=tuple(held))


def _under(title: str, parts: Iterable[Item]) -> str:
    return safe_note("\n".join([title, *(as_item(part.text) for part in parts)]))


class _Body(NamedTuple):
    revision: RevisionView
    items: tuple[Item, ...]
    keys: Counter[tuple[Place, str, str]]

    @classmethod
    def of(cls, revision: RevisionView) -> _Body:
        items = read(revision.body)
        if len(items) != len(revision.lines):
            raise ValueError(f"revision {revision.id}: {len(items)} items, {len(revision.lines)} ids")
        return cls(revision, items, Counter(item.key for item in items))

    def named(self) -> Iterator[tuple[Item, str]]:
        """Return each item with the id of its line."""
        return zip(self.items, self.revision.lines, strict=True)


def _laid_out(found: str, revisions: Sequence[RevisionView]) -> tuple[str, list[_Body]]:
    """Return *found* without wrapped rows, and the bodies that it may have been made from."""
    bodies = [_Body.of(revision) for revision in _likely(found, revisions)]
    laid = unwrapped(found, (WrittenBody(body.revision.body, body.items) for body in reversed(bodies)))
    return laid, bodies if laid == found else [_Body.of(one) for one in _likely(laid, revisions)]


def _likely(found: str, revisions: Sequence[RevisionView]) -> list[RevisionView]:
    """Return the few revisions that share most rows with *found*, and the newest: only they are read."""
    rows = {normal(row) for row in found.split("\n")}

    def distance(at: int) -> int:
        return len(rows.symmetric_difference(revisions[at].body.replace("\n- ", "\n").split("\n")))

    newest = len(revisions) - 1
    nearest = sorted(range(newest), key=lambda at: (distance(at), -at))[:LIKELY]
    return [revisions[at] for at in sorted([*nearest, newest])]


def _spread(items: Sequence[Item], bodies: Sequence[_Body]) -> Counter[tuple[Place, str, str]]:
    """Return the keys of *items*, and those of the lines of *bodies* that now stand under a sub-heading.

    What stands under one changes as often as a section does: its heading tells which one it is.
    """
    known = set().union(*(body.keys for body in bodies))
    by_text = {key[2]: key for body in bodies for key in body.keys}
    by_heading = {_heading(item): item.key for body in bodies for item in body.items if _heading(item)}
    spread: Counter[tuple[Place, str, str]] = Counter()
    for item in items:
        parts = [by_text[text] for part in item.parts if (text := normal(part.text)) in by_text]
        if (heading := _heading(item)) in by_heading:
            parts.append(by_heading[heading])
        spread.update([item.key] if item.key in known or not parts else parts)
    return spread


def _heading(item: Item) -> str:
    first = item.text.partition("\n")[0]
    return first if is_headed(first) else ""


def _nearest(here: Counter[tuple[Place, str, str]], bodies: Sequence[_Body]) -> _Body:
    """Return the revision that differs in the fewest lines; of several the newest.

    What a line says comes first and where it stands second: a person who moves half the section to other
    parts has not gone back to the revision that lacked those lines.
    """
    words = _words(here)

    def distance(body: _Body) -> tuple[int, int]:
        said = _words(body.keys)
        return _difference(words, said).total(), _difference(here, body.keys).total()

    return min(reversed(bodies), key=distance)


def _oldest_seen(
    here: Counter[tuple[Place, str, str]], bodies: Sequence[_Body], typed: Collection[str]
) -> int:
    """Return the place of the oldest body that the text may have been made from.

    Whoever has a line of ours before them has seen a revision that holds it: what else that one held and
    the text lacks was taken out, however much it is. And what a person left in a file that nobody else
    writes is what they go on from.
    """
    if bodies[-1].revision.is_by_hand:
        return len(bodies) - 1
    first: dict[tuple[Place, str, str], int] = {}
    for at, body in enumerate(bodies):
        for item, id_ in body.named():
            if id_ not in typed:
                first.setdefault(item.key, at)
    return max((first.get(key, 0) for key in here), default=0)


def _in_their_places(items: Sequence[Item], edits: Edits, newest: _Body) -> frozenset[str]:
    """Return the edited lines that stand in their part below, or above, the line that *newest* has there."""
    here = {line.was: (line.place, line.date) for line in edits.edited}
    there = {id_: item.key[:2] for item, id_ in newest.named()}
    beside = _beside(_ids(items, edits, newest))
    was_beside = _beside(newest.revision.lines)
    return frozenset(
        id_
        for id_ in here
        if id_ in beside
        and here[id_] == there[id_]
        and any(one == other for one, other in zip(beside[id_], was_beside[id_], strict=True))
    )


def _has_replaced(items: Sequence[Item], edits: Edits, newest: _Body, base: _Body) -> bool:
    """Tell whether another line stands in the place of one that *base* never held, whatever it says.

    In the mark, date and time that we gave that one: nobody else writes those.
    """
    ids = _ids(items, edits, newest)
    beside, was_beside = _beside(ids), _beside(newest.revision.lines)
    gone = {
        id_: item for item, id_ in newest.named() if id_ in set(edits.deleted).difference(base.revision.lines)
    }
    return any(
        (beside[id_], item.key[:2]) == (was_beside[was], lost.key[:2])
        and frame(item.text) == frame(lost.text) != ""
        for id_, item in zip(ids, items, strict=True)
        for was, lost in gone.items()
    )


def _ids(items: Sequence[Item], edits: Edits, newest: _Body) -> list[str]:
    """Return which line of *newest* each of *items* is, after *edits*; a name of its own for one of none."""
    of_newest = {item.key: id_ for item, id_ in newest.named()}
    edited = {(line.place, line.date, normal(line.text)): line.was for line in edits.edited}
    keys = ((at, item.key) for at, item in enumerate(items))
    return [edited.get(key) or of_newest.get(key) or f"new {at}" for at, key in keys]


def _beside(ids: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return what stands before each of *ids*, and behind it; a name of neither for the two ends."""
    padded = ["first", *ids, "last"]
    return {id_: (before, behind) for before, id_, behind in zip(padded, ids, padded[2:], strict=False)}


def _has_reworded(
    edits: Edits,
    of_base: Edits,
    newest: _Body,
    base: _Body,
    typed: Collection[str],
    is_own: Callable[[str], bool],
    stand_in: Collection[str],
) -> bool:
    """Tell whether a line that *base* never held is there in other words, in the mark and time we gave it.

    Or with another mark and the same words. A line that was typed without a mark: one of the same words and
    more, or fewer, is theirs sooner mended than written twice; so is one that stands where we had put it
    (*stand_in*), whatever word was exchanged. What reads as *base* had it is the copy's,
    however like a new line it is; but a line that the person wrote may be one of *base* that they reworded,
    and are now taking back. So may what they wrote in *base*, taken back since, be made again. In doubt
    nothing that *base* never held is taken for deleted: what rewords a line of *base*, too, tells nothing.
    """
    news = {id_: item for item, id_ in newest.named() if id_ not in base.revision.lines}
    is_whole = not any(id_ in news for id_ in edits.deleted)
    held = {item.text for item, id_ in base.named() if not (is_whole and is_own(id_))}
    held |= {line.text for line in of_base.edited if not is_whole}
    return any(
        line.was in news
        and ((is_whole and line.was in typed) or line.text not in held)
        and (
            _dress(line.text) == _dress(news[line.was].text) != ""
            or (is_whole and line.was in typed and line.was in stand_in)
            or (is_whole and _is_of_one(line.text, news[line.was].text, is_typed=line.was in typed))
        )
        for line in edits.edited
    )


def _is_of_one(text: str, was: str, *, is_typed: bool) -> bool:
    if without_marks(text) == without_marks(was):
        return True
    return is_typed and _dress(text) == _dress(was) and _is_mended(text, was)


def _is_mended(text: str, was: str) -> bool:
    """Tell whether *text* is *was* with words added, taken out or spelled otherwise, and no other word.

    Two lines of one form that name different things are two, and both stay.
    """
    from difflib import SequenceMatcher  # as in match_close

    from rapidfuzz import fuzz

    one, other = (without_marks(row).casefold().split() for row in (text, was))
    for tag, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if tag != "replace":
            continue
        pairs = list(zip_longest(one[a:b], other[c:d], fillvalue=""))
        if not all(_is_spelling(fuzz.ratio(*two), two) for two in pairs):
            return False
    return True


def _is_spelling(ratio: float, words: tuple[str, str]) -> bool:
    return ratio >= _SPELLING and not any(mark.isdigit() for word in words for mark in word)


def _dress(text: str) -> str:
    return text[: text.index(undress(text).text)]


def _words(keys: Counter[tuple[Place, str, str]]) -> Counter[str]:
    """Return the lines of *keys* wherever they stand."""
    said: Counter[str] = Counter()
    for (_, _, text), count in keys.items():
        said[text] += count
    return said


def _difference(one: Counter[K], other: Counter[K]) -> Counter[K]:
    return (one - other) + (other - one)


def _compared(items: Sequence[Item], base: _Body, revisions: Sequence[RevisionView]) -> Edits:
    pairing = _Pairing(items, base.items)
    pairing.match(lambda item: item.key)
    pairing.open_up()
    kept = set(pairing.pairs)
    standing = {pairing.found[f].key for f in kept}
    pairing.match(lambda item: normal(item.text))
    pairing.match(lambda item: (item.place, item.date, _first_line(item)))
    pairing.match_close(standing)
    ids = base.revision.lines
    # Of a line that stood there twice, one copy may go.
    stay = {ids[b] for b in pairing.pairs.values()}
    # A line duplicated in place is not a new statement.
    fresh = [pairing.found[f] for f in pairing.unmatched_found() if pairing.found[f].key not in standing]
    return Edits(
        base.revision.id,
        tuple(ids[b] for b in pairing.unmatched_base() if ids[b] not in stay),
        tuple(written(pairing.found[f], ids[b]) for f, b in sorted(pairing.pairs.items()) if f not in kept),
        tuple(written(item, _earlier(item, revisions)) for item in fresh),
    )


def _earlier(item: Item, revisions: Sequence[RevisionView]) -> str:
    """Return the line of the newest revision that read as *item* does, "" for none."""
    first = item.text.partition("\n")[0]
    for revision in reversed(revisions):
        if first in revision.body:
            ids = [id_ for other, id_ in _Body.of(revision).named() if other.key == item.key]
            if ids:
                return ids[0]
    return ""


class _Pairing:
    """Which item found is which line of the base; each at most once."""

    def __init__(self, found: Sequence[Item], base: Sequence[Item]) -> None:
        self.found = list(found)
        self.pairs: dict[int, int] = {}  # of positions: found -> base
        self._base = base
        self._taken: set[int] = set()

    def unmatched_found(self) -> list[int]:
        return [f for f in range(len(self.found)) if f not in self.pairs]

    def unmatched_base(self) -> list[int]:
        return [b for b in range(len(self._base)) if b not in self._taken]

    def match(self, key: Callable[[Item], Hashable]) -> None:
        """Pair what has the same *key*, in order."""
        waiting: dict[Hashable, list[int]] = defaultdict(list)
        for b in reversed(self.unmatched_base()):
            waiting[key(self._base[b])].append(b)
        for f in self.unmatched_found():
            same = waiting.get(key(self.found[f]))
            if same:
                self._pair(f, same.pop())

    def match_close(self, standing: Collection[tuple[Place, str, str]]) -> None:
        """Pair what reads alike, the closest first; between equals what stands in the same part.

        A copy of a line that is there (*standing*) is no rewording of one that is missing.
        """
        from rapidfuzz import fuzz  # only where something was edited: its import takes longer than the rest

        missing = [(b, without_marks(self._base[b].text).casefold()) for b in self.unmatched_base()]
        close = []
        for f in self.unmatched_found():
            if self.found[f].key in standing:
                continue
            text, place = without_marks(self.found[f].text).casefold(), self.found[f].place
            for b, other in missing:
                ratio = fuzz.ratio(text, other, score_cutoff=CLOSE)
                if ratio:
                    ratio += _IN_PLACE * self._is_beside(f, b)
                    close.append((-ratio, place is not self._base[b].place, b, f))
        for _, _, b, f in sorted(close):
            if b not in self._taken and f not in self.pairs:
                self._pair(f, b)

    def _is_beside(self, f: int, b: int) -> bool:
        """Tell whether what stands before *f*, or behind it, was paired with what stood there."""
        return any(self.pairs.get(f + step) == b + step for step in (-1, 1))

    def open_up(self) -> None:
        """Take lines of the base out of a sub-heading that a person put above them."""
        for f in self.unmatched_found():
            left = []
            waiting = {normal(self._base[b].text): b for b in self.unmatched_base()}
            for part in self.found[f].parts:
                b = waiting.pop(normal(part.text), None)
                if b is None:
                    left.append(part)
                else:
                    self.found.append(self._base[b])
                    self._pair(len(self.found) - 1, b)
            if len(left) < len(self.found[f].parts):
                title = self.found[f].text.partition("\n")[0]
                self.found[f] = self.found[f]._replace(text=_under(title, left), parts=tuple(left))

    def _pair(self, f: int, b: int) -> None:
        self.pairs[f] = b
        self._taken.add(b)


def _first_line(item: Item) -> str:
    return normal(_COMMENT.sub("", item.text).partition("\n")[0])


def without_marks(text: str) -> str:
    """Return *text* without our mark, its date and time, and white space that says nothing."""
    return inert(normal(undress(text).text))
