"""A daemon as a process of its own, on a machine of the test: started, listened to, stopped, killed."""

from __future__ import annotations

import contextlib
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from tests.places import Place
from tests.stores import FakeSession

from scrimshaw import heartbeat
from scrimshaw.layout import Layout
from scrimshaw.locks import presence
from scrimshaw.store.records import Counts

# The daemon ends within two seconds of a signal: a promise to service managers, which kill what takes longer.
# How long it takes is timed by `python -m bench daemon`; how long it would wait is asked here (see `grace`).
TWO_SECONDS = 2.0
PATIENCE_SECONDS = 90.0  # before a test gives up, never how long one takes
_LOOK_SECONDS = 0.01
# What a minute does in real life: another daemon gone, a folder set up or wiped.
QUICK = "pace = pace._replace(full=0.3, between_looks=0.3)"
# Sits in an observer that does not come back while a file is there, as in a slow call of a model.
SLOW_MODEL = """
from scrimshaw.services.observe import by_rules as noting
import os, pathlib, time
by_rules = noting.observe
def slowly(window, known, reads=None):
    home = pathlib.Path(os.environ["HOME"])
    (home / "begun").touch()
    while (home / "holds").exists():
        time.sleep(0.02)
    (home / "returned").touch()
    return by_rules(window, known, reads)
noting.observe = slowly
"""
_GRACE = """
from scrimshaw.daemon.worker import Worker
import sys
stop = Worker.stop
def patiently(worker, timeout_seconds):
    print("would wait", timeout_seconds, file=sys.stderr, flush=True)
    return stop(worker, timeout_seconds and {seconds})
Worker.stop = patiently
"""
_PROGRAM = """
import os, sys
from scrimshaw.cli.support.log import log_to_stderr
from scrimshaw.daemon import run as daemon
from scrimshaw.daemon.supervisor import Pace
from scrimshaw.workspace import Wanted
pace = Pace()
{seam}
log_to_stderr()
sys.exit(daemon.run(Wanted(), os.environ, pace=pace))
"""


def grace(seconds: float) -> str:
    """Return a seam: told to end, the daemon waits *seconds* for its jobs and logs how long it would have."""
    return _GRACE.format(seconds=seconds)


def until(is_so: Callable[[], object], seconds: float = PATIENCE_SECONDS) -> None:
    """Wait until *is_so*; fail after *seconds*, a patience that no healthy run comes near."""
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, f"waited {seconds:g} seconds in vain"
        time.sleep(_LOOK_SECONDS)


def environment(place: Place, **settings: str) -> dict[str, str]:
    """Return the environment of a program on *place*, with the machine's own clock and a short patience.

    A file that was written just now is left alone for as long as a conversation is.
    """
    own = {"HOME": str(place.root), "OPENCLAW_STATE_DIR": str(place.state), "SCRIMSHAW_IDLE_INTERVAL": "1s"}
    return {**os.environ, **own, **settings}


def scrimshaw(place: Place, *words: str) -> subprocess.Popen[str]:
    """Start the command beside the daemon."""
    return subprocess.Popen(
        [sys.executable, "-m", "scrimshaw", *words],
        env=environment(place),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@dataclass
class Daemon:
    """A running `scrimshaw run`."""

    process: subprocess.Popen[bytes]
    log_file: Path
    children: set[int] = field(default_factory=set)

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def log(self) -> str:
        return self.log_file.read_text()

    def until_it_says(self, text: str, seconds: float = PATIENCE_SECONDS) -> None:
        """Wait for *text* in the log; fail at once when the process has ended without it."""
        until(lambda: text in self.log or self.process.poll() is not None, seconds)
        assert text in self.log, f"ended with {self.process.poll()}:\n{self.log}"

    def send(self, number: signal.Signals) -> None:
        """Send a signal."""
        self.children |= {child.pid for child in psutil.Process(self.pid).children(recursive=True)}
        self.process.send_signal(number)

    def until_stopped(self) -> None:
        """Wait until a SIGSTOP has taken hold."""
        until(lambda: psutil.Process(self.pid).status() == psutil.STATUS_STOPPED)

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """End it by a signal; return the exit code."""
        self.send(number)
        return self.process.wait(PATIENCE_SECONDS)

    @property
    def would_wait(self) -> float:
        """The seconds that it would have given its jobs to end; it has to run with `grace`."""
        told = re.findall(r"^would wait (\S+)$", self.log, re.MULTILINE)
        assert told
        return sum(map(float, told))

    def left_behind(self) -> list[int]:
        """Return the children that outlived it."""
        return [pid for pid in self.children if psutil.pid_exists(pid)]


@contextlib.contextmanager
def running(place: Place, *, seam: str = "", name: str = "daemon", **settings: str) -> Iterator[Daemon]:
    """Start a daemon on *place*; with *seam*, lines of Python that come before it. None is left behind."""
    program = ["-c", _PROGRAM.format(seam=seam)] if seam else ["-m", "scrimshaw", "run"]
    log_file = place.root / f"{name}.log"
    with log_file.open("w") as log:
        process = subprocess.Popen(
            [sys.executable, *program],
            env=environment(place, **settings),
            stderr=log,
            stdin=subprocess.DEVNULL,
        )
    try:
        yield Daemon(process, log_file)
    finally:
        process.kill()
        process.wait(PATIENCE_SECONDS)


def is_resting(place: Place) -> bool:
    """Tell whether the daemon of *place* says that it waits for something new."""
    beat = heartbeat.read(Layout(place.workspace).state)
    return (
        beat is not None and beat.doing == "waiting" and presence(Layout(place.workspace).state) is not None
    )


def counts(place: Place) -> Counts:
    """Return what the ledger holds."""
    with place.ledger(read_only=True) as ledger:
        return ledger.counts()


def large_backlog(folder: Path, megabytes: int = 30) -> Place:
    """Return a place that is set up and where much is said afterwards: seconds of work."""
    place = Place(folder / "machine")
    assert place.run("init", "--yes").code == 0
    chance = random.Random(20261122)
    words = ["the", "deploy", "failed", "so", "we", "rolled", "back", "please", "keep", "answers", "short"]
    place.sessions += [FakeSession(key=f"agent:main:explicit:{number}") for number in range(1, 5)]
    for number, session in enumerate(place.sessions):
        for turn in range(megabytes * 6):
            session.user(
                f"We decided that service s{number}x{turn} runs release {turn}.{number}.1 in production."
            )
            session.tool("exec", {"command": f"rg -n {turn}"}, " ".join(chance.choices(words, k=3000)))
            session.assistant(" ".join(chance.choices(words, k=300)))
    place.save()
    return place
