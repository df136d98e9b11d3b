"""A damaged ledger of an agent in a home: the advice that is printed brings the agent back, as printed."""

import re
from pathlib import Path

import pytest
from tests.places import Answer, Place
from tests.support.prepared import Prepared


def _begun(place: Place) -> None:
    assert _run(place, "store", "The spare key is under the mat.", "--agent", "ada").code == 0
    assert _run(place, "add", "The cellar door sticks in winter.").code == 0
    _ledger(place).write_bytes(b"rubbish" * 2_000)


@pytest.fixture
def place(prepared: Prepared) -> Place:
    return prepared(_begun)


def _run(place: Place, *words: str) -> Answer:
    return place.run(*words, "--home", str(place.root / "agents"))


def _ledger(place: Place) -> Path:
    return place.root / "agents" / "ada" / ".scrimshaw" / "ledger.sqlite"


def _follow_the_first_step(place: Place, told: str) -> None:
    said = re.search(r"Next: mv (\S+) (\S+), then: .*\binit --home (\S+) \(the section's lines", told)
    assert said, told
    assert (said[1], said[3]) == (str(_ledger(place)), str(place.root / "agents"))
    Path(said[1]).rename(said[2])


def test_what_the_error_of_a_damaged_ledger_advises_works(place: Place) -> None:
    failed = _run(place, "search", "cellar")
    assert failed.code == 1

    _follow_the_first_step(place, failed.err)
    assert _run(place, "init", "--yes").code == 0

    found = _run(place, "search", "cellar door").out
    assert "The cellar door sticks in winter." in found
    assert "The spare key is under the mat." in _run(place, "search", "spare key").out


def test_what_doctor_advises_for_a_damaged_ledger_works(place: Place) -> None:
    _follow_the_first_step(place, _run(place, "doctor").out)

    assert _run(place, "init", "--yes", "--agent", "ada").code == 0
    assert "The cellar door sticks in winter." in _run(place, "search", "cellar door").out


@pytest.mark.parametrize("verb", [["status"], ["doctor"], ["search", "cellar"], ["undo"]], ids=" ".join)
def test_an_agent_without_its_ledger_is_told_how_to_be_set_up(place: Place, verb: list[str]) -> None:
    _ledger(place).unlink()

    answer = _run(place, *verb)

    told = " ".join((answer.out + answer.err).split())
    assert "No agent lives" not in told
    assert "is gone" not in told
    assert f"init --home {place.root / 'agents'}" in told


def test_a_folder_without_anything_of_ours_is_no_agent(place: Place) -> None:
    (place.root / "agents" / "pictures").mkdir()

    assert "There is no agent pictures" in _run(place, "status", "--agent", "pictures").err
