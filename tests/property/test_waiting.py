"""No backlog waits for ever: whatever a host writes, without ever a pause, each entry is observed in time.

A conversation is played on a real store with a clock that only the test moves, and the daemon's look is taken
after each step, as often as the daemon takes it. Whatever the sizes and the mix, an entry is covered when it
is as old as `observer_interval` and one more look has been taken.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.places import Place

from scrimshaw.config import seconds
from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.types import Reply, Window
from scrimshaw.services.observe import session
from scrimshaw.services.schedule.tick import TickOptions, follow
from scrimshaw.store.ledger import open_ledger

_MEGABYTE = 1_000_000


class Step(NamedTuple):
    """Something is stored, and so long later there is a look."""

    what: str  # "asks", "answers", "works"
    size_chars: int
    then_seconds: int


class _Talk:
    """A conversation that goes on, and what of it waits."""

    def __init__(self, folder: Path, kind: str) -> None:
        self.place = Place(folder / "machine", kind)
        self.place.memory.write_text("# Memory\n")
        self.now = datetime(2026, 11, 20, 18, tzinfo=UTC)
        self.stored_at: dict[str, datetime] = {}
        self._store("asks", 20)
        self.place.run("observe", "--yes", "--now", now=self.now.isoformat())
        self.target = self.place.target()
        self.longest = timedelta(seconds=seconds(self.target.config.settings.observer_interval))

    def take(self, step: Step, *, looks: bool = True) -> list[str]:
        """Do one step and look; return the entries that then wait longer than they may."""
        self._store(step.what, step.size_chars)
        self.now += timedelta(seconds=step.then_seconds)
        if not looks:
            return []
        follow(self.target, self.now, TickOptions(observer=_silent))
        latest = self.now - self.longest
        return [entry_id for entry_id in self._waiting() if self.stored_at[entry_id] < latest]

    def _store(self, what: str, size_chars: int) -> None:
        said = self.place.session
        said.at_ms = int(self.now.timestamp() * 1000) - 2_000
        text = ("Crate after crate. " * (size_chars // 19 + 1))[: max(1, size_chars)]
        match what:
            case "asks":
                ids = [said.user(text)]
            case "answers":
                ids = [said.assistant(text)]
            case _:
                result = said.tool("exec", {"command": "ls -la " + text[:200]}, text)
                ids = [said.events[-2]["id"], result]
        self.stored_at |= dict.fromkeys(ids, self.now)
        self.place.save()

    def _waiting(self) -> set[str]:
        with open_ledger(self.target.layout.ledger, create=False, read_only=True) as ledger:
            return ledger.uncovered(self.place.session.session_id, list(self.stored_at))


def _silent(_window: Window, _known: KnownLines) -> Reply:
    return Reply(())  # what is noted is no matter here, only that it was looked at


@contextmanager
def _talk(kind: str) -> Iterator[_Talk]:
    folder = Path(tempfile.mkdtemp(prefix="scrimshaw-waiting-"))
    try:
        yield _Talk(folder, kind)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


_STEPS = st.builds(
    Step,
    st.sampled_from(["asks", "answers", "works", "works", "works"]),
    st.sampled_from([0, 40, 40, 700, 4_000, 60_000]),
    st.integers(1, 290),  # never five minutes of silence
)


@settings(max_examples=2 + settings().max_examples // 10)
@given(st.lists(_STEPS, min_size=15, max_size=40), st.sampled_from(["jsonl", "sqlite"]))
def test_no_entry_of_a_conversation_without_a_pause_waits_longer_than_it_may(
    steps: list[Step], kind: str
) -> None:
    with _talk(kind) as talk:
        assert [late for step in steps for late in talk.take(step)] == []


@pytest.mark.parametrize("kind", ["jsonl", "sqlite"])
def test_an_unanswered_message_with_300_tool_calls_is_observed_as_it_goes(kind: str) -> None:
    with _talk(kind) as talk:
        late = talk.take(Step("asks", 100, 20))
        for number in range(300):
            late += talk.take(Step("works", 30 + number % 50 * 40, 20), looks=number % 7 == 0)

        assert late == []


@pytest.mark.parametrize("kind", ["jsonl", "sqlite"])
def test_a_message_of_three_megabytes_in_the_middle_of_a_conversation_is_observed(kind: str) -> None:
    with _talk(kind) as talk:
        talk.take(Step("works", 40, 30))
        steps = [Step("asks", 3 * _MEGABYTE, 30), *[Step("works", 40, 100)] * 12]

        assert [late for step in steps for late in talk.take(step)] == []


@pytest.mark.parametrize("size_chars", [0, 200, 20_000])
def test_a_message_that_nobody_answers_is_observed(size_chars: int) -> None:
    with _talk("jsonl") as talk:
        steps = [Step("asks", size_chars, 250)] * 12

        assert [late for step in steps for late in talk.take(step)] == []


def test_the_check_bites_when_an_unfinished_exchange_may_wait_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Negative control: nothing of an exchange is observed before its answer."""
    monkeypatch.setattr(session.SessionObserver, "_is_worth_waiting", lambda *_: True)
    with _talk("jsonl") as talk:
        assert [late for step in [Step("works", 40, 100)] * 12 for late in talk.take(step)]
