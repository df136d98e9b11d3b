"""Delete words from the server: from rows, from the tables' files, and all lines of a machine that leaves."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from scrimshaw.archive import frames
from scrimshaw.core.ledger import agreement
from scrimshaw.core.ledger.agreement import PlacedEvent
from scrimshaw.core.ledger.forget import FORGOTTEN, Traces
from scrimshaw.core.ledger.import_checks import blanked
from scrimshaw.core.ledger.lifecycle import standing_in_words
from scrimshaw.core.types import Author, Event, EventType, Observation
from scrimshaw.fleet import rows
from scrimshaw.fleet.rows import Machine

if TYPE_CHECKING:
    from scrimshaw.fleet.server import Connection


def wipe(connection: Connection, agent: int, ids: Collection[str]) -> set[str]:
    """Blank the words of *ids* in every row; return the other lines that contained them, now blank, too.

    In a transaction. The caller has to record that those lines are forgotten.
    """
    found = connection.execute("select id, record from scrimshaw.words where agent = %s", (agent,)).fetchall()
    held = {id_: rows.observation_of(record) for id_, record in found}
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
    if _has_vectors(connection):
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
    return set(holders)


def unwiped(connection: Connection, agent: int, ids: Collection[str]) -> set[str]:
    """Return those of *ids* that are forgotten, now or long ago, and still have words in a row."""
    rows = connection.execute(
        "select distinct e.line from scrimshaw.event e where e.agent = %(agent)s and e.line = any(%(ids)s) "
        "and e.type = 'forgotten' and (exists (select from scrimshaw.words w "
        "where w.agent = e.agent and w.id = e.line and w.text <> %(blank)s) or exists (select from "
        "scrimshaw.event o join scrimshaw.reason r on r.event = o.number "
        "where o.agent = e.agent and o.line = e.line and o.type <> 'set_back'))",
        {"agent": agent, "ids": list(ids), "blank": FORGOTTEN},
    )
    return {row[0] for row in rows}


def out_of_here(
    connection: Connection, agent: int, ids: Iterable[str], type_: EventType, at_ms: int, ledger: str = ""
) -> list[PlacedEvent]:
    """Return the events by which a person removes *ids*, placed after all known events of each line."""
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


def hindrance(connection: Connection) -> str:
    """Return why this login cannot rewrite the tables of words, and what an administrator has to type."""
    row = connection.execute(
        "select has_table_privilege('scrimshaw.words', 'MAINTAIN')"
        if connection.info.server_version >= 170000
        else "select pg_has_role(current_user, 'scrimshaw_owner', 'usage')"
    ).fetchone()
    if row and row[0]:
        return ""
    return (
        "What was forgotten is in no row any more; its bytes lie on in the server's files until an "
        "administrator types: vacuum (full) scrimshaw.words, scrimshaw.reason; "
        "delete from scrimshaw.forgetting;"
    )


def reclaim(connection: Connection, agent: int, until: int) -> str:
    """Rewrite the tables of words, so that no file holds what was forgotten; return what prevents it."""
    from psycopg import errors

    if why := hindrance(connection):
        return why
    try:
        connection.execute("vacuum (full) scrimshaw.words")
        connection.execute("vacuum (full) scrimshaw.reason")
        if _has_vectors(connection):
            connection.execute("vacuum scrimshaw.vector")
    except (errors.LockNotAvailable, errors.QueryCanceled):
        return "The forgotten words are deleted from every row; the next sync rewrites the tables' files."
    connection.execute("delete from scrimshaw.forgetting where agent = %s and number <= %s", (agent, until))
    return ""


def leave(connection: Connection, machine: Machine, *, every: bool = False) -> tuple[int, int]:
    """Delete from the server what this ledger has sent, with *every* what any of the agent's machines sent.

    Return the number of lines deleted, and of the agent's lines left. Other machines' rows stay, so that none
    sends everything again.
    """
    with rows.one_writer(connection, machine.agent):
        # Forgotten lines stay, blank: a machine that comes back with the words has to learn of it.
        found = connection.execute(
            "select id, %s or l.ledger = %s from scrimshaw.line l join scrimshaw.words w using (agent, id) "
            "where agent = %s and w.text <> %s",
            (every, machine.ledger, machine.agent, FORGOTTEN),
        ).fetchall()
        ids = [id_ for id_, is_ours in found if is_ours]
        _take_off(connection, machine.agent, ids)
        connection.execute(
            "delete from scrimshaw.event e where agent = %s and (%s or ledger = %s) and not exists (select "
            "from scrimshaw.words w where w.agent = e.agent and w.id = line and w.text = %s)",
            (machine.agent, every, machine.ledger, FORGOTTEN),
        )
        connection.execute(
            "delete from scrimshaw.machine where agent = %s and ledger = %s", (machine.agent, machine.ledger)
        )
    return len(ids), len(found) - len(ids)


def withdraw(connection: Connection, machine: Machine, ids: Collection[str]) -> int:
    """Delete those of *ids* that this ledger has sent and that may no longer be sent; return how many."""
    with rows.one_writer(connection, machine.agent):
        found = connection.execute(
            "select id from scrimshaw.line l join scrimshaw.words w using (agent, id) where agent = %s "
            "and l.ledger = %s and id = any(%s) and w.text <> %s",
            (machine.agent, machine.ledger, list(ids), FORGOTTEN),
        ).fetchall()
        if found:
            _take_off(connection, machine.agent, [row[0] for row in found])
    return len(found)


def _take_off(connection: Connection, agent: int, ids: Sequence[str]) -> None:
    """Delete *ids* with all their events; `reclaim` removes their bytes from the files."""
    told = (agent, ids)
    connection.execute("delete from scrimshaw.words where agent = %s and id = any(%s)", told)
    if _has_vectors(connection):
        connection.execute("delete from scrimshaw.vector where agent = %s and id = any(%s)", told)
    connection.execute("delete from scrimshaw.event where agent = %s and line = any(%s)", told)
    connection.execute("delete from scrimshaw.line where agent = %s and id = any(%s)", told)
    connection.execute("insert into scrimshaw.forgetting (agent) values (%s)", (agent,))


def _has_vectors(connection: Connection) -> bool:
    return connection.execute("select to_regclass('scrimshaw.vector') is not null").fetchone() == (True,)


def _parts(one: Observation) -> Iterator[str]:
    yield one.text
    if one.pattern:
        yield one.pattern


def _has(traces: Traces, one: Observation) -> bool:
    return one.text != FORGOTTEN and (
        traces.are_in(one.text) or bool(one.pattern and traces.are_in(one.pattern))
    )
