"""What the code works out of a model's line by itself, and what a model is told that is asked again."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from tests.dialogue.hostile_replies import (
    ALLERGY,
    FIGURES,
    GOOD,
    PUSH,
    QUESTION,
    STANDUP,
    WINDOW,
    A,
    B,
    C,
    D,
    done,
    judged,
    line,
    of,
)

from scrimshaw.core.prompting.fields import Hint, hint_of, numbers_of, read_claim, read_text, references_of
from scrimshaw.core.prompting.json_lines import read_lines
from scrimshaw.core.prompting.observe_reply import complaint_about, read_reply
from scrimshaw.core.types import Author, Claim, Kind, Place, Proposal, Rejected, Role


def only(**fields: object) -> Proposal:
    """Return what a single line is read as."""
    reply = read_reply(of(line(**fields), done(1)), QUESTION, WINDOW)
    assert not reply.rejected
    (proposal,) = reply.proposals
    return proposal


def test_a_models_lines_are_its_own() -> None:
    assert read_reply(GOOD, QUESTION, WINDOW).author is Author.MODEL


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"text": STANDUP, "kind": "decision", "priority": 4, "sources": [1]}, Place.STANDING),
        ({"text": STANDUP, "kind": "decision", "sources": [1], "refers_to": "2026-11-23T10:00"}, Place.OPEN),
        ({"text": "User wants short answers", "kind": "preference", "sources": [1]}, Place.STANDING),
        (
            {"text": "User wants short answers", "kind": "preference", "priority": 2, "sources": [1]},
            Place.LOG,
        ),
        ({"text": FIGURES, "kind": "next-step", "priority": 4, "sources": [3]}, Place.OPEN),
        ({"text": ALLERGY, "kind": "fact", "priority": 5}, Place.STANDING),
        ({"text": ALLERGY, "kind": "fact", "priority": 3}, Place.LOG),
        ({"text": PUSH, "kind": "issue", "priority": 3, "sources": [4, 5]}, Place.OPEN),  # it names PR-77
        ({"text": "The push failed", "kind": "issue", "priority": 3, "sources": [6]}, Place.LOG),
        ({"text": "Priya is back on Thursday", "kind": "fact", "priority": 4, "sources": [9]}, Place.LOG),
        ({"text": "User asked whether Priya is back", "kind": "decision", "priority": 5}, Place.LOG),
    ],
)
def test_where_a_line_belongs_follows_from_its_kind_and_weight(
    fields: dict[str, object], place: Place
) -> None:
    assert only(**fields).place is place


@pytest.mark.parametrize(
    ("fields", "speaker"),
    [
        ({"text": STANDUP, "sources": [1, 2]}, Role.USER),
        ({"text": PUSH, "kind": "issue", "sources": [4, 5]}, Role.TOOL),
        ({"text": "Priya is back on Thursday", "sources": [8, 9]}, Role.ASSISTANT),
        ({"text": "Assistant offered to book room 4.12", "sources": [1, 2]}, Role.ASSISTANT),
        ({"text": "Short answers", "kind": "preference", "sources": [1, 2]}, Role.USER),
    ],
)
def test_who_speaks_follows_from_the_words_and_the_entries(fields: dict[str, object], speaker: Role) -> None:
    assert only(**fields).speaker is speaker


def test_only_what_the_person_said_is_red() -> None:
    assert only(text=PUSH, kind="issue", priority=5, sources=[4, 5]).priority == 3
    assert only(text=ALLERGY, priority=5).priority == 5


def test_a_question_asserts_and_changes_nothing() -> None:
    asked = only(
        text="User asked whether Priya is back tomorrow",
        kind="decision",
        priority=5,
        replaces=["o2"],
        completes=["o1"],
        claim={"subject": "priya", "predicate": "is", "object": "back"},
    )

    assert (asked.kind, asked.priority, asked.replaces, asked.completes) == (Kind.FACT, 3, (), ())
    assert asked.claim is None


def test_what_completes_an_open_item_is_done() -> None:
    renewed = only(text="Domain example.org is renewed", kind="next-step", sources=[3], completes=["o1"])

    assert (renewed.done, renewed.completes, renewed.kind) == (True, ("aaa1",), Kind.OUTCOME)
    assert renewed.place is Place.LOG


@pytest.mark.parametrize(
    "text", ["Domain example.org is not renewed yet", "Renewing domain example.org failed"]
)
def test_what_is_not_done_completes_nothing(text: str) -> None:
    told = only(text=text, kind="outcome", sources=[3], completes=["o1"])

    assert (told.done, told.completes) == (False, ())


def test_an_earlier_line_is_closed_only_once_and_few_by_one_line() -> None:
    reply = read_reply(
        of(
            line(text=STANDUP, sources=[1], replaces=["o2"]),
            line(replaces=["o2", "o3"], completes=[1]),
            done(2),
        ),
        QUESTION,
        WINDOW,
    )

    assert [one.replaces for one in reply.proposals] == [("aaa2",), ("aaa3",)]


@pytest.mark.parametrize(
    ("fields", "start", "time"),
    [
        ({"text": FIGURES, "sources": [3], "refers_to": "2026-11-20"}, date(2026, 11, 20), None),
        ({"text": FIGURES, "sources": [3]}, date(2026, 11, 20), None),
        ({"text": FIGURES, "sources": [3], "refers_to": "by Friday"}, date(2026, 11, 20), None),
        ({"text": STANDUP, "sources": [1], "refers_to": "2026-11-23T10:00"}, date(2026, 11, 23), "10:00"),
        ({"text": STANDUP, "sources": [1], "refers_to": "2026-11-23T17:45"}, date(2026, 11, 23), None),
        ({"text": STANDUP, "sources": [1], "refers_to": {"date": "2026-11-23"}}, date(2026, 11, 23), None),
        ({"text": FIGURES, "sources": [3], "refers_to": "2027-03-09"}, date(2026, 11, 20), None),
        ({"text": FIGURES, "sources": [3], "refers_to": "2026-11-16/2126-11-20"}, date(2026, 11, 20), None),
    ],
)
def test_a_date_is_computed_and_the_model_only_says_which(
    fields: dict[str, object], start: date, time: str | None
) -> None:
    ref = only(**fields).refers_to

    assert ref is not None
    assert (ref.start, ref.time) == (start, time)


def test_a_span_of_two_days_that_were_named_is_one() -> None:
    ref = only(text="User moved the standup", sources=[1, 3], refers_to="2026-11-20/2026-11-23").refers_to

    assert ref is not None
    assert (ref.start, ref.end) == (date(2026, 11, 20), date(2026, 11, 23))


def test_the_day_it_was_said_is_no_date_it_is_about() -> None:
    # Else an open item that a model dates with "today" would have passed tomorrow.
    assert only(text="User is to send figures to Dana", sources=[3], refers_to="2026-11-16").refers_to is None


def test_a_claim_is_lower_case_and_of_words_that_were_said() -> None:
    good = {"subject": "Standup", "predicate": "is at", "object": "10:00."}

    assert only(text=STANDUP, sources=[1], claim=good).claim == Claim("standup", "is at", "10:00")
    assert only(text=STANDUP, sources=[1], claim={**good, "object": "11:30"}).claim is None
    assert only(text=STANDUP, sources=[1], claim={**good, "subject": "s" * 200}).claim is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([2, "3", "[4]", "e5", "entry 6", "#7", 8.0], [2, 3, 4, 5, 6, 7, 8]),
        ("[2], [3] and 4", [2, 3, 4]),
        ("2-4", [2, 3, 4]),
        ("[2][3]", [2, 3]),
        ("", []),
        (None, []),
    ],
)
def test_entry_numbers_are_read_in_any_spelling(value: object, expected: list[int]) -> None:
    assert numbers_of(value, {}) == (expected, "")


@pytest.mark.parametrize(
    "value", [True, {"a": 1}, [[1]], "first", "1.5", "٣", -3, 2.5, "1-9", "o3", float("inf")]
)
def test_what_is_no_entry_number_is_told(value: object) -> None:
    assert numbers_of(value, {})[1] != ""


def test_references_that_name_no_line_are_passed_over() -> None:
    assert references_of(["o3", "O4", "[o5]", 6, "none", "the tea line", None, True, "o3"]) == [3, 4, 5, 6]


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        ("2026-11-20", Hint(date(2026, 11, 20))),
        ("2026-11-20T09:30", Hint(date(2026, 11, 20), None, "09:30")),
        ("2026-11-20T09:30:00Z", Hint(date(2026, 11, 20))),
        ("2026-11-20T99:30", Hint(date(2026, 11, 20))),
        ("2026-11-20/2026-11-22", Hint(date(2026, 11, 20), date(2026, 11, 22))),
        ("2026-11-20 to 2026-11-22", Hint(date(2026, 11, 20), date(2026, 11, 22))),
        (["2026-11-20", "2026-11-22"], Hint(date(2026, 11, 20), date(2026, 11, 22))),
        ({"start": "2026-11-20", "end": "2026-11-22"}, Hint(date(2026, 11, 20), date(2026, 11, 22))),
        ({"date": "2026-11-20", "time": "09:30"}, Hint(date(2026, 11, 20), None, "09:30")),
        ("2026-02", Hint(date(2026, 2, 1), date(2026, 2, 28))),
        ("next Friday", Hint(phrase="next Friday")),
        ("none", None),
        (None, None),
        (20261120, None),
    ],
)
def test_a_date_is_read_in_any_form(value: object, hint: Hint | None) -> None:
    assert hint_of(value) == hint


@pytest.mark.parametrize("value", ["2026-13-01", "2026-02-30", "2026-11-22/2026-11-20", "0000-00", "9999-12"])
def test_what_can_be_no_date_is_none(value: str) -> None:
    assert hint_of(value) is None


def test_a_claim_wants_all_its_parts() -> None:
    assert read_claim({"subject": "a", "predicate": "b"}) is None
    assert read_claim({"subject": "a", "predicate": "b", "object": ["c"]}) is None
    assert read_claim({"subject": "A", "predicate": "is", "object": 5}) == Claim("a", "is", "5")


def test_hidden_letters_are_cut_before_anything_is_judged() -> None:
    assert read_text("1\u200d7 and 1\u200b8") == ("17 and 18", "")
    assert read_text("👩\u200d🚀 flies") == ("👩\u200d🚀 flies", "")


def test_what_stands_around_the_lines_is_told() -> None:
    assert read_lines("Sure!\n```json\n{}\n```\nBye").prose == "Sure!\nBye"


def test_nothing_is_complained_of_in_a_good_answer() -> None:
    reply, _ = judged(GOOD)

    assert complaint_about(reply, []) == ""


def test_a_model_is_told_that_its_answer_did_not_end() -> None:
    complaint = complaint_about(read_reply(of(A, B), QUESTION, WINDOW), [])

    assert '{"done": N}' in complaint
    assert complaint.endswith("Answer again, whole.")


def test_a_model_is_told_that_it_answered_with_prose() -> None:
    assert "no JSON object" in complaint_about(read_reply("I am sorry.", QUESTION, WINDOW), [])


def test_a_model_is_told_which_line_was_wrong_and_why() -> None:
    reply, verdicts = judged(
        of(line(text=PUSH.replace("77", "78"), sources=[5]), line(sources=[99]), B, done(3))
    )
    refused = [one for one in verdicts if isinstance(one, Rejected)]
    complaint = complaint_about(reply, refused)

    assert "“git push of release/2.4.1 …”" in complaint
    assert "PR-78" in complaint
    assert "there is no entry 99" in complaint
    assert FIGURES not in complaint
    assert "did not end" not in complaint


def test_a_complaint_is_short_whatever_was_wrong() -> None:
    proposal = judged(GOOD)[0].proposals[0]
    refused = [
        Rejected(replace(proposal, text=f"{n} " + "x" * 2_000), "form", f"{n}\n=== end\n" + "y" * 2_000)
        for n in range(100)
    ]
    complaint = complaint_about(read_reply("", QUESTION, WINDOW), refused)

    assert len(complaint) < 2_500
    assert "\n===" not in complaint
    assert "94 more lines" in complaint


def test_repetitions_are_no_fault_to_complain_of() -> None:
    reply, verdicts = judged(of(D, D, C, done(3)))

    assert complaint_about(reply, [one for one in verdicts if isinstance(one, Rejected)]) == ""
