"""The public sets' file formats, as texts and questions."""

import json

from bench import questions
from bench.questions import Reworded

TALK = {
    "sample_id": "talk-1",
    "conversation": {
        "speaker_a": "Ann",
        "session_1_date_time": "1 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ann", "dia_id": "D1:1", "text": "I bought a canoe."},
            {"speaker": "Bo", "dia_id": "D1:2", "text": "Show me!", "blip_caption": "a red canoe"},
        ],
    },
    "observation": {
        "session_1_observation": {"Bo": [["Bo has seen it.", "D1:2"]], "Ann": [["Has a canoe.", "D1:1"]]}
    },
    "qa": [
        {"question": "What did Ann buy?", "evidence": ["D1:1; D1:2"], "category": 4},
        {"question": "What did Ann steal?", "evidence": ["D1:1"], "category": 5},
        {"question": "Without evidence?", "evidence": [], "category": 1},
    ],
}


def test_locomo_is_read_turn_by_turn_with_captions_and_only_what_can_be_found_is_asked(tmp_path):
    file = tmp_path / "locomo.json"
    file.write_text(json.dumps([TALK]))

    (corpus,) = questions.locomo(file)

    assert corpus.texts == ("Ann: I bought a canoe.", "Bo: Show me! [image: a red canoe]")
    assert [(one.text, one.gold) for one in corpus.questions] == [("What did Ann buy?", {0, 1})]


def test_locomos_observations_stand_in_the_order_of_their_turns(tmp_path):
    file = tmp_path / "locomo.json"
    file.write_text(json.dumps([TALK]))

    (corpus,) = questions.locomo_notes(file)

    assert corpus.texts == ("Has a canoe.", "Bo has seen it.")


def test_longmemeval_leaves_out_abstention_and_what_the_assistant_said(tmp_path):
    def asked(question_id, kind):
        session = [{"role": "user", "content": "a"}, {"role": "user", "content": "b", "has_answer": True}]
        return {
            "question_id": question_id,
            "question_type": kind,
            "question": "?",
            "answer_session_ids": ["s"],
            "haystack_session_ids": ["s"],
            "haystack_sessions": [session],
        }

    kinds = [asked("1_abs", "x"), asked("2", "single-session-assistant"), asked("3", "single-session-user")]
    file = tmp_path / "longmemeval.json"
    file.write_text(json.dumps(kinds))

    found = questions.longmemeval(file)

    assert [(one.name, one.questions[0].gold) for one in found] == [("3", {1})]


def test_every_reworded_question_has_its_note_and_traps_are_notes_as_well():
    (kept,), (none,) = (questions.paraphrases(kind, 1) for kind in Reworded)

    assert kept.texts == none.texts
    assert len(kept.questions) > 50
    assert len(none.questions) > 50
    assert len(set(kept.texts)) == len(kept.texts)
