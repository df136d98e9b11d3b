"""`stats`, `stale`, `trend` and `completion` as they are typed: boxes, keys, JSON where no terminal is."""

import contextlib
import io
import json
import os
import sqlite3
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path
from unittest import mock

import pytest
from tests.places import EXEC, NOW, Place

from scrimshaw import Exit, Memory
from scrimshaw.cli.dialogues import stale as dialogue
from scrimshaw.cli.support import boxes, progress
from scrimshaw.cli.verbs import VERBS

_LATER = (datetime.fromisoformat(NOW) + timedelta(days=100)).isoformat()
_SAID = (
    ("We decided to use Postgres 17.2 for the ledger.", "Noted."),
    ("The staging server listens on port 8443.", "I will remember it."),
    ("My sister Beth lives in Porto.", "Noted."),
    ("ZipPost broke two cases of ours in August.", "That is bad."),
)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path / "home")
    made.say(*_SAID)
    assert made.run("observe", "--yes", "--now").code == 0
    return made


def test_without_a_terminal_stats_are_json_with_the_keys_that_were_asked_for(place: Place) -> None:
    told = place.run("stats").object

    assert {
        *("memories", "facts", "sources", "storage_bytes", "avg_confidence"),
        *("facts_by_type", "freshness", "top_recalled"),
    } <= set(told)
    assert {"today", "this_week", "this_month", "older"} == set(told["freshness"])
    assert told == place.run("stats", "--json").object


def test_the_box_holds_the_figures_and_a_bar_of_ten(place: Place) -> None:
    told = place.run("stats", "--text").out

    assert told.startswith("╭─ Memory of main")
    rows = [row for row in told.splitlines() if "█" in row or "░" in row]
    assert len(rows) == 8
    assert {10} == {row.count("█") + row.count("░") for row in rows}
    assert len({len(row) for row in told.splitlines()}) == 1


def test_without_utf8_no_sign_is_beyond_ascii(place: Place) -> None:
    with mock.patch.object(boxes, "is_utf8", return_value=False):
        told = place.run("stats", "--text").out

    assert told.isascii()
    assert "##" in told


@pytest.mark.parametrize(("count", "most", "filled"), [(0, 5, 0), (1, 1000, 1), (5, 5, 10), (285, 380, 8)])
def test_a_bar_is_ten_long_and_never_empty_for_what_is_there(count, most, filled):
    assert boxes.bar(count, most) == "█" * filled + "░" * (10 - filled)


def test_hostile_lines_stay_text(tmp_path: Path) -> None:
    place = Place(tmp_path / "home")
    place.say(("The build server is called [red]x[/red]\x1b[31m\u202eevil 8443.", "Noted."))
    place.run("observe", "--yes", "--now")
    place.run("search", "8443")

    told = place.run("stats", "--text").out

    assert "\x1b" not in told
    assert "\u202e" not in told


def test_stale_in_print_and_as_json(place: Place) -> None:
    told = place.run("stale", "--text", "--min-confidence", "1", now=_LATER).out
    facts = place.run("stale", "--min-confidence", "1", now=_LATER).object["stale"]

    assert f'⚠️  {facts[0]["effective_confidence"]:.2f}  "{facts[0]["fact"]}"' in told
    assert f"Source: {facts[0]['source_file']}:{facts[0]['source_line']}" in told
    assert "[r]einforce  [d]elete  [s]kip" in told
    assert f"✅  {len(facts)} stale fact" in told
    assert {"effective_confidence", "days_since_reinforced", "recall_count"} <= set(facts[0])


@pytest.mark.parametrize("verb", ["stats", "stale", "conflicts"])
def test_all_agents_are_one_object(place: Place, verb: str) -> None:
    told = place.run(verb, "--all-agents").object

    assert [one["agent"] for one in told["workspaces"]] == ["main"]


def test_a_row_of_bars_for_a_trend(place: Place) -> None:
    told = place.run("trend", "memories", "--days", "3", "--text").out

    assert "▁▁█" in told


def test_a_count_that_is_gone_from_the_ledger_is_told_as_damage(place: Place) -> None:
    ledger = place.target().layout.ledger
    with contextlib.closing(sqlite3.connect(ledger)) as connection, connection:
        connection.execute("drop table reading")
        connection.execute("create table reading (quarter integer primary key, tokens integer)")
        connection.execute("insert into reading values (1, null)")

    answer = place.run("trend", "facts")

    assert (answer.code, "the ledger is damaged" in answer.err) == (1, True)


def test_a_figure_that_there_is_none_of(place: Place) -> None:
    told = place.run("trend", "memoirs")

    assert told.code == 2
    assert "memories" in told.err


def _typed(place: Place, keys: str) -> str:
    """Go through all that may be stale with *keys* pressed; return what was printed."""
    said = {"HOME": str(place.root), "OPENCLAW_STATE_DIR": str(place.state)}
    memory = Memory.open(env=said, clock=lambda: datetime.fromisoformat(_LATER))
    printed = io.StringIO()
    with (
        mock.patch.object(dialogue, "key", side_effect=[*keys, "q"]),
        contextlib.redirect_stdout(printed),
    ):
        assert dialogue.walk(memory, memory.stale(min_confidence=1)) is Exit.OK
    return printed.getvalue()


def test_on_a_terminal_one_key_decides_on_each_and_undo_takes_it_back(place: Place) -> None:
    before = place.memory.read_text()
    facts = place.run("stale", "--min-confidence", "1", now=_LATER).object["stale"]
    assert len(facts) >= 2

    told = _typed(place, "rd" + "s" * (len(facts) - 2))

    assert f"1 reinforced, 1 deleted, {len(facts) - 2} skipped." in told
    assert facts[1]["fact"] not in place.memory.read_text()
    after = place.run("stale", "--min-confidence", "1", now=_LATER).object["stale"]
    assert facts[1]["fact_id"] not in {fact["fact_id"] for fact in after}
    place.run("undo", now=_LATER)
    assert place.memory.read_text() == before


def test_q_leaves_with_what_was_decided_and_another_key_tells_the_keys(place: Place) -> None:
    told = _typed(place, "xrq")

    assert "[q]uit" in told
    assert "1 reinforced, 0 deleted, 0 skipped." in told


def test_an_agents_shell_is_shown_no_keys(place: Place) -> None:
    told = place.run("stale", env=EXEC)

    assert "[r]" not in told.out


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class _AtOnce:
    """A timer that does not wait."""

    def __init__(self, _seconds: float, does) -> None:
        self.start = does

    def cancel(self) -> None:
        """Cancel nothing: it is done."""

    join = cancel


@pytest.mark.parametrize(
    ("command", "label"),
    [
        ("stats", "Counting"),
        ("stale", "Looking at every fact"),
        ("health", "Looking at every line"),
        ("conflicts", "Looking for contradictions"),
        ("clean --dry-run", "Looking at every line"),
        ("trend memories", "Working out days"),
    ],
)
def test_what_takes_long_has_a_bar_on_a_terminal_and_none_elsewhere(
    place: Place, monkeypatch: pytest.MonkeyPatch, command: str, label: str
) -> None:
    monkeypatch.setattr(progress.threading, "Timer", _AtOnce)
    shown = _Terminal()
    is_shown = mock.patch.object(sys, "stderr", shown)
    with mock.patch.object(contextlib, "redirect_stderr", return_value=is_shown):
        place.run(*command.split())

    assert label in shown.getvalue()
    assert label not in place.run(*command.split()).err


def test_the_search_for_contradictions_tells_how_far_it_is(place: Place) -> None:
    told = []
    with Memory.open(env={"HOME": str(place.root), "OPENCLAW_STATE_DIR": str(place.state)}) as memory:
        memory.health(on_progress=lambda done, of: told.append((done, of)))
        memory.conflicts(on_progress=lambda done, of: told.append((done, of)))

    assert told
    assert all(0 <= done <= of for done, of in told)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_for_each_shell(place: Place, shell: str) -> None:
    told = place.run("completion", shell).out

    assert "_SCRIMSHAW_COMPLETE" in told


def test_what_a_shell_asks_is_answered_with_verbs_and_options(tmp_path: Path) -> None:
    def completed(words: str, at: int) -> set[str]:
        asked = {"_SCRIMSHAW_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(at)}
        command = [sys.executable, "-m", "scrimshaw"]
        found = subprocess.run(
            command, env={**os.environ, **asked}, capture_output=True, text=True, check=True
        )
        return {row.partition(",")[2] for row in found.stdout.splitlines()}

    assert {verb for verb in VERBS if verb.startswith("st")} == completed("scrimshaw st", 1)
    assert "--min-confidence" in completed("scrimshaw stale --m", 2)


def test_json_is_one_object(place: Place) -> None:
    assert json.loads(place.run("trend", "memories", "--json").out)["figure"] == "memories"
