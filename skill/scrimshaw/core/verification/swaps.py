"""What took whose place: "moved from A to B", "B instead of A", "A → B", "prefers B to A".

A note that tells a change the other way round holds every literal of its source. So each change is read
as a pair, what was and what is, and the note's pairs are held against the source's. Texts in, pairs
out; made `normal`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from scrimshaw.core.text.dates import find_dates
from scrimshaw.core.text.numbers import NUMBER, UNITS, number_key
from scrimshaw.core.text.stems import STOP, split_stems
from scrimshaw.core.text.times import find_times

_WITHIN = r"(?:[^,;:()→?!.]|\.(?=\w)){1,48}?"  # a sentence
_A = rf"(?P<old>{_WITHIN})"
_B = rf"(?P<new>{_WITHIN})"
_END = (
    r"(?=$|[,;:()?!→]|\.(?:\s|$)|\s(?:on|in|for|from|since|because|as|with|at|and|but|when|who"
    r"|which|that|if|by|is|are|was"
    r"|so|while|after|before|until|again|any ?more|now|last|next|per|this|we|i|it|so)\b)"
)
_LEAD = (
    r"(?:^|(?<=[,;:(.!?] )|\b(?:use|uses|used|take|takes|took|taking|with|at|on|to|want|wants|is|are|be"
    r"|in|do|does|gets?|buy|bought|eat|drink|wear|choose|chose|chosen|pick|picked|keep|only|now|go|goes|went|likes?|we|i"
    r"|user)\s+)"
)
_PREFER = r"\b(?:prefer\w*|chose|choose\w*|favou?r\w*|likes?|pick\w*|took|take|want\w*)\s+"
_CHANGES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\bfrom {_A} (?:over )?(?:to|into) {_B}{_END}",
        rf"\b(?:switch\w*|mov\w+|migrat\w+|chang\w+|went|go\w*|back"
        rf"|swapp?\w*) (?:\w+ )?to {_B} from {_A}{_END}",
        rf"(?P<old>(?:[^,;:()→?!.]|\.(?=\d)){{1,30}}?)\s?(?:→|->|=>)\s?(?P<new>[^,;:()→?!]{{1,30}}?){_END}",
        rf"{_PREFER}{_B} (?:to|over|rather than|instead of|than) {_A}{_END}",
        rf"{_LEAD}{_B} (?:instead of|rather than|in place of) {_A}{_END}",
        rf"{_LEAD}{_B}(?: \([^)]*\))? (?:instead of|rather than|in place of) {_A}{_END}",
        rf"{_LEAD}{_B},? (?:and )?not {_A}{_END}",
        rf"\b{_B} over {_A}{_END}",
        rf"\binstead of {_A},? (?:we |i |use |uses |take |is |are |it's |now )*{_B}{_END}",
        rf"\bnot {_A},? but {_B}{_END}",
        rf"\b(?:replac\w+|swap\w*|exchang\w+|substitut\w+) {_A} (?:with|by|for) {_B}{_END}",
        rf"\b{_B} (?:replaces|replaced(?! by)|replacing) {_A}{_END}",
        rf"\bno longer (?:with |in |at |on |use |uses )?{_A},? (?:but |now |it's |is )+(?:with |in "
        rf"|at |on )?{_B}{_END}",
        rf"\bnow (?:with |in |at |on |uses? |is )*{_B}(?: \([^)]*\))?,? (?:and )?no longer (?:with "
        rf"|in |at |on )?{_A}{_END}",
        rf"{_LEAD}{_B}, (?:and )?no more {_A}{_END}",
        rf"(?:^|[.;,:] ){_A} (?:is|are|was|were) too \w+(?: for (?:me|us))?,? (?:so )?(?:i|we) "
        rf"(?:now )?(?:\w+) {_B} instead",
        rf"\b(?:leav\w+|departs?|departing|starts?) (?:from |in )?{_A} (?:at|on) "
        rf"[^.;]{{1,40}}?\barriv\w+ (?:in|at) {_B}{_END}",
        rf"\bwas {_A},? (?:but |and )?(?:is )?now (?:is )?{_B}{_END}",
    )
)
_HAS = re.compile(
    r"\bfrom\b|→|->|=>|\binstead\b|\brather\b|\bnot\b|\breplac|\bswap|\bexchang|\bsubstitut"
    r"|\bno (?:longer|more)\b|\barriv|\bnow\b|\bover\b|\bprefer|\bthan\b"
)
_KEPT = re.compile(r"\b(?:kept|keep(?:s|ing)?|stay(?:s|ed|ing)?|remain(?:s|ed|ing)?|retain(?:s|ed|ing)?)\b")
_UPWARD = re.compile(
    r"\b(?:rais|ris(?:e|ing)|rose|increas|grew|grow|climb|up from|went up|goes up|put up|puts up"
    r"|expand|sped up)"
)
_DOWNWARD = re.compile(
    r"\b(?:lower(?:ed|s|ing)|reduc|fell|falls?\b|falling|drop(?:s|ped|ping)?\b|decreas|shrank"
    r"|shrink|shorten|down from|went down|cut\b|declin|dip)"
)
_FROM_TO = re.compile(
    r"\bfrom [€$£]?(\d+(?:[.,]\d+)*)(k?)(?P<one> ?[a-z%]*)?"
    r" to [€$£]?(\d+(?:[.,]\d+)*)(k?)(?P<other> ?[a-z%]*)(?![\d:/-])"
)
_UP_FROM = re.compile(
    r"[€$£]?(\d+(?:[.,]\d+)*)(?!\d|[.,]\d|[:/-]\d)[^\d.;]{0,48}?\b(up|down) from [€$£]?(\d+(?:[.,]\d+)*)"
)
_NO_MATTER = STOP | frozenset(
    {
        "use",
        "us",
        "user",
        "old",
        "new",
        "now",
        "instead",
        "clock",
        "o",
        "th",
        "st",
        "nd",
        "rd",
        "utc",
        "cet",
        "am",
        "pm",
    }
)


class Change(NamedTuple):
    """What was, and what took its place, by their words and figures."""

    old: frozenset[str]
    new: frozenset[str]


def changes_in(text: str, said_at: datetime) -> tuple[Change, ...]:
    """Return the changes that *text* tells of."""
    lower = text.lower()
    if _HAS.search(lower) is None:
        return ()
    return tuple(_changes(plain_days(text, said_at)))


def _changes(lower: str) -> Iterator[Change]:
    for pattern in _CHANGES:
        for match in pattern.finditer(lower):
            old, new = _keys(match["old"]), _keys(match["new"])
            if old - new and new - old:
                yield Change(old, new)


def _keys(words: str) -> frozenset[str]:
    numbers = {number_key(match.group()) for match in NUMBER.finditer(words)}
    return frozenset(key for key in split_stems(NUMBER.sub(" ", words)) if key not in _NO_MATTER) | numbers


def plain_days(text: str, said_at: datetime) -> str:
    """Return *text* in lower case with its dates and times written in one way, whole."""
    spans = [
        (
            item.start,
            item.end,
            # The weekday, too: "from Friday to Monday" is not of the days it would be said of the other way.
            f" {item.ref.start.day} {item.ref.start:%A} ".lower()
            + (f"t{item.ref.time.replace(':', '')} " if item.ref.time else ""),
        )
        for item in find_dates(text, said_at)
        if not item.ref.end
    ]
    spans += [(t.start, t.end, f" t{t.text.replace(':', '')} ") for t in find_times(text)]
    taken = len(text) + 1
    for start, end, plain in sorted(spans, reverse=True):
        if end <= taken:
            text, taken = text[:start] + plain + text[end:], start
    return " ".join(text.lower().split())


def reversed_change(note: str, said_at: datetime, source: tuple[Change, ...]) -> str:
    """Return how *note* tells a change of *source* the other way round."""
    if _KEPT.search(note.lower()):
        return ""  # "kept at 1 s instead of the 5 s proposed" tells no change
    for mine in changes_in(note, said_at):
        for other in source:
            crossed = mine.old & other.new and mine.new & other.old
            if crossed and not (mine.old & other.old - other.new or mine.new & other.new - other.old):
                return "the note tells the change the other way round"
    return ""


def wrong_way(note: str) -> str:
    """Return where *note* says that a figure rose although it fell by its own account, or the reverse."""
    lower = note.lower()
    for match in _UP_FROM.finditer(lower):
        is_up = float(number_key(match[1])) > float(number_key(match[3]))
        if is_up is not (match[2] == "up") and number_key(match[1]) != number_key(match[3]):
            return f"{match[1]} is not {match[2]} from {match[3]}"
    for match in _FROM_TO.finditer(lower):
        before = lower[max(0, match.start() - 60) : match.start()]
        up = [m.start() for m in _UPWARD.finditer(before)]
        down = [m.start() for m in _DOWNWARD.finditer(before)]
        units = {(match["one"] or "").strip(), match["other"].strip()} - {""}
        if (not up and not down) or len(units & UNITS.keys()) > 1:
            continue
        one = float(number_key(match[1], match[2]) or 0)
        other = float(number_key(match[4], match[5]) or 0)
        rises = max(up, default=-1) > max(down, default=-1)
        if one != other and rises is not (other > one):
            return f"from {match[1]} to {match[4]} is the other direction"
    return ""
