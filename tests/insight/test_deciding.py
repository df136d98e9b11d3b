"""What a person says of a line in force: reinforced or deleted, undone, explained, obeyed by the section."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from tests.places import EXEC, NOW, Place

from scrimshaw import Exit, Memory, ObserveOptions, UserError
from scrimshaw.core.section.rank import worth
from scrimshaw.core.types import Closed

_NOW = datetime.fromisoformat(NOW)
_SAID = (
    ("We decided to use Postgres 17.2 for the ledger.", "Noted."),
    ("The staging server listens on port 8443.", "I will remember it."),
)


def _memory(place: Place, after: timedelta = timedelta(0), **env: str) -> Memory:
    said = {"HOME": str(place.root), "OPENCLAW_STATE_DIR": str(place.state), **env}
    return Memory.open(env=said, clock=lambda: _NOW + after)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path / "home")
    made.say(*_SAID)
    _memory(made).observe(ObserveOptions(waits=False), consent=True)
    return made


def _line(place: Place, words: str):
    with place.ledger() as ledger:
        return next(line for line in ledger.all_lines() if words in line.observation.text)


def test_a_reinforced_line_is_surer_and_young_and_weighs_more_in_the_section(place: Place) -> None:
    before = _line(place, "Postgres")
    later = timedelta(days=200)

    done = _memory(place, later).reinforce("Postgres")

    after = _line(place, "Postgres")
    now_ms = int((_NOW + later).timestamp() * 1000)
    assert (done.choice, after.standing.confirmed) == ("reinforced", 1)
    assert done.to_dict()["confidence"] == min(1.0, before.observation.confidence + 0.3)
    assert after.standing.renewed_at_ms == now_ms
    assert worth(after, now_ms) > worth(before, now_ms)


def test_a_line_is_confirmed_once_a_day(place: Place) -> None:
    first, second = _memory(place).reinforce("Postgres"), _memory(place).reinforce("Postgres")
    third = _memory(place, timedelta(days=1)).reinforce("Postgres")

    assert [first.choice, second.choice, third.choice] == ["reinforced", "known", "reinforced"]
    assert _line(place, "Postgres").standing.confirmed == 2


def test_confirming_is_undone_and_may_be_done_again(place: Place) -> None:
    before = _line(place, "Postgres").standing
    _memory(place).reinforce("Postgres")

    _memory(place).undo()

    undone = _line(place, "Postgres").standing
    assert (before.confirmed, before.renewed_at_ms) == (undone.confirmed, undone.renewed_at_ms)
    assert _memory(place).reinforce("Postgres").choice == "reinforced"


def test_a_deleted_line_leaves_section_and_search_and_undo_brings_it_back(place: Place) -> None:
    _memory(place).delete_line("8443")

    assert "8443" not in place.memory.read_text()
    assert not _memory(place).search("8443", mode="lexical").hits
    assert _line(place, "8443").standing.closed is Closed.DELETED
    _memory(place).undo()
    assert "8443" in place.memory.read_text()
    assert _memory(place).search("8443", mode="lexical").hits


def test_a_deleted_line_that_no_section_shows_comes_back_by_undo_too(place: Place) -> None:
    with place.ledger() as ledger:
        from scrimshaw.core.types import Event, EventType

        ledger.append([Event(EventType.TRIMMED, _line(place, "8443").observation.id, 1, "person")])
    _memory(place).observe(ObserveOptions(waits=False))

    _memory(place).delete_line("8443")
    _memory(place).undo()

    assert _line(place, "8443").standing.is_live


def test_why_tells_of_both(place: Place) -> None:
    line_id = _line(place, "8443").observation.id
    _memory(place).reinforce(line_id)
    _memory(place).delete_line(line_id)

    told = place.run("why", line_id).out

    assert "confirmed by you" in told
    assert "taken out by hand" in told


def test_an_agents_shell_decides_nothing(place: Place) -> None:
    with pytest.raises(UserError) as refused:
        _memory(place, **EXEC).reinforce("Postgres")

    assert refused.value.exit_code is Exit.REFUSED
    assert _line(place, "Postgres").standing.confirmed == 0


def test_a_ledger_of_release_0_9_is_read_and_its_standings_are_the_replay(place: Place) -> None:
    import sqlite3
    from contextlib import closing

    path = place.workspace / ".scrimshaw" / "ledger.sqlite"
    with closing(sqlite3.connect(path)) as older:
        older.execute("alter table standing drop column confirmed")
        older.execute("drop table arrival")
        older.execute("drop table look")
        older.execute("drop table reading")
        older.execute("pragma user_version = 7")
        older.commit()

    assert _memory(place).reinforce("Postgres").choice == "reinforced"
    with place.ledger() as ledger:
        assert ledger.rebuild() == 0
