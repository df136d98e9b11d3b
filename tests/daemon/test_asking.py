"""One conversation before all others, and who does it: the daemon, or the caller when that one is busy."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from tests.daemon.simulated import Simulation, simulated
from tests.places import NOW, Place
from tests.stores import FakeSession
from tests.support.prepared import Prepared

from scrimshaw.core.extraction import observe as observe_by_rules
from scrimshaw.core.ledger.known_lines import KnownLines
from scrimshaw.core.types import Reply, Window
from scrimshaw.layout import Layout
from scrimshaw.locks import presence_lock
from scrimshaw.services.observe import session
from scrimshaw.services.observe.run import run
from scrimshaw.services.observe.task import ObserveOptions
from scrimshaw.services.schedule.ask_daemon import ask
from scrimshaw.sources import sqlite_tables

_HERE = "We decided that billing-api runs release 2.4.1 in production."
_THERE = "We decided that ledger-api runs release 7.0.3 in production."
_NOW = datetime.fromisoformat(NOW)
_NOW_MS = int(_NOW.timestamp() * 1000)


def _begun(place: Place) -> None:
    """A machine that is set up, where two conversations are in the middle of an exchange."""
    place.say(("We decided that unit-0x runs release 0.4.1 in production.", "Noted."))
    assert place.run("init", "--yes").code == 0
    here = FakeSession(session_id="0a" * 8, key="agent:main:explicit:here", at_ms=_NOW_MS - 20_000)
    there = FakeSession(session_id="0b" * 8, key="agent:main:explicit:there", at_ms=_NOW_MS - 40_000)
    here.user(_HERE)
    there.user(_THERE)
    place.sessions = [there, *place.sessions, here]
    place.save()


@pytest.fixture(params=["jsonl", "sqlite"])
def place(request: pytest.FixtureRequest, prepared: Prepared) -> Place:
    return prepared(_begun, request.param)


def _here(place: Place) -> FakeSession:
    return place.sessions[-1]


# -- a conversation that is named ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["key", "session_id"])
def test_the_last_exchange_of_the_named_conversation_counts_as_finished_and_no_others(
    place: Place, name: str
) -> None:
    ordinary = place.run("observe")
    assert "2.4.1" not in place.section()

    named = place.run("observe", "--session", getattr(_here(place), name).upper())

    assert (ordinary.code, named.code) == (0, 0)
    assert "2.4.1" in place.section()
    assert "7.0.3" not in place.section()
    assert "in the middle of an exchange" in named.out


def test_the_named_conversation_is_noted_and_written_before_anything_else_is_read(place: Place) -> None:
    place.session.assistant("Noted.")
    place.save()
    seen: list[tuple[str, bool]] = []

    def observer(window: Window, known: KnownLines) -> Reply:
        seen.append((window.session.session_id, "2.4.1" in place.section()))
        return observe_by_rules(window, known)

    report = run(place.target(), _NOW, ObserveOptions(session=_here(place).key, observer=observer))

    assert seen == [(_here(place).session_id, False), (place.session.session_id, True)]
    assert "7.0.3" in place.section()
    assert (report.published.result.value, report.published.dated_lines) == ("written", 2)


def test_when_it_is_late_the_others_are_left_and_read_next_time(place: Place) -> None:
    place.session.assistant("Noted.")
    place.save()

    report = run(place.target(), _NOW, ObserveOptions(session=_here(place).key, is_late=lambda: True))
    left = (report.observed.left_waiting > 0, "7.0.3" in place.section())
    place.run("observe")

    assert left == (True, False)
    assert "7.0.3" in place.section()


def test_a_long_conversation_is_written_as_far_as_the_time_reaches_and_goes_on_next_time(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "_STRETCH_CHARS", 1)
    monkeypatch.setattr(sqlite_tables, "MAX_PAGE_ROWS", 200)
    place.session.assistant("Noted.")
    last = 149 if place.kind == "sqlite" else 599  # more than a page of entries
    for number in range(1, last + 1):
        place.session.user(f"We decided that service-{number} listens on port {20_000 + number}.")
        place.session.assistant("Noted.")
    place.save()

    report = run(place.target(), _NOW, ObserveOptions(session=place.session.key, is_out_of_time=lambda: True))
    first = (
        report.observed.left_waiting > 0,
        "port 20001." in place.dated(),
        f"port {20_000 + last}." in place.dated(),
    )
    place.run("observe")

    assert first == (True, True, False)
    assert [place.dated().count(f"port {20_000 + number}.") for number in (1, last - 99, last)] == [1, 1, 1]


def test_a_conversation_nobody_knows_makes_an_ordinary_run_and_says_so(place: Place) -> None:
    place.session.assistant("Noted.")
    place.save()

    report = run(place.target(), _NOW, ObserveOptions(session="agent:main:nowhere", is_late=lambda: True))

    assert "7.0.3" in place.section()
    assert [text for text in report.warnings if "agent:main:nowhere is known here" in text]


def test_a_rehearsal_of_a_named_conversation_writes_nothing(place: Place) -> None:
    before = place.everything_written()

    answer = place.run("observe", "--dry-run", "--session", _here(place).key)

    assert answer.code == 0
    assert "2.4.1" in answer.out
    assert place.everything_written() == before


# -- the daemon ---------------------------------------------------------------------------------------------


@pytest.fixture
def simulation(tmp_path: Path) -> Iterator[Simulation]:
    with simulated(tmp_path, _NOW) as made:
        made.run_for(minutes=10)
        yield made


def test_the_daemon_answers_for_the_named_conversation_and_leaves_the_rest_to_its_course(
    simulation: Simulation,
) -> None:
    place, now_ms = simulation.place, simulation.clock.now_ms
    other = FakeSession(session_id="0c" * 8, key="agent:main:explicit:other", at_ms=now_ms)
    other.user(_THERE)
    place.sessions.append(other)
    simulation.say(_HERE)
    with place.ledger() as ledger:
        number = ledger.put_request("observe", by="hook", at_ms=now_ms, session=place.session.key)
        plain = ledger.put_request("observe", by="command", at_ms=now_ms, session="")
        assert [request.session for request in ledger.pending_requests("observe")] == [
            place.session.key,
            "",
        ]
        Layout(place.workspace).wake.touch()
        simulation.step()
        answers = [json.loads(ledger.answer(one) or "{}") for one in (number, plain)]

    assert [answer.get("noted") for answer in answers] == [1, 1], answers
    assert answers[0]["is_session_known"]
    assert "7.0.3" in place.section()


class _Watch:
    """Time that passes only by waiting; *at* says what happens when."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def test_a_daemon_that_does_not_answer_in_half_of_the_time_loses_the_request(place: Place) -> None:
    watch, layout = _Watch(), Layout(place.workspace)
    with presence_lock(layout.state, by="run", now=_NOW):
        answer = ask(
            place.target(), _NOW, by="t", timeout_seconds=20, monotonic=watch.monotonic, sleep=watch.sleep
        )

    assert answer == "busy"
    assert 10 <= watch.now < 10.1
    with place.ledger() as ledger:
        assert ledger.pending_requests("observe") == []


def test_an_answer_at_the_last_moment_is_taken(place: Place) -> None:
    watch, layout = _Watch(), Layout(place.workspace)

    def sleep(seconds: float) -> None:
        watch.sleep(seconds)
        if watch.now >= 10:
            with place.ledger() as ledger:
                numbers = [request.number for request in ledger.pending_requests("observe")]
                ledger.settle_requests(numbers, outcome='{"exit_code": 0, "noted": 3}', at_ms=_NOW_MS)

    with presence_lock(layout.state, by="run", now=_NOW):
        answer = ask(place.target(), _NOW, by="t", timeout_seconds=20, monotonic=watch.monotonic, sleep=sleep)

    assert answer == {"exit_code": 0, "noted": 3}


# -- the same window twice ----------------------------------------------------------------------------------


def _noting_nothing(window: Window, known: KnownLines) -> Reply:
    return Reply(())


@pytest.mark.parametrize("is_quick_silent", [False, True], ids=["it-noted", "it-noted-nothing"])
def test_what_a_slow_observer_brings_of_a_window_that_was_covered_meanwhile_adds_nothing(
    place: Place, is_quick_silent: bool
) -> None:
    """The slow one begins; while it waits for its model the quick one covers the same; then it goes on."""
    here = _here(place)
    calls: list[str] = []

    def slow(window: Window, known: KnownLines) -> Reply:
        calls.append(window.session.session_id)
        if len(calls) == 1:
            quick = ObserveOptions(session=here.key, observer=_noting_nothing if is_quick_silent else None)
            run(place.target(), _NOW, quick)
        return observe_by_rules(window, known)

    report = run(place.target(), _NOW, ObserveOptions(session=here.key, observer=slow))
    # Said once more, elsewhere: what is in no ledger must not count as noted.
    other = FakeSession(session_id="0d" * 8, key="agent:main:explicit:again", at_ms=_NOW_MS - 10_000)
    other.user(_HERE)
    other.assistant("Noted.")
    place.sessions.append(other)
    place.save()
    later = run(place.target(), _NOW + timedelta(minutes=1))

    assert report.observed.accepted == 0
    assert later.observed.accepted == (1 if is_quick_silent else 0)
    assert place.section().count("2.4.1") == 1
    assert place.dated().count("2.4.1") == 1


def test_a_phantom_of_a_dropped_window_is_no_repetition_for_the_windows_after_it(place: Place) -> None:
    here = _here(place)
    here.assistant("Noted.")
    other = FakeSession(session_id="0e" * 8, key="agent:main:explicit:same", at_ms=_NOW_MS - 10_000)
    other.user(_HERE)
    other.assistant("Noted.")
    place.sessions.append(other)
    place.save()
    calls: list[str] = []

    def slow(window: Window, known: KnownLines) -> Reply:
        calls.append(window.session.session_id)
        if len(calls) == 1:
            quick = ObserveOptions(session=here.key, observer=_noting_nothing, is_late=lambda: True)
            run(place.target(), _NOW, quick)
        return observe_by_rules(window, known)

    report = run(place.target(), _NOW, ObserveOptions(session=here.key, observer=slow))

    assert calls == [here.session_id, other.session_id]
    assert report.observed.accepted == 1
    assert place.section().count("2.4.1") == 1
