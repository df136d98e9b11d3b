"""What time and retention do to lines."""

from datetime import date, timedelta

import pytest
from tests.core.lines_by_hand import a_line

from scrimshaw.core.consolidation.expiry import (
    OPEN_DAYS,
    RetiredLine,
    expired,
    is_plausible,
    premature,
    retired,
)
from scrimshaw.core.ledger.lifecycle import standing_after
from scrimshaw.core.types import Author, DateRef, Event, EventType, Kind, Line, Place

TODAY = date(2026, 11, 24)
NOW_MS = 1_795_500_000_000
DAY_MS = 86_400_000


def _plan(start: date, end: date | None = None, **changed: object):
    return a_line("plan", place=Place.OPEN, refers_to=DateRef(start, end, None, "then"), **changed)


def _retired(lines, *, most=1000, reflections=100):
    return retired(
        lines,
        today=TODAY,
        half_life_days=90,
        max_observations=most,
        max_reflections=reflections,
    )


@pytest.mark.parametrize(
    ("start", "end", "is_due"),
    [
        (TODAY - timedelta(1), None, True),
        (TODAY, None, False),
        (TODAY - timedelta(3), TODAY, False),
        (TODAY - timedelta(3), TODAY - timedelta(1), True),
    ],
)
def test_a_plan_expires_when_its_last_day_has_passed(start, end, is_due):
    assert is_due == bool(expired([_plan(start, end)], TODAY))


@pytest.mark.parametrize("changed", [{"is_expired": True}, {"place": Place.LOG}, {"closed": "completed"}])
def test_only_open_live_plans_expire_and_only_once(changed):
    line = _plan(TODAY - timedelta(1))

    assert (
        expired([line._replace(standing=a_line("x", **{"place": Place.OPEN, **changed}).standing)], TODAY)
        == ()
    )


def _undated(days_ago: int, **changed: object) -> Line:
    day = (TODAY - timedelta(days_ago)).isoformat()
    return a_line("some day", **{"place": Place.OPEN, "day": day, **changed})


@pytest.mark.parametrize(
    ("days_ago", "reinforced", "is_due"),
    [
        (OPEN_DAYS, 0, False),
        (OPEN_DAYS + 1, 0, True),
        (OPEN_DAYS + 1, 1, False),
        (2 * OPEN_DAYS + 1, 1, True),
        (4 * OPEN_DAYS, 9, False),
        (4 * OPEN_DAYS + 1, 9, True),
    ],
)
def test_an_open_item_without_a_date_expires_some_time_after_it_was_last_said(days_ago, reinforced, is_due):
    assert is_due == bool(expired([_undated(days_ago, reinforced=reinforced)], TODAY))


@pytest.mark.parametrize(
    ("start", "days_ago", "is_due"),
    [
        (TODAY - timedelta(100), 5, False),
        (TODAY - timedelta(100), OPEN_DAYS + 1, True),
        (TODAY + timedelta(3), 5 * OPEN_DAYS, False),
        (TODAY - timedelta(1), 5 * OPEN_DAYS, True),
    ],
)
def test_a_day_that_may_be_another_ends_no_plan_before_one_without_a_day_would_end(start, days_ago, is_due):
    plan = _undated(days_ago, refers_to=DateRef(start, None, None, "then", certain=False))

    assert is_due == bool(expired([plan], TODAY))


@pytest.mark.parametrize("changed", [{"author": Author.PERSON}, {"is_pinned": True}, {"place": Place.LOG}])
def test_a_pinned_line_a_persons_own_and_one_of_the_log_stay_as_they_are_without_a_date(changed):
    assert expired([_undated(400, **changed)], TODAY) == ()


def test_an_open_item_said_again_after_it_expired_is_open_again():
    line = _after(_undated(OPEN_DAYS + 1), EventType.EXPIRED, NOW_MS)
    assert premature([line], now_ms=NOW_MS, today=TODAY) == ()

    again = _after(line, EventType.REINFORCED, NOW_MS)

    assert (line.observation.id,) == premature([again], now_ms=NOW_MS, today=TODAY)
    assert _after(again, EventType.TAKEN_BACK, NOW_MS).standing.place is Place.OPEN


def test_an_undated_item_that_a_clock_ahead_has_expired_is_taken_back():
    early = _after(_undated(3), EventType.EXPIRED, NOW_MS + 60 * DAY_MS)

    assert (early.observation.id,) == premature([early], now_ms=NOW_MS, today=TODAY)


def test_a_line_read_back_as_expired_stays_so_though_its_date_is_lost():
    recovered = _after(a_line("plan", place=Place.LOG, day=TODAY.isoformat()), EventType.EXPIRED, NOW_MS)

    assert premature([recovered], now_ms=NOW_MS, today=TODAY) == ()


def test_an_undated_open_item_may_be_retired_like_any_other():
    assert _retired([_undated(1, said_at_ms=NOW_MS - DAY_MS)], most=0) == (
        RetiredLine("some day", "max_observations_per_agent"),
    )


def test_age_alone_takes_no_line_out():
    assert _retired([a_line("old", said_at_ms=1), a_line("young", said_at_ms=NOW_MS)]) == ()


@pytest.mark.parametrize(
    "line",
    [
        a_line("pinned", is_pinned=True, said_at_ms=1),
        a_line("mine", author=Author.PERSON, said_at_ms=1),
        a_line("likes tea", place=Place.STANDING, kind=Kind.PREFERENCE, said_at_ms=1),
        a_line("uses brin", place=Place.STANDING, kind=Kind.DECISION, said_at_ms=1),
        a_line("is called Ana", place=Place.STANDING, said_at_ms=1),
        a_line("choked on a hazelnut", priority=5, said_at_ms=1),
        _plan(TODAY, said_at_ms=1),
    ],
)
def test_what_is_pinned_the_persons_for_life_or_still_to_come_is_never_retired(line):
    assert _retired([line], most=0) == ()


def test_beyond_the_maximum_the_least_worth_go_first():
    lines = [
        a_line("a", priority=4, said_at_ms=NOW_MS - 3),
        a_line("b", priority=2, said_at_ms=NOW_MS - 2),
        a_line("c", priority=2, said_at_ms=NOW_MS - 9),
        a_line("d", priority=3, done=True, said_at_ms=NOW_MS - 300 * DAY_MS),
    ]

    due = _retired(lines, most=2)

    assert list(due) == [("d", "max_observations_per_agent"), ("c", "max_observations_per_agent")]


def test_reflections_have_a_maximum_of_their_own():
    lines = [a_line(f"r{n}", level=1, said_at_ms=NOW_MS - n) for n in range(3)]

    assert (RetiredLine("r2", "max_reflections_per_agent"),) == _retired(lines, most=0, reflections=2)


def _after(line: Line, kind: EventType, at_ms: int) -> Line:
    return Line(
        line.observation, standing_after(line.standing, Event(kind, line.observation.id, at_ms, "r1"))
    )


def test_what_a_clock_ahead_has_done_is_found_and_can_be_taken_back():
    plan = _plan(TODAY + timedelta(1))
    passed = _after(_plan(TODAY - timedelta(1)), EventType.EXPIRED, NOW_MS)
    early = _after(plan, EventType.EXPIRED, NOW_MS + DAY_MS)
    dropped = _after(a_line("a fact"), EventType.DROPPED, NOW_MS + DAY_MS)
    rightly = _after(a_line("a fact"), EventType.DROPPED, NOW_MS - DAY_MS)

    found = premature([passed, early, dropped, rightly], now_ms=NOW_MS, today=TODAY)

    assert (early.observation.id, dropped.observation.id) == found
    assert _after(early, EventType.TAKEN_BACK, NOW_MS).standing == plan.standing
    assert _after(dropped, EventType.TAKEN_BACK, NOW_MS).standing.is_live


def test_a_line_that_a_person_deleted_is_not_brought_back_by_the_clock():
    deleted = _after(a_line("a fact"), EventType.DELETED, NOW_MS + DAY_MS)

    assert premature([deleted], now_ms=NOW_MS, today=TODAY) == ()
    assert not _after(deleted, EventType.TAKEN_BACK, NOW_MS).standing.is_live


def test_a_clock_from_before_this_program_is_not_believed():
    assert not is_plausible(date(1970, 1, 1))
    assert is_plausible(TODAY)
