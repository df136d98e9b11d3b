"""Where there is one of everything, nothing is told in the plural."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.places import Place

from scrimshaw import Memory

# "1 lines", "1 entries wait"; not "1 is", "1 was", nor the 1 of 11, of 0.1 or of 2026-11-1.
_WRONG = re.compile(r"(?<![\w.,:+-])1 (?!is\b|was\b|has\b|of\b)(?:[a-z-]+ )?[a-z-]+(?<!s)s\b")
# … in which the word before the plural is what is counted: "1 line stands", "1 event waits".
_RIGHT = re.compile(r"1 [a-z-]*(?<!s) (?:waits|stands|holds|goes|is|was|has)\b")
_EVERY = [
    ("observe",),
    ("observe", "--if-due"),
    ("status",),
    ("doctor",),
    ("preview",),
    ("reflect", "--dry-run"),
    ("search", "Postgres"),
    ("why", "Postgres"),
    ("timeline", "--from", "2026-01-01", "--limit", "1"),
    ("log",),
    ("context", "t1"),
    ("conversations",),
    ("conversations", "t1"),
    ("diff",),
    ("review",),
    ("spend",),
    ("models",),
    ("archive", "--check"),
    ("reindex",),
    ("undo", "--dry-run"),
    ("forget", "Postgres", "--dry-run"),
    ("config", "--check"),
    ("uninstall", "--dry-run"),
]


@pytest.fixture
def place(tmp_path: Path, fake_secret: Callable[[str], str]) -> Place:
    place = Place(tmp_path / "machine")
    place.say((f"We decided to use Postgres 17.2. The token is {fake_secret('github-token')}.", "Noted."))
    assert place.run("observe", "--yes", "--now").code == 0
    place.say(("Hm.", "Yes."))
    Memory(place.target()).add_message("Five", thread_id="t1")
    return place


def plurals(text: str) -> list[str]:
    return [found[0] for found in _WRONG.finditer(text) if not _RIGHT.match(found[0])]


@pytest.mark.parametrize("args", _EVERY, ids=" ".join)
def test_one_of_something_is_not_told_in_the_plural(place: Place, args: tuple[str, ...]) -> None:
    answer = place.run(*args)

    assert plurals(answer.out + answer.err) == []


def test_the_plurals_that_were_told_are_found() -> None:
    for told in ("+1 -0; 1 lines", "1 secrets redacted", "about 1 tokens wait", "… 1 older ones", "1 events"):
        assert plurals(told), told
    for told in ("1 line", "11 lines", "2026-11-1 lines", "1 event waits", "1 of its messages", "0.1 points"):
        assert not plurals(told), told


def test_a_status_counts_one_secret_as_one(place: Place) -> None:
    assert "1 secret redacted" in place.run("status").out


@pytest.mark.parametrize(
    "verb", ["add", "forget", "pin", "unpin", "search", "why", "undo", "observe", "status"]
)
def test_h_is_help_where_no_agent_is_found(tmp_path: Path, verb: str) -> None:
    place = Place(tmp_path / "machine")
    env = {"HOME": str(tmp_path), "OPENCLAW_STATE_DIR": str(tmp_path / "nothing")}

    short, long = place.run(verb, "-h", env=env), place.run(verb, "--help", env=env)

    assert (short.code, short.out) == (0, long.out)
    assert short.out.startswith(f"Usage: scrimshaw {verb}")
    assert short.err == ""


def test_h_is_help_after_other_words_and_text_where_it_must_be(place: Place) -> None:
    assert place.run("add", "some words", "-h").out.startswith("Usage: scrimshaw add")
    assert place.run("service", "install", "-h").out.startswith("Usage: scrimshaw service install")
    assert not place.run("why", "--", "-h").out.startswith("Usage")
