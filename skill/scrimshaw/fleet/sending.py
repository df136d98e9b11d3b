"""Send a machine's events and the lines created in them, and update the resulting standings.

An event that is already there is not changed, whoever sends it again. Everything is one transaction: a
connection that breaks has sent nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from scrimshaw.archive import frames
from scrimshaw.core.ledger import agreement
from scrimshaw.core.ledger.agreement import PlacedEvent
from scrimshaw.core.ledger.forget import FORGOTTEN
from scrimshaw.core.ledger.lifecycle import spell
from scrimshaw.core.search.query import levelled
from scrimshaw.core.search.tongue import language_of
from scrimshaw.core.types import EventType, Observation
from scrimshaw.fleet import erasure, rows
from scrimshaw.fleet.rows import Machine, Parted

if TYPE_CHECKING:
    from scrimshaw.fleet.server import Connection


def push(connection: Connection, machine: Machine, part: Parted) -> int:
    """Send *part*, and record how far this ledger has been sent; return the number of new events."""
    with rows.one_writer(connection, machine.agent):
        _put_lines(connection, machine, part.lines)
        count = put_events(connection, machine.agent, part.events)
        connection.execute(
            "insert into scrimshaw.machine (agent, ledger, name, pushed, version) "
            "values (%s, %s, %s, %s, %s) on conflict (agent, ledger) do update "
            "set pushed = excluded.pushed, name = excluded.name, version = excluded.version, seen_at = now()",
            (machine.agent, machine.ledger, machine.name, part.until, machine.version),
        )
    return count


def decide(connection: Connection, agent: int, events: Sequence[PlacedEvent]) -> None:
    """Add events of lines that this machine keeps out: what a person removed here is removed everywhere."""
    with rows.one_writer(connection, agent):
        put_events(connection, agent, events)


def put_events(connection: Connection, agent: int, events: Sequence[PlacedEvent]) -> int:
    """Add the *events* that are not there yet, and update what follows from them; return how many.

    In a transaction.
    """
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
        return 0
    by_key = {(one.key, one.occurrence): one.event for one in events}
    fresh = [(number, by_key[bytes(key), occurrence]) for number, key, occurrence in found]
    reasons = [(number, _storable(event.reason)) for number, event in fresh if event.reason]
    connection.execute(
        "insert into scrimshaw.reason (event, agent, reason) select n, %s, r "
        "from unnest(%s::bigint[], %s::text[]) as t (n, r)",
        (agent, [number for number, _ in reasons], [reason for _, reason in reasons]),
    )
    gone = erasure.unwiped(connection, agent, {event.observation_id for _, event in fresh})
    if gone and (holders := erasure.wipe(connection, agent, gone)):
        out = erasure.out_of_here(connection, agent, holders, EventType.FORGOTTEN, _newest_ms(connection))
        put_events(connection, agent, out)
    born = {event.observation_id for _, event in fresh if event.type is EventType.OBSERVED}
    # Most lines have only been created: their standing is already stored.
    told = connection.execute(
        "select distinct line from scrimshaw.event where agent = %s and line = any(%s) "
        "and type <> 'observed'",
        (agent, list(born)),
    )
    moved = {event.observation_id for _, event in fresh} - born | {row[0] for row in told}
    if moved:
        settle(connection, agent, moved)
    return len(found)


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
        "case when t = %s then ''::tsvector else to_tsvector(c::regconfig, w) || to_tsvector('simple', w) "
        "|| array_to_tsvector(array[%s]) end "
        "from unnest(%s::text[], %s::text[], %s::text[], %s::text[], %s::text[]) as u (i, r, t, w, c) "
        "on conflict do nothing",
        (
            *(
                machine.agent,
                FORGOTTEN,
                f"@{machine.agent}",
                ids,
                [frames.record_of(one) for one in lines],
                texts,
                [levelled(text) for text in texts],  # normalised as a query is
            ),
            [language_of(text) for text in texts],
        ),
    )


def settle(connection: Connection, agent: int, ids: Collection[str]) -> None:
    """Store the standing that results from all events of *ids* and of the lines connected with them."""
    events = rows.around(connection, agent, ids)
    everyone = {one.placed.event.observation_id for one in events} | set(ids)
    found = agreement.agreed(rows.births(connection, agent, everyone), [one.placed for one in events])
    connection.execute(
        "update scrimshaw.line l set standing = s, is_live = v "
        "from unnest(%s::text[], %s::text[], %s::bool[]) as t (i, s, v) "
        "where l.agent = %s and l.id = i and l.standing <> s",
        (
            *(list(found), [spell(one) for one in found.values()]),
            *([one.closed is None for one in found.values()], agent),
        ),
    )


def _newest_ms(connection: Connection) -> int:
    row = connection.execute("select (extract(epoch from now()) * 1000)::bigint").fetchone()
    return int(row[0]) if row else 0


def _storable(text: str) -> str:
    """Return *text* without what the server cannot store."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
