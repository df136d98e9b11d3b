"""A daemon in simulated time: the real supervisor, worker, jobs and files, a clock that is moved by hand."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import time_machine
from tests.conftest import FakeClock
from tests.places import Place

from scrimshaw.daemon.duty import duty
from scrimshaw.daemon.roster import Roster
from scrimshaw.daemon.supervisor import Pace, Supervisor, Watches
from scrimshaw.daemon.worker import Worker
from scrimshaw.services.schedule.tick import TickOptions
from scrimshaw.sources.discover import StoreRef
from scrimshaw.workspace import Wanted


class FakeWatcher:
    """Tells what it was told: no thread, no event."""

    is_hearing = True

    def __init__(self) -> None:
        self.news: set[Path] = set()
        self.is_stale = False
        self.mended = 0
        self.stores: dict[Path, tuple[StoreRef, ...]] = {}

    def watch(self, stores: dict[Path, tuple[StoreRef, ...]], roots: frozenset[Path]) -> None:
        self.stores = stores

    def changed(self, *, is_full: bool, polls: bool) -> frozenset[Path]:
        news, self.news = frozenset(self.news), set()
        return news

    def is_discovery_due(self, *, is_full: bool, polls: bool) -> bool:
        was, self.is_stale = self.is_stale, False
        return was

    def problems(self) -> tuple[str, ...]:
        return ()

    def mend(self) -> None:
        self.mended += 1


class Simulation:
    """One machine and one daemon; `run_for` lives through time, step by step."""

    def __init__(
        self,
        place: Place,
        clock: FakeClock,
        traveller: time_machine.Traveller,
        watcher: Watches | None = None,
    ) -> None:
        self.place, self.clock, self.traveller = place, clock, traveller
        self.mono = 0.0
        self.watcher = FakeWatcher()
        env = {"HOME": str(place.root), "OPENCLAW_STATE_DIR": str(place.state)}
        self.roster = Roster(Wanted(), env)
        self.worker = Worker(duty(self.roster.targets.get, clock, TickOptions()))
        self.supervisor = Supervisor(
            self.roster,
            watcher or self.watcher,
            self.worker,
            clock=clock,
            monotonic=lambda: self.mono,
            # Between two rounds nothing happens here that is not planned, but for what a real watcher finds.
            pace=Pace(poll=60.0 if watcher else 3600.0),
        )

    def step(self) -> float:
        """Live through one round and what it had done."""
        wait = self.supervisor.step()
        if self.worker.work_off():
            wait = min(wait, self.supervisor.step())
            self.worker.work_off()
        return wait

    def run_for(self, **parts: float) -> None:
        """Let time pass, round by round."""
        end = self.mono + timedelta(**parts).total_seconds()
        while self.mono < end:
            wait = min(max(self.step(), 0.01), end - self.mono)
            self.mono += wait
            self.traveller.move_to(self.clock.advance(seconds=wait))
        self.step()

    def sleep(self, **parts: float) -> None:
        """The machine is suspended: wall time passes, nothing else."""
        self.traveller.move_to(self.clock.advance(**parts))

    def say(self, user: str, assistant: str = "Noted.") -> None:
        """The person and the agent say something now."""
        self.place.session.at_ms = self.clock.now_ms
        self.place.say((user, assistant))
        if self.place.kind == "jsonl":
            for path in self.place.store.iterdir():
                os.utime(path, (self.clock().timestamp(),) * 2)
        self.watcher.news.add(self.place.workspace)

    def runs(self, job: str) -> list[tuple[datetime, str, str]]:
        """Return when, why and with what outcome each run of *job* was made, oldest first."""
        ledger = self.place.workspace / ".scrimshaw/ledger.sqlite"
        with closing(sqlite3.connect(ledger)) as connection:
            rows = connection.execute(
                "select started_at_ms, trigger, outcome from run where job = ? order by rowid", (job,)
            ).fetchall()
        return [(datetime.fromtimestamp(at_ms / 1000, UTC), why, outcome) for at_ms, why, outcome in rows]


@contextmanager
def simulated(
    folder: Path, start: datetime, kind: str = "jsonl", watcher: Watches | None = None
) -> Iterator[Simulation]:
    """Yield a daemon over one set-up workspace at *start*."""
    with time_machine.travel(start, tick=False) as traveller:
        clock = FakeClock(start)
        place = Place(folder / "machine", kind=kind)
        place.session.at_ms = clock.now_ms - 3_600_000
        place.say(("We decided that unit-0x runs release 0.4.1 in production.", "Noted."))
        assert place.run("observe", "--yes", now=start.isoformat()).code == 0
        simulation = Simulation(place, clock, traveller, watcher)
        yield simulation
        simulation.supervisor.close()
