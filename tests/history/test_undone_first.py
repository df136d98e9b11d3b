"""After the undo of the first revision no section stands, and nothing claims that a hand took it out."""

from pathlib import Path

import pytest
from tests.places import Answer, Place
from tests.support.prepared import Prepared

from scrimshaw import Memory, UserError

_NOTE = "The spare key is under the third pot."


def _begun(place: Place) -> None:
    place.run("store", "The mat is red.", "--agent", "ada", "--home", str(place.root / "agents"))
    assert _run(place, "add", _NOTE).code == 0
    assert _run(place, "undo").code == 0


@pytest.fixture
def place(prepared: Prepared) -> Place:
    return prepared(_begun)


def _run(place: Place, *words: str) -> Answer:
    return place.run(*words, "--home", str(place.root / "agents"))


def _memory(place: Place) -> Memory:
    return Memory.open(home=place.root / "agents", agent="ada", env={"HOME": str(place.root)})


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("undo", "2"), "The section was taken out of MEMORY.md by undo"),
        (("status",), "section removed by undo; to have it back:"),
        (("doctor",), "it was removed by undo, and stays removed"),
        (("add", "The cellar door sticks in winter."), "the section was removed by undo and stays removed"),
        (("observe",), "the section was removed by undo and stays removed"),
        (("as-of", "2026-11-20"), "taken out of MEMORY.md by undo then"),
    ],
    ids=lambda words: words[0] if isinstance(words, tuple) else "",
)
def test_what_undo_took_out_is_not_said_to_be_taken_out_by_hand(
    place: Place, words: tuple[str, ...], told: str
) -> None:
    answer = _run(place, *words)

    said = " ".join((answer.out + answer.err).split())
    assert told in said
    assert "by hand" not in said
    assert words[0] == "as-of" or "scrimshaw init" in said


def test_a_section_that_a_hand_took_out_is_still_said_to_be(place: Place) -> None:
    assert _run(place, "init", "--yes").code == 0
    assert _run(place, "undo", "2").code == 0
    (place.root / "agents" / "ada" / "MEMORY.md").write_text("# Mine\n")
    assert "removed by hand and stays removed" in _run(place, "observe").out

    assert "taken out of MEMORY.md by hand" in _run(place, "undo").err
    assert "removed by hand" in _run(place, "status").out


def test_a_program_is_told_what_brings_the_section_back(place: Place) -> None:
    with _memory(place) as memory:
        assert memory.status().section_state == "removed by undo"
        kept = memory.observe()
        assert "scrimshaw init" in " ".join(kept.to_dict()["section"]["problems"])
        with pytest.raises(UserError, match="by undo") as refused:
            memory.undo(2)
        assert "scrimshaw init" in refused.value.next_step


def test_the_undo_of_the_first_revision_itself_tells_a_program_the_way_back(tmp_path: Path) -> None:
    with Memory.open(home=tmp_path / "agents", agent="ada", env={"HOME": str(tmp_path)}) as memory:
        memory.add(_NOTE, author="person", at_once=True)
        shown = memory.undo(dry_run=True)
        undone = memory.undo()

    assert shown.to_dict()["next_step"] == ""
    assert undone.is_taken_out
    assert "scrimshaw init" in undone.to_dict()["next_step"]


def test_a_revision_that_is_none_is_told_to_be_none_also_without_a_section(place: Place) -> None:
    answer = _run(place, "undo", "99")

    assert answer.code == 2
    assert "There is no revision 99. Nothing was undone." in answer.err
