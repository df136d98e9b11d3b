"""The older program's file: taken over once and whole, or refused with nothing written."""

import json
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.working.conftest import Home

from scrimshaw import Memory, UserError
from scrimshaw.working import memories

_OLD = "2026-01-05T10:00:00Z"


def _file(path: Path, *, broken: str = "") -> Path:
    with sqlite3.connect(path) as older:
        older.executescript(
            "create table users (id text, name text);"
            "create table memories (id text, owner_id text, type text, content text, metadata text,"
            " importance real, access_count integer, pinned integer, created_at text, expires_at text);"
            "create table knowledge (id text, owner_id text, category text, content text, confidence real,"
            " source text, status text, created_at integer);"
            "create table conversations (id text, owner_id text, messages text, created_at text);"
        )
        older.execute("insert into users values ('u1', 'albert')")
        older.executemany(
            "insert into memories values (?, ?, ?, ?, ?, ?, ?, ?, ?, null)",
            [
                ("m1", "u1", "episodic", "Gareth pays on Mondays", '{"a": 1}', 0.6, 3, 0, _OLD),
                ("m2", "u2", "dream", "The press is in the barn", None, None, None, 1, "2026-11-19 08:00:00"),
            ],
        )
        older.execute(
            "insert into knowledge values ('k1', 'u1', 'solution', 'Rack perry late', .9, 'mail', 'active',"
            " 1768000000)"
        )
        said = [{"role": "human", "content": "How is the perry?"}, {"role": "ai", "content": "Still slow."}]
        older.execute("insert into conversations values ('c1', 'u1', ?, ?)", (json.dumps(said), _OLD))
        if broken:
            older.execute(broken)
    older.close()
    return path


def test_every_row_comes_once_and_to_its_agent(home: Home, memory: Memory, tmp_path: Path) -> None:
    file = _file(tmp_path / "cortex.db")

    first = memory.import_cortex(file)
    again = memory.import_cortex(file)

    assert (first.memories, first.knowledge, first.messages, first.known) == (2, 1, 2, 0)
    assert first.agents == ("albert", "u2")
    assert (again.memories, again.knowledge, again.messages, again.known) == (0, 0, 0, 5)
    db = memory._working().db
    found = memories.by_id(db, "m1")
    assert found is not None
    assert (found.agent, found.importance, found.access_count) == ("albert", 0.6, 3)
    assert found.created_at == datetime(2026, 1, 5, 10, tzinfo=UTC)
    assert memories.by_id(db, "m2") is None
    with home.open("u2") as other:
        pinned = memories.by_id(other._working().db, "m2")
    assert pinned is not None
    assert (pinned.agent, pinned.pinned, pinned.metadata) == ("u2", True, {"older_type": "dream"})
    (learnt,) = memory.knowledge().knowledge
    assert (learnt.category, learnt.confidence, learnt.source) == ("solution", 0.9, "mail")
    assert [one.state.last_position for one in memory.conversations().conversations] == [2]


def test_what_is_said_to_be_for_all_goes_to_the_shared_agent(home: Home, tmp_path: Path) -> None:
    file = _file(tmp_path / "cortex.db", broken="update users set name = 'Shared' where id = 'u1'")
    with home.open() as memory:
        memory.import_cortex(file, moves_old=True)
        assert memory.memories().memories == ()

    with home.open("shared") as shared:
        assert [one.content for one in shared.search("when does Gareth pay?").results] == [
            "Gareth pays on Mondays"
        ]
        assert [one.state.resource_id for one in shared.conversations().conversations] == ["u1"]


def test_an_import_that_was_killed_between_two_agents_goes_on(
    home: Home, memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, put, puts = _file(tmp_path / "cortex.db"), memories.put, []

    def once(*given: object) -> int:
        puts.append(given)
        if len(puts) == 2:
            raise KeyboardInterrupt
        return put(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(memories, "put", once)
    with pytest.raises(KeyboardInterrupt):
        memory.import_cortex(file)
    again = memory.import_cortex(file)

    assert (again.memories, again.known) == (1, 4)
    with home.open("u2") as other:
        assert [one.id for one in other.memories().memories] == ["m2"]
    assert memory.import_cortex(file).known == 5


def test_old_memories_move_into_the_ledger_on_wish(memory: Memory, tmp_path: Path) -> None:
    done = memory.import_cortex(_file(tmp_path / "cortex.db"), moves_old=True)

    assert done.consolidated is not None
    assert done.consolidated.archived == 1
    (found,) = memory.search("when does Gareth pay?").results
    assert (found.source, found.metadata["a"]) == ("episodic", 1)
    again = memory.import_cortex(tmp_path / "cortex.db", moves_old=True)
    assert (again.memories, again.known) == (0, 5)
    assert memories.by_id(memory._working().db, "m1") is None
    assert len(memory.search("when does Gareth pay?").results) == 1


def test_a_dry_run_writes_nothing(memory: Memory, tmp_path: Path) -> None:
    assert memory.import_cortex(_file(tmp_path / "cortex.db"), dry_run=True).memories == 2
    assert [path.name for path in memory.workspace.parent.iterdir()] == ["albert"]
    assert memories.counts(memory._working().db) == (0, 0)


@pytest.mark.parametrize(
    "broken",
    [
        "insert into memories values (null, 'u1', 'episodic', 'x', null, null, null, null, null, null)",
        "insert into memories values ('m3', 'u1', 'episodic', null, null, null, null, null, null, null)",
        "insert into memories values ('m3', 'u1', 'episodic', 'x', '{', null, null, null, null, null)",
        "insert into memories values ('m3', 'u1', 'episodic', 'x', null, 7, null, null, null, null)",
        "insert into memories values ('m3', 'u1', 'episodic', 'x', null, null, null, null, 'soon', null)",
        "insert into conversations values ('c2', 'u1', '{}', null)",
    ],
)
def test_a_file_with_a_broken_row_is_refused_whole(memory: Memory, tmp_path: Path, broken: str) -> None:
    with pytest.raises(UserError, match="Nothing was imported"):
        memory.import_cortex(_file(tmp_path / "cortex.db", broken=broken))

    assert memories.counts(memory._working().db) == (0, 0)


def test_what_is_no_such_file_is_refused(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "noise").write_bytes(b"noise" * 1000)
    with sqlite3.connect(tmp_path / "other") as other:
        other.execute("create table a (b)")
    other.close()
    whole = _file(tmp_path / "cortex.db").read_bytes()
    (tmp_path / "half").write_bytes(whole[: len(whole) // 2])

    for name in ("noise", "other", "half", "missing"):
        with pytest.raises(UserError, match="Nothing was imported"):
            memory.import_cortex(tmp_path / name)


def test_what_was_consolidated_before_is_not_taken_over_again(home: Home, tmp_path: Path) -> None:
    file = _file(tmp_path / "cortex.db")
    with home.open() as memory:
        memory.import_cortex(file, moves_old=True)
    with home.open() as memory:
        assert len(memory.search("when does Gareth pay?", layers=["episodic"]).hits) == 1
