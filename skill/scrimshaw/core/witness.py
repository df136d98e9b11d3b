"""What an entry can bear witness to: its words, numbers, dates and times, computed once and on demand.

The same entry is cited by many proposals, so everything is kept for the length of a window. What a
person pasted (fences, quoted lines, logs) is told apart from what they said: a paste says nothing of
what its sender wants. Text that gives orders to the agent taints the paragraph it stands in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from functools import cached_property, lru_cache
from zoneinfo import ZoneInfo

from scrimshaw.core.claims import stem
from scrimshaw.core.clock import find_times
from scrimshaw.core.model import Entry, Role
from scrimshaw.core.polarity import Stance, stances
from scrimshaw.core.spelling import normal
from scrimshaw.core.timephrase import find_dates
from scrimshaw.core.wording import STOP, split_stems, split_words

_FENCE = re.compile(r"(?:```|~~~).*?(?:```|~~~|\Z)", re.DOTALL)
_ELEMENTS = re.compile(r"\n|(?<=>)(?=<)|<!--|-->")
_SENTENCES = re.compile(r"(?<=[.!?])\s")
_LINES = re.compile(rf"{_ELEMENTS.pattern}|{_SENTENCES.pattern}")
_LONG_LINE_CHARS = 400
_LOG_LINE = re.compile(r"\s*(?:>|\d{4}-\d\d-\d\d[T ]\d\d:|\[?\d\d:\d\d:\d\d|at \S+\(|[<{\[]|\S+\s*[|│])")
_NUMBER = re.compile(r"\d{1,3}(?:[ '\u00a0\u202f,.]\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)*")
_APART = dict.fromkeys(map(ord, " '\u00a0\u202f"))
SPACED_NUMBER = re.compile(r"(?<![\w.,/:-])\d{1,3}(?: \d{3})+(?:[.,]\d+)?(?![\w]|[.,]\d)")
_PAIR = re.compile(r"(?<![\w.,:/-])(\d+(?:[.,]\d+)*)(?:\s|-)?(%|€|[A-Za-z][\w-]*)")
_OF = re.compile(r"\b([a-z]{3,}) (\d+(?:[.,]\d+)*)(?![\w:/-]|[.,]\d)")
NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate(
        ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), start=2
    )
} | {
    "eleven": "11",
    "twelve": "12",
    "twenty": "20",
    "fifty": "50",
    "hundred": "100",
    "once": "1",
    "twice": "2",
}
_NUMBER_WORD = re.compile(rf"\b(?:{'|'.join(NUMBER_WORDS)})\b")
UNITS = {
    unit: names[0]
    for names in (
        ("hour", "h", "hr", "hrs", "hours"),
        ("minute", "min", "mins", "minutes", "m"),
        ("second", "s", "sec", "secs", "seconds"),
        ("euro", "eur", "euros", "€"),
        ("dollar", "usd", "dollars", "$"),
        ("percent", "%", "pct"),
        ("day", "d", "days"),
        ("week", "weeks", "wk"),
    )
    for unit in names
}
ORDERS = re.compile(
    r"ignore (?:all |any |the |your )?(?:previous|prior|above|earlier)|disregard (?:all|any|the|your"
    r"|previous)"
    r"|(?:remember|note|memorize|save|store|record) (?:that|:|this|to (?:your )?memory)|(?:write|add"
    r"|append|save) (?:\S+ ){0,4}"
    r"(?:to|into|in) (?:memory|memory\.md|your notes)|memory\.md|\b(?:ai|llm)s?(?:-| )?(?:assistants?"
    r"|agents?|models?)\b"
    r"|(?:as|you are) an? (?:ai|assistant|agent|language model)|(?:dear|attention|hey|note to"
    r"|hello),? (?:the )?(?:ai|assistant|agent|model)"
    r"|system prompt|<\s*/?\s*(?:system|instructions?)\s*>|do not (?:tell|inform|mention|ask"
    r"|alert) (?:this to )?the (?:user|owner)"
    r"|without (?:asking|telling|informing)|do this silently|the user (?:wants|prefers|has decided"
    r"|decided|asked|said|approved|trusts|agreed)"
    r"|(?:agent|assistant|you) (?:must|should|shall|has to|have to) (?:always|now|never|remember|obey"
    r"|run|send|upload|forward|execute)"
    r"|from now on,? (?:you|the (?:agent|assistant)|always|never)|new instructions"
    r"|important instruction|override"
)
# Each order holds one of these: a look at them spares nearly every text the pattern.
_ORDER_WORDS = (
    *(
        "ignore",
        "disregard",
        "remember",
        "note that",
        "memor",
        "record",
        "assistant",
        "agent",
        " ai",
        " llm",
        "model",
    ),
    *(
        "system",
        "instruction",
        "silently",
        "the user",
        "you must",
        "you should",
        "you shall",
        "you ha",
        "from now on",
    ),
    *(
        "override",
        "to the user",
        "without asking",
        "without telling",
        "without informing",
        "your notes",
        "do not ",
    ),
)


class Witness:
    """One entry and what it says, with caches; a class because they live as long as the window."""

    def __init__(self, entry: Entry, zone: ZoneInfo) -> None:
        self.entry = entry
        self._stances: dict[int, tuple[Stance, ...]] = {}
        self.said_at: datetime = datetime.fromtimestamp(entry.said_at_ms / 1000, zone)

    @cached_property
    def text(self) -> str:
        """Everything the entry holds, a tool's name and a call's arguments with it."""
        calls = [f"{call.name} {call.arguments}" for call in self.entry.calls]
        return "\n".join([self.entry.text, *calls, self.entry.tool_name])

    @cached_property
    def lower(self) -> str:
        """The text to look literals up in."""
        return normal(self.text)

    @cached_property
    def spoken(self) -> str:
        """What was said in the speaker's own words, pastes left out; all of it when not a person's."""
        return self.entry.text if self.entry.role is not Role.USER else without_pastes(self.entry.text)

    @cached_property
    def stems(self) -> frozenset[str]:
        """Every stemmed word of the whole text, those in compounds too."""
        return split_stems(self.lower)

    @cached_property
    def words(self) -> frozenset[str]:
        """Those of the stems that carry matter."""
        return self.stems - STOP

    @cached_property
    def spoken_words(self) -> frozenset[str]:
        """The stemmed content words of what was spoken."""
        return self.words if len(self.spoken) == len(self.text) else split_words(normal(self.spoken))

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Every number in every way it can be read, words for numbers too."""
        found = {reading for match in _NUMBER.finditer(self.text) for reading in readings(match.group())}
        return frozenset(found | {NUMBER_WORDS[m.group()] for m in _NUMBER_WORD.finditer(self.lower)})

    @cached_property
    def counted(self) -> dict[str, set[str]]:
        """Noun or unit (stemmed) → the numbers that stand beside it."""
        pairs: dict[str, set[str]] = {}
        lower = joined(self.lower)
        for number, noun in (*pairs_of(lower), *labels_of(lower)):
            pairs.setdefault(noun, set()).update(readings(number))
        return pairs

    @cached_property
    def dates(self) -> frozenset[date]:
        """The day it was said and every date it names."""
        found = {self.said_at.date()}
        for item in find_dates(self.text, self.said_at):
            found.add(item.ref.start)
            found.add(item.ref.end or item.ref.start)
        return frozenset(found)

    @cached_property
    def times(self) -> frozenset[str]:
        """The times of day it names, and when it was said."""
        return frozenset({time.text for time in find_times(self.text)} | {f"{self.said_at:%H:%M}"})

    @cached_property
    def tainted(self) -> tuple[frozenset[str], ...]:
        """The words of each paragraph of foreign text that gives orders to the agent."""
        if self.entry.role is Role.ASSISTANT:
            return ()
        if not any(word in self.lower for word in _ORDER_WORDS):
            return ()
        foreign = self._paragraphs if self.entry.role is Role.TOOL else self._pasted_lines
        return tuple(split_words(line) for line in foreign if ORDERS.search(line))

    @cached_property
    def line_words(self) -> tuple[frozenset[str], ...]:
        """The words of each of `lower_lines`."""
        return tuple(map(split_words, self.lower_lines))

    def stances_of(self, number: int) -> tuple[Stance, ...]:
        """What the line of that number states and denies."""
        if number not in self._stances:
            self._stances[number] = stances(self.lower_lines[number])
        return self._stances[number]

    @cached_property
    def lower_lines(self) -> tuple[str, ...]:
        """The entry's own lines, normalised; long ones cut where tags and sentences end."""
        return tuple(line for line in map(normal, _LINES.split(self.entry.text)) if line)

    @property
    def _paragraphs(self) -> Iterator[str]:
        """Lines and elements whole, so that an order taints the sentences around it; very long ones cut."""
        for line in map(normal, _ELEMENTS.split(self.entry.text)):
            yield from [line] if len(line) <= _LONG_LINE_CHARS * 2 else _SENTENCES.split(line)

    @cached_property
    def _pasted_lines(self) -> tuple[str, ...]:
        kept = set(map(normal, _LINES.split(self.spoken)))
        return tuple(line for line in self.lower_lines if line not in kept)


def shortest_first(cited: Iterable[Witness]) -> list[Witness]:
    """Return *cited* so that what a few words hold is not looked for in a tool's long output first."""
    return sorted(cited, key=lambda witness: len(witness.text))


def without_pastes(text: str) -> str:
    """Return what a person said in *text*: fences, quoted lines, logs and very long lines left out."""
    if "```" in text or "~~~" in text:
        text = _FENCE.sub("\n", text)
    lines = text.split("\n")
    logs = sum(_LOG_LINE.match(line) is not None for line in lines)
    return "\n".join(
        line
        for line in lines
        if not (line.lstrip().startswith(">") or (logs >= 3 and _LOG_LINE.match(line)) or _is_dump(line))
    )


def _is_dump(line: str) -> bool:
    """Whether a very long line is data and not somebody's prose."""
    return len(line) > _LONG_LINE_CHARS and sum(c.isalpha() or c in " ,.'" for c in line) < len(line) * 0.85


@lru_cache(maxsize=8192)
def readings(number: str) -> frozenset[str]:
    """Return the ways *number* can be read: "3,657.50" is 3657.5, "1,234" is 1234 or 1.234."""
    bare = number.translate(_APART)
    marks = [c for c in bare if c in ".,"]
    found = {bare}
    if not marks:
        found.add(bare.lstrip("0") or "0")
    elif len(set(marks)) == 2:
        found.add(_decimal(bare.replace(marks[0], "").replace(",", ".")))
    elif len(marks) > 1:
        found.add(bare.replace(marks[0], ""))
    else:
        found.add(_decimal(bare.replace(",", ".")))
        if re.fullmatch(r"[1-9]\d{0,2}[.,]\d{3}", bare):
            found.add(bare.replace(marks[0], ""))
    return frozenset(found)


def _decimal(number: str) -> str:
    whole, _, fraction = number.partition(".")
    fraction = fraction.rstrip("0")
    return f"{whole.lstrip('0') or '0'}.{fraction}" if fraction else whole.lstrip("0") or "0"


def joined(text: str) -> str:
    """Return *text* with thousands that are set apart by spaces as one number: 240 118 722 → 240118722."""
    return SPACED_NUMBER.sub(lambda match: match.group().replace(" ", ""), text)


def pairs_of(lower: str) -> list[tuple[str, str]]:
    """Return each number with the one name of the noun or unit right after it."""
    return [(match.group(1), unit_of(match.group(2))) for match in _PAIR.finditer(lower)]


def labels_of(lower: str) -> list[tuple[str, str]]:
    """Return each number with the stemmed noun right before it: "room 28"."""
    found = [(match.group(2), stem(match.group(1))) for match in _OF.finditer(lower)]
    return [(number, noun) for number, noun in found if noun not in STOP]


def unit_of(word: str) -> str:
    """Return the one name of a unit, or the stem of any other noun."""
    return UNITS.get(word) or stem(word)
