"""The daemon as a process: how fresh MEMORY.md is, what an idle daemon costs, how soon it is up and gone.

A machine is generated in a temporary folder: agents with SQLite stores and agents with JSONL folders, each
with a hundred small conversations, all set up and observed. Then a host's commits are played and timed up to
the section on disk; nothing is done for a minute; and the daemon is started again with nothing changed, and
ended.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime, timedelta
from math import ceil
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple, TypeVar

import psutil
from tests.stores import FakeSession, append_events, build_jsonl, build_sqlite, lines_of

from scrimshaw import heartbeat
from scrimshaw.daemon.duty import duty
from scrimshaw.daemon.roster import Roster
from scrimshaw.daemon.supervisor import Supervisor
from scrimshaw.daemon.watching import Watcher
from scrimshaw.daemon.worker import Worker
from scrimshaw.layout import Layout
from scrimshaw.services.schedule.tick import TickOptions
from scrimshaw.store.ledger import open_ledger
from scrimshaw.workspace import Wanted

_PARTS = ("fresh", "idle", "start")
KINDS = ("sqlite", "jsonl")
# Longer than the daemon leaves between two looks at one workspace, as every setting of minutes is.
_IDLE_SECONDS = 6.0
_POLL_SECONDS = 0.004
_PATIENCE_SECONDS = 60.0
_REST_PATIENCE_SECONDS = 300.0  # twenty archives on a busy machine


T = TypeVar("T")


class Machine(NamedTuple):
    """A folder with a host's state and its agents' workspaces."""

    root: Path

    @property
    def env(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("SCRIMSHAW_")}
        own = {"HOME": str(self.root), "OPENCLAW_STATE_DIR": str(self.state)}
        return {**kept, **own, "XDG_CONFIG_HOME": str(self.root / "no-settings")}

    @property
    def state(self) -> Path:
        return self.root / "state"

    def workspace(self, agent: str) -> Path:
        return self.root / "workspaces" / agent

    def store(self, agent: str) -> Path:
        folder = self.state / "agents" / agent
        return folder / "agent/openclaw-agent.sqlite" if agent.startswith("sqlite") else folder / "sessions"

    def agents(self) -> list[str]:
        return sorted(path.name for path in (self.state / "agents").iterdir())


class Idle(NamedTuple):
    """What a daemon cost while nothing happened."""

    percent: float  # of one core
    rss_mb: float


class Rounds(NamedTuple):
    """Milliseconds of processor that rounds took: those of every second, and the full ones."""

    plain_ms: list[float]
    full_ms: list[float]


class Figure(NamedTuple):
    """What was measured, *count* times; a goal binds the worst."""

    median: float
    worst: float
    unit: str
    worst_is: str  # "p95", "max", "" when measured once
    goal: float | None = None
    count: int = 1


def main(arguments: list[str]) -> int:
    """Measure what was asked for, print it; 1 when a goal was missed."""
    parser = argparse.ArgumentParser(prog="bench daemon", description=__doc__)
    parser.add_argument("--only", choices=_PARTS, nargs="*", default=_PARTS)
    parser.add_argument("--events", type=int, default=40, help="of each kind of store and of trigger")
    parser.add_argument("--agents", type=int, default=20)
    parser.add_argument("--sessions", type=int, default=100, help="of each agent")
    parser.add_argument("--seconds", type=float, default=60.0, help="of doing nothing")
    parser.add_argument("--runs", type=int, default=5, help="starts")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    figures: dict[str, Figure] = {}
    with tempfile.TemporaryDirectory(prefix="scrimshaw-bench-") as folder:
        machine = in_child(build, Machine(Path(folder)), given.agents, given.sessions)
        if "start" in given.only:
            figures |= start_figures(machine, given.runs)
        if "idle" in given.only:
            figures |= idle_figures(machine, given.seconds)
    if "fresh" in given.only:
        with tempfile.TemporaryDirectory(prefix="scrimshaw-bench-") as folder:
            figures |= fresh_figures(in_child(build, Machine(Path(folder)), 8, 3), given.events)
    if given.json:
        print(json.dumps({name: found._asdict() for name, found in figures.items()}))
    else:
        _table(figures)
    return int(any(found.goal is not None and found.worst > found.goal for found in figures.values()))


# -- the machine --------------------------------------------------------------------------------------------


def build(machine: Machine, agents: int, sessions: int) -> Machine:
    """Lay out a host with *agents*, half of each kind of store, set up and observed."""
    names = [f"{KINDS[number % 2]}-{number:02}" for number in range(agents)]
    entries = {}
    for name in names:
        machine.workspace(name).mkdir(parents=True)
        entries[name] = {"workspace": str(machine.workspace(name))}
        said = [_session(name, number) for number in range(sessions)]
        if name.startswith("sqlite"):
            build_sqlite(machine.store(name), said)
        else:
            build_jsonl(machine.store(name), said)
    config = {"agents": {"defaults": {"userTimezone": "UTC"}, "entries": entries}}
    (machine.state / "openclaw.json").write_text(json.dumps(config))
    subprocess.run(
        [sys.executable, "-m", "scrimshaw", "observe", "--yes"],
        env=machine.env, stdout=subprocess.DEVNULL, check=True,
    )  # fmt: skip
    return machine


def _session(agent: str, number: int) -> FakeSession:
    session = FakeSession(key=f"agent:{agent}:main" if number == 0 else f"agent:{agent}:explicit:{number}")
    session.at_ms += number * 60_000
    for turn in range(3):
        session.user(
            f"We decided that service {agent}-{number} runs release {turn}.{number}.0 in production."
        )
        session.assistant("Noted, I have written that down and will keep to it from now on.")
    return session


class Host:
    """The host of one agent: says something in its main conversation, as of now, and commits it."""

    def __init__(self, machine: Machine, agent: str) -> None:
        self.agent, self.kind = agent, agent.partition("-")[0]
        self.layout = Layout(machine.workspace(agent))
        self._store = machine.store(agent)
        self._session = _session(agent, 0)
        self._count = 0

    def say(self) -> str:
        """Have one exchange; return a word of it that a section will hold."""
        self._count += 1
        word = f"svc{self._count}x{self.agent.replace('-', '')}"
        first = len(self._session.events)
        self._session.at_ms = int(time.time() * 1000) - 2_000
        self._session.user(f"We decided that {word} runs release {self._count}.4.1 in production.")
        self._session.assistant("Noted.")
        new = self._session.events[first:]
        if self._store.is_dir():
            with (self._store / f"{self._session.session_id}.jsonl").open("ab") as file:
                file.write(lines_of(new))
        else:
            with contextlib.closing(sqlite3.connect(self._store)) as connection, connection:
                append_events(connection, self._session, first)
                connection.execute(
                    "update transcript_events set created_at = ? where session_id = ? and seq >= ?",
                    (self._session.at_ms, self._session.session_id, first),
                )
        return word

    @property
    def newest_at(self) -> float:
        """When the newest entry was stored, in seconds of the wall clock, as the host has it."""
        return self._session.at_ms / 1000

    def ask(self) -> None:
        """Put a request, as `scrimshaw observe --through-daemon` does."""
        with open_ledger(self.layout.ledger, create=False) as ledger:
            ledger.put_request("observe", by="bench", at_ms=int(time.time() * 1000))
        self.layout.wake.touch(mode=0o600)

    def written_at(self, word: str) -> float:
        """Wait until the section holds *word*; return when that came to stand there, by the wall clock."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        seen = 0
        while time.monotonic() < deadline:
            with contextlib.suppress(FileNotFoundError):
                changed = self.layout.memory.stat().st_ctime_ns  # of the rename: the text was there before
                if changed != seen and word in self.layout.memory.read_text(encoding="utf-8"):
                    return changed / 1e9
                seen = changed
            time.sleep(_POLL_SECONDS)
        raise SystemExit(f"{self.layout.memory} does not hold {word} after {_PATIENCE_SECONDS:g} seconds")


# -- the daemon ---------------------------------------------------------------------------------------------


@contextlib.contextmanager
def running(machine: Machine, **settings: str) -> Iterator[psutil.Process]:
    """Start the daemon, yield it when every workspace was looked at and nothing is at work, end it."""
    log = machine.root / "daemon.log"
    with log.open("w") as file:
        daemon = subprocess.Popen(
            [sys.executable, "-m", "scrimshaw", "run"], env={**machine.env, **settings}, stderr=file
        )
    try:
        _wait(lambda: "event=ready" in log.read_text(), f"{log}: the daemon is not up")
        layouts = [Layout(machine.workspace(agent)) for agent in machine.agents()]
        _wait(lambda: all(map(_is_waiting, layouts)), "the daemon does not come to rest")
        yield psutil.Process(daemon.pid)
    finally:
        daemon.send_signal(signal.SIGTERM)
        daemon.wait(_PATIENCE_SECONDS)


def _is_waiting(layout: Layout) -> bool:
    beat = heartbeat.read(layout.state)
    return beat is not None and beat.doing == "waiting"


def _wait(is_so: Callable[[], bool], otherwise: str) -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not is_so():
        if time.monotonic() > deadline:
            raise SystemExit(otherwise)
        time.sleep(_POLL_SECONDS)


def fresh_seconds(machine: Machine, hosts: list[Host], trigger: str, events: int) -> dict[str, list[float]]:
    """Play *events* commits on each kind of store; return the seconds until the section is on disk, by kind.

    They count from the request, or from the moment that the conversation has been idle for long enough.
    """
    found: dict[str, list[float]] = {kind: [] for kind in KINDS}
    chance = random.Random(20261122)
    with running(machine, SCRIMSHAW_IDLE_INTERVAL=f"{_IDLE_SECONDS:g}s" if trigger == "idle" else "5m"):
        while min(map(len, found.values())) < events:
            awaited = []
            for host in hosts:
                time.sleep(chance.uniform(0.0, 0.8))
                word, due = host.say(), host.newest_at + _IDLE_SECONDS
                if trigger == "request":
                    time.sleep(chance.uniform(0.0, 0.8))  # any moment between two rounds of the daemon
                    due = time.time()
                    host.ask()
                awaited.append((host, word, due))
            for host, word, due in awaited:
                found[host.kind].append(host.written_at(word) - due)
    return found


def idle(machine: Machine, seconds: float) -> Idle:
    """Let the daemon be for *seconds* and return what it cost."""
    with running(machine) as daemon:
        # What the start leaves behind: first reflections, nightly rounds that were missed, archives.
        _wait_for_rest(daemon, 5.0)
        before, began = _cpu_seconds(daemon), time.monotonic()
        time.sleep(seconds)
        spent = _cpu_seconds(daemon) - before
        percent = 100 * spent / (time.monotonic() - began)
        return Idle(percent, daemon.memory_info().rss / 2**20)


def _wait_for_rest(daemon: psutil.Process, seconds: float) -> None:
    """Wait until the daemon has had no child for *seconds*: archives and vectors are made by children."""
    alone_since = time.monotonic()
    until = alone_since + _REST_PATIENCE_SECONDS
    while time.monotonic() - alone_since < seconds and time.monotonic() < until:
        if daemon.children():
            alone_since = time.monotonic()
        time.sleep(0.1)


def start_and_end_seconds(machine: Machine) -> tuple[float, float]:
    """Return the seconds until a started daemon has looked at every workspace, and those of its end."""
    began = time.monotonic()
    with running(machine) as daemon:
        is_up = time.monotonic()
        daemon.send_signal(signal.SIGTERM)
        daemon.wait(_PATIENCE_SECONDS)
        return is_up - began, time.monotonic() - is_up


def _cpu_seconds(process: psutil.Process) -> float:
    # In nanoseconds where Linux tells; the usual figure comes in hundredths of a second, and the goal is six.
    threads = list(Path(f"/proc/{process.pid}/task").glob("*/schedstat"))
    if threads:
        return sum(int(path.read_text().split()[0]) for path in threads) / 1e9
    times = process.cpu_times()
    return float(times.user + times.system)


def rounds(machine: Machine) -> Rounds:
    """Step a daemon's supervisor in this process, through hours in which nothing happens."""
    os.environ.update(machine.env)
    ahead = timedelta()
    roster, watcher = Roster(Wanted(), os.environ), Watcher(lambda: None)
    worker = Worker(duty(roster.targets.get, lambda: datetime.now(UTC), TickOptions()))
    supervisor = Supervisor(
        roster,
        watcher,
        worker,
        clock=lambda: datetime.now(UTC) + ahead,
        monotonic=lambda: time.monotonic() + ahead.total_seconds(),
    )
    spent = Rounds([], [])
    for number in range(-5, 400):  # at first what a start has to do
        is_full = number % 10 == 9
        ahead += timedelta(seconds=61 if is_full else 1)
        before = time.process_time_ns()
        supervisor.step()
        if number >= 0:
            (spent.full_ms if is_full else spent.plain_ms).append((time.process_time_ns() - before) / 1e6)
        worker.work_off()
    watcher.close()
    supervisor.close()
    return spent


def in_child(work: Callable[..., T], *arguments: object) -> T:
    """Do *work* in a process of its own and return what it returns: what it needs does not stay here."""
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
        return pool.submit(work, *arguments).result()


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the value that *percent* of all do not exceed."""
    return sorted(values)[max(0, ceil(len(values) * percent / 100) - 1)]


# -- what is printed ----------------------------------------------------------------------------------------


def start_figures(machine: Machine, runs: int) -> dict[str, Figure]:
    """Return the seconds of *runs* starts with nothing changed since the last end, and of as many ends."""
    start_and_end_seconds(machine)  # the first one does what it has never done: reflections, nightly rounds
    starts, ends = zip(*(start_and_end_seconds(machine) for _ in range(runs)), strict=True)
    return {
        "start, nothing changed": Figure(percentile(starts, 50), max(starts), "s", "max", 3.0, runs),
        "end, by a signal": Figure(percentile(ends, 50), max(ends), "s", "max", 2.0, runs),
    }


def idle_figures(machine: Machine, seconds: float) -> dict[str, Figure]:
    """Return what an idle daemon costs, and of that each round."""
    cost, each = idle(machine, seconds), in_child(rounds, machine)
    percent = f"idle for {seconds:g} s, processor"
    return {
        percent: Figure(cost.percent, cost.percent, "% of a core", "", 0.1),
        "idle, resident memory": Figure(cost.rss_mb, cost.rss_mb, "MB", "", 80.0),
        "one round, every second": _of(each.plain_ms, "ms of processor"),
        "one full round, every minute": _of(each.full_ms, "ms of processor"),
    }


def fresh_figures(machine: Machine, events: int) -> dict[str, Figure]:
    """Return how long the section lags behind, by trigger and kind of store."""
    figures: dict[str, Figure] = {}
    hosts = [Host(machine, agent) for agent in machine.agents()]
    for trigger in ("request", "idle"):
        for kind, seconds in fresh_seconds(machine, hosts, trigger, events).items():
            figures[f"{trigger} to section, {kind}"] = _of(seconds, "s", 1.5)
    return figures


def _of(values: list[float], unit: str, goal: float | None = None) -> Figure:
    return Figure(percentile(values, 50), percentile(values, 95), unit, "p95", goal, len(values))


def _table(figures: dict[str, Figure]) -> None:
    print(f"| {'what':32} | median | worst | unit | n | goal |\n|---|---|---|---|---|---|")
    for name, found in figures.items():
        worst = f"{found.worst:.3g} ({found.worst_is})" if found.worst_is else ""
        goal = f"<= {found.goal:g}" if found.goal is not None else ""
        print(f"| {name:32} | {found.median:.3g} | {worst} | {found.unit} | {found.count} | {goal} |")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
