"""Dates in words: a table of what people write, said on Monday 16 November 2026 at 10:05 in Lisbon."""

from __future__ import annotations

from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrimshaw.core.text.dates import find_dates
from scrimshaw.core.text.times import find_times

SAID = datetime(2026, 11, 16, 10, 5, tzinfo=ZoneInfo("Europe/Lisbon"))

# text -> the dates expected, written "2026-11-17", "…/END", "…T09:30", a trailing ? when uncertain
ENGLISH = [
    ("see you today", "2026-11-16"),
    ("tonight we deploy", "2026-11-16"),
    ("this morning it failed", "2026-11-16"),
    ("tomorrow 9:30 on stg-bill-02", "2026-11-17T09:30"),
    ("I will do it tomorrow", "2026-11-17"),
    ("Tomorrow at 5pm then", "2026-11-17T17:00"),
    ("yesterday it broke", "2026-11-15"),
    ("the day after tomorrow", "2026-11-18"),
    ("the day before yesterday at 10", "2026-11-14"),
    ("last night the job failed", "2026-11-15?"),
    ("Dentist on Friday at 16:15", "2026-11-20T16:15"),
    ("dentist on friday", "2026-11-20"),
    ("by Wednesday please", "2026-11-18"),
    ("We shipped it on Friday", "2026-11-13"),
    ("It was down on Saturday", "2026-11-14"),
    ("until Monday noon", "2026-11-23T12:00?"),
    ("next Tuesday", "2026-11-24?"),
    ("next Monday", "2026-11-23"),
    ("this Thursday", "2026-11-19"),
    ("this Monday", "2026-11-16"),
    ("last Friday", "2026-11-13"),
    ("last Monday", "2026-11-09"),
    ("this coming Friday", "2026-11-20"),
    ("this week: Tuesday run, Thursday swim", "2026-11-16/2026-11-22 2026-11-17 2026-11-19"),
    ("last week I skipped Sunday", "2026-11-09/2026-11-15 2026-11-15"),
    ("away next week, back Monday", "2026-11-23/2026-11-29 2026-11-30"),
    ("they get married on Friday", "2026-11-20"),
    ("11:00-11:45 on Tuesday", "2026-11-17T11:00"),
    ("11:00 to 11:45 on Tuesday", "2026-11-17T11:00"),
    ("Saturday next week", "2026-11-28"),
    ("next week on Thursday", "2026-11-26"),
    ("next week Thursday", "2026-11-26"),
    ("Friday last week", "2026-11-13"),
    ("Thursday this week", "2026-11-19"),
    ("Saturday next week, 28 November, 22:00 to 23:30", "2026-11-28T22:00"),
    ("next Tuesday with TP 562 at 7:10, back Thursday evening", "2026-11-24T07:10? 2026-11-26?"),
    ("from Friday till next Monday", "2026-11-20/2026-11-23"),
    ("28 November", "2026-11-28"),
    ("28 Nov", "2026-11-28"),
    ("the 28th of November", "2026-11-28"),
    ("November 28", "2026-11-28"),
    ("Nov. 28", "2026-11-28"),
    ("November 28th, 2027", "2027-11-28"),
    ("nov 28 is the day", "2026-11-28"),
    ("Sat 28 Nov at 7pm", "2026-11-28T19:00"),
    ("on Saturday, November 28", "2026-11-28"),
    ("March 15, 2024", "2024-03-15"),
    ("March-15-2024", "2024-03-15"),
    ("15-Mar-2024", "2024-03-15"),
    ("Friday, March 15, 2024 at 3:30 PM", "2024-03-15T15:30"),
    ("Monday, March 15, 2024", "2024-03-15?"),
    ("15 March 2024", "2024-03-15"),
    ("stops on 28 February 2027, so", "2027-02-28"),
    ("audit needs it until 31 December.", "2026-12-31"),
    ("From 1 January my rate goes up", "2027-01-01"),
    ("we met on 2 January", "2026-01-02"),
    ("we fixed it on 10 November", "2026-11-10"),
    ("due 10 November", "2026-11-10?"),
    ("the invoice will be due 3 February", "2027-02-03"),
    ("24-26 Nov", "2026-11-24/2026-11-26"),
    ("24 to 26 November", "2026-11-24/2026-11-26"),
    ("from the 24th to the 26th", "2026-11-24/2026-11-26"),
    ("between 3 and 5 December", "2026-12-03/2026-12-05"),
    ("between 3 December and 5 January", "2026-12-03/2027-01-05"),
    ("Dec 5-7", "2026-12-05/2026-12-07"),
    ("Dec 5th to 7th, 2026", "2026-12-05/2026-12-07"),
    ("5 December - 7 December", "2026-12-05/2026-12-07"),
    ("moved from 28 November to 5 December", "2026-11-28 2026-12-05"),
    ("not the 28th any more but Saturday 5 December, 22:00 to 23:30", "2026-11-28 2026-12-05T22:00"),
    ("2026-11-28", "2026-11-28"),
    ("2026/11/28", "2026-11-28"),
    ("2026-11-28 to 2026-11-30", "2026-11-28/2026-11-30"),
    ("at 2026-11-17 02:14:04.643 UTC", "2026-11-17T02:14"),
    ("2026-11-17T02:14:04Z", "2026-11-17T02:14"),
    ("28.11.2026", "2026-11-28"),
    ("am 28.11. um 9:00", "2026-11-28T09:00"),
    ("bis 3.12. fertig", "2026-12-03"),
    ("11/28/2026", "2026-11-28"),
    ("28/11/2026", "2026-11-28"),
    ("on 03/04/2026", "2026-03-04?"),
    ("by 12/15", "2026-12-15"),
    ("in two weeks the return is due", "2026-11-30"),
    ("in 3 days", "2026-11-19"),
    ("in a week", "2026-11-23"),
    ("in three months", "2027-02-16?"),
    ("within 14 days", "2026-11-30"),
    ("within the next 2 weeks", "2026-11-30"),
    ("3 days ago", "2026-11-13"),
    ("two weeks ago", "2026-11-02"),
    ("a month ago", "2026-10-16?"),
    ("two days from now", "2026-11-18"),
    ("a week from Friday", "2026-11-27"),
    ("a week from tomorrow", "2026-11-24"),
    ("next week", "2026-11-23/2026-11-29"),
    ("this week", "2026-11-16/2026-11-22"),
    ("last week", "2026-11-09/2026-11-15"),
    ("this weekend", "2026-11-21/2026-11-22"),
    ("next month", "2026-12-01/2026-12-31"),
    ("last month", "2026-10-01/2026-10-31"),
    ("next year", "2027-01-01/2027-12-31"),
    ("end of the month", "2026-11-30"),
    ("by the end of next month", "2026-12-31"),
    ("end of February", "2027-02-28"),
    ("end of the year", "2026-12-31"),
    ("end of this week", "2026-11-20?"),
    ("by month end", "2026-11-30"),
    ("on the 25th", "2026-11-25"),
    ("by the 1st", "2026-12-01"),
    ("since the 1st", "2026-11-01"),
    ("Right, the 24th.", "2026-11-24"),
    ("TP 562 on the 24th is cancelled", "2026-11-24"),
    ("it stays until January", "2027-01-01/2027-01-31"),
    ("in March 2027", "2027-03-01/2027-03-31"),
    ("since October", "2026-10-01/2026-10-31"),
    ("at 9:30 tomorrow", "2026-11-17T09:30"),
    ("7pm on Friday", "2026-11-20T19:00"),
    ("midnight on 31 December", "2026-12-31"),
    ("tomorrow at 9.30", "2026-11-17T09:30"),
    ("on 29 February 2028", "2028-02-29"),
]
NO_DATE = [
    "soon",
    "I did that recently",
    "we may second that in march order",
    "I sat down in the sun",
    "it may 5 times fail",
    "you might march 5 miles",
    "wait a second, one moment",
    "no production deploys on Fridays. Ever.",
    "every Friday at 9",
    "each Monday we meet",
    "on the 25th of each month",
    "Osaka closes on the 25th of every month",
    "Haifa pays at month end",
    "Fernhill has a Black Friday freeze",
    "from Friday before the cutover until the Monday after",
    "on the Wednesday in between",
    "on the 2nd floor",
    "the 3rd party library",
    "for the 1st time",
    "version 1.2.3 and Postgres 13.16",
    "it costs 28.11.",
    "open 24/7",
    "3/4 of it works",
    "obs-2026-11-20.md",
    "docs/2026-11-20/x",
    "invoice 2026-031",
    "the 31 November does not exist in 31 November 2026",
    "10.40.7.0/24",
    "done in two weeks",
    "in a week or two",
    "in a few days",
    "for two weeks",
    "30 minutes ago",
    "the monkey and the sundae",
    "decide on the marching order",
    "last time and next step",
    "one day we will",
    "call at 16:00",
    "April showed me the house",
    "",
]


def written(text: str, said: datetime = SAID) -> str:
    """Return what was found in *text* in the table's notation."""
    parts = []
    for found in find_dates(text, said):
        ref = found.ref
        end = f"/{ref.end}" if ref.end else ""
        time = f"T{ref.time}" if ref.time else ""
        parts.append(f"{ref.start}{end}{time}{'' if ref.certain else '?'}")
    return " ".join(parts)


@pytest.mark.parametrize(("text", "expected"), ENGLISH, ids=[text for text, _ in ENGLISH])
def test_a_phrase_gives_the_date_it_means(text: str, expected: str) -> None:
    assert expected == written(text)


@pytest.mark.parametrize("text", NO_DATE)
def test_no_date_is_found_where_none_is_said(text: str) -> None:
    assert written(text) == ""


def test_next_wednesday_said_on_a_wednesday_is_certain() -> None:
    said = datetime(2026, 11, 18, 17, 0, tzinfo=ZoneInfo("UTC"))

    assert written("settled by next Wednesday", said) == "2026-11-25"


def test_days_are_counted_from_the_readers_date_not_from_utc() -> None:
    late = datetime(2026, 11, 16, 20, 30, tzinfo=ZoneInfo("UTC")).astimezone(ZoneInfo("Asia/Tokyo"))

    assert written("tomorrow", late) == "2026-11-18"


def test_who_is_still_up_after_midnight_may_mean_today_by_tomorrow() -> None:
    assert written("tomorrow", SAID.replace(hour=0, minute=30)) == "2026-11-17?"


def test_the_direction_asked_for_wins_over_the_tense() -> None:
    found = find_dates("we shipped on Friday", SAID, prefer="future")

    assert date(2026, 11, 20) == found[0].ref.start


def test_the_span_covers_the_words_of_the_phrase() -> None:
    text = "Call with Deniz tomorrow 9:30, please"

    found = find_dates(text, SAID)[0]

    assert found.ref.phrase == text[found.start : found.end] == "tomorrow 9:30"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("at 9:30", ["09:30"]),
        ("7pm or 7 p.m.", ["19:00", "19:00"]),
        ("12am and 12pm", ["00:00", "12:00"]),
        ("22:00 to 23:30", ["22:00", "23:30"]),
        ("24:00", ["00:00"]),
        ("9:00-9:45", ["09:00", "09:45"]),
        ("2026-11-16T09:00-05:00 and 09:00:00-05:00", ["09:00", "09:00"]),
        ("at 9.30 it costs 9.30", ["09:30"]),
        ("noon, midnight", ["12:00", "00:00"]),
        ("ratio 16:9, port 5432:5432, 25:61", []),
        ("13pm", []),
        ("9 o'clock", ["09:00"]),
        ("02:14:04.643", ["02:14"]),
    ],
)
def test_times_of_day_are_read_as_24_hours(text: str, expected: list[str]) -> None:
    assert expected == [time.text for time in find_times(text)]


PIECES = """
next last this Friday friday mon Sat week in two 3 days ago the 25th of each 31 Nov November 2026 - to until
from . , 2026-11-28 28.11. 9:30 7pm at on end month year İstanbul 0 99 may May 24/7 29 February ſun
"""
WORDS = st.sampled_from(PIECES.split())


@given(
    st.lists(WORDS | st.text(max_size=6), max_size=14).map(" ".join),
    st.datetimes(timezones=st.just(ZoneInfo("UTC"))),
)
def test_any_text_is_read_without_error_the_same_each_time_and_with_true_spans(
    text: str, said: datetime
) -> None:
    first = find_dates(text, said)

    assert first == find_dates(text, said)
    assert all(
        0 <= f.start < f.end <= len(text) and f.start <= text.find(f.ref.phrase, f.start) for f in first
    )
    assert all(f.ref.end is None or f.ref.end >= f.ref.start for f in first)
    assert [f.start for f in first] == sorted(f.start for f in first)
