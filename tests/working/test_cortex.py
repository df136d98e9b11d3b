"""The older program's file: taken over once and whole, or refused with nothing written."""

import json
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.working.conftest import Home

from scrimshaw import Memory, UserError
from scrimshaw.core.ledger.forget import FORGOTTEN
from scrimshaw.core.working import Category, KnowledgeStatus, MemoryType
from scrimshaw.services.working import cortex_file
from scrimshaw.working import conversations, memories
from scrimshaw.working.memories import NewMemory

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


def _numbered(path: Path, *rows: tuple[str, str, str]) -> Path:
    """Write a file whose tables number their rows: each of *rows* is a table, an owner and a text."""
    with sqlite3.connect(path) as older:
        older.executescript(
            "create table memories (id integer primary key, owner_id text, content text);"
            "create table knowledge (id integer primary key, owner_id text, content text);"
            "create table conversations (id integer primary key, owner_id text, messages text);"
        )
        for table, owner, text in rows:
            column = "messages" if table == "conversations" else "content"
            older.execute(f"insert into {table} (owner_id, {column}) values (?, ?)", (owner, text))
    older.close()
    return path


def _talk(path: Path, *messages: object, id_: str = "c1") -> Path:
    """Write a file with one conversation of albert's."""
    return _file(path, broken=_conversation(id_, "albert", *messages))


def _conversation(id_: str, owner: str, *messages: object) -> str:
    told = json.dumps(messages).replace("'", "''")
    return f"insert into conversations values ('{id_}', '{owner}', '{told}', '{_OLD}')"


def test_a_view_is_read_as_the_table_that_it_stands_for(memory: Memory, tmp_path: Path) -> None:
    of_view = "alter table memories rename to kept; create view memories as select * from kept"
    path = _file(tmp_path / "older.db")
    with sqlite3.connect(path) as older:
        older.executescript(of_view)
    older.close()

    assert memory.import_cortex(path).memories == 2


def test_a_view_of_what_is_gone_is_refused_with_nothing_imported(memory: Memory, tmp_path: Path) -> None:
    path = _file(tmp_path / "older.db")
    with sqlite3.connect(path) as older:
        older.executescript("drop table memories; create view memories as select * from gone")
    older.close()

    with pytest.raises(UserError, match=r"cannot be read .*gone.*Nothing was imported"):
        memory.import_cortex(path)
    assert memory.memories().memories == ()


def test_a_file_that_is_missing_is_told_to_be(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"there is no such file\. Nothing was imported") as refused:
        memory.import_cortex(tmp_path / "none.db")
    assert "integrity_check" not in str(refused.value)


def _said(memory: Memory, thread_id: str) -> list[str]:
    return [one.content for one in conversations.messages_after(memory._working().db, thread_id, None)]


def _all_of(memory: Memory) -> set[str]:
    page, learnt = memory.memories(), memory.knowledge(status=None)
    return {one.content for one in (*page.memories, *learnt.knowledge)}


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
    ("broken", "where"),
    [
        ("update memories set id = null where id = 'm2'", "memories, row 2: it has no id"),
        ("update memories set content = null where id = 'm2'", "memories, row 2 .id m2.: it has no text"),
        ("update memories set metadata = '{' where id = 'm2'", "row 2 .id m2.: its metadata is no JSON"),
        ("update memories set metadata = '[NaN]' where id = 'm2'", "its metadata is no JSON"),
        ("update memories set importance = 7 where id = 'm2'", "its importance is not within 0..1"),
        ("update memories set importance = 'high' where id = 'm2'", "its importance is no number"),
        ("update memories set access_count = 'many' where id = 'm2'", "its access_count is no number"),
        ("update memories set access_count = 9e300 where id = 'm2'", "its access_count is no count"),
        ("update memories set pinned = 'perhaps' where id = 'm2'", "its pinned is neither yes nor no"),
        ("update memories set created_at = 'soon' where id = 'm2'", "its created_at is no time"),
        (
            "update memories set id = 'm' || char(10) where id = 'm2'",
            "memories, row 2: its id is not 1 to 180",
        ),
        ("update memories set id = hex(zeroblob(250)) where id = 'm2'", "memories, row 2: its id is not"),
        ("update memories set owner_id = 'u' || char(10) where id = 'm2'", "its owner_id is not"),
        ("update users set name = 'al' || char(10)", "the name of its agent or user is not"),
        (
            "insert into conversations values ('c2', 'u2', '{}', null)",
            "row 2 .id c2.: its messages are no list",
        ),
        (_conversation("c" * 200, "u2", {"content": "x"}), "row 2, message 1: thread_id: should be 1 to 180"),
        (_conversation("c2", "u2", {"content": "x", "id": "y" * 200}), "message 1: id: should be 1 to 180"),
        (
            _conversation("c2", "u2", {"content": "x"}, {"content": "x" * 1_000_001}),
            "conversations, row 2 .id c2., message 2: content: 1,000,001 characters",
        ),
    ],
    ids=lambda one: one[:60],
)
def test_a_file_with_a_broken_row_is_refused_before_anything_is_written(
    home: Home, memory: Memory, tmp_path: Path, broken: str, where: str
) -> None:
    with pytest.raises(UserError, match=f"{where}.*Nothing was imported"):
        memory.import_cortex(_file(tmp_path / "cortex.db", broken=broken))

    assert memories.counts(memory._working().db) == (0, 0)
    assert conversations.states(memory._working().db) == []
    assert [path.name for path in home.folder.iterdir()] == ["albert"]


def test_an_agent_that_cannot_be_made_refuses_the_file_before_anything_is_written(
    home: Home, memory: Memory, tmp_path: Path
) -> None:
    (home.folder / "u2").write_text("in the way")

    with pytest.raises(UserError, match="the agent's folder should be here"):
        memory.import_cortex(_file(tmp_path / "cortex.db"))
    assert memories.counts(memory._working().db) == (0, 0)


def test_a_file_of_too_many_rows_is_refused_and_not_cut(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cortex_file, "_MOST_ROWS", 1)

    with pytest.raises(
        UserError, match=r"memories has more than 1 rows, too many to be imported at once\. Nothing"
    ):
        memory.import_cortex(_file(tmp_path / "cortex.db"))
    assert memories.counts(memory._working().db) == (0, 0)


def test_rows_of_two_tables_with_one_number_both_come(memory: Memory, tmp_path: Path) -> None:
    file = _numbered(
        tmp_path / "cortex.db",
        ("memories", "albert", "Gareth pays"),
        ("knowledge", "albert", "Perry is slow"),
    )

    first, again = memory.import_cortex(file), memory.import_cortex(file)

    assert (first.memories, first.knowledge, first.known) == (1, 1, 0)
    assert (again.memories, again.knowledge, again.known) == (0, 0, 2)
    assert [one.content for one in memory.memories().memories] == ["Gareth pays"]
    assert [one.content for one in memory.knowledge().knowledge] == ["Perry is slow"]


def test_another_file_with_the_same_numbers_brings_its_own_rows(memory: Memory, tmp_path: Path) -> None:
    one = _numbered(tmp_path / "one.db", ("memories", "albert", "Gareth pays"))
    other = _numbered(tmp_path / "other.db", ("memories", "albert", "Dana lives in Wenbury"))

    came = [memory.import_cortex(file).memories for file in (one, other, one, other)]

    assert came == [1, 1, 0, 0]
    assert _all_of(memory) == {"Gareth pays", "Dana lives in Wenbury"}


def test_a_number_that_a_program_has_used_is_no_row_of_the_file(memory: Memory, tmp_path: Path) -> None:
    memory.store("Gareth pays", id="1")
    memory.store("Owen likes perry", id="2", owner_id="albert")
    file = _numbered(
        tmp_path / "cortex.db",
        ("memories", "albert", "Dana moved"),
        ("memories", "albert", "Owen likes perry"),
    )

    done = memory.import_cortex(file)

    assert (done.memories, done.known) == (1, 1)
    assert _all_of(memory) == {"Gareth pays", "Owen likes perry", "Dana moved"}


@pytest.mark.parametrize(
    ("content", "owner", "is_known"),
    [
        ("Gareth pays on Mondays", "albert", True),
        ("Gareth pays on Mondays", "dana", False),
        ("The press is in the barn", "albert", False),
    ],
    ids=["the same", "of another owner", "another text"],
)
def test_a_row_whose_id_a_moved_memory_has_comes_unless_it_is_that_memory(
    home: Home, memory: Memory, tmp_path: Path, content: str, owner: str, is_known: bool
) -> None:
    memory.store(content if is_known else "Gareth pays on Mondays", id="1", owner_id="albert")
    home.later(days=8)
    assert memory.consolidate().archived == 1
    file = _numbered(tmp_path / "cortex.db", ("memories", owner, content))
    new = 0 if is_known else 1
    foreseen = memory.import_cortex(file, dry_run=True)

    done = memory.import_cortex(file)

    assert (done.memories, done.known) == (foreseen.memories, foreseen.known) == (new, 1 - new)
    every = [one for name in done.agents for one in home.open(name).memories().memories]
    assert [one.content for one in every] == [content] * new
    assert memory.memory("1").content == "Gareth pays on Mondays"
    assert memory.import_cortex(file).known == 1


def test_a_row_that_was_changed_or_deleted_here_does_not_come_again(memory: Memory, tmp_path: Path) -> None:
    file = _numbered(
        tmp_path / "cortex.db", ("memories", "albert", "Gareth pays"), ("memories", "albert", "Dana moved")
    )
    memory.import_cortex(file)
    memory.update_memory("1", content="Gareth pays late")
    memory.delete_memory("2")

    assert memory.import_cortex(file).known == 2
    assert _all_of(memory) == {"Gareth pays late"}


def _as_before(memory: Memory, id_: str, content: str, category: Category | None = None) -> None:
    """Have a row that an earlier version imported: recorded by its id alone."""
    kind = MemoryType.SEMANTIC if category else MemoryType.EPISODIC
    new = NewMemory(id_, "albert", "albert", kind, content, {}, 0.5, False, 1, None, category=category)
    if category:
        new = new._replace(confidence=0.8, source="mail", status=KnowledgeStatus.ACTIVE)
    with memory._working().db.transaction():
        memories.put(memory._working().db, [new])
        memories.note_imported(memory._working().db, [new])


def test_what_an_earlier_version_imported_stays_known_and_what_it_lost_comes(
    memory: Memory, tmp_path: Path
) -> None:
    file = _numbered(
        tmp_path / "cortex.db",
        *(("memories", "albert", text) for text in ("Gareth pays", "Dana moved", "Owen likes perry")),
        ("knowledge", "albert", "Perry is slow"),  # its number was taken
        ("conversations", "albert", json.dumps([{"content": [{"type": "text", "text": "Hello"}]}])),
    )
    for number, text in enumerate(("Gareth pays", "Dana moved", "Owen likes perry"), 1):
        _as_before(memory, str(number), text)
    memory.delete_memory("2")
    memory.update_memory("3", content="Owen likes cider")
    text = str([{"type": "text", "text": "Hello"}])
    memory.add_message(text, thread_id="1", resource_id="albert", message_id="cortex:1:0")

    first, again = memory.import_cortex(file), memory.import_cortex(file)

    assert (first.memories, first.knowledge, first.messages, first.known) == (0, 1, 0, 4)
    assert (again.memories, again.knowledge, again.messages, again.known) == (0, 0, 0, 5)
    assert _all_of(memory) == {"Gareth pays", "Owen likes cider", "Perry is slow"}


def test_another_file_after_an_earlier_version_s_import_brings_its_own_rows(
    memory: Memory, tmp_path: Path
) -> None:
    _as_before(memory, "1", "Perry is slow", Category.FACT)
    file = _numbered(tmp_path / "cortex.db", ("knowledge", "albert", "Dana lives in Wenbury"))

    assert [memory.import_cortex(file).knowledge for _ in range(2)] == [1, 0]
    assert _all_of(memory) == {"Perry is slow", "Dana lives in Wenbury"}


def test_messages_of_one_id_both_come_and_the_same_one_once(memory: Memory, tmp_path: Path) -> None:
    one, other = {"id": 7, "content": "Is it late?"}, {"id": 7, "role": "ai", "content": "It is."}
    file = _talk(tmp_path / "cortex.db", one, other, one, id_="c2")

    first, again = memory.import_cortex(file), memory.import_cortex(file)

    assert (first.messages, first.known) == (4, 1)
    assert (again.messages, again.known) == (0, 8)
    assert _said(memory, "c2") == ["Is it late?", "It is."]


def test_messages_in_rows_without_ids_all_come(memory: Memory, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "cortex.db") as older:
        older.execute("create table conversations (user_id text, thread_id text, role text, content text)")
        said = [("albert", "t1", "user", text) for text in ("Go on.", "It rained.", "Go on.")]
        older.executemany("insert into conversations values (?, ?, ?, ?)", said)
    older.close()

    assert [memory.import_cortex(tmp_path / "cortex.db").messages for _ in range(2)] == [3, 0]
    assert _said(memory, "t1") == ["Go on.", "It rained.", "Go on."]


def test_a_conversation_that_has_grown_brings_what_is_new(memory: Memory, tmp_path: Path) -> None:
    said = [{"content": "Is it late?"}, {"content": "It is."}]
    memory.import_cortex(_talk(tmp_path / "one.db", *said[:1], id_="c2"))

    assert memory.import_cortex(_talk(tmp_path / "two.db", *said, id_="c2")).messages == 1
    assert _said(memory, "c2") == ["Is it late?", "It is."]


def test_another_owner_s_conversation_of_the_same_number_is_another_one(
    memory: Memory, tmp_path: Path
) -> None:
    with sqlite3.connect(tmp_path / "cortex.db") as older:
        older.execute("create table conversations (agent text, owner_id text, thread_id text, content text)")
        said = [("albert", owner, "1", "Hello") for owner in ("gareth", "dana")]
        older.executemany("insert into conversations values (?, ?, ?, ?)", said)
    older.close()

    assert [memory.import_cortex(tmp_path / "cortex.db").messages for _ in range(2)] == [2, 0]
    states = [one.state for one in memory.conversations().conversations]
    assert {one.resource_id for one in states} == {"gareth", "dana"}
    assert len({one.thread_id for one in states}) == 2


def test_a_conversation_of_nobody_draws_no_other_agent_s_of_the_same_number(
    home: Home, memory: Memory, tmp_path: Path
) -> None:
    with sqlite3.connect(tmp_path / "cortex.db") as older:
        older.execute("create table conversations (id, owner_id text, messages text)")
        said = [(1, owner, json.dumps([{"content": "Hello"}])) for owner in (None, "bob")]
        older.executemany("insert into conversations values (?, ?, ?)", said)
    older.close()

    assert [memory.import_cortex(tmp_path / "cortex.db").messages for _ in range(2)] == [2, 0]
    assert _said(memory, "1") == ["Hello"]
    with home.open("bob") as other:
        assert _said(other, "1") == ["Hello"]


def test_a_message_that_was_forgotten_stays_forgotten(memory: Memory, tmp_path: Path) -> None:
    file = _file(tmp_path / "cortex.db")
    memory.import_cortex(file)
    db = memory._working().db
    state = conversations.state(db, "c1")
    assert state
    first = conversations.messages_after(db, "c1", None)[0]
    conversations.rewrite_message(db, state, first._replace(content=FORGOTTEN))

    assert memory.import_cortex(file).messages == 0
    assert _said(memory, "c1") == [FORGOTTEN, "Still slow."]


def test_of_a_message_in_blocks_the_text_comes_and_one_without_text_is_told(
    memory: Memory, tmp_path: Path
) -> None:
    image = {"type": "image", "source": {"data": "AAAA"}}
    mixed = [{"type": "text", "text": "Look:"}, image, {"type": "tool_result", "content": ["5 barrels"]}]
    file = _talk(tmp_path / "cortex.db", {"content": mixed}, {"content": [image]}, id_="c2")

    done = memory.import_cortex(file)

    assert _said(memory, "c2") == ["Look:\n5 barrels"]
    assert [tuple(one) for one in done.left_out] == [
        ("conversations, row 2 (id c2), message 2", "it has no text")
    ]


def test_what_is_private_as_a_whole_is_left_out_and_told(memory: Memory, tmp_path: Path) -> None:
    secret = "update memories set content = '<private>the safe is open</private>' where id = 'm1'"
    file = _file(tmp_path / "cortex.db", broken=secret)

    first, again = memory.import_cortex(file), memory.import_cortex(file)

    told = [{"row": "memories, row 1 (id m1)", "reason": "all of it is private"}]
    assert first.to_dict()["left_out"] == again.to_dict()["left_out"] == told
    assert (first.memories, again.memories) == (1, 0)
    assert memory.memories().memories == ()


@pytest.mark.parametrize(
    ("said", "pinned"), [("false", False), ("0", False), (1.0, True), ("True", True), (None, False)]
)
def test_a_pin_is_read_in_every_way_of_writing_it(
    memory: Memory, tmp_path: Path, said: object, pinned: bool
) -> None:
    with sqlite3.connect(tmp_path / "cortex.db") as older:
        older.execute("create table memories (id text, content text, pinned)")
        older.execute("insert into memories values ('m1', 'Gareth pays', ?)", (said,))
    older.close()

    memory.import_cortex(tmp_path / "cortex.db")

    assert [one.pinned for one in memory.memories().memories] == [pinned]


@pytest.mark.parametrize("date", ["1969-12-31T23:59:59Z", "0001-01-01T00:00:00+02:00"])
def test_a_row_from_before_1970_comes_with_what_the_file_says(
    memory: Memory, tmp_path: Path, date: str
) -> None:
    change = f"update memories set created_at = '{date}' where id = 'm1'"
    file = _file(tmp_path / "cortex.db", broken=change)
    with sqlite3.connect(file) as older:
        older.execute("update conversations set created_at = ?", (date,))
    older.close()

    done = memory.import_cortex(file)

    found = memories.by_id(memory._working().db, "m1")
    assert found is not None
    assert found.created_at == datetime(1970, 1, 1, tzinfo=UTC)
    assert found.metadata == {"a": 1, "older_created_at": date}
    assert done.messages == 2


def test_knowledge_of_an_unknown_status_is_not_said_to_hold(memory: Memory, tmp_path: Path) -> None:
    memory.import_cortex(_file(tmp_path / "cortex.db", broken="update knowledge set status = 'deleted'"))

    (learnt,) = memory.knowledge(status=None).knowledge
    assert (learnt.status, learnt.metadata) == ("archived", {"older_status": "deleted"})


def test_a_dry_run_tells_what_an_import_would_bring(memory: Memory, tmp_path: Path) -> None:
    file = _file(tmp_path / "cortex.db")
    before = memory.import_cortex(file, dry_run=True)
    memory.import_cortex(file)
    after = memory.import_cortex(file, dry_run=True)

    assert (before.memories, before.knowledge, before.messages, before.known) == (2, 1, 2, 0)
    assert (after.memories, after.knowledge, after.messages, after.known) == (0, 0, 0, 5)


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
