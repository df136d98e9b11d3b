"""Dates in words: a table of what people write, said on Monday 16 November 2026 at 10:05 in Lisbon."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.cases import read_cases

from scrimshaw.core.text.dates import find_dates
from scrimshaw.core.text.in_english import in_english
from scrimshaw.core.text.languages import NAMES, language
from scrimshaw.core.text.normalize import normal
from scrimshaw.core.text.times import find_times

SAID = datetime(2026, 11, 16, 10, 5, tzinfo=ZoneInfo("Europe/Lisbon"))

PHRASES = read_cases(Path(__file__).with_name("cases") / "phrases.txt")["phrases"]
NO_DATE = [
    "soon",
    "I did that recently",
    "last week of term is hectic",
    "the last month of school",
    "in the last year of the contract",
    "the last Friday of the month",
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


@pytest.mark.parametrize(("text", "expected"), PHRASES, ids=[text for text, _ in PHRASES])
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


SPOKEN = [
    word
    for language in map(language, NAMES)
    for kind in ("weekday", "month", "near", "count", "unit", "step")
    for word in language.forms(kind)
]
PIECES = """
next last this Friday friday mon Sat week in two 3 days ago the 25th of each 31 Nov November 2026 - to until
from . , 2026-11-28 28.11. 9:30 7pm at on end month year İstanbul 0 99 may May 24/7 29 February ſun
"""
AMID = "am vom bis zum in vor seit el la de hace le du il y a daqui há tra fa 到 前 后 から まで 年 月 日"
WORDS = st.sampled_from(PIECES.split())
ANY_LANGUAGE = st.sampled_from([*PIECES.split(), *SPOKEN, *AMID.split()])


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


@given(
    st.lists(ANY_LANGUAGE, max_size=12),
    st.sampled_from(["", " "]),
    st.datetimes(timezones=st.just(ZoneInfo("UTC"))),
)
def test_words_of_all_languages_in_any_order_are_read_without_error(
    words: list[str], between: str, said: datetime
) -> None:
    text = between.join(words)

    found = find_dates(text, said)

    assert all(f.ref.phrase == text[f.start : f.end] for f in found)
    assert all(f.ref.end is None or f.ref.end >= f.ref.start for f in found)
    find_dates(in_english(normal(text)), said, is_english=True)
