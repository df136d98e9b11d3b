"""The JSONL source: growing, torn, rewritten and renamed files, and folders full of other things."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.stores import MAIN_KEY, FakeSession, build_jsonl, build_sqlite, lines_of

from scrimshaw.core.types import SessionKind
from scrimshaw.errors import UserError
from scrimshaw.sources.openclaw_jsonl import JsonlSource
from scrimshaw.sources.openclaw_sqlite import SqliteSource
from scrimshaw.sources.reading import Page, SessionState, Source, Unopened

_KEYS = (
    "type", "message", "role", "content", "id", "parentId", "timestamp", "text", "user", "targetId",
    "details", "provenance", "arguments", "toolCall", "leaf",
)  # fmt: skip


def talk(turns: int = 3, key: str = MAIN_KEY) -> FakeSession:
    session = FakeSession(key)
    for turn in range(turns):
        session.user(f"question {turn}")
        session.tool("exec", {"command": f"step {turn}"}, f"result {turn}")
        session.assistant(f"answer {turn}")
    return session


def folder_of(tmp_path: Path, *sessions: FakeSession) -> Path:
    return build_jsonl(tmp_path / "sessions", sessions)


def file_of(folder: Path, session: FakeSession) -> Path:
    return folder / f"{session.session_id}.jsonl"


def state_of(source: Source, session: FakeSession) -> SessionState:
    [state] = [state for state in source.sessions() if state.session.session_id == session.session_id]
    return state


def read(folder: Path, session: FakeSession, cursor: str | None = None) -> list[Page]:
    source = JsonlSource(folder, "main")
    return list(source.pages(state_of(source, session), cursor))


def texts(pages: list[Page]) -> list[str]:
    return [entry.text for page in pages for entry in page.entries if entry.text]


def rows_of(pages: list[Page]) -> int:
    return sum(len(page.entries) + sum(page.skipped.values()) for page in pages)


def problems_of(pages: list[Page]) -> list[tuple[str, str]]:
    return [tuple(problem) for page in pages for problem in page.problems]


def test_every_line_is_accounted_for(tmp_path: Path) -> None:
    session = talk()

    pages = read(folder_of(tmp_path, session), session)

    assert len(session.events) == rows_of(pages)
    assert problems_of(pages) == []
    assert list(range(3, 15)) == [entry.position for page in pages for entry in page.entries]


def test_reading_goes_on_behind_the_last_line(tmp_path: Path) -> None:
    session = talk()
    folder = folder_of(tmp_path, session)
    cursor = read(folder, session)[-1].cursor
    session.user("one more")
    with file_of(folder, session).open("ab") as file:
        file.write(lines_of(session.events[-1:]))

    again = read(folder, session, cursor)

    assert texts(again) == ["one more"]
    assert [page.cursor for page in read(folder, session, again[-1].cursor)] == [again[-1].cursor]


def test_a_file_cut_below_the_cursor_is_unread_from_its_start(tmp_path: Path) -> None:
    session = talk()
    folder = folder_of(tmp_path, session)
    cursor = read(folder, session)[-1].cursor
    rest = lines_of(session.events[:4])
    file_of(folder, session).write_bytes(rest)
    source = JsonlSource(folder, "main")

    assert len(rest) == source.unread_bytes(state_of(source, session), cursor)


def test_each_cursor_of_a_reading_leads_to_exactly_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scrimshaw.sources.openclaw_jsonl.CHUNK_BYTES", 700)
    monkeypatch.setattr("scrimshaw.sources.openclaw_jsonl.PAGE_BYTES", 1)
    session = talk(10)
    folder = folder_of(tmp_path, session)
    pages = read(folder, session)

    assert len(pages) > 5
    assert len(session.events) == rows_of(pages)
    for at, page in enumerate(pages, 1):
        assert texts(pages[at:]) == texts(read(folder, session, page.cursor))


def test_a_torn_last_line_is_left_for_the_next_time(tmp_path: Path) -> None:
    session = talk(1)
    folder = folder_of(tmp_path, session)
    session.user("torn at first")
    line = lines_of(session.events[-1:])
    with file_of(folder, session).open("ab") as file:
        file.write(line[:40])
    first = read(folder, session)
    with file_of(folder, session).open("ab") as file:
        file.write(line[40:])

    second = read(folder, session, first[-1].cursor)

    assert texts(first)[-1] == "answer 0"
    assert texts(second) == ["torn at first"]
    assert problems_of(first + second) == []


def test_a_file_truncated_and_rewritten_alike_goes_on_where_it_was(tmp_path: Path) -> None:
    session = talk()
    folder = folder_of(tmp_path, session)
    path = file_of(folder, session)
    cursor = read(folder, session)[-1].cursor
    content = path.read_bytes()
    path.write_bytes(b"")
    assert texts(read(folder, session, cursor)) == []
    session.user("after the rewrite")
    path.write_bytes(content + lines_of(session.events[-1:]))

    again = read(folder, session, cursor)

    assert texts(again) == ["after the rewrite"]
    assert problems_of(again) == []


@pytest.mark.parametrize("turns", [2, 3, 9])
def test_a_file_rewritten_otherwise_is_read_again_and_that_is_said(tmp_path: Path, turns: int) -> None:
    session = talk()
    folder = folder_of(tmp_path, session)
    cursor = read(folder, session)[-1].cursor
    other = FakeSession()
    for turn in range(turns):
        other.user(f"another question {turn}")
    file_of(folder, session).write_bytes(lines_of(other.events))

    again = read(folder, session, cursor)

    assert turns == len(texts(again))
    assert "rewritten" in problems_of(again)[0][1]


def test_a_reset_file_keeps_its_key_its_cursor_and_its_place_before_the_new_one(tmp_path: Path) -> None:
    session = talk(1)
    folder = folder_of(tmp_path, session)
    path = file_of(folder, session)
    source = JsonlSource(folder, "main")
    cursor = list(source.pages(state_of(source, session), None))[-1].cursor
    remembered = {one.session.session_id: one.session.session_key for one in source.sessions()}
    session.user("last words before the reset")
    path.write_bytes(lines_of(session.events))
    path.rename(f"{path}.reset.2026-11-16T20-05-14.169Z")
    (folder / "sessions.json").write_bytes(b"{}")
    after = FakeSession(session_id=session.session_id)
    after.user("first words after it")
    path.write_bytes(lines_of(after.events))

    source = JsonlSource(folder, "main", known_keys=remembered)
    state = state_of(source, session)
    pages = list(source.pages(state, cursor))

    assert (state.session.session_key, state.session.kind) == (MAIN_KEY, SessionKind.DIRECT)
    assert texts(pages) == ["last words before the reset", "first words after it"]
    positions = [entry.position for page in pages for entry in page.entries]
    assert positions == sorted(set(positions))


def test_a_reset_file_without_a_key_is_left_out_and_that_is_said(tmp_path: Path) -> None:
    session = talk(5)
    folder = folder_of(tmp_path, session)
    (folder / "sessions.json").write_bytes(b"{}")
    source = JsonlSource(folder, "main")

    state = state_of(source, session)

    assert state.session.kind == SessionKind.UNKNOWN
    assert session.session_id in source.warnings()[0]


def test_the_trajectory_beside_it_names_a_transcripts_session(tmp_path: Path) -> None:
    session = talk(1)
    folder = folder_of(tmp_path, session)
    (folder / "sessions.json").unlink()
    trajectory = {"sessionId": session.session_id, "sessionKey": MAIN_KEY, "type": "session.started"}
    (folder / f"{session.session_id}.trajectory.jsonl").write_bytes(orjson.dumps(trajectory) + b"\n")
    source = JsonlSource(folder, "main")

    [state] = source.sessions()

    assert (state.session.session_key, state.session.kind) == (MAIN_KEY, SessionKind.DIRECT)


def test_a_deleted_session_is_listed_but_not_read(tmp_path: Path) -> None:
    session = talk(1)
    folder = folder_of(tmp_path, session)
    path = file_of(folder, session)
    path.rename(f"{path}.deleted.2026-11-16T20-05-14.169Z")
    source = JsonlSource(folder, "main")

    assert source.sessions() == []
    assert {session.session_id} == source.deleted_sessions()


def test_what_is_no_transcript_is_ignored(tmp_path: Path) -> None:
    session = talk(1)
    folder = folder_of(tmp_path, session)
    name = session.session_id
    for other in (
        f"{name}.trajectory-path.json",
        f"{name}.jsonl.lock",
        f"{name}.jsonl.tmp",
        f"{name}.checkpoint.11111111-1111-4111-8111-111111111111.jsonl",
        f"{name}.jsonl.bak.2026-11-16T20-05-14.169Z",
        "sessions.json.bak.1",
        "notes.txt",
    ):
        (folder / other).write_bytes(lines_of(session.events))
    topic = FakeSession("agent:main:telegram:group:-1:topic:4", session_id="topic-session")
    topic.user("hello")
    (folder / "topic-session-topic-4.jsonl").write_bytes(lines_of(topic.events))

    found = {state.session.session_id for state in JsonlSource(folder, "main").sessions()}

    assert {name, "topic-session"} == found


def test_sessions_are_told_apart_by_what_sessions_json_says(tmp_path: Path) -> None:
    sessions = [
        talk(1),
        talk(1, "agent:main:telegram:group:-1"),
        talk(1, "agent:main:cron:1"),
        talk(1, "agent:main:subagent:1"),
        FakeSession("agent:main:odd", chat_type="group"),
    ]
    source = JsonlSource(folder_of(tmp_path, *sessions), "main")

    kinds = {state.session.session_id: state.session.kind for state in source.sessions()}

    expected = [
        SessionKind.DIRECT,
        SessionKind.GROUP,
        SessionKind.CRON,
        SessionKind.SUBAGENT,
        SessionKind.GROUP,
    ]
    assert expected == [kinds[session.session_id] for session in sessions]


def test_a_group_stays_a_group_when_only_its_remembered_key_is_left(tmp_path: Path) -> None:
    session = FakeSession("agent:main:odd", chat_type="group")
    session.user("hi")
    folder = folder_of(tmp_path, session)
    source = JsonlSource(folder, "main")
    known = {one.session.session_id: one.session.session_key for one in source.sessions()}
    (folder / "sessions.json").unlink()

    [state] = JsonlSource(folder, "main", known_keys=known).sessions()

    assert state.session.kind == SessionKind.GROUP


def test_bad_lines_are_named_with_their_place_and_the_others_read(tmp_path: Path) -> None:
    session = talk(1)
    folder = folder_of(tmp_path, session)
    path = file_of(folder, session)
    with path.open("ab") as file:
        file.write(b'{"type": "mess\n\xff\xfe\n[1, 2]\n\0\0\0\0\n\n' + b"{" * 5000 + b"\n")
        session.user("the last one")
        file.write(lines_of(session.events[-1:]))

    pages = read(folder, session)

    first = len(session.events)
    assert [f"{path.name}:{first + n}" for n in (0, 1, 2, 3, 5)] == [place for place, _ in problems_of(pages)]
    assert pages[0].skipped["malformed"] == 5
    assert texts(pages)[-1] == "the last one"


def test_invalid_characters_are_replaced_and_named(tmp_path: Path) -> None:
    session = FakeSession()
    session.user("caf\u00e9")
    session.user("half HALF pair")
    session.user("nul\0 inside")
    folder = folder_of(tmp_path, session)
    path = file_of(folder, session)
    content = path.read_bytes().replace("\u00e9".encode(), b"\xff").replace(b"HALF", b"\\ud83d")
    path.write_bytes(content)

    pages = read(folder, session)

    assert [text.replace("half \ufffd", "half ?") for text in texts(pages)] == [
        "caf\ufffd",
        "half ? pair",
        "nul inside",
    ]
    assert [f"{path.name}:3", f"{path.name}:4"] == [place for place, _ in problems_of(pages)]


def test_fields_of_other_types_do_not_stop_the_reading(tmp_path: Path) -> None:
    session = FakeSession()
    session.message("user", None)
    session.message(
        "assistant", [None, 7, {"type": "text", "text": 5}, {"type": "toolCall", "arguments": [1]}]
    )
    session.message("toolResult", "plain", toolCallId=7, details="none", isError="no")
    session.add("message", message="text")
    session.events.append({"type": 7, "id": None, "parentId": 3})
    session.user("fine")

    pages = read(folder_of(tmp_path, session), session)

    assert texts(pages) == ["plain", "fine"]
    assert len(session.events) == rows_of(pages)


def test_a_line_too_long_to_hold_is_passed_by_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scrimshaw.sources.openclaw_jsonl.MAX_EVENT_BYTES", 5000)
    monkeypatch.setattr("scrimshaw.sources.openclaw_jsonl.CHUNK_BYTES", 1000)
    session = FakeSession()
    session.user("before")
    session.user("x" * 20_000)
    session.user("after")
    folder = folder_of(tmp_path, session)

    pages = read(folder, session)

    assert texts(pages) == ["before", "after"]
    assert [f"{session.session_id}.jsonl:4"] == [place for place, _ in problems_of(pages)]
    assert len(session.events) == rows_of(pages)


_parts = st.one_of(
    st.binary(max_size=60),
    st.sampled_from([b"\n", b"\r\n", b" ", b"\0", b"{}\n", b'{"type":"message","id":"a","parentId":"b"}\n']),
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=8),
        lambda inner: (
            st.dictionaries(st.sampled_from(_KEYS), inner, max_size=5) | st.lists(inner, max_size=3)
        ),
    ).map(lambda value: orjson.dumps(value) + b"\n"),
)


@given(st.lists(_parts, max_size=20))
def test_whatever_a_file_holds_it_is_read_to_its_end_and_each_line_counted_once(parts: list[bytes]) -> None:
    content = b"".join(parts)
    whole = content[: content.rfind(b"\n") + 1]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "s.jsonl").write_bytes(content)
        source = JsonlSource(folder, "main")
        [state] = source.sessions()

        pages = list(source.pages(state, None))

        kept = sum(page.skipped.get("abandoned-branch", 0) for page in pages)
        counted = sum(1 for line in whole.split(b"\n") if line.strip(b" \t\r\n\v\f"))
        assert counted <= rows_of(pages) <= counted + kept
        assert rows_of(list(source.pages(state, pages[-1].cursor))) == 0


def test_an_empty_file_and_one_with_a_header_only_hold_nothing(tmp_path: Path) -> None:
    empty, header = FakeSession("agent:main:a"), FakeSession("agent:main:b")
    folder = folder_of(tmp_path, empty, header)
    file_of(folder, empty).write_bytes(b"")
    file_of(folder, header).write_bytes(lines_of(header.events[:1]))
    (folder / "sessions.json").unlink()
    source = JsonlSource(folder, "main")

    entries = [
        entry for state in source.sessions() for page in source.pages(state, None) for entry in page.entries
    ]

    assert entries == []
    assert source.warnings() == []


def test_a_missing_folder_holds_nothing_and_says_so(tmp_path: Path) -> None:
    source = JsonlSource(tmp_path / "sessions", "main")

    assert source.sessions() == []
    assert "not there" in source.warnings()[0]


def test_a_folder_that_is_a_file_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "sessions").touch()

    with pytest.raises(UserError, match="cannot be listed"):
        JsonlSource(tmp_path / "sessions", "main").sessions()


def test_a_broken_sessions_json_leaves_out_and_says_so(tmp_path: Path) -> None:
    session = talk(5)
    folder = folder_of(tmp_path, session)
    (folder / "sessions.json").write_bytes(b'{"agent:main:ma')
    source = JsonlSource(folder, "main")

    [state] = source.sessions()

    assert state.session.kind == SessionKind.UNKNOWN
    assert "sessions.json" in source.warnings()[0]


def test_an_abandoned_branch_is_left_out_however_far_back_it_forks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scrimshaw.sources.openclaw_jsonl.CHUNK_BYTES", 500)
    session = FakeSession()
    kept = session.user("kept")
    for turn in range(30):
        session.user(f"regretted {turn}")
    session.assistant("Why not.")
    session.leaf = kept
    session.user("said instead")

    pages = read(folder_of(tmp_path, session), session)

    assert texts(pages) == ["kept", "said instead"]
    assert sum(page.skipped.get("abandoned-branch", 0) for page in pages) == 31
    assert len(session.events) == rows_of(pages)


def test_going_back_to_an_older_branch_reads_what_was_left_out_before(tmp_path: Path) -> None:
    session = FakeSession()
    fork = session.user("fork")
    session.user("first way")
    first = session.assistant("the first, then")
    session.leaf = fork
    session.user("second way")
    folder = folder_of(tmp_path, session)
    cursor = read(folder, session)[-1].cursor
    session.leaf = first
    session.user("on the first way again")
    with file_of(folder, session).open("ab") as file:
        file.write(lines_of(session.events[-1:]))

    assert texts(read(folder, session, cursor)) == [
        "fork",
        "first way",
        "the first, then",
        "on the first way again",
    ]


@pytest.mark.parametrize("with_leaf", [True, False])
def test_a_message_that_an_interruption_puts_aside_is_read_whenever_one_looks(
    tmp_path: Path, with_leaf: bool
) -> None:
    session = FakeSession()
    session.user("kept")
    session.user("put aside")
    folder = folder_of(tmp_path, session)
    before = read(folder, session)
    seen = len(session.events)
    session.interrupt(with_leaf=with_leaf)
    session.user("and now?")
    with file_of(folder, session).open("ab") as file:
        file.write(lines_of(session.events[seen:]))

    after = read(folder, session, before[-1].cursor)

    assert texts(before) == ["kept", "put aside"]
    assert texts(after) == texts(read(folder, session)) == ["kept", "put aside", "and now?"]
    assert [problem for page in after for problem in page.problems] == []


def test_a_branch_is_told_from_links_in_any_order_of_fields(tmp_path: Path) -> None:
    session = FakeSession()
    session.user("one")
    session.add("custom", customType="x", data={"id": "n", "parentId": "other"})
    session.user("two")
    folder = folder_of(tmp_path, session)
    lines = []
    for event in session.events:
        tail = {key: event[key] for key in ("id", "parentId", "timestamp") if key in event}
        lines.append({key: value for key, value in event.items() if key not in tail} | tail)
    file_of(folder, session).write_bytes(lines_of(lines))

    assert texts(read(folder, session)) == ["one", "two"]


def test_the_turn_is_remembered_between_two_readings(tmp_path: Path) -> None:
    session = FakeSession()
    session.user("[OpenClaw heartbeat poll]")
    folder = folder_of(tmp_path, session)
    cursor = read(folder, session)[-1].cursor
    session.assistant("The backup is late.")
    file_of(folder, session).write_bytes(lines_of(session.events))

    assert texts(read(folder, session, cursor)) == []


def test_a_session_moved_from_jsonl_to_sqlite_keeps_its_keys(tmp_path: Path) -> None:
    session = talk()
    store = SqliteSource(build_sqlite(tmp_path / "agent.sqlite", [session]), "main")
    moved = [
        (entry.session_id, entry.entry_id)
        for state in store.sessions()
        for page in store.pages(state, None)
        for entry in page.entries
    ]

    pages = read(folder_of(tmp_path, session), session)

    assert moved == [(entry.session_id, entry.entry_id) for page in pages for entry in page.entries]


def test_a_file_that_went_since_it_was_listed_ends_quietly(tmp_path: Path) -> None:
    session = talk(1)
    folder = folder_of(tmp_path, session)
    source = JsonlSource(folder, "main")
    state = state_of(source, session)
    file_of(folder, session).unlink()

    assert list(source.pages(state, None)) == []


def test_a_file_that_cannot_be_opened_is_told_and_waits(tmp_path: Path) -> None:
    session = talk(1)
    folder = folder_of(tmp_path, session)
    source = JsonlSource(folder, "main")
    state = state_of(source, session)
    file_of(folder, session).unlink()
    file_of(folder, session).mkdir()

    with pytest.raises(Unopened, match="cannot be opened"):
        list(source.pages(state, None))


def test_a_position_changes_when_a_file_grows_and_only_then(tmp_path: Path) -> None:
    session = talk(1)
    folder = folder_of(tmp_path, session)
    source = JsonlSource(folder, "main")
    before = source.sessions()[0].position
    assert before == source.sessions()[0].position
    with file_of(folder, session).open("ab") as file:
        file.write(b"{}\n")

    assert before != source.sessions()[0].position


def test_the_newest_event_is_told_by_its_own_time(tmp_path: Path) -> None:
    session = talk(1)
    folder = folder_of(tmp_path, session)
    os.utime(file_of(folder, session), (0, 0))

    [state] = JsonlSource(folder, "main").sessions()

    assert session.at_ms == state.newest_at_ms


def test_memory_stays_bounded_whatever_the_size(tmp_path: Path) -> None:
    session = talk(1)
    folder = folder_of(tmp_path, session)
    line = lines_of(session.events[-1:])
    with file_of(folder, session).open("ab") as file:
        for _ in range(200):
            file.write(line * 50)
    source = JsonlSource(folder, "main")
    largest = max(page.read_bytes for page in source.pages(state_of(source, session), None))

    assert largest < 2 << 20


def test_a_file_of_the_same_session_that_appears_or_grows_before_the_cursor_is_read(tmp_path: Path) -> None:
    session = talk(1)
    folder = folder_of(tmp_path, session)
    cursor = read(folder, session)[-1].cursor
    beside = FakeSession(session_id=session.session_id)
    path = folder / f"{session.session_id}-topic-7.jsonl"
    for word in ("appeared", "grown"):
        beside.user(word)
        path.write_bytes(lines_of(beside.events))

        pages = read(folder, session, cursor)

        assert word in texts(pages)
        cursor = pages[-1].cursor
