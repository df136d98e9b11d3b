"""What a person did to the section, as ledger entries (rules 4 and 6 to 9).

`merge` says what changed in the text; this module turns that into the person's own observations and the
events of the lines they touched. The ids of a person's lines are derived from text and place alone, so
the same edit taken twice (a crash, a second try) is one edit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from scrimshaw.core.ledger.observations import observation_id
from scrimshaw.core.ledger.retold import newest_telling
from scrimshaw.core.section.diff import Edits, Restored, WrittenLine, without_marks
from scrimshaw.core.section.render import frame, normal, undress
from scrimshaw.core.section.wrapping import CLOSE
from scrimshaw.core.transcript.windows import estimate_tokens
from scrimshaw.core.types import Author, Closed, Event, EventType, Kind, Line, Observation, Place, Role

Find = Callable[[str], Line | None]

PERSON = "person"
_PERSONS_SCOPE = "by hand"
_RECOVERED_SCOPE = "dated file"
_BESIDE = "it stands above the section, as it was written"
_PUNCTUATION = ".,;:!?…\"'“”‘’()"  # around a word: "C++" and "-5" keep theirs
OLDER_TEXT = "an older text was put back"  # why a later line is hidden
_DONE_BY_HAND = frozenset({Closed.DELETED, Closed.EDITED, Closed.DROPPED, Closed.UNDONE})


class Moment(NamedTuple):
    """When a run takes the edits, and in which zone their dates are read."""

    at_ms: int
    zone: str


class Taken(NamedTuple):
    """What goes into the ledger for a person's edits, in this order."""

    observations: tuple[Observation, ...] = ()
    events: tuple[Event, ...] = ()


def from_edits(edits: Edits, find: Find, moment: Moment, unseen: Iterable[Line] = ()) -> Taken:
    """Return the ledger entries of *edits*; *find* looks a line of the ledger up by id.

    *unseen* are the live lines that the person did not have before them. A hidden one that says what they
    took out, or worded otherwise, goes with it: it would come into the room that is free now. What a later
    section shows is for its reader to take out, whoever saved an older copy.
    """
    twins = _by_words(line for line in unseen if not line.standing.is_shown)
    # A run killed before writing the file has recorded these already.
    gone = [id_ for id_ in edits.deleted if not _is_closed(find(id_), Closed.DELETED)]
    gone += sorted({twin for id_ in gone for twin in _saying(find(id_), twins)})
    events = [_event(EventType.DELETED, id_, moment, "deleted by hand") for id_ in gone]
    observations: list[Observation] = []
    for written in edits.edited:
        line = find(written.was)
        # An older copy's line may have been worded anew since: then that wording gives way, too.
        if line is not None and (newest := _newest_wording(line, find)).standing.is_live:
            line, written = newest, written._replace(was=newest.observation.id)
        own = by_hand(written, moment, line.observation if line else None, find)
        if own.id != written.was:
            observations.append(own)
        if own.id != written.was and not _is_closed(line, Closed.EDITED, by=own.id):
            events += [
                Event(EventType.EDITED, id_, moment.at_ms, PERSON, own.id, "changed by hand")
                for id_ in (written.was, *(twin for twin in _saying(line, twins) if twin != own.id))
            ]
        events += _revived(find(own.id), moment)
    for written in edits.added:
        earlier = find(written.was) if written.was else None
        if earlier is not None and earlier.standing.closed in (None, *_DONE_BY_HAND):
            # The text of an earlier revision: the person restored that line; it is not new.
            if earlier.standing.is_live and earlier.standing.is_shown:
                continue  # and was never away: a run that was killed has taken it
            events += _revived(earlier, moment)
            # Pin it: the next trim must not remove what a person put back.
            events.append(_event(EventType.PINNED, earlier.observation.id, moment, "put back by hand"))
            continue
        own = by_hand(written, moment, None, find)
        observations.append(own)
        events += _revived(find(own.id), moment)
    return Taken(tuple(observations), tuple(events))


def from_restore(restored: Restored, find: Find, moment: Moment) -> Taken:
    """Return the events of an older text put back: its lines are shown again, later ones are hidden.

    Lines that the conversation has closed since (replaced, done, withdrawn) stay closed. One that it told
    again with news holds: whoever cuts off the news by hand leaves just that text. A later one that only said
    in the person's words what one of these says gives way to it.
    """
    hidden = dict.fromkeys(restored.hidden)
    events: list[Event] = []
    for id_ in restored.back:
        line = find(id_)
        if line is None:
            continue
        is_by_hand = line.standing.closed in (None, *_DONE_BY_HAND)
        told = _newest_wording(line, find) if is_by_hand else newest_telling(line, find)
        is_taken_back = told is not line and told.observation.id in hidden
        if line.standing.closed is not None and (is_by_hand or is_taken_back):
            events += _revived(line, moment)
        if is_by_hand and not (line.standing.is_live and line.standing.is_shown):
            events.append(_event(EventType.SHOWN, id_, moment, OLDER_TEXT))
        if is_taken_back:
            del hidden[told.observation.id]
            events.append(
                Event(EventType.EDITED, told.observation.id, moment.at_ms, PERSON, id_, "changed by hand")
            )
    # A run killed before writing the file has recorded these already.
    away = (id_ for id_ in hidden if (line := find(id_)) is None or not line.standing.is_set_aside)
    hides = [_event(EventType.TRIMMED, id_, moment, OLDER_TEXT) for id_ in away]
    return Taken((), (*hides, *events))


def from_import(lines: Iterable[WrittenLine], find: Find, moment: Moment) -> Taken:
    """Return the person's own observations for *lines* found without a history (rules 4 and 9).

    Of one day they stay in the order they stand in: what says the date, or the topic, of those below it is a
    line like any other.
    """
    made = [by_hand(written, moment, None, find) for written in lines]
    observations = [replace(own, said_at_ms=own.said_at_ms + at) for at, own in enumerate(made)]
    return Taken(
        tuple(observations),
        tuple(event for own in observations for event in _revived(find(own.id), moment)),
    )


def reworded(
    lines: Sequence[WrittenLine], noted: Mapping[str, str]
) -> tuple[tuple[WrittenLine, ...], tuple[WrittenLine, ...]]:
    """Return those of *lines* that are one of *noted*, which the text lacks, in other words; and the rest.

    They stand in its mark, with its date or time: what has these was noted by us once.
    """
    from rapidfuzz import fuzz  # as in diff

    close = sorted(
        (-fuzz.ratio(*(without_marks(text).casefold() for text in (line.text, normal(other)))), at, id_)
        for id_, other in noted.items()
        for at, line in enumerate(lines)
        if frame(line.text) == frame(normal(other)) != ""
    )
    pairs: dict[int, str] = {}
    for ratio, at, id_ in close:
        if -ratio >= CLOSE and at not in pairs and id_ not in pairs.values():
            pairs[at] = id_
    found = tuple(lines[at]._replace(was=id_) for at, id_ in sorted(pairs.items()))
    return found, tuple(line for at, line in enumerate(lines) if at not in pairs)


def together(*parts: Taken) -> Taken:
    """Return all that *parts* hold, as one."""
    return Taken(
        tuple(one for taken in parts for one in taken.observations),
        tuple(event for taken in parts for event in taken.events),
    )


def beside(taken: Taken, moment: Moment) -> Taken:
    """Return *taken* with its lines hidden: they stand above the section, as they were written."""
    hidden = [_event(EventType.TRIMMED, own.id, moment, _BESIDE) for own in taken.observations]
    return taken._replace(events=(*taken.events, *hidden))


def by_hand(
    written: WrittenLine, moment: Moment, heir_of: Observation | None, find: Find = lambda _id: None
) -> Observation:
    """Return a person's line; *heir_of* is the line it was made from: sources, claim and date go on.

    Words that were forgotten and are written again are a new line: *find* tells which ones are no more.
    """
    local = datetime.fromtimestamp(moment.at_ms / 1000, ZoneInfo(moment.zone))
    said_at_ms, local_date, local_time = moment.at_ms, f"{local:%Y-%m-%d}", ""
    if heir_of is not None:
        said_at_ms, local_time = heir_of.said_at_ms, heir_of.local_time
        # Under another day's heading is where the person wants it.
        local_date = written.date if _is_date(written.date) else heir_of.local_date
    elif _is_date(written.date):
        day = datetime.fromisoformat(written.date).replace(tzinfo=ZoneInfo(moment.zone))
        said_at_ms, local_date, local_time = int(day.timestamp() * 1000), written.date, written.time
    return Observation(
        id=_id_by_hand(written, find),
        text=written.text,
        kind=heir_of.kind if heir_of else written.kind,
        priority=written.priority,
        place=written.place,
        done=written.done,
        author=Author.PERSON,
        session_id=heir_of.session_id if heir_of else "",
        sources=heir_of.sources if heir_of else (),
        speaker=heir_of.speaker if heir_of else Role.USER,
        said_at_ms=said_at_ms,
        local_date=local_date,
        local_time=local_time,
        zone=moment.zone,
        refers_to=heir_of.refers_to if heir_of else None,
        claim=heir_of.claim if heir_of else None,
        tokens=estimate_tokens(written.text),
    )


def _id_by_hand(written: WrittenLine, find: Find) -> str:
    where: tuple[str, ...] = (written.place, written.date)
    while (line := find(found := observation_id(_PERSONS_SCOPE, where, written.text))) is not None:
        if line.standing.closed is not Closed.FORGOTTEN:
            break
        where = (*where, "again")
    return found


def recovered(written: WrittenLine, kind: Kind, day: str, time: str, moment: Moment) -> Taken:
    """Return our own line again, from the section and the dated file that hold it; its sources are lost."""
    dress = undress(written.text, written.place)
    local = datetime.fromisoformat(f"{day}T{time or '00:00'}").replace(tzinfo=ZoneInfo(moment.zone))
    ours = Observation(
        id=observation_id(_RECOVERED_SCOPE, (day, time), dress.text),
        text=dress.text,
        kind=kind,
        priority=dress.priority,
        place=written.place,
        done=dress.done,
        author=Author.RULES,
        session_id="",
        sources=(),
        speaker=Role.USER,
        said_at_ms=int(local.timestamp() * 1000),
        local_date=day,
        local_time=time,
        zone=moment.zone,
        tokens=estimate_tokens(dress.text),
    )
    is_expired = written.place is Place.LOG and kind is Kind.NEXT_STEP and not dress.done
    return Taken((ours,), (_event(EventType.EXPIRED, ours.id, moment, "read back"),) if is_expired else ())


def _newest_wording(line: Line, find: Find) -> Line:
    """Return the line that says by hand what *line* said before; itself for none."""
    seen: set[str] = set()
    while line.standing.closed is Closed.EDITED and line.observation.id not in seen:
        seen.add(line.observation.id)
        line = find(line.standing.closed_by) or line
    return line


def _by_words(lines: Iterable[Line]) -> dict[tuple[str, ...], list[str]]:
    found: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for line in lines:
        found[_words(line)].append(line.observation.id)
    return found


def _saying(line: Line | None, twins: Mapping[tuple[str, ...], list[str]]) -> list[str]:
    """Return those of *twins* that say what *line* says, word for word."""
    words = _words(line) if line is not None else ()
    return twins.get(words, []) if words else []


def _words(line: Line) -> tuple[str, ...]:
    """Return what *line* says, whatever mark, letter case and punctuation it is written in."""
    words = (word.strip(_PUNCTUATION) for word in without_marks(line.observation.text).lower().split())
    return tuple(word for word in words if word)


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _revived(line: Line | None, moment: Moment) -> list[Event]:
    """Return what brings back a line of the same words that a person had taken out, or put away, before."""
    if line is None or line.standing.closed is Closed.FORGOTTEN:
        return []
    if line.standing.closed is None:
        is_hidden = not line.standing.is_shown
        return [_event(EventType.SHOWN, line.observation.id, moment, "written again by hand")] * is_hidden
    return [_event(EventType.RESTORED, line.observation.id, moment, "written again by hand")]


def _is_closed(line: Line | None, how: Closed, *, by: str = "") -> bool:
    return line is not None and line.standing.closed is how and line.standing.closed_by == by


def _event(type_: EventType, id_: str, moment: Moment, reason: str) -> Event:
    return Event(type_, id_, moment.at_ms, PERSON, reason=reason)
