"""What a person may type where a moment is asked for, and what is refused."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scrimshaw.core.text.moments import moment

ZONE = "Europe/Berlin"
NOW = datetime.fromisoformat("2026-11-22T12:00:00+00:00")  # a Sunday, 13:00 in Berlin


def read(text, now=NOW, zone=ZONE):
    span = moment(text, now, zone)
    return f"{span.start:%Y-%m-%d %H:%M}", f"{span.end:%Y-%m-%d %H:%M}"


def day(text):
    following = datetime.fromisoformat(text) + timedelta(1)
    return f"{text} 00:00", f"{following:%Y-%m-%d} 00:00"


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("2026-11-03", "2026-11-03"),
        ("2026/11/03", "2026-11-03"),
        ("3 November", "2026-11-03"),
        ("Nov 3", "2026-11-03"),
        ("November 3rd, 2025", "2025-11-03"),
        ("3.11.", "2026-11-03"),
        ("3.11.2025", "2025-11-03"),
        ("13/4/2026", "2026-04-13"),
        ("dec 24", "2025-12-24"),  # the latest one
        ("mar 3", "2026-03-03"),
        ("today", "2026-11-22"),
        ("yesterday", "2026-11-21"),
        ("the day before yesterday", "2026-11-20"),
        ("tomorrow", "2026-11-23"),
        ("last Tuesday", "2026-11-17"),
        ("LAST TUESDAY", "2026-11-17"),
        ("tue", "2026-11-17"),
        ("Sunday", "2026-11-15"),  # today is one, and has a shorter word
        ("Tuesday last week", "2026-11-10"),
        ("since  Monday", "2026-11-16"),
        ("3 days ago", "2026-11-19"),
        ("2 weeks ago", "2026-11-08"),
        ("two weeks ago", "2026-11-08"),
        ("1 month ago", "2026-10-22"),
        ("the 3rd", "2026-11-03"),
        ("the 25th", "2026-10-25"),
        ("end of October", "2026-10-31"),
    ],
)
def test_a_day_is_the_owners_calendar_day(typed, expected):
    assert read(typed) == day(expected)


@pytest.mark.parametrize(
    ("typed", "start", "end"),
    [
        ("2026-11", "2026-11-01 00:00", "2026-12-01 00:00"),
        ("2025", "2025-01-01 00:00", "2026-01-01 00:00"),
        ("December", "2025-12-01 00:00", "2026-01-01 00:00"),
        ("last week", "2026-11-09 00:00", "2026-11-16 00:00"),
        ("this week", "2026-11-16 00:00", "2026-11-23 00:00"),
        ("last month", "2026-10-01 00:00", "2026-11-01 00:00"),
        ("last 5 days", "2026-11-17 00:00", "2026-11-23 00:00"),
        ("past two weeks", "2026-11-08 00:00", "2026-11-23 00:00"),
        ("yesterday morning", "2026-11-21 05:00", "2026-11-21 12:00"),
        ("this evening", "2026-11-22 18:00", "2026-11-23 00:00"),
        ("last night", "2026-11-21 18:00", "2026-11-22 06:00"),
        ("2026-11-03 14:00", "2026-11-03 14:00", "2026-11-03 14:01"),
        ("2026-11-03T14:00", "2026-11-03 14:00", "2026-11-03 14:01"),
        ("2026-11-03T14:00Z", "2026-11-03 15:00", "2026-11-03 15:01"),
        ("2026-11-03 14:00+05:30", "2026-11-03 09:30", "2026-11-03 09:31"),
        ("2026-11-03 2pm", "2026-11-03 14:00", "2026-11-03 14:01"),
        ("last Tuesday at 9am", "2026-11-17 09:00", "2026-11-17 09:01"),
        ("yesterday 14:00", "2026-11-21 14:00", "2026-11-21 14:01"),
        ("14:00", "2026-11-22 14:00", "2026-11-22 14:01"),
        ("2 hours ago", "2026-11-22 11:00", "2026-11-22 11:01"),
        ("half an hour ago", "2026-11-22 12:30", "2026-11-22 12:31"),
    ],
)
def test_longer_and_shorter_stretches_are_read(typed, start, end):
    assert read(typed) == (start, end)


@pytest.mark.parametrize(
    "typed",
    [
        *(
            "",
            " ",
            "foo",
            "soon",
            "every Friday",
            "2026-13-01",
            "2026-02-30",
            "31 November",
            "0000",
            "0001-01-01",
        ),
        *("9999-12-31", "20261103", "yesterday 25:00", "yesterday today", "Tuesday and Friday", "x" * 500),
    ],
)
def test_what_is_no_date_is_refused_with_examples(typed):
    with pytest.raises(ValueError, match="not a date that can be read: write 2026-11-03"):
        moment(typed, NOW, ZONE)


def test_a_date_of_two_readings_is_refused_and_says_so():
    with pytest.raises(ValueError, match="may be two different days"):
        moment("3/4/2026", NOW, ZONE)


def test_a_day_with_a_change_of_clocks_is_still_one_day():
    spring, autumn = moment("2026-03-29", NOW, ZONE), moment("2026-10-25", NOW, ZONE)

    hours = [(span.end.timestamp() - span.start.timestamp()) / 3600 for span in (spring, autumn)]
    assert hours == [23, 25]


def test_an_hour_ago_is_an_hour_also_when_clocks_change():
    now = datetime.fromisoformat("2026-10-25T01:30:00+00:00")  # 02:30 for the second time

    assert now.timestamp() - moment("1 hour ago", now, ZONE).start.timestamp() == 3600


def test_today_is_the_day_of_the_zone_not_of_utc():
    late = datetime.fromisoformat("2026-11-22T23:30:00+00:00")

    assert read("today", late) == day("2026-11-23")
    assert read("today", late, "America/New_York") == day("2026-11-22")


WORDS = [
    "last",
    "this",
    "next",
    "tuesday",
    "week",
    "weeks",
    "2",
    "ago",
    "yesterday",
    "14:00",
    "nov",
    "3",
    "at",
    "the",
    "3rd",
]


@given(
    st.one_of(st.text(max_size=80), st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)),
    st.integers(31_536_000, 4_000_000_000),
    st.sampled_from(["UTC", ZONE, "America/New_York", "Asia/Kathmandu", "Pacific/Apia"]),
)
@example("29 feb", 1_800_000_000, "UTC")
def test_whatever_is_typed_is_a_stretch_of_time_or_a_sentence(typed, at_seconds, zone):
    now = datetime.fromtimestamp(at_seconds, UTC)
    try:
        span = moment(typed, now, zone)
    except ValueError as error:
        told = str(error)
    else:
        told = ""

    assert "write" in told or span.start.timestamp() < span.end.timestamp()
