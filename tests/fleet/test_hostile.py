"""A login that was let in and means harm: what it reads, what it changes, what it makes others find."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import psycopg
import pytest
from tests.fleet.machines import Fleet, Machine, new_fleet, new_machine
from tests.portability.ledgers import event, line

from scrimshaw.core.types import EventType
from scrimshaw.fleet import search, server
from scrimshaw.fleet.embedded import OwnServer

_SECRET = "marzipan"
_VECTOR = [0.05] * search.DIMENSIONS

# Each asks for everything, in a way of its own; %(other)s is the number of the other agent.
_READING = (
    "copy scrimshaw.words to stdout",
    "copy (select * from scrimshaw.reason) to stdout",
    "set row_security = off; copy scrimshaw.words to stdout",
    "select table_to_xml('scrimshaw.words', true, false, '')",
    "select table_to_xml('scrimshaw.line', true, false, '')",
    "select query_to_xml('select * from scrimshaw.words', true, false, '')",
    "select schema_to_xml('scrimshaw', true, false, '')",
    "select * from ts_stat('select search from scrimshaw.words')",
    "create temp view seen as select * from scrimshaw.words; select * from seen",
    "prepare seen as select * from scrimshaw.words; execute seen",
    "begin; declare seen cursor for select * from scrimshaw.words; fetch all from seen",
    "select w from scrimshaw.words w tablesample system (100)",
    "select * from scrimshaw.words where agent = {other}",
    "select scrimshaw.said(array['marzipan'], array['simple'], array['anna'], 100)",
    "select w from scrimshaw.said(array['marzipan'], array['simple'], null, 100) s "
    "join scrimshaw.words w using (agent, id)",
    "select scrimshaw.near('[{vector}]', array['anna'], 100)",
    "select scrimshaw.readable(null), name from scrimshaw.agent",
    "select * from pg_stats where schemaname = 'scrimshaw'",
    "select * from pg_stats_ext_exprs",
    "select * from pg_stat_activity",
    "select * from pg_largeobject_metadata",
    "select last_value from scrimshaw.event_number_seq",
    "select nextval('scrimshaw.event_number_seq')",
    "select * from pg_sequences where schemaname = 'scrimshaw' and last_value is not null",
    "merge into scrimshaw.words w using (select 1) x on w.agent = {other} "
    "when matched then update set text = 'x' when not matched then do nothing",
    "update scrimshaw.words set text = text where agent = {other} returning *",
    "delete from scrimshaw.words where agent = {other} returning *",
    "select * from scrimshaw.words where 1 / (length(text) - length(text)) = 1",
    "select text::int from scrimshaw.words",
    "explain (analyze, verbose) select * from scrimshaw.words where text like 'm%'",
)
# Each would write where others read; {other} and {event} are of the other agent.
_WRITING = (
    "insert into scrimshaw.words values ({other}, 'x', '{{}}', 'x', '')",
    "insert into scrimshaw.line select {other}, 'x', ledger, session_id, said_at_ms, local_date, kind, "
    "priority, birth, standing, is_live from scrimshaw.line limit 1",
    "update scrimshaw.words set agent = {other}",
    "insert into scrimshaw.machine (agent, ledger, name, version) values ({other}, 'x', 'x', 'x')",
    "insert into scrimshaw.reason values ({event}, {other}, 'x')",
    "insert into scrimshaw.reason values ({event} - 1, {own}, 'x')",
    "insert into scrimshaw.event (number, agent, key, occurrence, type, line, at_ms, by, other, era, rank, "
    "ledger, seq) select {event} + 100000, agent, 'x', 0, type, line, at_ms, by, other, era, rank, ledger, "
    "seq from scrimshaw.event limit 1",
    "insert into scrimshaw.event overriding system value select {event} + 100000, agent, 'x', 0, type, line, "
    "at_ms, by, other, era, rank, ledger, seq from scrimshaw.event limit 1",
    "insert into scrimshaw.forgetting (number, agent) values (99999999, {own})",
    "update scrimshaw.forgetting set number = number + 1",
    "insert into scrimshaw.vector select {other}, id, embedding from scrimshaw.vector",
    "select setval('scrimshaw.event_number_seq', 1)",
    "alter sequence scrimshaw.event_number_seq restart",
    "create policy mine on scrimshaw.words using (true)",
    "create trigger mine before insert on scrimshaw.words "
    "execute function suppress_redundant_updates_trigger()",
    "create rule mine as on select to scrimshaw.words do instead select 1",
    "create index on scrimshaw.words (text)",
    "create table scrimshaw_words_beside (like scrimshaw.words, "
    "foreign key (agent, id) references scrimshaw.words (agent, id))",
    "comment on table scrimshaw.words is 'x'",
    "grant select on scrimshaw.words to public",
    "create or replace function scrimshaw.visible() returns integer[] language sql as 'select array[1, 2]'",
    "set session authorization postgres",
    "set role scrimshaw_agent_anna",
    "grant scrimshaw_agent_anna to current_user",
)


class Two(NamedTuple):
    """Two agents of different teams; one of them means harm."""

    fleet: Fleet
    anna: Machine
    bert: Machine
    numbers: dict[str, int]
    event: int  # one of anna's

    def filled(self, sql: str) -> bytes:
        told = {
            "{other}": self.numbers["anna"],
            "{own}": self.numbers["bert"],
            "{event}": self.event,
            "{vector}": ",".join(map(str, _VECTOR)),
            "{{}}": "{}",
        }
        for name, value in told.items():
            sql = sql.replace(name, str(value))
        return sql.encode()


def made(own: OwnServer, folder: Path) -> Two:
    fleet = new_fleet(own)
    logins = {agent: fleet.admit(agent, team=agent) for agent in ("anna", "bert")}
    anna, bert = (new_machine(fleet, folder, agent, login=login) for agent, login in logins.items())
    secret = line(1, f"the safe opens with {_SECRET}", session_id=f"{_SECRET}-chat")
    bread = line(2, "bread is bought on Mondays")
    reason = event(EventType.PINNED, secret, 5, by="person", reason=f"{_SECRET} again")
    anna.note(secret, then=(reason,))
    bert.note(bread)
    for one in (anna, bert):
        one.sync()
    with fleet.asked() as admin:
        numbers = dict(admin.execute("select name, number from scrimshaw.agent").fetchall())
        for agent, held in (("anna", secret), ("bert", bread)):
            search.put_vectors(admin, numbers[agent], [held.id], [_VECTOR])
        admin.execute("analyze")
        row = admin.execute(
            "select max(number) from scrimshaw.event where agent = %s", (numbers["anna"],)
        ).fetchone()
    assert row
    return Two(fleet, anna, bert, numbers, row[0])


@pytest.fixture
def two(own_server: OwnServer, tmp_path: Path) -> Iterator[Two]:
    """Two agents whose memory a test may change."""
    built = made(own_server, tmp_path)
    yield built
    built.fleet.drop()


@pytest.fixture(scope="module")
def unchanged(own_server: OwnServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Two]:
    """Two agents whose memory no test changes: that is what they try."""
    built = made(own_server, tmp_path_factory.mktemp("two"))
    yield built
    built.fleet.drop()


def answer(address: str, sql: bytes) -> str:
    """Return all that the server says to *sql*, errors and all."""
    told = []
    with psycopg.connect(server.conninfo(address), autocommit=True) as there:
        there.add_notice_handler(lambda notice: told.append(str(notice.message_primary)))
        try:
            for one in sql.split(b"; "):
                if one.startswith(b"copy"):
                    with there.cursor().copy(one) as rows:
                        told += [bytes(row).decode() for row in rows]
                    continue
                cursor = there.execute(one)
                if cursor.description:
                    told += [str(row) for row in cursor]
        except psycopg.Error as error:
            told.append(f"{error} {error.diag.message_detail} {error.diag.context}")
    return "\n".join(told)


@pytest.mark.parametrize("sql", _READING)
def test_no_way_of_asking_shows_anothers_words(unchanged: Two, sql: str) -> None:
    two = unchanged
    told = answer(two.fleet.address(two.bert.login), two.filled(sql))

    assert _SECRET not in told
    assert f"({two.numbers['anna']}," not in told


def test_control_the_same_ways_show_the_words_to_an_operator(unchanged: Two) -> None:
    two = unchanged
    with two.fleet.asked() as admin:
        admin.execute("create role control login in role scrimshaw_operator")
    try:
        told = [answer(two.fleet.address("control"), two.filled(sql)) for sql in _READING]
    finally:
        with two.fleet.asked() as admin:
            admin.execute("drop role control")

    assert sum(_SECRET in one for one in told) >= 10


@pytest.mark.parametrize("sql", _WRITING)
def test_no_way_of_writing_changes_what_others_have(unchanged: Two, sql: str) -> None:
    two = unchanged
    before = everything(two.fleet)

    told = answer(two.fleet.address(two.bert.login), two.filled(sql))

    refused = ("denied", "violates", "must be owner", "cannot insert", "no privileges were granted")
    assert any(words in told for words in refused), told
    assert before == everything(two.fleet)


def everything(fleet: Fleet) -> list[object]:
    with fleet.asked() as admin:
        return [
            admin.execute(f"select * from scrimshaw.{table} order by 1, 2".encode()).fetchall()
            for table in ("agent", "machine", "event", "reason", "line", "words", "forgetting", "vector")
        ]


@pytest.mark.parametrize(
    "more",
    [
        "create aggregate mine.array_agg (integer) (sfunc = mine.all_of, stype = integer[]); ",
        "create function mine.pg_has_role(name, text) returns boolean language sql as 'select true'; ",
    ],
)
def test_functions_of_ones_own_take_no_part_in_what_may_be_seen(two: Two, more: str) -> None:
    with two.fleet.asked() as admin:
        admin.execute(f"create schema mine authorization {two.bert.login}")
    first = (
        "create function mine.all_of(integer[], integer) returns integer[] language sql "
        "as 'select array[1, 2, 3]'; "
    )

    told = answer(
        two.fleet.address(two.bert.login),
        f"{first}{more}set search_path = mine, pg_catalog, scrimshaw; select * from scrimshaw.words; "
        "update scrimshaw.words set text = 'broken' returning text; "
        "select scrimshaw.said(array['safe'], array['simple'], null, 9)".encode(),
    )

    assert "bread" in told or "broken" in told
    assert _SECRET not in told
    assert f"({two.numbers['anna']}," not in told
    assert two.anna.digest() == two.fleet.digest("anna")


def test_lines_that_pretend_to_be_anothers_push_none_of_theirs_out_of_a_search(two: Two) -> None:
    number = two.numbers["anna"]
    with two.fleet.asked(two.bert.login) as there:
        there.execute(
            "insert into scrimshaw.words select agent, 'x' || n, record, text, "
            "to_tsvector('simple', 'safe opens marzipan') || array_to_tsvector(array[%s]) "
            "from scrimshaw.words, generate_series(1, 400) n",
            (f"@{number}",),
        )

    with two.fleet.asked(two.anna.login) as there:
        found = search.search(there, "what does the safe open with?")

    assert [_SECRET in one.text for one in found] == [True]
