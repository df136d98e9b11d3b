"""`scrimshaw reflect` as a person meets it, and what the person's hand did before it."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.places import Place
from tests.support.prepared import Prepared

from scrimshaw.core.consolidation.rules import Reflection
from scrimshaw.core.types import Event, EventType, Line
from scrimshaw.services.reflect import run as reflecting

SHORT = "I've set up the cider press with a 40-litre drum for Nora."
LONG = "I've set up the cider press with a 40-litre drum for Nora and the yard."
PLAN = "order the labels from Kemp"
IN_A_MONTH = "2026-12-20T18:00:00+00:00"


def _begun(place: Place) -> None:
    """A workspace that was observed: the same said twice, and an open item without a date."""
    place.say((SHORT, "Noted."), (LONG, "Good."), (f"Please remind me to {PLAN}.", "I will."))
    assert place.run("observe", "--yes").code == 0


@pytest.fixture
def place(prepared: Prepared) -> Place:
    return prepared(_begun)


def test_reflect_merges_what_was_said_twice_and_writes_the_section(place: Place):
    answer = place.run("reflect")

    assert answer.code == 0
    assert "1 said twice and merged" in answer.out
    assert "section written" in answer.out
    assert SHORT not in place.section()
    assert LONG in place.section()
    assert SHORT in place.dated()


def test_reflect_again_finds_nothing_and_changes_no_byte(place: Place):
    place.run("reflect")
    before = place.memory.read_bytes()

    answer = place.run("reflect", "--json")

    assert answer.object["workspaces"][0]["outcome"] == "nothing"
    assert before == place.memory.read_bytes()


def test_a_rehearsal_shows_the_lines_and_the_change_and_writes_nothing(place: Place):
    before = place.everything_written()

    answer = place.run("reflect", "--dry-run")

    assert f"merged: {SHORT}" in answer.out
    assert f"→ {LONG}" in answer.out
    assert f"-- 🟡 08:41 {SHORT}" in answer.out
    assert "Nothing was written" in answer.out
    assert before == place.everything_written()


def test_the_answer_for_a_program_names_each_change(place: Place):
    (one,) = place.run("reflect", "--json").object["workspaces"]

    assert [change["what"] for change in one["changes"]] == ["merged", "reinforced"]
    assert (one["counts"]["merged"], one["has_more"]) == (1, False)
    assert one["section"]["result"] == "written"


def test_an_open_item_that_nobody_speaks_of_any_more_is_of_unknown_outcome(place: Place):
    answer = place.run("reflect", now=IN_A_MONTH)

    assert "1 of unknown outcome now" in answer.out
    log = place.section().partition("### Log")[2]
    assert f"{PLAN}.\n" in f"{log}\n"


def test_reflect_leaves_a_run_and_a_line_without_words_in_the_log(place: Place):
    place.run("reflect")

    log = (place.workspace / ".scrimshaw" / "scrimshaw.log").read_text()
    with place.ledger() as ledger:
        last = ledger.last_run("reflect")
    assert last is not None
    assert (last.outcome, last.trigger) == ("reflected", "command")
    assert "job=reflect outcome=reflected merged=1" in log
    assert "cider" not in log


def test_a_line_that_a_person_deleted_takes_no_other_with_it(place: Place):
    """The one that would be kept was deleted by hand before: the other is what the person wants to read."""
    text = place.memory.read_text(encoding="utf-8")
    place.memory.write_text(text.replace(f"- 🟡 08:41 {LONG}\n", ""), encoding="utf-8")

    place.run("reflect")

    assert SHORT in place.section()
    assert LONG not in place.section()


def test_a_large_deletion_by_hand_is_decided_by_the_person_first(tmp_path: Path):
    place = Place(tmp_path / "home")
    place.say(*((f"I prefer size {n} mm screws for rack{n}.", "Noted.") for n in range(8)))
    place.say((SHORT, "Noted."), (LONG, "Good."))
    place.run("observe", "--yes")
    text = place.memory.read_text(encoding="utf-8")
    kept = "\n".join(line for line in text.split("\n") if "screws" not in line)
    place.memory.write_text(kept, encoding="utf-8")

    answer = place.run("reflect")

    assert (answer.code, "accept-edits" in answer.out) == (4, True)
    assert kept == place.memory.read_text(encoding="utf-8")
    with place.ledger() as ledger:
        assert [line for line in ledger.all_lines() if not line.standing.is_live] == []


def test_a_person_may_delete_what_was_merged_and_it_stays_out(place: Place):
    place.run("reflect")
    text = place.memory.read_text(encoding="utf-8")
    place.memory.write_text(text.replace(f"- 🟡 08:41 {LONG}\n", ""), encoding="utf-8")
    place.run("observe")

    with place.ledger() as ledger:
        line = next(line for line in ledger.all_lines() if line.observation.text == SHORT)
        assert ledger.tombstoned(line.observation) is not None
    assert "cider press" not in place.section()


def test_without_a_workspace_that_was_set_up_there_is_nothing_to_go_over(tmp_path: Path):
    answer = Place(tmp_path / "home").run("reflect")

    assert (answer.code, "scrimshaw init" in answer.err) == (1, True)


def test_a_reflection_decides_anew_when_another_process_was_faster(
    place: Place, monkeypatch: pytest.MonkeyPatch
):
    decided: list[int] = []
    decide = reflecting.decide

    def decide_slowly(lines: Iterable[Line]) -> Reflection:
        found = list(lines)
        decided.append(len(found))
        if len(decided) == 1:
            longest = max(found, key=lambda line: len(line.observation.text)).observation
            with place.ledger() as other:
                other.append([Event(EventType.DELETED, longest.id, 1, "person")])
        return decide(found)

    monkeypatch.setattr(reflecting, "decide", decide_slowly)

    (one,) = place.run("reflect", "--json").object["workspaces"]

    assert decided == [3, 2]
    assert (one["counts"]["merged"], one["outcome"]) == (0, "nothing")
