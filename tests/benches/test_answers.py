"""What counts as answered by a section, and how two people's chats become an owner's."""

import json

import pytest
from bench import answers, people, recorded
from tests.models_flow.talking import answered_twice

from scrimshaw.core.types import Role

TALK = {
    "sample_id": "talk-1",
    "conversation": {
        "speaker_a": "Ann",
        "speaker_b": "Bo",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ann", "dia_id": "D1:1", "text": "Hey! I bought a red canoe for the lake yesterday."},
            {"speaker": "Bo", "dia_id": "D1:2", "text": "I sold my tent.", "blip_caption": "a tent"},
        ],
    },
    "qa": [
        {
            "question": "When did Ann buy a canoe?",
            "answer": "7 May 2023",
            "evidence": ["D1:1"],
            "category": 2,
        },
        {"question": "What did Bo sell?", "answer": "his tent", "evidence": ["D1:2"], "category": 4},
        {"question": "What did Ann steal?", "answer": "x", "evidence": ["D1:1"], "category": 5},
    ],
}


def _chats(tmp_path):
    file = tmp_path / "locomo.json"
    file.write_text(json.dumps([TALK]))
    return people.locomo(file)


def test_each_speaker_is_the_owner_once_and_what_was_never_said_is_not_asked(tmp_path):
    ann, bo = _chats(tmp_path)

    roles = [[entry.role for entry in chat.conversation.sessions[0][1]] for chat in (ann, bo)]
    assert roles == [[Role.USER, Role.ASSISTANT], [Role.ASSISTANT, Role.USER]]
    assert [one.category for one in ann.asked] == [2, 4]
    assert [one.evidence for one in bo.asked] == [(), ("I sold my tent.",)]


def test_an_answer_counts_when_most_of_its_words_stand_in_one_line(tmp_path):
    ann, _ = _chats(tmp_path)

    apart = answers.marked(ann, ["- 7 canoes", "- in May", "- of 2023"])
    together = answers.marked(ann, ["- bought a canoe on 7 May"])

    assert apart.by_category[2] == (0, 1)
    assert together.by_category[2] == (1, 1)


def test_each_missed_question_has_its_cause(tmp_path):
    ann, bo = _chats(tmp_path)
    canoe = people.Asked("What did Ann buy?", "a red canoe", 4, (), True)
    marked = answers.marked(ann, [])

    assert answers.causes(ann, (*marked.missed, canoe)) == ["no sentence", "the other's", "no place"]
    assert answers.causes(bo, (canoe,)) == ["the other's"]


def test_as_read_a_line_of_the_log_is_of_its_day_but_must_be_about_what_is_asked(tmp_path):
    ann, _ = _chats(tmp_path)
    lines = ["### Log", "2023-05-07", "- went for a walk"]

    assert answers.marked(ann, lines).read == 0
    assert answers.marked(ann, [*lines, "- bought a canoe"]).read == 0.5


def test_evidence_is_kept_when_the_longest_sentence_of_its_message_is(tmp_path):
    ann, _ = _chats(tmp_path)

    assert answers.marked(ann, ["- Hey!"]).evidence == (0, 1)
    assert answers.marked(ann, ["- bought a red canoe for the lake"]).evidence == (1, 1)


def test_a_chat_is_replayed_from_replies_and_stops_at_a_request_that_has_none(tmp_path):
    ann, _ = _chats(tmp_path)
    replies = {}

    def answer(key, prompt):
        replies[key] = answered_twice(prompt)

    for _ in range(9):
        try:
            result, used = recorded.replay(ann, dict(replies), answer, seed=1)
            break
        except recorded.Unknown:
            continue
    else:
        pytest.fail("the requests of two runs differ")

    assert "red canoe" in result.section
    assert set(used) == set(replies)
    assert [one.question for one in result.asked] == ["When did Ann buy a canoe?"]
    assert "red canoe" in result.hits["When did Ann buy a canoe?"][0]

    others = {f"then {key}": one for key, one in used.items()}
    replies, requests = ({key: one[at] for key, one in others.items()} for at in (0, 1))
    again, _ = recorded.replay(ann, replies, answer, 1, requests)
    assert again.section == result.section
    assert (result.renumbered, again.renumbered, again.lost) == (0, again.requests, 0)


def test_a_verdict_holds_for_the_section_that_was_judged_and_no_other():
    result = recorded.Result("ann", 1, 9, 5, 50, 2, "## Observations", {}, ())
    skipped = []

    same = recorded.row_of(
        result, {"section": recorded.sha_of("## Observations"), "marks": [[1, 1], [0, 0.5]]}, skipped
    )
    other = recorded.row_of(result, {"section": "0", "marks": [[1, 1]]}, skipped)

    assert same[-2:] == (0.5, 0.75)
    assert other[-2:] == (None, None)
    assert skipped == ["ann: the section is another than the one that was judged"]
