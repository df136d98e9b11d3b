"""Watching real files: hints come soon, stamps decide, and losing every hint loses nothing."""

from __future__ import annotations

import errno
import logging
import os
import shutil
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import pytest
from tests.stores import FakeSession, append_events, build_jsonl, build_sqlite, lines_of
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver, EventEmitter

from scrimshaw.daemon.watching import MOST_UNHEARD, Watcher
from scrimshaw.sources.discover import StoreRef
from scrimshaw.sources.openclaw_jsonl import JsonlSource
from scrimshaw.sources.openclaw_sqlite import SqliteSource

WAIT_SECONDS = 10.0
T = TypeVar("T")


class Machine:
    """A state folder with two agents, one of each kind of store, and a watcher of both."""

    def __init__(self, root: Path, make_observer: Callable[[], BaseObserver]) -> None:
        self.state = root / "state"
        self.agents = self.state / "agents"
        self.old, self.new = root / "workspace-old", root / "workspace-new"
        self.rings = self.aged = 0
        self.bell = threading.Event()
        self.observers: list[BaseObserver] = []
        self._make_observer = make_observer
        self.watcher = Watcher(self.ring, make_observer=self.make_observer)
        self.build()

    @property
    def folder(self) -> Path:
        return self.agents / "old" / "sessions"

    @property
    def database(self) -> Path:
        return self.agents / "new" / "agent" / "openclaw-agent.sqlite"

    def ring(self) -> None:
        self.rings += 1
        self.bell.set()

    def make_observer(self) -> BaseObserver:
        observer = self._make_observer()
        self.observers.append(observer)
        return observer

    def build(self) -> None:
        session = FakeSession()
        session.user("hello")
        build_jsonl(self.folder, [session])
        build_sqlite(self.database, [session])
        self.age()
        (self.state / "openclaw.json").write_text("{}")

    def age(self) -> None:
        """Date the store back, differently each time: what was just written counts as changed twice."""
        self.aged += 1
        at_ns = 1_790_000_000_000_000_000 + self.aged
        for file in self.database.parent.iterdir():
            os.utime(file, ns=(at_ns, at_ns))

    def watch(self) -> Watcher:
        """Watch both, and take note of how things stand."""
        stores = {
            self.old: [StoreRef("jsonl", self.folder)],
            self.new: [StoreRef("sqlite", self.database)],
        }
        self.watcher.watch(stores, [self.state, self.agents])
        self.watcher.changed(is_full=True)
        self.watcher.is_discovery_due()
        return self.watcher

    def append(self) -> None:
        [file] = self.folder.glob("*.jsonl")
        with file.open("ab") as transcript:
            transcript.write(lines_of([{"type": "custom"}]))

    def commit(self) -> None:
        session = FakeSession()
        with closing(sqlite3.connect(self.database)) as host, host:
            [(seq,)] = host.execute("select max(seq) + 1 from transcript_events").fetchall()
            session.events += [dict(session.events[-1], id=f"e{at}") for at in range(2, seq + 1)]
            append_events(host, session, seq)
        self.age()

    def wait_for(self, ask: Callable[[], T]) -> T:
        """Ask after each hint until the answer is true; a hint that never comes fails the test."""
        until = time.monotonic() + WAIT_SECONDS
        while True:
            self.bell.clear()
            if answer := ask():
                return answer
            assert self.bell.wait(until - time.monotonic()), "no hint came"


class Silent(EventEmitter):
    """An emitter that lives and says nothing, as on a file system without events."""

    def queue_events(self, timeout: float) -> None:
        self.stopped_event.wait(timeout)


def silent_observer() -> BaseObserver:
    return BaseObserver(Silent)


def no_observer() -> BaseObserver:
    raise OSError(errno.EMFILE, "inotify instance limit reached")


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    machine = Machine(tmp_path, Observer)
    yield machine
    machine.watcher.close()


@pytest.fixture
def deaf_machine(tmp_path: Path) -> Iterator[Machine]:
    machine = Machine(tmp_path, silent_observer)
    yield machine
    machine.watcher.close()


def glance(watcher: Watcher) -> frozenset[Path]:
    return watcher.changed(is_full=False)


def test_what_is_watched_for_the_first_time_counts_as_changed(machine: Machine) -> None:
    stores = {machine.old: [StoreRef("jsonl", machine.folder)], machine.new: []}
    machine.watcher.watch(stores, [machine.state])

    assert frozenset({machine.old}) == glance(machine.watcher)
    assert machine.watcher.is_discovery_due()
    assert not machine.watcher.is_discovery_due()


def test_nothing_changed_is_nothing(machine: Machine) -> None:
    watcher = machine.watch()

    assert frozenset() == glance(watcher) == watcher.changed(is_full=True)
    assert not watcher.is_discovery_due(is_full=True)
    assert watcher.problems() == ()
    assert watcher.is_hearing


def test_an_appended_line_is_hinted_and_found(machine: Machine) -> None:
    watcher = machine.watch()
    machine.append()

    assert frozenset({machine.old}) == machine.wait_for(lambda: glance(watcher))
    assert frozenset() == glance(watcher)


def test_a_commit_is_hinted_and_found(machine: Machine) -> None:
    watcher = machine.watch()
    machine.commit()

    assert frozenset({machine.new}) == machine.wait_for(lambda: glance(watcher))


def test_a_new_agent_calls_for_discovery_when_it_comes_and_when_its_store_comes(machine: Machine) -> None:
    watcher = machine.watch()
    (machine.agents / "third").mkdir()
    assert machine.wait_for(watcher.is_discovery_due)
    build_sqlite(machine.agents / "third" / "agent" / "openclaw-agent.sqlite", [FakeSession()])
    assert machine.wait_for(watcher.is_discovery_due)
    build_jsonl(machine.agents / "third" / "sessions", [FakeSession()])

    assert machine.wait_for(watcher.is_discovery_due)


def test_a_configuration_written_in_place_calls_for_discovery(machine: Machine) -> None:
    watcher = machine.watch()
    (machine.state / "openclaw.json").write_text('{"agents": {"entries": {}}}')

    assert machine.wait_for(watcher.is_discovery_due)


def test_writing_in_a_workspace_below_the_state_folder_calls_for_nothing(machine: Machine) -> None:
    (machine.state / "workspace").mkdir()
    watcher = machine.watch()
    (machine.state / "workspace" / "MEMORY.md").write_text("noted")

    assert not watcher.is_discovery_due(is_full=True)


@pytest.mark.parametrize("is_host_running", [True, False])
def test_reading_gives_no_hint_and_no_change(machine: Machine, is_host_running: bool) -> None:
    with closing(sqlite3.connect(machine.database)) as host:
        if is_host_running:
            with host:
                host.execute("insert into schema_meta (meta_key) values ('started')")
            machine.age()
        watcher = machine.watch()
        for source in (SqliteSource(machine.database, "new"), JsonlSource(machine.folder, "old")):
            [state] = source.sessions()
            assert list(source.pages(state, None))
            source.close()
        (
            machine.agents / "later"
        ).mkdir()  # events of one watch come in order: an earlier one would ring first

        assert machine.bell.wait(WAIT_SECONDS)
        assert machine.rings == 1
        assert frozenset() == watcher.changed(is_full=True)


def test_watching_creates_nothing_beside_a_quiet_store(machine: Machine) -> None:
    machine.watch()
    machine.watcher.changed(is_full=True)

    assert [machine.database.name] == [path.name for path in machine.database.parent.iterdir()]


def test_a_migrated_store_is_found_and_its_workspace_stays_with_it(machine: Machine) -> None:
    watcher = machine.watch()
    moved = build_sqlite(machine.agents / "old" / "agent" / "openclaw-agent.sqlite", [FakeSession()])
    shutil.rmtree(machine.folder)
    assert machine.wait_for(watcher.is_discovery_due)
    stores = {machine.old: [StoreRef("sqlite", moved)], machine.new: [StoreRef("sqlite", machine.database)]}
    watcher.watch(stores, [machine.state, machine.agents])

    assert frozenset({machine.old}) == glance(watcher)


def test_a_replaced_store_is_found(machine: Machine) -> None:
    watcher = machine.watch()
    twin = machine.database.with_suffix(".twin")
    shutil.copy2(machine.database, twin)
    twin.replace(machine.database)

    assert frozenset({machine.new}) == glance(watcher)


def test_a_workspace_that_lost_a_store_counts_as_changed(machine: Machine) -> None:
    watcher = machine.watch()
    watcher.watch({machine.old: [], machine.new: [StoreRef("sqlite", machine.database)]}, [machine.agents])

    assert frozenset({machine.old}) == glance(watcher)
    assert frozenset() == glance(watcher)


def test_a_store_that_stays_keeps_its_stamp(machine: Machine) -> None:
    machine.watch()
    machine.append()
    watcher = machine.watcher
    watcher.watch({machine.old: [StoreRef("jsonl", machine.folder)]}, [machine.agents])

    assert frozenset({machine.old}) == watcher.changed(is_full=True)


def test_two_workspaces_of_one_store_both_change(machine: Machine) -> None:
    store = StoreRef("jsonl", machine.folder)
    machine.watcher.watch({machine.old: [store], machine.new: [store]}, [machine.agents])
    machine.watcher.changed(is_full=True)
    machine.append()

    assert frozenset({machine.old, machine.new}) == machine.watcher.changed(is_full=True)


@pytest.mark.parametrize("is_mended_between", [True, False])
def test_a_state_folder_that_vanished_and_came_back_is_watched_again(
    machine: Machine, is_mended_between: bool
) -> None:
    watcher = machine.watch()
    emitters = list(machine.observers[0].emitters)
    shutil.rmtree(machine.state)
    for emitter in emitters:
        emitter.join(WAIT_SECONDS)
    if is_mended_between:
        watcher.mend()
        assert frozenset({machine.old, machine.new}) == watcher.changed(is_full=True)
    machine.build()
    watcher.mend()

    assert frozenset({machine.old, machine.new}) == glance(watcher)
    assert watcher.is_discovery_due()
    machine.append()
    assert frozenset({machine.old}) == machine.wait_for(lambda: glance(watcher))


def test_a_state_folder_that_was_renamed_away_is_not_taken_for_the_new_one(machine: Machine) -> None:
    watcher = machine.watch()
    machine.state.rename(machine.state.with_name("aside"))
    machine.build()
    watcher.mend()
    glance(watcher)
    machine.append()

    assert frozenset({machine.old}) == machine.wait_for(lambda: glance(watcher))


def test_a_store_outside_of_the_state_folder_is_watched_too(machine: Machine, tmp_path: Path) -> None:
    folder = build_jsonl(tmp_path / "elsewhere", [FakeSession()])
    watcher = machine.watcher
    watcher.watch({machine.old: [StoreRef("jsonl", folder)]}, [machine.agents])
    watcher.changed(is_full=True)
    (folder / "one-more.jsonl").write_bytes(b"{}\n")

    assert frozenset({machine.old}) == machine.wait_for(lambda: glance(watcher))


def test_a_store_behind_a_link_is_watched_too(machine: Machine, tmp_path: Path) -> None:
    folder = build_jsonl(tmp_path / "elsewhere", [FakeSession()])
    (machine.agents / "linked").mkdir()
    link = machine.agents / "linked" / "sessions"
    link.symlink_to(folder)
    watcher = machine.watcher
    watcher.watch({machine.old: [StoreRef("jsonl", link)]}, [machine.agents])
    watcher.changed(is_full=True)
    (folder / "one-more.jsonl").write_bytes(b"{}\n")

    assert frozenset({machine.old}) == machine.wait_for(lambda: glance(watcher))


def test_two_names_of_one_folder_can_be_let_go_one_after_the_other(machine: Machine, tmp_path: Path) -> None:
    folder = build_jsonl(tmp_path / "elsewhere", [FakeSession()])
    link = tmp_path / "link"
    link.symlink_to(folder)
    watcher = machine.watcher
    watcher.watch({machine.old: [StoreRef("jsonl", folder), StoreRef("jsonl", link)]}, [])
    watcher.watch({machine.old: [StoreRef("jsonl", link)]}, [])
    watcher.mend()
    watcher.changed(is_full=True)
    (folder / "one-more.jsonl").write_bytes(b"{}\n")

    assert frozenset({machine.old}) == machine.wait_for(lambda: glance(watcher))


def test_a_dead_observer_is_replaced(machine: Machine) -> None:
    watcher = machine.watch()
    machine.observers[0].stop()
    machine.observers[0].join(WAIT_SECONDS)
    machine.append()  # nobody hears it
    watcher.mend()

    assert frozenset({machine.old}) == glance(watcher)
    assert len(machine.observers) == 2
    machine.append()
    assert frozenset({machine.old}) == machine.wait_for(lambda: glance(watcher))


def test_a_dead_emitter_is_replaced(machine: Machine) -> None:
    watcher = machine.watch()
    for emitter in list(machine.observers[0].emitters):
        emitter.stop()
        emitter.join(WAIT_SECONDS)
    watcher.mend()
    glance(watcher)
    machine.append()

    assert frozenset({machine.old}) == machine.wait_for(lambda: glance(watcher))
    assert len(machine.observers) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")
def test_after_an_overflow_of_the_kernels_queue_the_next_look_is_full(machine: Machine) -> None:
    from watchdog.observers.inotify_c import InotifyConstants, InotifyEvent

    watcher = machine.watch()
    overflow = InotifyEvent(-1, InotifyConstants.IN_Q_OVERFLOW, 0, b"")
    machine.observers[0]._inotify_fd.handle_event(overflow)  # type: ignore[attr-defined]  # as its thread does

    assert machine.bell.is_set()
    assert watcher.is_discovery_due() is False
    assert watcher._is_full_due  # what the next test shows the use of


def test_lost_events_make_the_next_look_full(deaf_machine: Machine) -> None:
    watcher = deaf_machine.watch()
    glance(watcher)
    deaf_machine.append()
    unheard = glance(watcher)
    logging.getLogger("watchdog.observers.inotify_c").warning("Inotify queue overflowed; events were lost")

    assert frozenset() == unheard
    assert frozenset({deaf_machine.old}) == glance(watcher)
    assert frozenset() == glance(watcher)


def test_a_look_that_does_not_poll_sees_what_was_hinted(machine: Machine) -> None:
    watcher = machine.watch()
    machine.commit()

    found = machine.wait_for(lambda: watcher.changed(is_full=False, polls=False))

    assert found == frozenset({machine.new})


def test_what_nothing_hinted_at_is_seen_by_the_next_look_that_polls(deaf_machine: Machine) -> None:
    watcher = deaf_machine.watch()
    deaf_machine.commit()

    assert watcher.changed(is_full=False, polls=False) == frozenset()
    assert watcher.changed(is_full=False, polls=True) == frozenset({deaf_machine.new})


def test_without_any_hint_full_looks_find_everything(deaf_machine: Machine) -> None:
    watcher = deaf_machine.watch()
    deaf_machine.append()
    deaf_machine.commit()
    (deaf_machine.agents / "third").mkdir()

    assert frozenset({deaf_machine.old, deaf_machine.new}) == watcher.changed(is_full=True)
    assert watcher.is_discovery_due()
    assert deaf_machine.rings == 0


def test_a_system_without_inotify_is_told_once_and_polled(tmp_path: Path) -> None:
    machine = Machine(tmp_path, no_observer)
    watcher = machine.watch()
    machine.append()
    machine.commit()
    told = watcher.problems()
    watcher.mend()

    assert ["max_user_instances" in text and "only later" in text for text in told] == [True]
    assert watcher.problems() == ()
    assert not watcher.is_hearing
    assert frozenset({machine.new}) == glance(watcher)
    assert frozenset({machine.old}) == watcher.changed(is_full=True)
    machine._make_observer = Observer
    watcher.mend()
    assert watcher.is_hearing
    watcher.close()


def test_a_limit_of_watches_is_told_with_what_to_raise(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object, **named: object) -> None:
        raise OSError(errno.ENOSPC, "inotify watch limit reached")

    monkeypatch.setattr(BaseObserver, "schedule", refuse)
    [told] = machine.watch().problems()

    assert "max_user_watches" in told


def test_a_folder_that_changes_unheard_gets_a_new_observer_and_then_is_told(deaf_machine: Machine) -> None:
    watcher = deaf_machine.watch()
    observers, told = [], []
    for _ in range(3):
        for _ in range(MOST_UNHEARD):
            deaf_machine.commit()
            assert frozenset({deaf_machine.new}) == glance(watcher)
        watcher.mend()
        glance(watcher)
        observers.append(len(deaf_machine.observers))
        told += watcher.problems()

    assert observers == [2, 2, 2]
    assert ["no hints of changes here" in text for text in told] == [True]
    assert not watcher.is_hearing


def test_a_store_that_cannot_be_looked_at_is_told_once_and_counts_as_changed_at_each_full_look(
    machine: Machine,
) -> None:
    watcher = machine.watch()
    shutil.rmtree(machine.folder)
    machine.folder.write_text("no folder")

    assert frozenset({machine.old}) == watcher.changed(is_full=True) == watcher.changed(is_full=True)
    assert frozenset() == glance(watcher)
    assert ["cannot be looked at" in text for text in watcher.problems()] == [True]


def test_closing_leaves_no_thread_behind(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    machine = Machine(tmp_path, Observer)
    machine.watch()
    machine.watcher.close()
    machine.watcher.close()

    assert before >= set(threading.enumerate())
