"""What happens by the clock: the reflector's interval and the nightly round. Jobs only enqueue.

APScheduler keeps the times; `step` is its tick, so nothing waits in a thread that a suspend would stretch,
and a job that was due while the machine slept or the worker was busy comes once, late, and is never dropped.
Eight hours of sleep are one reflection.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from math import inf
from pathlib import Path
from typing import NamedTuple

from apscheduler.executors.debug import DebugExecutor
from apscheduler.schedulers.base import BaseScheduler
from apscheduler.triggers.cron import CronTrigger
from apscheduler.triggers.interval import IntervalTrigger

from scrimshaw.daemon.worker import DueJob, What

_LEAST_SECONDS = 60
_MISSED = timedelta(hours=20)  # since the last nightly round: a machine that is on by day only has none


class Times(NamedTuple):
    """When what is due in one workspace."""

    zone: str  # IANA
    reflector_seconds: float
    maintenance_at: str  # "HH:MM", local
    last_reflection: datetime | None
    last_maintenance: datetime | None


class _Stepped(BaseScheduler):  # type: ignore[misc]  # APScheduler has no types
    """An APScheduler without a thread: whoever calls `step` is its clock's tick."""

    def step(self) -> float | None:
        seconds: float | None = self._process_jobs()  # what a scheduler of one's own is to call
        return seconds

    def wakeup(self) -> None:
        """Nothing sleeps here."""

    def shutdown(self, wait: bool = True) -> None:
        super().shutdown(wait)


class Schedule:
    """The times of every served workspace; *enqueue* is all that a job does."""

    def __init__(self, enqueue: Callable[[DueJob], None]) -> None:
        self._enqueue = enqueue
        self._times: dict[Path, Times] = {}
        self._scheduler = _Stepped(
            timezone=UTC, job_defaults={"misfire_grace_time": None, "coalesce": True, "max_instances": 1}
        )
        self._scheduler.add_executor(DebugExecutor())
        self._scheduler.start()

    def serve(self, workspace: Path, times: Times) -> None:
        """Plan *workspace*'s jobs; the same times again change nothing."""
        planned = self._times.get(workspace)
        if planned is not None and _lasting(planned) == _lasting(times):
            return  # when something was last done matters for the first plan only
        self._times[workspace] = times
        now = datetime.now(UTC)
        # A last run in the future was recorded by a clock that was ahead.
        reflected, maintained = (
            at if at is not None and at <= now else None
            for at in (times.last_reflection, times.last_maintenance)
        )
        interval = timedelta(seconds=max(_LEAST_SECONDS, times.reflector_seconds))
        # A time in the past is one that was missed while nobody ran: it comes at once, and once.
        first = max(now, reflected + interval) if reflected else now
        reflections = IntervalTrigger(seconds=interval.total_seconds(), start_date=first, timezone=UTC)
        self._plan(What.REFLECT, workspace, reflections, first)
        hour, minute = times.maintenance_at.split(":")
        nights = CronTrigger(hour=int(hour), minute=int(minute), timezone=times.zone)
        was_missed = maintained is None or now - maintained > _MISSED
        self._plan(What.MAINTAIN, workspace, nights, now if was_missed else None)

    def forget_plans(self) -> None:
        """Have every workspace planned anew when it is served next: the clock was set back."""
        self._times.clear()

    def drop(self, workspace: Path) -> None:
        self._times.pop(workspace, None)
        for what in (What.REFLECT, What.MAINTAIN):
            if self._scheduler.get_job(_name(what, workspace)):
                self._scheduler.remove_job(_name(what, workspace))

    def next_at(self, what: What, workspace: Path) -> datetime | None:
        job = self._scheduler.get_job(_name(what, workspace))
        return job.next_run_time if job else None

    def step(self) -> float:
        """Enqueue what has become due; return the seconds until something else does."""
        seconds = self._scheduler.step()
        return inf if seconds is None else seconds

    def close(self) -> None:
        self._scheduler.shutdown(wait=False)

    def _plan(self, what: What, workspace: Path, trigger: object, first: datetime | None) -> None:
        options = {"next_run_time": first} if first else {}
        self._scheduler.add_job(
            self._enqueue,
            trigger,
            args=(DueJob(what, workspace),),
            id=_name(what, workspace),
            replace_existing=True,
            **options,
        )


def _lasting(times: Times) -> Times:
    return times._replace(last_reflection=None, last_maintenance=None)


def _name(what: What, workspace: Path) -> str:
    return f"{what}:{workspace}"
