"""A tolerant reader of "one JSON object a line and a closing line that counts them".

Whatever a model wraps around its lines (prose, fences, an array, its reasoning, half of another line) is
skipped, and no complete line is lost because of it; nothing is repaired. What begins like a line but is not
one is reported as broken. Only the closing line {"done": N} proves that an answer is complete: N counts the
lines before it, and {"done": 0} says that there is nothing new. Never raises, and takes time proportional to
the length of the answer, whatever is in it. Knows nothing of what the objects mean.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, NamedTuple

from scrimshaw.core.section.render import safe

Closing = Literal["counted", "nothing-new", "miscounted", "absent"]

MAX_READ_CHARS = 200_000  # of an answer; the rest is not read
MAX_OBJECTS = 1_000
MAX_BROKEN = 50
_SHOWN_CHARS = 300
_PROSE_CHARS = 2_000
_OBJECT_CHARS = 16_000  # of one object spread over several lines
_MOST_SPREAD = 500  # objects looked for over several lines
_MOST_DEPTH = 12
_MOST_STARTS = 60  # places in one line where an object is looked for

_REASONING = re.compile(
    r"<(/?)(?:think|thinking|reasoning|thought|analysis|scratchpad)\s*>|\[(/?)THINK\]", re.IGNORECASE
)
_LIKE_A_LINE = re.compile(r"\{\s*(?:[\"'“/]|\w+\s*:|$)(?!done\"\s*:)")
_WRAPPING = re.compile(r"```\w*|[\s,;`~\[\]\ufeff\u200b]+|</?\|?\w{1,20}\|?>|\bjsonl?\b")
_LIST_MARK = re.compile(r"(?:\d{1,4}[.)]|[-*+]|data:)\Z")
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f]")
_TOO_DEEP = "nested too deep"
_OF_CLOSING = frozenset(("task", "next"))  # further keys that the closing line may have
_PART_KEYS = frozenset(("subject", "predicate", "object"))


class AnswerLines(NamedTuple):
    """The content of an answer.

    *closing* is "counted" when the last line counts the lines before it (repeated lines count once),
    "nothing-new" when it says 0 and there are none, "miscounted" when the number is wrong or lines follow,
    "absent" without a closing line. *note* tells a person what was unusual.
    """

    objects: tuple[Mapping[str, object], ...]
    broken: tuple[tuple[str, str], ...]  # (text of at most 300 characters, why it is not a line)
    closing: Closing
    note: str
    prose: str = ""  # the beginning of the text around the lines
    last: Mapping[str, object] = MappingProxyType({})  # the closing line


@dataclass
class _Reading:
    """What was found so far."""

    found: list[Mapping[str, object]] = field(default_factory=list)  # including closing lines, in order
    broken: list[tuple[str, str]] = field(default_factory=list)
    broken_count: int = 0
    prose: list[str] = field(default_factory=list)
    prose_chars: int = 0
    notes: dict[str, None] = field(default_factory=dict)
    spread_left: int = _MOST_SPREAD
    in_reasoning: bool = False

    def forget(self) -> None:
        """Discard what was found: it was part of the model's reasoning."""
        self.found.clear()
        self.broken.clear()
        self.prose.clear()
        self.broken_count = self.prose_chars = 0

    def take(self, item: Mapping[str, object]) -> None:
        """Add an object; one that only wraps a list of objects is replaced by them."""
        inner = _wrapped(item)
        for one in [item] if inner is None else inner:
            if len(self.found) < MAX_OBJECTS:
                self.found.append(one)
            else:
                self.notes[f"more than {MAX_OBJECTS} lines"] = None

    def take_broken(self, text: str, reason: str) -> None:
        """Add a text that begins like a line but is not one."""
        self.broken_count += 1
        if len(self.broken) < MAX_BROKEN:
            self.broken.append((safe(text[: _SHOWN_CHARS * 2])[:_SHOWN_CHARS], reason))

    def take_prose(self, text: str) -> None:
        """Add text outside of objects."""
        if self.prose_chars < _PROSE_CHARS and (said := unwrapped(text)):
            self.prose.append(safe(said[:_PROSE_CHARS]))
            self.prose_chars += len(said)


def unwrapped(text: str) -> str:
    """Return *text* without what may surround lines: fences, brackets, commas, special tokens."""
    return " ".join(_WRAPPING.sub(" ", text).split())


def read_lines(text: str) -> AnswerLines:
    """Return the objects of an answer, what was broken in it, and how it closed."""
    reading = _Reading()
    if len(text) > MAX_READ_CHARS:
        text = text[:MAX_READ_CHARS]
        reading.notes[f"longer than {MAX_READ_CHARS:,} characters"] = None
    # A tab inside a text is harmless; a line break is not: it would take in the lines after it.
    text = _CONTROL.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n"))
    position = 0
    while position < len(text):
        position = _read_on(text, position, reading)
    if reading.in_reasoning:
        reading.notes["it ends within its reasoning"] = None
    return _lines(reading)


def _read_on(text: str, start: int, reading: _Reading) -> int:
    """Read what is left of the line at *start*; return where to go on."""
    if reading.in_reasoning:
        return _read_reasoning(text, start, reading)
    newline = text.find("\n", start)
    end = len(text) if newline < 0 else newline
    line, at = text[start:end], 0
    while (brace := line.find("{", at)) >= 0:
        if (tag := _REASONING.search(line, at, brace)) is not None:
            return start + _enter(line, at, tag, reading)
        reading.take_prose(line[at:brace])
        item, reason, after = _decoded(line, brace)
        if item is not None:
            if _is_closing(item) and not _stands_alone(line, brace, after):
                reading.take_prose(line[brace:after])  # quoted instructions: "if nothing is new, {…}"
            else:
                reading.take(item)
            at = after
            continue
        if spread := _spread(text, start + brace, end, reading):
            reading.take(spread[0])
            return spread[1]
        _read_broken(line, brace, reason, reading)
        return end + 1
    if (tag := _REASONING.search(line, at)) is not None:
        return start + _enter(line, at, tag, reading)
    reading.take_prose(line[at:])
    return end + 1


def _stands_alone(line: str, start: int, end: int) -> bool:
    """Tell whether only lines and their wrapping stand before *start* and after *end*."""
    following = line.find("{", end)
    before = line[line.rfind("}", 0, start) + 1 : start]
    behind = line[end : following if following >= 0 else len(line)]
    before = before[max((tag.end() for tag in _REASONING.finditer(before)), default=0) :]
    return not any(_LIST_MARK.sub("", unwrapped(part)).strip(" .") for part in (before, behind))


def _enter(line: str, at: int, tag: re.Match[str], reading: _Reading) -> int:
    """Skip a reasoning tag outside of objects; an end tag alone makes all before it reasoning."""
    if tag[1] or tag[2]:
        reading.forget()
    else:
        reading.take_prose(line[at : tag.start()])
        reading.in_reasoning = True
    reading.notes["its reasoning was left out"] = None
    return tag.end()


def _read_reasoning(text: str, start: int, reading: _Reading) -> int:
    for tag in _REASONING.finditer(text, start):
        if tag[1] or tag[2]:
            reading.in_reasoning = False
            return tag.end()
    return len(text)


def _decoded(line: str, start: int) -> tuple[Mapping[str, object] | None, str, int]:
    """Return the object that begins at *start*, or why there is none, and where it ends."""
    try:
        item, after = _DECODER.raw_decode(line, start)
    except json.JSONDecodeError as error:
        return (
            None,
            f"no JSON: {error.msg.lower().removesuffix(' at')} at character {error.pos - start + 1}",
            start,
        )
    except ValueError as error:  # NaN, a key twice, a number of thousands of digits
        return None, str(error)[:120], start
    except RecursionError:
        return None, _TOO_DEEP, start
    return (None, _TOO_DEEP, start) if _is_deep(item) else (item, "", after)


def _is_deep(item: object) -> bool:
    """Tell whether lists and objects are nested deeper than any line needs."""
    layer: list[object] = [item]
    for _ in range(_MOST_DEPTH):
        layer = [
            inner
            for value in layer
            if isinstance(value, dict | list)
            for inner in (value.values() if isinstance(value, dict) else value)
        ]
        if not layer:
            return False
    return True


def _read_broken(line: str, brace: int, reason: str, reading: _Reading) -> None:
    """Record what is broken from *brace* to the end of the line, except complete lines inside it."""
    whole: list[Mapping[str, object]] = []
    at, first = brace, len(line)
    for _ in range(0 if reason == _TOO_DEEP else _MOST_STARTS):
        if (at := line.find("{", at + 1)) < 0:
            break
        item, why, after = _decoded(line, at)
        if why == _TOO_DEEP:
            break
        if item and not _PART_KEYS & item.keys() and not _is_closing(item):
            first = min(first, at)
            whole.append(item)
            at = after - 1
    if _LIKE_A_LINE.match(line, brace):
        reading.take_broken(line[brace:first], reason)
    else:
        reading.take_prose(line[brace:first])
    for item in whole:
        reading.take(item)


def _spread(text: str, brace: int, end: int, reading: _Reading) -> tuple[Mapping[str, object], int] | None:
    """Return the object that begins at *brace* and continues over the next lines, and where it ends."""
    if reading.spread_left <= 0 or end >= len(text) or text[brace:end].rstrip()[-1:] not in "{[,:":
        return None
    reading.spread_left -= 1
    item, _, length = _decoded(text[brace : brace + _OBJECT_CHARS], 0)
    if item is None or brace + length <= end:
        return None
    # An unfinished object must not swallow the complete lines after it.
    inside = text[end + 1 : brace + length].split("\n")
    return None if any(map(_is_whole_line, inside)) else (item, brace + length)


def _is_whole_line(line: str) -> bool:
    bare = line.strip().rstrip(",]")
    if not (bare.startswith("{") and bare.endswith("}")):
        return False
    item, _, after = _decoded(bare, 0)
    return bool(item) and after == len(bare) and item is not None and not _PART_KEYS & item.keys()


def _wrapped(item: Mapping[str, object]) -> list[Mapping[str, object]] | None:
    """Return the objects that *item* merely wraps ({"lines": [{…}, {…}]}); None when it wraps none."""
    lists = [value for key, value in item.items() if isinstance(value, list) and key not in _OF_CLOSING]
    if len(lists) != 1 or not lists[0] or not all(isinstance(one, dict) for one in lists[0]):
        return None
    others = {key: value for key, value in item.items() if not isinstance(value, list)}
    if others.keys() - {"done"} - _OF_CLOSING:
        return None
    return [*lists[0], *([others] if others else [])]


def _lines(reading: _Reading) -> AnswerLines:
    objects = [item for item in reading.found if not _is_closing(item)]
    closing = _closing(reading, objects, reading.notes)
    last = reading.found[-1] if reading.found and _is_closing(reading.found[-1]) else {}
    notes, prose = "; ".join(reading.notes), "\n".join(reading.prose)
    return AnswerLines(tuple(objects), tuple(reading.broken), closing, notes, prose, last)


def _is_closing(item: Mapping[str, object]) -> bool:
    told = (value for key, value in item.items() if key not in _OF_CLOSING)
    return "done" in item and "text" not in item and not any(isinstance(v, list | dict) for v in told)


def _closing(reading: _Reading, objects: list[Mapping[str, object]], notes: dict[str, None]) -> Closing:
    closings = [item for item in reading.found if _is_closing(item)]
    if not closings:
        notes["no closing line"] = None
        return "absent"
    if not _is_closing(reading.found[-1]):
        notes["lines behind the closing line"] = None
        return "miscounted"
    counted = _count(closings[-1]["done"])
    lines = len(objects) + reading.broken_count
    if counted == 0 and not lines:
        return "nothing-new"
    distinct = len({json.dumps(item, sort_keys=True, default=str) for item in objects})
    if counted and (len(objects) <= counted <= lines or counted == distinct):
        return "counted"
    said = "no number" if counted is None else str(counted)
    notes[f"the closing line counts {said}, the answer holds {lines}"] = None
    return "miscounted"


def _count(value: object) -> int | None:
    if isinstance(value, str) and value.isascii() and value.strip().isdigit() and len(value) < 9:
        return int(value)
    if isinstance(value, float) and value.is_integer() and value < 1e9:
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    item: dict[str, object] = {}
    for key, value in pairs:
        if key in item and item[key] != value:
            raise ValueError(f"“{safe(key)[:40]}” stands twice with different values")
        item[key] = value
    return item


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_number)
