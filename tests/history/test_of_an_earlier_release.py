"""A workspace that release 0.6 has written: what age had dropped is back, and nothing reads as an edit."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.places import Place
from tests.shell.made import SESSION, observation

from scrimshaw.core import fold
from scrimshaw.core.lines import shown_before
from scrimshaw.core.model import Author, Closed, Event, EventType, Line
from scrimshaw.core.model import Place as Part
from scrimshaw.store.ledger import open_ledger
from scrimshaw.store.records import Batch

LATER = "2027-03-01T18:00:00+00:00"
SAID = (
    ("I'm allergic to penicillin.", "Noted."),
    ("We decided to use Postgres 16 for the staging database.", "OK."),
    ("Please always answer with the command first.", "I will."),
    ("I'll call Dana about the invoices on 2026-11-24.", "Good."),
)
_OLD_PREAMBLE = (
    'Notes from past sessions; "I" is the person, times are {}. Newer beats older. A plan whose date has '
    "passed has an unknown outcome. More: memory_search."
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """Return a workspace with a section as 0.6 wrote it."""
    place = Place(tmp_path)
    place.say(*SAID)
    with monkeypatch.context() as before:
        before.setattr(fold, "shown", shown_before)
        before.setattr(fold, "preamble", _OLD_PREAMBLE.format)
        assert place.run("observe", "--yes").code == 0
    assert "(since 2026-11-16)" in place.memory.read_text()
    return place


def _lines(place: Place) -> list[Line]:
    with open_ledger(place.target().layout.ledger, create=False) as ledger:
        return ledger.all_lines()


def _drop(place: Place, words: str, reason: str) -> str:
    with open_ledger(place.target().layout.ledger, create=False) as ledger:
        id_ = next(line.observation.id for line in ledger.live_lines() if words in line.observation.text)
        ledger.append([Event(EventType.DROPPED, id_, 1_796_000_000_000, "r6", reason=reason)])
    return id_


def test_a_section_of_an_earlier_release_is_no_edit_of_every_line(place: Place) -> None:
    before = {line.observation.id: line.standing.closed for line in _lines(place)}

    answer = place.run("observe", "--yes", now="2026-11-20T19:00:00+00:00")

    text = place.memory.read_text()
    assert answer.code == 0
    assert {line.observation.id: line.standing.closed for line in _lines(place)} == before
    assert '"I", or no subject, is the person' in text
    assert "(since 2026-11)" in text
    assert "(since 2026-11-16)" not in text


def test_a_line_changed_in_a_section_of_an_earlier_release_is_the_persons(place: Place) -> None:
    place.memory.write_text(place.memory.read_text().replace("penicillin", "penicillin and cats"))

    place.run("observe", "--yes", now="2026-11-20T19:00:00+00:00")

    own = [line for line in _lines(place) if line.observation.author is Author.PERSON]
    assert len(own) == 1
    assert "penicillin and cats" in own[0].observation.text


def test_what_age_had_dropped_is_back_once_and_what_was_dropped_for_another_reason_is_not(
    place: Place,
) -> None:
    kept_out = _drop(place, "Postgres", "trivial")
    back = _drop(place, "penicillin", "ttl_days")

    place.run("observe", "--yes", now=LATER)
    place.run("observe", "--yes", now=LATER)

    with open_ledger(place.target().layout.ledger, create=False) as ledger:
        assert ledger.line(back).standing.is_live
        assert ledger.line(kept_out).standing.closed is Closed.DROPPED
        types = [one.event.type for one in ledger.events_of(back)]
    assert types.count(EventType.TAKEN_BACK) == 1
    assert "penicillin" in place.memory.read_text()
    assert "taken back: age only lowers its rank" in place.run("why", "penicillin").out


def test_a_line_that_age_had_dropped_can_be_pinned_at_once(place: Place) -> None:
    _drop(place, "penicillin", "ttl_days")

    answer = place.run("pin", "penicillin", now=LATER)

    assert answer.code == 0, answer.err
    assert "penicillin" in place.memory.read_text()


def test_a_ledger_of_an_earlier_release_opens_as_a_replay_of_its_events_says(
    tmp_path: Path,
) -> None:
    path = tmp_path / "ledger.sqlite"
    made = [observation(n, id=f"{n:024x}", text=f"line {n}") for n in range(6)]
    ids = [one.id for one in made]
    with open_ledger(path, create=True) as ledger:
        ledger.accept(Batch("r", 1, tuple(made), sessions=(SESSION,)))
        ledger.append(
            [
                Event(EventType.REINFORCED, ids[0], 20, "r"),
                Event(EventType.RECALLED, ids[0], 30, "search"),
                Event(EventType.PINNED, ids[1], 40, "person"),
                Event(EventType.UNPINNED, ids[1], 50, "person"),
                Event(EventType.RECALLED, ids[2], 60, "search"),
                Event(EventType.SET_BACK, ids[2], 70, "undo", reason='{"place": "log", "recalled": 1}'),
                Event(EventType.RECALLED, ids[3], 60, "search"),
                Event(EventType.SET_BACK, ids[3], 70, "undo", reason='{"place": "log"}'),
                Event(EventType.REINFORCED, ids[3], 80, "r", ids[4], "the same in other words"),
                Event(EventType.DROPPED, ids[5], 90, "r", reason="ttl_days"),
            ]
        )
    with closing(sqlite3.connect(path)) as older:
        older.execute("alter table standing drop column renewed_at_ms")
        older.execute("drop table working")
        older.execute("pragma user_version = 4")
        older.commit()

    with open_ledger(path, create=False) as ledger:
        renewed = [ledger.line(id_).standing.renewed_at_ms for id_ in ids]

        assert renewed == [30, 40, 0, 80, 0, 0]
        assert ledger.rebuild() == 0
        assert [line.observation.id for line in ledger.dropped_as("ttl_days")] == [ids[5]]
        assert ledger.line(ids[0]).standing.place is not Part.STANDING
