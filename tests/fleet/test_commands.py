"""The fleet from the command line: nothing leaves before a person has seen what, and agreed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.fleet.machines import Fleet, new_machine
from tests.places import EXEC, Place
from tests.portability.ledgers import line

from scrimshaw.cli import fleet as commands

_LINES = [f"Person's line number {number}" for number in range(12)]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    place.say(("We decided to use Postgres 17.2 for the ledger.", "Noted."))
    assert place.run("observe", "--yes", "--now").code == 0
    for text in _LINES:
        assert place.run("add", text).code == 0
    return place


@pytest.fixture
def address(fleet: Fleet, tmp_path: Path) -> Path:
    path = tmp_path / "address"
    path.write_text(fleet.address(fleet.admit("main")))
    path.chmod(0o600)
    return path


def joined(place: Place, address: Path) -> None:
    assert place.run("fleet", "join", "--address-file", str(address), "--yes").code == 0


def lines_on(fleet: Fleet) -> int:
    with fleet.asked() as admin:
        row = admin.execute("select count(*) from scrimshaw.words").fetchone()
    assert row
    return int(row[0])


def test_join_shows_kinds_counts_and_ten_lines_and_sends_nothing_before_a_yes(
    place: Place, address: Path, fleet: Fleet
) -> None:
    answer = place.run("fleet", "join", "--address-file", str(address))

    assert answer.code == 1
    assert "own words: 12 lines, go" in answer.out
    assert "direct: " in answer.out
    assert sum("Person's line number" in row for row in answer.out.splitlines()) == 10
    assert lines_on(fleet) == 0
    assert not (place.workspace / ".scrimshaw" / "fleet.json").exists()


def test_what_was_joined_is_synced_found_and_taken_off_again(
    place: Place, address: Path, fleet: Fleet
) -> None:
    joined(place, address)
    sent = lines_on(fleet)
    found = place.run("search", "Postgres", "--fleet")
    days = place.run("timeline", "--fleet")
    why = place.run("why", "Person's line number 7", "--fleet")
    status = place.run("fleet", "status")
    left = place.run("fleet", "leave", "--yes")

    assert sent > 12
    assert "Postgres 17.2" in found.out
    assert "Person's line number 3" in days.out
    assert ("from " in why.out, "conversation: none" in why.out) == (True, True)
    assert "Nothing waits to be sent. Nothing new is there." in status.out
    assert (left.code, lines_on(fleet)) == (0, 0)
    assert "In no fleet" in place.run("fleet", "status").out


def test_the_address_is_kept_nowhere(place: Place, address: Path) -> None:
    joined(place, address)

    assert address.read_bytes() not in place.everything_written()


def test_an_address_that_others_may_read_is_refused(place: Place, address: Path) -> None:
    address.chmod(0o644)

    answer = place.run("fleet", "join", "--address-file", str(address), "--yes")

    assert (answer.code, f"chmod 600 {address}" in answer.err) == (4, True)


def test_no_option_takes_an_address_or_a_password() -> None:
    names = {name for one in commands.fleet.commands.values() for param in one.params for name in param.opts}

    assert not names & {"--address", "--password", "--url", "--dsn"}
    assert {"--address-file", "--address-variable"} <= names


@pytest.mark.parametrize("option", ["--address-file", "--address-variable"])
@pytest.mark.parametrize("form", ["host=db user=x password={}", "postgresql://x:{}@db.example/memory"])
def test_an_address_that_is_typed_is_refused_and_not_repeated(place: Place, option: str, form: str) -> None:
    secret = "-".join(("not", "to", "be", "shown"))

    answer = place.run("fleet", "join", option, form.format(secret), "--yes")

    assert (answer.code, "shell's history" in answer.err) == (2, True)
    assert secret not in answer.out + answer.err
    assert secret.encode() not in place.everything_written()


@pytest.mark.parametrize(
    "words",
    [
        ("fleet", "join", "--yes"),
        ("fleet", "leave", "--yes"),
        ("search", "x", "--fleet"),
        ("timeline", "--fleet"),
        ("why", "x", "--fleet"),
        ("health", "--fleet"),
    ],
)
def test_an_agents_shell_gets_nothing_of_the_fleet(place: Place, words: tuple[str, ...]) -> None:
    assert place.run(*words, env=EXEC).code == 4


def test_without_a_fleet_each_command_says_how_to_join(place: Place) -> None:
    for words in (("fleet", "sync"), ("search", "x", "--fleet"), ("fleet", "leave", "--yes")):
        answer = place.run(*words)
        assert (answer.code, "scrimshaw fleet join" in answer.err) == (1, True)


def test_health_of_the_fleet_scores_each_memory_that_the_login_may_read(
    place: Place, address: Path, fleet: Fleet, tmp_path: Path
) -> None:
    joined(place, address)
    other = new_machine(fleet, tmp_path / "other", "zoe")
    other.note(line(1), line(2))
    other.sync()

    own = place.run("health", "--fleet", "--json")
    with fleet.asked() as admin:
        admin.execute(f"grant scrimshaw_operator to {fleet.logins[0]}")
    every = place.run("health", "--fleet", "--json")
    shown = place.run("health", "--fleet")
    low = place.run("health", "--fleet", "--fail-under", "100")

    assert [one["name"] for one in own.object["agents"]] == ["main"]
    told = {one["name"]: one for one in every.object["agents"]}
    assert (told["zoe"]["lines"], told["zoe"]["machines"]) == (2, 1)
    assert "main  " in shown.out
    assert low.code == int(min(one["score"] for one in told.values()) < 100)


def test_a_round_of_the_daemon_syncs(place: Place, address: Path, fleet: Fleet) -> None:
    joined(place, address)
    before = lines_on(fleet)
    place.say(("The deploy key is rotated every Friday from now on.", "Noted."))

    place.run("run", "--once", now="2026-11-20T18:30:00+00:00")

    assert lines_on(fleet) > before


def test_the_demo_plays_to_its_end(own_server: object, monkeypatch: pytest.MonkeyPatch) -> None:
    from scrimshaw.memory.fleet_demo import play

    told = list(play())

    assert any("hold the same" in text for text in told)
    assert os.environ.get("SCRIMSHAW_FLEET") is None
