"""A workspace's life on real files: promises 1, 2, 3, 6 and 7 under any order of what hosts and people do.

The machine plays the host (appends, tears a line, rewrites in place, rotates, migrates to SQLite), the
person (deletes, changes and adds lines, writes around the section) and the clock (which may jump), and
runs the real command in between. Every statement carries a number of its own, so that each can be
followed: covered once, kept in a dated file, never back once it was deleted.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule
from tests.places import Place
from tests.stores import FakeSession, build_sqlite, lines_of

from scrimshaw.core.section import BEGIN, END
from scrimshaw.errors import Exit
from scrimshaw.store.ledger import open_ledger

_TOKEN = re.compile(r"unit-\d+x")


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
        self.observed = 0

    def teardown(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    # -- the host ---------------------------------------------------------------------------------------

    @property
    def file(self) -> Path:
        return self.place.store / f"{self.place.session.session_id}.jsonl"

    @rule(count=st.integers(1, 3))
    def says(self, count: int) -> None:
        self._mend()
        for _ in range(count):
            self.serial += 1
            token = f"unit-{self.serial}x"
            self.said.add(token)
            self.place.session.user(f"We decided that {token} runs release {self.serial}.4.1 in production.")
            self.place.session.assistant("Noted.")
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
        self.is_torn_news = self.observed < self.entries

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
        at_ms = self.place.session.at_ms
        fresh = FakeSession(session_id=f"0000000{self.rotations}-0000-4000-8000-000000000000", at_ms=at_ms)
        self.place.sessions.insert(0, fresh)
        self._save_newest()

    @precondition(lambda self: self.place.kind == "jsonl" and self.serial > 0)
    @rule()
    def migrates(self) -> None:
        self._mend()
        shutil.rmtree(self.place.store)
        self.place.kind = "sqlite"
        build_sqlite(self.place.store, self.place.sessions)
        self.place.written = {s.session_id: len(s.events) for s in self.place.sessions}

    # -- the person -------------------------------------------------------------------------------------

    @rule(text=st.sampled_from(["\nA line at the end\n", "\n## Other\n\nmore", "\nno newline at the end"]))
    def writes_behind_the_section(self, text: str) -> None:
        before, section, after = self._split()
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
            self._replace(line + "\n", "")
            self.deleted |= set(_TOKEN.findall(line))

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
        if "### Standing\n" in self.place.memory.read_text():
            self.serial += 1
            mark = f"mark-{self.serial}z"
            self._replace("### Standing\n", f"### Standing\n- My own {mark}\n")
            self.persons.add(mark)

    # -- the clock, and we ------------------------------------------------------------------------------

    @rule(hours=st.integers(-30, 30))
    def clock_moves(self, hours: int) -> None:
        self.now += timedelta(hours=hours)

    @rule()
    def observes(self) -> None:
        answer = self.place.run("observe", "--yes", "--now", "--json", now=self.now.isoformat())
        found = answer.object["workspaces"][0]
        if answer.code == Exit.REFUSED and found["section"]["result"] == "too-many-deletions":
            answer = self.place.run("accept-edits", "--json", now=self.now.isoformat())
            found = {**found, "section": answer.object["workspaces"][0]["section"]}
        assert answer.code in (Exit.OK, Exit.PARTLY), answer
        self.observed += found["entries"]
        self._check(found)

    def _check(self, found: dict[str, object]) -> None:
        before, section, after = self._split()
        # 1: everything outside is as its owners left it.
        assert self.outside in (
            before + after,
            before.removesuffix("## Observations\n").removesuffix("\n") + after,
        )
        # 2: the budget holds.
        size = found["section"]
        assert isinstance(size, dict)
        assert size["units"] <= size["budget_units"]
        # 3: every entry that is whole was observed, and none twice.
        assert self.observed == self.entries - (1 if self.torn and self.is_torn_news else 0)
        # 6: what was noted is in a dated file; 7: what was deleted is not in the section.
        dated = self.place.dated()
        assert all(token in dated for token in self._noted())
        assert not self.deleted & set(_TOKEN.findall(section))
        assert all(mark in section for mark in self.persons)

    def _noted(self) -> set[str]:
        with open_ledger(
            self.place.workspace / ".scrimshaw/ledger.sqlite", create=False, read_only=True
        ) as ledger:
            texts = "".join(line.observation.text for line in ledger.all_lines())
        noted = set(_TOKEN.findall(texts))
        assert self.said - self._torn_tokens() <= noted
        return noted

    def _torn_tokens(self) -> set[str]:
        return set(_TOKEN.findall(self.torn.decode())) if self.is_torn_news else set()

    # -- by hand ----------------------------------------------------------------------------------------

    def _split(self) -> tuple[str, str, str]:
        text = self.place.memory.read_text()
        if BEGIN not in text:
            return text, "", ""
        before, rest = text.split(BEGIN)
        section, after = rest.split(f"{END}\n")
        return before, f"{BEGIN}{section}{END}\n", after

    def _remember_outside(self) -> None:
        before, _, after = self._split()
        self.outside = before + after

    def _own_lines(self) -> list[str]:
        # Our own, not one the person has touched already: those are theirs to keep.
        return [line for line in self._split()[1].splitlines() if _TOKEN.search(line) and "mark-" not in line]

    def _replace(self, old: str, new: str) -> None:
        text = self.place.memory.read_text()
        assert text.count(old) == 1, (text, old)
        self.place.memory.write_text(text.replace(old, new))

    def _ends_in_a_message(self) -> bool:
        return bool(self.place.session.events[-1]["type"] == "message")

    def _mend(self) -> None:
        """The host finishes the line it was writing."""
        if self.torn:
            with self.file.open("r+b") as file:
                file.seek(0, 2)
                file.write(self.torn[len(self.torn) // 2 :])
            self.torn = b""

    def _save_newest(self) -> None:
        everything = self.place.sessions
        if self.place.kind == "jsonl":  # the reset ones are renamed files by now
            self.place.sessions = everything[:1]
        self.place.save()
        self.place.sessions = everything


TestWorkspaceLife = WorkspaceLife.TestCase
# Each step is a real run on real files: fewer examples than the profile allows, more with a thorough one.
TestWorkspaceLife.settings = settings(max_examples=25 + settings().max_examples // 4, stateful_step_count=18)
