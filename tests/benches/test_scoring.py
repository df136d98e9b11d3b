"""The measures of retrieval, on rankings small enough to count by hand."""

from math import log2

import pytest
from bench import scoring

RANKING = [7, 3, 9, 1]


@pytest.mark.parametrize(
    ("measure", "k", "value"),
    [
        (scoring.any_at, 1, 0.0),
        (scoring.any_at, 2, 1.0),
        (scoring.all_at, 3, 0.0),
        (scoring.all_at, 4, 1.0),
        (scoring.recall_at, 3, 0.5),
        (scoring.ndcg_at, 4, (1 / log2(3) + 1 / log2(5)) / (1 + 1 / log2(3))),
        (scoring.longmemeval_ndcg_at, 4, (1 / log2(2) + 1 / log2(4)) / 2),
    ],
)
def test_the_measures_of_a_ranking_with_the_right_ones_second_and_fourth(measure, k, value):
    assert measure(RANKING, {3, 1}, k) == pytest.approx(value)


def test_the_best_ranking_has_every_measure_at_1():
    measures = (
        scoring.any_at,
        scoring.all_at,
        scoring.recall_at,
        scoring.ndcg_at,
        scoring.longmemeval_ndcg_at,
    )

    assert [measure([1, 2, 3], {1, 2}, 5) for measure in measures] == [1.0] * 5


def test_a_session_stands_where_its_first_text_stands():
    assert scoring.by_session([3, 0, 2, 1], ["a", "b", "b", "a"]) == ["a", "b"]


def test_the_reciprocal_rank_is_0_when_nothing_right_was_found():
    assert [scoring.reciprocal_rank(RANKING, gold) for gold in ({3}, {5})] == [0.5, 0.0]
