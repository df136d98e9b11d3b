"""Stamps: every change shows, nothing else does, and looking leaves no trace."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.stores import FakeSession, append_events, build_jsonl, build_sqlite, lines_of

from scrimshaw.sources.discover import StoreRef
from scrimshaw.sources.openclaw_sqlite import SqliteSource
from scrimshaw.sources.stamps import Stamp, look_at_names, look_at_root, look_at_store


def said(*texts: str) -> FakeSession:
    session = FakeSession()
    for text in texts:
        session.user(text)
    return session


def aged(path: Path, seconds: int = 60) -> None:
    """Make the files of a store as old as files are between two conversations: settled."""
    for file in path.parent.glob(f"{path.name}*"):
        at_ns = file.stat().st_mtime_ns - seconds * 1_000_000_000 + 7
        os.utime(file, ns=(at_ns, at_ns))


@pytest.fixture
def database(tmp_path: Path) -> StoreRef:
    path = build_sqlite(tmp_path / "agent" / "openclaw-agent.sqlite", [said("hello")])
    aged(path)
    return StoreRef("sqlite", path)


@pytest.fixture
def folder(tmp_path: Path) -> StoreRef:
    return StoreRef("jsonl", build_jsonl(tmp_path / "sessions", [said("hello")]))


@pytest.fixture
def host(database: StoreRef) -> Iterator[sqlite3.Connection]:
    """The host's own connection, kept open as a running gateway does."""
    with closing(sqlite3.connect(database.path, isolation_level=None)) as connection:
        connection.execute("insert into schema_meta (meta_key) values ('started')")
        aged(database.path)
        yield connection


def test_a_store_that_rests_keeps_its_stamp(database: StoreRef, folder: StoreRef) -> None:
    for store in (database, folder):
        first = look_at_store(store)

        assert not look_at_store(store).differs(first)
        assert first.is_settled
        assert first.problem == ""


def test_what_was_never_looked_at_counts_as_changed(folder: StoreRef) -> None:
    assert look_at_store(folder).differs(None)


def test_a_commit_shows_while_the_host_runs(database: StoreRef, host: sqlite3.Connection) -> None:
    before = look_at_store(database)
    host.execute("insert into schema_meta (meta_key) values ('one more')")

    assert look_at_store(database).differs(before)


def test_a_commit_shows_that_overwrites_the_log_in_place(
    database: StoreRef, host: sqlite3.Connection
) -> None:
    # After a checkpoint the log is written from its start again: its size says nothing.
    log = database.path.with_name(database.path.name + "-wal")
    host.execute("pragma wal_checkpoint(passive)")
    aged(database.path)
    before, size = look_at_store(database), log.stat().st_size
    host.execute("insert into schema_meta (meta_key) values ('short')")

    assert log.stat().st_size == size
    assert look_at_store(database).differs(before)


def test_every_one_of_many_commits_shows_however_fast_they_come(
    database: StoreRef, host: sqlite3.Connection
) -> None:
    # The file system's clock may tick more slowly than this loop: what it cannot tell is not settled. The log
    # is written from its start each time, so that its size does not tell either.
    host.execute("pragma synchronous = off")
    unseen = []
    for number in range(100):
        host.execute("pragma wal_checkpoint(passive)")
        before = look_at_store(database)
        host.execute("update schema_meta set app_version = ?", (f"v{number}",))
        if not look_at_store(database).differs(before):
            unseen.append(number)

    assert unseen == []


def test_a_fresh_change_counts_once_more_and_then_rests(
    database: StoreRef, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed_ns = database.path.stat().st_mtime_ns
    monkeypatch.setattr("scrimshaw.sources.stamps.time.time_ns", lambda: changed_ns + 9 * 10**9)
    fresh = look_at_store(database)
    monkeypatch.setattr("scrimshaw.sources.stamps.time.time_ns", lambda: changed_ns + 11 * 10**9)
    later = look_at_store(database)

    assert later.differs(fresh)
    assert not look_at_store(database).differs(later)


def test_a_time_from_the_future_is_settled(database: StoreRef) -> None:
    tomorrow = time.time_ns() + 86_400 * 10**9
    os.utime(database.path, ns=(tomorrow, tomorrow))

    assert look_at_store(database).is_settled


def test_a_store_whose_host_stops_or_starts_changes(database: StoreRef) -> None:
    quiet = look_at_store(database)
    with closing(sqlite3.connect(database.path, isolation_level=None)) as host:
        host.execute("insert into schema_meta (meta_key) values ('started')")
        running = look_at_store(database)

    assert running.differs(quiet)
    assert look_at_store(database).differs(running)


def test_a_replaced_store_shows(database: StoreRef, tmp_path: Path) -> None:
    before = look_at_store(database)
    status = database.path.stat()
    twin = tmp_path / "twin.sqlite"
    twin.write_bytes(database.path.read_bytes())
    os.utime(twin, ns=(status.st_mtime_ns, status.st_mtime_ns))
    twin.replace(database.path)

    assert look_at_store(database).differs(before)


def test_looking_creates_nothing_beside_a_quiet_store(database: StoreRef) -> None:
    look_at_store(database)

    assert [path.name for path in database.path.parent.iterdir()] == [database.path.name]


def test_looking_keeps_no_host_from_ending_tidily(database: StoreRef) -> None:
    with closing(sqlite3.connect(database.path, isolation_level=None)) as host:
        host.execute("insert into schema_meta (meta_key) values ('said')")
        look_at_store(database)

    assert [path.name for path in database.path.parent.iterdir()] == [database.path.name]


def test_an_open_reader_does_keep_it_so_none_is_held(database: StoreRef) -> None:
    # The control: this is what a connection that is kept for PRAGMA data_version does to the host.
    host = sqlite3.connect(database.path, isolation_level=None)
    host.execute("insert into schema_meta (meta_key) values ('said')")
    with closing(sqlite3.connect(f"file:{database.path}?mode=ro", uri=True)) as reader:
        reader.execute("pragma data_version").fetchone()
        host.close()

    assert database.path.with_name(database.path.name + "-wal").stat().st_size > 0


def test_reading_a_store_is_no_change(database: StoreRef, host: sqlite3.Connection) -> None:
    before = look_at_store(database)
    source = SqliteSource(database.path, "main")
    [state] = source.sessions()
    pages = list(source.pages(state, None))
    source.close()

    assert pages
    assert not look_at_store(database).differs(before)


def test_a_missing_store_has_a_stamp_and_its_coming_shows(tmp_path: Path) -> None:
    for store in (StoreRef("sqlite", tmp_path / "none.sqlite"), StoreRef("jsonl", tmp_path / "none")):
        missing = look_at_store(store)

        assert missing.problem == ""
        assert not look_at_store(store).differs(missing)
    build_sqlite(tmp_path / "none.sqlite", [said("hello")])
    (tmp_path / "none").mkdir()

    assert look_at_store(StoreRef("sqlite", tmp_path / "none.sqlite")).differs(missing)
    assert look_at_store(StoreRef("jsonl", tmp_path / "none")).differs(missing)


def test_what_cannot_be_looked_at_is_told_and_raises_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")

    for stamp in (
        look_at_store(StoreRef("sqlite", tmp_path / "file" / "agent.sqlite")),
        look_at_store(StoreRef("jsonl", tmp_path / "file")),
        look_at_root(tmp_path / "file"),
        look_at_names(tmp_path / "file" / "below"),
    ):
        assert "cannot be looked at" in stamp.problem


def _append(folder: Path) -> None:
    [file] = folder.glob("*.jsonl")
    with file.open("ab") as transcript:
        transcript.write(b"{}\n")


def _rewrite_in_place(folder: Path) -> None:
    [file] = folder.glob("*.jsonl")
    content = file.read_bytes()
    file.write_bytes(b"")
    file.write_bytes(content[:-1])


def _reset(folder: Path) -> None:
    [file] = folder.glob("*.jsonl")
    file.rename(file.with_name(f"{file.name}.reset.2026-11-20T12-00-00.000Z"))


def _delete(folder: Path) -> None:
    [file] = folder.glob("*.jsonl")
    file.rename(file.with_name(f"{file.name}.deleted.2026-11-20T12-00-00.000Z"))


def _add(folder: Path) -> None:
    (folder / "another.jsonl").write_bytes(lines_of(said("hi").events))


def _rename_keys(folder: Path) -> None:
    (folder / "sessions.tmp").write_text('{"agent:main:other": {}}')
    (folder / "sessions.tmp").replace(folder / "sessions.json")


@pytest.mark.parametrize("act", [_append, _rewrite_in_place, _reset, _delete, _add, _rename_keys])
def test_whatever_the_host_does_to_a_transcript_shows(folder: StoreRef, act: object) -> None:
    before = look_at_store(folder)
    act(folder.path)  # type: ignore[operator]  # a function that takes the folder

    assert look_at_store(folder).differs(before)


@pytest.mark.parametrize(
    "name", ["s.trajectory.jsonl", "s.jsonl.lock", "s.jsonl.tmp", "x.checkpoint.1.jsonl"]
)
def test_what_is_no_transcript_does_not_show(folder: StoreRef, name: str) -> None:
    before = look_at_store(folder)
    (folder.path / name).write_text("{}")

    assert not look_at_store(folder).differs(before)


def test_a_root_shows_what_discovery_would_find_and_nothing_else(tmp_path: Path) -> None:
    agents = tmp_path / "agents"
    found: list[Stamp] = [look_at_root(agents)]
    (agents / "main").mkdir(parents=True)
    found.append(look_at_root(agents))
    build_jsonl(agents / "main" / "sessions", [said("hello")])
    found.append(look_at_root(agents))
    database = build_sqlite(agents / "main" / "agent" / "openclaw-agent.sqlite", [said("hello")])
    found.append(look_at_root(agents))
    with closing(sqlite3.connect(database)) as host, host:
        append_events(host, said("hello", "again"), 3)

    assert len({stamp.sight for stamp in found}) == len(found)
    assert not look_at_root(agents).differs(found[-1])


def test_a_configuration_written_in_place_shows_in_its_root(tmp_path: Path) -> None:
    (tmp_path / "openclaw.json").write_text("{}")
    before = look_at_root(tmp_path)
    (tmp_path / "openclaw.json").write_text('{"agents": {}}')
    after = look_at_root(tmp_path)
    (tmp_path / "gateway.log").write_text("noise")

    assert after.differs(before)
    assert not look_at_root(tmp_path).differs(after)
