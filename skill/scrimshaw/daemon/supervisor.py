"""The daemon's main thread: what changed, what is due, who lives. It decides when; the worker does.

`step` is one round and returns how long nothing needs another. Hints make a round come sooner, full rounds
find what no hint told, and a clock that jumped or a machine that slept makes everything be looked at. Waits
are monotonic, schedules are wall time.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from datetime import datetime, timedelta
from math import inf
from pathlib import Path
from typing import NamedTuple, Protocol

from scrimshaw import __version__, heartbeat
from scrimshaw.core.text.plural import counted
from scrimshaw.daemon.duty import times
from scrimshaw.daemon.roster import Roster
from scrimshaw.daemon.schedule import Schedule
from scrimshaw.daemon.worker import JOB, DueJob, FinishedJob, What, Worker
from scrimshaw.errors import UserError
from scrimshaw.files import changed_ns
from scrimshaw.layout import Layout
from scrimshaw.sources.discover import StoreRef

log = logging.getLogger(__name__)

_MOST_DOUBLINGS = 6  # of the pause after a failure: about an hour


class Pace(NamedTuple):
    """How often what is looked at, in seconds."""

    poll: float = 1.0  # wake files, and whatever a hint named
    stores: float = 5.0  # stores that no hint named; every time, when the operating system gives no hints
    between_looks: float = 5.0  # at one workspace while its conversation goes on
    full: float = 60.0  # everything
    deaf: float = 5.0  # the same, when the operating system gives no hints
    discovery: float = 600.0  # agents, workspaces, settings, when nothing hinted at them
    heartbeat: float = 60.0
    jump: float = 30.0  # wall clock against monotonic: a suspend, or the clock was set
    stuck: float = 1800.0  # a job that takes longer is told


class Watches(Protocol):
    """What the supervisor needs of a watcher (daemon/watching)."""

    @property
    def is_hearing(self) -> bool: ...
    def watch(self, stores: dict[Path, tuple[StoreRef, ...]], roots: frozenset[Path]) -> None: ...
    def changed(self, *, is_full: bool, polls: bool) -> frozenset[Path]: ...
    def is_discovery_due(self, *, is_full: bool, polls: bool) -> bool: ...
    def problems(self) -> tuple[str, ...]: ...
    def mend(self) -> None: ...


class WorkerDied(Exception):  # noqa: N818  # ends the process, the service manager starts another
    """The only writer is gone."""


class _Looks:
    """When one workspace is looked at again, by the monotonic clock."""

    def __init__(self, mono: float, layout: Layout) -> None:
        self.at = mono
        self.last = -inf
        self.not_before = -inf
        self.failures = 0
        self.beside_at = inf  # when what is slow is done again, though nothing happened here
        self.wake, self.memory = str(layout.wake), layout.memory  # looked at every second: made once
        self.wake_ns = self.memory_ns = 0
        self.problems: tuple[str, ...] = ()
        self.by_topic: dict[str, tuple[str, ...]] = {}  # each stands until the same is looked into again
        self.beat_at = -inf
        self.beat: heartbeat.Beat | None = None


class Supervisor:
    """One round after the other, for as long as the daemon lives."""

    def __init__(
        self,
        roster: Roster,
        watcher: Watches,
        worker: Worker,
        *,
        clock: Callable[[], datetime],
        monotonic: Callable[[], float],
        pace: Pace = Pace(),  # noqa: B008  # frozen
        background: Worker | None = None,  # for what may be slow and nobody waits for
    ) -> None:
        self._roster, self._watcher, self._worker = roster, watcher, worker
        self._background = background
        self._clock, self._monotonic, self._pace = clock, monotonic, pace
        self._schedule = Schedule(worker.enqueue)
        self._looks: dict[Path, _Looks] = {}
        self._started = self._last_now = clock()
        self._last_mono = monotonic()
        self._full_at = self._poll_at = self._discover_at = self._planned_at = self._beat_at = -inf
        self._doing: tuple[DueJob | None, float] = (None, 0.0)
        self._is_ready = False

    def step(self, *, is_alive: bool = True) -> float:
        """Do one round and return the seconds until the next; raises WorkerDied when not *is_alive*."""
        now, mono = self._clock(), self._monotonic()
        if not is_alive:
            raise WorkerDied
        has_jumped = self._has_jumped(now, mono)
        is_full = has_jumped or mono >= self._full_at
        if is_full:
            self._full_at = mono + (self._pace.full if self._watcher.is_hearing else self._pace.deaf)
            self._watcher.mend()
            for problem in self._watcher.problems():
                log.warning("event=watching note=%r", problem)
        is_stale = is_full and self._roster.is_stale()
        polls = is_full or mono >= self._poll_at or not self._watcher.is_hearing
        if polls:
            self._poll_at = mono + self._pace.stores
        is_found = self._watcher.is_discovery_due(is_full=is_full, polls=polls)
        if is_found or is_stale or has_jumped or mono >= self._discover_at:
            self._discover(now, mono)
        for workspace in self._watcher.changed(is_full=is_full, polls=polls):
            self._look_soon(workspace, mono)
        self._take_finished(mono)
        if is_full or mono >= self._planned_at:
            self._planned_at = mono + self._schedule.step()
        self._enqueue_due(mono, is_full=is_full, is_everything=has_jumped)
        self._beat(now, mono)
        soonest = min((min(looks.at, looks.beside_at) for looks in self._looks.values()), default=inf)
        return max(0.0, min(self._pace.poll, self._planned_at - mono, soonest - mono))

    def close(self) -> None:
        """Let the workspaces go."""
        self._schedule.close()
        self._roster.close()

    def _has_jumped(self, now: datetime, mono: float) -> bool:
        drift = (now - self._last_now).total_seconds() - (mono - self._last_mono)
        self._last_now, self._last_mono = now, mono
        if abs(drift) <= self._pace.jump:
            return False
        log.warning(
            "event=clock-jump seconds=%.0f note='slept, or the clock was set; looking at everything'", drift
        )
        if drift < 0:
            self._schedule.forget_plans()  # made by a clock that was ahead, for a time that may be years away
        return True

    def _discover(self, now: datetime, mono: float) -> None:
        self._planned_at = self._beat_at = -inf
        before = dict(self._roster.targets)
        self._roster.refresh(now)
        targets = self._roster.targets
        # Where nobody is served yet nothing is watched either.
        self._discover_at = mono + (self._pace.discovery if targets else self._pace.full)
        for workspace in before.keys() - targets.keys():
            log.info("event=dropped workspace=%s", workspace)
            self._looks.pop(workspace, None)
            self._schedule.drop(workspace)
        for workspace, target in targets.items():
            if workspace not in before:
                log.info("event=serving agent=%s workspace=%s", target.agent_id, workspace)
            looks = self._looks.setdefault(workspace, _Looks(mono, target.layout))
            if target != before.get(workspace):
                looks.at = mono  # another setting may make something due
            self._schedule.serve(workspace, times(target))
        stores = {
            path: tuple(store for agent in target.agents for store in agent.stores)
            for path, target in targets.items()
        }
        self._watcher.watch(stores, self._roster.roots())

    def _look_soon(self, workspace: Path, mono: float) -> None:
        if looks := self._looks.get(workspace):
            looks.at = min(looks.at, max(mono, looks.last + self._pace.between_looks, looks.not_before))

    def _take_finished(self, mono: float) -> None:
        for done in self._worker.finished():
            if looks := self._looks.get(done.job.workspace):
                self._beat_at = -inf
                self._take(looks, done, mono)
                if self._background and JOB in done.problems and not done.has_failed:
                    self._background.enqueue(DueJob(What.ARCHIVE, done.job.workspace))
        for done in self._background.finished() if self._background else ():
            if looks := self._looks.get(done.job.workspace):
                self._note_problems(looks, done)
                looks.beside_at = mono + done.in_seconds
        if not self._is_ready and self._looks and all(looks.last > -inf for looks in self._looks.values()):
            self._is_ready = True
            log.info("event=ready workspaces=%d note='each was looked at once'", len(self._looks))

    def _take(self, looks: _Looks, done: FinishedJob, mono: float) -> None:
        looks.last = mono
        looks.failures = (
            looks.failures + 1 if done.has_failed else 0 if JOB in done.problems else looks.failures
        )
        longer = 2 ** min(max(0, looks.failures - 1), _MOST_DOUBLINGS) if done.has_failed else 1
        wait = done.in_seconds * longer
        looks.not_before = mono + wait if done.has_failed else -inf
        looks.at = max(looks.not_before, min(looks.at, mono + wait))
        self._note_problems(looks, done)

    def _note_problems(self, looks: _Looks, done: FinishedJob) -> None:
        looks.by_topic.update(done.problems)
        problems = tuple(dict.fromkeys(text for texts in looks.by_topic.values() for text in texts))
        if problems != looks.problems:
            looks.problems = problems
            told = " ".join(problems) or "mended"
            log.warning("job=%s workspace=%s problem=%r", done.job.what, done.job.workspace, told)

    def _enqueue_due(self, mono: float, *, is_full: bool, is_everything: bool) -> None:
        for workspace, looks in self._looks.items():
            if self._background and looks.beside_at <= mono:
                looks.beside_at = inf
                self._background.enqueue(DueJob(What.ARCHIVE, workspace))
            is_touched = _is_woken(looks)
            if is_full:
                is_touched |= _is_edited(looks)
            if is_everything or is_touched or looks.at <= mono:
                looks.at = inf  # the job's end says when next
                self._worker.enqueue(DueJob(What.FOLLOW, workspace))

    def _beat(self, now: datetime, mono: float) -> None:
        doing = self._worker.doing
        if doing != self._doing[0]:
            self._doing = (doing, mono)
        elif mono < self._beat_at:
            return  # nobody has anything to say: so it is nearly always
        self._beat_at = mono + self._pace.heartbeat
        for workspace, looks in self._looks.items():
            is_here = doing is not None and doing.workspace == workspace
            name = doing.what.value if doing and is_here else "waiting"
            said = (looks.beat.doing, looks.beat.problems) if looks.beat else None
            is_news = said is None or said[0] != name or (not is_here and said[1] != looks.problems)
            if mono - looks.beat_at < self._pace.heartbeat and not is_news:
                self._beat_at = min(self._beat_at, looks.beat_at + self._pace.heartbeat)
                continue
            looks.beat_at = mono
            busy = mono - self._doing[1] if is_here else 0.0
            self._say(workspace, looks, self._beat_of(workspace, looks, now, looks.at - mono, name, busy))

    def _say(self, workspace: Path, looks: _Looks, beat: heartbeat.Beat) -> None:
        state = self._roster.targets[workspace].layout.state
        is_no_news = looks.beat is not None and looks.beat._replace(at=beat.at) == beat
        if is_no_news and heartbeat.renew(state, beat.at):
            return
        try:
            heartbeat.write(state, beat)
        except UserError as error:
            log.warning("event=heartbeat workspace=%s problem=%r", workspace, " ".join(error.problems))
        looks.beat = beat

    def _beat_of(
        self, workspace: Path, looks: _Looks, now: datetime, wait: float, name: str, busy: float
    ) -> heartbeat.Beat:
        planned = self._schedule.next_at(What.REFLECT, workspace)
        problems = looks.problems
        if busy > self._pace.stuck:
            problems = (*problems, f"{name} has been at work for {counted(int(busy // 60), 'minute')}")
        return heartbeat.Beat(
            pid=os.getpid(),
            version=__version__,
            started_at=_iso(self._started),
            at=_iso(now),
            doing=name,
            next_look_at=_iso(now + timedelta(seconds=wait)) if wait < inf else "",
            next_reflection_at=_iso(planned) if planned else "",
            problems=problems,
        )


def _is_woken(looks: _Looks) -> bool:
    """Tell whether somebody has put a request into the ledger since this was asked last."""
    was_ns, looks.wake_ns = looks.wake_ns, changed_ns(looks.wake)
    return looks.wake_ns != was_ns


def _is_edited(looks: _Looks) -> bool:
    """Tell whether MEMORY.md was written since this was asked last, by whomever."""
    was_ns, looks.memory_ns = looks.memory_ns, changed_ns(looks.memory)
    return looks.memory_ns != was_ns


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")
