"""Who somebody is whom a line names by what they are to the person: "my sister Loli", "Mirko (the engineer)".

A plan passes and a report sinks, and with it what Loli is to the person. So the words that say it are told once
more, as a line that lasts, unless such a line names both already. In six languages that write names with a
capital; where the name could be a day, a place or a thing, nothing is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import cache

from scrimshaw.core.extraction.change_features import NOTED_DATE
from scrimshaw.core.language import PatternTable
from scrimshaw.core.ledger.known_lines import KnownLines, content_words
from scrimshaw.core.text.dates import find_dates
from scrimshaw.core.text.languages import name_of
from scrimshaw.core.types import FOLLOWED, Kind, Place, Proposal, Role

_people = PatternTable("people")
_SOME_DAY = datetime(2000, 1, 1, tzinfo=UTC)  # whether a name is a day does not depend on it
_PRIORITY, _SALIENCE = 2, 0.3  # the first to give way
_MOST = 3  # people of one line


def with_people(proposals: Iterable[Proposal], known: KnownLines) -> Iterator[Proposal]:
    """Yield *proposals*, and behind each that will not last a line for whom it introduces."""
    told = list(proposals)
    lasting = [content_words(one.text) for one in told if one.place is Place.STANDING]
    for proposal in told:
        yield proposal
        is_of_now = proposal.speaker is Role.USER and proposal.retells is None
        if not is_of_now or proposal.place is Place.STANDING:
            continue
        for who in introduced(proposal.text)[:_MOST]:
            words = content_words(who)
            alike = (match.shared for match in known.similar(words, place=Place.STANDING))
            if any(words <= one for one in (*lasting, *alike)):
                continue
            lasting.append(words)
            yield Proposal(
                text=f"{who[:1].upper()}{who[1:]}.",
                kind=Kind.FACT,
                priority=_PRIORITY,
                sources=proposal.sources,
                speaker=Role.USER,
                place=Place.STANDING,
                confidence=proposal.confidence,
                salience=_SALIENCE,
            )


def introduced(text: str) -> list[str]:
    """Return the words in *text* that say who somebody is, each with the name."""
    text = NOTED_DATE.sub("", text).split(FOLLOWED, 1)[0]
    named = _named().get(name_of(text.lower()))
    found = [*(named.finditer(text) if named else ()), *_people.pattern("BESIDE").finditer(text)]
    return [match.group() for match in found if not find_dates(match["name"], _SOME_DAY)]


@cache
def _named() -> dict[str, re.Pattern[str]]:
    """Return, by language, the pattern of "my sister Loli"."""
    rows = (row.split(" ", 1) for row in _people.rows("NAMED"))
    return {language: re.compile(_people.written_out(pattern)) for language, pattern in rows}
