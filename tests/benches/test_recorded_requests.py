"""What a recorded reply is found by once the lines beside what was to be read are others."""

import json

from bench import recorded_requests
from bench.recorded_requests import Found, find, request_of

from scrimshaw.core.prompting.fence import Prompt, fenced

TENT, CANOE, KAYAK = (
    f"2023-05-0{day} open: {text}" for day, text in enumerate(("Tent", "Canoe", "Kayak"), start=1)
)
REPLY = '{"text": "Sold the canoe", "sources": [1], "replaces": ["o1"]}\n{"done": 1}\n'


def _about(said, *noted, system="Note what is new.", complaint=""):
    numbered = [f"o{number} {line}" for number, line in enumerate(noted, start=1)]
    parts = ("Noted before:\n" + fenced("noted before", numbered, "0a") if noted else "Nothing.", complaint)
    return Prompt(system, "\n\n".join((*parts, fenced("entries", [f"[1] 10:00 person: {said}"], "0a"))), 100)


def _consolidated(*notes):
    rows = [f"{number}. [2023-05-01; log; fact] {note}" for number, note in enumerate(notes, start=1)]
    return Prompt("Merge.", "\n".join(("<notes>", *rows, "</notes>")), 100)


def _read_again(*notes):
    rows = [f"{number}. (of [{number}], [9]) {note}" for number, note in enumerate(notes, start=1)]
    return Prompt(
        "Judge.", fenced("entries", ["[1] 10:00 person: hi"], "0a") + "\n" + fenced("notes", rows, "0a"), 9
    )


def _found(kept, reply, now):
    return find("today", request_of(now), {"then": reply}, {"then": request_of(kept)})


def _lines(found):
    return [json.loads(row) for row in found.reply.splitlines()]


def test_a_line_inserted_before_the_others_moves_the_numbers_of_a_reply():
    found = _found(_about("I sold it", CANOE), REPLY, _about("I sold it", TENT, CANOE))

    assert _lines(found)[0]["replaces"] == ["o2"]
    assert (found.is_exact, found.lost) == (False, 0)


def test_a_reference_to_a_line_that_is_gone_is_left_out_and_counted_and_its_note_stays():
    for now in (_about("I sold it"), _about("I sold it", TENT), _about("I sold it", KAYAK)):
        found = _found(_about("I sold it", CANOE), REPLY, now)

        assert _lines(found) == [{"text": "Sold the canoe", "sources": [1]}, {"done": 1}]
        assert found.lost == 1


def test_another_piece_other_instructions_and_a_second_attempt_are_not_answered():
    kept = _about("I sold it", CANOE)
    again = "You have answered this before, and it could not be used as it was:"

    assert _found(kept, REPLY, _about("I sold it", TENT)) is not None
    assert _found(kept, REPLY, _about("I kept it", CANOE)) is None
    assert _found(kept, REPLY, _about("I sold it", CANOE, system="Note nothing.")) is None
    assert _found(kept, REPLY, _about("I sold it", CANOE, complaint=again)) is None


def test_the_reply_to_the_same_request_is_taken_as_it_is():
    now = request_of(_about("I sold it", TENT))

    assert find("k", now, {"k": "no json"}, {}) == Found("no json", True)


def test_acts_name_todays_numbers_and_one_without_its_target_is_dropped_and_no_longer_counted():
    acts = (
        {"act": "merge", "lines": [1, 3], "text": "b and d"},
        {"act": "merge", "lines": [1, 2], "text": "b and c"},
        {"act": "drop", "line": 2, "reason": "transient"},
        {"act": "supersede", "line": 3, "by": 1},
    )
    reply = "\n".join(map(json.dumps, (*acts, {"done": 4})))

    found = _found(_consolidated("b", "c", "d"), reply, _consolidated("a", "b", "d"))

    assert _lines(found) == [
        {"act": "merge", "lines": [2, 3], "text": "b and d"},
        {"act": "supersede", "line": 3, "by": 2},
        {"done": 2},
    ]
    assert found.lost == 2


def test_of_several_requests_about_notes_the_nearest_answers_and_none_below_the_share():
    requests = {
        "near": request_of(_consolidated("a", "b", "c")),
        "far": request_of(_consolidated("a", "b", "x", "y")),
    }
    replies = {"near": '{"act": "drop", "line": 3}', "far": '{"act": "drop", "line": 1}'}
    near, far = _consolidated("c", "a", "b", "d"), _consolidated("a", "p", "q", "r")

    assert _lines(find("k", request_of(near), replies, requests)) == [{"act": "drop", "line": 1}]
    assert find("k", request_of(far), replies, requests) is None
    assert recorded_requests.LEAST_SHARED == 0.5


def test_verdicts_follow_their_notes_and_a_note_without_one_is_counted_and_not_said_to_hold():
    reply = '{"not": 2, "why": "no"}\n{"holds": [1, 3]}\n'

    found = _found(_read_again("a", "b", "c"), reply, _read_again("c", "new", "b", "a"))

    assert _lines(found) == [{"not": 3, "why": "no"}, {"holds": [4, 1]}]
    assert found.lost == 1
