"""When a backlog is due."""

from hypothesis import given
from hypothesis import strategies as st

from scrimshaw.core.policy import Backlog, Thresholds, ceiling, due

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
