"""Nobody sees what is not theirs, whatever is asked: the WHERE left out, another's name, a function."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from tests.fleet.machines import Fleet, Machine
from tests.portability.ledgers import line

from scrimshaw.core.types import Observation
from scrimshaw.errors import UserError
from scrimshaw.fleet import search
from scrimshaw.fleet.embedded import OwnServer

if TYPE_CHECKING:
    from scrimshaw.fleet.server import Connection

Made = Callable[..., Machine]
_TABLES = ("agent", "machine", "event", "reason", "line", "words", "forgetting", "vector")
_FEW, _MANY = 400, 10_000
_VECTOR = [0.05] * search.DIMENSIONS


@pytest.fixture
def logins(machine: Made, fleet: Fleet) -> dict[str, str]:
    """Two agents in two teams, with a line and a vector each, and who may read what."""
    names = {}
    for agent, team in (("anna", "red"), ("bert", "blue")):
        names[agent] = fleet.admit(agent, team=team)
        one = machine(agent, login=names[agent])
        mine: Observation = line(1, f"the password of {agent} is marzipan", session_id=agent)
        one.note(mine)
        one.sync()
        with fleet.asked() as admin:
            row = admin.execute("select number from scrimshaw.agent where name = %s", (agent,)).fetchone()
            assert row
            search.put_vectors(admin, row[0], [mine.id], [_VECTOR])
            admin.execute("insert into scrimshaw.forgetting (agent) values (%s)", (row[0],))
            admin.execute(
                "insert into scrimshaw.reason (event, agent, reason) select number, agent, 'so' "
                "from scrimshaw.event where agent = %s",
                (row[0],),
            )
    with fleet.asked() as admin:
        for name, role in (("reader", "scrimshaw_team_red"), ("chief", "scrimshaw_operator"), ("none", "")):
            names[name] = f"{name}_{fleet.name}"
            admin.execute(f"create role {names[name]} login")
            if role:
                admin.execute(f"grant {role} to {names[name]}")
    return names


def random_queries(chance: random.Random) -> Iterator[bytes]:
    """Yield, without end, what somebody may ask to see rows that are not theirs."""
    while True:
        table = chance.choice(_TABLES)
        column = "name" if table == "agent" else "agent::text"
        where = chance.choice(
            [
                "",
                "where true",
                "where agent <> 0" if table != "agent" else "where number <> 0",
                f"where {column} like '%'",
                "where exists (select from scrimshaw.words where text like '%marzipan%')",
                f"where ctid = '(0,{chance.randint(1, 4)})'",
                "order by random()",
                f"limit {chance.randint(1, 9)} offset {chance.randint(0, 2)}",
                "where 1 / (case when random() < 2 then 1 else 0 end) = 1",
            ]
        )
        number = "number" if table == "agent" else "agent"
        what = chance.choice([number, f"distinct {number}", f"(array_agg({number}) over ())[1]"])
        form = chance.choice(["{}", "with x as materialized ({}) select * from x", "({}) union ({})"])
        sql = form.replace("{}", f"select {what} from scrimshaw.{table} {where}")
        yield sql.encode()


def seen_by(there: Connection, count: int) -> set[int]:
    """Return the agents whose rows *count* random queries show, those that are no SQL not counted."""
    import psycopg

    seen: set[int] = set()
    for sql in random_queries(random.Random(3)):
        try:
            seen |= {row[0] for row in there.execute(sql)}
        except (psycopg.errors.SyntaxError, psycopg.errors.InvalidColumnReference):
            continue
        count -= 1
        if not count:
            break
    return seen


@pytest.mark.parametrize(
    "count", [_FEW, pytest.param(_MANY, marks=pytest.mark.slow)], ids=["few", "ten thousand"]
)
def test_no_query_in_the_wrong_name_shows_a_row(logins: dict[str, str], fleet: Fleet, count: int) -> None:
    with fleet.asked(logins["bert"]) as there:
        rows = there.execute("select number from scrimshaw.agent").fetchall()
        assert len(rows) == 1
        assert seen_by(there, count) == {rows[0][0]}


def test_the_queries_would_show_the_rows_to_whoever_may_see_them(
    logins: dict[str, str], fleet: Fleet
) -> None:
    with fleet.asked(logins["chief"]) as there:
        assert len(seen_by(there, _FEW)) == 2


@pytest.mark.parametrize(
    ("login", "expected"),
    [
        ("anna", {"anna"}),
        ("bert", {"bert"}),
        ("reader", {"anna"}),
        ("chief", {"anna", "bert"}),
        ("none", set()),
    ],
)
def test_search_and_timeline_show_what_the_login_may_read(
    logins: dict[str, str], fleet: Fleet, login: str, expected: set[str]
) -> None:
    if login == "none":
        with pytest.raises(UserError, match="right"), fleet.asked(logins[login]) as there:
            search.search(there, "marzipan")
        return
    with fleet.asked(logins[login]) as there:
        by_words = {one.agent for one in search.search(there, "whose password is marzipan?")}
        by_meaning = {one.agent for one in search.search(there, "sweets", vector=_VECTOR)}
        named = {one.agent for one in search.search(there, "marzipan", agents=["anna", "bert"])}
        days = {one.agent for one in search.timeline(there, "2020-01-01", "2030-01-01", None, 9)}
    assert [expected] * 4 == [by_words, by_meaning, named, days]


@pytest.mark.parametrize(
    "sql",
    [
        "update scrimshaw.words set text = 'x'",
        "delete from scrimshaw.line",
        "update scrimshaw.machine set pushed = 0",
        "delete from scrimshaw.event",
    ],
)
def test_nobody_changes_what_is_not_theirs(logins: dict[str, str], fleet: Fleet, sql: str) -> None:
    for login in ("reader", "chief"):
        with fleet.asked(logins[login]) as there:
            assert there.execute(sql).rowcount == 0


@pytest.mark.parametrize(
    "sql",
    [
        "alter table scrimshaw.words disable row level security",
        "alter table scrimshaw.words no force row level security",
        "drop policy seen on scrimshaw.words",
        "set role scrimshaw_owner",
        "set role scrimshaw_search",
        "select scrimshaw.admit('cleo', 'red')",
        "create table scrimshaw.mine (x int)",
        "truncate scrimshaw.words",
        "update scrimshaw.event set line = ''",
        "insert into scrimshaw.agent (name, role, team_role) values ('x', 'x', 'x')",
    ],
)
def test_a_login_owns_nothing_and_cannot_widen_its_rights(
    logins: dict[str, str], fleet: Fleet, sql: str
) -> None:
    with pytest.raises(UserError, match="right"), fleet.asked(logins["anna"]) as there:
        there.execute(sql)


def test_every_table_forces_its_policies_and_none_is_an_applications(fleet: Fleet) -> None:
    with fleet.asked() as admin:
        found = admin.execute(
            "select relname, relrowsecurity and relforcerowsecurity, pg_get_userbyid(relowner) from pg_class "
            "where relnamespace = 'scrimshaw'::regnamespace and relkind = 'r' and relname <> 'migration'"
        ).fetchall()
    assert {(name, True, "scrimshaw_owner") for name in (*_TABLES, "team")} == set(found)


def test_an_agents_line_in_anothers_name_is_refused(logins: dict[str, str], fleet: Fleet) -> None:
    with fleet.asked() as admin:
        row = admin.execute("select number from scrimshaw.agent where name = 'anna'").fetchone()
    assert row
    with pytest.raises(UserError), fleet.asked(logins["bert"]) as there:
        there.execute("insert into scrimshaw.forgetting (agent) values (%s)", (row[0],))


def test_the_server_of_the_tests_can_be_stopped_and_started(own_server: OwnServer, fleet: Fleet) -> None:
    own_server.stop()
    with pytest.raises(UserError, match="cannot be reached"), fleet.asked():
        pass
    own_server.start()
    with fleet.asked() as admin:
        assert admin.execute("select 1").fetchone() == (1,)
