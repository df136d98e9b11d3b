"""Which lines that were out for a while a later statement has made untrue, or done.

An observer closes what it knows of when it accepts a statement; a line that was no candidate then was known
to nobody. Before it comes back, what was said since is held against it by the same rules, in the order of
the saying. Pure: lines in, closings out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date

from scrimshaw.core.consolidation import supersede
from scrimshaw.core.consolidation.supersede import Closing
from scrimshaw.core.extraction.candidates import Draft
from scrimshaw.core.extraction.updates import settle
from scrimshaw.core.language import ASKED
from scrimshaw.core.ledger.known_lines import Known, content_words
from scrimshaw.core.types import EventType, Line, Observation

_WHY = {EventType.SUPERSEDED: "changed by a later word", EventType.COMPLETED: "reported as done"}


def outdated(lines: Sequence[Line], among: Collection[str]) -> Iterator[Closing]:
    """Yield what of the lines with the ids *among* a later one of *lines* closes, each once."""
    seen: set[str] = set()
    for found in (*_by_statements(lines, among), *supersede.superseded(lines), *supersede.completed(lines)):
        if found.id in among and found.id not in seen:
            seen.add(found.id)
            yield found


def _by_statements(lines: Iterable[Line], among: Collection[str]) -> Iterator[Closing]:
    known = Known()
    for line in sorted(lines, key=lambda line: (line.observation.said_at_ms, line.observation.id)):
        statement = line.observation
        for made in settle([_draft(statement)], known) if len(known) else ():
            closes = dict.fromkeys(made.replaces, EventType.SUPERSEDED)
            closes |= dict.fromkeys(made.completes, EventType.COMPLETED)
            for id_, type_ in closes.items():
                known.close(id_)
                yield Closing(type_, id_, statement.id, _WHY[type_])
        if statement.id in among:
            known.add(statement)


def _draft(statement: Observation) -> Draft:
    """Return *statement* as the observer had it when it was said."""
    refers = statement.refers_to
    return Draft(
        text=statement.text,
        words=content_words(statement.text),
        kind=statement.kind,
        priority=statement.priority,
        place=statement.place,
        score=0.0,
        sources=statement.sources,
        speaker=statement.speaker,
        done=statement.done,
        refers_to=refers,
        is_asked=statement.text.startswith(ASKED),
        is_ahead=refers is not None and refers.start > date.fromisoformat(statement.local_date),
    )
