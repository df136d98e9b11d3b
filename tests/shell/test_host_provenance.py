"""Rule 13's look at the host's record of MEMORY.md."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from tests.shell.fake_state import FakeState

from scrimshaw.host.provenance import entry_key, provenance


@pytest.fixture
def state(tmp_path: Path) -> FakeState:
    state = FakeState(tmp_path / "home")
    state.config({})
    (state.path / "workspace").mkdir()
    return state


def look(state: FakeState) -> str:
    agent = state.agent()
    return provenance(agent, agent.workspace).state


def test_no_database_no_table_and_no_row_all_mean_no_record(state: FakeState) -> None:
    assert look(state) == "none"

    database = state.state_database(with_table=False)
    assert look(state) == "none"

    database.unlink()
    state.state_database()
    assert look(state) == "none"


@pytest.mark.parametrize(("origin", "expected"), [("agent", "recorded"), ("untrusted", "untrusted")])
def test_a_record_is_found_with_its_class_and_hash(state: FakeState, origin: str, expected: str) -> None:
    agent = state.agent()
    state.state_database()
    state.record(agent.workspace, originClass=origin)

    found = provenance(agent, agent.workspace)

    assert (found.state, found.file_hash) == (expected, "ab" * 32)


def test_the_workspace_is_known_by_its_real_path(state: FakeState, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(state.path / "workspace")
    state.state_database()
    state.record(state.path / "workspace")

    assert provenance(state.agent(), link).state == "recorded"


def test_a_record_of_another_workspace_does_not_count(state: FakeState, tmp_path: Path) -> None:
    state.state_database()
    state.record(tmp_path / "other")

    assert look(state) == "none"


@pytest.mark.parametrize("changes", [{"version": 2}, {"originClass": "owner"}, {"fileHash": 3}])
def test_a_record_in_a_form_not_known_is_unknown(state: FakeState, changes: dict[str, Any]) -> None:
    state.state_database()
    state.record(state.path / "workspace", **changes)

    assert look(state) == "unknown"


@pytest.mark.parametrize(
    "content", [b"not a database, but long enough to be taken for one" * 20, b"\x00" * 4096]
)
def test_a_damaged_database_is_unknown(state: FakeState, content: bytes) -> None:
    state.state_database().write_bytes(content)

    assert look(state) == "unknown"


def test_a_database_that_the_host_holds_exclusively_is_unknown(state: FakeState) -> None:
    database = state.state_database()
    holder = sqlite3.connect(database, isolation_level=None)
    holder.execute("begin exclusive")
    holder.execute("insert into schema_meta values ('x', null, null)")

    found = look(state)
    holder.close()

    assert found == "unknown"


def test_a_record_that_a_running_host_just_wrote_is_seen_before_any_checkpoint(state: FakeState) -> None:
    agent = state.agent()
    database = state.state_database()
    holder = sqlite3.connect(database, isolation_level=None)
    holder.execute("pragma journal_mode = wal")
    holder.execute("pragma wal_autocheckpoint = 0")
    state.record(agent.workspace)

    found = provenance(agent, agent.workspace).state
    holder.close()

    assert found == "recorded"


def test_a_look_at_a_stopped_hosts_database_creates_nothing(state: FakeState) -> None:
    database = state.state_database()
    with sqlite3.connect(database) as connection:
        connection.execute("pragma journal_mode = wal")
    connection.close()
    before = sorted(database.parent.iterdir())

    look(state)

    assert sorted(database.parent.iterdir()) == before == [database]


def test_the_key_is_two_hashes() -> None:
    assert entry_key(Path("/")) == (
        "8a5edab282632443219e051e4ade2d1d5bbc671c781051bf1437897cbdfea0f1:"
        "fe1ee8635685c90cf3509fed552ef721bbd322aeee1655114d4ab10c7a429973"
    )
