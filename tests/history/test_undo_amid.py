"""An undo of what was decided in a conversation: MEMORY.md is not written yet, and no revision holds it."""

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from tests.insight.test_conflicts import _NEWER, _RENT
from tests.insight.test_health import _note
from tests.places import Place

from scrimshaw import Memory, ObserveOptions, UserError
from scrimshaw.core.types import Event, EventType
from scrimshaw.services.edit import undo
from scrimshaw.services.publish.result import PublishOutcome

_NOW = datetime.fromisoformat("2026-11-16T08:43:00+00:00")  # a minute after what is said: it goes on
_SAID = (
    ("We decided to use Postgres 17.2 for the ledger.", "Noted."),
    ("The staging server listens on port 8443.", "I will remember it."),
)


def _memory(place: Place, seconds: int) -> Memory:
    said = {"HOME": str(place.root), "OPENCLAW_STATE_DIR": str(place.state)}
    return Memory.open(env=said, clock=lambda: _NOW + timedelta(seconds=seconds))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Two lines that contradict each other and two that do not, a note, then a turn that runs."""
    made = Place(tmp_path / "home")
    made.say(*_SAID)
    _memory(made, 0).observe(ObserveOptions(waits=False), consent=True)
    _note(made, [_RENT])
    _note(made, [_NEWER], days_ago=0)
    _memory(made, 1).observe(ObserveOptions(waits=False))
    _memory(made, 2).add("No meetings on Fridays", at_once=True)
    made.take_turn()
    return made


def _standings(place: Place):
    """Return how each line stands, but for what keeps a run from doing again what was undone."""
    with place.ledger() as ledger:
        return {line.observation.text: replace(line.standing, is_kept=False) for line in ledger.all_lines()}


def _decide_several(memory: Memory) -> None:
    with memory.deciding() as desk:
        desk.reinforce(desk.find("Postgres").observation.id)
        desk.delete(desk.find("8443").observation.id)
        assert desk.finish()[0].result is PublishOutcome.LATER


def _settle_at_the_desk(memory: Memory) -> None:
    memory.settle_conflict(_RENT, _NEWER, "merge")


DECISIONS = {
    "reinforce": lambda memory: memory.reinforce("Postgres"),
    "delete": lambda memory: memory.delete_line("8443"),
    "several": _decide_several,
    "settle": _settle_at_the_desk,
    "delete one of two": lambda memory: memory.settle_conflict(_RENT, _NEWER, "delete-1"),
    "pin": lambda memory: memory.pin("Postgres"),
    "add": lambda memory: memory.add("Call me Kit"),
}


@pytest.mark.parametrize("name", DECISIONS)
def test_what_was_decided_last_is_undone_and_nothing_else(place: Place, name: str) -> None:
    before, text = _standings(place), place.memory.read_text()
    DECISIONS[name](_memory(place, 5))
    assert place.memory.read_text() == text, "MEMORY.md waits for the pause"
    assert _standings(place) != before

    done = _memory(place, 6).undo()

    after = _standings(place)
    assert {words: after[words] for words in before} == before
    assert all(not standing.is_live for words, standing in after.items() if words not in before)
    assert done.is_exact
    assert place.memory.read_text() == text


@pytest.mark.parametrize("name", DECISIONS)
def test_without_its_mark_the_note_before_it_would_go(
    place: Place, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: what the tests here would find."""
    monkeypatch.setattr(undo, "close_sittings", lambda *_: None)
    DECISIONS[name](_memory(place, 5))

    _memory(place, 6).undo()

    assert not _standings(place)["No meetings on Fridays"].is_live


def test_called_again_it_goes_further_back_one_sitting_at_a_time(place: Place) -> None:
    before = _standings(place)
    _memory(place, 4).reinforce("Postgres")
    between = _standings(place)
    _memory(place, 5).delete_line("8443")

    _memory(place, 6).undo()
    assert _standings(place) == between
    _memory(place, 7).undo()
    assert _standings(place) == before
    _memory(place, 8).undo()
    assert not _standings(place)["No meetings on Fridays"].is_live


def _run_notes(place: Place, seconds: int, words: str) -> None:
    """What a run hides in the middle of the conversation: an event of its own time."""
    with place.ledger() as ledger:
        line = next(one for one in ledger.live_lines() if words in one.observation.text)
        at_ms = int((_NOW + timedelta(seconds=seconds)).timestamp() * 1000)
        ledger.append([Event(EventType.RECALLED, line.observation.id, at_ms, "a run")])


def test_what_runs_noted_before_and_after_stays(place: Place) -> None:
    _run_notes(place, 4, "8443")
    _memory(place, 5).reinforce("Postgres")
    _run_notes(place, 6, "8443")

    _memory(place, 7).undo()

    after = _standings(place)
    staging = next(standing for words, standing in after.items() if "8443" in words)
    assert staging.recalled == 2
    assert all(standing.confirmed == 0 for standing in after.values())


def test_an_edit_by_hand_that_the_decision_took_first_stays(place: Place) -> None:
    rows = place.memory.read_text().splitlines(keepends=True)
    place.memory.write_text("".join(row for row in rows if "8443" not in row))
    _memory(place, 5).reinforce("Postgres")

    _memory(place, 6).undo()

    after = _standings(place)
    assert not next(standing for words, standing in after.items() if "8443" in words).is_live
    assert all(standing.confirmed == 0 for standing in after.values())
    assert "8443" not in place.memory.read_text()


def test_a_dry_run_tells_of_it_and_leaves_no_revision(place: Place) -> None:
    _memory(place, 5).delete_line("8443")
    with place.ledger() as ledger:
        revisions = ledger.past.stretches()

    shown = _memory(place, 6).undo(dry_run=True)

    assert shown.revision.reason == "stale"
    assert any("8443" in line.observation.text for line in shown.lines.values())
    with place.ledger() as ledger:
        assert ledger.past.stretches() == revisions


def test_an_undo_by_number_or_one_that_is_refused_closes_nothing(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    _memory(place, 5).delete_line("8443")
    with place.ledger() as ledger:
        revisions = ledger.past.stretches()

    def refuse(*_: object) -> None:
        raise UserError("no")

    with monkeypatch.context() as patched:
        patched.setattr(undo, "plan_undo", refuse)
        with pytest.raises(UserError):
            _memory(place, 6).undo()
    with place.ledger() as ledger:
        assert ledger.past.stretches() == revisions
    _memory(place, 7).undo(revisions[-1].number)

    after = _standings(place)
    assert not after["No meetings on Fridays"].is_live
    assert not next(standing for words, standing in after.items() if "8443" in words).is_live


def test_the_next_pause_writes_it_and_undo_takes_that_revision(place: Place) -> None:
    _memory(place, 5).delete_line("8443")
    _memory(place, 6).observe(ObserveOptions(waits=False))
    assert "8443" not in place.memory.read_text()

    _memory(place, 7).undo()

    assert "8443" in place.memory.read_text()


def test_a_reinforcement_that_changes_nothing_shown_is_undone_alone(place: Place) -> None:
    before = _standings(place)
    an_hour = 3600
    _memory(place, an_hour).reinforce("Postgres")

    _memory(place, an_hour + 1).undo()

    assert _standings(place) == before
