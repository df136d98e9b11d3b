"""Plain notes from a memvid file that another program wrote.

Nothing vouches for such a text: it is nobody's word, cites nothing, and was checked by no gate. So it comes
in as a minor note of its day, one line each and not too many, out of the section until a person pins it, and
what gives orders to an agent stays out. Found by search like every line. The ids are derived from the frame's
name and words, so that the same file twice, or grown since, brings nothing twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from scrimshaw.core.extraction.manual_note import order_in
from scrimshaw.core.ledger.observations import observation_id
from scrimshaw.core.ledger.pieces import pieces_of
from scrimshaw.core.ledger.program_lines import FILE_SESSION
from scrimshaw.core.section.render import safe
from scrimshaw.core.transcript.windows import estimate_tokens
from scrimshaw.core.types import MAX_TEXT_CHARS, Author, Event, EventType, Kind, Observation, Place, Role

MOST_NOTES_OF_ONE = 20  # of one frame: a whole book in a frame is no memory
_SCOPE = "memvid"
_PRIORITY, _CONFIDENCE, _SALIENCE = 2, 0.5, 0.2
_LONGEST_TITLE_CHARS = 80
_NO_TITLE = frozenset({"", "untitled", "note", "text"})


class Foreign(NamedTuple):
    """One frame of such a file; *text* is redacted and without what the owner keeps private."""

    uri: str
    title: str
    at_ms: int  # 0: unknown
    text: str
    more_chars: int = 0  # of it that nobody has looked at


class Notes(NamedTuple):
    """What a frame becomes."""

    observations: tuple[Observation, ...]
    left_out: int  # pieces beyond the most that are taken of one frame
    orders: int  # pieces that give orders to an agent


class Arrival(NamedTuple):
    """Which file comes in, when, and into which zone."""

    at_ms: int
    zone: str
    run_id: str
    file_name: str  # of the archive: where the notes say that they come from


def notes_of(frame: Foreign, arrival: Arrival) -> Notes:
    """Return the notes that *frame* becomes."""
    made: dict[str, Observation] = {}
    left_out, orders = -(-frame.more_chars // MAX_TEXT_CHARS), 0
    for piece in _pieces(frame):
        if len(made) >= MOST_NOTES_OF_ONE:
            left_out += 1
        elif order_in(piece):
            orders += 1
        else:
            note = _note(piece, frame, arrival)
            made[note.id] = note
    return Notes(tuple(made.values()), left_out, orders)


def events_of(note: Observation, at_ms: int) -> tuple[Event, Event]:
    """Return what happens to *note* on its way in: it is noted, and set aside from the section."""
    by = (
        Author.PERSON.value
    )  # whoever imports the file; set aside by hand no free room brings it into the prompt
    return (
        Event(EventType.OBSERVED, note.id, at_ms, note.run_id),
        Event(EventType.TRIMMED, note.id, at_ms, by, reason="from another program's file"),
    )


def _note(text: str, frame: Foreign, arrival: Arrival) -> Observation:
    said_at_ms = frame.at_ms if 0 < frame.at_ms <= arrival.at_ms else arrival.at_ms
    local = datetime.fromtimestamp(said_at_ms / 1000, ZoneInfo(arrival.zone))
    uri = safe(frame.uri)
    return Observation(
        # Not the time: a file without one would be noted anew each day.
        id=observation_id(_SCOPE, (uri,), text),
        text=text,
        kind=Kind.FACT,
        priority=_PRIORITY,
        place=Place.LOG,
        done=False,
        author=Author.RULES,
        session_id=f"{FILE_SESSION}{arrival.file_name}",
        sources=(uri,),
        speaker=Role.TOOL,
        said_at_ms=said_at_ms,
        local_date=f"{local:%Y-%m-%d}",
        local_time=f"{local:%H:%M}" if frame.at_ms else "",
        zone=arrival.zone,
        confidence=_CONFIDENCE,
        salience=_SALIENCE,
        run_id=arrival.run_id,
        tokens=estimate_tokens(text),
    )


def _pieces(frame: Foreign) -> Iterator[str]:
    """Yield the frame's text as single lines that a note can have, its title before the first."""
    title = safe(frame.title)
    lead = "" if title.casefold() in _NO_TITLE or len(title) > _LONGEST_TITLE_CHARS else title
    if lead and safe(frame.text).casefold().startswith(lead.casefold()):
        lead = ""
    yield from pieces_of(frame.text, lead)
