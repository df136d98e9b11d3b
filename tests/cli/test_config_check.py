"""`config --check` looks at what every other command reads: the hint of an error must not end in a denial."""

from pathlib import Path

import pytest
from tests.places import Place
from tests.support.prepared import Prepared

from scrimshaw.errors import ArgumentError
from scrimshaw.home import make_agent
from scrimshaw.memory import Memory

_BROKEN = "observation_chars: banana\nfrob: 1\n"


@pytest.fixture
def place(prepared: Prepared) -> Place:
    return prepared(_begun)


def _begun(place: Place) -> None:
    place.workspace.joinpath(".scrimshaw").mkdir()


def _configure(folder: Path, text: str) -> None:
    folder.joinpath(".scrimshaw", "config.yaml").write_text(text, encoding="utf-8")


@pytest.mark.parametrize("text", [_BROKEN, "ttl_days: [7\n"], ids=["wrong values", "no YAML"])
@pytest.mark.parametrize("words", [(), ("--agent", "main")], ids=" ".join)
def test_the_check_finds_what_stops_status(place: Place, words: tuple[str, ...], text: str) -> None:
    _configure(place.workspace, text)
    stopped = place.run("status")

    checked = place.run("config", "--check", *words)

    assert (stopped.code, checked.code) == (1, 1)
    assert checked.err.splitlines()[:-1] == stopped.err.splitlines()[:-1]  # the last one names who is meant
    assert str(place.workspace / ".scrimshaw" / "config.yaml") in checked.err
    assert checked.out == ""
    told = place.run("config", "--check", *words, "--json")
    assert (told.err, told.object["exit_code"]) == ("", 1)
    assert "\n".join(told.object["error"]) in checked.err


def test_the_check_is_content_once_the_workspace_is_mended(place: Place) -> None:
    _configure(place.workspace, _BROKEN)
    assert place.run("config", "--check").code == 1

    _configure(place.workspace, "observation_chars: 4000\n")

    assert place.run("config", "--check").out == "The configuration is right.\n"
    assert place.run("config", "--check", "--json").object == {"ok": True, "exit_code": 0}


def test_the_check_of_a_home_looks_at_each_agent_there(place: Place) -> None:
    home = place.root / "agents"
    for name in ("ada", "berta", "cleo"):
        make_agent(home, name)
    _configure(home / "ada", "frob: 1\n")
    _configure(home / "cleo", "grob: 1\n")

    checked = place.run("config", "--check", "--home", str(home))

    assert checked.code == 1
    assert "The configuration has 2 problems" in checked.err
    assert "frob: no such setting" in checked.err
    assert "grob: no such setting" in checked.err
    assert place.run("config", "--check", "--home", str(home), "--agent", "berta").code == 0


def test_the_check_needs_no_workspace(place: Place) -> None:
    place.state.joinpath("openclaw.json").unlink()
    place.state.rename(place.root / "elsewhere")

    assert place.run("config", "--check").out == "The configuration is right.\n"
    wrong = place.run("config", "--check", env={"SCRIMSHAW_TTL_DAYS": "soon"})
    assert wrong.code == 1
    assert "ttl_days" in wrong.err.lower()


@pytest.mark.parametrize("words", [(), ("--agent", "main")], ids=["no words", "--agent"])
def test_what_the_one_workspace_sets_is_shown_without_naming_it(place: Place, words: tuple[str, ...]) -> None:
    _configure(place.workspace, "observation_chars: 4000\n")
    shown = place.run("config", *words).out
    _configure(place.workspace, _BROKEN)

    row = next(line for line in shown.splitlines() if line.startswith("observation_chars"))
    assert row.split()[1] == "4000"
    assert row.endswith(str(Path(".scrimshaw") / "config.yaml"))
    assert place.run("config", *words).code == 1


@pytest.mark.parametrize("check", [("--check",), ()], ids=["--check", "shown"])
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--agent", "zz"), "There is no agent zz on this machine."),
        (("--workspace", "/nowhere/at/all"), "/nowhere/at/all is not a folder."),
    ],
    ids=["agent", "workspace"],
)
def test_the_settings_of_what_is_not_there_are_not_called_right(
    place: Place, words: tuple[str, ...], told: str, check: tuple[str, ...]
) -> None:
    answer = place.run("config", *check, *words)

    assert (answer.code, answer.out) == (1, "")
    assert told in answer.err


def test_a_folder_that_no_host_knows_yet_can_be_checked(place: Place) -> None:
    new = place.root / "new"
    new.joinpath(".scrimshaw").mkdir(parents=True)
    _configure(new, _BROKEN)

    assert place.run("config", "--check", "--workspace", str(new)).code == 1

    _configure(new, "observation_chars: 4000\n")
    assert place.run("config", "--check", "--workspace", str(new)).code == 0
    assert "4000" in place.run("config", "--workspace", str(new)).out


@pytest.mark.parametrize(
    "name", ["embeddings_folder", "instruction", "memory_episodic_data_dir", "timezone", "alert_command"]
)
def test_a_value_with_a_nul_is_told_as_what_is_wrong(place: Place, name: str) -> None:
    text = r'["/tmp/a\0b"]' if name == "alert_command" else r'"/tmp/a\0b"'

    answer = place.run("status", env={f"SCRIMSHAW_{name.upper()}": text})

    assert answer.code == 1
    assert f"environment: {name}: holds a NUL character" in answer.err


def test_a_program_cannot_hand_in_a_variable_with_a_nul(place: Place) -> None:
    with pytest.raises(ArgumentError, match="env: should be variables by name, both as text without NUL"):
        Memory.open(home=place.root / "agents", agent="ada", env={"HOME": "/tmp/a\0b"})
