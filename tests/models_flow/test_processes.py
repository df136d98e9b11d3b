"""The program as a process against a server that speaks a real protocol: end to end, and gone wrong."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from tests.daemon.processes import (
    PATIENCE_SECONDS,
    TWO_SECONDS,
    environment,
    grace,
    is_resting,
    running,
    until,
)
from tests.model_server import Asked, Hang, ModelServer, Refused, Say
from tests.models_flow.talking import answer_to, authors, by_author, decided, lengthy, uncovered
from tests.places import Place

from scrimshaw.core.types import Author
from scrimshaw.services.models.breakers import PAUSES

_BUSY = Refused(503, {"Retry-After": "600"}, "too many at once")


def _good(asked: Asked) -> Say:
    return Say(answer_to(asked.text))


def _slow(asked: Asked) -> Say:
    return Say(answer_to(asked.text), wait_seconds=0.4)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path / "machine")
    assert place.run("observe", "--yes").code == 0
    place.session.at_ms = int(time.time() * 1000) - 60_000
    return place


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(_good, repeats=True) as server:
        yield server


def _start(place: Place, server: ModelServer, *words: str, **settings: str) -> subprocess.Popen[str]:
    named = {f"SCRIMSHAW_{name.upper()}": value for name, value in settings.items()}
    return subprocess.Popen(
        [sys.executable, "-m", "scrimshaw", *words],
        env=environment(place, **server.env(), **named),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def _ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    out, _ = process.communicate(timeout=PATIENCE_SECONDS)
    return process.returncode, out


def test_observe_through_a_server_from_end_to_end(place: Place, server: ModelServer) -> None:
    place.say(*decided(1, 2))

    code, out = _ended(_start(place, server, "observe"))
    status = _ended(_start(place, server, "status"))[1]

    assert code == 0, out
    assert by_author(place) == {Author.MODEL: 2}
    assert "Noted by: local/fake-1 1 window." in out
    assert "1 question" in out
    assert "local/fake-1 notes" in status
    assert len(server.requests) == 1


@pytest.mark.slow
def test_what_waited_out_an_outage_is_noted_afterwards_once(place: Place, server: ModelServer) -> None:
    place.say(*decided(1))
    server.replies[:] = [_BUSY]

    waits = _ended(_start(place, server, "observe"))
    status = _ended(_start(place, server, "status"))[1]
    meanwhile = by_author(place)
    server.replies[:] = [_good]
    let_alone = _ended(_start(place, server, "observe"))
    _end_pauses(place)
    place.say(*decided(2))
    _ended(_start(place, server, "observe"))

    assert (waits[0], let_alone[0], meanwhile) == (0, 0, {})
    assert "1 conversation waits for local/fake-1" in waits[1]
    assert "waits for it since" in status
    assert len(server.requests) == 2
    assert by_author(place) == {Author.MODEL: 2}
    assert not uncovered(place)


def _end_pauses(place: Place) -> None:
    """Do as if the pauses that follow a failure were over."""
    with place.ledger() as ledger:
        ledger.set_meta(PAUSES, "{}")


@pytest.mark.slow
def test_a_refused_key_leaves_it_to_the_rules_and_status_is_loud(place: Place, server: ModelServer) -> None:
    place.say(*decided(1))
    server.replies[:] = [Refused(401, {}, "no such key")]

    code, out = _ended(_start(place, server, "observe"))
    status = _ended(_start(place, server, "status"))

    assert by_author(place) == {Author.RULES: 1}
    assert code == 1
    assert "WARNING: the rules noted instead of local/fake-1" in out
    assert "WARNING" in status[1]
    assert status[0] == 1


@pytest.mark.slow
def test_a_daemon_ends_in_a_hanging_call(place: Place, server: ModelServer) -> None:
    place.say(*decided(1))
    server.replies[:] = [Hang()]

    with running(place, seam=grace(PATIENCE_SECONDS), **server.env()) as daemon:
        server.wait_for(1)
        code = daemon.end(signal.SIGTERM)  # the server never answers
        left = daemon.left_behind()

    assert (code, left) == (0, [])
    assert "at_work=finished" in daemon.log
    assert 0 < daemon.would_wait < TWO_SECONDS
    assert not by_author(place)
    assert len(uncovered(place)) == 2


@pytest.mark.slow
def test_ctrl_c_in_a_long_backlog_keeps_what_is_noted(place: Place, server: ModelServer) -> None:
    place.say(*lengthy(1, 2, 3))
    server.replies[:] = [_good, Hang()]

    process = _start(place, server, "observe", window_tokens="500")
    server.wait_for(2)
    process.send_signal(signal.SIGINT)  # the server never answers: it ends in the middle of the call
    code, out = _ended(process)

    assert code == 130, out
    assert by_author(place) == {Author.MODEL: 1}
    assert "unit-1x" in place.section()
    assert "Stopped by you" in out
    assert not psutil.pid_exists(process.pid)


@pytest.mark.slow
def test_a_single_pass_ends_by_sigterm_in_a_hanging_call(place: Place, server: ModelServer) -> None:
    place.say(*decided(1))
    server.replies[:] = [Hang()]

    process = _start(place, server, "run", "--once")
    server.wait_for(1)
    process.send_signal(signal.SIGTERM)
    code, out = _ended(process)

    assert code == 130, out
    assert len(uncovered(place)) == 2


@pytest.mark.slow
def test_two_processes_at_once_note_everything_once(place: Place, server: ModelServer) -> None:
    place.say(*lengthy(1, 2, 3, 4))
    server.replies[:] = [_slow]

    both = [_start(place, server, "observe", window_tokens="500") for _ in range(2)]
    ends = [_ended(process) for process in both]

    assert [code for code, _ in ends] == [0, 0], ends
    assert by_author(place) == {Author.MODEL: 4}
    assert not uncovered(place)
    for number in (1, 2, 3, 4):
        assert place.dated().count(f"unit-{number}x") == 1


@pytest.mark.slow
def test_a_daemon_in_a_slow_call_keeps_nobody_waiting(place: Place, server: ModelServer) -> None:
    place.say(*decided(1))
    server.replies[:] = [Hang()]

    with running(place, **server.env()):
        server.wait_for(1)
        asks = ("observe", "--session", place.session.key, "--through-daemon", "4")
        code, out = _ended(_start(place, server, *asks))
        server.let_go()  # only now: whoever waited for the call would wait still
        until(lambda: is_resting(place))

    assert code == 0, out
    assert by_author(place) == {Author.RULES: 1}
    assert place.section().count("unit-1x") == 1


@pytest.mark.slow
def test_a_request_that_nobody_waits_for_any_more_is_given_up_in_the_middle_of_the_call(
    place: Place, server: ModelServer
) -> None:
    # With a long patience an exchange that goes on is not the daemon's to begin with, however slow we are.
    with running(place, **server.env(), SCRIMSHAW_IDLE_INTERVAL="1h") as daemon:
        daemon.until_it_says("event=ready")
        until(lambda: is_resting(place))
        server.replies[:] = [Hang()]
        place.session.user(decided(1)[0][0])
        place.session.at_ms = int(time.time() * 1000)
        place.save()
        asks = ("observe", "--session", place.session.key, "--through-daemon", "4")
        code, out = _ended(_start(place, server, *asks, idle_interval="1h"))
        until(lambda: is_resting(place))  # although the server hangs still

    assert code == 0, out
    assert list(authors(place).values()) == [Author.RULES]
