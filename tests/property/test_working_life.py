"""A working layer's life: stores, reads, time, consolidations, kills, forgetting, undos, new processes.

Whatever happens in whatever order, each text that was stored and not forgotten is found, in exactly one
layer; what was forgotten is in none; and the section shows no program's word that nobody has pinned.
"""

import contextlib
import shutil
import tempfile
from pathlib import Path
from unittest import mock

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.working.conftest import Home

from scrimshaw.errors import UserError
from scrimshaw.services.working import moving
from scrimshaw.store.ledger import open_ledger
from scrimshaw.working import memories

_NUMBERS = st.integers(0, 7)
_SELDOM = st.sampled_from([False, False, False, True])
_NOTE = "The press that we need is number "


class _Killed(BaseException):
    pass


class WorkingLife(RuleBasedStateMachine):
    """One agent of a home, and what it should know."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.home = Home(self.folder / "agents")
        self.memory = self.home.open()
        self.memory.add(f"{_NOTE}0", author="person", at_once=True)
        self.notes = 0
        self.known: dict[str, bool] = {}  # text, and whether it is pinned in the working layer
        self.patch = mock.patch("scrimshaw.services.archive.write.is_possible", return_value=False)
        self.patch.start()

    def _lines(self) -> list[str]:
        with open_ledger(self.memory.target.layout.ledger, create=False, read_only=True) as ledger:
            every = [line.observation.text for line in ledger.live_lines()]
        return [text for text in every if not text.startswith(_NOTE)]

    def _working(self) -> list[str]:
        return [one.content for one in memories.page(self.memory._working().db, 999)]

    @rule(number=_NUMBERS, pin=_SELDOM, is_lasting=_SELDOM)
    def store(self, number: int, pin: bool, is_lasting: bool) -> None:
        text = f"Barrel b{number} went to the mill at Wenbury"
        if text not in self.known:
            self.memory.store(text, pin=pin, importance=0.95 if is_lasting else 0.5)
            self.known[text] = pin or is_lasting

    @precondition(lambda self: self.known)
    @rule(number=_NUMBERS)
    def recall(self, number: int) -> None:
        self.memory.recall(f"what of barrel b{number}?")

    @rule(hours=st.sampled_from([1, 30, 200]))
    def wait(self, hours: int) -> None:
        self.home.later(hours=hours)

    @rule(ttl=st.sampled_from(["0s", "0s", "24h", None]))
    def consolidate(self, ttl: str | None) -> None:
        self.memory.consolidate(ttl_override=ttl)

    @rule(at=st.sampled_from(["leave", "lines_of"]))
    def consolidate_and_be_killed(self, at: str) -> None:
        place = memories if at == "leave" else moving
        with mock.patch.object(place, at, side_effect=_Killed):
            try:
                self.memory.consolidate(ttl_override="0s")
            except _Killed:
                self.memory.close()
                self.memory = self.home.open()

    @precondition(lambda self: self.known)
    @rule(number=_NUMBERS)
    def forget(self, number: int) -> None:
        text = f"Barrel b{number} went to the mill at Wenbury"
        if text in self.known:
            self.memory.forget(self.memory.plan_forget(text))
            del self.known[text]
            found = self.memory.search(text, mode="lexical", closed=True).results
            assert text not in [one.content for one in found]

    @rule()
    def note_and_undo(self) -> None:
        self.notes += 1
        self.memory.add(f"{_NOTE}{self.notes}", author="person", at_once=True)
        with contextlib.suppress(UserError):  # something was forgotten in it
            self.memory.undo()

    @rule()
    def open_again(self) -> None:
        self.memory.close()
        self.memory = self.home.open()

    @invariant()
    def each_is_found_once(self) -> None:
        if not hasattr(self, "memory"):
            return
        lines, working = self._lines(), self._working()
        for text, stays in self.known.items():
            assert lines.count(text) <= 1
            assert working.count(text) <= 1
            assert lines.count(text) + working.count(text) >= 1
            assert not stays or text in working
            found = self.memory.search(text, mode="lexical", limit=20).results
            assert [one.content for one in found].count(text) == 1
        assert {*lines, *working} == set(self.known)

    @invariant()
    def the_section_shows_none_of_it(self) -> None:
        section = self.folder / "agents" / "albert" / "MEMORY.md"
        assert not section.exists() or "Wenbury" not in section.read_text()

    def teardown(self) -> None:
        if hasattr(self, "memory"):
            self.memory.close()
            self.patch.stop()
            shutil.rmtree(self.folder)


WorkingLife.TestCase.settings = settings(
    max_examples=20, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
)
TestWorkingLife = WorkingLife.TestCase
