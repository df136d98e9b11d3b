"""Lines that leave the person out as their subject: read, and judged like those that name them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.core.judged_by_hand import MONDAY_MS, SESSION

from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.prompting.observe_reply import read_reply
from scrimshaw.core.prompting.observe_request import observe_question
from scrimshaw.core.types import (
    UNREAD,
    Entry,
    Kind,
    Place,
    Proposal,
    Rejected,
    Role,
    Verdict,
    Verified,
    Window,
)
from scrimshaw.core.verification.find_sources import judge_with_near
from scrimshaw.core.verification.judge import judge_as_read
from scrimshaw.core.verification.verify import prepare
from scrimshaw.resources import template

TEMPLATE = template("observer-prompt.md")
CASES = Path(__file__).with_name("dense.txt").read_text(encoding="utf-8")
ROLES = {"U": Role.USER, "A": Role.ASSISTANT, "T": Role.TOOL}
LEAST_TAKEN, LEAST_REFUSED = 0.8, 0.5  # what is told here of good lines and of faulty ones, without a reader


def window_of(said: tuple[str, ...], day_ms: int = MONDAY_MS) -> Window:
    entries = tuple(
        Entry("s", f"e{n}", n, day_ms + n * 60_000, ROLES[one[0]], one[2:]) for n, one in enumerate(said, 1)
    )
    return Window(SESSION, entries, 400, "Europe/Paris")


def read(said: tuple[str, ...], *lines: dict[str, object]) -> tuple[Proposal, ...]:
    """Return what *lines* of an answer about *said* are read as."""
    window = window_of(said)
    answer = [json.dumps(line, ensure_ascii=False) for line in lines]
    question = observe_question(window, (), template=TEMPLATE)
    reply = read_reply("\n".join([*answer, json.dumps({"done": len(lines)})]), question, window)
    return reply.proposals


def verdict(said: tuple[str, ...], text: str, kind: str, *cited: int) -> Verdict:
    read_as = read(said, {"text": text, "kind": kind, "priority": 4, "sources": list(cited)})
    if not read_as:
        return Rejected(Proposal(text, Kind.FACT, 3, (), Role.USER), "form", "it was no line")
    return judge_with_near(read_as[0], prepare(window_of(said)), KnownLines())


def is_noted_unread(said: tuple[str, ...], text: str, kind: str, *cited: int) -> bool:
    """Whether the line is noted when no model reads it a second time."""
    read_as = read(said, {"text": text, "kind": kind, "priority": 4, "sources": list(cited)})
    verdicts = (judge_as_read(one, prepare(window_of(said)), KnownLines(), UNREAD) for one in read_as)
    return any(isinstance(one, Verified) for one in verdicts)


class Told(NamedTuple):
    """A line about a talk, and whether it is a good one."""

    said: tuple[str, ...]
    is_good: bool
    kind: str
    cited: tuple[int, ...]
    text: str


def told() -> Iterator[Told]:
    for talk in CASES.split("\n\n")[1:]:
        lines = talk.strip().split("\n")
        said = tuple(line for line in lines if line[0] in ROLES)
        for line in lines[len(said) :]:
            mark, kind, cited, text = line.split(" ", 3)
            yield Told(said, mark == "=", kind, tuple(map(int, cited.split(","))), text)


def test_of_lines_without_a_subject_good_ones_break_no_rule_and_faulty_ones_are_not_noted_unread() -> None:
    good = [verdict(one.said, one.text, one.kind, *one.cited) for one in told() if one.is_good]
    faulty = [one for one in told() if not one.is_good]

    assert sum(isinstance(one, Verified) for one in good) >= LEAST_TAKEN * len(good) > 0
    assert [one.text for one in faulty if is_noted_unread(one.said, one.text, one.kind, *one.cited)] == []


def test_the_prompts_own_example_is_read_and_taken_as_it_stands() -> None:
    example = TEMPLATE.partition("Example:")[2]
    said = example.partition('says "')[2].partition('", and o3')[0]
    lines = [json.loads(line) for line in example.split("\n") if line.startswith('{"text"')]
    window = window_of(("U .", "A .", "U .", f"U {said}"), MONDAY_MS - 259 * 86_400_000)  # 2026-03-02
    evidence = prepare(window)

    read_as = read_reply(
        "\n".join([*map(json.dumps, lines), json.dumps({"done": len(lines)})]),
        observe_question(window, (), template="-"),
        window,
    ).proposals

    assert len(read_as) == len(lines) == 3
    assert [one.priority for one in read_as] == [5, 3, 3]
    assert all(50 <= len(line["text"]) <= 130 or line["kind"] == "next-step" for line in lines)
    verdicts = [judge_with_near(one, evidence, KnownLines()) for one in read_as]
    assert [(one.reason, one.detail) for one in verdicts if isinstance(one, Rejected)] == []


OFFERED = (
    "U what would you take for the roof?",
    "A I would take slate from Hubert & Sons.",
    "U hm. my brother wants tiles. I'll sleep on it",
)


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("Wants slate from Hubert & Sons", (2, 3)),
        ("Wants slate from Hubert & Sons", (2,)),
        ("Prefers tiles for the roof", (3,)),
        ("Decided on slate from Hubert & Sons", (1, 2)),
    ],
)
def test_what_another_wants_or_offers_is_not_the_persons_wish_though_the_line_names_nobody(
    text: str, cited: tuple[int, ...]
) -> None:
    assert not is_noted_unread(OFFERED, text, "fact", *cited)


def test_what_a_person_does_is_theirs_however_much_the_assistant_says_of_it() -> None:
    said = (
        "U I think I'd rather have slate",
        "A Slate from Hubert & Sons it is: dark grey, 40 by 20, with copper",
    )

    (line,) = read(said, {"text": "Wants slate, dark grey, from Hubert & Sons, 40 by 20", "sources": [1, 2]})

    assert line.speaker is Role.USER


@pytest.mark.parametrize(
    "text",
    [
        "Asked whether slate lasts longer than tiles",
        "Asked about slate for the roof",
        "Wonders how long slate lasts",
        "Fragte, ob Schiefer länger hält",
    ],
)
def test_a_question_told_without_its_asker_asserts_nothing(text: str) -> None:
    (line,) = read(OFFERED, {"text": text, "kind": "decision", "priority": 5, "sources": [1]})

    assert (line.kind, line.place, line.priority) == (Kind.FACT, Place.LOG, 3)


def test_who_asks_another_to_do_something_does_not_only_ask() -> None:
    said = ("U I asked Ines to bring the ladder",)

    (line,) = read(
        said, {"text": "Asked Ines to bring the ladder", "kind": "fact", "priority": 4, "sources": [1]}
    )

    assert line.priority == 4


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("U ich suche eine Wohnung in Kiel", "Sucht eine Wohnung in Kiel"),
        ("U Ich muss Jule noch anrufen.", "Muss Jule noch anrufen"),
        ("U Tengo que llamar a Lucía.", "Tiene que llamar a Lucía"),
    ],
)
def test_a_verb_at_the_beginning_of_a_line_is_no_name_in_other_languages(said: str, text: str) -> None:
    assert isinstance(verdict((said,), text, "fact", 1), Verified)


@pytest.mark.parametrize("text", ["Marta hält am Freitag die Rede", "Haldo war da"])
def test_a_name_at_the_beginning_of_a_line_is_looked_for_all_the_same(text: str) -> None:
    found = verdict(("U Ich halte am Freitag die Rede, das war schon immer da.",), text, "fact", 1)

    assert isinstance(found, Rejected)
    assert found.reason == "name"


def test_what_the_assistant_did_a_tools_result_tells() -> None:
    said = (
        "U write to the landlord about the windows",
        "T draft saved: 'Windows in the bedroom', to petrakis@example.org",
        "A I have saved the draft.",
    )
    text = "Assistant saved the draft “Windows in the bedroom” to petrakis@example.org"

    assert isinstance(verdict(said, text, "outcome", 2, 3), Verified)
