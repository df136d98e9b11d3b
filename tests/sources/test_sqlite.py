"""The SQLite source: every row accounted for, cursors that prove themselves, and stores in bad shape."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
import zstandard
from tests.stores import MAIN_KEY, FakeSession, append_events, build_sqlite, write_session

from scrimshaw.core.types import SessionKind
from scrimshaw.errors import UserError
from scrimshaw.sources import reading
from scrimshaw.sources.openclaw_sqlite import SqliteSource
from scrimshaw.sources.reading import Page, Source

LONG = "a long line that compresses well, again and again; " * 60


def talk(turns: int = 3, key: str = MAIN_KEY) -> FakeSession:
    session = FakeSession(key)
    for turn in range(turns):
        session.user(f"question {turn}")
        session.tool("exec", {"command": f"step {turn}"}, f"{LONG}{turn}")
        session.assistant(f"answer {turn}")
    return session


def read(source: Source, cursor: str | None = None) -> list[Page]:
    [state] = source.sessions()
    return list(source.pages(state, cursor))


def texts(pages: list[Page]) -> list[str]:
    return [entry.text for page in pages for entry in page.entries if entry.text]


def rows_of(pages: list[Page]) -> int:
    return sum(len(page.entries) + sum(page.skipped.values()) for page in pages)


@pytest.mark.parametrize("compress", [False, True])
def test_text_rows_and_zstd_rows_give_the_same_entries(tmp_path: Path, compress: bool) -> None:
    session = talk()
    store = build_sqlite(tmp_path / "agent.sqlite", [session], compress=compress)

    pages = read(SqliteSource(store, "main"))

    assert ["question 0", f"{LONG}0".strip(), "answer 0"] == [text.strip() for text in texts(pages)[:3]]
    assert len(session.events) == rows_of(pages)
    assert not any(page.problems for page in pages)


def test_nothing_is_written_beside_a_store_whose_host_is_stopped(tmp_path: Path) -> None:
    store = build_sqlite(tmp_path / "agent.sqlite", [talk()])
    before = sorted(path.name for path in tmp_path.iterdir())

    source = SqliteSource(store, "main")
    read(source)
    source.close()

    assert before == sorted(path.name for path in tmp_path.iterdir()) == ["agent.sqlite"]


def test_reading_goes_on_where_the_cursor_stands(tmp_path: Path) -> None:
    session = talk()
    store = build_sqlite(tmp_path / "agent.sqlite", [session])
    source = SqliteSource(store, "main")
    cursor = read(source)[-1].cursor
    first_new = len(session.events)
    session.user("one more")
    with sqlite3.connect(store) as host:
        append_events(host, session, first_new)

    again = read(source, cursor)

    assert texts(again) == ["one more"]
    assert [page.cursor for page in read(source, again[-1].cursor)] == [again[-1].cursor]


def test_a_page_holds_a_bounded_number_of_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrimshaw.sources.sqlite_tables.MAX_PAGE_ROWS", 4)
    session = talk()
    store = build_sqlite(tmp_path / "agent.sqlite", [session])

    pages = read(SqliteSource(store, "main"))

    assert all(rows_of([page]) <= 4 for page in pages)
    assert len(session.events) == rows_of(pages)


def test_each_cursor_of_a_reading_leads_to_exactly_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scrimshaw.sources.sqlite_tables.MAX_PAGE_ROWS", 3)
    store = build_sqlite(tmp_path / "agent.sqlite", [talk()])
    source = SqliteSource(store, "main")
    pages = read(source)

    for at, page in enumerate(pages, 1):
        assert texts(pages[at:]) == texts(read(source, page.cursor))


def test_the_hosts_writer_is_never_blocked_and_rows_written_meanwhile_come_next(tmp_path: Path) -> None:
    session = talk(400)
    store = build_sqlite(tmp_path / "agent.sqlite", [session])
    host = sqlite3.connect(store, timeout=0)
    host.execute("pragma journal_mode = wal")
    host.execute("insert into schema_meta (meta_key) values ('host')")
    host.commit()
    source = SqliteSource(store, "main")
    [state] = source.sessions()
    reading_on = source.pages(state, None)
    pages = [next(reading_on)]
    first_new = len(session.events)
    session.user("said meanwhile")
    with host:  # in the middle of the reading; a timeout of 0 would raise at once
        append_events(host, session, first_new)
    host.execute("pragma wal_checkpoint(truncate)")

    pages += reading_on

    assert first_new == rows_of(pages)
    assert texts(list(source.pages(state, pages[-1].cursor))) == ["said meanwhile"]
    host.close()


def test_a_new_generation_means_reading_again_and_says_so(tmp_path: Path) -> None:
    session = talk()
    store = build_sqlite(tmp_path / "agent.sqlite", [session])
    source = SqliteSource(store, "main")
    pages = read(source)
    with sqlite3.connect(store) as host:
        host.execute("update transcript_rewrite_watermarks set generation = 'new'")

    again = read(source, pages[-1].cursor)

    assert texts(pages) == texts(again)
    assert "rewritten" in again[0].problems[0].what


def test_entries_of_an_abandoned_branch_are_counted_and_left_out(tmp_path: Path) -> None:
    session = FakeSession()
    kept = session.user("kept")
    session.user("regretted")
    session.assistant("Why not.")
    session.leaf = kept
    session.user("said instead")
    store = build_sqlite(tmp_path / "agent.sqlite", [session])

    pages = read(SqliteSource(store, "main"))

    assert texts(pages) == ["kept", "said instead"]
    assert pages[0].skipped["abandoned-branch"] == 2
    assert len(session.events) == rows_of(pages)


@pytest.mark.parametrize(
    "lacking",
    [
        ["session_transcript_active_events"],
        ["session_transcript_active_events", "transcript_event_identities"],
        ["session_transcript_active_events", "transcript_event_identities", "transcript_rewrite_watermarks"],
    ],
)
def test_the_branch_is_found_without_the_hosts_table_of_it(tmp_path: Path, lacking: list[str]) -> None:
    session = FakeSession()
    kept = session.user("kept")
    session.user("regretted " + LONG)
    session.assistant("Why not.")
    session.leaf = kept
    session.user("said instead")
    store = build_sqlite(tmp_path / "agent.sqlite", [session])
    with sqlite3.connect(store) as host:
        for table in lacking:
            host.execute(f"drop table {table}")

    assert texts(read(SqliteSource(store, "main"))) == ["kept", "said instead"]


@pytest.mark.parametrize(
    "lacking",
    [
        [],
        ["session_transcript_active_events"],
        ["session_transcript_active_events", "transcript_event_identities"],
        ["transcript_event_identities"],
    ],
)
@pytest.mark.parametrize("with_leaf", [True, False])
def test_a_message_that_an_interruption_put_aside_is_read_and_one_taken_back_is_not(
    tmp_path: Path, lacking: list[str], with_leaf: bool
) -> None:
    session = FakeSession()
    session.user("kept")
    session.assistant("Noted.")
    for text in ("put aside", "put aside, too " + LONG):
        session.user(text)
        session.interrupt(with_leaf=with_leaf)
    session.rewind(session.user("taken back"))
    session.user("said instead")
    session.assistant("Noted.")
    store = build_sqlite(tmp_path / "agent.sqlite", [session])
    with sqlite3.connect(store) as host:
        for table in lacking:
            host.execute(f"drop table {table}")

    pages = read(SqliteSource(store, "main"))

    assert texts(pages) == [
        "kept",
        "Noted.",
        "put aside",
        "put aside, too " + LONG,
        "said instead",
        "Noted.",
    ]
    assert len(session.events) == rows_of(pages)


def test_a_message_read_before_it_is_put_aside_is_not_read_again(tmp_path: Path) -> None:
    session = talk(1)
    session.user("put aside")
    store = build_sqlite(tmp_path / "agent.sqlite", [session])
    source = SqliteSource(store, "main")
    cursor = read(source)[-1].cursor
    seen = len(session.events)
    session.interrupt()
    session.user("and now?")
    with sqlite3.connect(store) as host:
        append_events(host, session, seen)

    again = read(source, cursor)

    assert texts(again) == ["and now?"]
    assert [problem for page in again for problem in page.problems] == []


def test_an_index_that_lags_behind_is_not_believed(tmp_path: Path) -> None:
    session = talk(1)
    store = build_sqlite(tmp_path / "agent.sqlite", [session])
    with sqlite3.connect(store) as host:
        host.execute("update session_transcript_index_state set indexed_seq = 2")
        host.execute("delete from session_transcript_active_events where event_seq > 2")

    assert texts(read(SqliteSource(store, "main")))[-1] == "answer 0"


def test_going_back_to_an_older_branch_reads_what_was_left_out_before(tmp_path: Path) -> None:
    session = FakeSession()
    fork = session.user("fork")
    session.user("first way")
    first = session.assistant("the first, then")
    session.leaf = fork
    session.user("second way")
    store = build_sqlite(tmp_path / "agent.sqlite", [session])
    source = SqliteSource(store, "main")
    cursor = read(source)[-1].cursor
    session.leaf = first
    first_new = len(session.events)
    session.user("on the first way again")
    with sqlite3.connect(store) as host:
        append_events(host, session, first_new)

    again = read(source, cursor)

    assert [problem for page in again for problem in page.problems] == []
    assert texts(again) == [
        "fork",
        "first way",
        "the first, then",
        "on the first way again",
    ]


def test_a_rewrite_in_the_middle_of_a_reading_starts_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scrimshaw.sources.sqlite_tables.MAX_PAGE_ROWS", 4)
    session = talk()
    store = build_sqlite(tmp_path / "agent.sqlite", [session])
    source = SqliteSource(store, "main")
    [state] = source.sessions()
    pages_on = source.pages(state, None)
    next(pages_on)
    shorter = talk(1)
    with sqlite3.connect(store) as host:
        write_session(host, shorter)
        host.execute("update transcript_rewrite_watermarks set generation = 'new'")

    rest = list(pages_on)

    assert len(shorter.events) == rows_of(rest)
    assert "rewritten" in rest[0].problems[0].what


def test_sessions_are_told_apart(tmp_path: Path) -> None:
    sessions = [
        talk(1),
        talk(1, "agent:main:telegram:group:-1"),
        talk(1, "agent:main:cron:1"),
        talk(1, "agent:main:subagent:1"),
        FakeSession("agent:main:odd", chat_type="channel"),
        FakeSession("agent:main:mail", hook_source="gmail"),
    ]
    store = build_sqlite(tmp_path / "agent.sqlite", sessions)

    found = {
        state.session.session_key: state.session.kind for state in SqliteSource(store, "main").sessions()
    }

    expected = [
        SessionKind.DIRECT, SessionKind.GROUP, SessionKind.CRON, SessionKind.SUBAGENT, SessionKind.CHANNEL,
        SessionKind.HOOK,
    ]  # fmt: skip
    assert expected == [found[session.key] for session in sessions]


def test_a_position_changes_when_a_session_grows(tmp_path: Path) -> None:
    session = talk(1)
    store = build_sqlite(tmp_path / "agent.sqlite", [session])
    source = SqliteSource(store, "main")
    before = source.sessions()[0].position
    assert before == source.sessions()[0].position
    session.user("more")
    with sqlite3.connect(store) as host:
        append_events(host, session, len(session.events) - 1)

    assert before != source.sessions()[0].position


def test_a_newer_schema_is_read_with_a_warning(tmp_path: Path) -> None:
    store = build_sqlite(tmp_path / "agent.sqlite", [talk(1)])
    with sqlite3.connect(store) as host:
        host.execute("update schema_meta set schema_version = 99")
        host.execute("alter table transcript_events drop column navigation_json")
        host.execute("alter table session_windows drop column chat_type")
        host.execute("drop table session_nodes")
    source = SqliteSource(store, "main")

    pages = read(source)

    assert texts(pages)[-1] == "answer 0"
    assert "schema 99" in source.warnings()[0]


def test_an_older_store_without_zstd_or_windows_is_read(tmp_path: Path) -> None:
    store = build_sqlite(tmp_path / "agent.sqlite", [talk(1)], compress=False)
    with sqlite3.connect(store) as host:
        for column in ("event_zstd", "event_utf8_bytes", "navigation_json"):
            host.execute(f"alter table transcript_events drop column {column}")
        host.execute("drop table session_windows")
    source = SqliteSource(store, "main")

    [state] = source.sessions()

    assert (state.session.session_key, state.session.kind) == (MAIN_KEY, SessionKind.DIRECT)
    assert texts(list(source.pages(state, None)))[-1] == "answer 0"


def test_rows_that_cannot_be_decoded_are_named_and_the_others_read(tmp_path: Path) -> None:
    session = talk(4)
    store = build_sqlite(tmp_path / "agent.sqlite", [session], compress=False)
    bomb = zstandard.ZstdCompressor().compress(b"\0" * (reading.MAX_EVENT_BYTES + 1))
    broken = [
        (2, None, b"no zstd frame"),
        (3, None, bomb),
        (4, '{"type": "mess', None),
        (5, "[1, 2]", None),
        (6, "", None),
    ]
    with sqlite3.connect(store) as host:
        for seq, text, frame in broken:
            host.execute(
                "update transcript_events set event_json = ?, event_zstd = ? where seq = ?",
                (text, frame, seq),
            )
        host.execute("update transcript_events set event_json = null where seq = 7")

    pages = read(SqliteSource(store, "main"))

    assert pages[0].skipped["malformed"] == 6
    assert [f"{MAIN_KEY} {seq}" for seq in range(2, 8)] == sorted(
        problem.place for problem in pages[0].problems
    )
    assert texts(pages)[-1] == "answer 3"
    assert len(session.events) == rows_of(pages)


def test_invalid_utf8_and_nuls_are_replaced_and_named(tmp_path: Path) -> None:
    session = FakeSession()
    session.user("caf\u00e9 au lait")
    session.user("nul\0 inside")
    store = build_sqlite(tmp_path / "agent.sqlite", [session])
    with sqlite3.connect(store) as host:
        host.execute(
            "update transcript_events set event_json ="
            " cast(replace(cast(event_json as blob), x'c3a9', x'ff') as text)"
        )

    pages = read(SqliteSource(store, "main"))

    assert texts(pages) == ["caf\ufffd au lait", "nul inside"]
    assert [f"{MAIN_KEY} 2"] == [problem.place for problem in pages[0].problems]


def test_a_row_too_big_to_hold_is_refused_by_sqlite_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scrimshaw.sources.sqlite_store.MAX_EVENT_BYTES", 100_000)
    session = talk(1)
    session.user("x" * 200_000)
    session.user("after")
    store = build_sqlite(tmp_path / "agent.sqlite", [session], compress=False)

    pages = read(SqliteSource(store, "main"))

    assert texts(pages)[-1] == "after"
    assert "too big" in pages[0].problems[0].what


def test_a_store_of_0_bytes_holds_nothing_and_says_so(tmp_path: Path) -> None:
    store = tmp_path / "agent.sqlite"
    store.touch()
    source = SqliteSource(store, "main")

    assert source.sessions() == []
    assert "0 bytes" in source.warnings()[0]


@pytest.mark.parametrize("content", [b"not a database at all, or one with a key" * 100, b"\x8f" * 8192])
def test_a_damaged_or_encrypted_store_is_one_clear_error(tmp_path: Path, content: bytes) -> None:
    store = tmp_path / "agent.sqlite"
    store.write_bytes(content)

    with pytest.raises(UserError, match="damaged or encrypted"):
        SqliteSource(store, "main").sessions()


def test_a_missing_store_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be opened"):
        SqliteSource(tmp_path / "agent.sqlite", "main").sessions()


def test_a_locked_store_is_one_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrimshaw.sources.sqlite_store.BUSY_SECONDS", 0.01)
    store = build_sqlite(tmp_path / "agent.sqlite", [talk(1)])
    host = sqlite3.connect(store, isolation_level=None)
    host.execute("pragma journal_mode = delete")
    host.execute("begin exclusive")
    host.execute("insert into schema_meta (meta_key) values ('x')")

    with pytest.raises(UserError, match="locked"):
        SqliteSource(store, "main").sessions()
    host.close()


def test_pages_that_are_damaged_do_not_take_the_rest_with_them_or_are_one_clear_error(tmp_path: Path) -> None:
    session = talk(200)
    store = build_sqlite(tmp_path / "agent.sqlite", [session], compress=False)
    size = store.stat().st_size
    with store.open("r+b") as file:
        file.seek(size // 2)
        file.write(b"\xde\xad" * 4096)
    source = SqliteSource(store, "main")

    try:
        pages = read(source)
        problems = [problem for page in pages for problem in page.problems]
    except UserError as error:
        problems = list(error.problems)

    assert problems


def test_sessions_that_the_host_archived_are_named(tmp_path: Path) -> None:
    store = build_sqlite(tmp_path / "agent.sqlite", [talk(1)])
    with sqlite3.connect(store) as host:
        host.execute("insert into session_transcript_cold_archives values ('old', 'a')")
        host.execute("insert into session_transcript_archives values ('gone', 'g', 'k', 'deleted')")
    source = SqliteSource(store, "main")

    source.sessions()

    assert "cold archive" in source.warnings()[0]
    assert {"gone"} == source.deleted_sessions()


def test_a_session_deleted_while_it_is_read_ends_quietly(tmp_path: Path) -> None:
    store = build_sqlite(tmp_path / "agent.sqlite", [talk(1)])
    source = SqliteSource(store, "main")
    [state] = source.sessions()
    with sqlite3.connect(store) as host:
        host.execute("delete from transcript_events")

    assert list(source.pages(state, None)) == []


@pytest.mark.parametrize(
    "cursor", ["", "nonsense", "{}", '{"sqlite": [1]}', '{"jsonl": [0, 0, "", 0, 0, "", null]}']
)
def test_a_cursor_that_cannot_be_read_means_from_the_start(tmp_path: Path, cursor: str) -> None:
    store = build_sqlite(tmp_path / "agent.sqlite", [talk(1)])

    pages = read(SqliteSource(store, "main"), cursor)

    assert texts(pages)[0] == "question 0"
    assert "read again" in pages[0].problems[0].what


def test_a_session_that_was_copied_into_the_one_that_goes_on_is_told(tmp_path: Path) -> None:
    old, other = talk(1), talk(1, "agent:main:other")
    new = FakeSession(session_id="the-one-that-goes-on")
    new.events += [event for event in old.events if event["type"] != "session"]
    store = build_sqlite(tmp_path / "agent.sqlite", [old, other, new])

    states = SqliteSource(store, "main").sessions()
    found = {state.session.session_id: state.is_passed_over for state in states}

    assert found == {old.session_id: True, other.session_id: False, new.session_id: False}


def test_a_session_of_which_only_the_end_was_copied_is_read(tmp_path: Path) -> None:
    old = talk(3)
    new = FakeSession(session_id="the-one-that-goes-on")
    new.events += old.events[-2:]
    store = build_sqlite(tmp_path / "agent.sqlite", [old, new])

    assert not any(state.is_passed_over for state in SqliteSource(store, "main").sessions())
