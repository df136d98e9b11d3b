"""The arithmetic of caps: what a call can cost at most, whether it fits, and which days count."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrimshaw.core.policy.spending import (
    Amount,
    Caps,
    SpendRefusal,
    SpendSpan,
    Spent,
    cost,
    dollars,
    goes_on_at,
    microdollars_of,
    most,
    refusal,
    span_of,
)
from scrimshaw.core.prompting.fence import Prompt
from scrimshaw.core.transcript.windows import estimate_tokens

NONE = Spent()


def test_a_call_that_just_fits_may_be_made():
    assert refusal(Caps(tokens_a_day=100), Spent(40), Spent(40), Amount(50, 10, 0)) is None


def test_a_call_that_could_pass_a_cap_by_one_token_may_not():
    refused = refusal(Caps(tokens_a_day=100), Spent(41), Spent(41), Amount(50, 10, 0))

    assert refused is not None
    assert (refused.unit, refused.period, refused.left, refused.needed) == ("tokens", "day", 59, 60)


@pytest.mark.parametrize(
    ("caps", "unit", "period"),
    [
        (Caps(tokens_a_day=99), "tokens", "day"),
        (Caps(tokens_a_month=99), "tokens", "month"),
        (Caps(microdollars_a_day=99), "dollars", "day"),
        (Caps(microdollars_a_month=99), "dollars", "month"),
    ],
)
def test_each_cap_binds_by_itself(caps: Caps, unit: str, period: str):
    refused = refusal(caps, NONE, NONE, Amount(60, 40, 100))

    assert refused is not None
    assert (refused.unit, refused.period) == (unit, period)


def test_a_cap_of_zero_is_none():
    assert refusal(Caps(), Spent(10**12, 10**12), Spent(10**12, 10**12), Amount(10**9, 0, 10**9)) is None


def test_of_two_caps_that_are_passed_the_month_s_is_named():
    refused = refusal(Caps(tokens_a_day=1, tokens_a_month=1), NONE, NONE, Amount(5, 5, 0))

    assert refused is not None
    assert refused.period == "month"


def test_an_unknown_price_passes_the_dollar_caps_until_they_are_used_up():
    caps, unknown = Caps(microdollars_a_day=100), Amount(5, 5, None)

    assert refusal(caps, Spent(0, 99), NONE, unknown) is None
    assert refusal(caps, Spent(0, 100), NONE, unknown) is not None


def test_what_costs_nothing_passes_a_used_up_dollar_cap():
    assert refusal(Caps(microdollars_a_day=100), Spent(0, 150), Spent(0, 150), Amount(5, 5, 0)) is None


def test_an_unknown_price_is_never_nothing():
    assert cost(1, 0, None) is None
    assert cost(0, 0, None) == 0
    assert cost(1_000, 100, (0.3, 2.5)) == 550
    assert cost(1, 0, (0.1, 0.1)) == 1  # rounded up


def test_a_tiny_cap_in_dollars_is_not_taken_for_none():
    assert microdollars_of(0.0000001) == 1
    assert microdollars_of(0.0) == 0


@given(st.text(max_size=400), st.text(max_size=400), st.integers(1, 5_000))
def test_the_most_is_never_below_the_estimate(system: str, text: str, output: int):
    needed = most(Prompt(system, text, output), (1.0, 1.0))

    assert needed.tokens_in >= estimate_tokens(system) + estimate_tokens(text)
    assert needed.tokens_out == output
    assert needed.microdollars == needed.tokens


def test_a_day_counts_its_own_and_what_lies_just_ahead():
    assert span_of("day", date(2026, 11, 30)) == SpendSpan(date(2026, 11, 30), date(2026, 12, 1))
    assert span_of("month", date(2026, 11, 30)) == SpendSpan(date(2026, 11, 1), date(2026, 12, 31))
    assert span_of("day", date.max) == SpendSpan(date.max, date.max)


@pytest.mark.parametrize(
    ("period", "at", "zone", "then"),
    [
        ("day", "2026-11-20T22:30+00:00", "UTC", "2026-11-21T00:00+00:00"),
        ("day", "2026-11-20T23:30+00:00", "Europe/Paris", "2026-11-22T00:00+01:00"),
        ("day", "2026-11-20T02:00+00:00", "America/Los_Angeles", "2026-11-20T00:00-08:00"),
        ("month", "2026-12-31T12:00+00:00", "UTC", "2027-01-01T00:00+00:00"),
        ("month", "2026-01-31T12:00+00:00", "UTC", "2026-02-01T00:00+00:00"),
        ("month", "2028-02-29T12:00+00:00", "Asia/Tokyo", "2028-03-01T00:00+09:00"),
        ("day", "2026-10-24T23:30+00:00", "Europe/Paris", "2026-10-26T00:00+01:00"),  # a day of 25 hours
    ],
)
def test_the_owner_s_midnight_says_when_it_goes_on(period: str, at: str, zone: str, then: str):
    refused = SpendRefusal("tokens", period, 100, 90, 20)  # type: ignore[arg-type]
    found = goes_on_at(refused, datetime.fromisoformat(at), ZoneInfo(zone))

    assert found is not None
    assert found.astimezone(UTC) == datetime.fromisoformat(then)


def test_a_cap_smaller_than_one_question_is_said_to_be():
    refused = refusal(Caps(tokens_a_day=1_000), NONE, NONE, Amount(9_000, 1_000, 0))

    assert (
        str(refused)
        == "the cap of 1,000 tokens a day is smaller than one question, which may take 10,000 tokens"
    )


def test_dollars_never_look_like_nothing_when_they_are_something():
    told = [dollars(n) for n in (0, 1, 150, 99_999, 100_000, 1_234_567_890)]

    assert told == ["$0.00", "less than $0.0001", "$0.0001", "$0.1000", "$0.10", "$1,234.57"]
