"""Rows of one agent on the server: what a machine sends and fetches, and what forgetting takes away.

Events are a set: one that is there already is left as it is, whoever sends it again. They are numbered in the
order in which transactions end, since each holds the agent's lock, so who fetches what follows a number
misses nothing. Everything that writes is one transaction; a connection that breaks in it has sent nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from scrimshaw.archive import frames
from scrimshaw.core.ledger import agreement
from scrimshaw.core.ledger.agreement import PlacedEvent
from scrimshaw.core.ledger.forget import FORGOTTEN, Traces
from scrimshaw.core.ledger.import_checks import blanked
from scrimshaw.core.ledger.lifecycle import spell, standing_in_words
from scrimshaw.core.search.tongue import language_of
from scrimshaw.core.types import Author, Event, EventType, Observation, Place, Standing
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
    """How an agent stands on the server, and what it knows of one ledger."""

    agent: int
    newest: int  # number of its newest event
    pushed: int  # of the ledger's own numbers; -1: this machine is not known
    is_same: bool  # the number that was asked about is the event it was
    schema: int
    owes: int  # the newest note of a forgetting whose bytes may lie on in files; 0: none


class NumberedEvent(NamedTuple):
    """An event with its number on the server."""

    number: int
    placed: PlacedEvent


class Parted(NamedTuple):
    """What one transaction takes to the server."""

    events: Sequence[PlacedEvent]
    lines: Sequence[Observation]  # that are born in it
    until: int  # the ledger's number that all of it goes up to


class Machine(NamedTuple):
    """Who sends."""

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
    """Return how the agent *name* stands, in one round trip; None when this login may not act for it."""
    told = {"name": name, "ledger": ledger, "pulled": pulled, "mark": mark}
    row = connection.execute(_HEAD, told).fetchone()
    if row is None:
        return None
    server.check_schema(int(row[4] or 0))
    return Head(*row)


@contextmanager
def _writing(connection: Connection, agent: int) -> Iterator[None]:
    """One writer of an agent at a time: so numbers follow the order of commits."""
    with connection.transaction():
        connection.execute("select pg_advisory_xact_lock(hashtext('scrimshaw agent'), %s)", (agent,))
        yield


def push(connection: Connection, machine: Machine, part: Parted) -> None:
    """Take *part* to the server, and note how far this ledger is there."""
    with _writing(connection, machine.agent):
        _put_lines(connection, machine, part.lines)
        put_events(connection, machine.agent, part.events)
        connection.execute(
            "insert into scrimshaw.machine (agent, ledger, name, pushed, version) "
            "values (%s, %s, %s, %s, %s) on conflict (agent, ledger) do update "
            "set pushed = excluded.pushed, name = excluded.name, version = excluded.version, seen_at = now()",
            (machine.agent, machine.ledger, machine.name, part.until, machine.version),
        )


def decide(connection: Connection, agent: int, events: Sequence[PlacedEvent]) -> None:
    """Add events of lines that this machine keeps out: what a person took out here is out everywhere."""
    with _writing(connection, agent):
        put_events(connection, agent, events)


def put_events(connection: Connection, agent: int, events: Sequence[PlacedEvent]) -> None:
    """Add *events* that are not there, with what follows from them; in a transaction."""
    found = connection.execute(
        "insert into scrimshaw.event (agent, key, occurrence, type, line, at_ms, by, other, era, rank, "
        "ledger, seq) select %s, * from unnest(%s::bytea[], %s::int[], %s::text[], %s::text[], %s::bigint[], "
        "%s::text[], %s::text[], %s::int[], %s::bigint[], %s::text[], %s::bigint[]) "
        "on conflict (agent, key, occurrence) do nothing returning number, key, occurrence",
        (
            agent,
            [one.key for one in events],
            [one.occurrence for one in events],
            [one.event.type.value for one in events],
            [one.event.observation_id for one in events],
            [one.event.at_ms for one in events],
            [_storable(one.event.by) for one in events],
            [one.event.other_id for one in events],
            [one.era for one in events],
            [one.rank for one in events],
            [one.ledger for one in events],
            [one.seq for one in events],
        ),
    ).fetchall()
    if not found:
        return
    by_key = {(one.key, one.occurrence): one.event for one in events}
    fresh = [(number, by_key[bytes(key), occurrence]) for number, key, occurrence in found]
    reasons = [(number, _storable(event.reason)) for number, event in fresh if event.reason]
    connection.execute(
        "insert into scrimshaw.reason (event, agent, reason) select n, %s, r "
        "from unnest(%s::bigint[], %s::text[]) as t (n, r)",
        (agent, [number for number, _ in reasons], [reason for _, reason in reasons]),
    )
    gone = {event.observation_id for _, event in fresh if event.type is EventType.FORGOTTEN}
    if gone:
        wipe(connection, agent, gone)
    born = {event.observation_id for _, event in fresh if event.type is EventType.OBSERVED}
    # Most lines were only born: they stand as they were put there.
    told = connection.execute(
        "select distinct line from scrimshaw.event where agent = %s and line = any(%s) "
        "and type <> 'observed'",
        (agent, list(born)),
    )
    moved = {event.observation_id for _, event in fresh} - born | {row[0] for row in told}
    if moved:
        settle(connection, agent, moved)


def _put_lines(connection: Connection, machine: Machine, lines: Sequence[Observation]) -> None:
    births = [spell(agreement.birth(one)) for one in lines]
    ids = [one.id for one in lines]
    columns: tuple[Sequence[Any], ...] = (
        ids,
        [_storable(one.session_id) for one in lines],
        [one.said_at_ms for one in lines],
        [one.local_date for one in lines],
        [one.kind.value for one in lines],
        [one.priority for one in lines],
        births,
    )
    connection.execute(
        "insert into scrimshaw.line (agent, ledger, id, session_id, said_at_ms, local_date, kind, priority, "
        "birth, standing, is_live) select %s, %s, i, s, t, d, k, p, b, b, true "
        "from unnest(%s::text[], %s::text[], %s::bigint[], %s::text[], %s::text[], %s::smallint[], "
        "%s::text[]) as u (i, s, t, d, k, p, b) "
        "on conflict do nothing",
        (machine.agent, machine.ledger, *columns),
    )
    texts = [_storable(f"{one.text} {one.pattern}".strip()) for one in lines]
    connection.execute(
        "insert into scrimshaw.words (agent, id, record, text, search) select %s, i, r, t, "
        "case when t = %s then ''::tsvector else to_tsvector(c::regconfig, t) || to_tsvector('simple', t) "
        "|| array_to_tsvector(array[%s]) end "
        "from unnest(%s::text[], %s::text[], %s::text[], %s::text[]) as u (i, r, t, c) "
        "on conflict do nothing",
        (
            *(
                machine.agent,
                FORGOTTEN,
                f"@{machine.agent}",
                ids,
                [frames.record_of(one) for one in lines],
                texts,
            ),
            [language_of(text) for text in texts],
        ),
    )


# -- what comes of the events ------------------------------------------------------------------------------


def after(connection: Connection, agent: int, number: int, limit: int = MOST_AT_ONCE) -> list[NumberedEvent]:
    """Return the oldest *limit* events that are newer than *number*."""
    rows = connection.execute(
        f"{_EVENTS} where e.agent = %s and e.number > %s order by e.number limit %s", (agent, number, limit)
    )
    return [_read(row) for row in rows]


def around(connection: Connection, agent: int, ids: Collection[str]) -> list[NumberedEvent]:
    """Return all events of *ids* and of every line that took the place of another of them, or the reverse."""
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
    """Return what those of *ids* begin with that are on the server."""
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


def settle(connection: Connection, agent: int, ids: Collection[str]) -> None:
    """Write what all events of *ids*, and of the lines that hang together with them, come to."""
    events = around(connection, agent, ids)
    everyone = {one.placed.event.observation_id for one in events} | set(ids)
    found = agreement.agreed(births(connection, agent, everyone), [one.placed for one in events])
    connection.execute(
        "update scrimshaw.line l set standing = s, is_live = v "
        "from unnest(%s::text[], %s::text[], %s::bool[]) as t (i, s, v) "
        "where l.agent = %s and l.id = i and l.standing <> s",
        (
            *(list(found), [spell(one) for one in found.values()]),
            *([one.closed is None for one in found.values()], agent),
        ),
    )


def taken_out_elsewhere(connection: Connection, agent: int, ledger: str) -> set[str]:
    """Return the lines that were taken out on other machines and not on that of *ledger*."""
    types = [EventType.DELETED, EventType.EDITED, EventType.UNDONE, EventType.FORGOTTEN]
    rows = connection.execute(
        "select line from scrimshaw.event where agent = %s and type = any(%s) group by line "
        "having not bool_or(ledger = %s)",
        (agent, [one.value for one in types], ledger),
    )
    return {row[0] for row in rows}


def digest(connection: Connection, name: str) -> str:
    """Return the hash of an agent's memory as it is on the server."""
    rows = connection.execute(
        "select l.id, w.record, l.standing from scrimshaw.line l join scrimshaw.words w using (agent, id) "
        "join scrimshaw.agent a on a.number = l.agent where a.name = %s",
        (name,),
    )
    held = {id_: (record, standing_in_words(words)) for id_, record, words in rows}
    return agreement.digest({id_: (record, one) for id_, (record, one) in held.items() if one})


# -- forgetting, and leaving -----------------------------------------------------------------------------


def wipe(connection: Connection, agent: int, ids: Collection[str]) -> None:
    """Take the words of *ids* out of every row, with lines that hold them whole; in a transaction."""
    rows = connection.execute("select id, record from scrimshaw.words where agent = %s", (agent,)).fetchall()
    held = {id_: frames.read_record(record) for id_, record in rows}
    gone = {id_: held[id_] for id_ in ids if id_ in held and held[id_].text != FORGOTTEN}
    traces = Traces(part for one in gone.values() for part in _parts(one))
    holders: dict[str, Observation] = {}
    if traces:
        holders = {i: one for i, one in held.items() if i not in gone and _has(traces, one)}
    blank = [blanked(one) for one in (*gone.values(), *holders.values())]
    connection.execute(
        "update scrimshaw.words w set record = r, text = %s, search = '' from unnest(%s::text[], %s::text[]) "
        "as t (i, r) where w.agent = %s and w.id = i",
        (FORGOTTEN, [one.id for one in blank], [frames.record_of(one) for one in blank], agent),
    )
    if connection.execute("select to_regclass('scrimshaw.vector') is not null").fetchone() == (True,):
        connection.execute(
            "delete from scrimshaw.vector where agent = %s and id = any(%s)",
            (agent, [one.id for one in blank]),
        )
    connection.execute(
        "delete from scrimshaw.reason r using scrimshaw.event e where r.event = e.number and e.agent = %s "
        "and e.line = any(%s) and e.type <> %s",
        (agent, [*ids, *holders], EventType.SET_BACK.value),
    )
    told = connection.execute(
        "select event, reason from scrimshaw.reason where agent = %s", (agent,)
    ).fetchall()
    spoken = [number for number, text in told if traces.are_in(text) and standing_in_words(text) is None]
    connection.execute("update scrimshaw.reason set reason = %s where event = any(%s)", (FORGOTTEN, spoken))
    connection.execute("insert into scrimshaw.forgetting (agent) values (%s)", (agent,))
    if holders:
        at_ms = _newest_ms(connection)
        put_events(connection, agent, out_of_here(connection, agent, holders, EventType.FORGOTTEN, at_ms))


def out_of_here(
    connection: Connection, agent: int, ids: Iterable[str], type_: EventType, at_ms: int, ledger: str = ""
) -> list[PlacedEvent]:
    """Return what takes *ids* out by a person's word, after everything that is known of them."""
    wanted = list(ids)
    rows = connection.execute(
        "select line, max(era), max(rank) from scrimshaw.event where agent = %s and line = any(%s) "
        "group by line",
        (agent, wanted),
    )
    found = {line: (era, rank) for line, era, rank in rows}
    told = []
    for id_ in wanted:
        event = Event(type_, id_, at_ms, Author.PERSON)
        era, rank = found.get(id_, (0, 0))
        key = agreement.key_of(event)
        told.append(PlacedEvent(event, key, 0, era + 1, max(rank, at_ms), ledger, 0))
    return told


def reclaim(connection: Connection, agent: int, until: int) -> str:
    """Write the tables of words anew, so that no file holds what was forgotten; return what hinders it."""
    from psycopg import errors

    row = connection.execute(
        "select current_setting('server_version_num')::int >= 170000 and "
        "has_table_privilege('scrimshaw.words', 'MAINTAIN')"
        if connection.info.server_version >= 170000
        else "select pg_has_role(current_user, 'scrimshaw_owner', 'usage')"
    ).fetchone()
    if not row or not row[0]:
        return (
            "What was forgotten is in no row any more; its bytes lie on in the server's files until an "
            "administrator types: vacuum (full) scrimshaw.words, scrimshaw.reason;"
        )
    try:
        connection.execute("vacuum (full) scrimshaw.words")
        connection.execute("vacuum (full) scrimshaw.reason")
        if connection.execute("select to_regclass('scrimshaw.vector') is not null").fetchone() == (True,):
            connection.execute("vacuum scrimshaw.vector")
    except (errors.LockNotAvailable, errors.QueryCanceled):
        return "What was forgotten is in no row any more; the tables are written anew with the next sync."
    connection.execute("delete from scrimshaw.forgetting where agent = %s and number <= %s", (agent, until))
    return ""


def leave(connection: Connection, machine: Machine) -> int:
    """Take what this ledger brought off the server; return how many lines that were."""
    with _writing(connection, machine.agent):
        who = (machine.agent, machine.ledger)
        # What was forgotten stays, blank: a machine that comes back with the words has to hear of it.
        rows = connection.execute(
            "select l.id from scrimshaw.line l join scrimshaw.words w on w.agent = l.agent and w.id = l.id "
            "where l.agent = %s and l.ledger = %s and w.text <> '[forgotten]'",
            who,
        ).fetchall()
        ids = [row[0] for row in rows]
        connection.execute(
            "delete from scrimshaw.words where agent = %s and id = any(%s)", (machine.agent, ids)
        )
        if connection.execute("select to_regclass('scrimshaw.vector') is not null").fetchone() == (True,):
            connection.execute(
                "delete from scrimshaw.vector where agent = %s and id = any(%s)", (machine.agent, ids)
            )
        connection.execute(
            "delete from scrimshaw.event e where agent = %s and (line = any(%s) or ledger = %s "
            "and not exists (select from scrimshaw.words w "
            "where w.agent = e.agent and w.id = line and w.text = '[forgotten]'))",
            (machine.agent, ids, machine.ledger),
        )
        connection.execute(
            "delete from scrimshaw.line where agent = %s and id = any(%s)", (machine.agent, ids)
        )
        connection.execute("delete from scrimshaw.machine where agent = %s and ledger = %s", who)
        connection.execute("insert into scrimshaw.forgetting (agent) values (%s)", (machine.agent,))
    return len(ids)


def _newest_ms(connection: Connection) -> int:
    row = connection.execute("select (extract(epoch from now()) * 1000)::bigint").fetchone()
    return int(row[0]) if row else 0


def _parts(one: Observation) -> Iterator[str]:
    yield one.text
    if one.pattern:
        yield one.pattern


def _has(traces: Traces, one: Observation) -> bool:
    return one.text != FORGOTTEN and (
        traces.are_in(one.text) or bool(one.pattern and traces.are_in(one.pattern))
    )


def _read(row: Sequence[Any]) -> NumberedEvent:
    number, type_, line, at_ms, by, other, reason, key, occurrence, era, rank, ledger, seq = row
    event = Event(EventType(type_), line, at_ms, by, other, reason)
    return NumberedEvent(number, PlacedEvent(event, bytes(key), occurrence, era, rank, ledger, seq))


def _storable(text: str) -> str:
    """Return *text* as the server can hold it."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
