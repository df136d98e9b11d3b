"""The order of hits: both lists count, neighbours help, standing and recency only where they should."""

from hypothesis import given
from hypothesis import strategies as st

from scrimshaw.core.search.fusion import Scored, fuse, settle, tie_breaker

_LISTS = st.dictionaries(st.integers(1, 60), st.floats(0, 1.4), max_size=30).map(
    lambda found: [Scored(key, score) for key, score in sorted(found.items(), key=lambda one: -one[1])]
)


def keys(found):
    return [one.key for one in found]


def test_a_line_that_both_lists_hold_goes_before_one_that_either_holds_as_well():
    words, meanings = [Scored(10, 0.8), Scored(20, 0.8)], [Scored(30, 0.8), Scored(20, 0.8)]

    assert keys(fuse(words, meanings))[0] == 20


def test_one_list_alone_keeps_its_order():
    words = [Scored(10, 1.3), Scored(40, 1.1), Scored(20, 0.4), Scored(60, 0.1)]

    assert keys(fuse(words, ())) == [10, 40, 20, 60]


def test_a_word_by_chance_does_not_pass_what_was_meant():
    words, meanings = [Scored(10, 0.2)], [Scored(20, 0.85), Scored(10, 0.45)]

    assert keys(fuse(words, meanings)) == [20, 10]


def test_of_two_equals_the_one_whose_neighbour_is_a_hit_goes_first():
    words = [Scored(50, 0.7), Scored(90, 0.5), Scored(51, 0.5)]

    assert keys(fuse(words, ())) == [50, 51, 90]


def test_a_neighbour_that_is_no_hit_does_not_become_one():
    assert set(keys(fuse([Scored(50, 1.0)], [Scored(52, 0.9)]))) == {50, 52}


@given(_LISTS, _LISTS)
def test_a_score_is_between_0_and_1_and_nothing_is_lost_or_doubled(words, meanings):
    found = fuse(words, meanings)

    assert sorted(keys(found)) == sorted({one.key for one in [*words, *meanings]})
    assert all(0 <= one.score <= 1 for one in found)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


def test_what_was_replaced_falls_below_what_holds():
    found = fuse([Scored(10, 0.9), Scored(30, 0.6)], ())

    assert keys(settle(found, ties={}, replaced={10})) == [30, 10]


def test_recency_and_importance_decide_between_equals_only():
    found = fuse([Scored(10, 0.6), Scored(30, 0.5), Scored(50, 0.5)], ())
    ties = {30: tie_breaker(age_days=400, priority=1), 50: tie_breaker(age_days=0, priority=5)}

    assert keys(settle(found, ties=ties)) == [10, 50, 30]
