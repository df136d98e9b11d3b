"""Rule 13 from the command line: with a record of the agent's own edits MEMORY.md is only read."""

from __future__ import annotations

import json
import os
from datetime import datetime
from pathlib import Path
from unittest import mock

import pytest
from tests.places import NOW, Place
from tests.support.prepared import Prepared

from scrimshaw.core.section.markers import BEGIN
from scrimshaw.core.types import Event, EventType
from scrimshaw.host import hooks
from scrimshaw.services.schedule.tick import follow


def _begun(place: Place) -> None:
    place.memory.write_text("# Memory\n")
    place.say(("We decided to use Postgres 17.2 for the ledger.", "Noted."))


@pytest.fixture
def place(prepared: Prepared) -> Place:
    return prepared(_begun, "sqlite")


def _aside(place: Place) -> Path:
    return place.workspace / "memory" / "observations" / "MEMORY.md"


@pytest.mark.parametrize("origin", ["agent", "untrusted"])
def test_with_a_record_the_section_is_kept_aside_and_the_owner_is_told(place: Place, origin: str) -> None:
    place.record(origin)

    answer = place.run("observe", "--yes")

    assert place.memory.read_text() == "# Memory\n"
    assert "Postgres 17.2" in _aside(place).read_text()
    assert "MEMORY.md is left alone" in answer.out
    assert "memory/observations/MEMORY.md" in place.run("status").out


def test_a_record_that_comes_later_freezes_memory_md_as_it_is(place: Place) -> None:
    place.run("observe", "--yes")
    before = place.memory.read_bytes()
    place.record("agent")
    place.say(("We decided on Frankfurt as the second region.", "Noted."))

    place.run("observe")

    assert before == place.memory.read_bytes()
    assert "Frankfurt" in _aside(place).read_text()
    assert "Postgres 17.2" in _aside(place).read_text()


def test_an_edit_in_the_frozen_file_is_honoured_in_the_one_kept_aside(place: Place) -> None:
    place.say(("We decided on Frankfurt as the second region.", "Noted."))
    place.run("observe", "--yes")
    place.record("agent")
    kept = [line for line in place.memory.read_text().splitlines() if "Frankfurt" not in line]
    place.memory.write_text("\n".join(kept) + "\n")

    place.run("observe")

    assert "Frankfurt" not in _aside(place).read_text()
    assert "Postgres 17.2" in _aside(place).read_text()


def test_hand_edits_of_the_copy_kept_aside_win_too(place: Place) -> None:
    place.record("agent")
    place.say(("We decided on Frankfurt as the second region.", "Noted."))
    place.run("observe", "--yes")
    kept = [line for line in _aside(place).read_text().splitlines() if "Frankfurt" not in line]
    _aside(place).write_text("\n".join(kept) + "\n")
    place.say(("We decided on node-7 for the queue.", "Noted."))

    place.run("observe")

    assert "Frankfurt" not in _aside(place).read_text()
    assert "node-7" in _aside(place).read_text()


def test_without_the_record_again_the_section_returns_and_the_copy_goes(place: Place) -> None:
    place.record("agent")
    place.run("observe", "--yes")
    place.lift_record()

    place.run("observe")

    assert "Postgres 17.2" in place.section()
    assert not _aside(place).exists()


def test_an_unreadable_record_counts_as_one(place: Place) -> None:
    (place.state / "state").mkdir()
    (place.state / "state" / "openclaw.sqlite").write_bytes(b"garbage" * 1000)

    place.run("observe", "--yes")

    assert BEGIN not in place.memory.read_text()
    assert "Postgres 17.2" in _aside(place).read_text()


def test_the_owner_may_write_all_the_same(place: Place) -> None:
    place.record("agent")

    place.run("observe", "--yes", env={"SCRIMSHAW_RESPECT_PROVENANCE": "false"})

    assert "Postgres 17.2" in place.section()


def _put_in(path: Path, line: str) -> None:
    path.write_text(path.read_text().replace("### Standing\n", f"### Standing\n{line}\n"))


def _take_away(path: Path, part: str) -> None:
    path.write_text("".join(line for line in path.read_text().splitlines(True) if part not in line))


def test_a_line_added_to_the_frozen_file_can_be_taken_out_of_the_other_one(place: Place) -> None:
    place.run("observe", "--yes")
    place.record("agent")
    _put_in(place.memory, "- Never call before ten")
    place.run("observe")
    assert "Never call" in _aside(place).read_text()
    _take_away(_aside(place), "Never call")

    place.run("observe")
    place.run("observe")

    assert "Never call" not in _aside(place).read_text()
    place.lift_record()
    place.run("observe")
    assert "Never call" not in place.section()


def test_a_line_changed_in_the_frozen_file_can_be_changed_again_in_the_other_one(place: Place) -> None:
    place.run("observe", "--yes")
    place.record("agent")
    place.memory.write_text(place.memory.read_text().replace("to use Postgres", "to USE Postgres"))
    place.run("observe")
    _aside(place).write_text(_aside(place).read_text().replace("to USE Postgres", "to take Postgres"))

    place.run("observe")
    place.run("observe")

    assert "to take Postgres" in _aside(place).read_text()
    assert "to USE Postgres" not in _aside(place).read_text()


def test_a_second_edit_of_the_frozen_file_is_compared_with_the_first(place: Place) -> None:
    place.run("observe", "--yes")
    place.record("agent")
    _put_in(place.memory, "- Never call before ten")
    place.run("observe")
    _take_away(place.memory, "Never call")
    _put_in(place.memory, "- Call after ten")

    place.run("observe")

    assert "Never call" not in _aside(place).read_text()
    assert "Call after ten" in _aside(place).read_text()


def test_edits_of_a_frozen_file_enter_the_ledger_once(place: Place) -> None:
    place.run("observe", "--yes")
    place.record("agent")
    _take_away(place.memory, "Postgres")
    place.run("observe")
    before = _events_of(place)

    place.run("observe")

    assert before == _events_of(place)


def _events_of(place: Place) -> int:
    with place.ledger(read_only=True) as ledger:
        return ledger.version()


def test_edits_of_the_copy_kept_aside_survive_the_end_of_the_record(place: Place) -> None:
    place.record("agent")
    place.run("observe", "--yes")
    _put_in(_aside(place), "- Never call before ten")
    place.lift_record()

    place.run("observe")

    assert "Never call before ten" in place.section()
    assert not _aside(place).exists()
    _take_away(place.memory, "Never call")
    place.run("observe")
    place.run("observe")
    assert "Never call" not in place.section()


def test_a_section_removed_from_the_copy_kept_aside_stays_removed(place: Place) -> None:
    place.record("agent")
    place.run("observe", "--yes")
    _aside(place).write_text("# Mine\n")

    place.run("observe")

    assert _aside(place).read_text() == "# Mine\n"


# -- where the section is, and where it was ------------------------------------------------------------------


def test_a_file_that_is_shut_out_already_is_not_written_whatever_the_owner_allows(place: Place) -> None:
    env = {"SCRIMSHAW_RESPECT_PROVENANCE": "false"}
    place.run("observe", "--yes", env=env)
    place.record("untrusted")
    before = place.memory.read_bytes()
    place.say(("We decided on Frankfurt as the second region.", "Noted."))

    place.run("observe", env=env)

    assert before == place.memory.read_bytes()
    assert "Frankfurt" in _aside(place).read_text()


def test_an_owner_who_writes_all_the_same_is_told_what_will_happen(place: Place) -> None:
    place.record("agent")

    answer = place.run("observe", "--yes", env={"SCRIMSHAW_RESPECT_PROVENANCE": "false"})

    assert "left alone" not in answer.out
    assert "shut the file out" in answer.out


def test_without_a_hook_the_owner_is_told_that_nothing_brings_it_into_the_prompt(place: Place) -> None:
    place.record("agent")

    answer = place.run("observe", "--yes")

    assert "NOT in the prompt" in answer.out
    assert "the hook is not installed. Next: scrimshaw install" in answer.out


def _install_hook(place: Place) -> None:
    """Put our hook where the host loads hooks from, as `scrimshaw install` does."""
    folder = hooks.folder(place.state)
    folder.mkdir(parents=True)
    settings = hooks.HookSettings(
        ("scrimshaw",), place.state, place.state / "openclaw.json", 20, {"main": place.workspace}
    )
    for name, text in hooks.files_of(settings).items():
        (folder / name).write_text(text)
    config = json.loads((place.state / "openclaw.json").read_text())
    config["hooks"] = {"internal": {"enabled": True, "entries": {"scrimshaw": {"enabled": True}}}}
    (place.state / "openclaw.json").write_text(json.dumps(config))


def test_with_the_hook_the_owner_is_told_that_it_brings_it_into_the_prompt(place: Place) -> None:
    _install_hook(place)
    place.record("agent")

    answer = place.run("observe", "--yes")

    assert "the hook puts it into the prompt" in answer.out
    assert "NOT in the prompt" not in answer.out


def test_edits_of_both_files_meet_when_the_record_ends(place: Place) -> None:
    place.say(("We decided on Frankfurt as the second region.", "Noted."))
    place.run("observe", "--yes")
    place.record("agent")
    place.say(("We decided on node-7 for the queue.", "Noted."))
    place.run("observe")
    _put_in(place.memory, "- Never call before ten")
    _take_away(_aside(place), "Frankfurt")
    place.lift_record()

    place.run("observe")

    section = place.section()
    assert "Never call before ten" in section
    assert "Frankfurt" not in section
    assert "node-7" in section
    assert "Postgres 17.2" in section
    assert not _aside(place).exists()


def test_what_a_person_wrote_around_the_copy_kept_aside_stays_when_the_section_leaves_it(
    place: Place,
) -> None:
    place.record("agent")
    place.run("observe", "--yes")
    _aside(place).write_text("# Mine\n\n" + _aside(place).read_text())
    place.lift_record()

    place.run("observe")

    assert "Postgres 17.2" in place.section()
    assert _aside(place).read_text().rstrip() == "# Mine"


def test_a_second_record_finds_the_section_aside_again(place: Place) -> None:
    place.record("agent")
    place.run("observe", "--yes")
    _aside(place).write_text("# Mine\n\n" + _aside(place).read_text())
    place.lift_record()
    place.run("observe")
    place.record("agent")

    place.run("observe")

    assert "Postgres 17.2" in _aside(place).read_text()
    assert _aside(place).read_text().startswith("# Mine\n")


@pytest.mark.parametrize("recovered", ["# Memory\n", ""])
def test_a_memory_md_that_was_made_anew_gets_the_section_back(place: Place, recovered: str) -> None:
    """The way out of the quarantine: the agent deletes the file and makes it anew, without our section."""
    place.run("observe", "--yes")
    place.record("untrusted")
    place.say(("We decided on Frankfurt as the second region.", "Noted."))
    place.run("observe")
    place.memory.write_text(recovered)
    place.lift_record()

    place.run("observe")

    assert "Postgres 17.2" in place.section()
    assert "Frankfurt" in place.section()
    assert place.memory.read_text().startswith(recovered)


@pytest.mark.parametrize("is_seen_before", [True, False])
def test_a_recovered_older_memory_md_hides_nothing_that_came_since(
    place: Place, is_seen_before: bool
) -> None:
    """What the host had recorded holds an older section: nobody has put that back to be the memory."""
    place.run("observe", "--yes")
    recorded = place.memory.read_bytes()
    place.say(("We decided on Frankfurt as the second region.", "Noted."))
    place.run("observe")
    place.record("untrusted")
    place.run("observe")
    place.memory.write_bytes(recorded)
    if is_seen_before:
        place.run("observe")
        assert "Frankfurt" in _aside(place).read_text()
    place.lift_record()

    place.run("observe")

    assert "Frankfurt" in place.section()
    assert "Postgres 17.2" in place.section()


def test_an_older_text_put_back_in_the_file_that_holds_the_section_is_still_a_restore(place: Place) -> None:
    place.run("observe", "--yes")
    older = place.memory.read_bytes()
    place.say(("We decided on Frankfurt as the second region.", "Noted."))
    place.run("observe")
    place.memory.write_bytes(older)

    place.run("observe")

    assert "Frankfurt" not in place.section()


def test_a_section_removed_from_the_file_that_holds_it_stays_removed(place: Place) -> None:
    place.run("observe", "--yes")
    place.memory.write_text("# Memory\n")

    place.run("observe")

    assert place.memory.read_text() == "# Memory\n"


@pytest.mark.parametrize("origin", ["agent", "untrusted"])
def test_a_record_is_a_reason_to_write_without_a_word_said(place: Place, origin: str) -> None:
    place.run("observe", "--yes")
    target, moment = place.target(), datetime.fromisoformat(NOW)
    follow(target, moment)
    assert follow(target, moment).did == ()
    place.record(origin)

    came = follow(target, moment)
    again = follow(target, moment)
    place.lift_record()
    went = follow(target, moment)

    assert [one.did for one in (came, again, went)] == [("published",), (), ("published",)]
    assert not _aside(place).exists()


def test_an_unused_setting_makes_no_difference_to_a_look(place: Place) -> None:
    place.run("observe", "--yes")
    follow(place.target(), datetime.fromisoformat(NOW))

    with mock.patch.dict(os.environ, {"SCRIMSHAW_RESPECT_PROVENANCE": "false"}):
        did = follow(place.target(), datetime.fromisoformat(NOW)).did

    assert did == ()


@pytest.mark.parametrize("origin", ["", "agent", "untrusted"])
def test_a_link_in_the_place_of_the_section_is_nobodys_edit(place: Place, origin: str) -> None:
    if origin:
        place.record(origin)
    place.run("observe", "--yes", "--now")
    kept = place.workspace / "memory" / "observations" / "MEMORY.md" if origin else place.memory
    before, outside = kept.read_text(), place.root / "outside.txt"
    outside.write_text("precious")
    kept.unlink()
    kept.symlink_to(outside)

    answer = place.run("observe", "--yes", "--now")

    assert answer.code != 0
    assert "symbolic link" in answer.out + answer.err
    assert outside.read_text() == "precious"
    kept.unlink()
    assert place.run("observe", "--yes", "--now").code == 0
    assert before.split(BEGIN)[1] == kept.read_text().split(BEGIN)[1]


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("is_noted", ["aside", "in between", "aside and then again"])
@pytest.mark.parametrize("around", ["# Memory\n", ""])
def test_on_the_way_back_from_a_quarantine_a_run_in_between_costs_no_line(
    place: Place, count: int, is_noted: str, around: str
) -> None:
    """MEMORY.md copied and deleted, a run comes by and makes it anew, and the copy is put back over that."""
    news = [(f"We decided that node-{n} runs release {n}.4.1.", "Noted.") for n in range(count)]
    place.memory.write_text(around)
    place.run("observe", "--yes")
    place.record("untrusted")
    if is_noted != "in between":
        place.say(*news)
        place.run("observe")
    elif not around:
        pytest.skip("the file made anew and the old one differ in nothing but the section: a restore")
    copy = place.memory.read_bytes()
    place.memory.unlink()
    place.lift_record()
    if is_noted != "aside":
        place.say(("We decided on Frankfurt as the second region.", "Noted."))
    if is_noted == "in between":
        place.say(*news)
    place.run("observe")
    place.run("observe")
    place.memory.write_bytes(copy)

    place.run("observe")

    section = place.section()
    assert [n for n in range(count) if f"node-{n} runs release" not in section] == []
    assert "Postgres 17.2" in section
    assert ("Frankfurt" in section) == (is_noted != "aside")
    assert place.memory.read_text().startswith(around)
    assert not _aside(place).exists()


def test_lines_that_an_earlier_release_hid_on_the_way_back_are_shown_again(place: Place) -> None:
    place.record("agent")
    place.run("observe", "--yes")
    place.lift_record()
    place.run("observe")
    with place.ledger() as ledger:
        (line,) = ledger.live_lines()
        event = Event(EventType.TRIMMED, line.observation.id, 5, "person", reason="older text restored")
        ledger.append([event])
        ledger.set_meta("shown again", "")
    place.say(("We decided on Frankfurt as the second region.", "Noted."))

    place.run("observe")

    assert "Postgres 17.2" in place.section()
