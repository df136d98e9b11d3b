"""A line that stands in an entry word for word is judged by fewer rules, and never judged otherwise."""

from __future__ import annotations

import re
from random import Random

import pytest
from bench.verify_set import read

from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.types import Entry, Kind, Proposal, Rejected, Role, Session, SessionKind, Window
from scrimshaw.core.verification import verify
from scrimshaw.core.verification.verify import Evidence, judge, prepare

SESSION = Session("s", "agent:main:main", "main", SessionKind.DIRECT)


def _reason(draft: str, entry: Entry, evidence: Evidence) -> str:
    verdict = judge(Proposal(draft, Kind.FACT, 3, (entry.entry_id,), entry.role), evidence, KnownLines())
    return verdict.reason if isinstance(verdict, Rejected) else ""


def _drafts(text: str, rng: Random) -> list[str]:
    """Return the sentences of *text* and some of its words in a row."""
    words = text.split()
    starts = [rng.randrange(len(words) - 5) for _ in range(3)] if len(words) > 6 else []
    cuts = [" ".join(words[at : at + rng.randrange(4, 14)]) for at in starts]
    return [draft.strip() for draft in (*re.split(r"(?<=[.!?])\s|\n", text), *cuts) if draft.strip()]


@pytest.mark.parametrize("file", ["home", "note_takers", "sessions", "condensed"])
def test_fewer_rules_come_to_the_same_verdict(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = Random(5)
    found = [
        (draft, entry, prepare(Window(SESSION, tuple(situation.entries), 0, "UTC")))
        for situation in read(file)
        for entry in situation.entries
        if entry.role is not Role.TOOL
        for draft in _drafts(entry.text, rng)
    ]

    short = [_reason(*one) for one in found]

    monkeypatch.setattr(verify, "_HELD_WORD_FOR_WORD", frozenset())
    assert short == [_reason(*one) for one in found]
    assert short.count("") > 0.9 * len(short)


@pytest.mark.parametrize(
    ("draft", "said"),
    [
        ("17 boxes arrived", "All 117 boxes arrived at the shed."),
        ("it costs 1", "They say it costs 1,500 now."),
        ("sell the boat to Ilmari", "We do not sell the boat to Ilmari."),
    ],
)
def test_what_stands_in_an_entry_only_as_letters_is_not_word_for_word(draft: str, said: str) -> None:
    entry = Entry("s", "e1", 1, 1_800_000_000_000, Role.USER, said)

    assert _reason(draft, entry, prepare(Window(SESSION, (entry,), 0, "UTC"))) != ""
