"""A lost ledger: the advice that is printed brings the agent back, and what a hand did holds."""

import re
import shutil
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


# -- of an agent of a host: what its transcripts hold would be noted again -----------------------------------

_SAID = (
    ("We decided that unit-1x runs release 1.4.1 in production.", "Noted."),
    ("I prefer tabs over spaces in all Go files.", "Noted."),
    ("My dentist is Dr. Meier in Basel.", "Noted."),
)


def _edited(place: Place) -> None:
    place.say(*_SAID)
    assert place.run("observe", "--yes").code == 0
    for old, new in (("runs release 1.4.1 in production", "is on 1.4.1 live"), ("1.4.1", "1.4.2")):
        place.memory.write_text(place.memory.read_text().replace(old, new))
        assert place.run("observe").code == 0


@pytest.mark.parametrize("gone", [(".scrimshaw",), (".scrimshaw", "memory")], ids=" and ".join)
def test_a_line_reworded_by_hand_is_not_noted_again_when_the_ledger_is_lost(
    prepared: Prepared, gone: tuple[str, ...]
) -> None:
    place = prepared(_edited)
    for folder in gone:
        shutil.rmtree(place.workspace / folder)

    place.run("observe", "--yes")
    place.run("observe")

    assert place.section().count("unit-1x") == 1
    assert "unit-1x is on 1.4.2 live" in place.section()
    assert "dentist" in place.section()


def _written_anew(place: Place) -> None:
    _edited(place)
    text = place.memory.read_text()
    place.memory.write_text(text.replace("My dentist is Dr. Meier in Basel", "Teeth: see the card"))
    assert place.run("observe").code == 0
    rows = place.memory.read_text().splitlines(keepends=True)
    place.memory.write_text("".join(row for row in rows if "tabs" not in row))
    assert place.run("observe").code == 0


def test_what_a_hand_took_out_or_wrote_anew_stays_so_while_the_dated_files_tell(prepared: Prepared) -> None:
    place = prepared(_written_anew)
    shutil.rmtree(place.workspace / ".scrimshaw")

    place.run("observe", "--yes")
    place.run("observe")

    assert "dentist" not in place.section()
    assert "tabs" not in place.section()
    assert place.section().count("Teeth: see the card") == 1


def test_what_a_hand_took_out_is_noted_when_it_is_said_again(prepared: Prepared) -> None:
    place = prepared(_written_anew)
    shutil.rmtree(place.workspace / ".scrimshaw")
    place.run("observe", "--yes")
    place.session.at_ms += 10 * 86_400_000
    place.say(_SAID[1])

    place.run("observe", now="2026-12-01T18:00:00+00:00")

    assert "tabs" in place.section()
