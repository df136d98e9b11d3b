"""Whether nothing is brought where nothing answers, on conversations small enough to know."""

from __future__ import annotations

from pathlib import Path

from bench import nothing
from bench.peers.system import LEXICAL
from bench.questions import Corpus, Question

BOAT = Corpus(
    "boat",
    ("Ada painted the old boat green", "Ada sold the anchor to a diver", "We had soup"),
    ("1", "1", "1"),
    (Question("What colour did Ada paint the boat?", frozenset([0])),),
)
BEES = Corpus(
    "bees",
    ("Ben moved the hives to the orchard", "Ben lost a queen in April", "We had bread"),
    ("1", "1", "1"),
    (Question("Where did Ben move the hives?", frozenset([0])),),
)


def test_a_question_of_another_conversation_brings_nothing_and_its_own_its_answer(tmp_path: Path) -> None:
    table = nothing.table({"small": [BOAT, BEES]}, [LEXICAL, "FTS5 porter"], tmp_path)

    assert table.rows == [(LEXICAL, "small", 2, 1.0, 2, 1.0, 1.0, 0.0)]
    assert [goal.is_met for goal in nothing.goals(table)] == [True]


def test_one_conversation_alone_has_nobody_to_ask_it_strange_questions(tmp_path: Path) -> None:
    assert nothing.table({"small": [BOAT]}, [LEXICAL], tmp_path).rows == []
