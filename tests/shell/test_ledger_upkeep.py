"""What the nightly round does to the ledger, and what passes through it to the daemon: requests."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.shell.made import SESSION, observation

from scrimshaw.store.ledger import Ledger, open_ledger
from scrimshaw.store.records import Batch, Run, RunCounts

AT = 1_700_000_000_000
_DAY_MS = 86_400_000


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with open_ledger(tmp_path / "ledger.sqlite", create=True) as made:
        yield made


def _runs(ledger: Ledger) -> list[str]:
    with closing(sqlite3.connect(ledger.path)) as connection:
        return [row[0] for row in connection.execute("select run_id from run order by rowid")]


def test_a_sound_ledger_has_nothing_to_say(ledger: Ledger) -> None:
    assert ledger.check() == []


def test_a_standing_that_is_not_what_the_events_say_is_mended_and_told(ledger: Ledger) -> None:
    ledger.begin_run(Run("r1", "observe", "request", "rules", AT))
    ledger.accept(Batch("r1", AT, (observation(1),), sessions=(SESSION,)))
    with closing(sqlite3.connect(ledger.path)) as connection, connection:
        connection.execute("update standing set is_shown = 0")

    told = ledger.check()

    assert "mended" in " ".join(told)
    assert [line.standing.is_shown for line in ledger.live_lines()] == [True]
    assert ledger.check() == []


def test_old_runs_of_which_nothing_came_are_forgotten_and_no_others(ledger: Ledger) -> None:
    for name, job, at_ms, accepted in (
        ("old empty", "observe", AT, 0),
        ("old", "observe", AT, 1),
        ("old reflection", "reflect", AT, 0),
        ("new empty", "observe", AT + 89 * _DAY_MS, 0),
    ):
        ledger.begin_run(Run(name, job, "daemon", "rules", at_ms))
        if accepted:
            counts = RunCounts(proposals=1, accepted=1)
            ledger.accept(Batch(name, at_ms, (observation(1),), sessions=(SESSION,), counts=counts))

    ledger.thin(AT + 91 * _DAY_MS)

    assert _runs(ledger) == ["old", "old reflection", "new empty"]


def test_a_request_waits_until_it_is_answered_and_keeps_its_first_answer(ledger: Ledger) -> None:
    number = ledger.put_request("observe", by="hook", at_ms=AT)
    assert [request.number for request in ledger.pending_requests("observe")] == [number]
    assert ledger.answer(number) is None

    ledger.settle_requests([number], outcome="first", at_ms=AT)
    ledger.settle_requests([number], outcome="second", at_ms=AT + 1)

    assert ledger.pending_requests("observe") == []
    assert ledger.answer(number) == "first"
