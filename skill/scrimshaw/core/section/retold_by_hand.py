"""What a person did to a line that was told again with news behind it, or while it was being told again.

Whoever cuts off the news wants the line as it was before: that line holds again, and is known when it is said
once more. Whoever rewords or takes out the line without having seen the news has the last word about it: of
the line that tells it again only the news stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from scrimshaw.core.ledger.observations import observation_id
from scrimshaw.core.ledger.retold import newest_telling, news_behind
from scrimshaw.core.section.diff import Edits, WrittenLine, without_marks
from scrimshaw.core.section.edits import PERSON, Find, Moment, Taken
from scrimshaw.core.transcript.windows import estimate_tokens
from scrimshaw.core.types import Author, Closed, Event, EventType, Line

FindReplaced = Callable[[str], Sequence[Line]]


def news_cut_off(edits: Edits, find: Find, replaced: FindReplaced, moment: Moment) -> tuple[Edits, Taken]:
    """Return *edits* without the lines that lost only their news, and what those become.

    *replaced* gives the lines whose place one of the ledger has taken.
    """
    ids = (*edits.deleted, *(written.was for written in edits.edited))
    events: list[Event] = []
    done: set[WrittenLine] = set()
    cut: set[str] = set()
    for told in filter(None, map(find, ids)):
        earlier = list(_earlier(told, find, replaced))
        for written in (*edits.edited, *edits.added):
            line = next((one for one in earlier if written not in done and _reads_as(written, one)), None)
            if line is None or written.was not in ("", told.observation.id, line.observation.id):
                continue
            done.add(written)
            cut.add(told.observation.id)
            if not line.standing.is_live:  # else a run that was killed has taken it
                events += _held_again(line, told, moment)
            break
    left = edits._replace(
        deleted=tuple(id_ for id_ in edits.deleted if id_ not in cut),
        edited=tuple(written for written in edits.edited if written not in done),
        added=tuple(written for written in edits.added if written not in done),
    )
    return left, Taken((), tuple(events))


def news_alone(edits: Edits, find: Find, moment: Moment, run_id: str) -> Taken:
    """Return the news, alone, that were told behind a line that the person reworded or took out."""
    observations, events = [], []
    for line in filter(None, map(find, (*edits.deleted, *(written.was for written in edits.edited)))):
        told = newest_telling(line, find)
        if told is line or not told.standing.is_live or told.standing.is_pinned:
            continue
        if told.observation.author is Author.PERSON:
            continue
        old = told.observation
        text = news_behind(old.text, line.observation.text)
        id_ = observation_id(old.session_id, old.sources, text)
        observations.append(replace(old, id=id_, text=text, tokens=estimate_tokens(text)))
        why = "the line that it tells again was changed by hand"
        events.append(Event(EventType.SUPERSEDED, old.id, moment.at_ms, run_id, id_, why))
    return Taken(tuple(observations), tuple(events))


def _earlier(told: Line, find: Find, replaced: FindReplaced) -> Iterator[Line]:
    """Yield the lines that *told* tells again with news, the longest first."""
    was = find(told.standing.closed_by) if told.standing.closed is Closed.EDITED else None
    for line in (*replaced(told.observation.id), *([was] if was else [])):
        if news_behind(told.observation.text, line.observation.text):
            yield line
            yield from _earlier(line, find, replaced)


def _reads_as(written: WrittenLine, line: Line) -> bool:
    is_alike = (written.place, written.done) == (line.standing.place, line.observation.done)
    return is_alike and without_marks(written.text) == without_marks(line.observation.text)


def _held_again(line: Line, told: Line, moment: Moment) -> list[Event]:
    id_, by = told.observation.id, line.observation.id
    return [
        Event(EventType.RESTORED, by, moment.at_ms, PERSON, reason="written again by hand"),
        Event(EventType.EDITED, id_, moment.at_ms, PERSON, by, "changed by hand"),
    ]
