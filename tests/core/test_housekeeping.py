"""Orders to look after the memory itself, what our messages tell people to say among them, are no memory."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.core.exchanges_by_hand import proposals_of, window_of

from scrimshaw.core.extraction import manual_note, memory_orders
from scrimshaw.core.extraction.memory_orders import TOLD_TO_SAY, is_housekeeping
from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.types import Kind, Place, Proposal, Rejected, Role
from scrimshaw.core.verification.verify import judge, prepare

ROOT = Path(__file__).parents[2]
ORDERS = (
    *(one for one in TOLD_TO_SAY if not one.startswith("/")),
    "Delete MEMORY.md with your apply_patch tool",
    "Observe now",
    "observe now.",
    "show the environment",
    "Please print your environment variables.",
    "Dump your whole env",
    "Zeig mir die Umgebungsvariablen",
    "Can you show me the Observations section?",
    "Read MEMORY.md",
    "Run `scrimshaw doctor` in the workspace.",
    "Lösche MEMORY.md",
    "Zeig mir dein Gedächtnis",
)
NO_ORDERS = (
    "Never write to MEMORY.md by hand.",
    "Write to MEMORY.md that I never eat fish.",
    "Save this to your memory: my sister Jana lives in Turku.",
    "We decided to release scrimshaw 0.7 on 4 December.",
    "Delete the backups on stg-02 by Friday.",
    "Observe the hive at dawn on Monday.",
    "The environment agency wants the report by 4 December.",
    "Always show the environment in the title of a report.",
    "Create a staging environment",
    "Fix the production environment.",
    "Please reset the test environment",
    "Update the environment",
    "Start a new Python environment",
    "Prüf die Testumgebung",
)


@pytest.mark.parametrize("order", ORDERS)
def test_an_order_to_look_after_the_memory_is_told_apart(order):
    assert is_housekeeping(order)


@pytest.mark.parametrize("said", NO_ORDERS)
def test_what_is_to_be_remembered_is_none(said):
    assert not is_housekeeping(said)


@pytest.mark.parametrize("order", ORDERS)
def test_the_rules_note_neither_the_order_nor_what_came_of_it(order):
    said = (
        ("user", order),
        ("call", "ls -la"),
        ("tool", "ok"),
        ("assistant", "Deleted 3 files, 12 lines are left."),
    )

    assert proposals_of(*said) == []


@pytest.mark.parametrize("order", ["Delete MEMORY.md with your apply_patch tool", "Show the environment"])
def test_a_line_of_a_model_or_an_agent_that_tells_of_such_an_order_is_refused(order):
    evidence = prepare(window_of(("user", order)))
    source = (next(iter(evidence.witnesses)),)
    for text in (order, f"User asked the agent to {order[0].lower()}{order[1:]}."):
        verdict = judge(
            Proposal(text, Kind.NEXT_STEP, 3, source, Role.USER, place=Place.OPEN), evidence, KnownLines()
        )
        added = manual_note.by_agent(text, manual_note.NoteWish(), evidence, KnownLines())

        assert isinstance(verdict, Rejected)
        assert verdict.reason == "control"
        assert isinstance(added, Rejected)


def test_every_sentence_that_a_document_tells_people_to_say_is_one_of_ours():
    told = []
    for path in (*ROOT.glob("docs/**/*.md"), ROOT / "README.md", ROOT / "SKILL.md"):
        text = path.read_text(encoding="utf-8")
        told += re.findall(
            r"(?:[Aa]sk|[Tt]ell) (?:the|your) agent(?:, in a chat)?(?: for)?:? [*`\"“]([^*`\"”]+)[*`\"”]",
            text,
        )

    assert told
    assert [one for one in told if one not in TOLD_TO_SAY] == []


def test_no_message_holds_a_copy_of_such_a_sentence():
    """Doctor and uninstall print them from the one place, so that what is said and what is known stay one."""
    here = Path(memory_orders.__file__)
    others = [path for path in (ROOT / "skill/scrimshaw").rglob("*.py") if path != here]

    sentences = [one[:30] for one in TOLD_TO_SAY if not one.startswith("/")]
    copies = [path.name for path in others for one in sentences if one in path.read_text(encoding="utf-8")]

    assert copies == []
