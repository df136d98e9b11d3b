"""A workspace that is named and that no configuration knows: taken with its agent, or told what to add."""

import json
from pathlib import Path

import pytest
from tests.places import Place

from scrimshaw.errors import Exit

_SAID = ("We decided to use Postgres 17 for the billing service.", "Noted.")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    made.say(_SAID)
    return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "moved here"
    made.mkdir()
    return made


def test_a_workspace_named_with_the_agent_whose_store_is_there_is_taken(place: Place, folder: Path) -> None:
    named = ("--workspace", str(folder), "--agent", "main")

    answer = place.run("init", "--yes", *named)
    status = place.run("status", *named)

    assert answer.code == 0, answer.err
    assert "Postgres 17" in (folder / "MEMORY.md").read_text()
    assert not place.memory.exists()
    assert f"what is missing in {place.state / 'openclaw.json'}: " in answer.out
    assert (status.code, str(folder) in status.out) == (0, True)


def test_with_the_workspace_alone_the_missing_line_is_told(place: Place, folder: Path) -> None:
    answer = place.run("observe", "--yes", "--workspace", str(folder))

    assert answer.code == 1
    line = json.dumps({"agents": {"entries": {"ID": {"workspace": str(folder)}}}})
    assert f"What is missing in {place.state / 'openclaw.json'}: {line}" in answer.err
    assert "--agent ID" in answer.err
    assert list(folder.iterdir()) == []


def test_an_agent_without_a_store_is_not_made_up(place: Place, folder: Path) -> None:
    answer = place.run("observe", "--yes", "--workspace", str(folder), "--agent", "clerk")

    assert answer.code == 1
    assert "no transcripts of clerk were found" in answer.err
    assert '"clerk": {"workspace"' in answer.err
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("agent", ["../../etc", "/", "clerk\n"])
def test_no_name_leads_out_of_the_hosts_folders(place: Place, folder: Path, agent: str) -> None:
    answer = place.run("observe", "--yes", "--workspace", str(folder), "--agent", agent)

    assert answer.code == 1
    assert list(folder.iterdir()) == []


def test_the_workspace_of_another_agent_is_not_taken(place: Place) -> None:
    (place.state / "agents" / "clerk" / "sessions").mkdir(parents=True)
    (place.state / "agents" / "clerk" / "sessions" / "a1.jsonl").write_text("{}\n")

    answer = place.run("observe", "--yes", "--workspace", str(place.workspace), "--agent", "clerk")

    assert answer.code == 1
    assert f"{place.workspace} is where main works, not clerk" in answer.err
    assert not place.memory.exists()


def test_of_two_hosts_with_such_an_agent_one_has_to_be_named(place: Place, folder: Path) -> None:
    other = place.root / ".openclaw-work"
    (other / "agents" / "main" / "sessions").mkdir(parents=True)
    (other / "agents" / "main" / "sessions" / "a1.jsonl").write_text("{}\n")
    named = ("--workspace", str(folder), "--agent", "main")

    answer = place.run("observe", "--yes", *named)
    again = place.run("observe", "--yes", *named, "--state-dir", str(place.state))

    assert (answer.code, "--state-dir FOLDER" in answer.err) == (2, True)
    assert again.code == 0, again.err


def test_what_is_named_can_be_looked_at_while_the_configuration_is_broken_but_not_written(
    place: Place,
) -> None:
    assert place.run("init", "--yes").code == 0
    (place.state / "openclaw.json").write_text("{")
    named = ("--workspace", str(place.workspace), "--agent", "main")

    found, written = place.run("search", "Postgres", *named), place.run("add", "Backups: Lisbon.", *named)

    assert (found.code, "Postgres 17" in found.out) == (0, True), found.err
    assert (written.code, "not valid JSON5" in written.err) == (1, True)
    assert "Lisbon" not in place.section()


def test_a_state_folder_that_is_none_is_said_to_be_none(place: Place, tmp_path: Path) -> None:
    answer = place.run("status", "--state-dir", str(tmp_path / "nope"))

    assert f"{tmp_path / 'nope'} is not a folder." in answer.err
    assert "--state-dir FOLDER" in answer.err


def test_a_mistyped_command_names_the_nearest(place: Place) -> None:
    answer = place.run("serach", "ledger")

    assert answer.code == Exit.USAGE
    assert "Did you mean 'search'?" in answer.err
