"""What the replay of contexts counts, against figures worked out by hand."""

import pytest
from bench.contexts import AS_ASKED, Contexts, Request, _served, goals, replay
from tests.benches.test_replay import talk

MINUTE_MS = 60_000
REQUESTS = [
    Request(0, 100, 50, 1_000, 0, 0, 0, 0, 5 * MINUTE_MS),
    Request(MINUTE_MS, 100, 50, 2_000, 100, 100, 0, 0, 5 * MINUTE_MS),
    Request(2 * MINUTE_MS, 200, 50, 3_000, 90, 80, 0, 0, 60 * MINUTE_MS),  # 10 of a changed block
    Request(20 * MINUTE_MS, 200, 50, 100_000, 200, 200, 0, 0, 60 * MINUTE_MS),
]


def test_a_prefix_is_served_when_it_is_the_same_and_still_kept() -> None:
    told = Contexts("made up", REQUESTS, 1, 0, 0)

    assert told.cached_share(None) == 380 / 600
    assert told.cached_share(5 * MINUTE_MS) == 180 / 600
    assert told.cached_share(None, by_break_point=False) == 390 / 600
    assert told.cached_share(AS_ASKED) == 380 / 600  # before the long pause an hour was asked for
    assert told.cached_at_most(None) == 500 / 600
    assert told.cached_at_most(5 * MINUTE_MS) == 300 / 600


def test_up_to_the_break_point_before_all_is_served_where_it_still_ends_a_block() -> None:
    before = ("a" * 40, "b" * 40)

    assert _served(before, before, 20) == 20
    assert _served(before, (*before, "c" * 40), 30) == 20
    assert _served(before, ("a" * 40, "b" * 80), 30) == 0
    assert _served((), before, 20) == 0


def test_how_much_cheaper_is_by_all_requests_or_by_those_at_a_size() -> None:
    told = Contexts("made up", REQUESTS, 1, 0, 0)

    assert told.cheaper(None, cached=False) == 106_000 / 800
    assert told.cheaper_near() == 100_000 / 250
    ours = 4 * 50 + 600 - 0.9 * (100 + 80 + 200)
    full = 106_000 - 0.9 * (1_000 + 2_000 + 3_000)
    assert told.cheaper(None, cached=True) == pytest.approx(full / ours)


def test_a_lost_message_is_a_goal_missed() -> None:
    assert [goal.is_met for goal in goals([Contexts("made up", REQUESTS, 1, 0, 1)])] == [False] * 4 + [True]


def test_a_talk_is_replayed_through_the_product() -> None:
    told = replay(talk(*[1] * 20))

    assert len(told.requests) == 20
    assert (told.observed, told.lost) == (0, 0)
    assert told.cached_share(None) == pytest.approx(19 / 20)
    assert told.requests[-1].history > told.requests[0].history
