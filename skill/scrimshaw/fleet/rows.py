"""The server's rows about one agent: its head, its events, its lines, and their resulting standing.

Events are a set, numbered in the order in which transactions end, since each writer holds the agent's lock
(`one_writer`): a reader who fetches the events after a number misses none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from scrimshaw.archive import frames
from scrimshaw.core.ledger import agreement
from scrimshaw.core.ledger.agreement import PlacedEvent
from scrimshaw.core.ledger.import_checks import is_standing
from scrimshaw.core.ledger.lifecycle import standing_in_words
from scrimshaw.core.types import Event, EventType, Observation, Place, Standing
from scrimshaw.errors import Exit, UserError
from scrimshaw.fleet import server

if TYPE_CHECKING:
    from scrimshaw.fleet.server import Connection

MOST_AT_ONCE = 2_000  # events of one transaction
_ROW = (
    "e.number, e.type, e.line, e.at_ms, e.by, e.other, coalesce(r.reason, ''), e.key, e.occurrence, e.era, "
    "e.rank, e.ledger, e.seq"
)
_EVENTS = f"select {_ROW} from scrimshaw.event e left join scrimshaw.reason r on r.event = e.number"


class Head(NamedTuple):
    """The state of an agent on the server, and of one ledger of it."""

    agent: int
    newest: int  # number of its newest event
    pushed: int  # the last number of the ledger that was sent; -1: the server does not know this machine
    is_same: bool  # the event with the number asked about is the same as before
    schema: int
    owes: int  # newest record of a forgetting whose bytes may remain in files; 0: none


class NumberedEvent(NamedTuple):
    """An event with its number on the server."""

    number: int
    placed: PlacedEvent


class Parted(NamedTuple):
    """The part of a sync that one transaction sends."""

    events: Sequence[PlacedEvent]
    lines: Sequence[Observation]  # that are created in it
    until: int  # the ledger's number up to which this part reaches


class Machine(NamedTuple):
    """The machine that sends."""

    agent: int
    ledger: str
    name: str
    version: str


_HEAD = """
select a.number, coalesce((select max(number) from scrimshaw.event e where e.agent = a.number), 0),
       coalesce(m.pushed, -1),
       %(pulled)s = 0 or exists (select from scrimshaw.event e where e.agent = a.number
           and e.number = %(pulled)s and e.key = %(mark)s),
       (select max(number) from scrimshaw.migration),
       coalesce((select max(number) from scrimshaw.forgetting f where f.agent = a.number), 0)
from scrimshaw.agent a left join scrimshaw.machine m on m.agent = a.number and m.ledger = %(ledger)s
where a.name = %(name)s and pg_has_role(a.role, 'member')
"""


def head(connection: Connection, name: str, ledger: str, pulled: int, mark: bytes) -> Head | None:
    """Return the state of the agent *name*, in one round trip; None when this login may not act for it."""
    told = {"name": name, "ledger": ledger, "pulled": pulled, "mark": mark}
    row = connection.execute(_HEAD, told).fetchone()
    if row is None:
        return None
    server.check_schema(int(row[4] or 0))
    return Head(*row)


@contextmanager
def one_writer(connection: Connection, agent: int) -> Iterator[None]:
    """Run a transaction with no other writer of the agent, so that numbers are in commit order."""
    with connection.transaction():
        connection.execute("select pg_advisory_xact_lock(hashtext('scrimshaw agent'), %s)", (agent,))
        yield


def after(connection: Connection, agent: int, number: int, limit: int = MOST_AT_ONCE) -> list[NumberedEvent]:
    """Return the oldest *limit* events that are newer than *number*."""
    rows = connection.execute(
        f"{_EVENTS} where e.agent = %s and e.number > %s order by e.number limit %s", (agent, number, limit)
    )
    return [_read(row) for row in rows]


def around(connection: Connection, agent: int, ids: Collection[str]) -> list[NumberedEvent]:
    """Return all events of *ids* and of every line that replaces, or is replaced by, one of them."""
    found: dict[int, NumberedEvent] = {}
    known: set[str] = set()
    wanted = set(ids)
    while wanted:
        known |= wanted
        rows = connection.execute(
            f"{_EVENTS} where e.agent = %(agent)s and e.line = any(%(ids)s) or "
            "e.agent = %(agent)s and e.other <> '' and e.other = any(%(ids)s)",
            {"agent": agent, "ids": list(wanted)},
        )
        fresh = [_read(row) for row in rows]
        found |= {one.number: one for one in fresh}
        named = {id_ for one in fresh for id_ in (one.placed.event.observation_id, one.placed.event.other_id)}
        wanted = named - known - {""}
    return [found[number] for number in sorted(found)]


def births(connection: Connection, agent: int, ids: Collection[str]) -> dict[str, Standing]:
    """Return the first standing of those of *ids* that are on the server."""
    rows = connection.execute(
        "select id, birth from scrimshaw.line where agent = %s and id = any(%s)", (agent, list(ids))
    )
    return {id_: standing_in_words(words) or Standing(place=Place.LOG) for id_, words in rows}


def records(connection: Connection, agent: int, ids: Collection[str]) -> dict[str, str]:
    """Return the records of lines, by id."""
    rows = connection.execute(
        "select id, record from scrimshaw.words where agent = %s and id = any(%s)", (agent, list(ids))
    )
    return dict(rows.fetchall())


def observation_of(record: str) -> Observation:
    """Return the line in a record; raises UserError for one of a newer format."""
    try:
        return frames.read_record(record)
    except frames.BadFrame as error:
        raise _from_newer() from error


def forgotten(connection: Connection, agent: int, after: int) -> set[str]:
    """Return the lines that an event with a number above *after* forgets."""
    rows = connection.execute(
        "select distinct line from scrimshaw.event where agent = %s and number > %s and type = %s",
        (agent, after, EventType.FORGOTTEN.value),
    )
    return {row[0] for row in rows}


def taken_out_elsewhere(connection: Connection, agent: int, ledger: str) -> set[str]:
    """Return the lines that were removed on other machines and not on that of *ledger*."""
    types = [EventType.DELETED, EventType.EDITED, EventType.UNDONE, EventType.FORGOTTEN]
    rows = connection.execute(
        "select line from scrimshaw.event where agent = %s and type = any(%s) group by line "
        "having not bool_or(ledger = %s)",
        (agent, [one.value for one in types], ledger),
    )
    return {row[0] for row in rows}


def live_lines(connection: Connection, agent: int) -> tuple[list[tuple[Observation, Standing]], int]:
    """Return an agent's lines in force, oldest first, with standings, and how many are unreadable.

    Another program has written them: one that cannot be read must not hide the others.
    """
    found = connection.execute(
        "select w.record, l.standing from scrimshaw.line l join scrimshaw.words w using (agent, id) "
        "where l.agent = %s and l.is_live and w.text <> '[forgotten]' order by l.said_at_ms, l.id",
        (agent,),
    )
    told: list[tuple[Observation, Standing]] = []
    unread = 0
    for record, words in found:
        standing = standing_in_words(words)
        try:
            one = frames.read_record(record)
        except frames.BadFrame:
            one = None
        if one is None or standing is None or not is_standing(standing):
            unread += 1
        else:
            told.append((one, standing))
    return told, unread


def digest(connection: Connection, name: str) -> str:
    """Return the hash of an agent's memory on the server."""
    rows = connection.execute(
        "select l.id, w.record, l.standing from scrimshaw.line l join scrimshaw.words w using (agent, id) "
        "join scrimshaw.agent a on a.number = l.agent where a.name = %s",
        (name,),
    )
    held = {id_: (record, standing_in_words(words)) for id_, record, words in rows}
    return agreement.digest({id_: (record, one) for id_, (record, one) in held.items() if one})


def _read(row: Sequence[Any]) -> NumberedEvent:
    number, type_, line, at_ms, by, other, reason, key, occurrence, era, rank, ledger, seq = row
    try:
        event = Event(EventType(type_), line, at_ms, by, other, reason)
    except ValueError as error:
        raise _from_newer() from error
    return NumberedEvent(number, PlacedEvent(event, bytes(key), occurrence, era, rank, ledger, seq))


def _from_newer() -> UserError:
    return UserError(
        "Another machine of this agent has sent what this Scrimshaw is too old for. Nothing of it was taken.",
        "What was noted here was sent; the ledger of this machine is whole and goes on.",
        next_step="install the newest Scrimshaw on this machine, then: scrimshaw fleet sync",
        exit_code=Exit.REFUSED,
    )
