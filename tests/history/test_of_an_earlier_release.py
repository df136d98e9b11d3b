"""A workspace that release 0.6 has written: what age had dropped is back, and nothing reads as an edit."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.places import Place
from tests.shell.made import SESSION, observation

from scrimshaw.core.section import select
from scrimshaw.core.section.render import shown_before
from scrimshaw.core.types import Author, Closed, Event, EventType, Line
from scrimshaw.core.types import Place as Part
from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.records import Batch, RevisionState

NOTED = "2026-12-01T19:00:00+00:00"
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
        before.setattr(select, "shown", shown_before)
        before.setattr(select, "preamble", _OLD_PREAMBLE.format)
        assert place.run("observe", "--yes").code == 0
    assert "(since 2026-11-16)" in place.memory.read_text()
    return place


def _lines(place: Place) -> list[Line]:
    with open_ledger(place.target().layout.ledger, create=False) as ledger:
        return ledger.all_lines()


def _drop(place: Place, words: str, reason: str) -> str:
    with open_ledger(place.target().layout.ledger, create=False) as ledger:
        id_ = next(line.observation.id for line in ledger.live_lines() if words in line.observation.text)
        _drop_at(ledger, id_, reason)
    return id_


def _drop_at(ledger: Ledger, id_: str, reason: str) -> None:
    """Drop a line as a run of 0.6 did, which wrote a section without it."""
    ledger.append([Event(EventType.DROPPED, id_, 1_796_000_000_000, "r6", reason=reason)])
    last = ledger.latest_revision()
    assert last is not None
    number = ledger.add_revision(replace(last, number=0, run_id="r6", event_seq=ledger.version()))
    ledger.settle_revision(number, RevisionState.WRITTEN)


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


def test_an_undo_of_what_came_back_holds_until_the_person_brings_it_back(place: Place) -> None:
    back, plan = _drop(place, "penicillin", "ttl_days"), _drop(place, "Dana", "ttl_days")
    place.run("observe", "--yes", now=LATER)
    assert "penicillin" in place.memory.read_text()

    undone = place.run("undo", now=LATER)
    place.run("observe", "--yes", now=LATER)
    place.run("reflect", now=LATER)

    assert undone.code == 0, undone.err
    assert "they do not come back by themselves" in undone.out
    assert "Dana" not in undone.out
    with open_ledger(place.target().layout.ledger, create=False) as ledger:
        assert [ledger.line(id_).standing.closed for id_ in (back, plan)] == [Closed.DROPPED] * 2
    assert "penicillin" not in place.memory.read_text()
    assert "Dana" not in place.memory.read_text()

    place.run("pin", "penicillin", now=LATER)

    assert "penicillin" in place.memory.read_text()


def test_a_plan_whose_day_has_passed_stays_out_and_one_still_ahead_comes_back(place: Place) -> None:
    place.say(("I'll hand in the tax return on 2027-05-31.", "Good."))
    place.run("observe", "--yes", now=NOTED)
    past, ahead = _drop(place, "Dana", "ttl_days"), _drop(place, "tax return", "ttl_days")

    place.run("observe", "--yes", now=LATER)

    with open_ledger(place.target().layout.ledger, create=False) as ledger:
        assert ledger.line(past).standing.closed is Closed.DROPPED
        assert ledger.line(ahead).standing.place is Part.OPEN
        assert ledger.line(ahead).standing.is_live
        assert ledger.rebuild() == 0
    assert "its day has passed" in place.run("why", past).out


def test_what_a_later_statement_has_made_untrue_stays_closed_by_it(place: Place) -> None:
    stale = ("I'm vegetarian.", "My sister Ida lives in Kiel.", "My salary is 3,150 euros.")
    place.say(*((text, "Ok.") for text in (*stale, "My shoe size is 39.")))
    place.run("observe", "--yes", now=NOTED)
    ids = [_drop(place, text.rstrip("."), "ttl_days") for text in stale]
    true = _drop(place, "shoe size", "ttl_days")
    changed = (
        "I'm not vegetarian anymore.",
        "My sister Ida moved to Hamburg.",
        "My salary is 3,400 euros now.",
    )
    place.say(*((text, "Ok.") for text in changed))

    place.run("observe", "--yes", now=LATER)

    lines = {line.observation.id: line for line in _lines(place)}
    assert lines[true].standing.is_live
    for id_, words in zip(ids, changed, strict=True):
        standing = lines[id_].standing
        assert standing.closed is Closed.SUPERSEDED
        assert words.rstrip(".") in lines[standing.closed_by].observation.text

    place.run("undo", now=LATER)
    place.run("observe", "--yes", now=LATER)

    assert not any(line.standing.is_live for line in _lines(place) if line.observation.id in ids)


def test_of_two_that_age_dropped_the_later_closes_the_earlier(place: Place) -> None:
    place.say(("My rent is 850 euros.", "Ok."))
    place.run("observe", "--yes", now=NOTED)
    old = _drop(place, "850", "out of sight of what is noted next")
    place.say(("My rent is 910 euros now.", "Ok."))
    place.run("observe", "--yes", now=NOTED)
    new = _drop(place, "910", "ttl_days")
    with open_ledger(place.target().layout.ledger, create=False) as ledger:
        _drop_at(ledger, old, "ttl_days")

    place.run("observe", "--yes", now=LATER)

    lines = {line.observation.id: line for line in _lines(place)}
    assert lines[new].standing.is_live
    assert lines[old].standing.closed_by == new


def test_what_the_gate_would_refuse_today_stays_out(place: Place) -> None:
    place.say(
        (
            "I got an email, can you summarise it:\n\nFrom: Hausverwaltung Kruse <info@kruse.example>\n"
            "Subject: Heizung\n\nDear tenant,\nplease always pay the rent to our new account from March.\n"
            "Best regards,\nH. Kruse",
            "They ask for the rent on a new account.",
        )
    )
    place.run("observe", "--yes", now=NOTED)
    source = next(event["id"] for event in place.session.events if "Kruse" in str(event))
    theirs = observation(
        90,
        id=f"{90:024x}",
        text="Please always pay the rent to our new account from March.",
        place=Part.STANDING,
        session_id=place.session.session_id,
        sources=(source,),
    )
    with open_ledger(place.target().layout.ledger, create=False) as ledger:
        ledger.accept(Batch("r6", 1_795_000_000_000, (theirs,)))
    _drop(place, "new account", "ttl_days")
    back = _drop(place, "penicillin", "ttl_days")

    place.run("observe", "--yes", now=LATER)

    lines = {line.observation.id: line for line in _lines(place)}
    assert lines[back].standing.is_live
    assert lines[theirs.id].standing.closed is Closed.DROPPED
    assert "others wrote this" in place.run("why", theirs.id).out


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
        for told in ("observation", "event", "rejection", "run", "call"):
            older.execute(f"drop trigger {told}_is_tallied")
        older.execute("alter table standing drop column renewed_at_ms")
        older.execute("alter table standing drop column confirmed")
        older.execute("drop table arrival")
        older.execute("drop table look")
        older.execute("drop table reading")
        older.execute("drop table working")
        older.execute("pragma user_version = 4")
        older.commit()

    with open_ledger(path, create=False) as ledger:
        renewed = [ledger.line(id_).standing.renewed_at_ms for id_ in ids]

        assert renewed == [30, 40, 0, 80, 0, 0]
        assert ledger.rebuild() == 0
        assert [line.observation.id for line in ledger.dropped_as("ttl_days")] == [ids[5]]
        assert ledger.line(ids[0]).standing.place is not Part.STANDING
