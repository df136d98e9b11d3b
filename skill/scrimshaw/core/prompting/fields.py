"""Read one field of a model's line at a time: as written, and as the only value it can mean.

Lenient where a slip is harmless (a number as text, "Next Step", "[3]"), strict where a guess could put
something into memory that nobody said; then the problem is returned as a sentence. Nothing here raises; what
comes out has a bounded size, is on one line and can be stored. Knows nothing of entries or the ledger.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, timedelta
from typing import NamedTuple

from scrimshaw import data
from scrimshaw.core.section.render import safe, visible
from scrimshaw.core.types import Claim, Kind

MOST_NUMBERS = 40  # of one field, far more than any honest line has
_MOST_CHARS = 2_000  # of a text; what is longer is cut before its length is judged
_CLAIM_CHARS = {"subject": 60, "predicate": 40, "object": 80}

_UNREADABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
# A zero-width joiner between plain letters or digits has no use except to hide that two words are one.
_JOINER = re.compile(r"(?<=[\x21-\x7e])[\u200c-\u200f]+|[\u200c-\u200f]+(?=[\x21-\x7e])")
_MARKS = re.compile(r"\A(?:(?:[-*+>]|#{1,6}) )+")
_DRESS = re.compile(r"(?:[🔴🟡🟢✅]\ufe0f?\s*)+")
# Each kind, with the other names that models use for it.
_KINDS = {name: Kind(line.split()[0]) for line in data.lines("model_words", "kinds") for name in line.split()}
_PRIORITY_NAMES = (
    (5, "critical", "highest"),
    (4, "high", "important", "🔴"),
    (3, "medium", "normal", "🟡", "✅"),
    (2, "low", "minor", "🟢"),
    (1, "lowest", "uncertain"),
)
_PRIORITIES = {name: priority for priority, *names in _PRIORITY_NAMES for name in map(str, names)}
_ENTRY = re.compile(r"[\[(#]*(?:entry|entries|e|no\.?)?\s*[\[(#]*(\d{1,5})[\])]*", re.IGNORECASE)
_LINE = re.compile(r"[\[(#]*(?:line\s*)?o?(\d{1,5})[\])]*", re.IGNORECASE)
_RUN = re.compile(r"[\[(]*(\d{1,5})\s*[-–]\s*(\d{1,5})[\])]*")
_APART = re.compile(r"\s*[,;&]\s*|\s+and\s+|(?<=[\])])\s*(?=[\[(])|(?<=\d)\s+(?=\d)")
_NOTHING = frozenset(("", "-", "null", "none", "n/a", "na", "unknown", "[]", "0", "o0"))
_DAY = r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::\d\d(?:\.\d{1,6})?)?)?(Z|[+-]\d\d:?\d\d)?"
_DAYS = re.compile(
    rf"{_DAY}(?:\s*(?:/|\.\.+|…|–|—|\bto\b|\buntil\b|\btill\b|\s-\s)\s*{_DAY})?", re.IGNORECASE
)
_MONTH = re.compile(r"(\d{4})-(\d\d)")
_PHRASE_CHARS = 60


class Hint(NamedTuple):
    """A date as a model gives it: days, or words to compute them from."""

    start: date | None = None
    end: date | None = None
    time: str | None = None
    phrase: str = ""


def read_text(value: object) -> tuple[str, str]:
    """Return a line's text as it would be stored, and what is wrong with it, or ""."""
    if not isinstance(value, str):
        return "", "the line has no text"
    raw = value[:_MOST_CHARS]
    text = " ".join(_JOINER.sub("", visible(raw)).split())
    text = _MARKS.sub("", _DRESS.sub("", text, count=1) if _DRESS.match(text) else text, count=1)
    if found := _UNREADABLE.search(raw):
        return safe(text), f"the text holds {found.group()!r}, which is no letter"
    return text, "" if text else "the line has no text"


def read_kind(value: object) -> Kind | None:
    """Return the kind that *value* names, None when it is no kind."""
    if not isinstance(value, str):
        return None
    bare = re.sub(r"[\s_]+", "-", value[:40].strip().lower())
    return _KINDS.get(bare) or _KINDS.get(bare.removesuffix("s"))


def priority_of(value: object) -> int | None:
    """Return a priority of 1 to 5, None when *value* is not one; the default is 3, a detail."""
    if value is None:
        return 3
    if isinstance(value, str):
        bare = value[:20].strip().strip("\ufe0f").lower()
        if bare in _PRIORITIES:
            return int(_PRIORITIES[bare])
        value = int(bare) if bare.isascii() and bare.isdigit() else None
    if isinstance(value, float) and value in (1.0, 2.0, 3.0, 4.0, 5.0):
        value = int(value)
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and isinstance(value, int) and 1 <= value <= 5 else None


def numbers_of(value: object, names: Mapping[str, int]) -> tuple[list[int], str]:
    """Return the entry numbers in *value*, each once and sorted, and the first part that is not a number.

    *names* maps the entries' own ids to their numbers; ids are accepted, too.
    """
    found: set[int] = set()
    for one in _items(value):
        if isinstance(one, str) and (run := _RUN.fullmatch(one)) and 0 <= int(run[2]) - int(run[1]) < 5:
            found.update(range(int(run[1]), int(run[2]) + 1))
        elif (number := _number(one, _ENTRY)) is not None:
            found.add(number)
        elif isinstance(one, str) and one in names:
            found.add(names[one])
        else:
            return sorted(found), safe(str(one)[:40]) or "nothing"
    return sorted(found), ""


def references_of(value: object) -> list[int]:
    """Return the numbers of the lines that *value* names ("o3", 3); anything else is ignored."""
    found = (_number(one, _LINE) for one in _items(value))
    return list(dict.fromkeys(number for number in found if number))


def _items(value: object) -> list[object]:
    """Return what *value* lists; a text with several numbers is split, empty parts are left out."""
    listed = value if isinstance(value, list) else [] if value is None else [value]
    items: list[object] = []
    for one in listed[:MOST_NUMBERS]:
        if isinstance(one, str):
            items += [part for part in _APART.split(one[:200].strip()) if part.lower() not in _NOTHING]
        elif one is not None:
            items.append(one)
    return items[:MOST_NUMBERS]


def _number(value: object, form: re.Pattern[str]) -> int | None:
    if isinstance(value, str):
        match = form.fullmatch(value.strip())
        return int(match[1]) if match and value.isascii() else None
    if isinstance(value, float) and value.is_integer() and 0 < value < 1e5:
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**5 else None


def hint_of(value: object) -> Hint | None:
    """Return the date that *value* gives, None when it gives none."""
    if isinstance(value, Mapping):
        first, last = (value.get(key) for key in ("start", "end"))
        parts = [first or value.get("date") or value.get("from") or "", last or value.get("to") or ""]
        time = value.get("time")
        value = "/".join(str(part)[:40] for part in parts if part)
        if isinstance(time, str) and re.fullmatch(r"\d\d:\d\d", time) and re.fullmatch(r"[\d-]{10}", value):
            value = f"{value}T{time}"
    elif isinstance(value, list):
        value = "/".join(str(part)[:40] for part in value[:2])
    if not isinstance(value, str) or value.strip().lower() in _NOTHING:
        return None
    try:
        return _hint(value[:200].strip())
    except (ValueError, OverflowError):  # the 30th of February
        return None


def _hint(value: str) -> Hint | None:
    if days := _DAYS.fullmatch(value):
        start = date.fromisoformat(days[1])
        end = date.fromisoformat(days[4]) if days[4] else None
        # A time in another zone is not the local time that people read on their clocks.
        time = days[2] if not days[3] and days[2] and days[2] < "24:00" and days[2][3:] < "60" else None
        if end is not None and end < start:
            return None
        return Hint(start, None if end == start else end, time)
    if month := _MONTH.fullmatch(value):
        start = date(int(month[1]), int(month[2]), 1)
        return Hint(start, (start + timedelta(31)).replace(day=1) - timedelta(1))
    return Hint(phrase=safe(value)[:_PHRASE_CHARS])


def read_claim(value: object) -> Claim | None:
    """Return the claim that *value* gives, lower case; None when a part is missing or too long."""
    if not isinstance(value, Mapping):
        return None
    parts = []
    for name, most in _CLAIM_CHARS.items():
        part = value.get(name)
        if isinstance(part, int | float) and not isinstance(part, bool):
            part = str(part)[:most]
        if not isinstance(part, str):
            return None
        bare = safe(_JOINER.sub("", part[: most * 2])).lower().strip(" .")
        if not any(map(str.isalnum, bare)) or len(bare) > most:
            return None
        parts.append(bare)
    return Claim(*parts)
