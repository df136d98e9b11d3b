"""Naming a line, and pinning the line that was named."""

import json

import pytest
from tests.places import NOW, Place
from tests.shell.made import SESSION, observation
from tests.support.prepared import Prepared

from scrimshaw.core.types import Event, EventType
from scrimshaw.errors import Exit, UserError
from scrimshaw.services.edit.find_line import find_line, find_lines
from scrimshaw.store.ledger import open_ledger
from scrimshaw.store.records import Batch

TEXTS = (
    "Deploys go out on Tuesdays",
    "Deploys go out on Tuesdays after the smoke test",
    "The staging database runs Postgres 16",
    "Prefers “short” answers – the command first",
    "The production database runs Postgres 15",
)


@pytest.fixture
def ledger(tmp_path):
    with open_ledger(tmp_path / "ledger.sqlite", create=True) as ledger:
        made = [observation(n, id=f"{n:06x}{'ab' * 9}", text=text) for n, text in enumerate(TEXTS, 0xA1)]
        ledger.accept(Batch("r", 1, tuple(made), sessions=(SESSION,)))
        yield ledger


@pytest.mark.parametrize(
    ("words", "number"),
    [
        ("Deploys go out on Tuesdays", 0),  # that line itself, and not the longer one
        ("after the smoke test", 1),
        ("STAGING   database", 2),
        ("postgres 16 database", 2),  # in any order
        ('prefers "short" answers - the command', 3),
        ("- 🔴 Deploys go out on Tuesdays (since 2026-11-16)", 0),  # pasted from the section
        ("- 🟡 08:47 fact: The staging database runs Postgres 16", 2),  # from a dated file
        ("0000a3", 2),
        ("0000a3abab", 2),
    ],
)
def test_a_line_is_found_by(ledger, words, number):
    assert TEXTS[number] == find_line(ledger, words).observation.text


def test_of_several_lines_none_is_taken_and_each_is_listed(ledger):
    with pytest.raises(UserError) as raised:
        find_line(ledger, "database runs")

    assert raised.value.exit_code == Exit.USAGE
    assert "0000a3abab" in str(raised.value)
    assert "0000a5abab" in str(raised.value)


@pytest.mark.parametrize("words", ["no such words", "...", "", "ffffff"])
def test_what_names_no_line_is_said(ledger, words):
    with pytest.raises(UserError) as raised:
        find_line(ledger, words)

    assert raised.value.exit_code == Exit.USAGE


def test_a_line_that_no_longer_holds_is_told_of_and_found_when_asked_for(ledger):
    line = find_line(ledger, "Postgres 16")
    ledger.append([Event(EventType.SUPERSEDED, line.observation.id, 2, "r")])

    with pytest.raises(UserError) as raised:
        find_line(ledger, "Postgres 16")

    assert "(replaced)" in str(raised.value)
    assert find_line(ledger, "Postgres 16", among_closed=True).observation == line.observation


def test_what_was_forgotten_is_found_by_its_id_alone(ledger):
    line = find_line(ledger, "Postgres 16")
    ledger.append([Event(EventType.FORGOTTEN, line.observation.id, 2, "person")])

    assert find_lines(ledger, "Postgres 16", among_closed=True) == []
    assert [one.observation.id for one in find_lines(ledger, "0000a3", among_closed=True)] == [
        line.observation.id
    ]


def _begun(place: Place) -> None:
    place.say(
        *((f"We decided that unit-{n}x runs release {n}.4.1 in production.", "Noted.") for n in range(3))
    )
    place.run("observe", "--yes")


@pytest.fixture
def place(prepared: Prepared) -> Place:
    return prepared(_begun)


def test_a_pinned_line_is_pinned_until_it_is_let_go(place):
    pinned = place.run("pin", "unit-1x", "--json").object
    again = place.run("pin", "unit-1x", "--json").object
    after = place.run("unpin", "unit-1x", "--json").object

    assert [one["is_changed"] for one in (pinned, again, after)] == [True, False, True]
    with place.ledger() as ledger:
        happened = [stored.event.type for stored in ledger.events_of(pinned["id"])]
    assert happened == [EventType.OBSERVED, EventType.PINNED, EventType.UNPINNED]


def test_a_pinned_line_that_was_hidden_is_shown_again(place):
    with place.ledger() as ledger:
        line = find_line(ledger, "unit-2x")
        ledger.append([Event(EventType.TRIMMED, line.observation.id, 2, "person")])
    place.run("observe")
    assert "unit-2x" not in place.memory.read_text()

    place.run("pin", "unit-2x", "--now")

    assert "unit-2x" in place.memory.read_text()


def test_a_line_that_is_none_is_pinned_by_nobody(place):
    answer = place.run("pin", "nothing of the kind")
    as_json = place.run("pin", "nothing of the kind", "--json")

    assert answer.code == 2
    assert json.loads(as_json.out)["exit_code"] == 2


def test_without_a_ledger_there_is_nothing_to_pin_or_forget(tmp_path):
    place = Place(tmp_path / "machine")

    assert [place.run(verb, "x y z", now=NOW).code for verb in ("pin", "unpin", "forget")] == [1, 1, 1]
    assert not place.is_set_up()
