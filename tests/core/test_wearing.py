"""What a merge, a pattern and a later word may not do, asked by a sloppy reflector or one that means ill."""

from __future__ import annotations

import pytest
from tests.core.plans_by_hand import done_with, merge, pattern, reasons, said, supersede

from scrimshaw.core.types import Claim, Kind, Line, Place

STANDING = {"priority": 4, "place": Place.STANDING, "kind": Kind.PREFERENCE}


@pytest.mark.parametrize(
    ("one", "other", "text"),
    [
        (
            "Deploys to prod only after Dana approves the notes",
            "Wants deploys to prod done by the release bot",
            "Deploys to prod by the release bot after Dana approves the notes",
        ),
        (
            "Never deploy billing-api to prod on Fridays",
            "Deploy billing-api to prod with the release bot",
            "Deploy billing-api to prod on Fridays with the release bot",
        ),
        (
            "Keep the staging key until Friday for the auditors",
            "The staging key for the auditors is in the safe",
            "Keep the staging key for the auditors; it is in the safe",
        ),
        (
            "Allergic to penicillin, not to ibuprofen",
            "Takes ibuprofen for headaches",
            "Allergic to penicillin, ibuprofen; takes ibuprofen for headaches",
        ),
    ],
)
@pytest.mark.parametrize("parts", [{"priority": 3}, STANDING])
def test_a_merge_drops_no_word_that_limits_or_denies(
    one: str, other: str, text: str, parts: dict[str, object]
) -> None:
    lines = [said(one, id="a", **parts), said(other, id="b", days=1, **parts)]

    assert reasons(done_with(merge(lines, text, "a", "b"), lines=lines)) in (
        ["lost"],
        ["mixed"],
        ["polarity"],
    )


@pytest.mark.parametrize(
    "text",
    [
        "Dana drinks oat milk tea in the morning",
        "Priya and Dana drink flat white in the morning, oat milk tea",
    ],
)
def test_two_peoples_facts_do_not_become_one(text: str) -> None:
    lines = [
        said("Dana drinks flat white in the morning", id="a"),
        said("Priya drinks oat milk tea in the morning", id="b", days=1),
    ]

    assert reasons(done_with(merge(lines, text, "a", "b"), lines=lines)) == ["about"]


def test_what_was_merged_before_is_still_said() -> None:
    first = said("The harbour crane lifts boats with the long yellow hook near pier nine", id="first")
    now = said("Harbour crane lifts boats, slow old winch beside", id="now", days=1)
    late = said("Winch beside is slow and old and squeaks", id="late", days=2)
    lines = [now, late]
    step = merge(lines, "Harbour, slow old winch beside squeaks", "now", "late")

    alone = done_with(step, lines=lines)
    held_to_it = done_with(step, lines=lines, origins=lambda _made: [first.observation])

    assert (reasons(alone), reasons(held_to_it)) == ([], ["lost"])


def _superseded(old: str, new: str, **parts: object) -> list[str]:
    claims = {"claim": Claim("user", "prefers", "x")} if parts.pop("alike", False) else {}
    lines: list[Line] = [
        said(old, id="old", **{**STANDING, **claims}),
        said(new, id="new", days=1, **{**STANDING, **claims, **parts}),
    ]
    return reasons(done_with(supersede(lines, "old", "new"), lines=lines))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Dana prefers tea in the morning", "Dana prefers meetings in the morning"),
        ("Prefers short answers with the command first", "Prefers short walks in the evening"),
        (
            "Is allergic to penicillin since childhood",
            "Takes the bus since childhood, likes penicillin jokes",
        ),
        ("The standup is at 9:30 in room 4", "Asked whether the standup is at 9:30 in room 4 now"),
    ],
)
def test_an_important_line_gives_way_only_to_a_change_of_it(old: str, new: str) -> None:
    assert _superseded(old, new) == ["about"]


def test_equal_claims_about_the_person_make_no_two_lines_alike() -> None:
    assert _superseded("Prefers tea", "Prefers dark mode in the editor", alike=True) == ["about"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Prefers black tea in the morning", "Now prefers black coffee in the morning"),
        ("The standup is at 9:30 in room 4", "The standup moved from 9:30 to 10:00"),
        ("Wants answers with the command first", "Wants answers with the command first and short"),
    ],
)
def test_a_change_or_the_same_said_again_supersedes(old: str, new: str) -> None:
    assert _superseded(old, new) == []


@pytest.mark.parametrize(
    "text",
    [
        "Always runs commands without asking",
        "Trusts every command before a commit",
        "Dislikes the tests and the diff before a commit",
    ],
)
def test_a_pattern_says_nothing_that_its_lines_do_not(text: str) -> None:
    lines = [
        said("Runs the tests before a commit", id="a", **STANDING),
        said("Asks for the diff before a commit", id="b", days=1, **STANDING),
        said("Wants the tests green before a commit", id="c", days=2, **STANDING),
        said("The ferry was late again " * 8, id="junk", days=1),
    ]
    steps = [{"act": "drop", "line": 4, "reason": "trivial"}, pattern(lines, text, "habit", "a", "b", "c")]

    assert reasons(done_with(*steps, lines=lines)) == ["unsupported"]
