"""Reading the best hits again, with the model that an installed package brings."""

import pytest

from scrimshaw.index import reranking

pytestmark = pytest.mark.skipif(bool(reranking.why_none()), reason=f"{reranking.why_none()}")


def test_the_line_that_answers_scores_above_those_that_only_share_words():
    model = reranking.find_reranker()
    texts = [
        "The bike shop opens at nine",
        "Bought a second-hand bike in Porto",
        "",
        "Prefers trains to planes",
    ]

    scores = model.scores("Where did she get her bike?", texts)

    assert max(scores) == scores[1]
    assert len(scores) == 4


def test_a_folder_without_a_model_gives_none(tmp_path, monkeypatch):
    monkeypatch.setattr(reranking, "bundled_folder", lambda: None)

    assert reranking.find_reranker() is None
    assert reranking.why_none()
