"""Days and times as people type them: what a note makes of them passes, another day or hour does not."""

from __future__ import annotations

from datetime import date

import pytest
from tests.core.judged_by_hand import reason

from scrimshaw.core.text.loose_dates import months_meant, months_named, weekdays_named
from scrimshaw.core.text.loose_times import hours_meant


def refused(note: str, said: str) -> bool:
    """Whether *note* is refused for a day or a time, said on Monday 16 November 2026."""
    return reason(note, f"U {said}") in ("date", "time")


@pytest.mark.parametrize(
    ("said", "note"),
    [
        ("yoga thu eve as usual", "Yoga is on Thursday evening"),
        ("choir is tue/fri", "Choir is on Tuesday and Friday"),
        ("boiler man comes next wed", "The boiler man comes on 2026-11-25"),
        ("cat was at the vet last sat", "The cat was at the vet on 2026-11-14"),
        ("next week: mon holiday, meeting with ilse thu", "The meeting with Ilse is on 2026-11-26"),
        ("the shop is open on weekdays only", "The shop is open from Monday to Friday"),
        ("swim plan: mo rest, tue sprints, sun long", "Swim plan: Monday rest, Sunday long"),
        ("lease runs til apr", "The lease runs until April 2027"),
        ("pond pump is off from nov to feb", "The pond pump is off from November to February"),
        ("court is closed 24.-26.12.", "The court is closed from 24 to 26 December"),
        ("flat is free from 1.3. on", "The flat is free from 2027-03-01"),
        ("offer holds for orders placed before 15 december", "The offer holds for orders until 14 December"),
        ("report due end of jan", "The report is due on 2027-01-31"),
        ("parcel arrives tmr", "The parcel arrives on 2026-11-17"),
        ("last nights outage began at 23:40", "The outage began on 2026-11-15 at 23:40"),
    ],
)
def test_days_in_short_forms_bear_out_their_dates(said: str, note: str) -> None:
    assert not refused(note, said)


@pytest.mark.parametrize(
    ("said", "note"),
    [
        ("yoga thu eve as usual", "Yoga is on Wednesday evening"),
        ("lease runs til apr, it may rain in", "The lease runs until May 2027"),
        ("we sat down with the plumber on fri", "User met the plumber on Saturday"),
        ("concert is sat 28th", "The concert is on Saturday 2026-11-21"),
        ("mon lia, tue ben", "Lia has Monday, Ben has Monday"),
        ("in graz fri-sun, thu is full", "User is in Graz from Thursday to Sunday"),
        ("trip is 4 dec to 9 dec", "The trip is from 2026-12-09 to 2026-12-04"),
        ("mending by sunday, the rest next week", "The mending is done by 2026-11-23"),
        ("last week i skipped sunday", "User skipped last Monday"),
        ("fever since last night", "Fever since the night before 2026-11-15"),
        ("reading is on wednesday 11 march", "The reading is on Thursday 11 March"),
        ("lunch with said tmrw", "Lunch with Said on 2026-11-16"),
        ("guests come again in winter", "The guests come again in summer"),
        ("voss comes tomorrow, adler on thursday", "Voss comes on 2026-11-26"),
    ],
)
def test_a_day_that_the_words_do_not_mean_is_refused(said: str, note: str) -> None:
    assert refused(note, said)


@pytest.mark.parametrize(
    ("said", "note"),
    [
        ("sitter tonight 6.30 to 11", "The sitter comes from 18:30 to 23:00"),
        ("visits 2-7pm", "Visits are from 14:00 to 19:00"),
        ("store open 8am-6pm", "The store is open from 08:00 to 18:00"),
        ("dinner at 7 still works", "Dinner at 19:00 works"),
        ("fed the dog at 7 this morning", "The dog was fed at 07:00"),
        ("swimming tue 5, piano thu 4", "Swimming is on Tuesday at 17:00"),
        ("the lamp failed at 8:51 and came back two minutes later", "The lamp came back at 08:53"),
        ("dinner with rosa 8ish", "Dinner with Rosa at 20:00"),
    ],
)
def test_hours_typed_loosely_bear_out_their_times(said: str, note: str) -> None:
    assert not refused(note, said)


@pytest.mark.parametrize(
    ("said", "note"),
    [
        ("the gate closes at 10 tonight", "The gate closes at 10:00"),
        ("fed the dog at 7 this morning", "The dog was fed at 19:00"),
        ("the bus leaves at 6 am", "The bus leaves at 18:00"),
        ("visits 2-8pm", "Visits are from 14:00 to 08:00"),
        ("the tour is on 17 november 9:00-9:45", "The tour is on 2026-11-17 9:00-10:45"),
        ("snacks are 4.50€ a child", "Snacks are at 16:50 for each child"),
        ("the walk is over after 5 km", "The walk is over after 17:00"),
    ],
)
def test_the_other_half_of_the_day_and_what_is_no_hour_are_refused(said: str, note: str) -> None:
    assert refused(note, said)


@pytest.mark.parametrize(
    ("said", "note"),
    [
        ("The surgeon thinks May probably, keyhole.", "The surgeon thinks May probably, keyhole."),
        ("The surgeon thinks May probably.", "The operation is in May, probably"),
        ("Il primo maggio siamo aperti, pranzo solo.", "Il primo maggio siamo aperti, pranzo solo."),
    ],
)
def test_a_month_written_as_a_name_bears_out_that_month(said: str, note: str) -> None:
    assert not refused(note, said)


@pytest.mark.parametrize(
    ("said", "note"),
    [
        ("May I bring the cat in?", "Cat in, May probably"),
        ("The cat may come in, then.", "Cat comes in, May probably"),
        ("Il primo marzo siamo aperti.", "Siamo aperti il primo maggio, pranzo solo."),
    ],
)
def test_a_verb_and_another_month_bear_out_no_month(said: str, note: str) -> None:
    assert refused(note, said)


def test_words_that_are_no_days_or_months_name_none() -> None:
    assert weekdays_named("we sat down in the sun, you may go") == frozenset()
    assert months_named("it may rain, they may go") == frozenset()
    assert weekdays_named("sat+sun free, wed not") == {2, 5, 6}
    assert months_named("closed may to sept") == {5, 9}
    assert date(2027, 1, 1) in months_meant("paused til jan", date(2026, 11, 16))


def test_a_price_or_version_is_no_time() -> None:
    assert hours_meant("costs €4.50, weighs 3.20 kg, release 1.20.3") == frozenset()
