"""What was known at some time: what had been said by then, and was not yet taken back.

It goes by when a thing was said, not by when it was noted: a ledger that is begun today, or was imported,
knows what last week's conversations knew last week. A line counts from when it was said; that it was
replaced, done, withdrawn or merged counts from when the line that did it was said. A rewording by hand
carries the day of the words it changed, and counts from when it was written. Whatever else happened (taken
out, undone, pinned) happened when it was done. Of now this is the standing of today. What the agent had
before its eyes is another question, which revisions answer. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scrimshaw.core.ledger.lifecycle import replay
from scrimshaw.core.types import Closed, Event, EventType, Line, Observation

_BY_WORD = frozenset(
    {EventType.SUPERSEDED, EventType.WITHDRAWN, EventType.COMPLETED, EventType.MERGED},
)


def known(lines: Mapping[str, Line], events: Iterable[Event], at_ms: int) -> list[Line]:
    """Return those of *lines* that were known at *at_ms*, each as it stood then; none that was forgotten.

    *events* are all that ever happened to them, in the order of the ledger.
    """
    told = [event for event in events if event.observation_id in lines]
    born = _births(lines, told)
    happened: dict[str, list[Event]] = {}
    for event in told:
        at = born[event.observation_id] if event.type is EventType.OBSERVED else event.at_ms
        if event.type in _BY_WORD:
            at = min(at, born.get(event.other_id, at))
        if at <= at_ms:
            happened.setdefault(event.observation_id, []).append(event)
    return [
        Line(line.observation, replay(line.observation, happened[id_]))
        for id_, line in lines.items()
        if id_ in happened and born[id_] <= at_ms and line.standing.closed is not Closed.FORGOTTEN
    ]


def _births(lines: Mapping[str, Line], events: Iterable[Event]) -> dict[str, int]:
    """Return from when on each line was known."""
    born: dict[str, int] = {}
    reworded: dict[str, int] = {}
    for event in events:
        if event.type is EventType.EDITED:
            reworded.setdefault(event.other_id, event.at_ms)
        elif event.type is EventType.OBSERVED:
            # A clock that was ahead makes nothing known later than it was noted.
            born.setdefault(event.observation_id, event.at_ms)
    return {id_: _birth(line.observation, born.get(id_), reworded.get(id_)) for id_, line in lines.items()}


def _birth(observation: Observation, noted_ms: int | None, reworded_ms: int | None) -> int:
    if noted_ms is None:
        return observation.said_at_ms
    if reworded_ms is not None and reworded_ms <= noted_ms:
        return noted_ms
    return min(observation.said_at_ms, noted_ms)
