"""Phrases: patterns written as people say things, in lower case, for text in any case.

A table is alternatives separated by " / " or line breaks, each a regular expression between word
ends; a line that ends in "|" goes on in the next. A person can read it, and it is five times as
fast as patterns that ignore case.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

_CONTINUED = re.compile(r"\|\n\s*")


class Phrases:
    """A pattern for text in any case, written in lower case. Spans are those of the text as given."""

    def __init__(self, pattern: str) -> None:
        self._written = pattern

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        # At first use: reading all tables takes a run that finds nothing new longer than its work.
        return re.compile(self._written)

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


def _lower(text: str) -> str:
    low = text.lower().replace("’", "'")
    if len(low) == len(text):
        return low
    # A few letters grow when lowered; spans must stay those of the text.
    return "".join(char.lower() if len(char.lower()) == 1 else char for char in text)


def phrases(table: str) -> Phrases:
    """Return the phrases of *table*, found as whole words."""
    whole = _CONTINUED.sub("|", table)
    alternatives = [part.strip() for line in whole.split("\n") for part in line.split(" / ")]
    return Phrases(r"\b(?:" + "|".join(part for part in alternatives if part) + r")\b")
