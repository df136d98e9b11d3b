"""`store`, `recall`, `consolidate`, `search --working`, `import --cortex` on the command line."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.working.conftest import Home

from scrimshaw import Memory
from scrimshaw.cli import group
from scrimshaw.index import embedding


@pytest.fixture
def run(home: Home, monkeypatch: pytest.MonkeyPatch):
    home.open().close()
    for name, value in {"HOME": str(home.folder.parent), "SCRIMSHAW_TIMEZONE": "UTC", **home.config}.items():
        monkeypatch.setenv(name, value)

    def call(*words: str, now: str = "2026-11-20T18:00:00+00:00"):
        monkeypatch.setenv("SCRIMSHAW_NOW", now)
        answer = CliRunner().invoke(group, [*words, "--home", str(home.folder)])
        return f"{answer.output}{answer.exception or ''}"

    return call


def test_a_memory_is_stored_recalled_moved_and_found(run) -> None:
    stored = json.loads(run("store", "Gareth pays on Mondays", "--metadata", '{"a": 1}', "--json"))
    assert (stored["layer"], stored["metadata"]) == ("working", {"a": 1})
    assert "Stored as" in run("store", "The press is in the barn", "--pin")

    told = json.loads(run("recall", "when does Gareth pay?", "--json"))
    assert [one["source"] for one in told["results"]] == ["working"]
    assert "Gareth pays on Mondays" in run("search", "when does Gareth pay?", "--working")
    assert "Nothing found" in run("search", "when does Gareth pay?", "--episodic")

    late = "2026-12-20T18:00:00+00:00"
    assert "1 memory would be moved" in run("consolidate", "--dry-run", now=late)
    assert json.loads(run("consolidate", "--json", now=late))["archived"] == 1
    assert "episodic; score" in run("recall", "when does Gareth pay?", now=late)
    assert "author" in run("recall", "when does Gareth pay?", "--json", now=late)


def test_options_of_a_search_that_contradict_each_other_are_refused(run) -> None:
    run("store", "Gareth pays on Mondays")

    for mode in ("lexical", "hybrid"):
        assert f"--semantic goes without --mode {mode}" in run(
            "search", "Gareth", "--semantic", "--mode", mode
        )
    assert "Gareth pays" in run("search", "when does Gareth pay?", "--semantic", "--mode", "semantic")
    assert "Gareth pays" in run("search", "when does Gareth pay?", "--mode", "lexical")


def test_why_tells_a_memory_by_its_id_and_once_it_has_moved_its_line(run) -> None:
    stored = json.loads(run("store", "Gareth pays on Mondays", "--json"))

    told = json.loads(run("why", stored["id"], "--json"))
    assert (told["layer"], told["content"]) == ("working", "Gareth pays on Mondays")
    assert "a program's word, in the working layer" in run("why", stored["id"])

    late = "2026-12-20T18:00:00+00:00"
    run("consolidate", now=late)
    assert "not in the section unless pinned" in run("why", "Gareth pays on Mondays", now=late)


def test_an_agent_of_a_home_is_made_on_first_use(run, home: Home) -> None:
    assert "Stored as" in run("store", "Gareth pays on Mondays", "--agent", "berta")
    assert "Gareth pays on Mondays" in run("recall", "when does Gareth pay?", "--agent", "berta")
    assert "no name for an agent" in run("store", "text", "--agent", "../berta")
    assert "There is no agent carl" in run("recall", "Gareth", "--agent", "carl")
    assert sorted(path.name for path in home.folder.iterdir()) == ["albert", "berta"]


def test_it_is_told_how_long_a_memory_stays(run) -> None:
    assert "until 2026-11-27 18:00 UTC, if nobody reads it; then in the ledger." in run("store", "one")
    assert run("store", "two", "--pin").endswith("in the working layer until it is forgotten.\n")
    assert run("store", "three", "--type", "semantic").endswith("as long as there is room.\n")
    late = run("consolidate", "--dry-run", "--ttl", "0s", now="2026-11-21T18:00:00+00:00")
    assert "1 memory as old stays: pinned, or important." in late


@pytest.mark.skipif(bool(embedding.why_none()), reason="no embedding model is installed")
def test_what_a_command_stored_is_found_by_its_meaning_by_the_next(run, monkeypatch) -> None:
    monkeypatch.setenv("SCRIMSHAW_EMBEDDINGS", "auto")
    run("store", "The joiner's invoice was settled yesterday")

    assert "joiner" in run("search", "who paid the carpenter's bill?", "--semantic")


def test_mistakes_are_told(run) -> None:
    assert "no JSON object" in run("store", "text", "--metadata", "[1]")
    assert "no JSON object" in run("store", "text", "--metadata", "[" * 100_000)
    assert "name FILE.mv2, or --cortex" in run("import")
    assert "there is no such file" in run("import", "--cortex", "/nowhere/at.all")
    assert "duration" in run("consolidate", "--ttl", "soon")


def test_an_older_file_is_imported(run, tmp_path: Path) -> None:
    from tests.working.test_cortex import _file

    told = run("import", "--cortex", str(_file(tmp_path / "cortex.db")), "--consolidate")

    assert "2 memories, 1 of knowledge, 2 messages" in told
    assert "1 memory moved into the ledger" in told


def test_what_an_older_file_holds_in_vain_is_told(run, tmp_path: Path) -> None:
    from tests.working.test_cortex import _talk

    silent = [{"content": ""}] * 12
    told = run("import", "--cortex", str(_talk(tmp_path / "cortex.db", *silent, id_="c2")))

    assert "Left out: 12, because nothing of it can be kept:" in told
    assert "conversations, row 2 (id c2), message 1: it has no text" in told
    assert "and 2 more" in told


def test_what_the_shell_hands_in_ill_is_no_defect(run, tmp_path: Path) -> None:
    run("store", "The press is in the barn")

    assert "The press is in the barn" in run("search", "\udcff\udcfe press", "--working")
    assert "nan" in run("store", "text", "--importance", "nan")
    assert "it is no file. Nothing was imported" in run("import", "--cortex", str(tmp_path))
    assert "Nothing was moved" in run("consolidate", "--ttl-override", "999999999999999d")
    assert "1 memory would be moved" in run("consolidate", "--ttl-override", "0s", "--dry-run")


# What a host has and a home has not.
_OF_A_HOST = re.compile(r"openclaw|gateway|hook|bootstrap|dreaming|service|which the host", re.IGNORECASE)


def test_status_of_a_home_tells_of_no_host(run, memory: Memory) -> None:
    memory.add("I prefer tea over coffee", author="person")

    told = run("status")

    assert "way       MEMORY.md, for your programs" in told
    assert "scrimshaw run --home" in told
    assert not _OF_A_HOST.findall(told), told


def _with_a_file_too_long(folder: Path) -> None:
    (folder / "MEMORY.md").write_text("x" * 11_000)


def _with_a_linked_file(folder: Path) -> None:
    (folder / "MEMORY.md").rename(folder / "other.md")
    (folder / "MEMORY.md").symlink_to("other.md")


def _with_a_hard_link(folder: Path) -> None:
    (folder / "other.md").hardlink_to(folder / "MEMORY.md")


def _with_a_lower_case_file(folder: Path) -> None:
    (folder / "MEMORY.md").rename(folder / "memory.md")


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda folder: None, "in place in MEMORY.md"),
        (_with_a_file_too_long, "Next: shorten what else stands in MEMORY.md"),
        (_with_a_linked_file, "symbolic link"),
        (_with_a_hard_link, "nothing is written to it"),
        (_with_a_lower_case_file, "in capitals"),
    ],
    ids=["well", "too long", "link", "hard link", "lower case"],
)
def test_doctor_tells_of_no_host_in_a_home(
    run, memory: Memory, spoil: Callable[[Path], None], words: str
) -> None:
    memory.add("I prefer tea over coffee", author="person")
    spoil(memory.workspace)

    told = run("doctor")

    assert words in told
    assert not _OF_A_HOST.findall(told), told
