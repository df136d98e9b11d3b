"""What somebody types who does not know the commands yet, and what status tells of a memory only stored."""

import json
from pathlib import Path

import pytest
from tests.places import Place

from scrimshaw.errors import Exit


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_help_is_a_word_too(place: Place) -> None:
    told = place.run("help")
    assert (told.code, "Keep the memory" in told.out) == (Exit.OK, True)
    assert place.run("help", "search").out == place.run("search", "--help").out


def test_an_option_before_the_command_is_told_where_it_goes(place: Place) -> None:
    told = place.run("--home", "agents", "status")
    assert told.code == Exit.USAGE
    assert "--home goes behind the command: status --home …" in told.err


def test_status_tells_what_programs_stored(place: Place) -> None:
    home = str(place.root / "agents")
    place.run("store", "Dana prefers tea to coffee.", "--home", home, "--agent", "z")
    assert "working   1 memory that programs stored" in place.run("status", "--home", home).out
    told = json.loads(place.run("status", "--home", home, "--json").out)
    assert told["workspaces"][0]["stored"] == 1


def test_with_json_a_wrong_workspace_is_told_as_an_object(place: Place) -> None:
    words = {"search": ["x"], "diff": ["1"], "as-of": ["today"], "timeline": [], "recall": ["x"], "spend": []}
    for verb, more in words.items():
        told = place.run(verb, *more, "--workspace", "nowhere", "--json")
        assert (told.object["exit_code"], told.code, told.err) == (Exit.MENDABLE, Exit.MENDABLE, ""), verb
        assert "nowhere" in told.object["error"][0]
