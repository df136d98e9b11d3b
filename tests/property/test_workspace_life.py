"""A workspace's life on real files: promises 1, 2, 3, 6 and 7 under any order of what hosts and people do.

The machine plays the host (appends, tears a line, rewrites in place, rotates, deletes a session, migrates to
SQLite, keeps a record of the agent's own edits and drops it), the person (deletes, changes and adds lines,
writes around the section, asks the daemon), another program that writes MEMORY.md while we do, and the clock
(which may jump). In between the real command runs, a daemon looks or two do at once, a reflection is made,
and a run is killed anywhere. Every statement carries a number of its own, so that each can be followed:
covered once, kept in a dated file, never back once it was deleted.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule
from tests.crash.killing import PointCounter
from tests.places import Place
from tests.stores import FakeSession, build_sqlite, lines_of

from scrimshaw import files
from scrimshaw.clock import milliseconds
from scrimshaw.core.extraction import observe as observe_by_rules
from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.section.markers import BEGIN, END
from scrimshaw.core.types import Reply, Window
from scrimshaw.errors import Exit
from scrimshaw.services.schedule.tick import TickOptions, follow
from scrimshaw.store.ledger import open_ledger

_TOKEN = re.compile(r"unit-\d+x")
_SOME = st.integers(1, 3)


class WorkspaceLife(RuleBasedStateMachine):
    """One machine with one agent, one person, and the command."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="scrimshaw-life-"))
        self.place = Place(self.folder / "machine")
        self.now = datetime(2026, 11, 20, 18, tzinfo=UTC)
        self.outside = "# Memory\n"
        self.place.memory.write_text(self.outside)
        self.serial = 0
        self.deleted: set[str] = set()
        self.persons: set[str] = set()
        self.said: set[str] = set()
        self.entries = 0
        self.torn = b""
        self.is_torn_news = False  # the torn entry had not been observed before
        self.rotations = 0
        self.buffer = ""  # MEMORY.md as an editor holds it
        self.fresh: list[str] = []  # entries since everything was observed last
        # A life with something in it: from nothing, most of what may happen would happen to nothing.
        self.says(3)
        self.observes()

    def teardown(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    # -- the host ---------------------------------------------------------------------------------------

    @property
    def file(self) -> Path:
        return self.place.store / f"{self.place.session.session_id}.jsonl"

    @rule(count=_SOME)
    def says(self, count: int) -> None:
        self._mend()
        for _ in range(count):
            self.serial += 1
            token = f"unit-{self.serial}x"
            self.said.add(token)
            said = f"We decided that {token} runs release {self.serial}.4.1 in production."
            self.fresh += [self.place.session.user(said), self.place.session.assistant("Noted.")]
            self.entries += 2
        self._save_newest()

    @precondition(lambda self: self.place.kind == "jsonl" and not self.torn and self._ends_in_a_message())
    @rule()
    def tears_a_line(self) -> None:
        whole = lines_of(self.place.session.events[-1:])
        size = self.file.stat().st_size
        with self.file.open("r+b") as file:
            file.truncate(size - len(whole) + len(whole) // 2)
        self.torn = whole
        last = self.place.session.events[-1]["id"]
        self.is_torn_news = bool(self._unobserved(self.place.session, [last]))

    @precondition(lambda self: self.place.kind == "jsonl")
    @rule()
    def rewrites_in_place(self) -> None:
        self._mend()
        data = self.file.read_bytes()
        with self.file.open("r+b") as file:
            file.truncate(0)
            file.write(data)

    @precondition(lambda self: self.place.kind == "jsonl" and self.rotations < 3)
    @rule()
    def rotates(self) -> None:
        self._mend()
        self.rotations += 1
        # The host keeps the key beside the transcript; sessions.json forgets it with the reset.
        known = {"sessionId": self.place.session.session_id, "sessionKey": self.place.session.key}
        self.file.with_name(f"{self.place.session.session_id}.trajectory.jsonl").write_text(json.dumps(known))
        self.file.rename(
            self.file.with_name(f"{self.file.name}.reset.2026-11-20T1{self.rotations}-00-00.000Z")
        )
        self._begin_anew()

    @precondition(lambda self: self.serial > 0 and self.rotations < 3)
    @rule()
    def deletes_the_session(self) -> None:
        self._mend()
        self.rotations += 1
        gone = self.place.session
        self._forget_unobserved(gone)
        if self.place.kind == "jsonl":
            when = f"2026-11-20T1{self.rotations}-00-00.000Z"
            self.file.rename(self.file.with_name(f"{self.file.name}.deleted.{when}"))
        else:
            self._delete_rows(gone.session_id)
        self.place.sessions.remove(gone)
        self._begin_anew()

    @precondition(lambda self: self.place.kind == "jsonl" and self.serial > 0)
    @rule()
    def migrates(self) -> None:
        self._mend()
        shutil.rmtree(self.place.store)
        self.place.kind = "sqlite"
        build_sqlite(self.place.store, self.place.sessions)
        self.place.written = {s.session_id: len(s.events) for s in self.place.sessions}

    @rule()
    def record_of_the_agents_own_edits_comes_or_goes(self) -> None:
        if self.place.has_record():
            self.place.lift_record()
        else:
            self.place.record("agent")

    # -- the person -------------------------------------------------------------------------------------

    @rule(text=st.sampled_from(["\nA line at the end\n", "\n## Other\n\nmore", "\nno newline at the end"]))
    def writes_behind_the_section(self, text: str) -> None:
        before, section, after = self._split(self.place.memory)
        if section:
            self.place.memory.write_text(before + section + after + text)
        else:
            self.place.memory.write_text(before + text)
        self._remember_outside()

    @rule(text=st.sampled_from(["Top line\n", "# Title\n\n", "intro\n\n"]))
    def writes_before_everything(self, text: str) -> None:
        self.place.memory.write_text(text + self.place.memory.read_text())
        self._remember_outside()

    @rule(data=st.data())
    def deletes_a_line(self, data: st.DataObject) -> None:
        lines = self._own_lines()
        if lines:
            line = data.draw(st.sampled_from(lines))
            # With another edit beside it, it could as well be an older copy that never held it.
            is_all_that_is_new = self._is_all_that_is_new(line)
            if is_all_that_is_new:
                self.observes()
            if line not in self._own_lines():
                return
            self._replace(line + "\n", "")
            self.deleted |= set(_TOKEN.findall(line))
            if is_all_that_is_new:
                self.observes()

    @rule(data=st.data())
    def changes_a_line(self, data: st.DataObject) -> None:
        lines = self._own_lines()
        if lines:
            line = data.draw(st.sampled_from(lines))
            self.serial += 1
            mark = f"mark-{self.serial}z"
            self._replace(line, line.replace("in production", f"in production ({mark})"))
            self.persons.add(mark)

    @rule()
    def adds_a_line(self) -> None:
        if "### Standing\n" in self._held_in().read_text():
            self.serial += 1
            mark = f"mark-{self.serial}z"
            self._replace("### Standing\n", f"### Standing\n- My own {mark}\n")
            self.persons.add(mark)

    @rule()
    def opens_an_editor(self) -> None:
        self.observes()
        if not self.place.has_record() and BEGIN in self.place.memory.read_text():
            self.buffer = self.place.memory.read_text()

    @precondition(lambda self: self.buffer and not self.place.has_record())
    @rule()
    def saves_the_older_buffer_with_an_edit(self) -> None:
        self.observes()
        # Of a line that the person has reworded since, the wording that the file holds stands
        # (tests/history/test_same_words_by_hand.py).
        for line in self._split()[1].splitlines():
            marks = set(re.findall(r"mark-\d+z", line))
            if marks and any(f"that {token} runs" in self.buffer for token in _TOKEN.findall(line)):
                self.persons -= {mark for mark in marks if mark not in self.buffer}
        self.place.memory.write_text(self.buffer)
        self._remember_outside()
        self.adds_a_line()
        self.observes()

    @precondition(lambda self: self.place.has_record())
    @rule(count=st.integers(0, 3), runs=st.integers(1, 2))
    def goes_the_way_back_from_a_quarantine(self, count: int, runs: int) -> None:
        """The file copied and deleted, runs that make it anew, and the copy over that."""
        self.observes()  # of what no run has seen nobody can know
        copy = self.place.memory.read_bytes()
        self.place.memory.unlink()
        self.place.lift_record()
        outside, self.outside = self.outside, ""
        if count:
            self.says(count)
        for _ in range(runs):
            self.observes()
        self.place.memory.write_bytes(copy)
        self.outside = outside
        self.observes()

    # -- the clock, and we ------------------------------------------------------------------------------

    @rule(hours=st.integers(-30, 30))
    def clock_moves(self, hours: int) -> None:
        self.now += timedelta(hours=hours)

    @rule()
    def observes(self) -> None:
        answer = self.place.run("observe", "--yes", "--now", "--json", now=self.now.isoformat())
        found = answer.object["workspaces"][0]
        assert answer.code in (Exit.OK, Exit.PARTLY, Exit.REFUSED), answer
        self._all_is_observed(found["section"])

    @rule(count=_SOME, inside=st.booleans())
    def observes_while_another_program_writes(self, count: int, inside: bool) -> None:
        """It changes the file after we read it, and before our rename."""
        self.says(count)
        write_beside = files._write_beside
        is_done = False

        def between(path: Path, data: bytes, new_mode: int) -> Path:
            nonlocal is_done
            beside = write_beside(path, data, new_mode)
            if path == self._held_in() and not is_done:
                is_done = True
                if inside:
                    self.adds_a_line()
                elif path == self.place.memory:
                    self.writes_behind_the_section("\nby another program\n")
            return beside

        with mock.patch.object(files, "_write_beside", between):
            self.observes()

    @rule(count=_SOME)
    def observes_because_it_was_asked(self, count: int) -> None:
        self.says(count)
        self._asks()
        followed = follow(self.place.target(), self.now)
        assert "observed" in followed.did
        self._all_is_observed({"result": "too-many-deletions" if followed.exit_code else ""})

    @rule()
    def looks_as_the_daemon_does(self) -> None:
        follow(self.place.target(), self.now)
        self._check_files()

    @rule(count=_SOME, is_asked=st.booleans())
    def two_daemons_look_at_once(self, count: int, is_asked: bool) -> None:
        """One looks, and does what it finds, while the other one is at its first window."""
        self.says(count)
        others = [lambda: follow(self.place.target(), self.now)]

        def observer(window: Window, known: KnownLines) -> Reply:
            while others:
                others.pop()()
            return observe_by_rules(window, known)

        if is_asked:
            self._asks()
        follow(self.place.target(), self.now, TickOptions(observer=observer))
        self._check_files()

    @rule()
    def reflects(self) -> None:
        answer = self.place.run("reflect", now=self.now.isoformat())
        assert answer.code in (Exit.OK, Exit.REFUSED), answer
        self._check_files()

    @rule(count=_SOME, point=st.integers(1, 150))
    def is_killed(self, count: int, point: int) -> None:
        self.says(count)
        child = os.fork()
        if child == 0:
            try:
                PointCounter(self.place, point).watch()
                self.place.run("observe", "--yes", "--now", now=self.now.isoformat())
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        self._check_files()

    def _asks(self) -> None:
        with open_ledger(self._ledger_path(), create=False) as ledger:
            ledger.put_request("observe", by="hook", at_ms=milliseconds(self.now))

    def _all_is_observed(self, told: dict[str, object]) -> None:
        """Check every promise; what a person did all at once is confirmed first."""
        if told["result"] == "too-many-deletions":
            answer = self.place.run("accept-edits", "--json", now=self.now.isoformat())
            told = answer.object["workspaces"][0]["section"]
        if "units" in told:
            # 2: the budget holds.
            assert told["units"] <= told["budget_units"]  # type: ignore[operator]
        with open_ledger(self._ledger_path(), create=False, read_only=True) as ledger:
            counted = ledger._db.row("select sum(entries) from run")
        # 3: every entry that is whole was observed, and none twice.
        assert counted is not None
        assert counted[0] == self.entries - (1 if self.torn and self.is_torn_news else 0)
        self.fresh = self.fresh[-1:] if self.torn and self.is_torn_news else []
        self._check_files()
        # 6: what was noted is in a dated file; 7: what a person wrote stays.
        dated = self.place.dated()
        assert all(
            dated.count(f"that {token} runs release") == 1 for token in self._noted() - self._touched()
        )
        held = self._held_in().read_text()
        assert all(mark in held for mark in self.persons)
        # There is room for all: only a person takes a line out.
        assert self._noted() - self.deleted <= set(_TOKEN.findall(held))
        assert not list(self.place.workspace.rglob("*.tmp"))
        assert not list(self.place.workspace.rglob("*.swap"))

    def _check_files(self) -> None:
        """Check what holds after anything."""
        before, _, after = self._split(self.place.memory)
        # 1: everything outside is as its owners left it.
        assert self.outside in (
            before + after,
            before.removesuffix("## Observations\n").removesuffix("\n") + after,
        )
        # 7: what was deleted is not in the section.
        assert not self.deleted & set(_TOKEN.findall(self._split()[1]))

    def _noted(self) -> set[str]:
        with open_ledger(self._ledger_path(), create=False, read_only=True) as ledger:
            texts = "".join(line.observation.text for line in ledger.all_lines())
        noted = set(_TOKEN.findall(texts))
        assert self.said - self._torn_tokens() <= noted
        return noted

    def _torn_tokens(self) -> set[str]:
        return set(_TOKEN.findall(self.torn.decode())) if self.is_torn_news else set()

    # -- by hand ----------------------------------------------------------------------------------------

    def _held_in(self) -> Path:
        """Return the file that holds the section now: MEMORY.md, or the one beside it (rule 13)."""
        aside = self.place.workspace / "memory" / "observations" / "MEMORY.md"
        return aside if aside.exists() else self.place.memory

    def _split(self, path: Path | None = None) -> tuple[str, str, str]:
        text = (path or self._held_in()).read_text()
        if BEGIN not in text:
            return text, "", ""
        before, rest = text.split(BEGIN)
        section, after = rest.split(f"{END}\n")
        return before, f"{BEGIN}{section}{END}\n", after

    def _remember_outside(self) -> None:
        before, _, after = self._split(self.place.memory)
        self.outside = before + after

    def _own_lines(self) -> list[str]:
        # Our own, not one the person has touched already: those are theirs to keep.
        return [line for line in self._split()[1].splitlines() if _TOKEN.search(line) and "mark-" not in line]

    def _is_all_that_is_new(self, line: str) -> bool:
        """Tell whether without *line* the file has nothing of ours that some older revision had not."""
        with open_ledger(self._ledger_path(), create=False, read_only=True) as ledger:
            place = self._held_in().relative_to(self.place.workspace).as_posix()
            newest, *older = ledger.revisions(100, place)
        left = {row for row in self._own_lines() if row in newest.body} - {line}
        return any(all(row in one.body for row in left) for one in older)

    def _replace(self, old: str, new: str) -> None:
        path = self._held_in()
        text = path.read_text()
        assert text.count(old) == 1, (text, old)
        path.write_text(text.replace(old, new))

    def _ends_in_a_message(self) -> bool:
        return bool(self.place.session.events[-1]["type"] == "message")

    def _mend(self) -> None:
        """The host finishes the line it was writing."""
        if self.torn:
            with self.file.open("r+b") as file:
                file.seek(0, 2)
                file.write(self.torn[len(self.torn) // 2 :])
            self.torn = b""

    def _touched(self) -> set[str]:
        """Return the tokens of lines that a person changed: two lines tell of them."""
        with open_ledger(self._ledger_path(), create=False, read_only=True) as ledger:
            return {
                token
                for line in ledger.all_lines()
                if "mark-" in line.observation.text
                for token in _TOKEN.findall(line.observation.text)
            }

    def _ledger_path(self) -> Path:
        return self.place.workspace / ".scrimshaw" / "ledger.sqlite"

    def _forget_unobserved(self, gone: FakeSession) -> None:
        """What a deleted session held and nobody has observed is not missed."""
        ids = self._unobserved(gone, [event["id"] for event in gone.events if event["id"] in self.fresh])
        self.entries -= len(ids)
        lost = lines_of(event for event in gone.events if event["id"] in ids)
        self.said -= set(_TOKEN.findall(lost.decode()))

    def _unobserved(self, session: FakeSession, ids: list[str]) -> set[str]:
        with open_ledger(self._ledger_path(), create=False, read_only=True) as ledger:
            return ledger.uncovered(session.session_id, ids)

    def _delete_rows(self, session_id: str) -> None:
        tables = ("transcript_events", "transcript_event_identities", "session_transcript_active_events")
        with contextlib.closing(sqlite3.connect(self.place.store)) as connection, connection:
            for table in tables:
                connection.execute(f"delete from {table} where session_id = ?", (session_id,))
            connection.execute(
                "insert into session_transcript_archives values (?, '', 'agent:main:main', 'deleted')",
                (session_id,),
            )

    def _begin_anew(self) -> None:
        at_ms = max((session.at_ms for session in self.place.sessions), default=1_794_818_490_000)
        name = f"0000000{self.rotations}-0000-4000-8000-000000000000"
        self.place.sessions.insert(0, FakeSession(session_id=name, at_ms=at_ms))
        self._save_newest()

    def _save_newest(self) -> None:
        everything = self.place.sessions
        if self.place.kind == "jsonl":  # the reset ones are renamed files by now
            self.place.sessions = everything[:1]
        self.place.save()
        self.place.sessions = everything


TestWorkspaceLife = WorkspaceLife.TestCase
# Each step is a real run on real files: fewer examples than the profile allows, more with a thorough one.
TestWorkspaceLife.settings = settings(max_examples=settings().max_examples // 4, stateful_step_count=18)


def _an_old_copy_comes_back(machine: WorkspaceLife) -> None:
    machine.record_of_the_agents_own_edits_comes_or_goes()
    machine.says(2)
    machine.observes()
    machine.goes_the_way_back_from_a_quarantine(0, 1)


def _an_old_buffer_is_saved(machine: WorkspaceLife) -> None:
    machine.opens_an_editor()
    machine.says(1)
    machine.saves_the_older_buffer_with_an_edit()


@pytest.mark.parametrize("story", [_an_old_copy_comes_back, _an_old_buffer_is_saved])
def test_the_machine_plays_how_an_older_text_comes_back(story: Callable[[WorkspaceLife], None]) -> None:
    machine = WorkspaceLife()
    try:
        story(machine)
    finally:
        machine.teardown()


@pytest.mark.parametrize(
    ("story", "broken", "by"),
    [
        (_an_old_copy_comes_back, "services.publish.hand_edits._is_recovered", lambda *_: False),
        (_an_old_buffer_is_saved, "core.section.diff._nearest", lambda _here, bodies: bodies[-1]),
    ],
)
def test_the_machine_notices_what_an_older_text_takes_along(
    story: Callable[[WorkspaceLife], None], broken: str, by: Callable[..., object]
) -> None:
    machine = WorkspaceLife()
    try:
        with mock.patch(f"scrimshaw.{broken}", by), pytest.raises(AssertionError):
            story(machine)
    finally:
        machine.teardown()
