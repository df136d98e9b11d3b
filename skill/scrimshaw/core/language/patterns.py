"""Patterns written as people say things, in lower case, for text in any case.

Those that belong to the language stand in files of word lists (scrimshaw.data), by group. A group is one
regular expression, its lines joined; or, with a first line `whole words:`, alternatives separated by " / " or
line ends that match between word ends; or, with `each:`, one expression a line. There a line that ends in "|"
goes on in the next. A group's name in capitals within another stands for its text. Compiled when first used:
reading all of them takes a run that finds nothing new longer than its work.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, cached_property

from scrimshaw import data

_CONTINUED = re.compile(r"\|\n\s*")
_GROUP = re.compile(r"(?:\b|(?<=\\b))[A-Z][A-Z_]*[A-Z]\b")
_WHOLE_WORDS = "whole words:"


class Phrases:
    """A pattern for text in any case, written in lower case. Spans are those of the text as given."""

    def __init__(self, pattern: str | Callable[[], str]) -> None:
        self._written = pattern

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(self._written if isinstance(self._written, str) else self._written())

    def search(self, text: str, start: int = 0) -> re.Match[str] | None:
        """Return the first place where one of the phrases stands."""
        return self._pattern.search(_lower(text), start)

    def match(self, text: str) -> re.Match[str] | None:
        """Return the phrase that *text* begins with."""
        return self._pattern.match(_lower(text))

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Return every phrase found, in order."""
        return self._pattern.finditer(_lower(text))

    def cut(self, text: str, instead: str = "") -> str:
        """Return *text* with *instead* of each phrase; the rest in its own case."""
        kept: list[str] = []
        end = 0
        for match in self._pattern.finditer(_lower(text)):
            kept += (text[end : match.start()], instead)
            end = match.end()
        return "".join((*kept, text[end:])) if end else text


class PatternTable:
    """The groups of one file of word lists; `table.NAME` is group [name] as `Phrases`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, group: str) -> Phrases:
        if not group.isupper():
            raise AttributeError(group)
        found = Phrases(lambda: self.text(group))
        setattr(self, group, found)
        return found

    def text(self, group: str) -> str:
        """Return the regular expression of *group*."""
        first, *rest = lines = data.lines(self._name, group.lower())
        text = _whole_words("\n".join(rest)) if first == _WHOLE_WORDS else "".join(lines)
        return self.written_out(text)

    def written_out(self, text: str) -> str:
        """Return *text* with the text of each group that it names."""
        return _GROUP.sub(lambda name: self.text(name.group()), text)

    def pattern(self, group: str) -> re.Pattern[str]:
        """Return *group* for text in the case it is written in."""
        return _compiled(self, group)

    def each(self, group: str) -> tuple[Phrases, ...]:
        """Return the patterns of *group*, one a line."""
        return _each(self, group)

    def rows(self, group: str) -> list[str]:
        """Return the expressions of *group*, which begins with `each:`, as they are written."""
        lines = data.lines(self._name, group.lower())[1:]
        return _CONTINUED.sub("|", "\n".join(lines)).split("\n")

    def words(self, group: str) -> frozenset[str]:
        """Return the words of *group*."""
        return _words(self._name, group.lower())


@cache
def _words(name: str, group: str) -> frozenset[str]:
    return frozenset(data.words(name, group))


@cache
def _compiled(table: PatternTable, group: str) -> re.Pattern[str]:
    return re.compile(table.text(group))


@cache
def _each(table: PatternTable, group: str) -> tuple[Phrases, ...]:
    return tuple(Phrases(table.written_out(row)) for row in table.rows(group))


def phrases(table: str) -> Phrases:
    """Return the phrases of *table*, found as whole words."""
    return Phrases(_whole_words(table))


def _whole_words(table: str) -> str:
    lines = _CONTINUED.sub("|", table).split("\n")
    alternatives = [part.strip() for line in lines for part in line.split(" / ")]
    return r"\b(?:" + "|".join(part for part in alternatives if part) + r")\b"


def _lower(text: str) -> str:
    low = text.lower().replace("’", "'")
    if len(low) == len(text):
        return low
    # A few letters grow when lowered; spans must stay those of the text.
    return "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
