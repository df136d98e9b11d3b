"""The daemon as a real process with real files: how it is asked, is stopped, is killed, and goes on."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.daemon.processes import (
    PATIENCE_SECONDS,
    QUICK,
    SLOW_MODEL,
    TWO_SECONDS,
    counts,
    grace,
    is_resting,
    large_backlog,
    running,
    scrimshaw,
    until,
)
from tests.places import Answer, Place
from tests.support.prepared import Prepared

from scrimshaw import heartbeat
from scrimshaw.layout import Layout
from scrimshaw.locks import presence

_DECIDED = "We decided that billing-api runs release 2.4.1 in production."
_LATER = "We decided that ledger-api runs release 7.0.3 in production."
# A job that says that it has begun and does not end, whatever it is told.
_STUCK = """
from pathlib import Path
import scrimshaw.daemon.duty as duty, time
def stuck(target, *_):
    (target.layout.workspace / "begun").touch()
    time.sleep(600)
duty.follow = duty.maintain = stuck
"""
# Longer at work than the test needs to end it, on any machine.
_SLOW = """
from scrimshaw.services.observe import session
import time
prepare = session.prepare
def slowly(window):
    time.sleep(0.05)
    return prepare(window)
session.prepare = slowly
"""
_DEADLY = """
from scrimshaw.daemon.worker import Worker
def die(worker, job):
    raise SystemExit
Worker._one = die
"""


def _begun(place: Place) -> None:
    """A machine with one agent that is set up."""
    place.say((_DECIDED, "Noted."))
    assert place.run("init", "--yes").code == 0


@pytest.fixture
def place(prepared: Prepared) -> Place:
    return prepared(_begun)


def _state(place: Place) -> Path:
    return Layout(place.workspace).state


def _outcome(place: Place) -> tuple[str, list[str], int]:
    return place.section(), sorted(place.dated().splitlines()), counts(place).covered


def _now() -> str:
    return datetime.now(UTC).isoformat()


def _is_asked_for(place: Place) -> bool:
    with place.ledger(read_only=True) as ledger:
        return bool(ledger.pending_requests("observe"))


# -- the end ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "number",
    [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)],
    ids=["SIGTERM", "SIGINT"],
)
def test_a_signal_ends_an_idle_daemon(place: Place, number: signal.Signals) -> None:
    with running(place, seam=grace(PATIENCE_SECONDS)) as daemon:
        daemon.until_it_says("event=ready")
        code = daemon.end(number)

    assert code == 0, daemon.log
    assert daemon.left_behind() == []
    assert f"event=end signal={number:d} at_work=finished" in daemon.log
    assert 0 < daemon.would_wait < TWO_SECONDS
    assert (presence(_state(place)), heartbeat.read(_state(place))) == (None, None)


def _ended_in_the_middle(
    folder: Path, number: signal.Signals, megabytes: int, seam: str = ""
) -> tuple[Place, int]:
    """End a daemon while it observes a large backlog; return the place and its exit code."""
    place = large_backlog(folder, megabytes)
    with running(place, seam=seam) as daemon:
        until(lambda: counts(place).covered > 0 or daemon.process.poll() is not None)
        code = daemon.end(number)
    assert daemon.left_behind() == []
    if seam:
        assert "at_work=finished" in daemon.log  # it had all the time that it wanted
        assert daemon.would_wait < TWO_SECONDS
    return place, code


def _undisturbed(folder: Path, megabytes: int) -> tuple[str, list[str], int]:
    place = large_backlog(folder, megabytes)
    assert place.run("observe", now=_now()).code == 0
    return _outcome(place)


@pytest.mark.parametrize(
    ("number", "megabytes", "seam"),
    [
        (signal.SIGTERM, 1, _SLOW + grace(PATIENCE_SECONDS)),
        pytest.param(signal.SIGTERM, 30, "", marks=pytest.mark.slow),
        pytest.param(signal.SIGINT, 30, "", marks=pytest.mark.slow),
    ],
    ids=["a slow one", "SIGTERM, 30 MB", "SIGINT, 30 MB"],
)
def test_a_signal_in_the_middle_of_a_large_backlog_ends_it_and_loses_nothing(
    tmp_path: Path, number: signal.Signals, megabytes: int, seam: str
) -> None:
    expected = _undisturbed(tmp_path / "undisturbed", megabytes)

    place, code = _ended_in_the_middle(tmp_path, number, megabytes, seam)
    covered = counts(place).covered
    next_run = place.run("observe", now=_now())

    assert code == 0
    assert 0 < covered < expected[2]
    assert next_run.code == 0
    assert _outcome(place) == expected


@pytest.mark.slow
def test_after_a_kill_in_the_middle_of_a_large_backlog_a_new_daemon_goes_on(tmp_path: Path) -> None:
    _, expected_lines, expected_covered = _undisturbed(tmp_path / "undisturbed", 30)

    place, code = _ended_in_the_middle(tmp_path, signal.SIGKILL, 30)
    covered = counts(place).covered
    with running(place) as daemon:
        until(lambda: counts(place).covered == expected_covered)
        daemon.until_it_says("section=written")
        code_of_the_next = daemon.end()

    assert (code, code_of_the_next) == (-signal.SIGKILL, 0)
    assert 0 < covered < expected_covered
    assert sorted(place.dated().splitlines()) == expected_lines


@pytest.mark.slow
def test_a_job_that_does_not_stop_is_abandoned(place: Place) -> None:
    with running(place, seam=_STUCK + grace(0.05)) as daemon:
        until((place.workspace / "begun").exists)
        code = daemon.end()

    assert code == 0
    assert "at_work=abandoned" in daemon.log
    assert 0 < daemon.would_wait < TWO_SECONDS


def test_a_second_signal_ends_it_at_once(place: Place) -> None:
    with running(place, seam=_STUCK) as daemon:
        until((place.workspace / "begun").exists)
        # Stopped, it takes both at the same moment, in whichever order its threads come to them.
        daemon.send(signal.SIGSTOP)
        daemon.until_stopped()
        daemon.send(signal.SIGINT)
        daemon.send(signal.SIGTERM)
        code = daemon.end(signal.SIGCONT)

    # With the first alone it gives the job its time, and ends with 0.
    assert code in (128 + signal.SIGTERM, 128 + signal.SIGINT)


def test_a_worker_that_dies_ends_the_process_so_that_another_is_started(place: Place) -> None:
    with running(place, seam=_DEADLY) as daemon:
        code = daemon.process.wait(PATIENCE_SECONDS)

    assert code == 70
    assert "event=worker-died" in daemon.log


@pytest.mark.slow
def test_after_a_kill_a_new_daemon_serves(place: Place) -> None:
    with running(place, name="first") as daemon:
        daemon.until_it_says("event=ready")
        daemon.end(signal.SIGKILL)
    place.say((_LATER, "Noted."))

    with running(place, name="second") as daemon:
        until(lambda: "7.0.3" in place.memory.read_text())
        code = daemon.end()

    assert code == 0
    assert "event=serving" in daemon.log


# -- one for each workspace ---------------------------------------------------------------------------------


def test_a_second_daemon_says_who_serves_and_takes_over_when_that_one_is_gone(place: Place) -> None:
    with running(place, name="first") as first:
        first.until_it_says("event=ready")
        with running(place, seam=QUICK, name="second") as second:
            second.until_it_says("is already the daemon of this workspace")
            served_by = presence(_state(place))
            is_refused = "event=serving" not in second.log
            first.end(signal.SIGKILL)
            second.until_it_says("event=serving")
            until(lambda: is_resting(place))
            taken_by = presence(_state(place))

    assert is_refused
    assert [holder and holder.pid for holder in (served_by, taken_by)] == [first.pid, second.pid]


@pytest.mark.slow
def test_a_workspace_set_up_meanwhile_is_served_without_a_restart(tmp_path: Path) -> None:
    place = Place(tmp_path / "machine")
    place.say((_DECIDED, "Noted."))

    with running(place, seam=QUICK) as daemon:
        daemon.until_it_says("not set up yet")
        is_untouched = not place.memory.exists() and not _state(place).exists()
        assert scrimshaw(place, "init", "--yes").wait(PATIENCE_SECONDS) == 0
        daemon.until_it_says("event=serving")
        place.say((_LATER, "Noted."))
        until(lambda: "7.0.3" in place.memory.read_text())

    assert is_untouched


@pytest.mark.slow
def test_an_agent_that_comes_meanwhile_is_served_when_it_is_set_up(place: Place) -> None:
    second = place.root / "second"

    with running(place, seam=QUICK) as daemon:
        daemon.until_it_says("event=ready")
        second.mkdir()
        config = json.loads((place.state / "openclaw.json").read_text())
        config["agents"]["entries"] = {"main": {}, "clerk": {"workspace": str(second)}}
        (place.state / "openclaw.json").write_text(json.dumps(config))
        shutil.copytree(place.store, place.state / "agents" / "clerk" / "sessions")
        daemon.until_it_says(f"{second}: not set up yet")
        assert scrimshaw(place, "init", "--yes", "--agent", "clerk").wait(PATIENCE_SECONDS) == 0
        daemon.until_it_says(f"event=serving agent=clerk workspace={second}")


@pytest.mark.slow
def test_a_state_folder_that_vanished_is_not_made_again_and_one_that_came_back_is_served(
    place: Place,
) -> None:
    with running(place, seam=QUICK) as daemon:
        daemon.until_it_says("event=ready")
        until(lambda: is_resting(place))
        _state(place).rename(place.root / "aside")
        daemon.until_it_says("event=dropped")
        is_gone = not _state(place).exists()
        place.say((_LATER, "Noted."))
        (place.root / "aside").rename(_state(place))
        until(lambda: daemon.log.count("event=serving") == 2)
        until(lambda: "7.0.3" in place.memory.read_text())

    assert is_gone
    assert "defect" not in daemon.log


# -- asked --------------------------------------------------------------------------------------------------


def test_the_command_lets_the_daemon_observe(place: Place) -> None:
    with running(place) as daemon:
        # What is said while the daemon starts belongs to its first round, not to the request.
        for word in ("event=ready", "job=maintain", "job=reflect"):
            daemon.until_it_says(word)
        until(lambda: is_resting(place))
        before = counts(place)
        place.session.at_ms = int(time.time() * 1000)
        place.say((_LATER, "Noted."))
        answer, _ = (asked := scrimshaw(place, "observe", "--through-daemon", "20")).communicate(
            timeout=PATIENCE_SECONDS
        )

    assert asked.returncode == 0, answer
    # A daemon that has seen the exchange before a slow command asks has noted it in a round of its own.
    assert re.search(r"Done by the daemon: [01] noted, section written\.", answer), answer
    assert counts(place).observations == before.observations + 1
    assert "why='a request'" in daemon.log
    assert "7.0.3" in place.section()


@pytest.mark.slow
def test_a_daemon_killed_while_it_is_waited_for_leaves_the_work_to_the_command(place: Place) -> None:
    with running(place) as daemon:
        # Stopped in the middle of a transaction it would hold the ledger's lock.
        for word in ("event=ready", "job=maintain", "job=reflect"):
            daemon.until_it_says(word)
        until(lambda: is_resting(place))
        daemon.send(signal.SIGSTOP)
        daemon.until_stopped()
        place.say((_LATER, "Noted."))
        asked = scrimshaw(place, "observe", "--through-daemon", "20")
        until(lambda: _is_asked_for(place))
        daemon.end(signal.SIGKILL)
        answer, _ = asked.communicate(timeout=PATIENCE_SECONDS)

    assert asked.returncode == 0, answer
    assert "1 noted" in answer
    assert "Done by the daemon" not in answer
    assert "7.0.3" in place.section()


@pytest.mark.parametrize(
    "is_about_one", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["one-session", "all"]
)
def test_a_daemon_in_a_slow_call_of_a_model_is_not_waited_for_and_adds_nothing_twice(
    place: Place, is_about_one: bool
) -> None:
    holds = place.root / "holds"
    with running(place, seam=SLOW_MODEL, SCRIMSHAW_OBSERVATION_THRESHOLD="500") as daemon:
        daemon.until_it_says("event=ready")
        until(lambda: is_resting(place))
        holds.touch()
        place.session.at_ms = int(time.time() * 1000) - 60_000
        place.say((_LATER, "Noted."))
        until((place.root / "begun").exists)
        words = ("--session", place.session.key) if is_about_one else ()
        # Taken over after half of the time, while the daemon still hangs in its call.
        answer, _ = (asked := scrimshaw(place, "observe", "--through-daemon", "8", *words)).communicate(
            timeout=PATIENCE_SECONDS
        )
        noted_meanwhile = place.section()
        before = counts(place)
        holds.unlink()
        until((place.root / "returned").exists)
        until(lambda: is_resting(place))
        daemon.end()

    assert asked.returncode == 0, answer
    assert "The daemon is busy" in answer
    assert noted_meanwhile.count("7.0.3") == 1
    assert place.section().count("7.0.3") == 1
    assert place.dated().count("7.0.3") == 1
    after = counts(place)
    assert (after.observations, after.covered) == (before.observations, before.covered)
    assert "defect" not in daemon.log


# -- told ---------------------------------------------------------------------------------------------------


def test_status_shows_the_daemon_and_its_silence_and_once_leaves_it_the_work(
    place: Place,
) -> None:
    now = datetime.now(UTC)
    with running(place) as daemon:
        daemon.until_it_says("event=ready")
        seen: list[Answer] = []

        def rests() -> bool:
            # It may look once more at what was there when it began.
            seen[:] = [place.run("status", *how, now=now.isoformat()) for how in (["--json"], [])]
            return '"waiting"' in seen[0].out and "waiting for something new" in seen[1].out

        until(lambda: is_resting(place) and rests())
        well, told = seen
        silent = place.run("status", now=(now + timedelta(minutes=12)).isoformat())
        once = place.run("run", "--once")
        daemon.end()
        ended = place.run("status", now=now.isoformat())

    [workspace] = well.object["workspaces"]
    assert workspace["daemon"]["pid"] == daemon.pid
    assert workspace["daemon"]["heartbeat"]["doing"] == "waiting"
    assert (well.code, workspace["problems"]) == (0, [])
    assert f"process {daemon.pid} since" in told.out
    assert "waiting for something new" in told.out
    assert silent.code == 1
    assert f"(process {daemon.pid}) has sent no heartbeat for 1" in silent.out + silent.err
    assert "none runs" in ended.out
    assert once.code == 5  # nothing is done beside it


@pytest.mark.slow
def test_memory_is_left_alone_in_the_middle_of_a_conversation_and_written_when_it_is_idle(
    place: Place,
) -> None:
    idle_seconds = 3
    settings = {"SCRIMSHAW_IDLE_INTERVAL": f"{idle_seconds}s", "SCRIMSHAW_OBSERVATION_THRESHOLD": "500"}
    with running(place, seam=QUICK, **settings) as daemon:
        daemon.until_it_says("event=ready")
        until(lambda: is_resting(place))
        before = place.memory.read_bytes()
        place.session.at_ms = int(time.time() * 1000) - 8_000
        place.say(
            (_LATER, "Noted."), ("What do you make of it? " + "All in all, a long story. " * 300, "A lot.")
        )
        said_at = place.session.at_ms / 1000
        until(lambda: "7.0.3" in place.dated())
        noted_after, memory_then = time.time() - said_at, place.memory.read_bytes()
        until(lambda: "7.0.3" in place.memory.read_text())
        written_after = place.memory.stat().st_mtime - said_at

    if noted_after < idle_seconds:  # not on a machine that stood still meanwhile
        assert memory_then == before
        assert "section=later" in daemon.log
    assert written_after >= idle_seconds - 0.1


# -- once ---------------------------------------------------------------------------------------------------


def test_once_does_what_is_due_and_says_how_it_went(place: Place, tmp_path: Path) -> None:
    place.say((_LATER, "Noted."))

    done = place.run("run", "--once")
    again = place.run("run", "--once")

    assert (done.code, again.code) == (0, 0)
    assert "7.0.3" in place.section()
    assert presence(_state(place)) is None


def test_once_with_nothing_set_up_is_for_the_owner_to_mend(tmp_path: Path) -> None:
    place = Place(tmp_path / "machine")

    assert place.run("run", "--once").code == 1
    assert not _state(place).exists()


def test_once_counts_a_workspace_that_nobody_set_up_as_nothing_wrong(place: Place) -> None:
    second = place.root / "second"
    second.mkdir()
    config = json.loads((place.state / "openclaw.json").read_text())
    config["agents"]["entries"] = {"main": {}, "clerk": {"workspace": str(second)}}
    (place.state / "openclaw.json").write_text(json.dumps(config))
    place.say((_LATER, "Noted."))

    done = place.run("run", "--once")

    assert done.code == 0
    assert "7.0.3" in place.section()
    assert not (second / ".scrimshaw").exists()


def test_once_with_damaged_markers_refuses_and_with_another_workspace_went_well_partly(place: Place) -> None:
    damaged = place.memory.read_text().replace("<!-- scrimshaw:end -->", "")
    place.memory.write_text(damaged)
    os.utime(place.memory, (0, 0))
    place.say((_LATER, "Noted."))

    alone = place.run("run", "--once")
    second = place.root / "second"
    second.mkdir()
    config = json.loads((place.state / "openclaw.json").read_text())
    config["agents"]["entries"] = {"main": {}, "clerk": {"workspace": str(second)}}
    (place.state / "openclaw.json").write_text(json.dumps(config))
    shutil.copytree(place.store, place.state / "agents" / "clerk" / "sessions")
    place.run("init", "--yes", "--agent", "clerk")
    place.say(("We decided that report-api runs release 3.3.9 in production.", "Noted."))
    both = place.run("run", "--once")

    assert (alone.code, both.code) == (4, 3)
    assert place.memory.read_text() == damaged
