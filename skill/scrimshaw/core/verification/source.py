"""What an entry can bear witness to: its words, numbers, dates and times, computed once and on demand.

The same entry is cited by many proposals, so everything is kept for the length of a window. What a
person pasted (fences, quoted lines, logs) is told apart from what they said: a paste says nothing of
what its sender wants. Text that gives orders to the agent taints the paragraph it stands in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from functools import cached_property
from zoneinfo import ZoneInfo

from scrimshaw.core.ledger.known_lines import stem
from scrimshaw.core.text.dates import FoundDate, find_dates
from scrimshaw.core.text.in_english import MONTH_NAMES, in_english
from scrimshaw.core.text.loose_dates import loose_days, month_of, months_written
from scrimshaw.core.text.loose_times import hours_meant
from scrimshaw.core.text.normalize import normal
from scrimshaw.core.text.numbers import LABELS, UNITS, Amount, all_numbers, amounts, joined, readings
from scrimshaw.core.text.stems import STOP, split_stems, split_words
from scrimshaw.core.text.times import find_times
from scrimshaw.core.transcript.own_words import own_words
from scrimshaw.core.types import Entry, Role

_ELEMENTS = re.compile(r"\n|(?<=>)(?=<)|<!--|-->")
_SENTENCES = re.compile(r"(?<=[.!?])\s")
_LINES = re.compile(rf"{_ELEMENTS.pattern}|{_SENTENCES.pattern}")
_LONG_LINE_CHARS = 400
_LOG_LINE = re.compile(r"\s*(?:>|\d{4}-\d\d-\d\d[T ]\d\d:|\[?\d\d:\d\d:\d\d|at \S+\(|[<{\[]|\S+\s*[|│])")
_PAIR = re.compile(r"(?<![\w.,:/-])(\d+(?:[.,]\d+)*)(?:\s|-)?(%|€|[A-Za-z][\w-]*)")
_PRICED = re.compile(r"([€$£])\s?(\d+(?:[.,]\d+)*)")
_OF = re.compile(rf"\b({LABELS}) (\d+(?:[.,]\d+)*)(?![\w:/-]|[.,]\d)")
_NO_NOUN_TEXT = """
into upon between among during per onto over under above below up down off out plus minus times x each
every extra more less fewer instead total together altogether again still already went goes go comes came
come took take takes pay pays paid cost costs get gets got need needs needed want wants will would is are
was were be has have had does do did stay stays stayed remain remains left due free late early only also
just even later earlier ago today tomorrow yesterday tonight if unless since because while once then now
so as when where which who that this these those there here including incl excl excluding except without
within until till through across against towards via online together apiece one two three and or nor but
yet before after to from by of in on at for with about than not no gross net incl. excl. apart
"""
_NO_NOUN = STOP | frozenset(stem(word) for word in _NO_NOUN_TEXT.split())
_BARE = re.compile(
    r"(?<![\w.,:/-])(\d+(?:[.,]\d+)*)(?=[.,;:!?)\]\n](?!\d)|$"
    rf"|\s(?:[-+=&→(]|(?:{'|'.join(sorted(_NO_NOUN_TEXT.split(), key=len, reverse=True))}|we|i|you"
    rf"|they|he|she|it|the|an?)\b))"
)
_MOST_TIMES = 12
_SHORT_TEXT_CHARS = 1500
_NEAR_LINES = 16
_MANY_LINES = 40
_PLAIN_WORD = re.compile(r"[^\W_]{2,}")
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
    r"|important instruction|override (?:all|any|the|your|previous|prior)"
)
# Each order holds one of these: a look at them spares nearly every text the pattern.
_ORDER_WORDS_TEXT = """
ignore / disregard / remember / note that / memor / record / assistant / agent /  ai /  llm / model / system
instruction / silently / the user / you must / you should / you shall / you ha / from now on / override
to the user / without asking / without telling / without informing / your notes / do not
"""
_ORDER_WORDS = tuple(word for line in _ORDER_WORDS_TEXT.strip().split("\n") for word in line.split(" / "))


class Witness:
    """One entry and what it says, with caches; a class because they live as long as the window."""

    def __init__(self, entry: Entry, zone: ZoneInfo) -> None:
        self.entry = entry
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
    def timely(self) -> str:
        """The text to read days and hours in: what other languages say of them, put in English."""
        return self._in_english.lower()

    @cached_property
    def _in_english(self) -> str:
        return in_english(self.lower)

    @cached_property
    def months_written(self) -> frozenset[int]:
        """The months named by a capital or in another language: "may" in small letters is a verb."""
        put = {month_of(name.lower()) for name in MONTH_NAMES if name in self._in_english}
        return months_written(self.text) | put

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
    def unborrowed_words(self) -> frozenset[str]:
        """The stemmed content words that are not others'; data that stands on the same line is nobody's."""
        own = own_words(self.entry.text)
        return self.words if own == self.text else split_words(normal(own))

    @cached_property
    def spoken_words(self) -> frozenset[str]:
        """The stemmed content words of what was spoken."""
        return self.words if len(self.spoken) == len(self.text) else split_words(normal(self.spoken))

    @cached_property
    def plain_words(self) -> frozenset[str]:
        """Every word as written, in lower case: what a short form may be short for."""
        return frozenset(_PLAIN_WORD.findall(self.lower))

    @cached_property
    def initials(self) -> frozenset[str]:
        """The first letters of two to five words that follow one another, and of a word's humps."""
        letters = [word[0] for word in _PLAIN_WORD.findall(self.lower)]
        runs = {
            "".join(letters[at : at + size]) for size in (2, 3, 4, 5) for at in range(len(letters) - size + 1)
        }
        return frozenset(
            runs | {"".join(c for c in word if c.isupper()).lower() for word in self.text.split()}
        )

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Every number in every way it can be read, words for numbers too."""
        if self.timely == self.lower:
            return all_numbers(self.text, self.lower)
        return all_numbers(self.text, self.lower) | all_numbers(self.timely, self.timely)

    @cached_property
    def amounts(self) -> frozenset[Amount]:
        """What is measured, and how long it is between the times named."""
        times = sorted({int(t[:2]) * 60 + int(t[3:]) for t in self.named_times})[:_MOST_TIMES]
        spans = {("time", 60.0 * (b - a)) for at, a in enumerate(times) for b in times[at + 1 :]}
        return amounts(self.lower) | spans

    @cached_property
    def counted(self) -> dict[str, set[str]]:
        """Noun or unit (stemmed) → the numbers that stand beside it."""
        pairs: dict[str, set[str]] = {}
        lower = joined(self.lower)
        for number, noun in (*pairs_of(lower), *labels_of(lower)):
            pairs.setdefault(noun, set()).update(readings(number))
        return pairs

    @cached_property
    def bare(self) -> frozenset[str]:
        """The numbers after which no noun stands: "the other one every 180"."""
        numbers = (number for line in self.text.splitlines() for number in bare_numbers(normal(line)))
        return frozenset(reading for number in numbers for reading in readings(number))

    @cached_property
    def found_dates(self) -> tuple[FoundDate, ...]:
        """The dates it names, each with where."""
        return tuple(find_dates(self.text, self.said_at))

    @cached_property
    def named_dates(self) -> frozenset[date]:
        """Every date it names."""
        found = {item.ref.start for item in self.found_dates}
        return frozenset(found | {item.ref.end for item in self.found_dates if item.ref.end is not None})

    @cached_property
    def dates(self) -> frozenset[date]:
        """The day it was said and every date it names."""
        return self.named_dates | {self.said_at.date()}

    @cached_property
    def possible_dates(self) -> frozenset[date]:
        """The dates that its words may mean beside those it names."""
        said, plain = self.said_at.date(), self.timely
        days = loose_days(self.lower, said, self.found_dates, self.named_dates)
        if plain == self.lower:
            return days
        found = find_dates(self._in_english, self.said_at, is_english=True)
        named = {day for item in found for day in (item.ref.start, item.ref.end) if day is not None}
        return days | named | loose_days(plain, said, found, named)

    @cached_property
    def named_times(self) -> frozenset[str]:
        """The times of day it names."""
        return frozenset(time.text for time in find_times(self.text))

    @cached_property
    def times(self) -> frozenset[str]:
        """The times of day it names, and when it was said."""
        return self.named_times | {f"{self.said_at:%H:%M}"}

    @cached_property
    def possible_times(self) -> frozenset[str]:
        """The times of day that its words may mean beside those."""
        if self.timely == self.lower:
            return hours_meant(self.lower)
        return hours_meant(self.timely) | {time.text for time in find_times(self.timely)}

    @cached_property
    def tainted(self) -> tuple[frozenset[str], ...]:
        """The words of each paragraph of foreign text that gives orders to the agent."""
        if self.entry.role is Role.ASSISTANT or not any(map(self.lower.__contains__, _ORDER_WORDS)):
            return ()
        if self.entry.role is Role.USER and self.spoken == self.entry.text:
            return ()  # nothing in it is foreign
        foreign = self._paragraphs if self.entry.role is Role.TOOL else self._pasted_lines
        return tuple(split_words(line) for line in foreign if ORDERS.search(line))

    @cached_property
    def line_words(self) -> tuple[frozenset[str], ...]:
        """The words of each of `lower_lines`."""
        return tuple(map(split_words, self.lower_lines))

    @cached_property
    def lower_lines(self) -> tuple[str, ...]:
        """The entry's own lines, normalised; long ones cut where tags and sentences end."""
        return tuple(line for line in map(normal, _LINES.split(self.entry.text)) if line)

    def text_near(self, words: frozenset[str]) -> str:
        """Return the entry's text, of a long one the lines that share most with *words*, in their order."""
        if len(self.entry.text) <= _SHORT_TEXT_CHARS:
            return self.entry.text
        near = sorted(self.nearest_lines(words, _NEAR_LINES))
        return "\n".join(self._own_lines[number][:_LONG_LINE_CHARS] for number in near)

    def nearest_lines(self, words: frozenset[str], most: int) -> list[int]:
        """Return the numbers of the lines that share most with *words*, the nearest first."""
        if len(self.lower_lines) <= _MANY_LINES:
            shared = [(len(words & line), -number) for number, line in enumerate(self.line_words)]
        else:  # a look for the stems: taking a long output's words apart is what a judgement's time went into
            shared = [
                (sum(word in line for word in words), -number) for number, line in enumerate(self.lower_lines)
            ]
        return [-number for overlap, number in sorted(shared, reverse=True)[:most] if overlap]

    @cached_property
    def _own_lines(self) -> tuple[str, ...]:
        return tuple(line for line in _LINES.split(self.entry.text) if line.strip())

    @property
    def _paragraphs(self) -> Iterator[str]:
        """Lines and elements whole, so that an order taints the sentences around it; very long ones cut."""
        for line in map(normal, _ELEMENTS.split(self.entry.text)):
            yield from [line] if len(line) <= _LONG_LINE_CHARS * 2 else _SENTENCES.split(line)

    @cached_property
    def _pasted_lines(self) -> tuple[str, ...]:
        kept = set(map(normal, _LINES.split(self.spoken)))
        return tuple(line for line in self.lower_lines if line not in kept)


def is_more_of_others(words: frozenset[str], users: Iterable[Witness]) -> bool:
    """Whether more of *words* stand in others' words within a person's messages than in their own."""
    every = list(users)
    own = frozenset().union(*(witness.unborrowed_words for witness in every))
    pasted = frozenset().union(*(witness.words for witness in every)) - own
    return len(words & pasted) > len(words & own)


def shortest_first(cited: Iterable[Witness]) -> list[Witness]:
    """Return *cited* so that what a few words hold is not looked for in a tool's long output first."""
    return sorted(cited, key=lambda witness: len(witness.text))


def without_pastes(text: str) -> str:
    """Return what a person said in *text*: others' words, logs and very long lines of data left out."""
    lines = own_words(text).split("\n")
    logs = sum(_LOG_LINE.match(line) is not None for line in lines)
    return "\n".join(line for line in lines if not ((logs >= 3 and _LOG_LINE.match(line)) or _is_dump(line)))


def _is_dump(line: str) -> bool:
    """Whether a very long line is data and not somebody's prose."""
    return len(line) > _LONG_LINE_CHARS and sum(c.isalpha() or c in " ,.'" for c in line) < len(line) * 0.85


def pairs_of(lower: str) -> list[tuple[str, str]]:
    """Return each number with the one name of the noun or unit that it counts: "12 boxes", "$80"."""
    found = [(match.group(1), unit_of(match.group(2))) for match in _PAIR.finditer(lower)]
    found += [(match.group(2), UNITS[match.group(1)].name) for match in _PRICED.finditer(lower)]
    return [(number, noun) for number, noun in found if noun not in _NO_NOUN]


def bare_numbers(lower: str) -> list[str]:
    """Return the numbers after which no noun stands."""
    return [match.group(1) for match in _BARE.finditer(joined(lower))]


def labels_of(lower: str) -> list[tuple[str, str]]:
    """Return each number with the noun that it tells from others of its kind: "room 28"."""
    return [(match.group(2), stem(match.group(1))) for match in _OF.finditer(lower)]


def unit_of(word: str) -> str:
    """Return the one name of a unit, or the stem of any other noun."""
    return UNITS[word].name if word in UNITS else stem(word)
