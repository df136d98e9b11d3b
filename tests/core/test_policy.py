"""When a backlog is due, when MEMORY.md may be written, when to reflect."""

from math import inf

from hypothesis import given
from hypothesis import strategies as st

from scrimshaw.core.policy.schedule import (
    Backlog,
    ReflectionPace,
    Thresholds,
    ceiling,
    due,
    publishing,
    reflecting,
)

LIMITS = Thresholds(observation_tokens=5000, ceiling_tokens=30_000, interval_seconds=900, idle_seconds=300)


def test_nothing_new_is_never_due() -> None:
    assert not due(Backlog(0, 10_000, 10_000), LIMITS).is_due


def test_a_small_backlog_in_a_running_conversation_waits() -> None:
    assert not due(Backlog(1000, 60, 5), LIMITS).is_due


def test_an_idle_conversation_is_due_however_small() -> None:
    assert due(Backlog(1, 301, 301), LIMITS).is_due


def test_an_old_message_is_due_though_the_conversation_goes_on() -> None:
    assert due(Backlog(10, 901, 1), LIMITS).is_due


def test_a_shared_budget_lowers_the_ceiling_by_what_the_section_takes() -> None:
    assert ceiling(30_000, 4_000, share=True) == 26_000
    assert ceiling(30_000, 4_000, share=False) == 30_000
    assert ceiling(1_000, 4_000, share=True) == 1


@given(st.integers(1, 10**9), st.floats(0, 10**7), st.floats(0, 10**7))
def test_no_backlog_waits_for_ever(tokens: int, age: float, idle: float) -> None:
    waited = Backlog(tokens, age + LIMITS.interval_seconds, idle)

    assert due(waited, LIMITS).is_due


def test_a_conversation_that_ended_is_due_at_once() -> None:
    assert due(Backlog(1, 1, 1, has_ended=True), LIMITS).is_due


@given(st.integers(1, 4_999), st.floats(0, 899), st.floats(0, 299))
def test_what_is_not_due_says_when_it_will_be(tokens: int, age: float, idle: float) -> None:
    found = due(Backlog(tokens, age, idle), LIMITS)
    assert not found.is_due

    left = found.in_seconds

    assert 0 < left <= LIMITS.idle_seconds
    assert due(Backlog(tokens, age + left + 0.001, idle + left + 0.001), LIMITS).is_due


def test_nothing_new_is_not_asked_for_again_by_time_alone() -> None:
    assert due(Backlog(0, 0, 0), LIMITS).in_seconds == inf


def test_an_exchange_that_goes_on_is_not_looked_into_again_before_silence() -> None:
    tired = due(Backlog(10**6, 10**6, 60), LIMITS, is_tired=True)

    assert (tired.is_due, tired.in_seconds) == (False, 240)
    assert due(Backlog(1, 1, 300), LIMITS, is_tired=True).is_due
    assert due(Backlog(1, 1, 1, has_ended=True), LIMITS, is_tired=True).is_due


def test_memory_is_not_written_in_the_middle_of_a_conversation() -> None:
    found = publishing(has_ended=False, quiet_seconds=120, limits=LIMITS)

    assert (found.is_due, found.in_seconds) == (False, 180)


def test_memory_may_be_written_in_a_pause_and_at_an_end() -> None:
    assert publishing(has_ended=False, quiet_seconds=300, limits=LIMITS).is_due
    assert publishing(has_ended=True, quiet_seconds=0, limits=LIMITS).is_due


PACE = ReflectionPace(interval_seconds=14_400, least_seconds=900, threshold_chars=10_000)


@given(st.floats(0, inf), st.integers(0, 10**6))
def test_nothing_new_is_never_reflected_on(since: float, chars: int) -> None:
    found = reflecting(has_grown=False, since_last_seconds=since, section_chars=chars, pace=PACE)

    assert (found.is_due, found.in_seconds) == (False, inf)


@given(st.floats(0, 899), st.integers(0, 10**6))
def test_two_reflections_are_never_closer_than_the_least_interval(since: float, chars: int) -> None:
    found = reflecting(has_grown=True, since_last_seconds=since, section_chars=chars, pace=PACE)

    assert not found.is_due


def test_a_section_over_its_threshold_is_reflected_on_sooner() -> None:
    def is_due(since: float, chars: int) -> bool:
        return reflecting(has_grown=True, since_last_seconds=since, section_chars=chars, pace=PACE).is_due

    assert is_due(900, 10_000)
    assert not is_due(900, 9_999)
    assert is_due(14_400, 0)
    assert is_due(inf, 0)


def test_without_an_interval_only_the_threshold_counts() -> None:
    pace = PACE._replace(interval_seconds=inf)

    small = reflecting(has_grown=True, since_last_seconds=inf, section_chars=1, pace=pace)

    assert (small.is_due, small.in_seconds) == (False, inf)
    assert reflecting(has_grown=True, since_last_seconds=inf, section_chars=10_000, pace=pace).is_due
