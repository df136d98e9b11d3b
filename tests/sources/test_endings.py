"""Whether a conversation ended in what is unread: seen in either store, cheaply, and never missed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.stores import MAIN_KEY, FakeSession, append_events, build_jsonl, build_sqlite, lines_of

from scrimshaw.sources.openclaw_jsonl import JsonlSource
from scrimshaw.sources.openclaw_sqlite import SqliteSource
from scrimshaw.sources.reading import SessionState, Source

KINDS = ("sqlite", "jsonl")
SUMMARY = "what was said, in short; " * 100  # long enough to be compressed


class Store:
    """One store of one kind, written to as its host would."""

    def __init__(self, kind: str, root: Path, session: FakeSession) -> None:
        self.kind, self.session = kind, session
        self.path = root / ("sessions" if kind == "jsonl" else "agent.sqlite")
        self.written = len(session.events)
        if kind == "jsonl":
            build_jsonl(self.path, [session])
        else:
            build_sqlite(self.path, [session])

    @property
    def file(self) -> Path:
        return self.path / f"{self.session.session_id}.jsonl"

    def save(self) -> None:
        if self.kind == "jsonl":
            with self.file.open("ab") as file:
                file.write(lines_of(self.session.events[self.written :]))
        else:
            self.execute(lambda host: append_events(host, self.session, self.written))
        self.written = len(self.session.events)

    def execute(self, act: Callable[[sqlite3.Connection], object]) -> None:
        with closing(sqlite3.connect(self.path)) as host, host:
            act(host)

    def source(self) -> Source:
        return JsonlSource(self.path, "main") if self.kind == "jsonl" else SqliteSource(self.path, "main")

    def read(self, cursor: str | None = None) -> str:
        """Read all of it; return the cursor behind it."""
        source = self.source()
        return [page.cursor for page in source.pages(self.state(source), cursor)][-1]

    def has_ended(self, cursor: str | None) -> bool:
        source = self.source()
        return source.has_ended(self.state(source), cursor)

    def goes_on(self) -> bool:
        source = self.source()
        return source.goes_on(self.state(source))

    def state(self, source: Source) -> SessionState:
        [found] = [s for s in source.sessions() if s.session.session_id == self.session.session_id]
        return found


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    session = FakeSession()
    session.user("hello")
    session.assistant("hi")
    return Store(request.param, tmp_path, session)


def reset(session: FakeSession) -> None:
    session.add("reset", reason="new")


def compact(session: FakeSession) -> None:
    session.add("compaction", summary=SUMMARY, tokensBefore=24_576)


def test_a_conversation_that_goes_on_has_not_ended(store: Store) -> None:
    cursor = store.read()
    store.session.user("one more")
    store.save()

    assert store.has_ended(None) is False
    assert store.has_ended(cursor) is False


@pytest.mark.parametrize("end", [reset, compact])
def test_an_unread_mark_is_an_end_and_a_read_one_is_none(
    store: Store, end: Callable[[FakeSession], None]
) -> None:
    before = store.read()
    end(store.session)
    store.save()
    behind = store.read(before)

    assert store.has_ended(None) is True
    assert store.has_ended(before) is True
    assert store.has_ended(behind) is False
    store.session.user("a new conversation in the same session")
    store.save()
    assert store.has_ended(behind) is False


@pytest.mark.parametrize("end", [reset, compact])
def test_a_session_goes_on_once_something_is_said_behind_its_end(
    store: Store, end: Callable[[FakeSession], None]
) -> None:
    found = [store.goes_on()]
    for act in (end, lambda session: session.add("model_change"), lambda session: session.user("hello")):
        act(store.session)
        store.save()
        found.append(store.goes_on())

    assert found == [True, False, False, True]


def test_talking_about_a_compaction_is_none(store: Store) -> None:
    cursor = store.read()
    store.session.user('the entry says {"type":"compaction"}, then {"type": "reset"}')
    store.save()

    assert store.has_ended(cursor) is False


def test_a_cursor_that_no_longer_holds_means_looking_from_the_start(store: Store) -> None:
    reset(store.session)
    store.session.user("hello again")
    store.save()
    cursor = store.read()
    if store.kind == "sqlite":
        store.execute(
            lambda host: host.execute("update transcript_rewrite_watermarks set generation = 'new'")
        )
    else:
        store.file.write_bytes(lines_of(store.session.events[:-1]))

    assert store.has_ended(cursor) is True
    assert store.has_ended("not a cursor") is True


def test_a_session_whose_key_went_on_elsewhere_has_ended_with_what_is_unread(store: Store) -> None:
    cursor = store.read()
    other = FakeSession(MAIN_KEY, session_id="another")
    other.user("hello from the next one")
    store.session.user("the last words here")
    store.save()
    if store.kind == "sqlite":
        store.execute(
            lambda host: host.execute(
                "update session_nodes set current_session_id = 'another' where session_key = ?", (MAIN_KEY,)
            )
        )
    else:
        build_jsonl(store.path, [other])
        (store.path / f"{store.session.session_id}.trajectory.jsonl").write_text(
            f'{{"sessionId":"{store.session.session_id}","sessionKey":"{MAIN_KEY}"}}\n'
        )

    assert store.has_ended(cursor) is True
    assert store.has_ended(store.read(cursor)) is False


def test_a_file_that_a_reset_renamed_has_ended_until_it_is_read(tmp_path: Path) -> None:
    session = FakeSession()
    session.user("hello")
    store = Store("jsonl", tmp_path, session)
    cursor = store.read()
    session.user("the last words")
    store.save()
    store.file.rename(f"{store.file}.reset.2026-11-20T12-00-00.000Z")

    assert store.has_ended(cursor) is True
    assert store.has_ended(store.read(cursor)) is False


def test_the_same_bytes_in_another_file_are_not_unread(tmp_path: Path) -> None:
    session = FakeSession()
    reset(session)
    store = Store("jsonl", tmp_path, session)
    cursor = store.read()
    twin = store.file.with_suffix(".copy")
    twin.write_bytes(store.file.read_bytes())
    twin.replace(store.file)

    assert store.has_ended(cursor) is False


def test_more_than_can_be_looked_at_counts_as_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrimshaw.sources.jsonl_folder.MAX_LOOK_BYTES", 2000)
    session = FakeSession()
    session.user("x" * 3000)

    assert Store("jsonl", tmp_path, session).has_ended(None) is True


@pytest.mark.parametrize("rows_at_once", [1000, 1])
def test_an_old_store_without_a_table_of_types_is_looked_at_row_by_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows_at_once: int
) -> None:
    monkeypatch.setattr("scrimshaw.sources.sqlite_tables.MAX_PAGE_ROWS", rows_at_once)
    found = []
    for name, end in (("goes-on", None), ("ends", compact)):
        session = FakeSession(session_id=name)
        store = Store("sqlite", tmp_path / name, session)
        cursor = store.read()
        session.user("one more")
        session.user("and another")
        if end:
            end(session)
        store.save()
        store.execute(lambda host: host.execute("drop table transcript_event_identities"))
        found.append(store.has_ended(cursor))

    # What is beyond the rows that are looked at counts as an end.
    assert [rows_at_once == 1, True] == found


def test_nothing_is_read_when_nothing_is_unread(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    reset(store.session)
    store.save()
    cursor = store.read()
    source = store.source()
    state = store.state(source)

    def refuse(*args: object, **named: object) -> None:
        raise AssertionError("looked")

    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr("scrimshaw.sources.sqlite_store.Store.read", refuse)

    assert source.has_ended(state, cursor) is False


def test_the_ends_in_the_samples_are_seen(samples_folder: Path) -> None:
    ended = {}
    for name, source in (
        ("sqlite", SqliteSource(samples_folder / "dev-sqlite" / "openclaw-agent.sqlite", "main")),
        ("jsonl", JsonlSource(samples_folder / "dev-jsonl" / "sessions", "main")),
    ):
        for state in source.sessions():
            last = [page.cursor for page in source.pages(state, None)][-1]
            if source.has_ended(state, None):
                ended.setdefault(name, set()).add(state.session.session_key)
            assert source.has_ended(state, last) is False
        source.close()

    assert "agent:main:main" in ended["sqlite"]  # a compaction, and a reset later
    assert "agent:main:telegram:group:-1002233441" not in ended["sqlite"]
    assert "agent:main:main" in ended["jsonl"]  # its file was renamed by a reset
