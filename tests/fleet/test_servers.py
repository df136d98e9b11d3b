"""A server that is gone, slow, full, of another form, without pgvector, or came back from a copy."""

from __future__ import annotations

import subprocess
import traceback
from collections.abc import Callable
from contextlib import contextmanager

import pytest
from tests.fleet.machines import NOW, Fleet, Machine
from tests.portability.ledgers import line

from scrimshaw.errors import UserError
from scrimshaw.fleet import rows, server
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
        ("postgresql://u@db.example/m", "verify-full"),
    ],
)
def test_another_machine_has_to_prove_itself(
    address: str, expected: str | None, own_server: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    from psycopg.conninfo import conninfo_to_dict

    monkeypatch.delenv("PGSSLMODE", raising=False)
    assert conninfo_to_dict(server.conninfo(address)).get("sslmode") == expected


def test_an_address_that_cannot_be_understood_shows_no_password_anywhere() -> None:
    pytest.importorskip("psycopg")
    secret = "-".join(("not", "for", "logs"))

    with pytest.raises(UserError) as told:
        server.conninfo(f"host=db.example user=machine_1 password={secret} and more")

    whole = "".join(traceback.format_exception(told.value))
    assert "no connection string" in whole
    assert secret not in whole
