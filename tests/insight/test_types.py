"""Of which type a fact is, and how fast it fades; calendar days."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from tests.core.lines_by_hand import a_line

from scrimshaw.core.insight.calendar import Freshness, calendar
from scrimshaw.core.insight.decay import HALF_LIVES
from scrimshaw.core.insight.fact_types import FactType, is_fact, type_of
from scrimshaw.core.insight.known import known_of
from scrimshaw.core.section.rank import HALF_LIFE_DAYS
from scrimshaw.core.types import Author, Claim, DateRef, Kind, Place

_TUESDAY = DateRef(date(2026, 10, 6), None, None, "on Tuesday")


@pytest.mark.parametrize(
    ("text", "told", "type_"),
    [
        ("We take Postgres", {"kind": Kind.DECISION}, "decision"),
        ("No coriander", {"kind": Kind.PREFERENCE}, "preference"),
        ("Meeting with vendor on Tuesday", {"refers_to": _TUESDAY}, "temporal"),
        ("Call the vendor", {"kind": Kind.NEXT_STEP}, "temporal"),
        ("Bring the keys", {"place": Place.OPEN}, "temporal"),
        ("Nora's sister, Beth, keeps bees", {}, "relationship"),
        ("Ihre Schwester hält Bienen", {}, "relationship"),
        ("Nora was born in Devon", {}, "identity"),
        ("She moved to Porto.", {}, "location"),
        ("The staging port is 8443", {}, "kv"),
        ("The editor is Helix", {"claim": Claim("editor", "is", "helix")}, "kv"),
        ("The press leaks", {}, "state"),
        ("The press leaks on line 3", {"kind": Kind.ISSUE}, "state"),
        ("Nora's birthday is on 6 October", {"refers_to": _TUESDAY, "place": Place.STANDING}, "identity"),
    ],
)
def test_the_type_of_a_fact(text, told, type_):
    assert FactType(type_) is type_of(a_line(text, **told))


def test_a_reflection_and_a_programs_word_are_no_facts_until_the_person_pins_it():
    assert is_fact(a_line("x"))
    assert not is_fact(a_line("x", level=1))
    assert not is_fact(a_line("x", author=Author.PROGRAM))
    assert is_fact(a_line("x", author=Author.PROGRAM, is_pinned=True))


def test_every_type_has_a_half_life_and_the_shortest_and_longest_are_as_told():
    assert set(HALF_LIVES) == set(FactType)
    assert min(HALF_LIVES, key=HALF_LIVES.__getitem__) is FactType.TEMPORAL
    assert max(HALF_LIVES, key=HALF_LIVES.__getitem__) is FactType.IDENTITY
    assert HALF_LIVES[FactType.STATE] == HALF_LIFE_DAYS


def test_after_one_half_life_half_of_the_confidence_is_left():
    line = a_line("The press leaks", priority=3)

    assert known_of(line).effective_confidence(HALF_LIFE_DAYS, "") == pytest.approx(0.5)


def test_what_holds_for_life_in_the_section_does_not_fade():
    pinned = a_line("The press leaks", priority=3, is_pinned=True)

    assert known_of(pinned).effective_confidence(3650, "") == 1.0


@pytest.mark.parametrize(
    ("before", "fresh"),
    [(0, "today"), (1, "this_week"), (2, "this_week"), (3, "this_month"), (17, "this_month"), (18, "older")],
)
def test_freshness_goes_by_the_calendar_of_the_zone(before, fresh):
    day = date(2026, 11, 18)  # a Wednesday
    paris = ZoneInfo("Europe/Paris")
    said = datetime(2026, 11, 18, 0, 30, tzinfo=paris) - timedelta(before)

    assert Freshness(fresh) is calendar(day, "Europe/Paris").freshness(int(said.timestamp() * 1000))


def test_days_are_midnights():
    today = calendar(date(2026, 11, 18), "Europe/Paris")

    assert [
        today.days_since(at)
        for at in (
            today.end_ms,
            today.start_ms,
            today.start_ms - 1,
            today.start_ms - 86_400_000,
            today.end_ms + 9,
        )
    ] == [0, 0, 1, 1, 0]
