"""The thread of a daemon that writes: it takes jobs in the order they came, one at a time.

A job is named by what and where, so asking for the same twice before it begins is asking once, and nothing is
dropped while the worker is busy. What a job may raise ends at its boundary: a problem of the owner's is told,
a defect is logged without any text of a transcript, and the next job begins.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, TypeVar

from scrimshaw.errors import Exit, UserError, named
from scrimshaw.services.observe.task import RunStopped

log = logging.getLogger(__name__)
T = TypeVar("T")

_RETRY_SECONDS = 60.0  # after a problem


class What(StrEnum):
    FOLLOW = "follow"  # look, and do what is due
    REFLECT = "reflect"  # the same, and it is the reflector's time
    MAINTAIN = "maintain"
    ARCHIVE = "archive"  # beside the others, by a worker of its own


class DueJob(NamedTuple):
    """What to do, and for which workspace."""

    what: What
    workspace: Path


class FinishedJob(NamedTuple):
    """How a job ended; *in_seconds* is when to look at the workspace again, if nothing happens before.

    *problems* are by topic, each that was looked into with what is wrong there, or nothing. The topic JOB is
    of what kept the job from being done; it stands until one does something.
    """

    job: DueJob
    in_seconds: float
    problems: Mapping[str, tuple[str, ...]] = {}
    has_failed: bool = False  # nothing came of it; again after longer and longer pauses


JOB = "job"


class Worker:
    """A queue of jobs and the thread that does them; *do* does one, *on_done* is called after each."""

    def __init__(
        self,
        do: Callable[[DueJob], FinishedJob],
        on_done: Callable[[], None] = lambda: None,
        *,
        name: str = "worker",
    ) -> None:
        self._do = do
        self._on_done = on_done
        self._waiting: dict[DueJob, None] = {}
        self._finished: list[FinishedJob] = []
        self._doing: DueJob | None = None
        self._is_ending = False
        self._change = threading.Condition()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)

    def enqueue(self, job: DueJob) -> None:
        """Have *job* done; one that waits already is not doubled."""
        with self._change:
            self._waiting.setdefault(job)
            self._change.notify()

    def finished(self) -> list[FinishedJob]:
        """Return what was done since this was asked last."""
        with self._change:
            done, self._finished = self._finished, []
        return done

    @property
    def doing(self) -> DueJob | None:
        return self._doing

    def start(self) -> None:
        self._thread.start()

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def stop(self, timeout_seconds: float) -> bool:
        """Begin no further job; tell whether the one at work ended in time."""
        with self._change:
            self._is_ending = True
            self._waiting.clear()
            self._change.notify()
        self._thread.join(timeout_seconds)
        return not self._thread.is_alive()

    def work_off(self) -> int:
        """Do everything that waits, in the calling thread; return how many jobs that were."""
        count = 0
        while job := self._next(is_waiting=False):
            self._one(job)
            count += 1
        return count

    def _work(self) -> None:
        while job := self._next(is_waiting=True):
            self._one(job)

    def _next(self, *, is_waiting: bool) -> DueJob | None:
        with self._change:
            while is_waiting and not self._waiting and not self._is_ending:
                self._change.wait()
            if self._is_ending or not self._waiting:
                return None
            job = next(iter(self._waiting))
            del self._waiting[job]
            self._doing = job
            return job

    def _one(self, job: DueJob) -> None:
        done = self._bounded(job)
        with self._change:
            self._doing = None
            self._finished.append(done)
        self._on_done()

    def _bounded(self, job: DueJob) -> FinishedJob:
        try:
            return guarded(job, lambda: self._do(job))
        except RunStopped:
            return FinishedJob(job, _RETRY_SECONDS)
        except UserError as error:
            return FinishedJob(job, _RETRY_SECONDS, {JOB: tuple(error.problems)}, has_failed=True)


def guarded(job: DueJob, work: Callable[[], T]) -> T:
    """Return what *work*, a part of *job*, returns; a defect in it is logged, and raised as a UserError."""
    try:
        return work()
    except (RunStopped, UserError):
        raise
    except Exception as error:  # the worker's shell: one job's defect ends no other
        log.critical("job=%s workspace=%s defect=%r", job.what, job.workspace, named(error))
        raise UserError(
            f"a defect of our own: {named(error)}",
            next_step="please report that line",
            exit_code=Exit.DEFECT,
        ) from error
