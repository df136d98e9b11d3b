"""A server that is gone, slow, full, of another form, without pgvector, or came back from a copy."""

from __future__ import annotations

import os
import subprocess
import traceback
from collections.abc import Callable
from contextlib import contextmanager

import pytest
from tests.fleet.machines import NOW, Fleet, Machine
from tests.portability.ledgers import line

from scrimshaw.errors import UserError
from scrimshaw.fleet import rows, search, server
from scrimshaw.fleet.embedded import OwnServer
from scrimshaw.services.fleet.find import search_fleet
from scrimshaw.services.fleet.join import plan_join, status
from scrimshaw.services.fleet.sync import sync_with

Made = Callable[..., Machine]
_FULL = """
create function full_disk() returns trigger language plpgsql as
$$ begin raise exception 'no space left' using errcode = '53100'; end $$;
create trigger full_disk before insert on scrimshaw.words for each row execute function full_disk();
"""


@contextmanager
def form(fleet: Fleet, number: int):  # a context manager of a test
    """Let the server say that it has seen the migrations up to *number*."""
    with fleet.asked() as admin:
        admin.execute("delete from scrimshaw.migration where number > %s", (number,))
        admin.execute(
            "insert into scrimshaw.migration values (%s, 'another') on conflict do nothing", (number,)
        )
    yield


def sync_over(machine: Machine, options: str) -> None:
    address = f"{machine.fleet.address(machine.login)} options='{options}'"
    with machine.ledger() as ledger, server.connected(address) as there:
        sync_with(machine.place.target(), ledger, machine.link, there, NOW)


def test_a_full_server_takes_nothing_and_the_next_sync_goes_on(machine: Made, fleet: Fleet) -> None:
    a, b = machine(), machine()
    a.note(line(1))
    with fleet.asked() as admin:
        admin.execute(_FULL)

    with pytest.raises(UserError, match="full"):
        a.sync()

    with fleet.asked() as admin:
        assert admin.execute("select count(*) from scrimshaw.event").fetchone() == (0,)
        admin.execute("drop trigger full_disk on scrimshaw.words")
    a.sync()
    b.sync()
    assert {line(1).text} == b.texts()


def test_a_server_that_is_held_up_is_left_alone_after_a_while(machine: Made, fleet: Fleet) -> None:
    a = machine()
    a.note(line(1))
    with fleet.asked() as admin, admin.transaction():
        admin.execute("lock table scrimshaw.words in access exclusive mode")

        with pytest.raises(UserError, match="too long"):
            sync_over(a, "-c lock_timeout=50")

    a.sync()
    assert a.digest() == fleet.digest("anna")


def test_a_server_that_is_gone_is_told_without_its_address(machine: Made, fleet: Fleet) -> None:
    nowhere = f"host={fleet.server.folder}/nowhere user=x password=hushhush dbname=y"

    with pytest.raises(UserError, match="cannot be reached") as told, server.connected(nowhere):
        pass

    assert "hushhush" not in str(told.value)
    with pytest.raises(UserError, match="no such login"), fleet.asked("nobody_at_all"):
        pass
    with pytest.raises(UserError, match="no such database"), Fleet(fleet.server, "nothing_there").asked():
        pass


@pytest.mark.parametrize("number", [server.NEWEST - 1, server.NEWEST + 1])
def test_versions_one_apart_sync_with_each_other(machine: Made, fleet: Fleet, number: int) -> None:
    a, b = machine(), machine()
    a.note(line(1))

    with form(fleet, number):
        a.sync()
        b.sync()

    assert {line(1).text} == b.texts()


def test_status_tells_how_a_server_one_version_apart_differs(machine: Made, fleet: Fleet) -> None:
    a = machine()
    a.sync()
    env = {"SCRIMSHAW_FLEET": fleet.address(a.login)}

    with form(fleet, server.NEWEST + 1):
        ahead = status(a.place.target(), env)
    with form(fleet, server.NEWEST - 1):
        behind = status(a.place.target(), env)

    assert ("newest Scrimshaw" in ahead.notes[0], "fleet migrate" in behind.notes[0]) == (True, True)
    assert (ahead.problem, behind.problem) == ("", "")


def test_a_server_without_the_newest_tables_is_synced_with_and_searched_by_words(
    machine: Made, fleet: Fleet
) -> None:
    a, b = machine(), machine(login="")
    a.note(line(1))
    with fleet.asked() as admin:
        admin.execute("drop table scrimshaw.vector")
        admin.execute("drop function scrimshaw.near")
    with form(fleet, server.NEWEST - 1):
        a.sync()
        b.sync()
        found = search_fleet(
            a.place.target(), {"SCRIMSHAW_FLEET": fleet.address(a.login)}, "statement", None, 5
        )

    assert {line(1).text} == b.texts() == {one.text for one in found.lines}
    assert "words alone" in found.notes[0]


@pytest.mark.parametrize(
    "sql",
    [
        "update scrimshaw.event set type = 'dreamt'",
        """update scrimshaw.words set record = '{"id": "of another form"}'""",
    ],
)
def test_what_a_newer_machine_sent_is_left_there_and_taken_once_it_can_be_read(
    machine: Made, fleet: Fleet, sql: str
) -> None:
    a, b = machine(), machine()
    a.note(line(1))
    a.sync()
    with fleet.asked() as admin:
        admin.execute("create table kept as select * from scrimshaw.event")
        admin.execute("create table kept_words as select * from scrimshaw.words")
        admin.execute(sql)
    b.note(line(2))

    with pytest.raises(UserError, match="too old") as told:
        b.sync()

    assert "newest Scrimshaw" in told.value.next_step
    with fleet.asked() as admin:
        assert admin.execute("select count(*) from scrimshaw.words").fetchone() == (2,)
        admin.execute("update scrimshaw.event e set type = k.type from kept k where k.number = e.number")
        admin.execute("update scrimshaw.words w set record = k.record from kept_words k where k.id = w.id")
    b.sync()
    assert {line(1).text, line(2).text} == b.texts()


def test_a_server_that_takes_no_changes_is_read_and_told(machine: Made, fleet: Fleet) -> None:
    a, b = machine(), machine()
    a.note(line(1))
    a.sync()
    b.sync()
    with fleet.asked() as admin:
        admin.execute(f"alter database {fleet.name} set default_transaction_read_only = on")
    a.sync()  # nothing is new: nothing is written

    b.note(line(2))
    with pytest.raises(UserError, match="takes no changes"):
        b.sync()

    with server.connected(fleet.server.address()) as admin:
        admin.execute(f"alter database {fleet.name} reset default_transaction_read_only")
    b.sync()
    a.sync()
    assert {line(1).text, line(2).text} == a.texts()


@pytest.mark.parametrize("number", [server.FIRST - 1, server.NEWEST + 2])
def test_a_server_of_another_form_is_refused_with_what_to_do(
    machine: Made, fleet: Fleet, number: int
) -> None:
    a = machine()
    a.note(line(1))

    with form(fleet, number), pytest.raises(UserError) as told:
        a.sync()

    assert "scrimshaw" in str(told.value.next_step).lower()


def test_a_database_without_tables_says_what_an_administrator_runs(machine: Made, fleet: Fleet) -> None:
    a = machine()
    with fleet.asked() as admin:
        admin.execute("drop schema scrimshaw cascade")

    with pytest.raises(UserError) as told:
        a.sync()

    assert "scrimshaw fleet migrate" in told.value.next_step


def test_who_may_not_make_the_tables_is_told_what_an_administrator_types_and_that_suffices(
    own_server: OwnServer,
) -> None:
    with OwnServer() as own:  # roles are of the whole server, and these have to be new
        with server.connected(own.address()) as admin:
            admin.execute("create database memory")
            admin.execute('create role "the maker" login')
        address = f"host={own.folder} user='the maker' dbname=memory"

        with pytest.raises(UserError, match="may not make the tables") as told:
            server.migrate(address)
        typed = told.value.next_step.partition("in psql: ")[2]
        with server.connected(own.address(database="memory")) as admin:
            for sql in typed.split("; ")[:2]:
                admin.execute(sql.encode())
        first = server.migrate(address)
        with server.connected(own.address(database="memory")) as admin:
            admin.execute(first[1].partition("database: ")[2].partition(";")[0].encode())
        second = server.migrate(address)
        with server.connected(address) as maker:
            maker.execute("create role machine_1 login")
            maker.execute("select scrimshaw.admit('ada', 'office', 'machine_1')")
        with server.connected(own.address("machine_1", "memory")) as there:
            head = rows.head(there, "ada", "", 0, b"")
            found = search.search(there, "anything", vector=[0.1] * search.DIMENSIONS)

    assert (first[0], second) == (["0001_first", "0002_search"], (["0003_vectors"], ""))
    assert head is not None
    assert found == []


def test_a_login_without_any_right_is_told_what_lets_it_join(
    machine: Made, fleet: Fleet, own_server: OwnServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    a = machine()
    with fleet.asked() as admin:
        admin.execute(f"create role nobody_{fleet.name} login")
    monkeypatch.setenv("SCRIMSHAW_FLEET", fleet.address(f"nobody_{fleet.name}"))

    with pytest.raises(UserError) as told:
        plan_join(a.place.target(), os.environ, server.ServerAddress("", "SCRIMSHAW_FLEET"), "anna", ())

    assert f"scrimshaw.admit('anna', 'TEAM', 'nobody_{fleet.name}')" in told.value.next_step


def test_a_dump_restores_to_the_same_digest(machine: Made, fleet: Fleet) -> None:
    a = machine()
    a.note(line(1), line(2, "accents: é, 🔴, «quotes»"))
    a.sync()
    copy = Fleet(fleet.server, f"{fleet.name}_restored")
    with server.connected(fleet.server.address()) as admin:
        admin.execute(f"create database {copy.name}")
    place = ["-h", str(fleet.server.folder), "-U", "postgres"]
    programs = fleet.server.programs
    dump = fleet.server.folder / "dump"

    made = subprocess.run([programs / "pg_dump", *place, "-Fc", fleet.name], check=True, capture_output=True)
    dump.write_bytes(made.stdout)
    subprocess.run([programs / "pg_restore", *place, "-d", copy.name, dump], check=True, capture_output=True)

    assert a.digest() == fleet.digest("anna") == copy.digest("anna")
    with copy.asked(a.login) as there:
        assert rows.head(there, "anna", "", 0, b"") is not None


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("host=db.example dbname=m", "verify-full"),
        ("host=db.example dbname=m sslmode=disable", "disable"),
        ("host=/run/postgresql dbname=m", None),
        ("host=127.0.0.1 dbname=m", None),
        ("host=127.0.0.1,db.example dbname=m", "verify-full"),
        ("host=localhost hostaddr=10.0.0.5 dbname=m", "verify-full"),
        ("service=memory", "verify-full"),
        ("postgresql://u@db.example/m", "verify-full"),
    ],
)
def test_another_machine_has_to_prove_itself(
    address: str, expected: str | None, own_server: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    from psycopg.conninfo import conninfo_to_dict

    monkeypatch.delenv("PGSSLMODE", raising=False)
    assert conninfo_to_dict(server.conninfo(address)).get("sslmode") == expected


@pytest.mark.parametrize(
    ("address", "is_told"),
    [
        ("host=db.example sslmode=disable", True),
        ("host=db.example sslmode=allow", True),
        ("postgresql://db.example/m?sslmode=prefer", True),
        ("host=db.example sslmode=require", False),
        ("host=db.example", False),
        ("host=127.0.0.1 sslmode=disable", False),
        ("host=/run/postgresql sslmode=disable", False),
    ],
)
def test_an_open_way_to_another_machine_is_told_with_what_travels_there(
    address: str, is_told: bool, own_server: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PGSSLMODE", raising=False)

    told = server.exposure(address)

    assert bool(told) == is_told
    assert all(word in told for word in ("db.example", "every line", "password")) or not is_told


def test_an_open_way_by_the_environment_is_told_too(
    own_server: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGSSLMODE", "prefer")

    assert "sslmode=prefer" in server.exposure("host=db.example")


def test_a_kept_connection_that_fails_writes_no_password_into_any_log(
    fleet: Fleet, caplog: pytest.LogCaptureFixture
) -> None:
    secret = "-".join(("not", "for", "logs"))
    caplog.set_level("DEBUG")
    nowhere = f"host={fleet.server.folder}/nowhere user=x password={secret} dbname=y connect_timeout=1"

    with pytest.raises(UserError) as told, server.connected(nowhere, keeps=True):
        pass

    server._pool.cache_clear()
    assert any(one.name.startswith("psycopg") for one in caplog.records)
    assert secret not in caplog.text + "".join(traceback.format_exception(told.value))


def test_an_address_that_cannot_be_understood_shows_no_password_anywhere() -> None:
    pytest.importorskip("psycopg")
    secret = "-".join(("not", "for", "logs"))

    with pytest.raises(UserError) as told:
        server.conninfo(f"host=db.example user=machine_1 password={secret} and more")

    whole = "".join(traceback.format_exception(told.value))
    assert "not a PostgreSQL connection string" in whole
    assert secret not in whole
