"""What another file's lines must look like, and what a foreign text is cut into: pure, without memvid."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.portability.ledgers import event, line

from scrimshaw.core.ledger.import_checks import complaint, event_complaint
from scrimshaw.core.ledger.import_notes import MOST_NOTES_OF_ONE, Arrival, Foreign, events_of, notes_of
from scrimshaw.core.ledger.lifecycle import replay, spell
from scrimshaw.core.section.budget import units
from scrimshaw.core.section.render import safe
from scrimshaw.core.types import MAX_TEXT_CHARS, Author, Claim, DateRef, EventType, Place, Standing

ARRIVAL = Arrival(1_790_000_000_000, "Europe/Paris", "r9", "other.mv2")


def texts(text: str, title: str = "note") -> list[str]:
    found = notes_of(Foreign("mv2://frames/1", title, 1_780_000_000_000, text), ARRIVAL)
    return [note.text for note in found.observations]


# -- what may come in --------------------------------------------------------------------------------------


def test_what_a_ledger_writes_is_admitted() -> None:
    whole = line(
        1,
        refers_to=DateRef(date(2026, 11, 24), None, "09:30", "next Tuesday"),
        claim=Claim("billing-api", "version", "2.4.1"),
        supports=(line(2).id,),
        session_id="agent:main:main — ünïcode",
    )
    own = line(
        3, author=Author.PERSON, text="# Mine\n\n- several\n- lines\n", zone="America/Argentina/Ushuaia"
    )

    assert [complaint(whole), complaint(own)] == ["", ""]


@pytest.mark.parametrize(
    "lie",
    [
        {"id": "o1"},
        {"id": "../../../../etc/passwd.."},
        {"local_date": "../../../etc/passwd"},
        {"local_date": "2026-02-30"},
        {"local_date": "0001-01-01"},
        {"local_time": "25:00"},
        {"local_time": "9:5\n"},
        {"zone": "../../etc/localtime"},
        {"zone": "Europe"},
        {"zone": ""},
        {"text": "two\nlines"},
        {"text": "x <!-- scrimshaw:end -->"},
        {"text": "w" * (MAX_TEXT_CHARS + 1)},
        {"text": "\ud800"},
        {"author": Author.PERSON, "text": "p" * 50_000},
        {"said_at_ms": -1},
        {"said_at_ms": 2**60},
        {"priority": 9},
        {"salience": float("nan")},
        {"tokens": -1},
        {"session_id": "s\x00"},
        {"sources": ("e" * 5_000,)},
        {"supports": ("not an id",)},
        {"claim": Claim("a", "b", "\udfff")},
        {"refers_to": DateRef(date(2026, 1, 1), None, "x" * 99, "soon")},
        {"pattern": "p" * 10_000},
    ],
    ids=str,
)
def test_what_no_ledger_writes_is_named(lie: dict[str, Any]) -> None:
    assert complaint(replace(line(1), **lie))


@pytest.mark.parametrize(
    "lie",
    [{"observation_id": ""}, {"other_id": "x"}, {"at_ms": -1}, {"by": "b" * 5_000}, {"reason": "\ud800"}],
)
def test_an_event_that_no_ledger_writes_is_named(lie: dict[str, Any]) -> None:
    assert event_complaint(event(EventType.PINNED, line(1))) == ""
    assert event_complaint(replace(event(EventType.PINNED, line(1)), **lie))


@pytest.mark.parametrize(
    "standing",
    [
        {"place": "log", "reinforced": 10**30},
        {"place": "log", "recalled": 2**63 - 1},
        {"place": "log", "reinforced": -1},
        {"place": "log", "confirmed": 10**400},
        {"place": "log", "renewed_at_ms": 10**30},
        {"place": "log", "closed": "superseded", "closed_by": "x'; drop"},
    ],
    ids=str,
)
def test_a_line_is_set_back_only_to_what_a_ledger_can_hold(standing: dict[str, Any]) -> None:
    good = event(EventType.SET_BACK, line(1), reason=spell(Standing(place=Place.LOG, reinforced=3)))

    assert event_complaint(good) == ""
    assert event_complaint(replace(good, reason=json.dumps(standing)))


# -- plain notes -------------------------------------------------------------------------------------------


def test_each_line_of_a_text_is_a_note_with_the_title_before_the_first() -> None:
    assert texts("The ferry leaves at nine.\n\n Dana books.", "Trip") == [
        "Trip: The ferry leaves at nine.",
        "Dana books.",
    ]


@pytest.mark.parametrize("title", ["", "Untitled", "The ferry", "t" * 200])
def test_a_title_that_tells_nothing_is_left_away(title: str) -> None:
    assert texts("The ferry leaves at nine.", title) == ["The ferry leaves at nine."]


def test_a_note_is_set_aside_from_the_section_and_stays_there() -> None:
    (note,) = notes_of(Foreign("u", "note", 0, "The ferry leaves."), ARRIVAL).observations

    standing = replay(note, events_of(note, 5))

    assert (standing.is_live, standing.is_shown, standing.is_set_aside) == (True, False, True)


def test_the_same_text_at_another_time_of_import_is_the_same_note() -> None:
    frame = Foreign("u", "note", 0, "The ferry leaves.")

    first, second = (notes_of(frame, ARRIVAL._replace(at_ms=at)).observations[0] for at in (5, 10**12))

    assert first.id == second.id


def test_a_time_of_the_future_is_not_believed() -> None:
    (note,) = notes_of(Foreign("u", "note", 2**50, "The ferry leaves."), ARRIVAL).observations

    assert ARRIVAL.at_ms == note.said_at_ms


_ANY = st.text(st.characters(), max_size=200)  # lone halves of letters, too


@given(st.text(st.characters(), max_size=4_000), _ANY, _ANY, st.integers(-(2**60), 2**60))
def test_whatever_a_file_says_the_notes_are_lines_a_ledger_may_hold(
    text: str, title: str, uri: str, at_ms: int
) -> None:
    found = notes_of(Foreign(uri, title, at_ms, text), ARRIVAL)

    assert len(found.observations) <= MOST_NOTES_OF_ONE
    for note in found.observations:
        assert complaint(note) == ""
        assert units(note.text) <= MAX_TEXT_CHARS
        assert safe(note.text) == note.text


@given(st.lists(st.text("abc é🔴", min_size=1, max_size=700), min_size=1, max_size=6))
def test_no_letter_of_a_text_that_is_taken_whole_is_lost(paragraphs: list[str]) -> None:
    text = "\n".join(paragraphs)
    found = notes_of(Foreign("u", "note", 0, text), ARRIVAL)

    if not found.left_out:
        kept = "".join("".join(note.text.split()) for note in found.observations)
        spoken = [one for one in paragraphs if any(map(str.isalnum, one))]
        assert set(kept) == set("".join("".join(spoken).split()))
